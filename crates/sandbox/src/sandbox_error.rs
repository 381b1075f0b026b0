//! Errors of the sandbox, for runs that could not be started. The end of a run is a [`RunEnd`](super::run_end::RunEnd).

use super::crash_cause::CrashCause;
use tgp_base::error::{ErrorCode, PartError};

#[derive(Debug, Clone, thiserror::Error)]
pub enum SandboxError {
    #[error("The kernel has been shut down. Call boot() to start it again.")]
    Closed,
    #[error("the sandbox worker could not be started: {reason}. {advice}")]
    CannotStart { reason: String, advice: &'static str },
    #[error("the queue is full: {most} runs are waiting (sandbox.queue). Run fewer at once, or try again in a moment")]
    QueueFull { most: usize },
    #[error(
        "the run was not started: no worker was free within {waited_ms} ms (sandbox.queueMs). Run fewer at once, or try again later"
    )]
    QueueTimeout { waited_ms: u128 },
    #[error(
        "the sandbox worker ended during its start, several times in a row: {0}. The machine may be out of memory, or the limit on its address space (ulimit -v) too low for V8"
    )]
    KeepsDying(CrashCause),
    #[error("the sandbox failed because of an internal error; the application continues. Try again, and report it")]
    Panicked,
}

impl SandboxError {
    /// The error for a worker that could not be started.
    #[must_use]
    pub fn cannot_start(error: &std::io::Error) -> Self {
        let (reason, advice) = match error.raw_os_error().and_then(scarce) {
            Some((reason, advice)) => (reason.to_owned(), advice),
            None => (error.kind().to_string(), REINSTALL),
        };
        Self::CannotStart { reason, advice }
    }
}

const REINSTALL: &str = "Reinstall @tgp/core so that the tgp-sandbox executable is present and executable";

/// The resource that is exhausted, and what to do.
#[cfg(unix)]
fn scarce(code: i32) -> Option<(&'static str, &'static str)> {
    match code {
        libc::EMFILE => Some((
            "this process has too many open files",
            "Close what is no longer used, or raise the limit on open files (ulimit -n)",
        )),
        libc::ENFILE => {
            Some(("the system has too many open files", "Close what is no longer used, or raise fs.file-max"))
        }
        libc::EAGAIN => Some((
            "the limit on processes or threads is reached",
            "Raise the limit on processes (ulimit -u, or pids of the container), or run fewer at once",
        )),
        libc::ENOMEM => Some(("the machine is out of memory", "Add memory, or lower sandbox.workers")),
        _ => None,
    }
}

#[cfg(not(unix))]
fn scarce(_: i32) -> Option<(&'static str, &'static str)> {
    None
}

impl PartError for SandboxError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Closed => ErrorCode::Shutdown,
            Self::QueueFull { .. } | Self::QueueTimeout { .. } => ErrorCode::Limit,
            Self::CannotStart { .. } | Self::KeepsDying(_) => ErrorCode::IsolateCrashed,
            Self::Panicked => ErrorCode::Internal,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::SandboxError;
    use std::io::{Error, ErrorKind};

    #[test]
    fn exhausted_resources_get_other_advice_than_reinstalling() {
        for (code, word) in [
            (libc::EMFILE, "ulimit -n"),
            (libc::ENFILE, "file-max"),
            (libc::EAGAIN, "ulimit -u"),
            (libc::ENOMEM, "memory"),
        ] {
            let message = SandboxError::cannot_start(&Error::from_raw_os_error(code)).to_string();
            assert!(message.contains(word) && !message.contains("einstall"), "{message}");
        }
        let message = SandboxError::cannot_start(&ErrorKind::NotFound.into()).to_string();
        assert!(message.contains("Reinstall"), "{message}");
    }
}
