//! A set of deadlines by key, ordered by time.

use std::collections::{BTreeSet, HashMap};
use std::hash::Hash;
use std::time::Instant;

/// At most one deadline for each key.
#[derive(Debug)]
pub struct Deadlines<K> {
    ordered: BTreeSet<(Instant, K)>,
    by_key: HashMap<K, Instant>,
}

impl<K> Default for Deadlines<K> {
    fn default() -> Self {
        Self { ordered: BTreeSet::new(), by_key: HashMap::new() }
    }
}

impl<K: Copy + Ord + Hash> Deadlines<K> {
    /// Replaces the deadline of `key`. `None`, an overflow of the clock, means no deadline.
    pub fn set(&mut self, key: K, deadline: Option<Instant>) {
        self.clear(key);
        if let Some(deadline) = deadline {
            self.ordered.insert((deadline, key));
            self.by_key.insert(key, deadline);
        }
    }

    pub fn clear(&mut self, key: K) {
        if let Some(deadline) = self.by_key.remove(&key) {
            self.ordered.remove(&(deadline, key));
        }
    }

    pub fn earliest(&self) -> Option<Instant> {
        self.ordered.first().map(|(deadline, _)| *deadline)
    }

    /// Removes the next key whose deadline is due at `now`.
    pub fn take_due(&mut self, now: Instant) -> Option<K> {
        let (_, key) = self.ordered.first().copied().filter(|(deadline, _)| *deadline <= now)?;
        self.clear(key);
        Some(key)
    }
}

#[cfg(test)]
mod tests {
    use super::Deadlines;
    use std::time::{Duration, Instant};

    #[test]
    fn due_keys_come_in_order_without_cleared_ones() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut deadlines = Deadlines::default();
        assert_eq!((deadlines.earliest(), deadlines.take_due(at(99))), (None, None));
        for (key, seconds) in [('a', 5), ('b', 3), ('c', 4), ('d', 1)] {
            deadlines.set(key, Some(at(seconds)));
        }
        deadlines.set('b', Some(at(9)));
        deadlines.set('c', None);
        deadlines.clear('d');
        assert_eq!(deadlines.earliest(), Some(at(5)));
        assert_eq!(deadlines.take_due(at(4)), None);
        assert_eq!(deadlines.take_due(at(9)), Some('a'));
        assert_eq!(deadlines.take_due(at(9)), Some('b'));
        assert_eq!((deadlines.earliest(), deadlines.take_due(at(9))), (None, None));
    }
}
