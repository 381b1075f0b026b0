//! What one run may use.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Hard limits of one run, decided by the kernel's configuration and the caller's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// V8 heap and array buffers together.
    pub memory_bytes: u64,
    /// CPU time of the thread that runs guest code.
    pub cpu: Duration,
    /// Time from start to result, waiting included.
    pub wall: Duration,
    /// Longest result, as UTF-8 JSON.
    pub result_bytes: u32,
    /// All log text of a run, [`LOG_LINE_BYTES`] more for each line; what comes after is dropped and the cut is marked.
    pub log_bytes: u32,
    /// Questions to the host that may wait for an answer at one time.
    pub host_calls: u32,
    /// Longest arguments of one question to the host, as UTF-8 JSON.
    pub call_bytes: u32,
}

/// What a log line costs beside its text: the host keeps it, and shows it with its level.
pub const LOG_LINE_BYTES: usize = 32;
