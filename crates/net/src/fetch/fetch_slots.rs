//! Fair limits for concurrent fetches. Each root run has its own slots and its own memory for large bodies. When all slots are
//! taken, root runs are served round-robin, so that slow requests of one run do not delay another.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tgp_base::ids::RunId;
use tgp_base::round_robin_queue::RoundRobinQueue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

/// Concurrent requests. Others wait; the wait counts towards their timeout.
const MAX_AT_ONCE: usize = 128;
/// Concurrent requests of one root run and its child runs.
const MAX_PER_ROOT: usize = 16;
/// Bodies up to this size need no reservation.
const SMALL_BODY: usize = 256 << 10;
/// Total reservation for larger bodies of one root run. One such body is always allowed.
const LARGE_BODIES: usize = 32 << 20;

#[derive(Default)]
pub struct FetchSlots(Mutex<SlotTable>);

#[derive(Default)]
struct SlotTable {
    /// Root runs with a running request.
    roots: HashMap<RunId, RootSlots>,
    taken: usize,
    waiting: RoundRobinQueue<RunId, oneshot::Sender<Slot>>,
}

/// The slots of one root run.
struct RootSlots {
    taken: usize,
    /// One permit per byte.
    large_bodies: Arc<Semaphore>,
}

/// The right to run one request. Dropping it frees the slot.
pub struct Slot {
    slots: Arc<FetchSlots>,
    root: RunId,
    large_bodies: Arc<Semaphore>,
    reserved: Option<OwnedSemaphorePermit>,
}

impl FetchSlots {
    /// Waits for a slot of `root`.
    pub async fn take(self: &Arc<Self>, root: RunId) -> Slot {
        loop {
            let (sender, receiver) = oneshot::channel();
            self.0.lock().waiting.push(root, sender);
            self.assign_free_slots();
            if let Ok(slot) = receiver.await {
                return slot;
            }
        }
    }

    /// Assigns free slots to waiting requests.
    fn assign_free_slots(self: &Arc<Self>) {
        loop {
            let next = self.0.lock().next();
            let Some((sender, root, large_bodies)) = next else { return };
            let slot = Slot { slots: Arc::clone(self), root, large_bodies, reserved: None };
            // If the request was aborted, the slot is dropped, which assigns it to the next one.
            let _unwanted = sender.send(slot);
        }
    }
}

impl SlotTable {
    /// Takes a slot for the next waiting root run below its limit.
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
        let share = self.roots.entry(root).or_insert_with(|| RootSlots { taken: 0, large_bodies: large_bodies() });
        share.taken += 1;
        self.taken += 1;
        Some((sender, root, Arc::clone(&share.large_bodies)))
    }
}

impl Slot {
    /// Reserves memory for a body of `bytes` bytes with the given size limit. The slot keeps the reservation.
    pub async fn reserve(&mut self, bytes: usize, limit: usize) {
        if bytes <= SMALL_BODY || self.reserved.is_some() {
            return;
        }
        let wanted = u32::try_from(limit.min(LARGE_BODIES)).unwrap_or(u32::MAX);
        // The semaphore is never closed.
        self.reserved = Arc::clone(&self.large_bodies).acquire_many_owned(wanted).await.ok();
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
        self.slots.assign_free_slots();
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

    /// Polls a future once.
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
    fn slots_of_one_root_do_not_limit_another() {
        let slots = Arc::<FetchSlots>::default();
        let first = fill(&slots, 1);
        assert_eq!(first.len(), MAX_PER_ROOT);
        assert_eq!(fill(&slots, 2).len(), MAX_PER_ROOT);
        drop(first);
        assert_eq!(fill(&slots, 1).len(), MAX_PER_ROOT);
        assert!(slots.0.lock().roots.is_empty(), "entries of finished roots are removed");
    }

    #[test]
    fn full_slots_are_shared_round_robin_and_aborted_waiters_are_skipped() {
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
    fn large_bodies_of_a_root_are_limited_and_small_ones_are_not() {
        let slots = Arc::<FetchSlots>::default();
        let mut own = fill(&slots, 1);
        let mut other = fill(&slots, 2);
        let limit = LARGE_BODIES / 2;
        for slot in &mut own[..2] {
            assert!(now(slot.reserve(SMALL_BODY + 1, limit)).is_some());
            assert!(now(slot.reserve(limit, limit)).is_some(), "the reservation is reused");
        }
        assert!(now(own[2].reserve(SMALL_BODY + 1, limit)).is_none());
        assert!(now(own[3].reserve(SMALL_BODY, limit)).is_some());
        assert!(now(other[0].reserve(limit, usize::MAX)).is_some(), "one large body is always allowed");
        own.remove(0);
        assert!(now(own[1].reserve(SMALL_BODY + 1, limit)).is_some());
    }
}
