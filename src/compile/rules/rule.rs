//! What a rule is, and what it finds.

use swc_core::common::Span;

use crate::compile::diagnostics::diagnostic::Severity;
use crate::compile::subject::subject::Subject;

/// One thing that a tool is judged by. Each lives in a file of its own under `rules/`.
pub(in crate::compile) struct Rule {
    /// Stable name, as configuration and `tgp-ignore` comments spell it.
    pub(in crate::compile) id: &'static str,
    /// The standard that it guards, 1 to 8.
    pub(in crate::compile) standard: Option<u8>,
    /// What a finding weighs unless the configuration says otherwise.
    pub(in crate::compile) severity: Severity,
    pub(in crate::compile) guards: Guards,
    pub(in crate::compile) check: fn(&Subject<'_>, &mut Findings),
}

impl Rule {
    /// What this rule finds in a source.
    pub(in crate::compile) fn findings(&self, subject: &Subject<'_>) -> Vec<Finding> {
        let mut findings = Findings::default();
        (self.check)(subject, &mut findings);
        findings.0
    }
}

/// What a rule is there for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::compile) enum Guards {
    /// The sandbox: a tool that breaks it is not run for an agent, and no comment suppresses it.
    Safety,
    /// The quality of the tool.
    Quality,
}

/// A finding before it has a severity and a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::compile) struct Finding {
    pub(in crate::compile) span: Span,
    pub(in crate::compile) message: String,
    pub(in crate::compile) help: String,
    pub(in crate::compile) edit: Option<Edit>,
}

/// Text that takes the place of a span, without changing what a correct tool does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::compile) struct Edit {
    pub(in crate::compile) span: Span,
    pub(in crate::compile) text: String,
}

/// Findings of one rule on one source: enough to learn from, bounded for sources made of nothing else.
#[derive(Debug, Default)]
pub(in crate::compile) struct Findings(Vec<Finding>);

/// A model repairs a handful at a time; hundreds only push the rest out of its context.
pub(in crate::compile) const MAX_PER_RULE: usize = 20;

impl Findings {
    pub(in crate::compile) fn add(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.push(Finding { span, message: message.into(), help: help.into(), edit: None });
    }

    pub(in crate::compile) fn add_fixable(
        &mut self,
        span: Span,
        message: impl Into<String>,
        help: impl Into<String>,
        edit: Edit,
    ) {
        self.push(Finding { span, message: message.into(), help: help.into(), edit: Some(edit) });
    }

    fn push(&mut self, finding: Finding) {
        if self.0.len() < MAX_PER_RULE && !self.0.iter().any(|known| known.span == finding.span) {
            self.0.push(finding);
        }
    }
}
