//! What a run of tests has told of its cases, and what may be asked in it.
//!
//! The tests are guests as any other, and their word is not taken: what is written down here comes over a question that only
//! the driver of the run can ask (`std/test_cases.ts`). A case that was not told to have passed has failed.

use super::guest_call::AnsweredBy;
use super::question_args::arguments;
use super::test_report::{LineCoverage, SkippedCase, TestCase, TestFileReport, TestReason, TestedText, Why};
use crate::kernel::modules::ModuleGraph;
use crate::kernel::text_hash::text_hash;
use parking_lot::Mutex;
use serde::Deserialize;
use std::collections::BTreeMap;
use tgp_base::error::{Error, ErrorCode};
use tgp_sandbox::{COUNTED_QUESTION, CountedScript, Question};

/// How the driver tells of its cases; guests cannot call a function of this name.
pub const TEST_QUESTION: &str = "#test";
/// What the driver may have told so far of failures, in bytes: beyond that, only that there are some.
const MAX_TOLD: usize = 512 << 10;
/// Cases of one file, those included that a group of cases adds.
const MAX_CASES: usize = 6000;

/// One run of a test file, with all that it starts.
pub struct TestRecord {
    path: String,
    /// How long a case may take, in milliseconds.
    case_ms: u32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    planned: Option<Vec<Planned>>,
    /// What failed beside the cases.
    extra: Vec<TestCase>,
    running: Option<usize>,
    is_done: bool,
    told: usize,
    texts: BTreeMap<String, Text>,
    /// What ran of each module, if anybody wants to know.
    counted: Vec<CountedScript>,
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

/// A word of the driver.
#[derive(Deserialize)]
#[serde(untagged)]
enum Word {
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

    /// Notes the text of a file that runs.
    pub fn saw(&self, path: &str, text: &str) {
        let hash = text_hash(text.as_bytes());
        let mut state = self.state.lock();
        let seen = state.texts.entry(path.to_owned()).or_insert_with(|| Text::One(hash.clone()));
        if *seen != Text::One(hash) {
            *seen = Text::Several;
        }
    }

    /// Notes all texts of a run.
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

    /// The answer to a question that a run of tests does not get answered by anybody else.
    pub fn answer(&self, question: &Question, by: AnsweredBy) -> Option<Result<String, Error>> {
        let name = question.name.as_str();
        if name == TEST_QUESTION {
            return Some(arguments(question).and_then(|words| self.told(words)));
        }
        if name == COUNTED_QUESTION {
            let counted = serde_json::from_str(&question.args_json).unwrap_or_default();
            self.state.lock().counted = counted;
            return Some(Ok("null".to_owned()));
        }
        let in_scratch = || question.args_json.starts_with("[\"/tmp/");
        let is_refused = match (by, name) {
            (AnsweredBy::Application, _) | (AnsweredBy::Kernel, "#fetch") => true,
            (AnsweredBy::Kernel, "write_file") => !in_scratch(),
            (AnsweredBy::Kernel, _) => false,
        };
        is_refused.then(|| Err(refused(name.trim_start_matches('#'))))
    }

    fn told(&self, words: Vec<Word>) -> Result<String, Error> {
        let mut words = words.into_iter();
        let what = words.next();
        let mut state = self.state.lock();
        match (what, words.next()) {
            (Some(Word::Text(what)), Some(Word::Text(plan))) if what == "plan" => {
                state.plan(&plan)?;
                return Ok(self.case_ms.to_string());
            }
            (Some(Word::Text(what)), Some(Word::Number(at))) if what == "begin" => state.running = Some(at),
            (Some(Word::Text(what)), Some(Word::Number(at))) if what == "end" => {
                let name = state.planned.as_ref().and_then(|planned| planned.get(at)).map(|case| case.name.clone());
                let case = state.case(name.unwrap_or_default(), words, &self.path);
                state.end(at, case)?;
            }
            (Some(Word::Text(what)), Some(Word::Text(name))) if what == "extra" => {
                let case = state.case(name, words, &self.path);
                if state.extra.len() < MAX_CASES && !case.ok {
                    state.extra.push(case);
                }
            }
            (Some(Word::Text(what)), None) if what == "done" => state.is_done = true,
            _ => return Err(unexpected()),
        }
        Ok("null".to_owned())
    }

    /// What came of the file. `failure` is why its run ended early; `tool` is where its tool would be.
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

impl State {
    fn plan(&mut self, text: &str) -> Result<(), Error> {
        let planned: Vec<(String, Mode)> = serde_json::from_str(text).map_err(|_| unexpected())?;
        if self.planned.is_some() || planned.len() > MAX_CASES {
            return Err(unexpected());
        }
        self.planned = Some(planned.into_iter().map(|(name, mode)| Planned { name, mode, ended: None }).collect());
        Ok(())
    }

    /// A case counts once, when it was begun, and when it is over.
    fn end(&mut self, at: usize, case: TestCase) -> Result<(), Error> {
        let is_running = self.running.take() == Some(at);
        let planned = self.planned.as_mut().and_then(|planned| planned.get_mut(at));
        match planned.filter(|planned| is_running && planned.mode == Mode::Run && planned.ended.is_none()) {
            Some(planned) => planned.ended = Some(case),
            None => return Err(unexpected()),
        }
        Ok(())
    }

    /// What the driver says of the end of a case: how, message, stack, difference.
    fn case(&mut self, name: String, words: impl Iterator<Item = Word>, path: &str) -> TestCase {
        let mut texts = words.map(|word| match word {
            Word::Text(text) => text,
            Word::Number(_) => String::new(),
        });
        let mut next = || texts.next().unwrap_or_default();
        let (how, message, stack, diff) = (next(), next(), next(), next());
        self.told += message.len() + diff.len();
        if how == "passed" {
            TestCase::passed(name)
        } else if how == "hollow" {
            TestCase::hollow(name)
        } else if how == "late" {
            TestCase::late(name, message)
        } else if self.told > MAX_TOLD {
            TestCase::failed(name, "It failed, as many before it did.".to_owned(), "", String::new(), path)
        } else {
            TestCase::failed(name, message, &stack, diff, path)
        }
    }

    /// What is wrong with a run that came to its end.
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
            "The file declares no test. Write test('what it does', () => { … }) with describe, test and expect of @tgp/std/test."
        } else {
            "Every test of the file is skipped."
        };
        Some(TestReason::new("empty", message))
    }

    /// What passed and failed is not of one text.
    fn change(&self) -> Option<TestReason> {
        let (path, _) = self.texts.iter().find(|(_, text)| **text == Text::Several)?;
        Some(TestReason::new("changed", &format!("{path} was changed while its tests ran. Run them again.")))
    }
}

fn refused(name: &str) -> Error {
    let message = format!(
        "{name} was refused: a test has no network, no database and no application, and changes no file. Fake it: mockHost({{ {name}: (…) => … }}) of @tgp/std/test."
    );
    Error::new(ErrorCode::SecurityViolation, message)
}

fn unexpected() -> Error {
    Error::new(ErrorCode::Validation, "This is not what the driver of tests says.")
}

#[cfg(test)]
mod tests {
    use super::{AnsweredBy, TEST_QUESTION, TestRecord};
    use tgp_sandbox::Question;

    fn say(record: &TestRecord, args: &str) -> bool {
        let question = Question { name: TEST_QUESTION.to_owned(), args_json: args.to_owned() };
        record.answer(&question, AnsweredBy::Kernel).is_some_and(|answer| answer.is_ok())
    }

    #[test]
    fn only_what_was_begun_and_ended_has_passed() {
        let record = TestRecord::new("tools/a.test.ts".to_owned(), 100);
        assert!(say(&record, r#"["plan","[[\"a\",\"run\"],[\"b\",\"run\"],[\"c\",\"skip\"]]"]"#));
        assert!(!say(&record, r#"["plan","[]"]"#));
        assert!(!say(&record, r#"["end",0,"passed"]"#));
        assert!(say(&record, r#"["begin",0]"#) && say(&record, r#"["end",0,"passed","","",""]"#));
        assert!(say(&record, r#"["begin",2]"#) && !say(&record, r#"["end",2,"passed","","",""]"#));
        assert!(say(&record, r#"["begin",1]"#));
        record.saw("tools/a.ts", "x");
        let report = record.report(None, &["tools/a.ts".to_owned()]);
        assert_eq!((report.ok, report.passed, report.failed), (false, 1, 1));
        assert_eq!(report.reason.map(|reason| reason.kind), Some("incomplete"));
        assert_eq!(report.tool.map(|tool| tool.sha256.len()), Some(64));
    }

    #[test]
    fn words_of_nobody_are_refused() {
        let record = TestRecord::new("tools/a.test.ts".to_owned(), 100);
        for args in ["", "[]", "[1]", "[\"plan\",1]", "[\"plan\",\"{\"]", "[\"end\",9,\"passed\"]", "[[[]]]"] {
            assert!(!say(&record, args), "{args}");
        }
        assert_eq!(record.report(None, &[]).failed, 1);
    }
}
