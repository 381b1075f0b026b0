//! A queue with round-robin over owners, and over the tools of each owner.

use std::collections::VecDeque;
use std::sync::Arc;
use tgp_base::round_robin_queue::RoundRobinQueue;

/// A queue by owner and tool. Owners without items are not in it.
pub struct OwnerQueue<T> {
    /// In round-robin order.
    lanes: VecDeque<(Arc<str>, RoundRobinQueue<String, T>)>,
}

impl<T> Default for OwnerQueue<T> {
    fn default() -> Self {
        Self { lanes: VecDeque::new() }
    }
}

impl<T> OwnerQueue<T> {
    /// Adds an item after the others of its tool.
    pub fn push(&mut self, owner: &Arc<str>, tool: &str, item: T) {
        match self.place(owner) {
            Some((_, tools)) => tools.push(tool.to_owned(), item),
            None => self.lanes.push_back((Arc::clone(owner), one(tool, item))),
        }
    }

    /// Adds an item before the others of its tool; an owner without other items is next.
    pub fn push_front(&mut self, owner: &Arc<str>, tool: &str, item: T) {
        match self.place(owner) {
            Some((_, tools)) => tools.push_front(tool.to_owned(), item),
            None => self.lanes.push_front((Arc::clone(owner), one(tool, item))),
        }
    }

    /// The next item, with its owner.
    pub fn next(&mut self) -> Option<(Arc<str>, T)> {
        let (owner, mut tools) = self.lanes.pop_front()?;
        let item = tools.next(|_| true)?;
        if !tools.is_empty() {
            self.lanes.push_back((Arc::clone(&owner), tools));
        }
        Some((owner, item))
    }

    /// Removes the first item that `wanted` accepts.
    pub fn remove(&mut self, wanted: impl Fn(&T) -> bool) -> Option<(Arc<str>, T)> {
        let mut found = None;
        for (owner, tools) in &mut self.lanes {
            if let Some(item) = tools.remove(&wanted) {
                found = Some((Arc::clone(owner), item));
                break;
            }
        }
        self.lanes.retain(|(_, tools)| !tools.is_empty());
        found
    }

    /// Removes the last item of the owner's tool with the most items.
    pub fn take_last(&mut self, owner: &Arc<str>) -> Option<T> {
        let (_, tools) = self.place(owner)?;
        let item = tools.take_last();
        self.lanes.retain(|(_, tools)| !tools.is_empty());
        item
    }

    /// Removes all items.
    pub fn drain(&mut self) -> Vec<T> {
        std::mem::take(&mut self.lanes).into_iter().flat_map(|(_, mut tools)| tools.drain()).collect()
    }

    fn place(&mut self, owner: &Arc<str>) -> Option<&mut (Arc<str>, RoundRobinQueue<String, T>)> {
        self.lanes.iter_mut().find(|(other, _)| other == owner)
    }
}

/// The tools of an owner with one item.
fn one<T>(tool: &str, item: T) -> RoundRobinQueue<String, T> {
    let mut tools = RoundRobinQueue::default();
    tools.push(tool.to_owned(), item);
    tools
}
