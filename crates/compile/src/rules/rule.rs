//! The definition of a lint rule, and its findings.

use swc_core::common::Span;

use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::rule_context::RuleContext;

/// A lint rule. Each is in its own file in `rules/`.
pub(crate) struct Rule {
    /// Stable id, as used in the configuration and in `tgp-ignore` comments.
    pub(crate) id: &'static str,
    /// The standard that it enforces, 1 to 8.
    pub(crate) standard: Option<u8>,
    /// Default severity; the configuration may override it.
    pub(crate) severity: Severity,
    pub(crate) guards: Guards,
    pub(crate) check: fn(&RuleContext<'_>, &mut Findings),
}

impl Rule {
    /// The findings of this rule in a source.
    pub(crate) fn findings(&self, context: &RuleContext<'_>) -> Vec<Finding> {
        let mut findings = Findings::default();
        (self.check)(context, &mut findings);
        findings.0
    }
}

/// What a rule protects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Guards {
    /// Safety: a tool that violates it is not run for an agent, and comments cannot suppress it.
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
    /// Without doubt a violation: advice becomes an error if the check is strict.
    pub(crate) is_clear: bool,
}

/// A replacement of a span that does not change the behaviour of a correct tool.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Edit {
    pub(crate) span: Span,
    pub(crate) text: String,
}

/// The findings of one rule in one source, up to a maximum.
#[derive(Debug, Default)]
pub(crate) struct Findings(Vec<Finding>);

/// Maximum findings per rule: a model fixes a few at a time, and more would fill its context.
pub(crate) const MAX_PER_RULE: usize = 20;

impl Findings {
    pub(crate) fn add(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.push(Finding { span, message: message.into(), help: help.into(), edit: None, is_clear: false });
    }

    /// Adds a finding that is an error if the check is strict and `is_clear`.
    pub(crate) fn add_advice(&mut self, span: Span, message: &str, help: impl Into<String>, is_clear: bool) {
        self.push(Finding { span, message: message.to_owned(), help: help.into(), edit: None, is_clear });
    }

    pub(crate) fn add_fixable(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>, edit: Edit) {
        self.push(Finding { span, message: message.into(), help: help.into(), edit: Some(edit), is_clear: false });
    }

    fn push(&mut self, finding: Finding) {
        if self.0.len() < MAX_PER_RULE && !self.0.iter().any(|known| known.span == finding.span) {
            self.0.push(finding);
        }
    }
}
