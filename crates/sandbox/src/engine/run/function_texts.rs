//! The texts of functions in their sources, as far as the host was asked. It reads the source for each.

use super::source_places::CompiledPlace;
use std::collections::HashMap;

/// Functions of one run that the host is asked for: it reads the whole source each time, at nobody's expense.
const MAX_ASKED: usize = 64;
/// Most bytes of texts that are kept, beside the last one: they are in no account.
const MAX_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub struct FunctionTexts {
    known: HashMap<CompiledPlace, Option<String>>,
    bytes: usize,
}

impl FunctionTexts {
    /// What is known of the function at this place.
    pub fn get(&self, place: &CompiledPlace) -> Option<Option<String>> {
        self.known.get(place).cloned()
    }

    pub fn is_full(&self) -> bool {
        self.known.len() >= MAX_ASKED || self.bytes >= MAX_BYTES
    }

    pub fn learn(&mut self, place: CompiledPlace, text: Option<String>) {
        if !self.is_full() {
            self.bytes = self.bytes.saturating_add(text.as_ref().map_or(0, String::len));
            self.known.insert(place, text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{CompiledPlace, FunctionTexts, MAX_ASKED, MAX_BYTES};

    #[test]
    fn neither_many_nor_long_texts_are_asked_for_without_end() {
        let place = |line| CompiledPlace { path: "a".to_owned(), line, column: 1 };
        let mut short = FunctionTexts::default();
        for line in 0..1000 {
            short.learn(place(line), Some("f".to_owned()));
        }
        assert_eq!((short.known.len(), short.is_full()), (MAX_ASKED, true));
        let mut long = FunctionTexts::default();
        for line in 0..1000 {
            long.learn(place(line), Some("f".repeat(MAX_BYTES / 2)));
        }
        assert_eq!((long.known.len(), long.bytes, long.is_full()), (2, MAX_BYTES, true));
    }
}
