//! How strict the kernel is about tests, with whom, and what it knows of them.

use super::live_state::LiveState;
use super::writers::Writers;
use crate::kernel::door::{Door, PresentCall};
use crate::kernel::private_files::PrivateFiles;
use std::sync::{Arc, OnceLock};
use tgp_base::error::Error;
use tgp_state::{
    Author, Caller, Event, ExemptGlobs, Kind, Mode, Origin, Request, Subject, TestRun, TestStatus, TextId, Texts, judge,
};
use tgp_vfs::{JailPath, Vfs};

/// Callers that are people, or the application itself: they are held to nothing.
const PEOPLE: [&str; 3] = ["application", "cli", "kernel"];

pub struct TestFirstParts {
    pub mode: Mode,
    pub exempt: ExemptGlobs,
    pub files: Arc<dyn Vfs>,
    pub door: Arc<Door>,
    pub private: PrivateFiles,
}

pub struct TestFirst {
    mode: Mode,
    pub(super) exempt: ExemptGlobs,
    files: Arc<dyn Vfs>,
    pub(super) state: LiveState,
    pub(super) writers: Writers,
    /// What waits for a tool to be green.
    on_green: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl TestFirst {
    #[must_use]
    pub fn new(parts: TestFirstParts) -> Self {
        let TestFirstParts { mode, exempt, files, door, private } = parts;
        Self {
            mode,
            exempt,
            files,
            state: LiveState::new(door, private),
            writers: Writers::default(),
            on_green: OnceLock::new(),
        }
    }

    /// Has something done whenever a tool was seen green.
    pub fn when_green(&self, then: impl Fn() + Send + Sync + 'static) {
        // There is one for the life of a kernel.
        let _first = self.on_green.set(Box::new(then));
    }

    /// The mode of a call of this kind of caller, who may have said one. People are in none unless they say so.
    #[must_use]
    pub fn mode_of(&self, kind: &str, said: Option<Mode>) -> Mode {
        match said {
            Some(mode) => mode,
            None if PEOPLE.contains(&kind) => Mode::Explore,
            None => self.mode,
        }
    }

    /// The mode where nobody says another.
    #[must_use]
    pub const fn usual_mode(&self) -> Mode {
        self.mode
    }

    /// Whose word a change on behalf of a call is.
    #[must_use]
    pub fn author(call: Option<&PresentCall>) -> Author {
        let is_person = call.is_none_or(|call| PEOPLE.contains(&call.agent.as_str()) && call.mode.is_none());
        if is_person { Author::Person } else { Author::Agent }
    }

    /// Whether a change of files may be made on behalf of a call.
    ///
    /// # Errors
    /// `State`, with what must come first.
    pub fn may_change(&self, call: Option<&PresentCall>, request: &Request<'_>) -> Result<(), Error> {
        let Some(call) = call else { return Ok(()) };
        self.judge(request, self.mode_of(&call.agent, call.mode), Origin::Call)
    }

    /// The same in a mode that is known.
    ///
    /// # Errors
    /// `State`, with what must come first.
    pub fn judge(&self, request: &Request<'_>, mode: Mode, through: Origin) -> Result<(), Error> {
        let who = match mode {
            Mode::Explore => return Ok(()),
            Mode::Strict | Mode::Debug => Caller { by: Author::Agent, through },
        };
        self.state.ask(|state| judge(request, who, mode, state, &self.exempt)).map_err(Error::from)
    }

    /// The texts that a tool and its test have on the disk; `imports` is known to whoever has compiled it.
    #[must_use]
    pub fn texts(&self, tool: &str, imports: Option<TextId>) -> Texts {
        let test = tgp_state::test_of(tool);
        Texts { tool: self.text(tool), test: self.text(&test), imports }
    }

    pub(super) fn text(&self, path: &str) -> Option<TextId> {
        let path = JailPath::parse(path).ok()?;
        self.files.read(&path).ok().map(|text| text_id(&text))
    }

    /// Takes in what has happened to files. Of tools that have no test nobody needs to know where nobody is held to one.
    pub fn changed(&self, call: Option<&PresentCall>, events: &[(Subject, Event)]) {
        let by = Self::author(call);
        let mode = call.map_or(Mode::Explore, |call| self.mode_of(&call.agent, call.mode));
        for (subject, event) in events {
            if let Event::ToolWritten { tool, text } | Event::ToolMoved { to: tool, text, .. } = event {
                self.writers.note(tool, *text, if by == Author::Person { Mode::Explore } else { mode });
            }
            let is_of_test = matches!(
                event,
                Event::TestWritten { .. }
                    | Event::TestRemoved { .. }
                    | Event::TestMoved { .. }
                    | Event::TestRelinked { .. }
            );
            if is_of_test || self.mode != Mode::Explore || self.text(&subject.test()).is_some() {
                let path = if is_of_test { subject.test() } else { subject.tool.clone() };
                self.state.tell(call, &path, event);
            }
        }
    }

    /// Takes in a run of a test, and says where its tool stands with these texts then. `without_tool` tries the first test
    /// of a tool that exists with the tool hidden: it has to fail then. One that replaces a test has to be seen to fail itself.
    pub fn tested(
        &self,
        call: &PresentCall,
        run: TestRun,
        without_tool: impl FnOnce() -> Option<TestRun>,
    ) -> TestStatus {
        let now = Texts { tool: run.tool_text, test: Some(run.test_text), imports: run.imports };
        let (tool, path) = (run.tool.clone(), tgp_state::test_of(&run.tool));
        self.state.tell(Some(call), &path, &Event::TestRan(run));
        let mut status = self.state.status(&tool, &now);
        let is_first = status == TestStatus::Unproven && !self.state.was_green(&tool);
        if let Some(proof) = is_first.then(without_tool).flatten() {
            self.state.tell(Some(call), &path, &Event::TestRan(proof));
            status = self.state.status(&tool, &now);
        }
        self.state.settle();
        if let (TestStatus::Green, Some(push)) = (&status, self.on_green.get()) {
            push();
        }
        status
    }

    /// Takes in files as they are on the disk, which somebody has committed or taken for what is meant.
    pub fn committed(&self, call: Option<&PresentCall>, paths: &[String]) {
        let event = |path: &String| {
            let subject = Subject::of(JailPath::parse(path).ok()?.as_str())?;
            let tool = subject.tool.clone();
            let event = match subject.kind {
                Kind::Tool => self
                    .text(&tool)
                    .map_or(Event::ToolRemoved { tool: tool.clone() }, |text| Event::ToolWritten { tool, text }),
                Kind::Test => {
                    let by = Self::author(call);
                    let written = |text| Event::TestWritten { tool: tool.clone(), text, by };
                    self.text(&subject.test()).map_or(Event::TestRemoved { tool: tool.clone() }, written)
                }
            };
            Some((subject, event))
        };
        let events: Vec<_> = paths.iter().filter_map(event).collect();
        self.changed(call, &events);
    }

    /// Keeps what is known for the next kernel.
    pub fn close(&self) {
        self.state.close();
    }
}

/// A text, told by its hash.
#[must_use]
pub fn text_id(text: &str) -> TextId {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(ring::digest::digest(&ring::digest::SHA256, text.as_bytes()).as_ref());
    TextId::from_bytes(bytes)
}
