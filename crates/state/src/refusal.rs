//! A refusal, and the calls that must come first.

use super::request_source::Origin;
use super::step::{Step, before_green, before_writing, cases};
use super::subject::{Subject, test_of};
use super::test_status::{Changed, TestStatus};
use serde_json::json;
use tgp_base::error::Details;

/// The refused action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    Write,
    /// Another file is moved to the tool's path.
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
    /// The path of the tool.
    pub tool: String,
    /// The tool's test status; `None` for what cannot have a test.
    pub status: Option<TestStatus>,
    /// The calls that must come first, in order; the first of them is allowed now.
    pub must_come_first: Vec<Step>,
    /// The complete message for a model.
    pub message: String,
    act: Action,
    through: Origin,
    others: usize,
}

impl Refusal {
    pub(super) fn new(act: Action, tool: &str, status: Option<TestStatus>) -> Self {
        let must_come_first = steps(act, tool, status.as_ref());
        let mut refusal = Self {
            tool: tool.to_owned(),
            status,
            must_come_first,
            message: String::new(),
            act,
            through: Origin::Call,
            others: 0,
        };
        refusal.update_message();
        refusal
    }

    pub(super) fn with_origin(mut self, through: Origin) -> Self {
        self.through = through;
        self.update_message();
        self
    }

    /// Adds the number of other tools in the same commits that are not green.
    pub(super) fn with_others(mut self, others: usize) -> Self {
        self.others = others;
        self.update_message();
        self
    }

    /// The tool is moved from a path where it has a test: that test must be moved first.
    pub(super) fn after_test_of(mut self, tool: &str) -> Self {
        self.must_come_first = vec![Step::move_test(tool, &self.tool)];
        self.update_message();
        self
    }

    /// The members of `error.details`.
    #[must_use]
    pub fn details(&self) -> Details {
        let mut details = Details::new();
        let mut add = |key: &str, value: serde_json::Value| details.insert(key.to_owned(), value);
        add("path", self.tool.as_str().into());
        if let Some(status) = &self.status {
            add("test", test_of(&self.tool).into());
            add("state", json!(status.phase()));
            add("reason", status.as_str().into());
            if let TestStatus::Weakened(missing) = status {
                add("missingCases", json!(missing));
            }
        }
        if self.others > 0 {
            add("others", self.others.into());
        }
        add("mustComeFirst", json!(self.must_come_first));
        details
    }

    fn update_message(&mut self) {
        let (what, why) = (what(self.act, &self.tool), why(self.act, &self.tool, self.status.as_ref()));
        let from_run = match self.through {
            Origin::Call => "",
            Origin::Run => " The same rules apply inside a run.",
        };
        let others = match self.others {
            0 => String::new(),
            1 => " One other tool is not green either.".to_owned(),
            others => format!(" {others} other tools are not green either."),
        };
        let steps: Vec<&str> = self.must_come_first.iter().map(|step| step.say.as_str()).collect();
        let can_be_accepted = matches!(self.status, Some(TestStatus::Weakened(_) | TestStatus::Unproven));
        let person = if can_be_accepted { " Or ask a person to accept the test as it is." } else { "" };
        self.message = format!("{what}: {why}. First {}.{person}{from_run}{others}", steps.join(", then "));
    }
}

fn steps(act: Action, tool: &str, status: Option<&TestStatus>) -> Vec<Step> {
    match (act, status) {
        (Action::Write | Action::Arrive | Action::Leave, Some(status)) => before_writing(tool, status),
        (Action::Run | Action::Persist, Some(status)) => before_green(tool, status),
        (Action::DeleteTest, _) => vec![Step::delete_tool(tool)],
        (Action::MoveTest, _) => Step::move_with_test(tool),
        (Action::BlankTest, _) => vec![Step::write_test(tool, "with at least one case")],
        (Action::RunTest, _) => {
            let tested = Subject::of(tool).map(|subject| subject.tool);
            vec![Step::see(tested.as_deref().unwrap_or(tool))]
        }
        (Action::RunCode, _) => {
            let path = "tools/name.ts";
            vec![Step::write_test(path, "with a name of your choice and cases that say what the code should do")]
        }
        (Action::Write | Action::Arrive | Action::Leave | Action::Run | Action::Persist, None) => Vec::new(),
    }
}

fn what(act: Action, tool: &str) -> String {
    let test = test_of(tool);
    match act {
        Action::Write => format!("{tool} cannot be written yet"),
        Action::Arrive => format!("Nothing can be moved to {tool} yet"),
        Action::Leave => format!("{tool} cannot be moved yet"),
        Action::DeleteTest => format!("{test} cannot be deleted"),
        Action::BlankTest => format!("{test} cannot be emptied"),
        Action::MoveTest => format!("{test} cannot be moved away from its tool"),
        Action::Run => format!("{tool} cannot be run yet"),
        Action::RunTest => format!("{tool} cannot be run as a tool"),
        Action::RunCode => "Code without a file cannot be run in strict mode".to_owned(),
        Action::Persist => format!("{tool} cannot be shared yet"),
    }
}

fn why(act: Action, tool: &str, status: Option<&TestStatus>) -> String {
    match (act, status) {
        (Action::DeleteTest | Action::BlankTest | Action::MoveTest, _) => {
            format!("{tool} would have no test")
        }
        (Action::RunTest, _) => "it is a test".to_owned(),
        (Action::RunCode, _) => "it has no test".to_owned(),
        (Action::Write | Action::Arrive | Action::Leave | Action::Run | Action::Persist, Some(status)) => {
            status_text(tool, status)
        }
        (Action::Write | Action::Arrive | Action::Leave | Action::Run | Action::Persist, None) => {
            "it has no test".to_owned()
        }
    }
}

fn status_text(tool: &str, status: &TestStatus) -> String {
    let test = test_of(tool);
    match status {
        TestStatus::NoTest => "it has no test".to_owned(),
        TestStatus::NotRun => format!("{test} was not run in its current version"),
        TestStatus::Red => format!("{test} fails"),
        TestStatus::Untried => format!("{test} was not run since {tool} was written"),
        TestStatus::Green => format!("{test} passes"),
        TestStatus::Changed(Changed::Tool) => format!("it has changed since {test} passed"),
        TestStatus::Changed(Changed::Test) => format!("{test} has changed since it passed"),
        TestStatus::Changed(Changed::Imports) => format!("a file that it imports has changed since {test} passed"),
        TestStatus::Empty => format!("{test} has no cases"),
        TestStatus::Broken => format!("{test} does not compile, or fails outside of its cases"),
        TestStatus::LeftOut => format!("{test} skips cases"),
        TestStatus::Hollow => format!("{test} has cases without expectations"),
        TestStatus::Flaky => format!("{test} passed and failed with the same files"),
        TestStatus::Vacuous => format!("{test} passes without the tool"),
        TestStatus::Unproven => format!("{test} passes, but was never seen to fail"),
        TestStatus::Weakened(missing) => format!("{test} no longer runs {}, which passed before", cases(missing)),
    }
}
