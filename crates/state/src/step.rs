//! What must come first: calls that an agent can make, in their order.

use super::standing::{Missing, Standing};
use super::subject::test_of;
use serde::Serialize;

const ONE_MORE_CASE: &str = "with one more case that fails until the tool is changed";

/// A call, and what for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The name of the kernel's tool.
    pub tool: &'static str,
    pub path: String,
    /// Where `path` is moved to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<String>,
    /// The whole step in words, to stand behind "First".
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
        Self { tool: "delete_file", path: tool.to_owned(), to: None, say: format!("delete {tool}") }
    }

    pub(super) fn move_test(from: &str, to: &str) -> Self {
        let (path, to) = (test_of(from), test_of(to));
        Self { say: format!("move {path} to {to}"), tool: "move_file", path, to: Some(to) }
    }

    pub(super) fn see_red(tool: &str) -> Self {
        Self::run_test(tool, "and see it fail")
    }

    pub(super) fn see_green(tool: &str) -> Self {
        Self::run_test(tool, "and see it pass")
    }

    pub(super) fn see(tool: &str) -> Self {
        Self::run_test(tool, "and see how it ends")
    }

    fn run_test(tool: &str, how: &str) -> Self {
        Self { tool: "test_tool", path: tool.to_owned(), to: None, say: format!("run test_tool for {tool} {how}") }
    }
}

/// What leads to a text of the tool that may be written.
pub(super) fn before_writing(tool: &str, standing: &Standing) -> Vec<Step> {
    match standing {
        Standing::NoTest => {
            vec![Step::write_test(tool, "with cases that say what the tool should do"), Step::see_red(tool)]
        }
        Standing::NotRun => vec![Step::see_red(tool)],
        Standing::Changed(_) | Standing::Red | Standing::Untried | Standing::Green => vec![Step::see(tool)],
        Standing::Unproven => {
            vec![Step::write_test(tool, ONE_MORE_CASE), Step::see_red(tool)]
        }
        Standing::Empty
        | Standing::Broken
        | Standing::LeftOut
        | Standing::Hollow
        | Standing::Flaky
        | Standing::Vacuous => vec![mend_test(tool, standing), Step::see_red(tool)],
        Standing::Weakened(_) => vec![mend_test(tool, standing), Step::see(tool)],
    }
}

/// What leads to green.
pub(super) fn before_green(tool: &str, standing: &Standing) -> Vec<Step> {
    match standing {
        Standing::NoTest => {
            vec![Step::write_test(tool, "with cases that say what the tool should do"), Step::see_green(tool)]
        }
        Standing::NotRun | Standing::Changed(_) | Standing::Untried | Standing::Green => vec![Step::see_green(tool)],
        Standing::Red => vec![Step::write_tool(tool, "so that its test passes"), Step::see_green(tool)],
        Standing::Unproven => vec![
            Step::write_test(tool, ONE_MORE_CASE),
            Step::see_red(tool),
            Step::write_tool(tool, "so that its test passes"),
            Step::see_green(tool),
        ],
        Standing::Empty
        | Standing::Broken
        | Standing::LeftOut
        | Standing::Hollow
        | Standing::Flaky
        | Standing::Vacuous
        | Standing::Weakened(_) => vec![mend_test(tool, standing), Step::see_green(tool)],
    }
}

fn mend_test(tool: &str, standing: &Standing) -> Step {
    let how = match standing {
        Standing::Empty => "with at least one case".to_owned(),
        Standing::Broken => "so that it can be run".to_owned(),
        Standing::LeftOut => "so that every case runs every time, without skip, only and todo".to_owned(),
        Standing::Hollow => "so that every case expects something".to_owned(),
        Standing::Flaky => "so that it ends the same way every time, with a fixed time and seed".to_owned(),
        Standing::Vacuous => "so that it imports the tool and expects something of what it returns".to_owned(),
        Standing::Weakened(missing) => format!("with {} again", cases(missing)),
        Standing::NoTest
        | Standing::NotRun
        | Standing::Red
        | Standing::Untried
        | Standing::Green
        | Standing::Changed(_)
        | Standing::Unproven => "again".to_owned(),
    };
    Step::write_test(tool, &how)
}

/// The missing cases by their names, in one line.
pub(super) fn cases(missing: &Missing) -> String {
    let printable = |name: &String| name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>();
    let names: Vec<String> = missing.names.iter().map(|name| format!("'{}'", printable(name))).collect();
    let more = missing.count - names.len().min(missing.count);
    let noun = if missing.count == 1 { "the case" } else { "the cases" };
    match (names.is_empty(), more) {
        (true, 1) => "the case that is missing".to_owned(),
        (true, _) => format!("the {more} cases that are missing"),
        (false, 0) => format!("{noun} {}", names.join(", ")),
        (false, _) => format!("{noun} {} and {more} more", names.join(", ")),
    }
}
