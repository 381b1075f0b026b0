//! Tests of the whole sandbox, with engines on threads. Worker processes are tested through the public API, where the worker
//! executable exists.

mod packages;
mod panics;
mod thread_engine;

use super::{
    BytecodeStore, Code, Host, Isolation, Lineage, Module, ModuleKind, Package, PoolOptions, RunLimits, RunRequest,
    RunTree, Sandbox, TreeLimits, WorkerFiles,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tgp_base::ids::RunId;

const LIMITS: RunLimits = RunLimits {
    memory_bytes: 64 << 20,
    cpu: Duration::from_secs(2),
    package_load: Duration::from_secs(2),
    wall: Duration::from_secs(5),
    result_bytes: 1 << 20,
    log_bytes: 1 << 10,
    host_calls: 4,
    call_bytes: 1 << 20,
};

fn sandbox_of(workers: usize, bytecode: Arc<dyn BytecodeStore>) -> Sandbox {
    Sandbox::new(PoolOptions {
        isolation: Isolation::Thread,
        files: WorkerFiles {
            executable: "none".into(),
            library: "none".into(),
            snapshot: "none".into(),
            locales: "none".into(),
        },
        workers,
        max_waiting: 0,
        warm: 1,
        idle: Duration::from_mins(1),
        root: None,
        queue: 16,
        queue_time: Duration::from_mins(10),
        memory_bytes: LIMITS.memory_bytes,
        longest_text: 1 << 20,
        bytecode,
    })
}

/// A run of a tool, which finds `package` under the name `big`.
fn request(code: &str, package: Option<&Arc<Package>>, host: Arc<dyn Host>) -> RunRequest {
    static LAST: AtomicU64 = AtomicU64::new(0);
    let run = RunId(LAST.fetch_add(1, Ordering::Relaxed));
    let module = |path: &str, code| Module {
        path: path.to_owned(),
        kind: ModuleKind::Script,
        code,
        original: None,
        links: Vec::new(),
    };
    let mut tool = module("tools/t.ts", Code::Text(code.into()));
    tool.links.push(("big".to_owned(), "npm:big".to_owned()));
    let big =
        package.map(|package| Module { kind: ModuleKind::Package, ..module("npm:big", Code::Package(package.id())) });
    RunRequest {
        run,
        entry: tool.path.clone(),
        modules: Arc::new([tool].into_iter().chain(big).collect()),
        packages: package.into_iter().cloned().collect(),
        args_json: "{}".into(),
        api: Arc::default(),
        limits: LIMITS,
        seed: None,
        now: None,
        coverage: Default::default(),
        lineage: Lineage::of_root(run),
        tree: RunTree::new(TreeLimits {
            runs: 4,
            bytes: 1 << 20,
            cpu: Duration::from_secs(1),
            package_load: Duration::from_secs(1),
            calls: 1000,
            answer_bytes: 1 << 20,
        }),
        deadline: None,
        host,
        owner: "one".into(),
    }
}
