//! Interned lines: equal lines have the same number, so that comparison takes constant time.

use super::tolerance::Tolerance;
use std::borrow::Cow;
use std::collections::HashMap;

/// The number of a line's text.
pub type LineId = u32;

/// Numbers for texts, in the order in which they are first seen.
#[derive(Default)]
struct Numbering<'t> {
    numbers: HashMap<Cow<'t, str>, u32>,
}

impl<'t> Numbering<'t> {
    fn of(&mut self, text: Cow<'t, str>) -> u32 {
        let next = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        *self.numbers.entry(text).or_insert(next)
    }
}

/// Equivalence classes of lines under a tolerance.
#[derive(Default)]
struct Classes<'t> {
    numbering: Numbering<'t>,
    /// By line number; extended lazily.
    of_line: Vec<u32>,
}

/// The distinct lines of a text and of the changes to it.
#[derive(Default)]
pub struct LineTable<'t> {
    numbering: Numbering<'t>,
    texts: Vec<Cow<'t, str>>,
    trailing_space: Classes<'t>,
    whitespace: Classes<'t>,
}

impl<'t> LineTable<'t> {
    pub fn id(&mut self, text: Cow<'t, str>) -> LineId {
        let id = self.numbering.of(text.clone());
        if id as usize == self.texts.len() {
            self.texts.push(text);
        }
        id
    }

    pub fn text(&self, id: LineId) -> &str {
        self.texts.get(id as usize).map(Cow::as_ref).unwrap_or_default()
    }

    /// The class of every line so far, by its number; `None` if each line is its own class.
    pub fn classes(&mut self, tolerance: Tolerance) -> Option<&[u32]> {
        let (classes, seen): (_, fn(&str) -> Cow<'_, str>) = match tolerance {
            Tolerance::Exact => return None,
            Tolerance::TrailingSpace => (&mut self.trailing_space, |line| line.trim_end().into()),
            Tolerance::Whitespace => {
                (&mut self.whitespace, |line| line.split_whitespace().collect::<Vec<_>>().join(" ").into())
            }
        };
        for text in self.texts.iter().skip(classes.of_line.len()) {
            let class = classes.numbering.of(Cow::Owned(seen(text).into_owned()));
            classes.of_line.push(class);
        }
        Some(&classes.of_line)
    }
}
