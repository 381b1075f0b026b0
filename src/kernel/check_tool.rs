//! `check_tool`: what the compiler and the rules think of a tool.

use super::check_gate::line_of;
use super::kernel::Kernel;
use super::type_sources::TypeSources;
use super::write_file::Written;
use crate::compile::{Diagnostic, Severity, apply_fixes};
use crate::error::Error;
use crate::vfs::{JailPath, Vfs};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct CheckReport {
    pub valid: bool,
    /// The findings that make the tool invalid, one line each.
    pub errors: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// What a check of its types needs to see.
    pub types: TypeSources,
}

/// What became of a file whose findings were to repair themselves.
#[derive(Debug, Serialize)]
pub struct FixReport {
    /// How many repairs were made.
    pub applied: usize,
    /// The write, when there was anything to write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Written>,
}

/// Repairs can uncover others; each round takes what the one before has left.
const MOST_ROUNDS: usize = 4;

impl Kernel {
    /// Checks a tool without running it. Only a file that cannot be read is an error.
    pub fn check_tool(&self, path: &str) -> Result<CheckReport, Error> {
        let path = JailPath::parse(path)?;
        let source = self.vfs.read(&path)?;
        let verdict = self.compiler.check(path.as_str(), &source, &self.lint);
        let types = self.type_sources(&path, source, &verdict)?;
        let diagnostics = verdict.diagnostics;
        let errors = diagnostics.iter().filter(|found| found.severity == Severity::Error);
        let errors: Vec<String> = errors.map(|found| line_of(path.as_str(), found)).collect();
        Ok(CheckReport { valid: errors.is_empty(), errors, diagnostics, types })
    }

    /// Applies every repair that the findings of a tool offer, and commits the result.
    pub fn fix_tool(&self, path: &str) -> Result<FixReport, Error> {
        let path = JailPath::parse(path)?;
        let _one_writer = self.writes.lock();
        let before = self.vfs.read(&path)?;
        let (mut text, mut applied) = (before.clone(), 0);
        for _ in 0..MOST_ROUNDS {
            let verdict = self.compiler.check(path.as_str(), &text, &self.lint);
            let fixed = apply_fixes(&text, &verdict.diagnostics);
            if fixed.applied == 0 {
                break;
            }
            text = fixed.text;
            applied += fixed.applied;
        }
        let written = if text == before { None } else { Some(self.write_and_commit(&path, &text, "Refactor")?) };
        Ok(FixReport { applied, written })
    }
}
