//! What SQLite says, in the ledger's words.

use super::ledger_error::{LedgerError, Reason};
use rusqlite::{Error, ErrorCode};

/// A failure while writing.
pub fn write_failure(error: &Error) -> LedgerError {
    LedgerError::Unwritable(reason(error))
}

/// A failure while reading.
pub fn read_failure(error: &Error) -> LedgerError {
    LedgerError::Unreadable(reason(error))
}

fn reason(error: &Error) -> Reason {
    let Some(code) = error.sqlite_error_code() else {
        // Values of other types than their columns have.
        return Reason::Damaged;
    };
    // SQLite may know more codes than these one day.
    if code == ErrorCode::DiskFull {
        Reason::DiskFull
    } else if code == ErrorCode::ReadOnly {
        Reason::ReadOnlyDisk
    } else if matches!(code, ErrorCode::PermissionDenied | ErrorCode::AuthorizationForStatementDenied) {
        Reason::NotAllowed
    } else if matches!(code, ErrorCode::CannotOpen | ErrorCode::NotFound) {
        Reason::NotFound
    } else if matches!(code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed)
    {
        Reason::Busy
    } else if is_damage(code) {
        Reason::Damaged
    } else {
        Reason::Refused
    }
}

/// Do these codes say that the file's bytes make no sense? `Unknown` is what a schema gets that cannot be read.
const fn is_damage(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::SchemaChanged
            | ErrorCode::Unknown
            | ErrorCode::TooBig
    )
}
