//! A test fixture: a disk, a state, and a small script language for events and requests.

use crate::{
    Author, Case, CaseEnd, Content, Ending, Event, ExemptGlobs, Origin, Position, Refusal, Request, RequestSource,
    StateError, Subject, TestOfMoved, TestRun, TestState, TextId, Texts, judge, test_of,
};
use std::collections::BTreeMap;
use tgp_base::error::PartError;
use tgp_base::mode::Mode;

pub const TOOL: &str = "tools/a.ts";

/// A hash for a name.
pub fn text(word: &str) -> TextId {
    let mut bytes = [0; 32];
    for (at, byte) in word.bytes().enumerate() {
        bytes[at % 32] ^= byte.wrapping_add(u8::try_from(at).unwrap_or(255));
    }
    bytes[31] = u8::try_from(word.len()).unwrap_or(255);
    TextId::from_bytes(bytes)
}

/// `a+` passed, `b-` failed, `c?` was left out, `d0` expected nothing.
pub fn cases(words: &str) -> Vec<Case> {
    let case = |word: &str| {
        let (name, end) = word.split_at(word.len() - 1);
        let end = match end {
            "+" => CaseEnd::Passed,
            "-" => CaseEnd::Failed,
            "?" => CaseEnd::LeftOut,
            "0" => CaseEnd::Hollow,
            other => panic!("{other}"),
        };
        Case { name: name.to_owned(), end }
    };
    words.split(',').filter(|word| !word.is_empty()).map(case).collect()
}

#[derive(Debug, Clone, Default)]
pub struct World {
    pub state: TestState,
    pub disk: BTreeMap<String, Texts>,
    /// All events, the first of which has the number 1.
    pub log: Vec<Event>,
    /// The tool that commands apply to.
    pub tool: String,
    pub exempt: ExemptGlobs,
}

impl World {
    pub fn new() -> Self {
        Self { tool: TOOL.to_owned(), ..Self::default() }
    }

    pub fn after(script: &str) -> Self {
        let mut world = Self::new();
        world.play(script);
        world
    }

    pub fn play(&mut self, script: &str) {
        script.split_whitespace().for_each(|word| self.happen(word));
    }

    pub fn now(&self, tool: &str) -> Texts {
        self.disk.get(tool).copied().unwrap_or_default()
    }

    pub fn fold(&mut self, event: &Event) {
        self.log.push(event.clone());
        self.state.fold(Position { seq: self.log.len() as u64, hash: None }, event);
    }

    fn on_disk(&mut self, tool: &str) -> &mut Texts {
        self.disk.entry(tool.to_owned()).or_default()
    }

    /// Executes one command of a script.
    fn happen(&mut self, word: &str) {
        let (verb, rest) = word.split_once(':').unwrap_or((word, ""));
        let tool = self.tool.clone();
        let was = self.now(&tool);
        let event = match verb {
            "on" => {
                self.tool = rest.to_owned();
                return;
            }
            // A file changes without an event.
            "disk-tool" => {
                self.on_disk(&tool).tool = Some(text(rest));
                return;
            }
            "disk-test" => {
                self.on_disk(&tool).test = Some(text(rest));
                return;
            }
            "disk-imports" => {
                self.on_disk(&tool).imports = Some(text(rest));
                return;
            }
            "tool" => {
                self.on_disk(&tool).tool = Some(text(rest));
                Event::ToolWritten { tool, text: text(rest) }
            }
            "test" | "test!" => {
                self.on_disk(&tool).test = Some(text(rest));
                let by = if verb == "test" { Author::Agent } else { Author::Person };
                Event::TestWritten { tool, text: text(rest), by }
            }
            "rm-tool" => {
                self.on_disk(&tool).tool = None;
                Event::ToolRemoved { tool }
            }
            "rm-test" => {
                self.on_disk(&tool).test = None;
                Event::TestRemoved { tool }
            }
            "accept" => Event::TestAccepted { tool },
            "mv-tool" => {
                self.on_disk(&tool).tool = None;
                self.on_disk(rest).tool = was.tool;
                Event::ToolMoved { from: tool, to: rest.to_owned(), text: was.tool.unwrap() }
            }
            "mv-test" => {
                self.on_disk(&tool).test = None;
                self.on_disk(rest).test = was.test;
                let test = was.test.unwrap();
                Event::TestMoved { from: tool, to: rest.to_owned(), was: test, text: test }
            }
            "relink" => {
                self.on_disk(&tool).test = Some(text(rest));
                Event::TestRelinked { tool, was: was.test.unwrap(), text: text(rest) }
            }
            "run" | "miss" | "broken" => {
                let (texts, ends) = rest.split_once('=').unwrap_or((rest, ""));
                let mut texts = texts.split('/');
                let tool_text = texts.next().filter(|word| *word != "_").map(text);
                let test_text = text(texts.next().unwrap());
                let ending = match verb {
                    "run" => Ending::Ran { cases: cases(ends) },
                    "miss" => Ending::ToolMissing,
                    _ => Ending::Broken,
                };
                Event::TestRan(TestRun { tool, tool_text, test_text, imports: texts.next().map(text), ending })
            }
            other => panic!("{other}"),
        };
        self.fold(&event);
    }

    /// `None` when the request is allowed.
    pub fn ask(&self, request: &str, mode: Mode) -> Option<Refusal> {
        self.ask_as(request, mode, RequestSource { by: Author::Agent, through: Origin::Call })
    }

    pub fn ask_as(&self, request: &str, mode: Mode, who: RequestSource) -> Option<Refusal> {
        self.ask_about(&self.tool, request, mode, who)
    }

    fn ask_about(&self, tool: &str, request: &str, mode: Mode, who: RequestSource) -> Option<Refusal> {
        let (verb, rest) = request.split_once(':').unwrap_or((request, ""));
        let subject = Subject::of;
        let test = test_of(tool);
        let now = self.now(tool);
        let there = |to: &Option<Subject>| to.as_ref().map(|to| self.now(&to.tool)).unwrap_or_default();
        let judge = |request: &Request<'_>| judge(request, who, mode, &self.state, &self.exempt);
        let write = |path: &str, content: Content| {
            let Some(file) = subject(path) else { return Ok(()) };
            judge(&Request::Write { file: &file, now: self.now(&file.tool), text: text(rest), content })
        };
        let move_it = |from: &str, test: TestOfMoved| {
            let (from, to) = (subject(from), subject(rest));
            let now = from.as_ref().map(|from| self.now(&from.tool)).unwrap_or_default();
            judge(&Request::Move { from: from.as_ref(), now, to: to.as_ref(), there: there(&to), test })
        };
        let verdict = match verb {
            "write" => write(tool, Content::Text),
            "write-test" => write(&test, Content::Text),
            "blank-test" => write(&test, Content::Blank),
            "delete" => judge(&Request::Delete { file: &subject(tool).unwrap(), now }),
            "delete-test" => judge(&Request::Delete { file: &subject(&test).unwrap(), now }),
            "move" => move_it(tool, TestOfMoved::Stays),
            "move-both" => move_it(tool, TestOfMoved::MovesToo),
            "move-test" => move_it(&test, TestOfMoved::Stays),
            // A file that is not a tool is moved to the tool's path.
            "move-in" => {
                let to = subject(tool);
                judge(&Request::Move {
                    from: None,
                    now: Texts::default(),
                    to: to.as_ref(),
                    there: now,
                    test: TestOfMoved::Stays,
                })
            }
            "run" => judge(&Request::Run { tool, now }),
            "run-test" => judge(&Request::Run { tool: &test, now: Texts::default() }),
            "code" => judge(&Request::RunCode),
            "sync" => judge(&Request::Sync),
            "persist" => {
                let tools: Vec<(&str, Texts)> = self.disk.iter().map(|(tool, texts)| (tool.as_str(), *texts)).collect();
                judge(&Request::Persist { tools: &tools })
            }
            // Always allowed: running tests is how an agent proceeds.
            "test" => Ok(()),
            other => panic!("{other}"),
        };
        let error = verdict.err()?;
        assert_eq!(error.code().as_str(), "ERR_STATE");
        match error {
            StateError::Refused(refusal) => Some(*refusal),
            StateError::Glob { .. } => panic!("{error}"),
        }
    }

    /// `ok`, or the status of the refusal.
    pub fn verdict(&self, request: &str, mode: Mode) -> String {
        self.ask(request, mode).map_or("ok".to_owned(), |refusal| {
            self.check(&refusal, mode);
            refusal.status.as_ref().map_or("refused", |status| status.as_str()).to_owned()
        })
    }

    /// Asserts what holds for every refusal: its message is one line that names the next call, and that call is allowed.
    pub fn check(&self, refusal: &Refusal, mode: Mode) {
        let message = &refusal.message;
        assert!(message.contains(": ") && message.contains(". First ") && !message.contains('\n'), "{message}");
        assert!(!message.contains(['{', '}', '"']) && message.len() < 2_000, "{message}");
        let next = refusal.must_come_first.first().unwrap_or_else(|| panic!("{message}"));
        assert!(message.contains(&next.path) && message.contains(&next.say), "{message}");
        let details = refusal.details();
        assert_eq!(details["mustComeFirst"][0]["path"], next.path, "{message}");
        assert_eq!(details["path"], refusal.tool);
        assert!(self.next_call(refusal, mode).is_none(), "the next step is refused: {message}");
    }

    /// The answer to the call that a refusal names first.
    fn next_call(&self, refusal: &Refusal, mode: Mode) -> Option<Refusal> {
        let next = refusal.must_come_first.first()?;
        let subject = Subject::of(&next.path).unwrap();
        let ask = |request: &str| {
            self.ask_about(&subject.tool, request, mode, RequestSource { by: Author::Agent, through: Origin::Call })
        };
        let is_test = subject.kind == crate::Kind::Test;
        match (next.tool, is_test) {
            ("write_file", true) => ask("write-test:next"),
            ("write_file", false) => ask("write:next"),
            ("delete_file", false) => ask("delete"),
            ("move_file", true) => ask(&format!("move-test:{}", next.to.as_deref().unwrap())),
            ("test_tool", false) => None,
            other => panic!("{other:?}"),
        }
    }
}

/// A deterministic random generator.
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 11).unwrap() % sides
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }
}
