//! An LRU cache bounded by total weight.

use lru::LruCache;
use std::borrow::Borrow;
use std::hash::Hash;

pub struct WeighedCache<K: Hash + Eq, V> {
    entries: LruCache<K, (V, usize)>,
    weight: usize,
    limit: usize,
}

impl<K: Hash + Eq, V> WeighedCache<K, V> {
    pub fn new(limit: usize) -> Self {
        Self { entries: LruCache::unbounded(), weight: 0, limit }
    }

    /// The value; marks it as recently used.
    pub fn get<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.entries.get_mut(key).map(|(value, _)| value)
    }

    /// The value, without marking it as used.
    pub fn peek<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.entries.peek(key).map(|(value, _)| value)
    }

    /// Inserts a value and evicts others for it. A value above the limit is not inserted.
    pub fn put(&mut self, key: K, value: V, weight: usize) {
        if weight > self.limit {
            return;
        }
        self.remove(&key);
        while self.weight + weight > self.limit && self.pop_oldest(|_| true).is_some() {}
        self.put_beyond(key, value, weight);
    }

    /// Inserts a value without evicting others, even beyond the limit.
    pub fn put_beyond(&mut self, key: K, value: V, weight: usize) {
        self.weight += weight;
        if let Some((_, (_, old))) = self.entries.push(key, (value, weight)) {
            self.weight -= old;
        }
    }

    /// Whether that much weight fits without eviction.
    pub fn has_room(&self, weight: usize) -> bool {
        self.weight + weight <= self.limit
    }

    /// Evicts the least recently used entry, if `may` accepts its key.
    pub fn pop_oldest(&mut self, may: impl FnOnce(&K) -> bool) -> Option<K> {
        let (oldest, _) = self.entries.peek_lru()?;
        if !may(oldest) {
            return None;
        }
        let (key, (_, weight)) = self.entries.pop_lru()?;
        self.weight -= weight;
        Some(key)
    }

    fn remove(&mut self, key: &K) {
        if let Some((_, weight)) = self.entries.pop(key) {
            self.weight -= weight;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WeighedCache;

    #[test]
    fn the_least_recently_used_entry_is_evicted() {
        let mut cache = WeighedCache::new(10);
        for key in ["a", "b", "c"] {
            cache.put(key, key.len(), 3);
        }
        assert!(cache.get("a").is_some() && cache.has_room(1) && !cache.has_room(2));
        cache.put("d", 1, 3);
        assert_eq!((cache.peek("a"), cache.peek("b"), cache.peek("d")), (Some(&1), None, Some(&1)));
        cache.put("huge", 1, 11);
        assert_eq!((cache.peek("huge"), cache.peek("d")), (None, Some(&1)), "it would leave no room for others");
        cache.put("d", 2, 1);
        assert!(cache.has_room(3) && cache.peek("d") == Some(&2), "it weighs what it weighs now");
    }

    #[test]
    fn put_beyond_exceeds_the_limit_without_eviction() {
        let mut cache = WeighedCache::new(10);
        cache.put("a", (), 5);
        cache.put_beyond("b", (), 50);
        assert_eq!(cache.pop_oldest(|key| *key != "a"), None);
        assert_eq!(cache.pop_oldest(|_| true), Some("a"));
        assert_eq!(cache.pop_oldest(|_| true), Some("b"));
        assert!(cache.has_room(10) && cache.pop_oldest(|_| true).is_none());
    }
}
