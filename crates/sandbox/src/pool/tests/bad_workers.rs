//! Tests of workers that do not start, do not end, or send invalid messages.

use super::{Ends, IDLE, QUEUE, Silent, enqueue};
use crate::confinement::Confinement;
use crate::crash_cause::CrashCause;
use crate::message::Fitness;
use crate::pool::active_run::{ActiveRun, Rogue};
use crate::pool::pool_state::PoolState;
use crate::pool::worker_slots::WorkerId;
use crate::run_end::RunEnd;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::ids::RunId;

/// A pool with one ready worker.
fn ready() -> (PoolState, WorkerId) {
    let mut state = PoolState::new(1, 0, 1, IDLE, QUEUE);
    let id = state.reserve_workers(Instant::now())[0];
    assert!(!state.attach(id, Arc::new(Silent::default()), Instant::now()));
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Ok(()));
    (state, id)
}

/// The same with an assigned run.
fn running() -> (PoolState, WorkerId, Ends) {
    let (mut state, id) = ready();
    let ends = enqueue(&mut state, 1);
    assert!(state.assign(Instant::now()).is_some());
    (state, id, ends)
}

#[test]
fn workers_that_never_start_time_out_and_their_runs_fail_at_the_third() {
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
        assert!(state.attach(ids[0], Arc::new(Silent::default()), later), "it is attached too late");
    }
    assert!(ends.recv().unwrap().is_err(), "the run has failed");
    assert!(state.reserve_workers(Instant::now()).is_empty());
}

#[test]
fn invalid_messages_are_detected_in_every_state() {
    let (mut state, id) = ready();
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Err(Rogue), "ready twice");
    assert_eq!(state.accept(id, RunId(1), 0, |_| Ok(())), Err(Rogue), "a run that it does not have");
    let mut oversized = Confinement::NONE;
    oversized.engine.version = "1".repeat(1 << 20);
    let mut starting = PoolState::new(1, 0, 1, IDLE, QUEUE);
    let id = starting.reserve_workers(Instant::now())[0];
    assert!(!starting.attach(id, Arc::new(Silent::default()), Instant::now()));
    assert_eq!(starting.ready(id, oversized, Instant::now()), Err(Rogue), "a version of a megabyte");
    let (mut state, id, _ends) = running();
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Err(Rogue), "ready while it runs");
    assert_eq!(state.accept(id, RunId(2), 0, |_| Ok(())), Err(Rogue), "another run");
    let accepted = (0..).take_while(|_| state.accept(id, RunId(1), 0, |_| Ok(())).is_ok()).count();
    assert_eq!(accepted, 20_000 + 25_000, "more than an engine could say in that time");
    let (mut state, id, _ends) = running();
    assert_eq!(state.accept(id, RunId(1), 1 << 30, |_| Ok(())), Err(Rogue), "a gigabyte");
}

#[test]
fn a_given_up_worker_is_ignored_and_its_run_is_retried_or_lost() {
    let (mut state, id, ends) = running();
    let loss = state.give_up(id, CrashCause::InvalidMessage);
    assert!(loss.worker.is_some() && loss.run.is_none(), "it had not begun, so it waits again");
    assert_eq!(state.accept(id, RunId(1), 0, |_| Ok(())), Ok(None));
    assert!(state.finish(id, &RunEnd::Cancelled, Fitness::Reusable, Instant::now()).is_none());
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Ok(()));
    assert!(state.assign(Instant::now()).is_none());
    drop(state);
    assert!(ends.recv_timeout(Duration::from_secs(5)).unwrap().is_err(), "a dropped run fails");
    let (mut state, id, ends) = running();
    assert_eq!(state.accept(id, RunId(1), 0, ActiveRun::begin), Ok(Some(())));
    assert_eq!(state.accept(id, RunId(1), 0, ActiveRun::begin), Err(Rogue));
    assert!(state.give_up(id, CrashCause::InvalidMessage).run.is_some(), "it had begun");
    assert!(ends.recv_timeout(Duration::from_secs(5)).unwrap().is_err());
}
