//! A thread-safe LRU cache with a maximum entry count.

use lru::LruCache;
use parking_lot::Mutex;
use std::borrow::Borrow;
use std::hash::Hash;
use std::num::NonZeroUsize;

pub struct BoundedCache<K: Hash + Eq, V>(Mutex<LruCache<K, V>>);

impl<K: Hash + Eq, V: Clone> BoundedCache<K, V> {
    /// A cache of at most `entries`; of one when that is 0.
    pub fn new(entries: usize) -> Self {
        Self(Mutex::new(LruCache::new(NonZeroUsize::new(entries).unwrap_or(NonZeroUsize::MIN))))
    }

    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
    {
        self.0.lock().get(key).cloned()
    }

    /// Stores a value and returns the one that it replaces.
    pub fn put(&self, key: K, value: V) -> Option<V> {
        self.0.lock().put(key, value)
    }

    pub fn remove<Q: Hash + Eq + ?Sized>(&self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.0.lock().pop(key);
    }

    /// The cached value, or the one that `make` returns, which is stored.
    pub fn get_or_insert_with(&self, key: K, make: impl FnOnce() -> V) -> V {
        self.0.lock().get_or_insert(key, make).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::BoundedCache;

    #[test]
    fn the_least_recently_used_entry_is_evicted_first() {
        let cache = BoundedCache::new(2);
        assert_eq!(cache.put("a", 1), None);
        cache.put("b", 2);
        assert_eq!(cache.get("a"), Some(1));
        cache.put("c", 3);
        assert_eq!((cache.get("a"), cache.get("b"), cache.get("c")), (Some(1), None, Some(3)));
        assert_eq!(cache.get_or_insert_with("a", || 9), 1);
        cache.remove("a");
        assert_eq!(cache.get_or_insert_with("a", || 9), 9);
        assert_eq!(BoundedCache::<u8, u8>::new(0).put(1, 1), None);
    }
}
