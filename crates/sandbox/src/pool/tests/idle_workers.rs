//! Tests of when a pool ends idle workers.

use super::{QUEUE, Silent, enqueue};
use crate::confinement::Confinement;
use crate::message::Fitness;
use crate::pool::pool_state::PoolState;
use crate::run_end::RunEnd;
use std::sync::Arc;
use std::time::{Duration, Instant};

const IDLE: Duration = Duration::from_secs(60);
const QUIET: Duration = Duration::from_mins(10);

/// Starts the workers that the pool requests, and returns their number.
fn start(state: &mut PoolState, now: Instant) -> usize {
    let ids = state.reserve_workers(now);
    for id in &ids {
        assert!(!state.attach(*id, Arc::new(Silent::default()), now));
        assert_eq!(state.ready(*id, Confinement::NONE, now), Ok(()));
    }
    ids.len()
}

/// A pool after two concurrent runs.
fn used(warm: usize, now: Instant) -> PoolState {
    let mut state = PoolState::new(2, 0, warm, IDLE, QUEUE);
    let _ends = [enqueue(&mut state, 1), enqueue(&mut state, 2)];
    let mut ids = state.reserve_workers(now);
    for id in &ids {
        assert!(!state.attach(*id, Arc::new(Silent::default()), now));
        assert_eq!(state.ready(*id, Confinement::NONE, now), Ok(()));
        assert!(state.assign(now).is_some());
    }
    for id in ids.drain(..) {
        assert!(state.finish(id, &RunEnd::Value("1".to_owned()), Fitness::Reusable, now).is_some());
    }
    state
}

#[test]
fn workers_beyond_warm_end_after_idle_and_warm_ones_after_quiet() {
    let begin = Instant::now();
    let mut state = used(1, begin);
    assert_eq!(state.next_deadline(), Some(begin + IDLE));
    assert!(state.take_unneeded(begin + IDLE - Duration::from_millis(1)).is_empty());
    assert_eq!(state.take_unneeded(begin + IDLE).len(), 1);
    assert_eq!(start(&mut state, begin + IDLE), 0, "the one that is kept is enough");
    assert_eq!(state.next_deadline(), Some(begin + QUIET));
    assert_eq!(state.take_unneeded(begin + QUIET).len(), 1);
    assert_eq!(start(&mut state, begin + QUIET), 0, "there is no demand");
    let _ends = enqueue(&mut state, 3);
    assert_eq!(start(&mut state, begin + QUIET), 1, "now there is demand");
}

#[test]
fn without_warm_all_workers_end() {
    let begin = Instant::now();
    let mut state = used(0, begin);
    assert_eq!(state.take_unneeded(begin + IDLE).len(), 2);
    assert_eq!(start(&mut state, begin + IDLE), 0);
}

#[test]
fn a_deactivated_pool_keeps_no_idle_workers_and_still_works() {
    let begin = Instant::now();
    let mut state = used(1, begin);
    assert_eq!(state.deactivate().len(), 2);
    assert_eq!(start(&mut state, begin), 0);
    let _ends = enqueue(&mut state, 3);
    assert_eq!(start(&mut state, begin), 1);
    assert!(state.assign(begin).is_some());
    assert_eq!(start(&mut state, begin), 0, "none is kept beside it");
}
