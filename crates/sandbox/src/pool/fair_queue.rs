//! A fair queue of runs: round-robin over owners and their tools, with priorities by the outcome of each tool's last run.

use super::owner_queue::OwnerQueue;
use crate::weighed_cache::WeighedCache;
use std::collections::HashMap;
use std::sync::Arc;

/// The outcome of a tool's last run, for priorities.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LastRun {
    /// It ended by itself.
    Ended,
    /// It was stopped at a limit, or crashed its worker.
    Stopped,
}

/// Priority classes of tools, highest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PriorityClass {
    Proven,
    Unknown,
    Unruly,
}

/// Every how many turns a lower class goes first, so that it never starves.
const TURN_OF_UNKNOWN: u64 = 4;
const TURN_OF_UNRULY: u64 = 8;
/// Most tools whose last run is stored; the least recently run are dropped and become `Unknown`.
const MAX_REMEMBERED: usize = 4096;

/// A queue by class, owner and tool: round-robin over the owners of a class and the tools of an owner, first in first out within
/// a tool.
pub struct FairQueue<T> {
    /// By class.
    lanes: [OwnerQueue<T>; 3],
    /// Number of queued items by owner; owners without items are not in it.
    waiting: HashMap<Arc<str>, usize>,
    last_run: WeighedCache<String, LastRun>,
    turn: u64,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self {
            lanes: Default::default(),
            waiting: HashMap::new(),
            last_run: WeighedCache::new(MAX_REMEMBERED),
            turn: 0,
        }
    }
}

impl<T> FairQueue<T> {
    pub fn len(&self) -> usize {
        self.waiting.values().sum()
    }

    pub fn class_of(&self, tool: &str) -> PriorityClass {
        match self.last_run.peek(tool) {
            Some(LastRun::Ended) => PriorityClass::Proven,
            Some(LastRun::Stopped) => PriorityClass::Unruly,
            None => PriorityClass::Unknown,
        }
    }

    /// Records the outcome of a run of `tool`.
    pub fn note(&mut self, tool: &str, last_run: LastRun) {
        match self.last_run.get(tool) {
            Some(known) => *known = last_run,
            None => self.last_run.put(tool.to_owned(), last_run, 1),
        }
    }

    pub fn push(&mut self, owner: &Arc<str>, tool: &str, item: T) {
        *self.waiting.entry(Arc::clone(owner)).or_default() += 1;
        let class = self.class_of(tool);
        self.lane(class).push(owner, tool, item);
    }

    /// Adds an item before the others of its tool.
    pub fn push_front(&mut self, owner: &Arc<str>, tool: &str, item: T) {
        *self.waiting.entry(Arc::clone(owner)).or_default() += 1;
        let class = self.class_of(tool);
        self.lane(class).push_front(owner, tool, item);
    }

    /// The next item. Unruly tools are skipped while their share is full.
    pub fn pop(&mut self, unruly: UnrulyShare) -> Option<T> {
        self.turn = self.turn.wrapping_add(1);
        let order = if self.turn.is_multiple_of(TURN_OF_UNRULY) {
            [PriorityClass::Unruly, PriorityClass::Unknown, PriorityClass::Proven]
        } else if self.turn.is_multiple_of(TURN_OF_UNKNOWN) {
            [PriorityClass::Unknown, PriorityClass::Proven, PriorityClass::Unruly]
        } else {
            [PriorityClass::Proven, PriorityClass::Unknown, PriorityClass::Unruly]
        };
        let (owner, item) = order
            .into_iter()
            .filter(|class| *class != PriorityClass::Unruly || unruly == UnrulyShare::Open)
            .find_map(|class| self.lane(class).next())?;
        self.forget(&owner);
        Some(item)
    }

    /// Removes a late item of the owner with the most items, to make room for one of `owner`; `None` if `owner` has as many.
    pub fn make_room(&mut self, owner: &str) -> Option<T> {
        let own = self.waiting.get(owner).copied().unwrap_or_default();
        let (greatest, count) = self.waiting.iter().max_by_key(|(_, count)| **count)?;
        if *count <= own + 1 {
            return None;
        }
        let greatest = Arc::clone(greatest);
        let item = self.lanes.iter_mut().rev().find_map(|lane| lane.take_last(&greatest))?;
        self.forget(&greatest);
        Some(item)
    }

    /// Removes the first item that `wanted` accepts.
    pub fn remove(&mut self, wanted: impl Fn(&T) -> bool) -> Option<T> {
        let (owner, item) = self.lanes.iter_mut().find_map(|lane| lane.remove(&wanted))?;
        self.forget(&owner);
        Some(item)
    }

    /// Removes all items.
    pub fn drain(&mut self) -> Vec<T> {
        self.waiting.clear();
        self.lanes.iter_mut().flat_map(OwnerQueue::drain).collect()
    }

    fn forget(&mut self, owner: &Arc<str>) {
        if let Some(count) = self.waiting.get_mut(owner) {
            *count -= 1;
            if *count == 0 {
                self.waiting.remove(owner);
            }
        }
    }

    fn lane(&mut self, class: PriorityClass) -> &mut OwnerQueue<T> {
        let [proven, unknown, unruly] = &mut self.lanes;
        match class {
            PriorityClass::Proven => proven,
            PriorityClass::Unknown => unknown,
            PriorityClass::Unruly => unruly,
        }
    }
}

/// Whether unruly tools may use one more worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnrulyShare {
    Open,
    Full,
}

#[cfg(test)]
mod tests {
    use super::{FairQueue, LastRun, PriorityClass, UnrulyShare};
    use std::sync::Arc;

    fn owner(name: &str) -> Arc<str> {
        name.into()
    }

    #[test]
    fn tools_take_turns_regardless_of_their_number_of_runs() {
        let mut queue = FairQueue::default();
        for run in 0..100 {
            queue.push(&owner("one"), "busy", ("busy", run));
        }
        queue.push(&owner("one"), "quiet", ("quiet", 0));
        let first: Vec<_> = (0..3).filter_map(|_| queue.pop(UnrulyShare::Open)).collect();
        assert_eq!(first, [("busy", 0), ("quiet", 0), ("busy", 1)]);
        assert_eq!(queue.len(), 98);
    }

    #[test]
    fn unruly_tools_come_after_others_but_do_not_starve() {
        let mut queue = FairQueue::default();
        queue.note("bomb", LastRun::Stopped);
        queue.note("good", LastRun::Ended);
        for run in 0..8 {
            queue.push(&owner("one"), "bomb", ("bomb", run));
        }
        for run in 0..8 {
            queue.push(&owner("one"), "good", ("good", run));
        }
        let order: Vec<_> = (0..16).filter_map(|_| queue.pop(UnrulyShare::Open)).map(|(tool, _)| tool).collect();
        assert!(order[..7].iter().all(|tool| *tool == "good"), "{order:?}");
        assert_eq!(order[7], "bomb", "no class starves");
        assert_eq!(queue.len(), 0);
        queue.push(&owner("one"), "bomb", ("bomb", 0));
        assert_eq!(queue.pop(UnrulyShare::Full), None, "their share of workers is used up");
        queue.note("bomb", LastRun::Ended);
        assert_eq!(queue.class_of("bomb"), PriorityClass::Proven, "one orderly run is enough");
        assert_eq!(queue.remove(|(tool, _)| *tool == "bomb"), Some(("bomb", 0)));
        assert!(queue.drain().is_empty());
    }

    #[test]
    fn owners_take_turns_regardless_of_their_number_of_runs_and_tools() {
        let mut queue = FairQueue::default();
        for run in 0..4 {
            queue.push(&owner("busy"), &format!("tool {run}"), ("busy", run));
        }
        queue.push(&owner("quiet"), "tool 0", ("quiet", 0));
        let first: Vec<_> = (0..3).filter_map(|_| queue.pop(UnrulyShare::Open)).collect();
        assert_eq!(first, [("busy", 0), ("quiet", 0), ("busy", 1)]);
    }

    #[test]
    fn make_room_removes_items_of_the_owner_with_most() {
        let mut queue = FairQueue::default();
        for run in 0..4 {
            queue.push(&owner("busy"), "tool", ("busy", run));
        }
        assert_eq!(queue.make_room("busy"), None, "only its own items are queued");
        for run in 0..2 {
            assert_eq!(queue.make_room("quiet"), Some(("busy", 3 - run)), "the last to come");
            queue.push(&owner("quiet"), "tool", ("quiet", run));
        }
        assert_eq!((queue.make_room("quiet"), queue.len()), (None, 4), "both have as many");
        assert!(queue.make_room("other").is_some(), "of either of the two");
        assert_eq!(queue.drain().len(), 3);
        assert_eq!((queue.make_room("other"), queue.len()), (None, 0));
    }
}
