//! Errors of invalid configuration values.

use tgp_base::error::{Error, ErrorCode};

/// The error for an invalid value: the key and why it is refused.
pub fn refused(key: &str, why: &str) -> Error {
    Error::new(ErrorCode::Config, format!("{key} {why}.")).with("key", key)
}

/// Refuses a value that is empty or has several lines.
pub fn check_line(key: &str, value: &str) -> Result<(), Error> {
    if value.trim().is_empty() || value.contains(['\0', '\n', '\r']) {
        return Err(refused(key, "must be one line of text that is not empty"));
    }
    Ok(())
}
