//! The error of a tool that fails its check, worded so that a model can fix it.

use crate::kernel::finding_line::{line_of, sentence};
use crate::kernel::visibility::check_read;
use tgp_base::error::{Error, ErrorCode};
use tgp_compile::{Diagnostic, ONE_ARGUMENT, is_safety};

/// Fails with the findings that `refused` selects, if any.
pub fn refuse(path: &str, findings: &[Diagnostic], refused: fn(&Diagnostic) -> bool) -> Result<(), Error> {
    let Some(first) = findings.iter().find(|found| refused(found)) else { return Ok(()) };
    let errors: Vec<String> =
        findings.iter().filter(|found| refused(found)).map(|found| line_of(path, found)).collect();
    if check_read(path).is_err() {
        let count = errors.len();
        let message = format!(
            "{path} was not run: check_tool finds {count} error(s) in it. They are hidden from callers who may not read the file."
        );
        return Err(Error::new(ErrorCode::Compilation, message).with("path", path));
    }
    Err(refusal(path, first, &errors))
}

/// Fails with the finding about several parameters, if there is one.
pub fn refuse_positional(path: &str, findings: &[Diagnostic]) -> Result<(), Error> {
    let Some(found) = findings.iter().find(|found| found.rule == ONE_ARGUMENT) else { return Ok(()) };
    let help = found.help.as_deref().filter(|_| check_read(path).is_ok()).unwrap_or("Change it to take one object.");
    let message = format!("{} {help} Nothing was run.", sentence(&line_of(path, found)));
    let error = Error::new(ErrorCode::Validation, message).with("path", path).with("rule", ONE_ARGUMENT);
    Err(error.with("field", "args").with("line", found.line).with("column", found.column))
}

fn refusal(path: &str, first: &Diagnostic, errors: &[String]) -> Error {
    let place = sentence(&line_of(path, first));
    let help = first.help.as_deref().unwrap_or("Fix it and check again.");
    let error = if is_safety(&first.rule) {
        Error::new(ErrorCode::SecurityViolation, format!("Security Violation: {place} {help}"))
    } else {
        let count = errors.len();
        let message = format!("{path} was not run: check_tool finds {count} error(s) in it: {place} {help}");
        Error::new(ErrorCode::Compilation, message)
    };
    let error = error.with("path", path).with("rule", first.rule.as_str()).with("errors", errors.to_vec());
    error.with("line", first.line).with("column", first.column)
}
