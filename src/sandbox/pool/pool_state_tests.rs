//! What a pool makes of workers that do not come, do not end, or say what no engine says.

use super::active_run::{ActiveRun, Rogue};
use super::pool_state::PoolState;
use super::worker_slots::WorkerId;
use crate::ids::RunId;
use crate::sandbox::confinement::Confinement;
use crate::sandbox::host::{Host, Question, Reply};
use crate::sandbox::limits::RunLimits;
use crate::sandbox::lineage::Lineage;
use crate::sandbox::message::{Command, Fitness};
use crate::sandbox::run_end::RunEnd;
use crate::sandbox::run_request::{RunRequest, when_done};
use crate::sandbox::run_tree::{RunTree, TreeLimits};
use crate::sandbox::sandbox_error::SandboxError;
use crate::sandbox::transport::{Worker, WorkerGone};
use crossbeam_channel::{Receiver, unbounded};
use std::sync::Arc;
use std::time::{Duration, Instant};

struct Silent;

impl Worker for Silent {
    fn send(&self, _: Command) -> Result<(), WorkerGone> {
        Ok(())
    }
    fn kill(&self) {}
}

impl Host for Silent {
    fn call(&self, _: Question, _: Reply) {}
}

const LIMITS: RunLimits = RunLimits {
    memory_bytes: 64 << 20,
    cpu: Duration::from_millis(50),
    wall: Duration::from_secs(1),
    result_bytes: 1 << 20,
    log_bytes: 1 << 10,
    host_calls: 2,
    call_bytes: 100,
};

type Ends = Receiver<Result<(), SandboxError>>;

/// Queues a run and gives what will tell its end.
fn enqueue(state: &mut PoolState, run: u64) -> Ends {
    let (sender, ends) = unbounded();
    let request = RunRequest {
        run: RunId(run),
        entry: "tools/t.ts".to_owned(),
        modules: Arc::default(),
        packages: Vec::new(),
        args_json: "{}".into(),
        api: Arc::default(),
        limits: LIMITS,
        seed: None,
        now: None,
        lineage: Lineage::of_root(RunId(run)),
        tree: RunTree::new(TreeLimits { runs: 1, bytes: 1000, cpu: Duration::from_secs(1) }),
        deadline: None,
        host: Arc::new(Silent),
    };
    let done = when_done(move |outcome| sender.send(outcome.map(drop)).unwrap());
    assert!(state.enqueue(request, done).is_ok());
    ends
}

/// A pool of one worker that is ready.
fn ready() -> (PoolState, WorkerId) {
    let mut state = PoolState::new(1, 1, 10);
    let id = state.reserve_workers(Instant::now())[0];
    assert!(!state.attach(id, Arc::new(Silent), Instant::now()));
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
    let mut state = PoolState::new(1, 0, 10);
    let ends = enqueue(&mut state, 1);
    for round in 1..=3 {
        let ids = state.reserve_workers(Instant::now());
        assert_eq!(ids.len(), 1, "round {round}");
        assert!(state.take_overdue(Instant::now()).is_empty());
        let later = Instant::now() + Duration::from_secs(60);
        let losses = state.take_overdue(later);
        let given_up: usize = losses.iter().map(|loss| loss.given_up.len()).sum();
        assert_eq!(given_up, usize::from(round == 3));
        assert!(state.attach(ids[0], Arc::new(Silent), later), "it comes too late");
    }
    assert!(ends.recv().unwrap().is_err(), "the run was told");
    assert!(state.reserve_workers(Instant::now()).is_empty());
}

#[test]
fn what_no_engine_says_is_found_in_every_state() {
    let (mut state, id) = ready();
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Err(Rogue), "ready twice");
    assert_eq!(state.hear(id, RunId(1), 0, |_| Ok(())), Err(Rogue), "a run that it does not have");
    let (mut state, id, _ends) = running();
    assert_eq!(state.ready(id, Confinement::NONE, Instant::now()), Err(Rogue), "ready while it runs");
    assert_eq!(state.hear(id, RunId(2), 0, |_| Ok(())), Err(Rogue), "another run");
    let told = (0..).take_while(|_| state.hear(id, RunId(1), 0, |_| Ok(())).is_ok()).count();
    assert_eq!(told, 20_000 + 25_000, "more than an engine could say in that time");
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
