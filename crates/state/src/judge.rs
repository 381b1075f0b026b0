//! Decides whether the test-first rules allow a request, and which calls must come first if not.

use super::exempt_globs::{CODE_PATH, ExemptGlobs};
use super::refusal::{Action, Refusal};
use super::request::{Content, Request, TestOfMoved};
use super::request_source::{Author, RequestSource};
use super::state_error::StateError;
use super::subject::{Kind, Subject, is_test};
use super::test_state::TestState;
use super::test_status::{TestStatus, Texts};
use super::text_id::TextId;
use tgp_base::mode::Mode;

/// Checks a request against the state.
///
/// # Errors
/// `Refused`, with the calls that must come first.
pub fn judge(
    request: &Request<'_>,
    who: RequestSource,
    mode: Mode,
    state: &TestState,
    exempt: &ExemptGlobs,
) -> Result<(), StateError> {
    let judge = match (who.by, mode) {
        (Author::Person, _) | (Author::Agent, Mode::Explore) => return Ok(()),
        (Author::Agent, Mode::Strict) => Judge { state, exempt, is_strict: true },
        (Author::Agent, Mode::Debug) => Judge { state, exempt, is_strict: false },
    };
    judge.judge(request).map_or(Ok(()), |refusal| Err(StateError::Refused(Box::new(refusal.with_origin(who.through)))))
}

struct Judge<'s> {
    state: &'s TestState,
    exempt: &'s ExemptGlobs,
    /// `false` in `debug` mode: existing tools may be changed and run before their tests.
    is_strict: bool,
}

impl Judge<'_> {
    fn judge(&self, request: &Request<'_>) -> Option<Refusal> {
        match request {
            Request::Write { file, now, text, content } => match file.kind {
                Kind::Tool => self.write_tool(&file.tool, now, Some(*text), Action::Write),
                Kind::Test => self.write_test(&file.tool, now, *content),
            },
            Request::Delete { file, now } => match file.kind {
                Kind::Tool => None,
                Kind::Test => self.take_test(&file.tool, now, Action::DeleteTest),
            },
            Request::Move { from, now, to, there, test } => {
                self.leave(*from, now, *to, there).or_else(|| self.arrive(*from, now, *to, there, *test))
            }
            Request::Run { tool, now } => self.run(tool, now),
            Request::RunCode => {
                (self.is_strict && !self.exempt.has(CODE_PATH)).then(|| Refusal::new(Action::RunCode, CODE_PATH, None))
            }
            Request::Persist { tools } => self.persist(tools),
            Request::Sync => None,
        }
    }

    fn write_tool(&self, tool: &str, now: &Texts, text: Option<TextId>, act: Action) -> Option<Refusal> {
        let is_changed_first = !self.is_strict && now.tool.is_some();
        if self.exempt.has(tool) || is_changed_first || (text.is_some() && text == now.tool) {
            return None;
        }
        let status = self.state.status(tool, now);
        let then = || self.state.status(tool, &Texts { tool: text, test: now.test, imports: None });
        let is_green_then = || text.is_some() && matches!(then(), TestStatus::Green);
        (!status.allows_write() && !is_green_then()).then(|| Refusal::new(act, tool, Some(status)))
    }

    /// Tests may always be written, since their runs show their value. A blank test counts as removed.
    fn write_test(&self, tool: &str, now: &Texts, content: Content) -> Option<Refusal> {
        match content {
            Content::Blank => self.take_test(tool, now, Action::BlankTest),
            Content::Text => None,
        }
    }

    /// Refuses to remove the test of an existing tool.
    fn take_test(&self, tool: &str, now: &Texts, act: Action) -> Option<Refusal> {
        let is_needed = self.is_strict && now.tool.is_some() && !self.exempt.has(tool);
        is_needed.then(|| Refusal::new(act, tool, Some(self.state.status(tool, now))))
    }

    /// A test may be moved away from its tool only as the first half of a move of both.
    fn leave(&self, from: Option<&Subject>, now: &Texts, to: Option<&Subject>, there: &Texts) -> Option<Refusal> {
        let from = from.filter(|from| from.kind == Kind::Test)?;
        let is_half = to.is_some_and(|to| to.kind == Kind::Test && there.tool.is_none() && !self.exempt.has(&to.tool));
        let is_same = to.is_some_and(|to| to.kind == Kind::Test && to.tool == from.tool);
        if is_half || is_same { None } else { self.take_test(&from.tool, now, Action::MoveTest) }
    }

    /// A file that is moved to a tool's path is judged like a write of that tool.
    fn arrive(
        &self,
        from: Option<&Subject>,
        now: &Texts,
        to: Option<&Subject>,
        there: &Texts,
        test: TestOfMoved,
    ) -> Option<Refusal> {
        let to = to.filter(|to| to.kind == Kind::Tool)?;
        let tool = from.filter(|from| from.kind == Kind::Tool);
        if tool.is_some() && !self.is_strict {
            return None;
        }
        let moves_too = matches!(test, TestOfMoved::MovesToo) && now.test.is_some();
        if let Some(tool) = tool.filter(|_| moves_too && !self.exempt.has(&to.tool)) {
            let status = self.state.status(&tool.tool, now);
            return (!status.allows_write()).then(|| Refusal::new(Action::Leave, &tool.tool, Some(status)));
        }
        let text = tool.and(now.tool);
        let refusal = self.write_tool(&to.tool, there, text, Action::Arrive)?;
        Some(match tool {
            Some(tool) if now.test.is_some() && *there == Texts::default() => refusal.after_test_of(&tool.tool),
            Some(_) | None => refusal,
        })
    }

    fn run(&self, tool: &str, now: &Texts) -> Option<Refusal> {
        if !self.is_strict || self.exempt.has(tool) {
            return None;
        }
        if is_test(tool) {
            return Some(Refusal::new(Action::RunTest, tool, None));
        }
        self.not_green(tool, now).map(|status| Refusal::new(Action::Run, tool, Some(status)))
    }

    fn persist(&self, tools: &[(&str, Texts)]) -> Option<Refusal> {
        let judged = tools.iter().filter(|(tool, _)| !self.exempt.has(tool) && !is_test(tool));
        let mut refused = judged.filter_map(|(tool, now)| Some((*tool, self.not_green(tool, now)?)));
        let (tool, status) = refused.next()?;
        Some(Refusal::new(Action::Persist, tool, Some(status)).with_others(refused.count()))
    }

    /// The status of an existing tool that is not green. A test may be shared before its tool exists.
    fn not_green(&self, tool: &str, now: &Texts) -> Option<TestStatus> {
        now.tool?;
        let status = self.state.status(tool, now);
        (!matches!(status, TestStatus::Green)).then_some(status)
    }
}
