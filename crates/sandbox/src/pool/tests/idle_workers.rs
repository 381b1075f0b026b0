//! When a pool lets workers go that nothing runs in.

use super::{QUEUE, Silent, enqueue};
use crate::confinement::Confinement;
use crate::message::Fitness;
use crate::pool::pool_state::PoolState;
use crate::run_end::RunEnd;
use std::sync::Arc;
use std::time::{Duration, Instant};

const IDLE: Duration = Duration::from_secs(60);
const QUIET: Duration = Duration::from_mins(10);

/// Starts the workers that are wanted, and has them come.
fn start(state: &mut PoolState, now: Instant) -> usize {
    let ids = state.reserve_workers(now);
    for id in &ids {
        assert!(!state.attach(*id, Arc::new(Silent::default()), now));
        assert_eq!(state.ready(*id, Confinement::NONE, now), Ok(()));
    }
    ids.len()
}

/// A pool that had two runs at once, and has none any more.
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
fn those_beyond_warm_go_when_they_were_idle_and_the_others_when_all_is_quiet() {
    let begin = Instant::now();
    let mut state = used(1, begin);
    assert_eq!(state.next_deadline(), Some(begin + IDLE));
    assert!(state.take_unneeded(begin + IDLE - Duration::from_millis(1)).is_empty());
    assert_eq!(state.take_unneeded(begin + IDLE).len(), 1);
    assert_eq!(start(&mut state, begin + IDLE), 0, "the one that is kept is enough");
    assert_eq!(state.next_deadline(), Some(begin + QUIET));
    assert_eq!(state.take_unneeded(begin + QUIET).len(), 1);
    assert_eq!(start(&mut state, begin + QUIET), 0, "nobody asks for one");
    let _ends = enqueue(&mut state, 3);
    assert_eq!(start(&mut state, begin + QUIET), 1, "somebody does");
}

#[test]
fn without_warm_all_go() {
    let begin = Instant::now();
    let mut state = used(0, begin);
    assert_eq!(state.take_unneeded(begin + IDLE).len(), 2);
    assert_eq!(start(&mut state, begin + IDLE), 0);
}

#[test]
fn a_pool_that_stands_back_keeps_none_and_works() {
    let begin = Instant::now();
    let mut state = used(1, begin);
    assert_eq!(state.stand_back().len(), 2);
    assert_eq!(start(&mut state, begin), 0);
    let _ends = enqueue(&mut state, 3);
    assert_eq!(start(&mut state, begin), 1);
    assert!(state.assign(begin).is_some());
    assert_eq!(start(&mut state, begin), 0, "none is kept beside it");
}
