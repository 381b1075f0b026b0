//! A queue with round-robin over callers, and over the tools of each caller.

use std::collections::VecDeque;
use std::sync::Arc;
use tgp_base::round_robin_queue::RoundRobinQueue;

/// A queue by caller and tool. Callers without items are not in it.
pub struct CallerQueue<T> {
    /// In round-robin order.
    lanes: VecDeque<(Arc<str>, RoundRobinQueue<String, T>)>,
}

impl<T> Default for CallerQueue<T> {
    fn default() -> Self {
        Self { lanes: VecDeque::new() }
    }
}

impl<T> CallerQueue<T> {
    /// Adds an item after the others of its tool.
    pub fn push(&mut self, caller: &Arc<str>, tool: &str, item: T) {
        match self.place(caller) {
            Some((_, tools)) => tools.push(tool.to_owned(), item),
            None => self.lanes.push_back((Arc::clone(caller), one(tool, item))),
        }
    }

    /// Adds an item before the others of its tool; a caller without other items is next.
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

    /// Removes the first item that `wanted` accepts.
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

    /// Removes the last item of the caller's tool with the most items.
    pub fn take_last(&mut self, caller: &Arc<str>) -> Option<T> {
        let (_, tools) = self.place(caller)?;
        let item = tools.take_last();
        self.lanes.retain(|(_, tools)| !tools.is_empty());
        item
    }

    /// Removes all items.
    pub fn drain(&mut self) -> Vec<T> {
        std::mem::take(&mut self.lanes).into_iter().flat_map(|(_, mut tools)| tools.drain()).collect()
    }

    fn place(&mut self, caller: &Arc<str>) -> Option<&mut (Arc<str>, RoundRobinQueue<String, T>)> {
        self.lanes.iter_mut().find(|(other, _)| other == caller)
    }
}

/// The tools of a caller with one item.
fn one<T>(tool: &str, item: T) -> RoundRobinQueue<String, T> {
    let mut tools = RoundRobinQueue::default();
    tools.push(tool.to_owned(), item);
    tools
}
