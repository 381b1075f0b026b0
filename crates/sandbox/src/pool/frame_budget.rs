//! How much a worker may say during one run. An engine never comes near it; what does is not the engine we started.

use crate::limits::RunLimits;

/// What any run may need, however short: all of its log, and what it does until the watchdog has looked.
const FRAMES: u64 = 20_000;
/// An engine needs seven times as long for one question or log line.
const NANOS_PER_FRAME: u64 = 2000;
/// An engine writes text more slowly than this.
const BYTES_PER_NANO: u64 = 4;

#[derive(Debug)]
pub struct FrameBudget {
    frames: u64,
    bytes: u64,
}

impl FrameBudget {
    /// What an engine could say in the CPU time of a run with these limits.
    pub fn of(limits: &RunLimits) -> Self {
        let nanos = u64::try_from(limits.cpu.as_nanos()).unwrap_or(u64::MAX);
        let lasting = [limits.result_bytes, limits.log_bytes, limits.call_bytes].map(u64::from).iter().sum();
        Self {
            frames: FRAMES.saturating_add(nanos / NANOS_PER_FRAME),
            bytes: nanos.saturating_mul(BYTES_PER_NANO).saturating_add(lasting),
        }
    }

    /// Takes note of one message with that much text; false when it is too much.
    pub fn take(&mut self, bytes: usize) -> bool {
        let left = self.frames.checked_sub(1).zip(self.bytes.checked_sub(bytes as u64));
        let Some((frames, bytes)) = left else { return false };
        (self.frames, self.bytes) = (frames, bytes);
        true
    }
}
