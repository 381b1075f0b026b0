//! All rules on one source, with the severities that the configuration gives them.

use std::collections::HashMap;

use swc_core::common::comments::SingleThreadedComments;
use swc_core::ecma::ast::Module;

use super::suppression::Suppressions;
use super::test_file::{is_asked_of_tests, is_test_file};
use crate::diagnostics::diagnostic::{Diagnostic, Fix, Severity};
use crate::imports::interface::{ImportedName, imported_names};
use crate::imports::reference::{Reference, named};
use crate::parse::language::Language;
use crate::positions::source_index::{FIRST_POS, SourceIndex};
use crate::rules::rule::{Finding, Guards, MAX_PER_RULE, Rule};
use crate::rules::{RULES, no_secrets};
use crate::subject::entry::Entry;
use crate::subject::subject::Subject;
use crate::syntax::comments::sorted;
use crate::syntax::resolve::resolve;

/// The rule of comments that suppress nothing.
const SUPPRESSION: &str = "suppression";
/// Findings beyond these are not reported; errors come first.
const MAX_FINDINGS: usize = 100;
/// Findings of the TypeScript checker, which runs outside this part.
pub const TYPES: &str = "types";
/// Names that are imported and not there: who has the other files finds them.
pub const MISSING_EXPORT: &str = "missing-export";

/// How sources are judged.
#[derive(Debug, Clone, Default)]
pub struct LintOptions {
    /// Packages that tools may import, with all that lies below them.
    pub allowed_imports: Vec<String>,
    /// What differs from the rules' own severities; `None` turns a rule off.
    pub severities: HashMap<String, Option<Severity>>,
}

/// What the rules say about a source.
#[derive(Debug, Clone, Default)]
pub struct LintResult {
    /// In the order of the source.
    pub diagnostics: Vec<Diagnostic>,
    /// Lines on which a comment covers findings of the type checker.
    pub types_ignored: Vec<u32>,
    /// Lines on which a comment covers names that do not exist where they are imported from.
    pub exports_ignored: Vec<u32>,
    /// The names that the source imports.
    pub imported: Vec<ImportedName>,
    /// Every file or package that the source names; `None` when it does not compile.
    pub references: Option<Vec<Reference>>,
}

/// Every name that `severities` may hold.
#[must_use]
pub fn rule_ids() -> Vec<&'static str> {
    RULES.iter().map(|rule| rule.id).chain([SUPPRESSION, TYPES, MISSING_EXPORT]).collect()
}

/// Whether an agent's run is refused for a finding of this rule.
#[must_use]
pub fn is_safety(rule: &str) -> bool {
    RULES.iter().any(|known| known.id == rule && known.guards == Guards::Safety)
}

impl LintOptions {
    /// What a finding of this rule weighs; `None` when the rule is off.
    #[must_use]
    pub fn severity_of(&self, rule: &str, usual: Severity) -> Option<Severity> {
        self.severities.get(rule).copied().unwrap_or(Some(usual))
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
    let (module, names) = resolve(module, language);
    let entry = Entry::of(&module, &names);
    let subject = Subject {
        path,
        source,
        module: &module,
        names: &names,
        entry,
        comments: sorted(comments),
        allowed_imports: &options.allowed_imports,
    };
    judge(&subject, options)
}

/// The secrets in a source that nobody has excused.
pub(crate) fn secrets(
    path: &str,
    source: &str,
    module: Module,
    comments: SingleThreadedComments,
    language: Language,
) -> Vec<Diagnostic> {
    let (module, names) = resolve(module, language);
    let entry = Entry::of(&module, &names);
    let comments = sorted(comments);
    let subject = Subject { path, source, module: &module, names: &names, entry, comments, allowed_imports: &[] };
    let index = SourceIndex::new(source);
    let suppressions = Suppressions::of(&subject, &index, &RULES, &[TYPES]);
    let rule = &no_secrets::RULE;
    let all: Vec<Diagnostic> = rule
        .findings(&subject)
        .into_iter()
        .map(|finding| labelled_diagnostic(finding, rule, rule.severity, &index))
        .collect();
    // A rule ends at so many: what comes after them was not looked at.
    if all.len() >= MAX_PER_RULE {
        return all;
    }
    all.into_iter().filter(|found| !suppressions.covers(rule.id, found.line)).collect()
}

fn judge(subject: &Subject<'_>, options: &LintOptions) -> LintResult {
    let index = SourceIndex::new(subject.source);
    let suppressions = Suppressions::of(subject, &index, &RULES, &[TYPES, MISSING_EXPORT]);
    let mut diagnostics = Vec::new();
    let is_test = is_test_file(subject.path);
    for rule in RULES.into_iter().filter(|rule| !is_test || is_asked_of_tests(rule.id)) {
        let Some(severity) = options.severity_of(rule.id, rule.severity) else { continue };
        for finding in rule.findings(subject) {
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
    let references = named(subject.module, subject.names.unresolved, &subject.comments, &index);
    LintResult {
        diagnostics,
        types_ignored: suppressions.lines(TYPES),
        exports_ignored: suppressions.lines(MISSING_EXPORT),
        imported: imported_names(subject.module, &index),
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

/// The message behind what it violates, as users of old look for it.
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
