//! Runs that wait, by caller and tool: the callers take turns, and for each of them its tools.

use std::collections::VecDeque;
use std::sync::Arc;
use tgp_base::round_robin_queue::RoundRobinQueue;

/// A queue by caller and tool. A caller without anything that waits has no place in it.
pub struct CallerTurns<T> {
    /// In the order of turns.
    lanes: VecDeque<(Arc<str>, RoundRobinQueue<String, T>)>,
}

impl<T> Default for CallerTurns<T> {
    fn default() -> Self {
        Self { lanes: VecDeque::new() }
    }
}

impl<T> CallerTurns<T> {
    /// Adds an item behind the others of its tool.
    pub fn push(&mut self, caller: &Arc<str>, tool: &str, item: T) {
        match self.place(caller) {
            Some((_, tools)) => tools.push(tool.to_owned(), item),
            None => self.lanes.push_back((Arc::clone(caller), one(tool, item))),
        }
    }

    /// Adds an item before the others of its tool; a caller that waits for nothing else has the next turn.
    pub fn push_front(&mut self, caller: &Arc<str>, tool: &str, item: T) {
        match self.place(caller) {
            Some((_, tools)) => tools.push_front(tool.to_owned(), item),
            None => self.lanes.push_front((Arc::clone(caller), one(tool, item))),
        }
    }

    /// The next item, with its caller.
    pub fn next(&mut self) -> Option<(Arc<str>, T)> {
        let (caller, mut tools) = self.lanes.pop_front()?;
        let item = tools.next(|_| true)?;
        if !tools.is_empty() {
            self.lanes.push_back((Arc::clone(&caller), tools));
        }
        Some((caller, item))
    }

    /// Takes the first item that `wanted` accepts.
    pub fn remove(&mut self, wanted: impl Fn(&T) -> bool) -> Option<(Arc<str>, T)> {
        let mut found = None;
        for (caller, tools) in &mut self.lanes {
            if let Some(item) = tools.remove(&wanted) {
                found = Some((Arc::clone(caller), item));
                break;
            }
        }
        self.lanes.retain(|(_, tools)| !tools.is_empty());
        found
    }

    /// Takes the last item of the tool of which the caller has most.
    pub fn take_last(&mut self, caller: &Arc<str>) -> Option<T> {
        let (_, tools) = self.place(caller)?;
        let item = tools.take_last();
        self.lanes.retain(|(_, tools)| !tools.is_empty());
        item
    }

    /// Takes everything.
    pub fn drain(&mut self) -> Vec<T> {
        std::mem::take(&mut self.lanes).into_iter().flat_map(|(_, mut tools)| tools.drain()).collect()
    }

    fn place(&mut self, caller: &Arc<str>) -> Option<&mut (Arc<str>, RoundRobinQueue<String, T>)> {
        self.lanes.iter_mut().find(|(other, _)| other == caller)
    }
}

/// The tools of a caller of which one waits.
fn one<T>(tool: &str, item: T) -> RoundRobinQueue<String, T> {
    let mut tools = RoundRobinQueue::default();
    tools.push(tool.to_owned(), item);
    tools
}
