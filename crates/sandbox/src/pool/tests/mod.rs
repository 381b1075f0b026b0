//! Tests of a pool's decisions, without threads and with inert workers.

mod bad_workers;
mod idle_workers;
mod pool_table;
mod queue_time;

use super::pool_state::{PoolState, QueueLimits};
use crate::host::{Host, Question, Reply};
use crate::limits::RunLimits;
use crate::lineage::Lineage;
use crate::message::Command;
use crate::run_request::{RunRequest, when_done};
use crate::run_tree::{RunTree, TreeLimits};
use crate::sandbox_error::SandboxError;
use crate::transport::{Worker, WorkerGone};
use crossbeam_channel::{Receiver, unbounded};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tgp_base::ids::RunId;

/// A worker and a host that never send anything.
#[derive(Default)]
struct Silent {
    killed: AtomicBool,
}

impl Worker for Silent {
    fn send(&self, _: Command) -> Result<(), WorkerGone> {
        Ok(())
    }
    fn kill(&self) {
        self.killed.store(true, Ordering::Relaxed);
    }
}

impl Host for Silent {
    fn call(self: Arc<Self>, _: Question, _: Reply) {}
}

const LIMITS: RunLimits = RunLimits {
    memory_bytes: 64 << 20,
    cpu: Duration::from_millis(50),
    package_load: Duration::ZERO,
    wall: Duration::from_secs(1),
    result_bytes: 1 << 20,
    log_bytes: 1 << 10,
    host_calls: 2,
    call_bytes: 100,
};

/// Longer than any test.
const IDLE: Duration = Duration::from_hours(1);
const QUEUE: QueueLimits = QueueLimits { runs: 10, time: IDLE };

type Ends = Receiver<Result<(), SandboxError>>;

fn request(run: u64) -> RunRequest {
    RunRequest {
        run: RunId(run),
        entry: "tools/t.ts".to_owned(),
        modules: Arc::default(),
        packages: Vec::new(),
        args_json: "{}".into(),
        api: Arc::default(),
        limits: LIMITS,
        seed: None,
        now: None,
        coverage: Default::default(),
        lineage: Lineage::of_root(RunId(run)),
        tree: RunTree::new(TreeLimits {
            runs: 1,
            bytes: 1000,
            cpu: Duration::from_secs(1),
            package_load: Duration::from_secs(1),
            calls: 100,
            answer_bytes: 1 << 20,
        }),
        deadline: None,
        host: Arc::new(Silent::default()),
        owner: "one".into(),
    }
}

/// Queues a run and returns the receiver of its end.
fn enqueue(state: &mut PoolState, run: u64) -> Ends {
    let (sender, ends) = unbounded();
    let done = when_done(move |outcome| sender.send(outcome.map(drop)).unwrap());
    assert!(state.enqueue(request(run), done, Instant::now()).is_ok());
    ends
}
