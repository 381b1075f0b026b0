//! What a rule is, and what it finds.

use swc_core::common::Span;

use super::diagnostic::Severity;
use super::subject::Subject;

/// One thing that a tool is judged by. Each lives in a file of its own under `rules/`.
pub(super) struct Rule {
    /// Stable name, as configuration and `tgp-ignore` comments spell it.
    pub(super) id: &'static str,
    /// The standard that it guards, 1 to 8.
    pub(super) standard: Option<u8>,
    /// What a finding weighs unless the configuration says otherwise.
    pub(super) severity: Severity,
    pub(super) guards: Guards,
    pub(super) check: fn(&Subject<'_>, &mut Findings),
}

/// What a rule is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Guards {
    /// The sandbox: a tool that breaks it is not run for an agent, and no comment suppresses it.
    Safety,
    /// The quality of the tool.
    Quality,
}

/// A finding before it has a severity and a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: String,
    pub(super) edit: Option<Edit>,
}

/// Text that takes the place of a span, without changing what a correct tool does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Edit {
    pub(super) span: Span,
    pub(super) text: String,
}

/// Findings of one rule on one source: enough to learn from, bounded for sources made of nothing else.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Finding>);

/// A model repairs a handful at a time; hundreds only push the rest out of its context.
const MAX_PER_RULE: usize = 20;

impl Findings {
    pub(super) fn add(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.push(Finding { span, message: message.into(), help: help.into(), edit: None });
    }

    pub(super) fn add_fixable(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>, edit: Edit) {
        self.push(Finding { span, message: message.into(), help: help.into(), edit: Some(edit) });
    }

    fn push(&mut self, finding: Finding) {
        if self.0.len() < MAX_PER_RULE && !self.0.iter().any(|known| known.span == finding.span) {
            self.0.push(finding);
        }
    }

    pub(super) fn into_vec(self) -> Vec<Finding> {
        self.0
    }
}
