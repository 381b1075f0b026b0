//! The linter: runs all rules on one source, with the configured severities.

use std::collections::HashMap;

use swc_core::common::comments::SingleThreadedComments;
use swc_core::ecma::ast::Module;

use super::suppression::Suppressions;
use super::test_rules::applies_to_tests;
use crate::diagnostics::diagnostic::{Diagnostic, Fix, Severity};
use crate::imports::module_exports::{ImportedName, imported_names};
use crate::imports::reference::{Reference, find_references};
use crate::imports::test_file::is_test_file;
use crate::parse::language::Language;
use crate::positions::source_index::{FIRST_POS, SourceIndex};
use crate::rule_context::entry::Entry;
use crate::rule_context::rule_context::RuleContext;
use crate::rules::rule::{Finding, Guards, MAX_PER_RULE, Rule};
use crate::rules::{RULES, no_secrets};
use crate::syntax::comments::sorted_comments;
use crate::syntax::resolve::resolve;

/// Id for findings about suppression comments without effect.
const SUPPRESSION: &str = "suppression";
/// Maximum number of findings reported; errors take precedence.
const MAX_FINDINGS: usize = 100;
/// Id for findings of the TypeScript checker, which runs outside this crate.
pub const TYPES: &str = "types";
/// Id for imported names that do not exist. The kernel finds them, because it has access to the other files.
pub const MISSING_EXPORT: &str = "missing-export";

/// Options of the linter.
#[derive(Debug, Clone, Default)]
pub struct LintOptions {
    /// Packages that tools may import, with all their files.
    pub allowed_imports: Vec<String>,
    /// Overrides of the rules' default severities; `None` turns a rule off.
    pub severities: HashMap<String, Option<Severity>>,
    /// Whether clear violations of rules that advise are errors.
    pub is_strict: bool,
}

/// Result of a lint.
#[derive(Debug, Clone, Default)]
pub struct LintResult {
    /// In source order.
    pub diagnostics: Vec<Diagnostic>,
    /// Lines on which a comment suppresses findings of the type checker.
    pub types_ignored: Vec<u32>,
    /// Lines on which a comment suppresses `missing-export`.
    pub exports_ignored: Vec<u32>,
    /// The names that the source imports.
    pub imported: Vec<ImportedName>,
    /// Every file or package that the source names; `None` when it does not compile.
    pub references: Option<Vec<Reference>>,
}

/// Every rule id that `severities` accepts.
#[must_use]
pub fn rule_ids() -> Vec<&'static str> {
    RULES.iter().map(|rule| rule.id).chain([SUPPRESSION, TYPES, MISSING_EXPORT]).collect()
}

/// Whether a finding of this rule blocks a run by an agent.
#[must_use]
pub fn is_safety(rule: &str) -> bool {
    RULES.iter().any(|known| known.id == rule && known.guards == Guards::Safety)
}

impl LintOptions {
    /// The severity of a rule; `None` when the rule is off.
    #[must_use]
    pub fn severity_of(&self, rule: &str, usual: Severity) -> Option<Severity> {
        self.severities.get(rule).copied().unwrap_or(Some(usual))
    }

    fn severity_of_finding(&self, rule: &Rule, finding: &Finding) -> Option<Severity> {
        let usual = if self.is_strict && finding.is_clear { Severity::Error } else { rule.severity };
        self.severity_of(rule.id, usual)
    }
}

pub(crate) fn lint(
    path: &str,
    source: &str,
    module: Module,
    comments: SingleThreadedComments,
    language: Language,
    options: &LintOptions,
) -> LintResult {
    let (module, names) = resolve(module, source, language);
    let entry = Entry::of(&module, &names);
    let context = RuleContext {
        path,
        source,
        module: &module,
        names: &names,
        entry,
        comments: sorted_comments(comments),
        allowed_imports: &options.allowed_imports,
    };
    run_rules(&context, options)
}

/// The secrets in a source that no comment suppresses.
pub(crate) fn secrets(
    path: &str,
    source: &str,
    module: Module,
    comments: SingleThreadedComments,
    language: Language,
) -> Vec<Diagnostic> {
    let (module, names) = resolve(module, source, language);
    let entry = Entry::of(&module, &names);
    let comments = sorted_comments(comments);
    let context = RuleContext { path, source, module: &module, names: &names, entry, comments, allowed_imports: &[] };
    let index = SourceIndex::new(source);
    let suppressions = Suppressions::of(&context, &index, &RULES, &[TYPES]);
    let rule = &no_secrets::RULE;
    let all: Vec<Diagnostic> = rule
        .findings(&context)
        .into_iter()
        .map(|finding| labelled_diagnostic(finding, rule, rule.severity, &index))
        .collect();
    // A rule stops at its maximum, so a suppressed finding may have hidden a later one: report all.
    if all.len() >= MAX_PER_RULE {
        return all;
    }
    all.into_iter().filter(|found| !suppressions.covers(rule.id, found.line)).collect()
}

fn run_rules(context: &RuleContext<'_>, options: &LintOptions) -> LintResult {
    let index = SourceIndex::new(context.source);
    let suppressions = Suppressions::of(context, &index, &RULES, &[TYPES, MISSING_EXPORT]);
    let mut diagnostics = Vec::new();
    let is_test = is_test_file(context.path);
    for rule in RULES.into_iter().filter(|rule| !is_test || applies_to_tests(rule.id)) {
        if options.severity_of(rule.id, rule.severity).is_none() {
            continue;
        }
        for finding in rule.findings(context) {
            let Some(severity) = options.severity_of_finding(rule, &finding) else { continue };
            let diagnostic = labelled_diagnostic(finding, rule, severity, &index);
            if rule.guards == Guards::Safety || !suppressions.covers(rule.id, diagnostic.line) {
                diagnostics.push(diagnostic);
            }
        }
    }
    if let Some(severity) = options.severity_of(SUPPRESSION, Severity::Warning) {
        let faults = suppressions.faults.iter().cloned();
        diagnostics.extend(faults.map(|fault| to_diagnostic(fault, SUPPRESSION, None, severity, &index)));
    }
    if diagnostics.len() > MAX_FINDINGS {
        diagnostics.sort_by_key(|found| found.severity != Severity::Error);
        diagnostics.truncate(MAX_FINDINGS);
    }
    diagnostics.sort_by_key(|found| (found.line, found.column));
    let references = find_references(context.module, context.names.unresolved, &context.comments, &index);
    LintResult {
        diagnostics,
        types_ignored: suppressions.lines(TYPES),
        exports_ignored: suppressions.lines(MISSING_EXPORT),
        imported: imported_names(context.module, &index),
        references: Some(references),
    }
}

fn labelled_diagnostic(finding: Finding, rule: &Rule, severity: Severity, index: &SourceIndex<'_>) -> Diagnostic {
    let mut diagnostic = to_diagnostic(finding, rule.id, rule.standard, severity, index);
    if severity != Severity::Advice {
        diagnostic.message = labelled(rule, &diagnostic.message);
    }
    diagnostic
}

/// The message with a prefix that names the violated standard. Users of the earlier package match on this prefix.
fn labelled(rule: &Rule, message: &str) -> String {
    match (rule.standard, rule.guards) {
        (Some(standard), _) => format!("Violation [Standard {standard}]: {message}"),
        (None, Guards::Safety) => format!("Violation [Safety]: {message}"),
        (None, Guards::Quality) => message.to_owned(),
    }
}

fn to_diagnostic(
    finding: Finding,
    rule: &str,
    standard: Option<u8>,
    severity: Severity,
    index: &SourceIndex<'_>,
) -> Diagnostic {
    let start = index.position(finding.span.lo);
    let end = index.position(finding.span.hi.max(finding.span.lo));
    let fix = finding.edit.map(|edit| {
        let (start, end) = (index.position(edit.span.lo), index.position(edit.span.hi));
        Fix {
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
            text: edit.text,
            bytes: offset(edit.span.lo.0)..offset(edit.span.hi.0),
        }
    });
    Diagnostic {
        rule: rule.to_owned(),
        standard,
        severity,
        message: finding.message,
        line: start.line,
        column: start.column,
        end_line: end.line,
        end_column: end.column,
        help: Some(finding.help),
        fix,
    }
}

fn offset(at: u32) -> usize {
    at.saturating_sub(FIRST_POS.0) as usize
}
