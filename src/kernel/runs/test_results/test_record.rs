//! The record of a test run: its cases, and the host calls that it may make.
//!
//! Tests are untrusted guests: results are accepted only from the test driver (`std/test_cases.ts`), through a function
//! that tests cannot call. A case that was not reported as passed has failed.

use super::test_report::{LineCoverage, SkippedCase, TestCase, TestFileReport, TestReason, TestedText, Why};
use crate::kernel::modules::ModuleGraph;
use crate::kernel::runs::requests::guest_call::AnsweredBy;
use crate::kernel::runs::requests::question_args::arguments;
use parking_lot::Mutex;
use serde::Deserialize;
use std::collections::BTreeMap;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::text_hash::text_hash;
use tgp_sandbox::{COVERAGE_QUESTION, CoveredScript, Question};

/// The function by which the driver reports cases; guests cannot call a function of this name.
pub const TEST_QUESTION: &str = "#test";
/// Most bytes of failure details of one file; further failures have none.
const MAX_FAILURE_BYTES: usize = 512 << 10;
/// Most cases of one file, including those of groups.
const MAX_CASES: usize = 6000;

/// One run of a test file, with its nested runs.
pub struct TestRecord {
    path: String,
    /// Time limit of a case, in milliseconds.
    case_ms: u32,
    state: Mutex<RecordState>,
}

#[derive(Default)]
struct RecordState {
    planned: Option<Vec<Planned>>,
    /// Failures outside of cases.
    extra: Vec<TestCase>,
    running: Option<usize>,
    is_done: bool,
    failure_bytes: usize,
    texts: BTreeMap<String, Text>,
    /// Execution counts of each module, if coverage is requested.
    counted: Vec<CoveredScript>,
    covered: BTreeMap<String, LineCoverage>,
}

struct Planned {
    name: String,
    mode: Mode,
    ended: Option<TestCase>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Mode {
    Run,
    Skip,
    Todo,
}

/// The text of a file that ran.
#[derive(Clone, PartialEq, Eq)]
enum Text {
    One(String),
    /// It changed while the tests ran.
    Several,
}

/// An element of a driver message.
#[derive(Deserialize)]
#[serde(untagged)]
enum TestMessage {
    Number(usize),
    Text(String),
}

impl TestRecord {
    pub fn new(path: String, case_ms: u32) -> Self {
        Self { path, case_ms, state: Mutex::default() }
    }

    pub fn path(&self) -> &str {
        &self.path
    }

    /// Records the text of a file that runs.
    pub fn saw(&self, path: &str, text: &str) {
        let hash = text_hash(text.as_bytes());
        let mut state = self.state.lock();
        let seen = state.texts.entry(path.to_owned()).or_insert_with(|| Text::One(hash.clone()));
        if *seen != Text::One(hash) {
            *seen = Text::Several;
        }
    }

    /// Records all texts of a run.
    pub fn saw_all(&self, graph: &ModuleGraph) {
        let counted = std::mem::take(&mut self.state.lock().counted);
        for (path, tool) in graph.tools() {
            self.saw(&path, tool.source());
            if let Some(script) = counted.iter().find(|script| script.path == path) {
                let covered = tool.compiled.covered_lines(tool.source(), &script.ranges);
                self.state.lock().covered.insert(path, covered.into());
            }
        }
    }

    /// The answer to a driver message or a refused host call; none for requests that are served normally.
    pub fn answer(&self, question: &Question, by: AnsweredBy) -> Option<Result<String, Error>> {
        let name = question.name.as_str();
        if name == TEST_QUESTION {
            return Some(arguments(question).and_then(|words| self.receive(words)));
        }
        if name == COVERAGE_QUESTION {
            return Some(arguments(question).map(|counted| {
                self.state.lock().counted = counted;
                "null".to_owned()
            }));
        }
        let in_scratch = || question.args_json.starts_with("[\"/tmp/");
        let is_refused = match (by, name) {
            (AnsweredBy::Application, _) | (AnsweredBy::Kernel, "#fetch") => true,
            (AnsweredBy::Kernel, "write_file") => !in_scratch(),
            (AnsweredBy::Kernel, _) => false,
        };
        is_refused.then(|| Err(refused(name.trim_start_matches('#'))))
    }

    fn receive(&self, words: Vec<TestMessage>) -> Result<String, Error> {
        let mut words = words.into_iter();
        let what = words.next();
        let mut state = self.state.lock();
        match (what, words.next()) {
            (Some(TestMessage::Text(what)), Some(TestMessage::Text(plan))) if what == "plan" => {
                state.plan(&plan)?;
                return Ok(self.case_ms.to_string());
            }
            (Some(TestMessage::Text(what)), Some(TestMessage::Number(at))) if what == "begin" => {
                state.running = Some(at);
            }
            (Some(TestMessage::Text(what)), Some(TestMessage::Number(at))) if what == "end" => {
                let name = state.planned.as_ref().and_then(|planned| planned.get(at)).map(|case| case.name.clone());
                let case = state.case(name.unwrap_or_default(), words, &self.path);
                state.end(at, case)?;
            }
            (Some(TestMessage::Text(what)), Some(TestMessage::Text(name))) if what == "extra" => {
                let case = state.case(name, words, &self.path);
                if state.extra.len() < MAX_CASES && !case.ok {
                    state.extra.push(case);
                }
            }
            (Some(TestMessage::Text(what)), None) if what == "done" => state.is_done = true,
            _ => return Err(unexpected()),
        }
        Ok("null".to_owned())
    }

    /// The report of the file. `failure` is why its run ended early; `tool` has the possible paths of its tool.
    pub fn report(&self, failure: Option<TestReason>, tool: &[String]) -> TestFileReport {
        let mut state = std::mem::take(&mut *self.state.lock());
        let mut reason = failure.or_else(|| state.flaw()).or_else(|| state.change());
        let (mut cases, mut skipped) = (Vec::new(), Vec::new());
        for (at, planned) in state.planned.take().unwrap_or_default().into_iter().enumerate() {
            let why = match planned.mode {
                Mode::Skip => Why::Skip,
                Mode::Todo => Why::Todo,
                Mode::Run => {
                    let was_running = state.running == Some(at);
                    let unended = || TestCase::unended(planned.name.clone(), was_running, reason.as_ref());
                    cases.push(planned.ended.unwrap_or_else(unended));
                    continue;
                }
            };
            skipped.push(SkippedCase { name: planned.name, why });
        }
        cases.append(&mut state.extra);
        let text = |path: &String| match state.texts.get(path)? {
            Text::One(sha256) => Some(TestedText { path: path.clone(), sha256: sha256.clone() }),
            Text::Several => None,
        };
        let tests = text(&self.path).into_iter().collect();
        let tool = tool.iter().find_map(text);
        if let Some(reason) = &mut reason {
            reason.bound();
        }
        let coverage = tool.as_ref().and_then(|tool| state.covered.remove(&tool.path));
        TestFileReport { coverage, ..TestFileReport::new(self.path.clone(), cases, skipped, reason, tests, tool) }
    }
}

impl RecordState {
    fn plan(&mut self, text: &str) -> Result<(), Error> {
        let planned: Vec<(String, Mode)> = serde_json::from_str(text).map_err(|_| unexpected())?;
        if self.planned.is_some() || planned.len() > MAX_CASES {
            return Err(unexpected());
        }
        self.planned = Some(planned.into_iter().map(|(name, mode)| Planned { name, mode, ended: None }).collect());
        Ok(())
    }

    /// Ends a case, which must be running and not ended.
    fn end(&mut self, at: usize, case: TestCase) -> Result<(), Error> {
        let is_running = self.running.take() == Some(at);
        let planned = self.planned.as_mut().and_then(|planned| planned.get_mut(at));
        match planned.filter(|planned| is_running && planned.mode == Mode::Run && planned.ended.is_none()) {
            Some(planned) => planned.ended = Some(case),
            None => return Err(unexpected()),
        }
        Ok(())
    }

    /// Parses the end of a case: outcome, message, stack, diff.
    fn case(&mut self, name: String, words: impl Iterator<Item = TestMessage>, path: &str) -> TestCase {
        let mut texts = words.map(|word| match word {
            TestMessage::Text(text) => text,
            TestMessage::Number(_) => String::new(),
        });
        let mut next = || texts.next().unwrap_or_default();
        let (how, message, stack, diff) = (next(), next(), next(), next());
        self.failure_bytes += message.len() + diff.len();
        if how == "passed" {
            TestCase::passed(name)
        } else if how == "hollow" {
            TestCase::hollow(name)
        } else if how == "late" {
            TestCase::late(name, message)
        } else if self.failure_bytes > MAX_FAILURE_BYTES {
            TestCase::failed(
                name,
                "It failed. Details are left out after many failures.".to_owned(),
                "",
                String::new(),
                path,
            )
        } else {
            TestCase::failed(name, message, &stack, diff, path)
        }
    }

    /// Why a run without an error is invalid, if so.
    fn flaw(&self) -> Option<TestReason> {
        let planned = self.planned.as_deref().unwrap_or_default();
        if !self.is_done {
            return Some(TestReason::new("incomplete", "The run ended before its tests did."));
        }
        let runs = planned.iter().any(|case| case.mode == Mode::Run);
        if runs {
            return None;
        }
        let message = if planned.is_empty() {
            "The file has no tests. Write test('what it does', () => { … }) with describe, test and expect of @tgp/std/test."
        } else {
            "Every test of the file is skipped."
        };
        Some(TestReason::new("empty", message))
    }

    /// The reason if a text changed during the run.
    fn change(&self) -> Option<TestReason> {
        let (path, _) = self.texts.iter().find(|(_, text)| **text == Text::Several)?;
        Some(TestReason::new("changed", &format!("{path} was changed while its tests ran. Run them again.")))
    }
}

fn refused(name: &str) -> Error {
    let message = format!(
        "{name} was refused: a test has no access to network, database and application, and cannot write files. Use a mock: mockHost({{ {name}: (…) => … }}) of @tgp/std/test."
    );
    Error::new(ErrorCode::SecurityViolation, message)
}

fn unexpected() -> Error {
    Error::new(ErrorCode::Validation, "The test driver sent an invalid message.")
}

#[cfg(test)]
mod tests {
    use super::{AnsweredBy, TEST_QUESTION, TestRecord};
    use tgp_sandbox::Question;

    fn send(record: &TestRecord, args: &str) -> bool {
        let question = Question { name: TEST_QUESTION.to_owned(), args_json: args.to_owned() };
        record.answer(&question, AnsweredBy::Kernel).is_some_and(|answer| answer.is_ok())
    }

    #[test]
    fn only_cases_that_began_and_ended_have_passed() {
        let record = TestRecord::new("tools/a.test.ts".to_owned(), 100);
        assert!(send(&record, r#"["plan","[[\"a\",\"run\"],[\"b\",\"run\"],[\"c\",\"skip\"]]"]"#));
        assert!(!send(&record, r#"["plan","[]"]"#));
        assert!(!send(&record, r#"["end",0,"passed"]"#));
        assert!(send(&record, r#"["begin",0]"#) && send(&record, r#"["end",0,"passed","","",""]"#));
        assert!(send(&record, r#"["begin",2]"#) && !send(&record, r#"["end",2,"passed","","",""]"#));
        assert!(send(&record, r#"["begin",1]"#));
        record.saw("tools/a.ts", "x");
        let report = record.report(None, &["tools/a.ts".to_owned()]);
        assert_eq!((report.ok, report.passed, report.failed), (false, 1, 1));
        assert_eq!(report.reason.map(|reason| reason.kind), Some("incomplete"));
        assert_eq!(report.tool.map(|tool| tool.sha256.len()), Some(64));
    }

    #[test]
    fn invalid_driver_messages_are_refused() {
        let record = TestRecord::new("tools/a.test.ts".to_owned(), 100);
        for args in ["", "[]", "[1]", "[\"plan\",1]", "[\"plan\",\"{\"]", "[\"end\",9,\"passed\"]", "[[[]]]"] {
            assert!(!send(&record, args), "{args}");
        }
        assert_eq!(record.report(None, &[]).failed, 1);
    }
}
