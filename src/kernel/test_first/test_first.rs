//! Test-first policy: the mode of a caller, and the test state of tools.

use super::live_state::LiveState;
use super::writers::Writers;
use crate::kernel::door::Door;
use crate::kernel::private_files::PrivateFiles;
use std::sync::{Arc, OnceLock};
use tgp_base::call::{CallContext, CallerKind};
use tgp_base::error::Error;
use tgp_base::mode::Mode;
use tgp_state::{
    Author, Event, ExemptGlobs, Kind, Origin, Request, RequestSource, Subject, TestRun, TestStatus, TextId, Texts,
    judge,
};
use tgp_vfs::{JailPath, Vfs};

pub struct TestFirstDeps {
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
    /// Called when a tool becomes green.
    on_green: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl TestFirst {
    #[must_use]
    pub fn new(deps: TestFirstDeps) -> Self {
        let TestFirstDeps { mode, exempt, files, door, private } = deps;
        Self {
            mode,
            exempt,
            files,
            state: LiveState::new(door, private),
            writers: Writers::default(),
            on_green: OnceLock::new(),
        }
    }

    /// Sets a callback for tools that become green.
    pub fn when_green(&self, then: impl Fn() + Send + Sync + 'static) {
        // A kernel sets it once.
        let _first = self.on_green.set(Box::new(then));
    }

    /// The mode of a call by this kind of caller, with an optional explicit mode. People have no required tests by
    /// default.
    #[must_use]
    pub fn mode_of(&self, kind: CallerKind, explicit: Option<Mode>) -> Mode {
        match explicit {
            Some(mode) => mode,
            None if kind.is_person() => Mode::Explore,
            None => self.mode,
        }
    }

    /// The default mode.
    #[must_use]
    pub const fn usual_mode(&self) -> Mode {
        self.mode
    }

    /// The author of a change on behalf of a call.
    #[must_use]
    pub fn author(call: Option<&CallContext>) -> Author {
        let is_person = call.is_none_or(|call| call.kind().is_person() && call.caller.mode.is_none());
        if is_person { Author::Person } else { Author::Agent }
    }

    /// Refuses a file change that the tests do not allow.
    ///
    /// # Errors
    /// `State`, with the steps that would allow it.
    pub fn may_change(&self, call: Option<&CallContext>, request: &Request<'_>) -> Result<(), Error> {
        let Some(call) = call else { return Ok(()) };
        self.judge(request, self.mode_of(call.kind(), call.caller.mode), Origin::Call)
    }

    /// As `may_change`, in a given mode.
    ///
    /// # Errors
    /// `State`, with the steps that would allow it.
    pub fn judge(&self, request: &Request<'_>, mode: Mode, through: Origin) -> Result<(), Error> {
        let who = match mode {
            Mode::Explore => return Ok(()),
            Mode::Strict | Mode::Debug => RequestSource { by: Author::Agent, through },
        };
        self.state.query(|state| judge(request, who, mode, state, &self.exempt)).map_err(Error::from)
    }

    /// The current texts of a tool and its test; `imports` is the hash from the compiled tool.
    #[must_use]
    pub fn texts(&self, tool: &str, imports: Option<TextId>) -> Texts {
        let test = tgp_state::test_of(tool);
        Texts { tool: self.text(tool), test: self.text(&test), imports }
    }

    pub(super) fn text(&self, path: &str) -> Option<TextId> {
        let path = JailPath::parse(path).ok()?;
        self.files.read(&path).ok().map(|text| text_id(&text))
    }

    /// Records file events. Tools without tests are not recorded when tests are not required.
    pub fn changed(&self, call: Option<&CallContext>, events: &[(Subject, Event)]) {
        let by = Self::author(call);
        let mode = call.map_or(Mode::Explore, |call| self.mode_of(call.kind(), call.caller.mode));
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
                self.state.record(call, &path, event);
            }
        }
    }

    /// Records a test run, and returns the status of its tool with these texts. `without_tool` is the run of the test
    /// without its tool: it proves that the first test of an existing tool can fail. A replaced test must have failed
    /// itself.
    pub fn tested(
        &self,
        call: &CallContext,
        run: TestRun,
        without_tool: impl FnOnce() -> Option<TestRun>,
    ) -> TestStatus {
        let now = Texts { tool: run.tool_text, test: Some(run.test_text), imports: run.imports };
        let (tool, path) = (run.tool.clone(), tgp_state::test_of(&run.tool));
        self.state.record(Some(call), &path, &Event::TestRan(run));
        let mut status = self.state.status(&tool, &now);
        let is_first = status == TestStatus::Unproven && !self.state.was_green(&tool);
        if let Some(proof) = is_first.then(without_tool).flatten() {
            self.state.record(Some(call), &path, &Event::TestRan(proof));
            status = self.state.status(&tool, &now);
        }
        self.state.settle();
        if let (TestStatus::Green, Some(push)) = (&status, self.on_green.get()) {
            push();
        }
        status
    }

    /// Records the current files after a commit, or after a test was accepted.
    pub fn committed(&self, call: Option<&CallContext>, paths: &[String]) {
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

    /// Stores the state for the next kernel.
    pub fn close(&self) {
        self.state.close();
    }
}

/// The hash of a text.
#[must_use]
pub fn text_id(text: &str) -> TextId {
    let mut bytes = [0; 32];
    bytes.copy_from_slice(ring::digest::digest(&ring::digest::SHA256, text.as_bytes()).as_ref());
    TextId::from_bytes(bytes)
}
