//! The check that every hostile source goes through.

use std::time::{Duration, Instant};

use crate::{CompileError, Compiler, LintOptions};

/// Far more than any source needs, because the machine may be busy.
pub(super) const TEST_TIMEOUT: Duration = Duration::from_secs(30);

/// Compiles and lints a source. Asserts that both end in time, agree, and report no internal error.
pub(super) fn survive(compiler: &Compiler, path: &str, source: &str) -> Result<(), CompileError> {
    let label: String = source.chars().take(40).collect();
    let start = Instant::now();
    let outcome = compiler.compile(path, source).map(|_| ());
    assert!(start.elapsed() < TEST_TIMEOUT, "{path} {label} took {:?}", start.elapsed());
    let start = Instant::now();
    let findings = compiler.check(path, source, &LintOptions::default()).diagnostics;
    assert!(start.elapsed() < TEST_TIMEOUT, "check of {path} {label} took {:?}", start.elapsed());
    assert!(findings.len() <= 100, "{label}");
    for reason in ["caused an internal compiler error", "was not compiled"] {
        assert!(!findings.iter().any(|finding| finding.message.contains(reason)), "check of {path} {label}: {reason}");
    }
    assert!(
        !matches!(outcome, Err(CompileError::Internal { .. } | CompileError::NoThread { .. })),
        "{path} {label} ({} bytes): {outcome:?}",
        source.len()
    );
    let compiles = findings.iter().all(|finding| finding.rule != "syntax");
    assert_eq!(outcome.is_ok(), compiles, "{label}: {outcome:?} {findings:?}");
    outcome
}
