//! What a rule is, and what it finds.

use swc_core::common::Span;

use crate::diagnostics::diagnostic::Severity;
use crate::subject::subject::Subject;

/// One thing that a tool is judged by. Each lives in a file of its own under `rules/`.
pub(crate) struct Rule {
    /// Stable name, as configuration and `tgp-ignore` comments spell it.
    pub(crate) id: &'static str,
    /// The standard that it guards, 1 to 8.
    pub(crate) standard: Option<u8>,
    /// What a finding weighs unless the configuration says otherwise.
    pub(crate) severity: Severity,
    pub(crate) guards: Guards,
    pub(crate) check: fn(&Subject<'_>, &mut Findings),
}

impl Rule {
    /// What this rule finds in a source.
    pub(crate) fn findings(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = Findings::default();
        (self.check)(subject, &mut findings);
        findings.0
    }
}

/// What a rule is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guards {
    /// The sandbox: a tool that breaks it is not run for an agent, and no comment suppresses it.
    Safety,
    /// The quality of the tool.
    Quality,
}

/// A finding before it has a severity and a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Finding {
    pub(crate) span: Span,
    pub(crate) message: String,
    pub(crate) help: String,
    pub(crate) edit: Option<Edit>,
}

/// Text that takes the place of a span, without changing what a correct tool does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// Findings of one rule on one source: enough to learn from, bounded for sources made of nothing else.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

/// A model repairs a handful at a time; hundreds only push the rest out of its context.
pub(crate) const MAX_PER_RULE: usize = 20;

impl Findings {
    pub(crate) fn add(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.push(Finding { span, message: message.into(), help: help.into(), edit: None });
    }

    pub(crate) fn add_fixable(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>, edit: Edit) {
        self.push(Finding { span, message: message.into(), help: help.into(), edit: Some(edit) });
    }

    fn push(&mut self, finding: Finding) {
        if self.0.len() < MAX_PER_RULE && !self.0.iter().any(|known| known.span == finding.span) {
            self.0.push(finding);
        }
    }
}
