//! Values that the configuration must not have.

use tgp_base::error::{Error, ErrorCode};

/// Why a value is refused, by the name of its key.
pub fn refused(key: &str, why: &str) -> Error {
    Error::new(ErrorCode::Config, format!("{key} {why}.")).with("key", key)
}

/// Refuses what is empty or longer than a line.
pub fn check_line(key: &str, value: &str) -> Result<(), Error> {
    if value.trim().is_empty() || value.contains(['\0', '\n', '\r']) {
        return Err(refused(key, "must be one line of text that is not empty"));
    }
    Ok(())
}
