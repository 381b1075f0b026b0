//! Errors of calls that need approval and were not approved.

use tgp_base::error::{Error, ErrorCode};
use tgp_policy::Verdict;

/// The approver's name in the ledger when the approver failed.
const NO_APPROVER: &str = "nobody";

/// The error of a call that needs approval where no approver can be asked.
pub fn no_approver(tool: &str, verdict: &Verdict) -> Error {
    let Verdict { rule, at, reason, nearest, .. } = verdict;
    let instead = nearest.as_ref().map(|nearest| format!(" Allowed without asking: {nearest}")).unwrap_or_default();
    let text = format!(
        "{tool} needs approval by rule '{rule}' ({at}), but no approver can be asked here: {reason}{instead} Do something else, or tell your user that it needs approval."
    );
    with_details(text, verdict)
}

/// The error of a call that was not approved.
pub fn not_approved(tool: &str, verdict: &Verdict, by: &str, reason: Option<&str>) -> Error {
    let why = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
    let Verdict { rule, at, nearest, .. } = verdict;
    let instead = nearest.as_ref().map(|nearest| format!(" Allowed without asking: {nearest}")).unwrap_or_default();
    let by = if by == NO_APPROVER { String::new() } else { format!(" by {by}") };
    let text = format!(
        "{tool} was not approved{by}{why} (rule '{rule}', {at}). Do not retry the same call; do something else, or ask your user.{instead}"
    );
    with_details(text, verdict)
}

fn with_details(text: String, verdict: &Verdict) -> Error {
    let mut error = Error::new(ErrorCode::Approval, text);
    error.details = verdict.details();
    error
}
