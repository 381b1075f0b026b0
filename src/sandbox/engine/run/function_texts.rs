//! The texts of functions in their sources, as far as the host was asked. It reads the source for each.

use super::source_places::CompiledPlace;
use std::collections::HashMap;

/// Functions of one run that the host is asked for.
const MAX_ASKED: usize = 256;

#[derive(Debug, Default)]
pub struct FunctionTexts(HashMap<CompiledPlace, Option<String>>);

impl FunctionTexts {
    /// What is known of the function at this place.
    pub fn get(&self, place: &CompiledPlace) -> Option<Option<String>> {
        self.0.get(place).cloned()
    }

    pub fn is_full(&self) -> bool {
        self.0.len() >= MAX_ASKED
    }

    pub fn learn(&mut self, place: CompiledPlace, text: Option<String>) {
        if !self.is_full() {
            self.0.insert(place, text);
        }
    }
}
