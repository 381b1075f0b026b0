//! The calls that an agent must make first, in order.

use super::subject::test_of;
use super::test_status::{Missing, TestStatus};
use serde::Serialize;

const ONE_MORE_CASE: &str = "with one more case that fails until the tool is changed";

/// A call, and its purpose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The name of the kernel tool.
    pub tool: &'static str,
    pub path: String,
    /// The destination of a move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The step as text that follows "First".
    pub say: String,
}

impl Step {
    pub(super) fn write_test(tool: &str, how: &str) -> Self {
        let path = test_of(tool);
        Self { say: format!("write {path} {how}"), tool: "write_file", path, to: None }
    }

    pub(super) fn write_tool(tool: &str, how: &str) -> Self {
        Self { tool: "write_file", path: tool.to_owned(), to: None, say: format!("write {tool} {how}") }
    }

    pub(super) fn delete_tool(tool: &str) -> Self {
        let say = format!("delete {tool}, if both should be deleted");
        Self { tool: "delete_file", path: tool.to_owned(), to: None, say }
    }

    pub(super) fn move_test(from: &str, to: &str) -> Self {
        let (path, to) = (test_of(from), test_of(to));
        Self { say: format!("move {path} to {to}"), tool: "move_file", path, to: Some(to) }
    }

    /// The steps that move a tool to a path of the caller's choice: its test goes first.
    pub(super) fn move_with_test(tool: &str) -> Vec<Self> {
        let extension = tool.rsplit_once('.').map_or("ts", |(_, extension)| extension);
        let to = format!("tools/new_name.{extension}");
        let test = Self::move_test(tool, &to);
        let test = Self { say: format!("{}, with a name that no tool has yet", test.say), ..test };
        vec![test, Self { say: format!("move {tool} to {to}"), tool: "move_file", path: tool.to_owned(), to: Some(to) }]
    }

    pub(super) fn see_red(tool: &str) -> Self {
        Self::run_test(tool, "and see it fail")
    }

    pub(super) fn see_green(tool: &str) -> Self {
        Self::run_test(tool, "and see it pass")
    }

    pub(super) fn see(tool: &str) -> Self {
        Self::run_test(tool, "and check the result")
    }

    fn run_test(tool: &str, how: &str) -> Self {
        Self { tool: "test_tool", path: tool.to_owned(), to: None, say: format!("run test_tool for {tool} {how}") }
    }
}

/// The steps after which the tool may be written.
pub(super) fn before_writing(tool: &str, status: &TestStatus) -> Vec<Step> {
    match status {
        TestStatus::NoTest => {
            vec![Step::write_test(tool, "with cases that say what the tool should do"), Step::see_red(tool)]
        }
        TestStatus::NotRun => vec![Step::see_red(tool)],
        TestStatus::Changed(_) | TestStatus::Red | TestStatus::Untried | TestStatus::Green => vec![Step::see(tool)],
        TestStatus::Unproven => {
            vec![Step::write_test(tool, ONE_MORE_CASE), Step::see_red(tool)]
        }
        TestStatus::Empty
        | TestStatus::Broken
        | TestStatus::LeftOut
        | TestStatus::Hollow
        | TestStatus::Flaky
        | TestStatus::Vacuous => vec![fix_test(tool, status), Step::see_red(tool)],
        TestStatus::Weakened(_) => vec![fix_test(tool, status), Step::see(tool)],
    }
}

/// The steps after which the tool is green.
pub(super) fn before_green(tool: &str, status: &TestStatus) -> Vec<Step> {
    match status {
        TestStatus::NoTest => {
            vec![Step::write_test(tool, "with cases that say what the tool should do"), Step::see_green(tool)]
        }
        TestStatus::NotRun | TestStatus::Changed(_) | TestStatus::Untried | TestStatus::Green => {
            vec![Step::see_green(tool)]
        }
        TestStatus::Red => vec![Step::write_tool(tool, "so that its test passes"), Step::see_green(tool)],
        TestStatus::Unproven => vec![
            Step::write_test(tool, ONE_MORE_CASE),
            Step::see_red(tool),
            Step::write_tool(tool, "so that its test passes"),
            Step::see_green(tool),
        ],
        TestStatus::Empty
        | TestStatus::Broken
        | TestStatus::LeftOut
        | TestStatus::Hollow
        | TestStatus::Flaky
        | TestStatus::Vacuous
        | TestStatus::Weakened(_) => vec![fix_test(tool, status), Step::see_green(tool)],
    }
}

fn fix_test(tool: &str, status: &TestStatus) -> Step {
    let how = match status {
        TestStatus::Empty => "with at least one case".to_owned(),
        TestStatus::Broken => "so that it can be run".to_owned(),
        TestStatus::LeftOut => "so that every case runs every time, without skip, only and todo".to_owned(),
        TestStatus::Hollow => "so that every case has an expectation".to_owned(),
        TestStatus::Flaky => "so that it has the same result every time, with a fixed time and seed".to_owned(),
        TestStatus::Vacuous => "so that it imports the tool and checks what it returns".to_owned(),
        TestStatus::Weakened(missing) => format!("with {} again", cases(missing)),
        TestStatus::NoTest
        | TestStatus::NotRun
        | TestStatus::Red
        | TestStatus::Untried
        | TestStatus::Green
        | TestStatus::Changed(_)
        | TestStatus::Unproven => "again".to_owned(),
    };
    Step::write_test(tool, &how)
}

/// The names of the missing cases in one line.
pub(super) fn cases(missing: &Missing) -> String {
    let printable = |name: &String| name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let names: Vec<String> = missing.names.iter().map(|name| format!("'{}'", printable(name))).collect();
    let more = missing.count - names.len().min(missing.count);
    let noun = if missing.count == 1 { "the case" } else { "the cases" };
    match (names.is_empty(), more) {
        (true, 1) => "the missing case".to_owned(),
        (true, _) => format!("the {more} missing cases"),
        (false, 0) => format!("{noun} {}", names.join(", ")),
        (false, _) => format!("{noun} {} and {more} more", names.join(", ")),
    }
}
