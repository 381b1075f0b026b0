//! An index of text embeddings by the hash of the text, with exhaustive search.
//!
//! A search compares all vectors: ten thousand of them are four megabytes, which takes less than a millisecond.

use super::vector::{Vector, cosines};
use std::collections::HashMap;

/// The most texts of an index.
pub const MAX_VECTORS: usize = 1 << 17;
/// The most bytes of all vectors.
const MAX_BYTES: usize = 64 << 20;

/// The hash of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TextKey(pub(super) [u8; 16]);

/// The position of a vector; valid until [`VectorIndex::retain`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Slot(u32);

/// The vectors of one model.
#[derive(Debug)]
pub struct VectorIndex {
    dimension: usize,
    slots: HashMap<TextKey, Slot>,
    /// One row per slot.
    numbers: Vec<i8>,
    scales: Vec<f32>,
}

impl TextKey {
    #[must_use]
    pub fn of(text: &str) -> Self {
        let hash = blake3::hash(text.as_bytes());
        Self(hash.as_bytes().first_chunk().copied().unwrap_or_default())
    }
}

impl VectorIndex {
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self { dimension, slots: HashMap::new(), numbers: Vec::new(), scales: Vec::new() }
    }

    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.slots.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    #[must_use]
    pub fn slot(&self, key: TextKey) -> Option<Slot> {
        self.slots.get(&key).copied()
    }

    /// Returns `false`, without inserting, for a vector of another dimension or when the index is full.
    pub fn insert(&mut self, key: TextKey, vector: &Vector) -> bool {
        if vector.dimension() != self.dimension || self.dimension == 0 {
            return false;
        }
        if let Some(Slot(slot)) = self.slot(key) {
            let rows = self.numbers.chunks_exact_mut(self.dimension);
            if let (Some(row), Some(scale)) = (rows.into_iter().nth(slot as usize), self.scales.get_mut(slot as usize))
            {
                row.copy_from_slice(vector.rounded());
                *scale = vector.scale();
            }
            return true;
        }
        if self.len() >= MAX_VECTORS || self.numbers.len() + self.dimension > MAX_BYTES {
            return false;
        }
        let Ok(slot) = u32::try_from(self.scales.len()) else { return false };
        self.numbers.extend_from_slice(vector.rounded());
        self.scales.push(vector.scale());
        self.slots.insert(key, Slot(slot));
        true
    }

    #[must_use]
    pub fn get(&self, key: TextKey) -> Option<Vector> {
        let Slot(slot) = self.slot(key)?;
        Vector::from_rounded(self.numbers.chunks_exact(self.dimension).nth(slot as usize)?.into())
    }

    /// Keeps only the wanted texts. Invalidates all slots.
    pub fn retain(&mut self, mut is_wanted: impl FnMut(TextKey) -> bool) {
        let mut kept = Self::new(self.dimension);
        for (key, row, scale) in self.rows() {
            if is_wanted(key)
                && let Ok(slot) = u32::try_from(kept.scales.len())
            {
                kept.slots.insert(key, Slot(slot));
                kept.numbers.extend_from_slice(row);
                kept.scales.push(scale);
            }
        }
        *self = kept;
    }

    /// The cosine similarity of `query` and every text; read it by slot with [`Cosines::of`].
    #[must_use]
    pub fn search(&self, query: &Vector) -> Cosines {
        if query.dimension() != self.dimension {
            return Cosines(Vec::new());
        }
        Cosines(cosines(query, &self.numbers, &self.scales))
    }

    /// All texts and their vectors, in slot order.
    pub(super) fn rows(&self) -> impl Iterator<Item = (TextKey, &[i8], f32)> {
        let mut keys: Vec<(Slot, TextKey)> = self.slots.iter().map(|(key, slot)| (*slot, *key)).collect();
        keys.sort_unstable_by_key(|(Slot(slot), _)| *slot);
        let rows = self.numbers.chunks_exact(self.dimension.max(1)).zip(&self.scales);
        keys.into_iter().zip(rows).map(|((_, key), (row, scale))| (key, row, *scale))
    }
}

/// The result of a search.
#[derive(Debug)]
pub struct Cosines(Vec<f32>);

impl Cosines {
    /// From -1 to 1; `None` for an unknown slot.
    #[must_use]
    pub fn of(&self, Slot(slot): Slot) -> Option<f32> {
        self.0.get(slot as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, TextKey, VectorIndex};
    use crate::Vector;

    fn vector(numbers: [f32; 3]) -> Vector {
        Vector::of(&numbers).unwrap()
    }

    fn filled() -> VectorIndex {
        let mut vectors = VectorIndex::new(3);
        for (text, numbers) in [("x", [1.0, 0.0, 0.0]), ("y", [0.0, 1.0, 0.0]), ("z", [0.0, 0.0, 1.0])] {
            assert!(vectors.insert(TextKey::of(text), &vector(numbers)));
        }
        vectors
    }

    #[test]
    fn a_search_gives_the_similarity_of_every_text() {
        let vectors = filled();
        let found = vectors.search(&vector([4.0, 3.0, 0.0]));
        let of = |text: &str| found.of(vectors.slot(TextKey::of(text)).unwrap()).unwrap();
        for (text, expected) in [("x", 0.8), ("y", 0.6), ("z", 0.0)] {
            assert!((of(text) - expected).abs() < 0.01, "{text}: {}", of(text));
        }
    }

    #[test]
    fn a_text_that_is_inserted_again_keeps_its_slot() {
        let mut vectors = filled();
        let slot = vectors.slot(TextKey::of("y"));
        assert!(vectors.insert(TextKey::of("y"), &vector([0.0, 1.0, 1.0])));
        assert_eq!((vectors.len(), vectors.slot(TextKey::of("y"))), (3, slot));
        assert_eq!(vectors.get(TextKey::of("y")), Some(vector([0.0, 2.0, 2.0])));
    }

    #[test]
    fn retain_removes_unwanted_texts_and_keeps_the_others() {
        let mut vectors = filled();
        vectors.retain(|key| key != TextKey::of("x"));
        assert_eq!(vectors.len(), 2);
        assert_eq!(vectors.get(TextKey::of("x")), None);
        assert_eq!(vectors.get(TextKey::of("z")), Some(vector([0.0, 0.0, 1.0])));
        let found = vectors.search(&vector([0.0, 0.0, 1.0]));
        assert!(found.of(vectors.slot(TextKey::of("z")).unwrap()).unwrap() > 0.99);
    }

    #[test]
    fn insert_refuses_other_dimensions_and_a_full_index() {
        let mut vectors = filled();
        assert!(!vectors.insert(TextKey::of("w"), &Vector::of(&[1.0]).unwrap()));
        assert!(vectors.search(&Vector::of(&[1.0]).unwrap()).of(vectors.slot(TextKey::of("x")).unwrap()).is_none());
        let wide = Vector::of(&vec![1.0; 8192]).unwrap();
        let mut vectors = VectorIndex::new(8192);
        let taken = (0..).take_while(|at: &i32| vectors.insert(TextKey::of(&at.to_string()), &wide)).count();
        assert_eq!(taken, MAX_BYTES / 8192);
    }
}
