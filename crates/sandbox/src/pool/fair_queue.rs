//! Who runs next. One tool's hundred runs do not keep another's one waiting, and tools that used up their limits the last
//! time wait for those that did not.

use crate::weighed_cache::WeighedCache;
use tgp_base::turns::Turns;

/// How a tool's last run went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Conduct {
    /// It came to its end by itself.
    Orderly,
    /// It had to be stopped, or took its worker with it.
    Unruly,
}

/// Classes of tools, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Proven,
    Unknown,
    Unruly,
}

/// Every so many turns a class may go first, so that none waits for ever.
const TURN_OF_UNKNOWN: u64 = 4;
const TURN_OF_UNRULY: u64 = 8;
/// Tools whose conduct is remembered. Those that did not run for the longest time are strangers again.
const MAX_REMEMBERED: usize = 4096;

/// A queue by tool and class. Within a class the tools take turns; within a tool the first comes first.
pub struct FairQueue<T> {
    /// By class; the owners are the tools.
    lanes: [Turns<String, T>; 3],
    conduct: WeighedCache<String, Conduct>,
    turn: u64,
}

impl<T> Default for FairQueue<T> {
    fn default() -> Self {
        Self { lanes: Default::default(), conduct: WeighedCache::new(MAX_REMEMBERED), turn: 0 }
    }
}

impl<T> FairQueue<T> {
    pub fn len(&self) -> usize {
        self.lanes.iter().map(Turns::len).sum()
    }

    pub fn class_of(&self, tool: &str) -> Class {
        match self.conduct.peek(tool) {
            Some(Conduct::Orderly) => Class::Proven,
            Some(Conduct::Unruly) => Class::Unruly,
            None => Class::Unknown,
        }
    }

    /// Remembers how a run of `tool` went.
    pub fn note(&mut self, tool: &str, conduct: Conduct) {
        match self.conduct.get(tool) {
            Some(known) => *known = conduct,
            None => self.conduct.put(tool.to_owned(), conduct, 1),
        }
    }

    pub fn push(&mut self, tool: &str, item: T) {
        let class = self.class_of(tool);
        self.lane(class).push(tool.to_owned(), item);
    }

    /// Puts an item back before the others of its tool.
    pub fn push_front(&mut self, tool: &str, item: T) {
        let class = self.class_of(tool);
        self.lane(class).push_front(tool.to_owned(), item);
    }

    /// The next item. Unruly tools are passed over when `unruly` says that they have enough.
    pub fn pop(&mut self, unruly: UnrulyShare) -> Option<T> {
        self.turn = self.turn.wrapping_add(1);
        let order = if self.turn.is_multiple_of(TURN_OF_UNRULY) {
            [Class::Unruly, Class::Unknown, Class::Proven]
        } else if self.turn.is_multiple_of(TURN_OF_UNKNOWN) {
            [Class::Unknown, Class::Proven, Class::Unruly]
        } else {
            [Class::Proven, Class::Unknown, Class::Unruly]
        };
        order
            .into_iter()
            .filter(|class| *class != Class::Unruly || unruly == UnrulyShare::Open)
            .find_map(|class| self.lane(class).next(|_| true))
    }

    /// Takes the first item that `wanted` accepts.
    pub fn remove(&mut self, wanted: impl Fn(&T) -> bool) -> Option<T> {
        self.lanes.iter_mut().find_map(|lane| lane.remove(&wanted))
    }

    /// Takes everything.
    pub fn drain(&mut self) -> Vec<T> {
        self.lanes.iter_mut().flat_map(Turns::drain).collect()
    }

    fn lane(&mut self, class: Class) -> &mut Turns<String, T> {
        let [proven, unknown, unruly] = &mut self.lanes;
        match class {
            Class::Proven => proven,
            Class::Unknown => unknown,
            Class::Unruly => unruly,
        }
    }
}

/// Whether tools that misbehaved may have one more worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnrulyShare {
    Open,
    Full,
}

#[cfg(test)]
mod tests {
    use super::{Class, Conduct, FairQueue, UnrulyShare};

    #[test]
    fn tools_take_turns_whatever_their_number_of_runs() {
        let mut queue = FairQueue::default();
        for run in 0..100 {
            queue.push("busy", ("busy", run));
        }
        queue.push("quiet", ("quiet", 0));
        let first: Vec<_> = (0..3).filter_map(|_| queue.pop(UnrulyShare::Open)).collect();
        assert_eq!(first, [("busy", 0), ("quiet", 0), ("busy", 1)]);
        assert_eq!(queue.len(), 98);
    }

    #[test]
    fn unruly_tools_wait_for_the_others_and_still_get_their_turn() {
        let mut queue = FairQueue::default();
        queue.note("bomb", Conduct::Unruly);
        queue.note("good", Conduct::Orderly);
        for run in 0..8 {
            queue.push("bomb", ("bomb", run));
        }
        for run in 0..8 {
            queue.push("good", ("good", run));
        }
        let order: Vec<_> = (0..16).filter_map(|_| queue.pop(UnrulyShare::Open)).map(|(tool, _)| tool).collect();
        assert!(order[..7].iter().all(|tool| *tool == "good"), "{order:?}");
        assert_eq!(order[7], "bomb", "nobody waits for ever");
        assert_eq!(queue.len(), 0);
        queue.push("bomb", ("bomb", 0));
        assert_eq!(queue.pop(UnrulyShare::Full), None, "their share of workers is used up");
        queue.note("bomb", Conduct::Orderly);
        assert_eq!(queue.class_of("bomb"), Class::Proven, "good conduct is believed at once");
        assert_eq!(queue.remove(|(tool, _)| *tool == "bomb"), Some(("bomb", 0)));
        assert!(queue.drain().is_empty());
    }
}
