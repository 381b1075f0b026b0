//! Parses ids and reasons, which refusals name.

use super::fault::{Fault, shown};
use super::fields::{Fields, text};
use super::node::Node;

const MAX_ID_BYTES: usize = 64;
const MAX_REASON_BYTES: usize = 500;

/// `what` names the entry in messages, as in "A rule".
pub(super) fn read_id<'n>(fields: &Fields<'n>, what: &str) -> Result<&'n str, Fault> {
    let Some(member) = fields.get("id") else {
        return Err(Fault::new(fields.place, format!("{what} needs an 'id', which refusals name.")));
    };
    let id = text(&member.value, "The id")?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.' | ':');
    if id.is_empty() || id.len() > MAX_ID_BYTES || !id.chars().all(plain) {
        let message =
            format!("The id '{}' must be 1 to {MAX_ID_BYTES} letters, digits and '-', '_', '.', ':'.", shown(id));
        return Err(Fault::new(&member.value.place, message));
    }
    if matches!(id, "default" | "token") {
        return Err(Fault::new(&member.value.place, format!("The id '{id}' is reserved. Choose another.")));
    }
    Ok(id)
}

pub(super) fn read_reason(node: &Node) -> Result<&str, Fault> {
    let reason = text(node, "The reason")?;
    if reason.trim().is_empty() || reason.len() > MAX_REASON_BYTES {
        return Err(Fault::new(&node.place, format!("The reason must have 1 to {MAX_REASON_BYTES} bytes.")));
    }
    Ok(reason.trim())
}
