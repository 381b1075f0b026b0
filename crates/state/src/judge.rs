//! Whether something may be done now, or something else must come first.

use super::asked::{Asked, Content, TestOfMoved};
use super::exempt::{CODE_PATH, Exempt};
use super::mode::{By, Mode, Who};
use super::refusal::{Act, Refusal};
use super::standing::{Standing, Texts};
use super::state::State;
use super::state_error::StateError;
use super::subject::{Kind, Subject, is_test};
use super::text_id::TextId;

/// # Errors
/// `Refused`, with what must come first.
pub fn judge(asked: &Asked<'_>, who: Who, mode: Mode, state: &State, exempt: &Exempt) -> Result<(), StateError> {
    let judge = match (who.by, mode) {
        (By::Person, _) | (By::Agent, Mode::Explore) => return Ok(()),
        (By::Agent, Mode::Strict) => Judge { state, exempt, is_strict: true },
        (By::Agent, Mode::Debug) => Judge { state, exempt, is_strict: false },
    };
    judge.judge(asked).map_or(Ok(()), |refusal| Err(StateError::Refused(Box::new(refusal.asked_through(who.through)))))
}

struct Judge<'s> {
    state: &'s State,
    exempt: &'s Exempt,
    /// Otherwise tools that exist may be changed and run first.
    is_strict: bool,
}

impl Judge<'_> {
    fn judge(&self, asked: &Asked<'_>) -> Option<Refusal> {
        match asked {
            Asked::Write { file, now, text, content } => match file.kind {
                Kind::Tool => self.write_tool(&file.tool, now, Some(*text), Act::Write),
                Kind::Test => self.write_test(&file.tool, now, *content),
            },
            Asked::Delete { file, now } => match file.kind {
                Kind::Tool => None,
                Kind::Test => self.take_test(&file.tool, now, Act::DeleteTest),
            },
            Asked::Move { from, now, to, there, test } => {
                self.leave(*from, now, *to, there).or_else(|| self.arrive(*from, now, *to, there, *test))
            }
            Asked::Run { tool, now } => self.run(tool, now),
            Asked::RunCode => {
                (self.is_strict && !self.exempt.has(CODE_PATH)).then(|| Refusal::new(Act::RunCode, CODE_PATH, None))
            }
            Asked::Persist { tools } => self.persist(tools),
            Asked::Sync => None,
        }
    }

    fn write_tool(&self, tool: &str, now: &Texts, text: Option<TextId>, act: Act) -> Option<Refusal> {
        let is_changed_first = !self.is_strict && now.tool.is_some();
        if self.exempt.has(tool) || is_changed_first || (text.is_some() && text == now.tool) {
            return None;
        }
        let standing = self.state.standing(tool, now);
        let then = || self.state.standing(tool, &Texts { tool: text, test: now.test, imports: None });
        let is_green_then = || text.is_some() && matches!(then(), Standing::Green);
        (!standing.lets_write() && !is_green_then()).then(|| Refusal::new(act, tool, Some(standing)))
    }

    /// Tests are written freely, since what they are worth is seen when they are run. A blank one is none.
    fn write_test(&self, tool: &str, now: &Texts, content: Content) -> Option<Refusal> {
        match content {
            Content::Blank => self.take_test(tool, now, Act::BlankTest),
            Content::Text => None,
        }
    }

    /// The test of a tool that exists stays.
    fn take_test(&self, tool: &str, now: &Texts, act: Act) -> Option<Refusal> {
        let is_needed = self.is_strict && now.tool.is_some() && !self.exempt.has(tool);
        is_needed.then(|| Refusal::new(act, tool, Some(self.state.standing(tool, now))))
    }

    /// A test leaves its tool only as the first half of a move of both.
    fn leave(&self, from: Option<&Subject>, now: &Texts, to: Option<&Subject>, there: &Texts) -> Option<Refusal> {
        let from = from.filter(|from| from.kind == Kind::Test)?;
        let is_half = to.is_some_and(|to| to.kind == Kind::Test && there.tool.is_none() && !self.exempt.has(&to.tool));
        let is_same = to.is_some_and(|to| to.kind == Kind::Test && to.tool == from.tool);
        if is_half || is_same { None } else { self.take_test(&from.tool, now, Act::MoveTest) }
    }

    /// What arrives as a tool is as good as written.
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
        let goes_along = matches!(test, TestOfMoved::GoesAlong) && now.test.is_some();
        if let Some(tool) = tool.filter(|_| goes_along && !self.exempt.has(&to.tool)) {
            let standing = self.state.standing(&tool.tool, now);
            return (!standing.lets_write()).then(|| Refusal::new(Act::Leave, &tool.tool, Some(standing)));
        }
        let text = tool.and(now.tool);
        let refusal = self.write_tool(&to.tool, there, text, Act::Arrive)?;
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
            return Some(Refusal::new(Act::RunTest, tool, None));
        }
        self.not_green(tool, now).map(|standing| Refusal::new(Act::Run, tool, Some(standing)))
    }

    fn persist(&self, tools: &[(&str, Texts)]) -> Option<Refusal> {
        let judged = tools.iter().filter(|(tool, _)| !self.exempt.has(tool) && !is_test(tool));
        let mut refused = judged.filter_map(|(tool, now)| Some((*tool, self.not_green(tool, now)?)));
        let (tool, standing) = refused.next()?;
        Some(Refusal::new(Act::Persist, tool, Some(standing)).with_others(refused.count()))
    }

    /// A tool that does not exist has nothing to be green: a test may be shared before it.
    fn not_green(&self, tool: &str, now: &Texts) -> Option<Standing> {
        now.tool?;
        let standing = self.state.standing(tool, now);
        (!matches!(standing, Standing::Green)).then_some(standing)
    }
}
