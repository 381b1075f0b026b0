//! `check_tool`: what the compiler thinks of a tool.

use super::kernel::Kernel;
use crate::compile::{Diagnostic, Severity};
use crate::error::Error;
use crate::vfs::{JailPath, Vfs};
use serde::Serialize;

#[derive(Debug, Serialize)]
pub struct CheckReport {
    pub valid: bool,
    /// The findings that make the tool invalid, one line each.
    pub errors: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
}

impl Kernel {
    /// Checks a tool without running it. Only a file that cannot be read is an error.
    pub fn check_tool(&self, path: &str) -> Result<CheckReport, Error> {
        let path = JailPath::parse(path)?;
        let source = self.vfs.read(&path)?;
        let diagnostics = self.compiler.check(path.as_str(), &source);
        let errors: Vec<String> = diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .map(|diagnostic| {
                format!(
                    "{path}:{}:{}: {}",
                    diagnostic.line,
                    diagnostic.column,
                    diagnostic.message,
                    path = path.as_str()
                )
            })
            .collect();
        Ok(CheckReport { valid: errors.is_empty(), errors, diagnostics })
    }
}
