//! No, and what must come first.

use super::mode::Through;
use super::standing::{Changed, Standing};
use super::step::{Step, before_green, before_writing, cases};
use super::subject::{Subject, test_of};
use serde_json::json;
use tgp_base::error::Details;

/// What was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Act {
    Write,
    /// Something is moved to where the tool is.
    Arrive,
    /// The tool is moved away, with its test.
    Leave,
    DeleteTest,
    BlankTest,
    MoveTest,
    Run,
    RunTest,
    RunCode,
    Persist,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The tool that it is about.
    pub tool: String,
    /// Where it stands; nothing for what can have no test.
    pub standing: Option<Standing>,
    /// In their order; the first of them is allowed now.
    pub must_come_first: Vec<Step>,
    /// All of it, in words a model can act on.
    pub message: String,
    act: Act,
    through: Through,
    others: usize,
}

impl Refusal {
    pub(super) fn new(act: Act, tool: &str, standing: Option<Standing>) -> Self {
        let must_come_first = steps(act, tool, standing.as_ref());
        let mut refusal = Self {
            tool: tool.to_owned(),
            standing,
            must_come_first,
            message: String::new(),
            act,
            through: Through::Call,
            others: 0,
        };
        refusal.say();
        refusal
    }

    pub(super) fn asked_through(mut self, through: Through) -> Self {
        self.through = through;
        self.say();
        self
    }

    /// So many other tools of the same commits are not green either.
    pub(super) fn with_others(mut self, others: usize) -> Self {
        self.others = others;
        self.say();
        self
    }

    /// The tool comes from another place, where it has a test.
    pub(super) fn after_test_of(mut self, tool: &str) -> Self {
        self.must_come_first = vec![Step::move_test(tool, &self.tool)];
        self.say();
        self
    }

    /// The members of `error.details`.
    #[must_use]
    pub fn details(&self) -> Details {
        let mut details = Details::new();
        let mut add = |key: &str, value: serde_json::Value| details.insert(key.to_owned(), value);
        add("path", self.tool.as_str().into());
        if let Some(standing) = &self.standing {
            add("test", test_of(&self.tool).into());
            add("state", json!(standing.phase()));
            add("reason", standing.as_str().into());
            if let Standing::Weakened(missing) = standing {
                add("missingCases", json!(missing));
            }
        }
        if self.others > 0 {
            add("others", self.others.into());
        }
        add("mustComeFirst", json!(self.must_come_first));
        details
    }

    fn say(&mut self) {
        let (what, why) = (what(self.act, &self.tool), why(self.act, &self.tool, self.standing.as_ref()));
        let from_run = match self.through {
            Through::Call => "",
            Through::Run => " From inside a run the same holds as outside.",
        };
        let others = match self.others {
            0 => String::new(),
            1 => " One other tool is not green either.".to_owned(),
            others => format!(" {others} other tools are not green either."),
        };
        let steps: Vec<&str> = self.must_come_first.iter().map(|step| step.say.as_str()).collect();
        let can_be_accepted = matches!(self.standing, Some(Standing::Weakened(_) | Standing::Unproven));
        let person = if can_be_accepted { " Or ask a person to accept the test as it is." } else { "" };
        self.message = format!("{what}: {why}. First {}.{person}{from_run}{others}", steps.join(", then "));
    }
}

fn steps(act: Act, tool: &str, standing: Option<&Standing>) -> Vec<Step> {
    match (act, standing) {
        (Act::Write | Act::Arrive | Act::Leave, Some(standing)) => before_writing(tool, standing),
        (Act::Run | Act::Persist, Some(standing)) => before_green(tool, standing),
        (Act::DeleteTest | Act::MoveTest, _) => vec![Step::delete_tool(tool)],
        (Act::BlankTest, _) => vec![Step::write_test(tool, "with at least one case")],
        (Act::RunTest, _) => {
            let tested = Subject::of(tool).map(|subject| subject.tool);
            vec![Step::see(tested.as_deref().unwrap_or(tool))]
        }
        (Act::RunCode, _) => {
            let path = "tools/name.ts";
            vec![Step::write_test(path, "with a name of your own and cases that say what the code should do")]
        }
        (Act::Write | Act::Arrive | Act::Leave | Act::Run | Act::Persist, None) => Vec::new(),
    }
}

fn what(act: Act, tool: &str) -> String {
    let test = test_of(tool);
    match act {
        Act::Write => format!("{tool} cannot be written yet"),
        Act::Arrive => format!("Nothing can be moved to {tool} yet"),
        Act::Leave => format!("{tool} cannot be moved yet"),
        Act::DeleteTest => format!("{test} cannot be deleted"),
        Act::BlankTest => format!("{test} cannot be emptied"),
        Act::MoveTest => format!("{test} cannot be moved there"),
        Act::Run => format!("{tool} cannot be run yet"),
        Act::RunTest => format!("{tool} cannot be run as a tool"),
        Act::RunCode => "Code without a file cannot be run in strict mode".to_owned(),
        Act::Persist => format!("{tool} cannot be shared yet"),
    }
}

fn why(act: Act, tool: &str, standing: Option<&Standing>) -> String {
    match (act, standing) {
        (Act::DeleteTest | Act::BlankTest | Act::MoveTest, _) => {
            format!("{tool} would have no test")
        }
        (Act::RunTest, _) => "it is a test".to_owned(),
        (Act::RunCode, _) => "it has no test".to_owned(),
        (Act::Write | Act::Arrive | Act::Leave | Act::Run | Act::Persist, Some(standing)) => stands(tool, standing),
        (Act::Write | Act::Arrive | Act::Leave | Act::Run | Act::Persist, None) => "it has no test".to_owned(),
    }
}

fn stands(tool: &str, standing: &Standing) -> String {
    let test = test_of(tool);
    match standing {
        Standing::NoTest => "it has no test".to_owned(),
        Standing::NotRun => format!("{test} was not run yet as it is"),
        Standing::Red => format!("{test} fails"),
        Standing::Untried => format!("{test} was not run since {tool} was written"),
        Standing::Green => format!("{test} passes"),
        Standing::Changed(Changed::Tool) => format!("it has changed since {test} passed"),
        Standing::Changed(Changed::Test) => format!("{test} has changed since it passed"),
        Standing::Changed(Changed::Imports) => format!("a file that it imports has changed since {test} passed"),
        Standing::Empty => format!("{test} has no cases"),
        Standing::Broken => format!("{test} does not compile, or fails outside of its cases"),
        Standing::LeftOut => format!("{test} leaves cases out"),
        Standing::Hollow => format!("{test} has cases that expect nothing"),
        Standing::Flaky => format!("{test} passed and failed with the same texts"),
        Standing::Vacuous => format!("{test} passes without the tool"),
        Standing::Unproven => format!("{test} passes, but nobody ever saw it fail"),
        Standing::Weakened(missing) => format!("{test} does not run {} any more, which passed before", cases(missing)),
    }
}
