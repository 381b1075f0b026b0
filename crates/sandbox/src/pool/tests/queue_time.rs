//! Tests of the time limit in the queue.

use super::{Ends, IDLE, Silent, enqueue};
use crate::confinement::Confinement;
use crate::crash_cause::CrashCause;
use crate::pool::pool_state::{PoolState, QueueLimits};
use crate::pool::worker_slots::WorkerId;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::ids::RunId;

const QUEUE_TIME: Duration = Duration::from_mins(1);

/// A pool whose only worker is busy, and a second run in the queue.
fn busy() -> (PoolState, WorkerId, [Ends; 2]) {
    let mut state = PoolState::new(1, 0, 1, IDLE, QueueLimits { runs: 10, time: QUEUE_TIME });
    let id = state.reserve_workers(Instant::now())[0];
    assert!(!state.attach(id, Arc::new(Silent::default()), Instant::now()));
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Ok(()));
    let first = enqueue(&mut state, 1);
    assert!(state.assign(Instant::now()).is_some());
    let second = enqueue(&mut state, 2);
    (state, id, [first, second])
}

#[test]
fn a_queued_run_times_out_and_an_assigned_one_does_not() {
    let (mut state, _, _ends) = busy();
    let now = Instant::now();
    assert!(state.next_deadline().is_some_and(|deadline| deadline <= now + QUEUE_TIME));
    assert_eq!(state.take_late(now).len(), 0);
    assert_eq!(state.take_late(now + QUEUE_TIME).len(), 1);
    assert_eq!(state.take_late(now + QUEUE_TIME).len(), 0);
    assert!(state.take_waiting(RunId(2)).is_none());
}

#[test]
fn a_requeued_run_keeps_its_first_queue_time() {
    let (mut state, id, _ends) = busy();
    let now = Instant::now();
    let loss = state.give_up(id, CrashCause::InvalidMessage);
    assert!(loss.run.is_none(), "it had not begun");
    assert_eq!(state.take_late(now + QUEUE_TIME).len(), 2);
}
