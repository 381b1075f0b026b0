//! Section `sandbox`: the limits and isolation of runs.

use super::limit::Limit;
use super::limited_struct::limited_struct;
use super::refused::refused;
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::time::Duration;
use tgp_base::error::Error;
use tgp_sandbox::{Isolation, RunLimits, TreeLimits};

limited_struct! {
    /// The limits of every run, and how runs are isolated.
    #[derive(Copy, Eq)]
    pub struct SandboxConfig, SandboxLimits {
        pub isolation: IsolationMode = IsolationMode::default(),
        /// Seed of `Math.random` and `crypto` in every run.
        pub seed: Option<u64> = None,
        /// The moment at which every run's clock starts, in milliseconds since 1970.
        pub now: Option<i64> = None,
    }
    limits {
        /// V8 heap and ArrayBuffers of one run together, in MB.
        memory_mb: 64, 8..=4096;
        /// CPU time of one run; waiting and loading packages do not count.
        timeout_ms: 50, 1..=3_600_000;
        /// CPU time in which one run may load packages; all the runs that it starts have as much again, together.
        package_load_ms: 2000, 1..=3_600_000;
        /// Time from start to result of one run.
        wall_ms: 30_000, 1..=3_600_000, "or `timeoutMs` if that is more";
        /// How many runs may go on at once.
        // A higher default would help only otherwise idle machines.
        workers: 4, 1..=64, "at most one per core";
        /// Runs that may wait for an answer or a timer without counting among `workers`; each has a worker of its own.
        waiting: 16, 0..=256, "at most 1024 divided by `memoryMb`";
        /// How many workers are kept ready while the kernel is in use.
        warm: 1, 0..=64;
        /// How long a worker may be idle until it ends; those of "warm" end after ten times as long without a run.
        idle_ms: 60_000, 10..=86_400_000;
        /// Largest result, as JSON text.
        result_bytes: 8 << 20, 64..=64 << 20;
        /// Largest arguments, as JSON text.
        args_bytes: 4 << 20, 64..=64 << 20;
        /// Captured log text of one run; the rest is cut off and marked.
        log_bytes: 256 << 10, 1..=64 << 20;
        /// Host calls of one run that may wait for an answer at one time.
        host_calls: 64, 1..=10_000;
        /// Host calls that one run may make in all, with all that it starts.
        total_host_calls: 10_000, 1..=10_000_000;
        /// Answers to the host calls of one run, with all that it starts, in bytes.
        answer_bytes: 256 << 20, 64..=2 << 30;
        /// Runs that may wait for a worker at one time.
        queue: 1000, 1..=100_000;
        /// How long a run may wait for a worker.
        queue_ms: 120_000, 1..=3_600_000;
        /// What one run may keep under /tmp, in bytes.
        scratch_bytes: 16 << 20, 0..=256 << 20;
        /// What one run may keep under /tmp, in files.
        scratch_files: 256, 0..=65_536;
        /// What one run, with all that it starts, may write into allowed folders, in bytes.
        write_bytes: 64 << 20, 0..=2 << 30;
        /// What one run, with all that it starts, may write into allowed folders, in files.
        write_files: 1000, 0..=1_000_000;
        /// How deep tools may run tools.
        call_depth: 8, 0..=32;
        /// Runs that one run may have started, directly or not, and not yet ended.
        nested_runs: 64, 1..=100_000;
        /// CPU time of all the runs that one run starts, together.
        nested_timeout_ms: 1000, 1..=3_600_000;
        /// Arguments of host calls that one run may have under way, nested runs included.
        pending_bytes: 32 << 20, 64..=2 << 30;
        /// Largest body of a request or response, unpacked.
        fetch_bytes: 8 << 20, 64..=64 << 20;
        /// Time for one request with all its redirects.
        fetch_timeout_ms: 10_000, 1..=3_600_000;
    }
}

/// Limits that an `exec` call may override, within the same ranges.
pub const MEMORY_MB: Limit = SandboxConfig::LIMITS.memory_mb;
pub const TIMEOUT_MS: Limit = SandboxConfig::LIMITS.timeout_ms;
pub const WALL_MS: Limit = SandboxConfig::LIMITS.wall_ms;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum IsolationMode {
    #[default]
    Process,
    Thread,
}

impl From<IsolationMode> for Isolation {
    fn from(mode: IsolationMode) -> Self {
        match mode {
            IsolationMode::Process => Self::Process,
            IsolationMode::Thread => Self::Thread,
        }
    }
}

impl Default for SandboxConfig {
    fn default() -> Self {
        let standard = Self::standard();
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self { workers: u32::try_from(cores).map_or(standard.workers, |cores| standard.workers.min(cores)), ..standard }
    }
}

impl SandboxConfig {
    pub(super) fn of_any_machine() -> Self {
        Self::standard()
    }

    /// The default of `waiting`: as many runs as fit into a gigabyte.
    pub(super) fn waiting_by_memory(&self) -> u32 {
        1024_u32.checked_div(self.memory_mb).unwrap_or_default().min(Self::LIMITS.waiting.default)
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        self.check_limits("sandbox.")?;
        if self.wall_ms < self.timeout_ms {
            return Err(refused(
                "sandbox.wallMs",
                "must not be below sandbox.timeoutMs: a run could never use its CPU time",
            ));
        }
        if self.warm > self.workers {
            return Err(refused("sandbox.warm", "must not be above sandbox.workers"));
        }
        Ok(())
    }

    pub fn limits(&self) -> RunLimits {
        RunLimits {
            memory_bytes: u64::from(self.memory_mb) << 20,
            cpu: Duration::from_millis(self.timeout_ms.into()),
            package_load: Duration::from_millis(self.package_load_ms.into()),
            wall: Duration::from_millis(self.wall_ms.into()),
            result_bytes: self.result_bytes,
            log_bytes: self.log_bytes,
            host_calls: self.host_calls,
            call_bytes: self.args_bytes,
        }
    }

    /// Limits that one run and its nested runs share.
    pub fn tree_limits(&self) -> TreeLimits {
        TreeLimits {
            runs: self.nested_runs,
            bytes: self.pending_bytes as usize,
            cpu: Duration::from_millis(self.nested_timeout_ms.into()),
            package_load: Duration::from_millis(self.package_load_ms.into()),
            calls: self.total_host_calls,
            answer_bytes: self.answer_bytes.into(),
        }
    }

    /// The longest text that a worker may send at once.
    pub fn longest_text(&self) -> usize {
        self.result_bytes.max(self.args_bytes).max(self.log_bytes) as usize
    }
}
