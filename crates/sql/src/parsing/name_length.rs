//! The maximum length of a name.

use super::cursor::{ScanResult, ScanStop};
use crate::dialects::DialectRules;
use crate::sql_error::refused;

/// Refuses a name that the database would truncate, so that two spellings would be the same table.
pub(super) fn check_length(rules: &DialectRules, bytes: usize) -> ScanResult {
    let Some(most) = rules.max_name_bytes.filter(|most| bytes > *most) else { return Ok(()) };
    let what = format!("a name of more than {most} bytes is not accepted, because {} would truncate it", rules.name);
    Err(ScanStop::Refused(refused(what, "Write the truncated name.")))
}
