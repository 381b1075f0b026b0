//! `LIKE` and `GLOB`. The built-in functions recurse at every wildcard.

use super::argument::TextConverter;
use super::failure::{failure_with_message, interrupted};
use super::flags::flags;
use super::utf8::{before_nul, continues_letter};
use crate::sqlite::session_control::SessionControl;
use memchr::{memchr, memchr2};
use rusqlite::functions::Context;
use rusqlite::{Connection, Result};
use std::sync::Arc;

/// The same limit as in SQLite.
const MAX_PATTERN_BYTES: usize = 50_000;

/// The syntax of a pattern.
#[derive(Debug, Clone, Copy)]
pub struct Style {
    /// Matches any text; `None` if it is the escape character.
    all: Option<u32>,
    /// Matches any character.
    one: Option<u32>,
    escape: Option<u32>,
    /// Whether `[…]` is a set of characters.
    sets: bool,
    ignores_case: bool,
}

impl Style {
    /// Steps between two checks of the deadline. A step through a set may be as long as the pattern.
    const fn steps_between_checks(self) -> usize {
        if self.sets { 1 << 8 } else { 1 << 14 }
    }
}

const LIKE: Style =
    Style { all: Some('%' as u32), one: Some('_' as u32), escape: None, sets: false, ignores_case: true };
const GLOB: Style =
    Style { all: Some('*' as u32), one: Some('?' as u32), escape: None, sets: true, ignores_case: false };

pub fn install(connection: &Connection, control: &Arc<SessionControl>, texts: &Arc<TextConverter>) -> Result<()> {
    for (name, arguments, style) in [("like", 2, LIKE), ("like", 3, LIKE), ("glob", 2, GLOB)] {
        let (control, texts) = (Arc::clone(control), Arc::clone(texts));
        let answer = move |context: &Context<'_>| answer(context, style, &texts, &control);
        connection.create_scalar_function(name, arguments, flags(), answer)?;
    }
    Ok(())
}

fn answer(
    context: &Context<'_>,
    mut style: Style,
    texts: &TextConverter,
    control: &SessionControl,
) -> Result<Option<bool>> {
    let pattern = texts.of(context.get_raw(0))?;
    if pattern.as_ref().is_some_and(|pattern| pattern.len() > MAX_PATTERN_BYTES) {
        return Err(failure_with_message("LIKE or GLOB pattern too complex"));
    }
    if context.len() == 3 {
        let Some(escape) = texts.of(context.get_raw(2))? else { return Ok(None) };
        let (letter, rest) = letter_of(before_nul(&escape), 0).unwrap_or((0, 0));
        if letter == 0 || rest != before_nul(&escape).len() {
            return Err(failure_with_message("ESCAPE expression must be a single character"));
        }
        style.escape = Some(letter);
        style.all = style.all.filter(|all| *all != letter);
        style.one = style.one.filter(|one| *one != letter);
    }
    let (Some(pattern), Some(text)) = (pattern, texts.of(context.get_raw(1))?) else { return Ok(None) };
    match matches(before_nul(&pattern), before_nul(&text), style, || control.must_stop()) {
        Some(truth) => Ok(Some(truth)),
        None => Err(interrupted()),
    }
}

/// The character at an index and the index of the next one. Decodes malformed UTF-8 as SQLite does.
fn letter_of(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let first = *bytes.get(at)?;
    let mut next = at + 1;
    if first < 0xc0 {
        return Some((u32::from(first), next));
    }
    let mut letter = u32::from(match first {
        0xc0..=0xdf => first & 0x1f,
        0xe0..=0xef => first & 0x0f,
        0xf0..=0xf7 => first & 0x07,
        0xf8..=0xfb => first & 0x03,
        0xfc..=0xfd => first & 0x01,
        _ => 0,
    });
    while let Some(byte) = bytes.get(next).filter(|byte| continues_letter(**byte)) {
        letter = (letter << 6).wrapping_add(u32::from(byte & 0x3f));
        next += 1;
    }
    let wrong = letter < 0x80 || letter & 0xffff_f800 == 0xd800;
    Some((if wrong { 0xfffd } else { letter }, next))
}

/// The last wildcard for any text: the index of the pattern after it, and the index of the text where that is tried.
struct Wildcard {
    pattern: usize,
    text: usize,
}

/// Whether a text matches a pattern; `None` if `stop` returned true first.
pub fn matches(pattern: &[u8], text: &[u8], style: Style, stop: impl Fn() -> bool) -> Option<bool> {
    let (mut at, mut in_text) = (0, 0);
    let mut wildcard: Option<Wildcard> = None;
    let mut steps = 0_usize;
    loop {
        steps += 1;
        if steps.is_multiple_of(style.steps_between_checks()) && stop() {
            return None;
        }
        let (behind, from) = match letter_of(pattern, at) {
            None if in_text == text.len() => return Some(true),
            Some((letter, next)) if Some(letter) == style.all => {
                if next == pattern.len() {
                    return Some(true);
                }
                (next, in_text)
            }
            None | Some(_) => match (fits(pattern, at, text, in_text, style), &wildcard) {
                (Some(next), _) => {
                    (at, in_text) = next;
                    continue;
                }
                // The wildcard matches one more character.
                (None, Some(wildcard)) => match letter_of(text, wildcard.text) {
                    Some((_, next)) => (wildcard.pattern, next),
                    None => return Some(false),
                },
                (None, None) => return Some(false),
            },
        };
        match first_place(pattern, behind, text, from, style) {
            Some(place) => {
                wildcard = Some(Wildcard { pattern: behind, text: place });
                (at, in_text) = (behind, place);
            }
            None => return Some(false),
        }
    }
}

/// The first index of the text where the pattern after a wildcard could match, by its first character.
fn first_place(pattern: &[u8], behind: usize, text: &[u8], from: usize, style: Style) -> Option<usize> {
    let (letter, _) = letter_of(pattern, behind)?;
    let special = [style.all, style.one, style.escape].contains(&Some(letter)) || (style.sets && letter == OPENING);
    let Some(byte) = u8::try_from(letter).ok().filter(|byte| byte.is_ascii() && !special) else { return Some(from) };
    let rest = text.get(from..)?;
    let found = if style.ignores_case {
        memchr2(byte.to_ascii_lowercase(), byte.to_ascii_uppercase(), rest)
    } else {
        memchr(byte, rest)
    };
    found.map(|offset| from + offset)
}

/// The next indices of pattern and text, if one character of each matches.
fn fits(pattern: &[u8], at: usize, text: &[u8], in_text: usize, style: Style) -> Option<(usize, usize)> {
    let (mut letter, mut next) = letter_of(pattern, at)?;
    let escaped = Some(letter) == style.escape;
    if escaped {
        (letter, next) = letter_of(pattern, next)?;
    }
    let (actual, next_in_text) = letter_of(text, in_text)?;
    if style.sets && letter == OPENING {
        return Some((behind_set(pattern, next, actual)?, next_in_text));
    }
    let lower = |letter: u32| u8::try_from(letter).ok().filter(u8::is_ascii).map(|byte| byte.to_ascii_lowercase());
    let same = letter == actual || (style.ignores_case && lower(letter).is_some() && lower(letter) == lower(actual));
    (same || (!escaped && Some(letter) == style.one)).then_some((next, next_in_text))
}

const OPENING: u32 = '[' as u32;
const CLOSING: u32 = ']' as u32;

/// The index of the pattern after a set of characters that matches `actual`; the set starts at `at`.
fn behind_set(pattern: &[u8], at: usize, actual: u32) -> Option<usize> {
    let (mut letter, mut next) = letter_of(pattern, at)?;
    let inverted = letter == '^' as u32;
    if inverted {
        (letter, next) = letter_of(pattern, next)?;
    }
    let mut seen = false;
    if letter == CLOSING {
        seen = actual == CLOSING;
        (letter, next) = letter_of(pattern, next)?;
    }
    let mut prior = None;
    while letter != CLOSING {
        let ends = pattern.get(next).is_none_or(|byte| *byte == b']');
        match prior.filter(|_| letter == '-' as u32 && !ends) {
            Some(first) => {
                (letter, next) = letter_of(pattern, next)?;
                seen |= (first..=letter).contains(&actual);
                prior = None;
            }
            None => {
                seen |= letter == actual;
                prior = Some(letter);
            }
        }
        (letter, next) = letter_of(pattern, next)?;
    }
    (seen != inverted).then_some(next)
}
