//! Errors of a PostgreSQL connection.

use crate::ledger_error::{LedgerError, Reason};
use std::io::{Error, ErrorKind};

/// The five characters of a PostgreSQL error code. Its message is not kept, since it may contain recorded data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct SqlState(pub(super) [u8; 5]);

impl SqlState {
    /// A missing table.
    pub(super) const NO_TABLE: Self = Self(*b"42P01");
    /// A missing schema.
    pub(super) const NO_SCHEMA: Self = Self(*b"3F000");
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// The connection failed.
    Lost,
    /// No answer in time.
    Late,
    /// The server violated the protocol.
    Garbled,
    /// The server returned an error.
    Refused(SqlState),
    /// The server is unusable for this reason.
    Unfit(Reason),
    /// The schema is of a newer version.
    Newer,
}

impl Failure {
    /// Whether another connection may succeed at once.
    pub(super) fn may_pass(self) -> bool {
        match self {
            Self::Lost => true,
            // The server stops or starts, or aborted the transaction in favour of another one.
            Self::Refused(SqlState(state)) => {
                matches!(&state, b"57P01" | b"57P02" | b"57P03" | b"40001" | b"40P01" | b"25P02" | b"25P03")
                    || state.starts_with(b"08")
            }
            Self::Late | Self::Garbled | Self::Unfit(_) | Self::Newer => false,
        }
    }

    fn reason(self) -> Reason {
        match self {
            Self::Lost | Self::Garbled => Reason::Connection,
            Self::Late => Reason::Late,
            Self::Unfit(reason) => reason,
            Self::Refused(state) => reason_of(state),
            Self::Newer => Reason::Refused,
        }
    }
}

fn reason_of(SqlState(state): SqlState) -> Reason {
    match &state {
        b"42501" => Reason::NotAllowed,
        b"53100" => Reason::DiskFull,
        b"25006" => Reason::ReadOnlyDatabase,
        b"57014" | b"55P03" => Reason::Busy,
        b"3D000" => Reason::NoDatabase,
        b"53300" => Reason::TooManyConnections,
        b"XX001" | b"XX002" => Reason::Damaged,
        [b'2', b'8', ..] => Reason::Login,
        [b'4', b'2', b'P', ..] | [b'3', b'F', ..] => Reason::NotFound,
        [b'0', b'8', ..] | [b'5', b'7', b'P', ..] => Reason::Connection,
        _ => Reason::Refused,
    }
}

impl From<Failure> for LedgerError {
    fn from(failure: Failure) -> Self {
        let reason = failure.reason();
        if failure == Failure::Newer {
            Self::NewerSchema
        } else if reason == Reason::Damaged {
            Self::Unreadable(reason)
        } else {
            Self::Unreachable(reason)
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        if matches!(error.kind(), ErrorKind::TimedOut | ErrorKind::WouldBlock) { Self::Late } else { Self::Lost }
    }
}
