//! Texts that occur once each, by number.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

#[derive(Debug, Clone, Default)]
pub struct Strings {
    bytes: String,
    ends: Vec<u32>,
    /// By hash; a text whose hash is taken is at the next free number.
    table: HashMap<u64, u32>,
    hasher: RandomState,
}

impl Strings {
    pub fn text(&self, number: u32) -> &str {
        let at = number as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        let end = self.ends.get(at).copied().unwrap_or_default();
        self.bytes.get(start as usize..end as usize).unwrap_or_default()
    }

    pub fn find(&self, text: &str) -> Option<u32> {
        self.place(text).1
    }

    pub fn add(&mut self, text: &str) -> u32 {
        let (hash, found) = self.place(text);
        if let Some(number) = found {
            return number;
        }
        let number = u32_of(self.ends.len());
        self.bytes.push_str(text);
        self.ends.push(u32_of(self.bytes.len()));
        self.table.insert(hash, number);
        number
    }

    /// The entry of a text: its key, and its number if it has one.
    fn place(&self, text: &str) -> (u64, Option<u32>) {
        let mut hash = self.hasher.hash_one(text);
        loop {
            match self.table.get(&hash) {
                Some(number) if self.text(*number) == text => return (hash, Some(*number)),
                Some(_) => hash = hash.wrapping_add(1),
                None => return (hash, None),
            }
        }
    }

    /// The bytes that it occupies, roughly.
    pub fn weight(&self) -> usize {
        self.bytes.capacity() + self.ends.capacity() * 4 + self.table.capacity() * 17
    }
}

/// A number of items. Limits keep them far below the largest one.
pub fn u32_of(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
