//! Where places of the compiled code are in the sources, as far as the host was asked.

use std::collections::HashMap;

/// Places kept at one time. A run that looks at more of them asks again.
const MAX_KNOWN: usize = 4096;

/// A place in the compiled code of a module, counted from 1.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CompiledPlace {
    pub path: String,
    pub line: u32,
    pub column: u32,
}

/// A place in a source, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SourcePlace {
    pub line: u32,
    pub column: u32,
}

/// The answers of the host; none for code that has no source.
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
