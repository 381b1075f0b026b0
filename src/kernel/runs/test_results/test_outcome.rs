//! Conversion of test reports into events of the test-first state.

use super::test_report::{TestCase, TestFileReport};
use crate::kernel::modules::Modules;
use crate::kernel::test_first::text_id;
use tgp_base::text_hash::text_hash;
use tgp_state::{Case, CaseEnd, Ending, Kind, Subject, TestRun, TextId};
use tgp_vfs::JailPath;

/// The test run of a report; none if a text changed during the run, or the file is not a tool test.
pub fn observed_run(report: &TestFileReport, modules: &Modules) -> Option<TestRun> {
    let tool = Subject::of(&report.path).filter(|subject| subject.kind == Kind::Test)?.tool;
    let test_text = TextId::parse(&report.tests.first()?.sha256)?;
    let ran = report.tool.as_ref().filter(|text| text.path == tool);
    let loaded = ran.and_then(|text| TextId::parse(&text.sha256));
    let ending = match report.reason.as_ref().map(|reason| reason.kind) {
        None if report.cases.iter().all(|case| case.ok || case.is_late()) && !report.ok => Ending::Broken,
        None | Some("empty") => Ending::Ran { cases: cases(report) },
        Some("no-tool") => Ending::ToolMissing,
        Some("changed" | "missing") => return None,
        Some(_) => Ending::Broken,
    };
    let path = JailPath::parse(&tool).ok()?;
    // A failing test counts for the current tool even if it failed before loading it.
    let beside = || modules.files().read(&path).ok().filter(|_| !report.ok).map(|text| text_id(&text));
    let tool_text = loaded.or_else(beside);
    // Only the imports of the tool count, not those of the test.
    let graph = loaded.and_then(|_| modules.graph(path).ok());
    let imports = graph.and_then(|graph| TextId::parse(&graph.text_hash()));
    Some(TestRun { tool, tool_text, test_text, imports, ending })
}

/// The run of the same test without its tool, if it must fail: it imports the tool.
pub fn without_tool(report: &TestFileReport, modules: &Modules) -> Option<TestRun> {
    let tool = Subject::of(&report.path)?.tool;
    let tested = report.tests.first()?;
    let path = JailPath::parse(&report.path).ok()?;
    let text = modules.files().read(&path).ok().filter(|text| text_hash(text.as_bytes()) == tested.sha256)?;
    let graph = modules.graph_of_test(&path, &text).ok()?;
    let imports_it = graph.modules.iter().any(|module| module.path == tool);
    let test_text = TextId::parse(&tested.sha256)?;
    imports_it.then_some(TestRun { tool, tool_text: None, test_text, imports: None, ending: Ending::ToolMissing })
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
