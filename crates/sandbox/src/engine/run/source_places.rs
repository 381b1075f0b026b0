//! Cache of source positions that were requested from the host.

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
