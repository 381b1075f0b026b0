//! Limits of one run.

use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Hard limits of one run, from the kernel's configuration and the caller's options.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunLimits {
    /// V8 heap and array buffers together.
    pub memory_bytes: u64,
    /// CPU time of the thread that runs guest code, without package loads.
    pub cpu: Duration,
    /// CPU time of package loads: compilation and evaluation of installed packages.
    pub package_load: Duration,
    /// Time from start to result, waiting included.
    pub wall: Duration,
    /// Longest result, as UTF-8 JSON.
    pub result_bytes: u32,
    /// All log text of a run, plus [`LOG_LINE_BYTES`] per line; later text is dropped and the cut is marked.
    pub log_bytes: u32,
    /// Most host calls that wait for an answer at one time.
    pub host_calls: u32,
    /// Longest arguments of one host call, as UTF-8 JSON.
    pub call_bytes: u32,
}

/// Cost of a log line beside its text, for its level and bookkeeping in the host.
pub const LOG_LINE_BYTES: usize = 32;
