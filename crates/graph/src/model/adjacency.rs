//! Lists of numbers by number, in one block of memory.

use super::strings::u32_of;

#[derive(Debug, Clone, Default)]
pub struct Adjacency {
    ends: Vec<u32>,
    items: Vec<u32>,
}

impl Adjacency {
    /// From pairs of an owner below `owners` and an item. Keeps the order of each owner's items.
    pub fn of(owners: usize, pairs: &[(u32, u32)]) -> Self {
        let mut next = vec![0_u32; owners + 1];
        for (owner, _) in pairs {
            if let Some(count) = next.get_mut(*owner as usize + 1) {
                *count += 1;
            }
        }
        let mut sum = 0;
        for count in &mut next {
            sum += *count;
            *count = sum;
        }
        let mut items = vec![0_u32; sum as usize];
        for (owner, item) in pairs {
            if let Some(at) = next.get_mut(*owner as usize).filter(|_| (*owner as usize) < owners) {
                if let Some(place) = items.get_mut(*at as usize) {
                    *place = *item;
                }
                *at += 1;
            }
        }
        // Each entry has become the end of its list.
        next.truncate(owners);
        Self { ends: next, items }
    }

    pub fn get(&self, owner: u32) -> &[u32] {
        let at = owner as usize;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or_default();
        let end = self.ends.get(at).copied().unwrap_or(start);
        self.items.get(start as usize..end as usize).unwrap_or_default()
    }

    pub fn weight(&self) -> usize {
        (self.ends.capacity() + self.items.capacity()) * 4
    }
}

/// A set of numbers.
#[derive(Debug, Clone, Default)]
pub struct BitSet(Vec<u64>);

impl BitSet {
    pub fn of(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    pub fn insert(&mut self, number: u32) {
        if let Some(word) = self.0.get_mut(number as usize / 64) {
            *word |= 1 << (number % 64);
        }
    }

    pub fn contains(&self, number: u32) -> bool {
        self.0.get(number as usize / 64).is_some_and(|word| word & (1 << (number % 64)) != 0)
    }

    pub fn weight(&self) -> usize {
        u32_of(self.0.capacity()) as usize * 8
    }
}
