//! Suppression comments: `// tgp-ignore rule-id: reason`.
//!
//! A comment after code applies to its own line; a comment on its own line applies to the next line. A comment without a
//! reason has no effect, and safety rules cannot be suppressed.

use swc_core::common::Span;

use crate::positions::source_index::{FIRST_POS, SourceIndex};
use crate::rule_context::rule_context::RuleContext;
use crate::rules::rule::{Finding, Guards, Rule};

const DIRECTIVE: &str = "tgp-ignore";
/// Maximum number of reported comments without effect: a source may have any number.
const MAX_FAULTS: usize = 100;
const FORM: &str =
    "Write `// tgp-ignore rule-id: reason` on the line of the finding or the line above, or fix the finding.";

/// The suppressions of one source.
#[derive(Debug, Default)]
pub(crate) struct Suppressions {
    covered: Vec<(String, u32)>,
    /// Comments without effect, and why.
    pub(crate) faults: Vec<Finding>,
}

impl Suppressions {
    /// `rules` are all rules; `others` are further accepted ids.
    pub(crate) fn of(context: &RuleContext<'_>, index: &SourceIndex<'_>, rules: &[&Rule], others: &[&str]) -> Self {
        let mut found = Self::default();
        for comment in &context.comments {
            let Some(rest) = comment.text.trim_start().strip_prefix(DIRECTIVE) else { continue };
            let (ids, reason) = rest.split_once(':').unwrap_or((rest, ""));
            let line = covered_line(context, index, comment.span);
            let ids: Vec<&str> = ids.split([',', ' ']).map(str::trim).filter(|id| !id.is_empty()).collect();
            if ids.is_empty() || reason.trim().is_empty() {
                let message = "A tgp-ignore comment without a rule id and a reason has no effect";
                found.fault(comment.span, || (message.to_owned(), FORM.to_owned()));
                continue;
            }
            for id in ids {
                match rules.iter().find(|rule| rule.id == id) {
                    Some(rule) if rule.guards == Guards::Safety => {
                        let help = "Remove the comment, and fix the finding.";
                        let message = || format!("'{id}' guards the sandbox and cannot be ignored");
                        found.fault(comment.span, || (message(), help.to_owned()));
                    }
                    Some(_) => found.covered.push((id.to_owned(), line)),
                    None if others.contains(&id) => found.covered.push((id.to_owned(), line)),
                    None => found.fault(comment.span, || {
                        let help = format!("The rules that can be ignored are {}.", ignorable(rules, others));
                        (format!("There is no rule '{id}' to ignore"), help)
                    }),
                }
            }
        }
        found
    }

    pub(crate) fn covers(&self, rule: &str, line: u32) -> bool {
        self.covered.iter().any(|(id, covered)| id == rule && *covered == line)
    }

    /// The lines on which this rule is suppressed.
    pub(crate) fn lines(&self, rule: &str) -> Vec<u32> {
        self.covered.iter().filter(|(id, _)| id == rule).map(|(_, line)| *line).collect()
    }

    /// Adds a comment without effect; `describe` returns the message and the help.
    fn fault(&mut self, span: Span, describe: impl FnOnce() -> (String, String)) {
        if self.faults.len() < MAX_FAULTS {
            let (message, help) = describe();
            self.faults.push(Finding { span, message, help, edit: None, is_clear: false });
        }
    }
}

/// The ids of the rules that can be suppressed, and `others`.
fn ignorable(rules: &[&Rule], others: &[&str]) -> String {
    let quality = rules.iter().filter(|rule| rule.guards == Guards::Quality).map(|rule| rule.id);
    quality.chain(others.iter().copied()).collect::<Vec<_>>().join(", ")
}

fn covered_line(context: &RuleContext<'_>, index: &SourceIndex<'_>, span: Span) -> u32 {
    let own = index.position(span.lo);
    let before = context.text(Span::new(FIRST_POS, span.lo)).unwrap_or_default();
    // Scans backwards and stops at the first letter: a line may have any number of comments.
    let is_beside_code =
        before.chars().rev().take_while(|letter| !matches!(letter, '\n' | '\r')).any(|letter| !letter.is_whitespace());
    if is_beside_code { own.line } else { index.position(span.hi).line + 1 }
}
