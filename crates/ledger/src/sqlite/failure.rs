//! Conversion of SQLite errors to ledger errors.

use crate::ledger_error::{LedgerError, Reason};
use rusqlite::{Error, ErrorCode};

/// Converts an error of a write.
pub fn write_failure(error: &Error) -> LedgerError {
    LedgerError::Unwritable(reason(error))
}

/// Converts an error of a read.
pub fn read_failure(error: &Error) -> LedgerError {
    LedgerError::Unreadable(reason(error))
}

fn reason(error: &Error) -> Reason {
    let Some(code) = error.sqlite_error_code() else {
        // Values with other types than their columns.
        return Reason::Damaged;
    };
    // Not an exhaustive match: SQLite may add codes.
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

/// Whether a code means a damaged file. SQLite returns `Unknown` for an unreadable schema.
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
