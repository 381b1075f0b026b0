//! Runs of test files: selection, limits, module graph and report.

use super::entered_run::EnteredRun;
use super::outcome::exec_value::{ExecValue, when_executed};
use super::runs::Runs;
use super::sandbox_host::GuestServices;
use super::scope::exec_options::Runnable;
use super::scope::run_scope::RunScope;
use super::test_results::test_outcome::{observed_run, without_tool};
use super::test_results::test_record::TestRecord;
use super::test_results::test_report::{TestReason, ToolState};
use crate::kernel::modules::ModuleGraph;
use crate::kernel::near_path::with_near_path;
use crate::kernel::tool_paths::{TOOLS, is_test, is_tool, tests_of_tool, tools_of_test};
use globset::{GlobBuilder, GlobMatcher};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::call::{Call, CallContext};
use tgp_base::effect::Effect;
use tgp_base::error::{Error, ErrorCode};
use tgp_compile::{TEST_IMPORT, tested_stem};
use tgp_sandbox::{LogLine, RunLimits, RunStats};
use tgp_vfs::{JailPath, Vfs};

/// Minimum limits of a test file, which needs more than a tool: `expect` alone is larger than some tools.
const MIN_CPU: Duration = Duration::from_secs(5);
const MIN_WALL: Duration = Duration::from_secs(30);
/// Default time limit of a case, in milliseconds.
const CASE_MS: u32 = 5000;
/// Default seed and time, so that runs are deterministic.
const SEED: u64 = 1;
const NOW: i64 = 1_767_225_600_000;
/// Characters by which a glob is recognised.
const GLOB: [char; 4] = ['*', '?', '[', '{'];

impl Runs {
    /// The default limits of a run of this kind.
    pub(super) fn limits_for(&self, what: &Runnable) -> RunLimits {
        let limits = self.limits();
        match what {
            Runnable::Tool(_) | Runnable::Code(_) => limits,
            Runnable::Test(_) => RunLimits { cpu: limits.cpu.max(MIN_CPU), wall: limits.wall.max(MIN_WALL), ..limits },
        }
    }

    /// Attaches a record to a test run, and turns its end into a report.
    pub(super) fn recorded(&self, entered: EnteredRun, mut scope: RunScope) -> (EnteredRun, RunScope) {
        let Runnable::Test(path) = &entered.what else { return (entered, scope) };
        let record = Arc::new(TestRecord::new(path.clone(), scope.options.case_ms.unwrap_or(CASE_MS)));
        scope.seed.get_or_insert(SEED);
        scope.now.get_or_insert(NOW);
        scope.test = Some(Arc::clone(&record));
        let services = Arc::clone(self.services());
        let call = Call::of(&scope.admission.caller, "test_tool", Effect::Run, "");
        let call = services.door.context(&Call { number: entered.run.0, ..call });
        let done = entered.done;
        let done = when_executed(move |result| done.complete(reported(&record, &services, &call, result)));
        (EnteredRun { done, ..entered }, scope)
    }

    /// The module graph of a test with its driver. Records the compiled text.
    pub(super) fn test_graph(&self, path: &str, record: Option<&TestRecord>) -> Result<ModuleGraph, Error> {
        let (path, modules) = (JailPath::parse(path)?, self.modules());
        let text = modules.files().read(&path).map_err(|error| without_test(error.into(), &path, modules.files()))?;
        if let Some(record) = record {
            record.saw(path.as_str(), &text);
        }
        modules.graph_of_test(&path, &text)
    }

    /// The test files of a path: the tests of a tool, a test itself, those that match a glob, or all below a folder,
    /// filtered by `may_test`. Sorted.
    pub fn test_files(&self, path: Option<&str>, may_test: &dyn Fn(&str) -> bool) -> Result<Vec<String>, Error> {
        let files = self.modules().files();
        let selector = path.filter(|path| !matches!(*path, "" | "." | TOOLS));
        let glob = selector.filter(|path| path.contains(GLOB)).map(matcher).transpose()?;
        let path = selector.filter(|_| glob.is_none()).map(JailPath::parse).transpose()?;
        let named = path.as_ref().map(|path| tests_named(files, path)).unwrap_or_default();
        if !named.is_empty() {
            return Ok(named);
        }
        let is_match = |file: &JailPath| match (&glob, &path) {
            (Some(glob), _) => glob.is_match(file.as_str()),
            (None, Some(path)) => file.starts_with(path.as_str()) || tested_stem(file.as_str()) == Some(path.as_str()),
            (None, None) => true,
        };
        let mut found = files.list(&JailPath::parse(TOOLS)?)?;
        found.retain(|file| is_test(file) && is_match(file) && may_test(file.as_str()));
        found.sort();
        Ok(found.iter().map(|file| file.as_str().to_owned()).collect())
    }
}

/// The tests of a path that is a test or a tool. If a tool has none, the path where its test is expected.
fn tests_named(files: &dyn Vfs, path: &JailPath) -> Vec<String> {
    if is_test(path) {
        return vec![path.as_str().to_owned()];
    }
    let candidates = if is_tool(path) { tests_of_tool(path) } else { Vec::new() };
    let found: Vec<String> = existing(files, &candidates).map(|test| test.as_str().to_owned()).collect();
    let likeliest = candidates.first().map(|test| test.as_str().to_owned());
    if found.is_empty() { likeliest.into_iter().collect() } else { found }
}

/// The error for a test that cannot be read: a tool without a test is reported with the file to write.
fn without_test(error: Error, test: &JailPath, files: &dyn Vfs) -> Error {
    let tools = tools_of_test(test);
    match existing(files, &tools).next() {
        Some(tool) if error.code == ErrorCode::NotFound => {
            let message = format!("{tool} has no test yet. Write {test}, which begins with: {TEST_IMPORT}");
            Error { message, ..error }
        }
        _ => with_near_path(error, files),
    }
}

fn matcher(glob: &str) -> Result<GlobMatcher, Error> {
    let built = GlobBuilder::new(glob).literal_separator(true).build();
    let message = "\"path\" is not a valid glob. Use one such as tools/reports/**.";
    built
        .map(|glob| glob.compile_matcher())
        .map_err(|_| Error::new(ErrorCode::Validation, message).with("field", "path"))
}

/// Turns the end of a test run into a report. Errors that do not concern the tests stay errors.
fn reported(
    record: &TestRecord,
    services: &GuestServices,
    call: &CallContext,
    result: Result<ExecValue, Error>,
) -> Result<ExecValue, Error> {
    let tools = JailPath::parse(record.path()).map(|test| tools_of_test(&test)).unwrap_or_default();
    let (failure, value) = match result {
        Ok(value) => (None, value),
        Err(error) if !is_about_tests(error.code) => return Err(error),
        Err(mut error) => {
            let logs: Vec<LogLine> = part(&mut error, "logs");
            let stats: RunStats = part(&mut error, "stats");
            let has_tool = existing(services.modules.files(), &tools).next().is_some();
            (Some(reason(error, has_tool, record.path())), ExecValue::new(Box::default(), logs, stats))
        }
    };
    let names: Vec<String> = tools.iter().map(|tool| tool.as_str().to_owned()).collect();
    let mut report = record.report(failure, &names);
    report.state = observed_run(&report, &services.modules).map(|run| {
        let status = services.tests.tested(call, run, || without_tool(&report, &services.modules));
        ToolState { phase: status.phase(), reason: status.as_str() }
    });
    let report = serde_json::to_string(&report).and_then(RawValue::from_string);
    report.map(|report| value.with_result(report)).map_err(|_| Error::panicked())
}

/// The existing files among these.
fn existing<'p>(files: &'p dyn Vfs, paths: &'p [JailPath]) -> impl Iterator<Item = &'p JailPath> {
    paths.iter().filter(|path| files.exists(path).unwrap_or(false))
}

fn part<T: serde::de::DeserializeOwned + Default>(error: &mut Error, name: &str) -> T {
    error.details.remove(name).and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
}

/// Whether an error concerns the tested code, and not only the kernel.
fn is_about_tests(code: ErrorCode) -> bool {
    use ErrorCode::{
        Compilation, Fetch, IsolateCrashed, IsolateMemory, IsolateTimeout, Limit, NotFound, Result, SecurityViolation,
        Sql, ToolThrown, Validation,
    };
    matches!(
        code,
        Compilation
            | Fetch
            | IsolateCrashed
            | IsolateMemory
            | IsolateTimeout
            | Limit
            | NotFound
            | Result
            | SecurityViolation
            | Sql
            | ToolThrown
            | Validation
    )
}

/// Whether an import in a test is the import of its tool.
fn is_of_tool(import: &str, importer: Option<&str>, test: &str) -> bool {
    let name = import.rsplit('/').next().unwrap_or_default();
    let stem = name.rsplit_once('.').filter(|(_, end)| end.ends_with("ts") || end.ends_with("js"));
    let tool = tested_stem(test).and_then(|stem| stem.rsplit('/').next());
    importer == Some(test) && tool == Some(stem.map_or(name, |(stem, _)| stem))
}

fn reason(error: Error, has_tool: bool, test: &str) -> TestReason {
    let of = |name: &str| error.details.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
    let number = |name: &str| error.details.get(name).and_then(serde_json::Value::as_u64);
    let file = of("file").or_else(|| of("path"));
    let is_compiled = matches!(error.code, ErrorCode::Compilation | ErrorCode::SecurityViolation);
    let has = |name: &str| error.details.contains_key(name);
    let kind = if error.code == ErrorCode::NotFound && file.as_deref().is_none_or(|file| file == test) {
        "missing"
    } else if is_compiled && !has_tool && of("missing").is_some_and(|import| is_of_tool(&import, file.as_deref(), test))
    {
        "no-tool"
    } else if is_compiled {
        if has("rule") { "check" } else { "compile" }
    } else if error.code == ErrorCode::IsolateTimeout {
        "timeout"
    } else if error.code == ErrorCode::IsolateMemory {
        "memory"
    } else if error.code == ErrorCode::IsolateCrashed {
        "crash"
    } else {
        "threw"
    };
    let (line, column) = (number("line"), number("column"));
    TestReason { kind, file, line, column, message: error.message }
}
