//! Why a run could not be had at all. What happens inside a run is a [`RunEnd`](super::run_end::RunEnd).

use tgp_base::error::{ErrorCode, PartError};

#[derive(Debug, Clone, thiserror::Error)]
pub enum SandboxError {
    #[error("the kernel is shut down; create a new TGP to go on")]
    Closed,
    #[error(
        "the sandbox worker could not be started: {reason}. Reinstall @tgp/core so that the tgp-sandbox executable is in place and may be run"
    )]
    CannotStart { reason: String },
    #[error(
        "{most} runs are waiting already, and no more may wait (sandbox.queue). Run fewer at once, or try again in a moment"
    )]
    QueueFull { most: usize },
    #[error(
        "the run has waited {waited_ms} ms for a worker, and may not wait longer (sandbox.queueMs); nothing of it has run. Run fewer at once, or try again later"
    )]
    QueueTimeout { waited_ms: u128 },
    #[error(
        "the sandbox worker died before it could begin, several times in a row; the machine may be out of memory, or the limit on its address space (ulimit -v) too low for V8"
    )]
    KeepsDying,
    #[error(
        "the sandbox failed inside, which is a defect of its own; the application goes on. Try again, and report it"
    )]
    Panicked,
}

impl PartError for SandboxError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::Closed => ErrorCode::Shutdown,
            Self::QueueFull { .. } | Self::QueueTimeout { .. } => ErrorCode::Limit,
            Self::CannotStart { .. } | Self::KeepsDying => ErrorCode::IsolateCrashed,
            Self::Panicked => ErrorCode::Internal,
        }
    }
}
