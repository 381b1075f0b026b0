//! A fair queue: round-robin over owners, so that an owner with many items does not delay the others.

use std::collections::VecDeque;

/// A queue with one lane per owner. An owner without items has no lane.
#[derive(Debug)]
pub struct RoundRobinQueue<K, T> {
    /// The first lane is next.
    lanes: VecDeque<(K, VecDeque<T>)>,
    length: usize,
}

impl<K, T> Default for RoundRobinQueue<K, T> {
    fn default() -> Self {
        Self { lanes: VecDeque::new(), length: 0 }
    }
}

impl<K: PartialEq, T> RoundRobinQueue<K, T> {
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The owners of queued items, the next one first.
    pub fn owners(&self) -> impl Iterator<Item = &K> {
        self.lanes.iter().map(|(owner, _)| owner)
    }

    /// Adds an item behind the others of its owner.
    pub fn push(&mut self, owner: K, item: T) {
        self.insert(owner, item, |_| false);
    }

    /// Adds an item before the others of its owner. An owner without other items becomes the next.
    pub fn push_front(&mut self, owner: K, item: T) {
        self.length += 1;
        match self.lane(&owner) {
            Some(items) => items.push_front(item),
            None => self.lanes.push_front((owner, VecDeque::from([item]))),
        }
    }

    /// Adds an item before the first of its owner's that `comes_later` accepts.
    pub fn insert(&mut self, owner: K, item: T, comes_later: impl Fn(&T) -> bool) {
        self.length += 1;
        match self.lane(&owner) {
            Some(items) => {
                let place = items.iter().position(comes_later).unwrap_or(items.len());
                items.insert(place, item);
            }
            None => self.lanes.push_back((owner, VecDeque::from([item]))),
        }
    }

    /// Removes the first item of the next owner that `may` accepts, and moves that owner to the end.
    pub fn next(&mut self, may: impl Fn(&K) -> bool) -> Option<T> {
        let place = self.lanes.iter().position(|(owner, _)| may(owner))?;
        let (owner, mut items) = self.lanes.remove(place)?;
        let item = items.pop_front()?;
        if !items.is_empty() {
            self.lanes.push_back((owner, items));
        }
        self.length -= 1;
        Some(item)
    }

    /// Removes the first item that `wanted` accepts.
    pub fn remove(&mut self, wanted: impl Fn(&T) -> bool) -> Option<T> {
        let (lane, place) = self
            .lanes
            .iter()
            .enumerate()
            .find_map(|(lane, (_, items))| Some((lane, items.iter().position(&wanted)?)))?;
        let (_, items) = self.lanes.get_mut(lane)?;
        let item = items.remove(place)?;
        if items.is_empty() {
            self.lanes.remove(lane);
        }
        self.length -= 1;
        Some(item)
    }

    /// Removes the last item of the owner with the most items.
    pub fn take_last(&mut self) -> Option<T> {
        let (place, (_, items)) = self.lanes.iter_mut().enumerate().max_by_key(|(_, (_, items))| items.len())?;
        let item = items.pop_back()?;
        if items.is_empty() {
            self.lanes.remove(place);
        }
        self.length -= 1;
        Some(item)
    }

    /// Removes all items.
    pub fn drain(&mut self) -> Vec<T> {
        self.length = 0;
        std::mem::take(&mut self.lanes).into_iter().flat_map(|(_, items)| items).collect()
    }

    fn lane(&mut self, owner: &K) -> Option<&mut VecDeque<T>> {
        self.lanes.iter_mut().find(|(other, _)| other == owner).map(|(_, items)| items)
    }
}

#[cfg(test)]
mod tests {
    use super::RoundRobinQueue;

    fn all(queue: &mut RoundRobinQueue<char, u32>) -> Vec<u32> {
        std::iter::from_fn(|| queue.next(|_| true)).collect()
    }

    #[test]
    fn next_alternates_between_owners_first_in_first_out() {
        let mut queue = RoundRobinQueue::default();
        for item in 0..4 {
            queue.push('a', item);
        }
        queue.push('b', 10);
        queue.push('b', 11);
        assert_eq!(queue.len(), 6);
        assert_eq!(all(&mut queue), [0, 10, 1, 11, 2, 3]);
        assert!(queue.is_empty());
    }

    #[test]
    fn next_skips_owners_that_are_not_accepted() {
        let mut queue = RoundRobinQueue::default();
        queue.push('a', 1);
        queue.push('b', 2);
        assert_eq!(queue.next(|owner| *owner == 'b'), Some(2));
        assert_eq!(queue.next(|owner| *owner == 'b'), None);
        assert_eq!(queue.owners().collect::<Vec<_>>(), [&'a']);
        assert_eq!(all(&mut queue), [1]);
    }

    #[test]
    fn items_are_inserted_and_removed_in_any_place() {
        let mut queue = RoundRobinQueue::default();
        for item in [5, 3, 4] {
            queue.insert('a', item, |other| *other < item);
        }
        queue.push_front('a', 9);
        queue.push_front('b', 7);
        assert_eq!(queue.remove(|item| *item == 4), Some(4));
        assert_eq!(queue.remove(|item| *item == 4), None);
        assert_eq!(queue.take_last(), Some(3), "the last item of the owner with the most items");
        assert_eq!((all(&mut queue), queue.take_last()), (vec![7, 9, 5], None));
        queue.push('a', 1);
        assert_eq!((queue.drain(), queue.len()), (vec![1], 0));
    }
}
