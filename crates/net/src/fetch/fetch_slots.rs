//! Who may have a request under way. Each root of runs has slots of its own and room for large bodies of its own, and where
//! all slots are taken the roots take turns: one run's slow requests do not keep another's waiting.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tgp_base::ids::RunId;
use tgp_base::round_robin_queue::RoundRobinQueue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Requests under way at one time; others wait, within their own time.
const MAX_AT_ONCE: usize = 128;
/// Those of one root and the runs below it.
const MAX_PER_ROOT: usize = 16;
/// Bodies up to this size are read as they come.
const SMALL_BODY: usize = 256 << 10;
/// What the larger ones of a root may take together; one is always read.
const LARGE_BODIES: usize = 32 << 20;

#[derive(Default)]
pub struct FetchSlots(Mutex<State>);

#[derive(Default)]
struct State {
    /// Only roots that have a request under way.
    roots: HashMap<RunId, Share>,
    taken: usize,
    waiting: RoundRobinQueue<RunId, oneshot::Sender<Slot>>,
}

/// What a root has of the slots.
struct Share {
    taken: usize,
    /// One permit for every byte.
    large_bodies: Arc<Semaphore>,
}

/// A request that may be sent. Dropping it makes room for the next one.
pub struct Slot {
    slots: Arc<FetchSlots>,
    root: RunId,
    large_bodies: Arc<Semaphore>,
    held: Option<OwnedSemaphorePermit>,
}

impl FetchSlots {
    /// Waits for the turn of `root`.
    pub async fn take(self: &Arc<Self>, root: RunId) -> Slot {
        loop {
            let (sender, receiver) = oneshot::channel();
            self.0.lock().waiting.push(root, sender);
            self.hand_out();
            if let Ok(slot) = receiver.await {
                return slot;
            }
        }
    }

    /// Gives free slots to whoever waits for one.
    fn hand_out(self: &Arc<Self>) {
        loop {
            let next = self.0.lock().next();
            let Some((sender, root, large_bodies)) = next else { return };
            let slot = Slot { slots: Arc::clone(self), root, large_bodies, held: None };
            // Whoever does not wait any more drops it, which hands it on.
            let _unwanted = sender.send(slot);
        }
    }
}

impl State {
    /// Takes a slot for the next root in turn that may have one more.
    fn next(&mut self) -> Option<(oneshot::Sender<Slot>, RunId, Arc<Semaphore>)> {
        if self.taken >= MAX_AT_ONCE {
            return None;
        }
        let may = |root: &RunId| self.roots.get(root).is_none_or(|share| share.taken < MAX_PER_ROOT);
        let (root, sender) = loop {
            let root = *self.waiting.owners().find(|root| may(root))?;
            let sender = self.waiting.next(|owner| *owner == root)?;
            if !sender.is_closed() {
                break (root, sender);
            }
        };
        let large_bodies = || Arc::new(Semaphore::new(LARGE_BODIES));
        let share = self.roots.entry(root).or_insert_with(|| Share { taken: 0, large_bodies: large_bodies() });
        share.taken += 1;
        self.taken += 1;
        Some((sender, root, Arc::clone(&share.large_bodies)))
    }
}

impl Slot {
    /// Waits for room to hold a body of `bytes`, of which at most `limit` are read. The slot keeps the room.
    pub async fn make_room(&mut self, bytes: usize, limit: usize) {
        if bytes <= SMALL_BODY || self.held.is_some() {
            return;
        }
        let wanted = u32::try_from(limit.min(LARGE_BODIES)).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        self.held = Arc::clone(&self.large_bodies).acquire_many_owned(wanted).await.ok();
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        {
            let mut state = self.slots.0.lock();
            state.taken = state.taken.saturating_sub(1);
            let left = state.roots.get_mut(&self.root).map(|share| {
                share.taken = share.taken.saturating_sub(1);
                share.taken
            });
            if left == Some(0) {
                state.roots.remove(&self.root);
            }
        }
        self.slots.hand_out();
    }
}

#[cfg(test)]
mod tests {
    use super::{FetchSlots, LARGE_BODIES, MAX_AT_ONCE, MAX_PER_ROOT, SMALL_BODY, Slot};
    use std::future::Future;
    use std::pin::pin;
    use std::sync::Arc;
    use std::task::{Context, Poll, Waker};
    use tgp_base::ids::RunId;

    /// What a future gives without waiting.
    fn now<T>(future: impl Future<Output = T>) -> Option<T> {
        match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(value) => Some(value),
            Poll::Pending => None,
        }
    }

    fn fill(slots: &Arc<FetchSlots>, root: u64) -> Vec<Slot> {
        std::iter::from_fn(|| now(slots.take(RunId(root)))).collect()
    }

    #[test]
    fn a_root_that_has_all_its_slots_leaves_others_theirs() {
        let slots = Arc::<FetchSlots>::default();
        let first = fill(&slots, 1);
        assert_eq!(first.len(), MAX_PER_ROOT);
        assert_eq!(fill(&slots, 2).len(), MAX_PER_ROOT);
        drop(first);
        assert_eq!(fill(&slots, 1).len(), MAX_PER_ROOT);
        assert!(slots.0.lock().roots.is_empty(), "nothing is kept of roots that are over");
    }

    #[test]
    fn roots_take_turns_where_all_slots_are_taken_and_who_gave_up_is_passed_over() {
        let slots = Arc::<FetchSlots>::default();
        let mut taken: Vec<Vec<Slot>> =
            (0..).map(|root| fill(&slots, root)).take_while(|taken| !taken.is_empty()).collect();
        assert_eq!(taken.iter().map(Vec::len).sum::<usize>(), MAX_AT_ONCE);
        let mut busy: Vec<_> = (0..3).map(|_| Box::pin(slots.take(RunId(1000)))).collect();
        let mut quiet = Box::pin(slots.take(RunId(1001)));
        let mut context = Context::from_waker(Waker::noop());
        assert!(busy.iter_mut().all(|wait| wait.as_mut().poll(&mut context).is_pending()));
        assert!(quiet.as_mut().poll(&mut context).is_pending());
        drop(busy.remove(0));
        taken[0].truncate(MAX_PER_ROOT - 2);
        let ready = |wait: Poll<Slot>| wait.is_ready();
        assert!(ready(quiet.as_mut().poll(&mut context)), "the second free slot is the other root's");
    }

    #[test]
    fn large_bodies_of_a_root_wait_for_each_other_and_small_ones_for_nobody() {
        let slots = Arc::<FetchSlots>::default();
        let mut own = fill(&slots, 1);
        let mut other = fill(&slots, 2);
        let limit = LARGE_BODIES / 2;
        for slot in &mut own[..2] {
            assert!(now(slot.make_room(SMALL_BODY + 1, limit)).is_some());
            assert!(now(slot.make_room(limit, limit)).is_some(), "it has its room");
        }
        assert!(now(own[2].make_room(SMALL_BODY + 1, limit)).is_none());
        assert!(now(own[3].make_room(SMALL_BODY, limit)).is_some());
        assert!(now(other[0].make_room(limit, usize::MAX)).is_some(), "one is always read");
        own.remove(0);
        assert!(now(own[1].make_room(SMALL_BODY + 1, limit)).is_some());
    }
}
