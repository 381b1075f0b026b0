//! The report of a test file.

use serde::Serialize;
use tgp_compile::CoveredLines;
use tgp_state::Phase;

/// The prefix of a frame in V8's stack traces.
const FRAME: &str = "    at ";
/// Longest message of a file that failed as a whole.
const MAX_MESSAGE: usize = 4000;

/// The report of one test file.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct TestFileReport {
    pub path: String,
    pub ok: bool,
    pub passed: usize,
    /// Failed cases; 1 when the file failed as a whole.
    pub failed: usize,
    pub cases: Vec<TestCase>,
    pub skipped: Vec<SkippedCase>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<TestReason>,
    /// The text of the test that ran.
    pub tests: Vec<TestedText>,
    /// The text of the tool that ran, if it did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<TestedText>,
    /// Line coverage of the tool, if requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<LineCoverage>,
    /// The test-first state of the tool with these texts; none if the run does not affect it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<ToolState>,
}

/// The test-first state of a tool.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ToolState {
    #[cfg_attr(test, ts(type = "'no_test' | 'red' | 'green' | 'changed'"))]
    pub phase: Phase,
    pub reason: &'static str,
}

/// Line coverage of a tool.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LineCoverage {
    lines: LineCounts,
    uncovered: Vec<u32>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
struct LineCounts {
    covered: usize,
    total: usize,
}

impl From<CoveredLines> for LineCoverage {
    fn from(CoveredLines { covered, total, uncovered }: CoveredLines) -> Self {
        Self { lines: LineCounts { covered, total }, uncovered }
    }
}

/// One case.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct TestCase {
    pub name: String,
    pub ok: bool,
    /// The line in the test file where it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// The position where it failed, if in another file.
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// Whether it passed without any expectation.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, ts(type = "true"))]
    hollow: Option<bool>,
    /// Whether it timed out, which does not count as evidence about the texts.
    #[serde(skip)]
    is_late: bool,
}

/// A skipped case.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct SkippedCase {
    pub name: String,
    pub why: Why,
}

/// Why a case was not run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Why {
    Skip,
    Todo,
}

/// Why a file failed as a whole.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct TestReason {
    pub kind: &'static str,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u64>,
}

/// A text that ran, identified by its hash.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct TestedText {
    pub path: String,
    pub sha256: String,
}

impl TestFileReport {
    pub fn new(
        path: String,
        cases: Vec<TestCase>,
        skipped: Vec<SkippedCase>,
        reason: Option<TestReason>,
        tests: Vec<TestedText>,
        tool: Option<TestedText>,
    ) -> Self {
        let passed = cases.iter().filter(|case| case.ok).count();
        let failed = cases.len() - passed;
        let failed = if failed == 0 && reason.is_some() { 1 } else { failed };
        Self { path, ok: failed == 0, passed, failed, cases, skipped, reason, tests, tool, coverage: None, state: None }
    }
}

impl TestCase {
    pub fn passed(name: String) -> Self {
        Self { name, ok: true, line: None, at: None, message: None, diff: None, hollow: None, is_late: false }
    }

    /// A case that ended without any expectation.
    pub fn hollow(name: String) -> Self {
        Self { hollow: Some(true), ..Self::passed(name) }
    }

    /// A case that timed out.
    pub fn late(name: String, message: String) -> Self {
        Self { ok: false, message: Some(message), is_late: true, ..Self::passed(name) }
    }

    pub const fn is_late(&self) -> bool {
        self.is_late
    }

    pub const fn is_hollow(&self) -> bool {
        self.hollow.is_some()
    }

    /// A failed case; `stack` has source positions.
    pub fn failed(name: String, message: String, stack: &str, diff: String, path: &str) -> Self {
        let places: Vec<(&str, u32, u32)> = stack.lines().filter_map(place_of).collect();
        let line = places.iter().find(|(file, ..)| *file == path).map(|(_, line, _)| *line);
        let own = places.iter().find(|(file, ..)| !file.starts_with('@'));
        let at = own.filter(|(file, ..)| *file != path).map(|(file, line, column)| format!("{file}:{line}:{column}"));
        let non_empty = |text: String| (!text.is_empty()).then_some(text);
        Self {
            name,
            ok: false,
            line,
            at,
            message: non_empty(message),
            diff: non_empty(diff),
            hollow: None,
            is_late: false,
        }
    }

    /// A case that was running or had not started when its run ended.
    pub fn unended(name: String, was_running: bool, reason: Option<&TestReason>) -> Self {
        let why = reason.map_or("", |reason| reason.message.as_str());
        let message = if was_running {
            format!("It was running when the run ended. {why}")
        } else {
            "It did not run.".to_owned()
        };
        let line = reason.filter(|_| was_running).and_then(|reason| u32::try_from(reason.line?).ok());
        Self { name, ok: false, line, at: None, message: Some(message), diff: None, hollow: None, is_late: false }
    }
}

impl TestReason {
    pub fn new(kind: &'static str, message: &str) -> Self {
        Self { kind, message: message.to_owned(), file: None, line: None, column: None }
    }

    /// Truncates a long message.
    pub fn bound(&mut self) {
        if let Some((at, _)) = self.message.char_indices().nth(MAX_MESSAGE) {
            self.message.truncate(at);
        }
    }
}

/// File, line and column of a frame: `    at name (path:1:2)` or `    at path:1:2`.
fn place_of(line: &str) -> Option<(&str, u32, u32)> {
    let frame = line.strip_prefix(FRAME)?;
    let place = match frame.strip_suffix(')').and_then(|rest| rest.rsplit_once(" (")) {
        Some((_, place)) => place,
        None => frame.strip_prefix("async ").unwrap_or(frame),
    };
    let (rest, column) = place.rsplit_once(':')?;
    let (file, line) = rest.rsplit_once(':')?;
    Some((file, line.parse().ok()?, column.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::TestCase;

    #[test]
    fn line_is_in_the_test_and_at_is_in_other_files() {
        let stack =
            "Error: no\n    at total (tools/a.ts:3:9)\n    at async tools/a.test.ts:7:3\n    at @tgp/std/x.ts:1:1";
        let case = TestCase::failed("a".to_owned(), "no".to_owned(), stack, String::new(), "tools/a.test.ts");
        assert_eq!((case.line, case.at.as_deref(), case.diff), (Some(7), Some("tools/a.ts:3:9"), None));
        let own = TestCase::failed(
            "a".to_owned(),
            String::new(),
            "    at tools/a.test.ts:2:1",
            String::new(),
            "tools/a.test.ts",
        );
        assert_eq!((own.line, own.at, own.message), (Some(2), None, None));
    }
}
