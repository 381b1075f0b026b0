//! Options of a worker pool.

use super::bytecode_cache::BytecodeStore;
use crate::transport::{Isolation, WorkerFiles};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Clone)]
pub struct PoolOptions {
    pub isolation: Isolation,
    pub files: WorkerFiles,
    /// Most workers at one time.
    pub workers: usize,
    /// Most runs that wait for an answer or a timer without holding a turn.
    pub max_waiting: usize,
    /// Number of idle workers to keep.
    pub warm: usize,
    /// How long other workers may be idle before they end.
    pub idle: Duration,
    /// The root that the pool serves. Of the pools for one root in this process, only the newest keeps idle workers.
    pub root: Option<PathBuf>,
    /// Longest queue.
    pub queue: usize,
    /// How long a run may wait for a worker.
    pub queue_time: Duration,
    /// The usual memory limit of a run.
    pub memory_bytes: u64,
    /// The longest text that a worker may send: a result, or the arguments of a host call.
    pub longest_text: usize,
    /// The store of package bytecode, shared with later pools.
    pub bytecode: Arc<dyn BytecodeStore>,
}
