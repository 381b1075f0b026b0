//! A size-bounded FIFO cache of unpacked objects, for resolving deltas.

use std::collections::{HashMap, VecDeque};
use std::hash::Hash;
use std::rc::Rc;

pub(crate) struct Cache<K, V> {
    most: usize,
    bytes: usize,
    objects: HashMap<K, (Rc<V>, usize)>,
    order: VecDeque<K>,
}

impl<K: Copy + Eq + Hash, V> Cache<K, V> {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, bytes: 0, objects: HashMap::new(), order: VecDeque::new() }
    }

    pub(crate) fn get(&self, key: K) -> Option<Rc<V>> {
        self.objects.get(&key).map(|(object, _)| Rc::clone(object))
    }

    /// Adds an object of `size` bytes and evicts the oldest ones.
    pub(crate) fn put(&mut self, key: K, object: &Rc<V>, size: usize) {
        if size > self.most || self.objects.contains_key(&key) {
            return;
        }
        while self.bytes + size > self.most
            && let Some(oldest) = self.order.pop_front()
        {
            self.bytes -= self.objects.remove(&oldest).map_or(0, |(_, size)| size);
        }
        self.objects.insert(key, (Rc::clone(object), size));
        self.order.push_back(key);
        self.bytes += size;
    }
}

#[cfg(test)]
mod tests {
    use super::Cache;
    use std::rc::Rc;

    #[test]
    fn the_oldest_objects_are_evicted() {
        let mut cache = Cache::new(10);
        for key in 0..4 {
            cache.put(key, &Rc::new(key), 4);
            cache.put(key, &Rc::new(99), 4);
        }
        cache.put(9, &Rc::new(9), 11);
        let cached: Vec<_> = (0..10).filter_map(|key| cache.get(key).map(|object| *object)).collect();
        assert_eq!((cached, cache.bytes), (vec![2, 3], 8));
    }
}
