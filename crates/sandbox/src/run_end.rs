//! The end of a run, and its resource usage.

use crate::crash_cause::CrashCause;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The end of a run.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum RunEnd {
    /// A result, as JSON.
    Value(String),
    Thrown(GuestError),
    /// The result cannot be serialised or is too large.
    BadResult(String),
    CpuTimeout,
    /// Loading packages took longer than its own limit.
    PackageTimeout,
    WallTimeout,
    OutOfMemory,
    Cancelled,
    /// The engine or its worker failed.
    Crashed(CrashCause),
}

/// Longest name, and longest message and stack, of an error.
const NAME_BYTES: usize = 256;
const TEXT_BYTES: usize = 16 << 10;
/// Room in a message beside results, arguments and log lines.
pub const FRAME_SLACK: usize = 4 * TEXT_BYTES;

/// Cuts a long text and marks the cut. Idempotent.
fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        text.truncate(text.floor_char_boundary(most));
        text.push('…');
    }
    text
}

/// Cuts a stack text to its limit.
pub fn cut_stack(stack: String) -> String {
    cut(stack, TEXT_BYTES)
}

impl RunEnd {
    /// The same end with texts of bounded length; a result has its own limit. Applied by the engine, and again by the host, which
    /// does not trust the engine.
    pub fn cut(self) -> Self {
        match self {
            Self::Thrown(error) => Self::Thrown(GuestError {
                name: cut(error.name, NAME_BYTES),
                message: cut(error.message, TEXT_BYTES),
                stack: cut(error.stack, TEXT_BYTES),
                host_code: error.host_code.map(|code| cut(code, NAME_BYTES)),
            }),
            Self::BadResult(message) => Self::BadResult(cut(message, TEXT_BYTES)),
            end @ (Self::Value(_)
            | Self::CpuTimeout
            | Self::PackageTimeout
            | Self::WallTimeout
            | Self::OutOfMemory
            | Self::Cancelled
            | Self::Crashed(_)) => end,
        }
    }

    /// Size of the text in it.
    pub(super) fn text_bytes(&self) -> usize {
        match self {
            Self::Value(text) | Self::BadResult(text) => text.len(),
            Self::Thrown(error) => error.name.len() + error.message.len() + error.stack.len(),
            Self::CpuTimeout
            | Self::PackageTimeout
            | Self::WallTimeout
            | Self::OutOfMemory
            | Self::Cancelled
            | Self::Crashed(_) => 0,
        }
    }
}

/// An error thrown by the guest, read within the guest's limits.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct GuestError {
    pub name: String,
    pub message: String,
    /// V8's stack text with positions in the source; empty for thrown values that are not errors.
    pub stack: String,
    /// The code of an error of the host that the guest did not catch.
    pub host_code: Option<String>,
}

/// Resource usage of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RunStats {
    /// CPU time without package loads.
    pub cpu_ms: f64,
    pub package_load_ms: f64,
    pub wall_ms: f64,
    /// Time in the queue. Measured by the pool, not by the engine.
    pub queue_ms: f64,
    pub heap_peak_bytes: u64,
    pub host_calls: u32,
}

impl RunStats {
    /// The same figures with invalid times replaced: negative or not finite ones become 0.
    pub fn plausible(self) -> Self {
        let time = |millis: f64| if millis.is_finite() { millis.max(0.0) } else { 0.0 };
        Self {
            cpu_ms: time(self.cpu_ms),
            package_load_ms: time(self.package_load_ms),
            wall_ms: time(self.wall_ms),
            ..self
        }
    }

    /// The same figures rounded to a hundredth of a millisecond; more digits only cost models tokens.
    #[must_use]
    pub fn rounded(self) -> Self {
        let hundredths = |millis: f64| (millis * 100.0).round() / 100.0;
        Self {
            cpu_ms: hundredths(self.cpu_ms),
            package_load_ms: hundredths(self.package_load_ms),
            wall_ms: hundredths(self.wall_ms),
            queue_ms: hundredths(self.queue_ms),
            ..self
        }
    }

    /// CPU time; an invalid time counts as 0, an overflow as the maximum.
    pub fn cpu(self) -> Duration {
        duration(self.plausible().cpu_ms)
    }

    /// CPU time of package loads, with the same exceptions.
    pub fn package_load(self) -> Duration {
        duration(self.plausible().package_load_ms)
    }
}

fn duration(millis: f64) -> Duration {
    Duration::try_from_secs_f64(millis / 1e3).unwrap_or(Duration::MAX)
}
