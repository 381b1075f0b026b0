//! What a run of tests says about a tool.

use super::test_report::{TestCase, TestFileReport};
use crate::kernel::modules::Modules;
use crate::state::{Case, CaseEnd, Ending, Kind, Subject, TestRun, TextId};
use crate::vfs::JailPath;

/// The run as the state takes it in; nothing where it was not of one text, or of no test of a tool.
pub fn learnt(report: &TestFileReport, modules: &Modules) -> Option<TestRun> {
    let tool = Subject::of(&report.path).filter(|subject| subject.kind == Kind::Test)?.tool;
    let test_text = TextId::parse(&report.tests.first()?.sha256)?;
    let ran = report.tool.as_ref().filter(|text| text.path == tool);
    let tool_text = ran.and_then(|text| TextId::parse(&text.sha256));
    let ending = match report.reason.as_ref().map(|reason| reason.kind) {
        None | Some("empty") => Ending::Ran { cases: cases(report) },
        Some("no-tool") => Ending::ToolMissing,
        Some("changed" | "missing") => return None,
        Some(_) => Ending::Broken,
    };
    // A run of the tool loads no more than this; what the test has besides is its own affair.
    let graph = JailPath::parse(&tool).ok().filter(|_| tool_text.is_some()).and_then(|path| modules.graph(path).ok());
    let imports = graph.and_then(|graph| TextId::parse(&graph.text_hash()));
    Some(TestRun { tool, tool_text, test_text, imports, ending })
}

fn cases(report: &TestFileReport) -> Vec<Case> {
    let end = |case: &TestCase| match (case.ok, case.is_hollow()) {
        (false, _) => CaseEnd::Failed,
        (true, true) => CaseEnd::Hollow,
        (true, false) => CaseEnd::Passed,
    };
    let ran = report.cases.iter().map(|case| Case { name: case.name.clone(), end: end(case) });
    let left_out = report.skipped.iter().map(|case| Case { name: case.name.clone(), end: CaseEnd::LeftOut });
    ran.chain(left_out).collect()
}
