//! Things that wait, by whom they belong to: the owners take turns, so that one's hundred do not keep another's one
//! waiting.

use std::collections::VecDeque;

/// A queue by owner. An owner without anything that waits has no place in it.
#[derive(Debug)]
pub struct Turns<K, T> {
    /// In the order of turns.
    lanes: VecDeque<(K, VecDeque<T>)>,
    length: usize,
}

impl<K, T> Default for Turns<K, T> {
    fn default() -> Self {
        Self { lanes: VecDeque::new(), length: 0 }
    }
}

impl<K: PartialEq, T> Turns<K, T> {
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    /// The owners of what waits, the next first.
    pub fn owners(&self) -> impl Iterator<Item = &K> {
        self.lanes.iter().map(|(owner, _)| owner)
    }

    /// Adds an item behind the others of its owner.
    pub fn push(&mut self, owner: K, item: T) {
        self.insert(owner, item, |_| false);
    }

    /// Adds an item before the others of its owner; an owner that waits for nothing else has the next turn.
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

    /// The first item of the next owner that `may` accepts; that owner has had its turn.
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

    /// Takes the first item that `wanted` accepts.
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

    /// Takes the last item of the owner that has most.
    pub fn take_last(&mut self) -> Option<T> {
        let (place, (_, items)) = self.lanes.iter_mut().enumerate().max_by_key(|(_, (_, items))| items.len())?;
        let item = items.pop_back()?;
        if items.is_empty() {
            self.lanes.remove(place);
        }
        self.length -= 1;
        Some(item)
    }

    /// Takes everything.
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
    use super::Turns;

    fn all(turns: &mut Turns<char, u32>) -> Vec<u32> {
        std::iter::from_fn(|| turns.next(|_| true)).collect()
    }

    #[test]
    fn owners_take_turns_and_each_ones_first_comes_first() {
        let mut turns = Turns::default();
        for item in 0..4 {
            turns.push('a', item);
        }
        turns.push('b', 10);
        turns.push('b', 11);
        assert_eq!(turns.len(), 6);
        assert_eq!(all(&mut turns), [0, 10, 1, 11, 2, 3]);
        assert!(turns.is_empty());
    }

    #[test]
    fn an_owner_that_may_not_is_passed_over_and_keeps_its_place() {
        let mut turns = Turns::default();
        turns.push('a', 1);
        turns.push('b', 2);
        assert_eq!(turns.next(|owner| *owner == 'b'), Some(2));
        assert_eq!(turns.next(|owner| *owner == 'b'), None);
        assert_eq!(turns.owners().collect::<Vec<_>>(), [&'a']);
        assert_eq!(all(&mut turns), [1]);
    }

    #[test]
    fn items_are_put_where_they_belong_and_taken_out_again() {
        let mut turns = Turns::default();
        for item in [5, 3, 4] {
            turns.insert('a', item, |other| *other < item);
        }
        turns.push_front('a', 9);
        turns.push_front('b', 7);
        assert_eq!(turns.remove(|item| *item == 4), Some(4));
        assert_eq!(turns.remove(|item| *item == 4), None);
        assert_eq!(turns.take_last(), Some(3), "the last of the owner that has most");
        assert_eq!((all(&mut turns), turns.take_last()), (vec![7, 9, 5], None));
        turns.push('a', 1);
        assert_eq!((turns.drain(), turns.len()), (vec![1], 0));
    }
}
