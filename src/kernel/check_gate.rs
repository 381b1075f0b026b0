//! What becomes of a tool that fails its check.
//!
//! The sandbox holds whatever runs in it; this is about quality, and about telling a model early.

use super::check_config::CheckMode;
use super::kernel::Kernel;
use super::module_graph::ModuleGraph;
use super::type_gate::Types;
use super::write_rules::TOOLS;
use crate::compile::{Diagnostic, Severity, is_safety};
use crate::error::{Error, ErrorCode};
use crate::vfs::JailPath;
use serde::Deserialize;

/// On whose behalf a tool is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Caller {
    #[default]
    Application,
    Agent,
}

/// Extensions of files that are checked.
const SOURCES: [&str; 6] = ["ts", "mts", "cts", "js", "mjs", "cjs"];

impl Kernel {
    /// Refuses a run of tools that the configuration does not let run, the imported ones included.
    pub(super) fn gate_run(&self, caller: Caller, graph: &ModuleGraph) -> Result<(), Error> {
        let refused: fn(&Diagnostic) -> bool = match (self.config.check, caller) {
            (CheckMode::Off, _) | (CheckMode::Warn, Caller::Application) => return Ok(()),
            (CheckMode::Warn, Caller::Agent) => |found| found.severity == Severity::Error && is_safety(&found.rule),
            (CheckMode::Strict, Caller::Application | Caller::Agent) => |found| found.severity == Severity::Error,
        };
        let tools = graph.tools();
        for (path, tool) in &tools {
            refuse(path, tool.findings(&self.compiler, path, &self.lint), refused)?;
        }
        if self.config.check == CheckMode::Strict {
            for (path, _) in &tools {
                // Nobody waits for a report here: what could not be checked is told where it is written.
                if let Types::Checked(findings) = self.check_types(path)? {
                    refuse(path, &findings, refused)?;
                }
            }
        }
        Ok(())
    }

    /// Whether [`Self::gate_run`] has nothing left to find out.
    pub(super) fn gates_quickly(&self, caller: Caller, graph: &ModuleGraph) -> bool {
        match (self.config.check, caller) {
            (CheckMode::Off, _) | (CheckMode::Warn, Caller::Application) => true,
            (CheckMode::Warn, Caller::Agent) => graph.tools().iter().all(|(_, tool)| tool.is_judged()),
            (CheckMode::Strict, Caller::Application | Caller::Agent) => false,
        }
    }

    /// What the check says of a source that is about to be kept; nothing of a file that is no tool or when checks are off.
    pub(super) fn judge_before_commit(&self, path: &JailPath, source: &str) -> Result<Judged, Error> {
        let is_tool = path.starts_with(TOOLS) && path.extension().is_some_and(|extension| SOURCES.contains(&extension));
        if !is_tool || self.config.check == CheckMode::Off {
            return Ok(Judged::default());
        }
        let mut verdict = self.compiler.check(path.as_str(), source, &self.lint);
        let mut notice = None;
        if self.config.check == CheckMode::Strict {
            match self.check_types_of(path, source.to_owned(), &verdict)? {
                Types::Checked(findings) => verdict.diagnostics.extend(findings),
                Types::Unchecked(why) => notice = why,
            }
        }
        let errors = verdict.diagnostics.iter().filter(|found| found.severity == Severity::Error);
        Ok(Judged { findings: errors.map(|found| line_of(path.as_str(), found)).collect(), notice })
    }
}

/// What was found out about a source before it is kept.
#[derive(Default)]
pub struct Judged {
    /// The errors, one line each.
    pub findings: Vec<String>,
    /// Why types were not checked.
    pub notice: Option<String>,
}

fn refuse(path: &str, findings: &[Diagnostic], refused: fn(&Diagnostic) -> bool) -> Result<(), Error> {
    let Some(first) = findings.iter().find(|found| refused(found)) else { return Ok(()) };
    let errors: Vec<String> =
        findings.iter().filter(|found| refused(found)).map(|found| line_of(path, found)).collect();
    Err(refusal(path, first, &errors))
}

/// A finding as one line of text.
pub fn line_of(path: &str, found: &Diagnostic) -> String {
    format!("{path}:{}:{}: {}", found.line, found.column, found.message)
}

fn refusal(path: &str, first: &Diagnostic, errors: &[String]) -> Error {
    let place = line_of(path, first);
    let help = first.help.as_deref().unwrap_or("Repair it, and check again.");
    let error = if is_safety(&first.rule) {
        Error::new(ErrorCode::SecurityViolation, format!("Security Violation: {place}. {help}"))
    } else {
        let count = errors.len();
        let message = format!("{path} is not run, because check_tool finds {count} error(s) in it: {place}. {help}");
        Error::new(ErrorCode::Compilation, message)
    };
    let error = error.with("path", path).with("rule", first.rule.as_str()).with("errors", errors.to_vec());
    error.with("line", first.line).with("column", first.column)
}
