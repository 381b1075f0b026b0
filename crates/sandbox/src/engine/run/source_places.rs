//! Caches of source positions and function texts that were requested from the host.

use std::collections::HashMap;

/// Most positions. A run that needs more requests them again.
const MAX_KNOWN: usize = 4096;

/// A position in the compiled code of a module, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CompiledPlace {
    pub path: String,
    pub line: u32,
    pub column: u32,
}

/// A position in a source, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourcePlace {
    pub line: u32,
    pub column: u32,
}

/// The answers of the host; `None` for code without a source.
#[derive(Debug, Default)]
pub struct SourcePlaces(HashMap<CompiledPlace, Option<SourcePlace>>);

impl SourcePlaces {
    pub fn is_known(&self, place: &CompiledPlace) -> bool {
        self.0.contains_key(place)
    }

    pub fn get(&self, place: &CompiledPlace) -> Option<SourcePlace> {
        self.0.get(place).copied().flatten()
    }

    pub fn learn(&mut self, places: Vec<(CompiledPlace, Option<SourcePlace>)>) {
        if self.0.len() + places.len() > MAX_KNOWN {
            self.0.clear();
        }
        self.0.extend(places);
    }
}

/// Most requests of one run: the host reads the whole source for each, which is not charged to the run.
const MAX_ASKED: usize = 64;
/// Most bytes of texts, beside the last one; they are not in the memory budget.
const MAX_BYTES: usize = 1 << 20;

#[derive(Debug, Default)]
pub struct FunctionTexts {
    known: HashMap<CompiledPlace, Option<String>>,
    bytes: usize,
}

impl FunctionTexts {
    /// The cached text of the function at this position.
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
    fn the_number_and_size_of_texts_are_bounded() {
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
