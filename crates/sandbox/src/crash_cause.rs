//! Why a worker ended before it reported the end of its run, or before it was ready.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::process::ExitStatus;

/// Exit code: the command line, the snapshot or the locale data is unusable.
pub const EXIT_USAGE: i32 = 64;
/// Exit code: the guest ignored termination.
pub const EXIT_STUCK: i32 = 70;
/// Exit code: V8 ran out of memory.
pub const EXIT_MEMORY: i32 = 71;
/// Exit code: another fatal error of V8.
pub const EXIT_FATAL: i32 = 72;

/// A worker may be compromised, so no text of its messages is part of a cause.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum CrashCause {
    /// V8 reported a fatal error.
    FatalError,
    /// The engine reported an internal error.
    Engine,
    /// A signal killed the worker process.
    Signal(i32),
    /// The worker process exited by itself.
    Exit(i32),
    /// The worker sent a message that an intact worker never sends, and was killed.
    InvalidMessage,
    /// The worker closed its pipe, or did not read from it, and was killed.
    BrokenPipe,
    /// The worker was not ready in time, or did not end its run in time, and was killed.
    Overdue,
    /// The host could not start the worker, or failed to use it.
    Host,
}

impl CrashCause {
    /// The cause of a process that ended by itself.
    #[must_use]
    pub fn of(status: ExitStatus) -> Self {
        #[cfg(unix)]
        if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
            return Self::Signal(signal);
        }
        status.code().map_or(Self::Host, Self::Exit)
    }

    /// What to do about it.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::FatalError | Self::Exit(EXIT_FATAL) => V8_ABORTED,
            Self::Exit(EXIT_MEMORY) => "Process less data at a time, or raise sandbox.memoryMb.",
            Self::Exit(EXIT_STUCK) => "Check the tool for an endless loop.",
            Self::Exit(EXIT_USAGE) => "Reinstall @tgp/core: the files of the worker are missing or damaged.",
            Self::Signal(signal) => match signal_name(signal) {
                "SIGSYS" => HOSTILE,
                "SIGABRT" | "SIGBUS" | "SIGFPE" | "SIGILL" | "SIGSEGV" | "SIGTRAP" => V8_ABORTED,
                _ => {
                    "The system does this when the machine runs out of memory; otherwise another program did it. Add memory, or lower sandbox.workers."
                }
            },
            Self::InvalidMessage => HOSTILE,
            Self::Overdue => "The machine may be overloaded. Run fewer at once, or try again later.",
            Self::Engine | Self::Exit(_) | Self::BrokenPipe | Self::Host => {
                "Try again, and report it if it happens again."
            }
        }
    }
}

const V8_ABORTED: &str = "V8 aborts on some very large allocations: check the tool for them. Otherwise report it.";
const HOSTILE: &str = "An intact worker never does this: do not trust the tool and its packages, and report it.";

/// The cause as a clause.
impl fmt::Display for CrashCause {
    fn fmt(&self, text: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FatalError => text.write_str("V8 reported a fatal error"),
            Self::Engine => text.write_str("the engine reported an internal error"),
            Self::Signal(signal) => match signal_name(*signal) {
                "" => write!(text, "signal {signal} killed the worker process"),
                name => write!(text, "{name} (signal {signal}) killed the worker process"),
            },
            Self::Exit(code) => {
                write!(text, "the worker process ended with exit code {code}")?;
                match *code {
                    EXIT_USAGE => text.write_str(" (its files are unusable)"),
                    EXIT_STUCK => text.write_str(" (the tool did not stop at its time limit)"),
                    EXIT_MEMORY => text.write_str(" (out of memory)"),
                    EXIT_FATAL => text.write_str(" (fatal error of V8)"),
                    _ => Ok(()),
                }
            }
            Self::InvalidMessage => text.write_str("the worker sent an invalid message and was killed"),
            Self::BrokenPipe => text.write_str("the worker closed its pipe or did not read from it, and was killed"),
            Self::Overdue => text.write_str("the worker did not answer in time and was killed"),
            Self::Host => text.write_str("the worker was ended because of an internal error"),
        }
    }
}

/// The name of a common signal; empty for others.
#[cfg(unix)]
fn signal_name(signal: i32) -> &'static str {
    match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGKILL => "SIGKILL",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGSYS => "SIGSYS",
        libc::SIGTERM => "SIGTERM",
        libc::SIGTRAP => "SIGTRAP",
        _ => "",
    }
}

#[cfg(not(unix))]
fn signal_name(_: i32) -> &'static str {
    ""
}
