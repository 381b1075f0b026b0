//! What a pool makes of workers that do not come, do not end, or say what no engine says.

use super::{Ends, IDLE, QUEUE, Silent, enqueue};
use crate::confinement::Confinement;
use crate::message::Fitness;
use crate::pool::active_run::{ActiveRun, Rogue};
use crate::pool::pool_state::PoolState;
use crate::pool::worker_slots::WorkerId;
use crate::run_end::RunEnd;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::ids::RunId;

/// A pool of one worker that is ready.
fn ready() -> (PoolState, WorkerId) {
    let mut state = PoolState::new(1, 0, 1, IDLE, QUEUE);
    let id = state.reserve_workers(Instant::now())[0];
    assert!(!state.attach(id, Arc::new(Silent::default()), Instant::now()));
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Ok(()));
    (state, id)
}

/// The same with a run that has begun.
fn running() -> (PoolState, WorkerId, Ends) {
    let (mut state, id) = ready();
    let ends = enqueue(&mut state, 1);
    assert!(state.assign(Instant::now()).is_some());
    (state, id, ends)
}

#[test]
fn a_worker_that_never_comes_is_not_waited_for_and_after_some_of_them_nobody_is() {
    let mut state = PoolState::new(1, 0, 0, IDLE, QUEUE);
    let ends = enqueue(&mut state, 1);
    for round in 1..=3 {
        let ids = state.reserve_workers(Instant::now());
        assert_eq!(ids.len(), 1, "round {round}");
        assert!(state.take_overdue(Instant::now()).is_empty());
        let later = Instant::now() + Duration::from_secs(60);
        let losses = state.take_overdue(later);
        let given_up: usize = losses.iter().map(|loss| loss.given_up.len()).sum();
        assert_eq!(given_up, usize::from(round == 3));
        assert!(state.attach(ids[0], Arc::new(Silent::default()), later), "it comes too late");
    }
    assert!(ends.recv().unwrap().is_err(), "the run was told");
    assert!(state.reserve_workers(Instant::now()).is_empty());
}

#[test]
fn what_no_engine_says_is_found_in_every_state() {
    let (mut state, id) = ready();
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Err(Rogue), "ready twice");
    assert_eq!(state.hear(id, RunId(1), 0, |_| Ok(())), Err(Rogue), "a run that it does not have");
    let mut babbling = Confinement::NONE;
    babbling.engine.version = "1".repeat(1 << 20);
    let mut starting = PoolState::new(1, 0, 1, IDLE, QUEUE);
    let id = starting.reserve_workers(Instant::now())[0];
    assert!(!starting.attach(id, Arc::new(Silent::default()), Instant::now()));
    assert_eq!(starting.ready(id, babbling, Instant::now()), Err(Rogue), "a version of a megabyte");
    let (mut state, id, _ends) = running();
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Err(Rogue), "ready while it runs");
    assert_eq!(state.hear(id, RunId(2), 0, |_| Ok(())), Err(Rogue), "another run");
    let heard = (0..).take_while(|_| state.hear(id, RunId(1), 0, |_| Ok(())).is_ok()).count();
    assert_eq!(heard, 20_000 + 25_000, "more than an engine could say in that time");
    let (mut state, id, _ends) = running();
    assert_eq!(state.hear(id, RunId(1), 1 << 30, |_| Ok(())), Err(Rogue), "a gigabyte");
}

#[test]
fn a_worker_that_was_given_up_is_not_heard_and_its_run_is_tried_again_or_lost() {
    let (mut state, id, ends) = running();
    let loss = state.give_up(id);
    assert!(loss.worker.is_some() && loss.run.is_none(), "it had not begun, so it waits again");
    assert_eq!(state.hear(id, RunId(1), 0, |_| Ok(())), Ok(None));
    assert!(state.finish(id, &RunEnd::Cancelled, Fitness::Reusable, Instant::now()).is_none());
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Ok(()));
    assert!(state.assign(Instant::now()).is_none());
    drop(state);
    assert!(ends.recv_timeout(Duration::from_secs(5)).unwrap().is_err(), "a run that is forgotten is told so");
    let (mut state, id, ends) = running();
    assert_eq!(state.hear(id, RunId(1), 0, ActiveRun::begin), Ok(Some(())));
    assert_eq!(state.hear(id, RunId(1), 0, ActiveRun::begin), Err(Rogue));
    assert!(state.give_up(id).run.is_some(), "it had begun");
    assert!(ends.recv_timeout(Duration::from_secs(5)).unwrap().is_err());
}
