//! `trim()`, `ltrim()` and `rtrim()` with a set of characters, in time linear in the text and the set.

use super::argument::{TextAnswer, TextConverter};
use super::flags::flags;
use super::utf8::{before_nul, continues_letter};
use rusqlite::functions::Context;
use rusqlite::{Connection, Result};
use std::collections::HashSet;
use std::sync::Arc;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
    Both,
}

pub fn install(connection: &Connection, texts: &Arc<TextConverter>) -> Result<()> {
    for (name, side) in [("ltrim", Side::Left), ("rtrim", Side::Right), ("trim", Side::Both)] {
        let texts = Arc::clone(texts);
        connection.create_scalar_function(name, 2, flags(), move |context| trim(context, &texts, side))?;
    }
    Ok(())
}

fn trim(context: &Context<'_>, texts: &TextConverter, side: Side) -> Result<TextAnswer> {
    let (Some(text), Some(set)) = (texts.of(context.get_raw(0))?, texts.of(context.get_raw(1))?) else {
        return Ok(TextAnswer::Null);
    };
    let letters = Letters::of(&set);
    let mut range = 0..text.len();
    if side != Side::Right {
        while let Some(length) = letters.first(text.get(range.clone()).unwrap_or_default()) {
            range.start += length;
        }
    }
    if side != Side::Left {
        while let Some(length) = letters.last(text.get(range.clone()).unwrap_or_default()) {
            range.end -= length;
        }
    }
    if range == (0..text.len()) {
        return Ok(TextAnswer::first(context, &text));
    }
    Ok(TextAnswer::Bytes(text.get(range).unwrap_or_default().to_vec()))
}

/// Maximum bytes of a character. Longer sequences are malformed, and never match.
const MAX_LETTER_BYTES: usize = 4;

/// A set of characters.
struct Letters<'a> {
    single: [bool; 256],
    longer: HashSet<&'a [u8]>,
}

impl<'a> Letters<'a> {
    /// The characters of a text up to its first NUL.
    fn of(set: &'a [u8]) -> Self {
        let mut letters = Self { single: [false; 256], longer: HashSet::new() };
        let mut rest = before_nul(set);
        while let Some((first, others)) = rest.split_first() {
            let continued = match *first {
                0xc0.. => others.iter().take_while(|byte| continues_letter(**byte)).count(),
                _ => 0,
            };
            let (letter, after) = rest.split_at_checked(1 + continued).unwrap_or((rest, &[]));
            if letter.len() == 1 {
                if let Some(known) = letters.single.get_mut(usize::from(*first)) {
                    *known = true;
                }
            } else if letter.len() <= MAX_LETTER_BYTES {
                letters.longer.insert(letter);
            }
            rest = after;
        }
        letters
    }

    fn has_single(&self, byte: u8) -> bool {
        self.single.get(usize::from(byte)).copied().unwrap_or_default()
    }

    /// The length of the first character of the text, if it is in the set.
    fn first(&self, text: &[u8]) -> Option<usize> {
        if self.has_single(*text.first()?) {
            return Some(1);
        }
        let known = |length: &usize| text.get(..*length).is_some_and(|letter| self.longer.contains(letter));
        (2..=MAX_LETTER_BYTES).find(|length| !self.longer.is_empty() && known(length))
    }

    /// The length of the last character of the text, if it is in the set.
    fn last(&self, text: &[u8]) -> Option<usize> {
        if self.has_single(*text.last()?) {
            return Some(1);
        }
        let tail = |length: usize| text.len().checked_sub(length).and_then(|start| text.get(start..));
        let known = |length: &usize| tail(*length).is_some_and(|letter| self.longer.contains(letter));
        (2..=MAX_LETTER_BYTES).find(|length| !self.longer.is_empty() && known(length))
    }
}
