//! Size and kind of a pool.

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
    /// How many runs may wait for an answer or a timer without holding a turn.
    pub lent: usize,
    /// Workers kept ready while nothing runs.
    pub warm: usize,
    /// How long a worker beyond those may be idle.
    pub idle: Duration,
    /// What the pool works for. Of the pools for one place in this process the newest that has not ended keeps workers ready.
    pub place: Option<PathBuf>,
    /// Most runs that may wait at one time.
    pub queue: usize,
    /// How long a run may wait for a worker.
    pub queue_time: Duration,
    /// Memory that most runs will ask for.
    pub memory_bytes: u64,
    /// The longest text that a worker has a reason to send: a result, or the arguments of a question.
    pub longest_text: usize,
    /// Where bytecode of packages is kept for later pools.
    pub bytecode: Arc<dyn BytecodeStore>,
}
