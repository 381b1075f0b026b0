//! `check_tool`: what the compiler and the rules think of a tool.

use super::check_gate::line_of;
use super::edit_file::Edited;
use super::kernel::Kernel;
use super::type_sources::TypeSources;
use super::write_file::Written;
use super::write_rules::check_writable;
use crate::compile::{Diagnostic, Severity, apply_fixes};
use crate::error::Error;
use crate::vfs::{JailPath, Vfs};
use serde::Serialize;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
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
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct FixReport {
    /// How many repairs were made.
    pub applied: usize,
    /// The write, when there was anything to write.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub written: Option<Written>,
}

/// Repairs can uncover others; each round takes what the one before has left.
const MAX_ROUNDS: usize = 4;

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
        let before = self.vfs.read(&path)?;
        if self.fixed(&path, &before).0 == before {
            return Ok(FixReport { applied: 0, written: None });
        }
        check_writable(&path)?;
        let Edited { written, found } = self.edit(&path, |before| Ok(self.fixed(&path, before)))?;
        Ok(FixReport { applied: found, written: Some(written) })
    }

    /// The text with every repair made, and how many there were.
    fn fixed(&self, path: &JailPath, before: &str) -> (String, usize) {
        let (mut text, mut applied) = (before.to_owned(), 0);
        for _ in 0..MAX_ROUNDS {
            let verdict = self.compiler.check(path.as_str(), &text, &self.lint);
            let fixed = apply_fixes(&text, &verdict.diagnostics);
            if fixed.applied == 0 {
                break;
            }
            text = fixed.text;
            applied += fixed.applied;
        }
        (text, applied)
    }
}
