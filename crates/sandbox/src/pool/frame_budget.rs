//! A limit on the messages of a worker during one run. An intact engine never reaches it.

use crate::limits::RunLimits;

/// Messages of any run, however short: its log, and what the guest sends until the watchdog's first check.
const FRAMES: u64 = 20_000;
/// Time per message; an engine needs seven times as long for one host call or log line.
const NANOS_PER_FRAME: u64 = 2000;
/// Text per time; an engine writes more slowly.
const BYTES_PER_NANO: u64 = 4;

#[derive(Debug)]
pub struct FrameBudget {
    frames: u64,
    bytes: u64,
}

impl FrameBudget {
    /// The budget for the CPU time of a run with these limits.
    pub fn of(limits: &RunLimits) -> Self {
        let nanos = u64::try_from(limits.cpu.as_nanos()).unwrap_or(u64::MAX);
        let lasting = [limits.result_bytes, limits.log_bytes, limits.call_bytes].map(u64::from).iter().sum();
        Self {
            frames: FRAMES.saturating_add(nanos / NANOS_PER_FRAME),
            bytes: nanos.saturating_mul(BYTES_PER_NANO).saturating_add(lasting),
        }
    }

    /// Counts one message with that much text; false beyond the budget.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.frames.checked_sub(1).zip(self.bytes.checked_sub(bytes as u64));
        let Some((frames, bytes)) = left else { return false };
        (self.frames, self.bytes) = (frames, bytes);
        true
    }
}
