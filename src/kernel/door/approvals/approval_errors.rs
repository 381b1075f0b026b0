//! Errors of calls that need approval and were not approved.

use crate::kernel::finding_line::sentence;
use tgp_base::error::{Error, ErrorCode};
use tgp_policy::Verdict;

/// The approver's name in the ledger if no approver has decided: the approval failed, timed out or expired.
const NO_APPROVER: &str = "nobody";

/// The error of a call that needs approval where no approver can be asked.
pub fn no_approver(tool: &str, verdict: &Verdict) -> Error {
    let Verdict { rule, at, reason, .. } = verdict;
    let (reason, instead) = (sentence(reason), instead(verdict));
    let text = format!(
        "{tool} needs approval by rule '{rule}' ({at}): {reason} No approver can be asked here. Do something else, or tell your user that it needs approval.{instead}"
    );
    with_details(text, verdict)
}

/// The error of a call that was not approved.
pub fn not_approved(tool: &str, verdict: &Verdict, by: &str, reason: Option<&str>) -> Error {
    let Verdict { rule, at, .. } = verdict;
    let (who, advice) = if by == NO_APPROVER {
        let again =
            "No approver has refused it: make the same call again when it can be approved, or do something else.";
        (String::new(), again)
    } else {
        (format!(" by {by}"), "Do not repeat the same call; do something else, or ask your user.")
    };
    let why = reason.map_or_else(|| ".".to_owned(), |reason| format!(": {}", sentence(reason)));
    let instead = instead(verdict);
    let text = format!("{tool} was not approved{who} (rule '{rule}', {at}){why} {advice}{instead}");
    with_details(text, verdict)
}

fn instead(verdict: &Verdict) -> String {
    verdict.nearest.as_ref().map(|nearest| format!(" Allowed without asking: {nearest}")).unwrap_or_default()
}

fn with_details(text: String, verdict: &Verdict) -> Error {
    let mut error = Error::new(ErrorCode::Approval, text);
    error.details = verdict.details();
    error
}

#[cfg(test)]
mod tests {
    use super::{no_approver, not_approved};
    use tgp_policy::{Decision, Verdict};

    fn asks() -> Verdict {
        let nearest = Some("read_file (rule 'reads').".to_owned());
        let (rule, at, reason) = ("runs".into(), "p.yaml:3".into(), "Runs cost money".into());
        Verdict { decision: Decision::Ask, rule, at, reason, nearest }
    }

    #[test]
    fn only_a_refusal_by_an_approver_advises_against_the_same_call() {
        assert_eq!(
            not_approved("exec_tool", &asks(), "ann", Some("Not today")).message,
            "exec_tool was not approved by ann (rule 'runs', p.yaml:3): Not today. Do not repeat the same call; do \
             something else, or ask your user. Allowed without asking: read_file (rule 'reads')."
        );
        assert_eq!(
            not_approved("exec_tool", &asks(), "nobody", Some("The approval has expired.")).message,
            "exec_tool was not approved (rule 'runs', p.yaml:3): The approval has expired. No approver has refused \
             it: make the same call again when it can be approved, or do something else. Allowed without asking: \
             read_file (rule 'reads')."
        );
    }

    #[test]
    fn the_reason_of_the_rule_is_not_the_reason_why_no_approver_is_asked() {
        assert_eq!(
            no_approver("exec_tool", &asks()).message,
            "exec_tool needs approval by rule 'runs' (p.yaml:3): Runs cost money. No approver can be asked here. \
             Do something else, or tell your user that it needs approval. Allowed without asking: read_file (rule 'reads')."
        );
    }
}
