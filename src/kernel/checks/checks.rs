//! `check_tool`, and the gate that keeps a failing tool from running.
//!
//! Checks are about quality and early feedback for models. Safety does not depend on them: the sandbox enforces it.

use super::export_check::ExportCheck;
use super::refusal::{refuse, refuse_positional};
use super::type_gate::{TypeGate, Types};
use super::type_sources::{TypeReader, TypeSources};
use crate::kernel::check_config::CheckMode;
use crate::kernel::finding_line::line_of;
use crate::kernel::host_functions::HostFunctions;
use crate::kernel::modules::{CachedTool, ImportResolver, ModuleGraph, Referenced, referenced_files};
use crate::kernel::near_path::with_near_path;
use crate::kernel::secret_scan::SecretScan;
use crate::kernel::tool_paths::{is_test, is_tool_source, is_typescript, tools_of_test};
use crate::kernel::visibility::check_read;
use serde::Serialize;
use std::sync::Arc;
use tgp_base::call::CallerKind;
use tgp_base::error::Error;
use tgp_compile::{
    Compiler, Diagnostic, LintOptions, LintResult, MISSING_EXPORT, Severity, TYPES, apply_fixes, is_safety,
};
use tgp_vfs::{JailPath, Vfs};

/// Rounds of fixes: one fix can make another possible.
const MAX_ROUNDS: usize = 4;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct CheckReport {
    pub valid: bool,
    /// The findings that make the tool invalid, one line each.
    pub errors: Vec<String>,
    pub diagnostics: Vec<Diagnostic>,
    /// The input of the type checker.
    pub types: TypeSources,
}

/// How thoroughly a text is checked before it is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    RulesAndTypes,
    /// For a text whose imports do not exist yet, such as a file that moves in the same step.
    Rules,
}

/// The result of checking a source before it is stored.
#[derive(Default)]
pub struct CheckFindings {
    /// The errors, one line each.
    pub findings: Vec<String>,
    /// The secrets among them, which keep the source out of the history.
    pub secrets: Vec<String>,
    /// Why types were not checked.
    pub notice: Option<String>,
}

/// The dependencies of `Checks`.
pub struct CheckDeps {
    pub files: Arc<dyn Vfs>,
    pub compiler: Arc<Compiler>,
    pub resolver: Arc<ImportResolver>,
    pub functions: Arc<dyn HostFunctions>,
    pub lint: LintOptions,
    pub mode: CheckMode,
}

/// The tool checker: rules, check mode, type checks and secret scan.
pub struct Checks {
    files: Arc<dyn Vfs>,
    compiler: Arc<Compiler>,
    resolver: Arc<ImportResolver>,
    lint: LintOptions,
    mode: CheckMode,
    types: TypeGate,
    secrets: SecretScan,
}

impl Checks {
    pub fn new(deps: CheckDeps) -> Self {
        let CheckDeps { files, compiler, resolver, functions, lint, mode } = deps;
        let (types, secrets) = (TypeGate::new(functions), SecretScan::new(&compiler, &lint));
        Self { files, compiler, resolver, lint, mode, types, secrets }
    }

    /// The secret scanner.
    pub fn secrets(&self) -> &SecretScan {
        &self.secrets
    }

    /// Whether a tool with errors is neither committed nor run.
    pub fn is_strict(&self) -> bool {
        self.mode == CheckMode::Strict
    }

    /// Checks a tool without running it. Only a file that cannot be read is an error.
    pub fn check_tool(&self, path: &str) -> Result<CheckReport, Error> {
        let path = JailPath::parse(path)?;
        let source = self.files.read(&path).map_err(|error| with_near_path(error.into(), &*self.files))?;
        let read = |path: &JailPath| self.read_for_caller(path);
        let mut verdict = self.compiler.check(path.as_str(), &source, &self.lint);
        let types = self.type_sources(&path, source, &verdict, &read)?;
        let missing = self.missing_exports(&self.export_check(&read), path.as_str(), &verdict);
        verdict.diagnostics.extend(missing);
        verdict.diagnostics.sort_by_key(|found| (found.line, found.column));
        let diagnostics = verdict.diagnostics;
        let errors = error_lines(&path, &diagnostics);
        Ok(CheckReport { valid: errors.is_empty(), errors, diagnostics, types })
    }

    /// Checks a text before it is stored. A file that is not a tool, and any file when checks are off, is only scanned
    /// for secrets. May be slow: the caller must not hold a lock that others wait for without a timeout.
    pub fn check_source(&self, path: &JailPath, source: &str, depth: Depth) -> Result<CheckFindings, Error> {
        let secrets = self.secrets.findings(path.as_str(), source.as_bytes());
        if !is_tool_source(path) || self.mode == CheckMode::Off {
            return Ok(CheckFindings { findings: secrets.clone(), secrets, notice: None });
        }
        let read = |path: &JailPath| self.read_for_caller(path);
        let mut verdict = self.compiler.check(path.as_str(), source, &self.lint);
        let mut notice = None;
        let missing = self.missing_exports(&self.export_check(&read), path.as_str(), &verdict);
        verdict.diagnostics.extend(missing);
        if self.is_strict() && depth == Depth::RulesAndTypes && !self.comes_first(path) {
            match self.check_types(path, source, &verdict, &read)? {
                Types::Checked(findings) => add_unreported(&mut verdict.diagnostics, findings),
                Types::Unchecked(why) => notice = why,
            }
        }
        let mut findings = error_lines(path, &verdict.diagnostics);
        let more: Vec<String> = secrets.iter().filter(|secret| !findings.contains(secret)).cloned().collect();
        findings.extend(more);
        Ok(CheckFindings { findings, secrets, notice })
    }

    /// The files that `judge` reads for this text, and may quote; none when it does not check.
    pub fn read_by_judging(&self, path: &JailPath, source: &str) -> Referenced {
        if is_tool_source(path) && self.mode != CheckMode::Off {
            self.read_by(path, source)
        } else {
            Referenced::default()
        }
    }

    /// The other files that `check_tool` reads, and may quote.
    pub fn read_by_check(&self, path: &str) -> Referenced {
        let Ok(path) = JailPath::parse(path) else { return Referenced::default() };
        self.files.read(&path).map_or_else(|_| Referenced::default(), |source| self.read_by(&path, &source))
    }

    fn read_by(&self, path: &JailPath, source: &str) -> Referenced {
        referenced_files(&self.compiler, &self.resolver, &*self.files, path.as_str(), source)
    }

    /// The text of a file that a finding may quote; an error when the caller may not read it.
    fn read_for_caller(&self, path: &JailPath) -> Result<String, Error> {
        check_read(path.as_str())?;
        Ok(self.files.read(path)?)
    }

    /// Whether this is a test whose tool does not exist yet, so that its import cannot be resolved.
    fn comes_first(&self, path: &JailPath) -> bool {
        is_test(path) && !tools_of_test(path).iter().any(|tool| self.files.exists(tool).unwrap_or(true))
    }

    /// Refuses a run of tools that the check mode forbids, imported ones included. Judges the texts that will run.
    pub fn gate_run(&self, kind: CallerKind, graph: &ModuleGraph) -> Result<(), Error> {
        let refused: fn(&Diagnostic) -> bool = match self.mode {
            CheckMode::Off => return Ok(()),
            CheckMode::Warn if kind.is_person() => return Ok(()),
            CheckMode::Warn => |found| found.severity == Severity::Error && is_safety(&found.rule),
            CheckMode::Strict => |found| found.severity == Severity::Error,
        };
        let tools = graph.tools();
        for (path, tool) in &tools {
            refuse(path, tool.findings(&self.compiler, path, &self.lint), refused)?;
        }
        if !self.is_strict() {
            return Ok(());
        }
        // Files of type-only imports are not part of the graph.
        let read = |path: &JailPath| match graph.text(path.as_str()) {
            Some(text) => Ok(text),
            None => self.read_for_caller(path),
        };
        let exports = self.export_check(&read);
        for (path, tool) in &tools {
            let verdict = self.compiler.check(path, tool.source(), &self.lint);
            refuse(path, &self.missing_exports(&exports, path, &verdict), refused)?;
            // There is no report here: unchecked types are reported by the write.
            let types = self.check_types(&JailPath::parse(path)?, tool.source(), &verdict, &read)?;
            if let Types::Checked(findings) = types {
                refuse(path, &findings, refused)?;
            }
        }
        Ok(())
    }

    /// Refuses arguments that the text of a tool does not take, and any for a text that needs several.
    pub fn check_arguments(&self, path: &str, tool: &CachedTool, subject: &str, args_json: &str) -> Result<(), Error> {
        let arguments = tool.arguments(&self.compiler, path);
        if arguments.is_positional {
            refuse_positional(path, tool.findings(&self.compiler, path, &self.lint))?;
        }
        arguments.check(subject, args_json)
    }

    /// Whether [`Self::gate_run`] can decide without further checks.
    pub fn gates_quickly(&self, kind: CallerKind, graph: &ModuleGraph) -> bool {
        match self.mode {
            CheckMode::Off => true,
            CheckMode::Warn => kind.is_person() || graph.tools().iter().all(|(_, tool)| tool.is_judged()),
            CheckMode::Strict => false,
        }
    }

    /// The text with all available fixes applied, and their number.
    pub fn fixed(&self, path: &JailPath, before: &str) -> (String, usize) {
        let (mut text, mut applied) = (before.to_owned(), 0);
        for _ in 0..MAX_ROUNDS {
            let verdict = self.compiler.check(path.as_str(), &text, &self.lint);
            let fixed = apply_fixes(&text, &verdict.diagnostics);
            if fixed.applied == 0 {
                break;
            }
            text = fixed.text;
            applied += fixed.applied;
        }
        (text, applied)
    }

    /// A check of imported names that reads files through `read`.
    fn export_check<'r>(&'r self, read: &'r dyn Fn(&JailPath) -> Result<String, Error>) -> ExportCheck<'r> {
        ExportCheck::new(&self.compiler, &self.resolver, read)
    }

    /// Findings for imported names that do not exist.
    fn missing_exports(&self, exports: &ExportCheck<'_>, path: &str, verdict: &LintResult) -> Vec<Diagnostic> {
        let Some(severity) = self.lint.severity_of(MISSING_EXPORT, Severity::Error) else { return Vec::new() };
        exports.findings(path, verdict, severity)
    }

    /// The type checker's findings in a text, given the rules' `verdict` on it; other files are read through `read`.
    fn check_types(
        &self,
        path: &JailPath,
        text: &str,
        verdict: &LintResult,
        read: &dyn Fn(&JailPath) -> Result<String, Error>,
    ) -> Result<Types, Error> {
        let sources = self.type_sources(path, text.to_owned(), verdict, read)?;
        if let Some(why) = &sources.refused {
            // A file that is not TypeScript needs no notice.
            let notice = is_typescript(path.as_str()).then(|| format!("Types were not checked: {why}."));
            return Ok(Types::Unchecked(notice));
        }
        // No notice when the rule is turned off.
        if sources.severity.is_none() { Ok(Types::Unchecked(None)) } else { self.types.check(path.as_str(), &sources) }
    }

    fn type_sources(
        &self,
        path: &JailPath,
        text: String,
        verdict: &LintResult,
        read: &dyn Fn(&JailPath) -> Result<String, Error>,
    ) -> Result<TypeSources, Error> {
        let severity = self.lint.severity_of(TYPES, Severity::Error);
        TypeReader { compiler: &self.compiler, resolver: &self.resolver, read }.sources(path, text, verdict, severity)
    }
}

/// Adds the type checker's findings at positions without a rule finding, whose message is better.
fn add_unreported(reported: &mut Vec<Diagnostic>, findings: Vec<Diagnostic>) {
    let is_new =
        |found: &Diagnostic| !reported.iter().any(|known| (known.line, known.column) == (found.line, found.column));
    let unreported: Vec<Diagnostic> = findings.into_iter().filter(is_new).collect();
    reported.extend(unreported);
}

/// The findings that make a source invalid, one line each.
fn error_lines(path: &JailPath, findings: &[Diagnostic]) -> Vec<String> {
    let errors = findings.iter().filter(|found| found.severity == Severity::Error);
    errors.map(|found| line_of(path.as_str(), found)).collect()
}

#[cfg(test)]
mod tests {
    use super::{CallerKind, CheckDeps, CheckMode, Checks};
    use crate::kernel::host_functions::{Answer, CallingRun, HostFunctions, RunEnding};
    use crate::kernel::modules::{AllowedPackages, ImportResolver, Modules, Packages, Sources, ToolCache};
    use crate::kernel::private_files::PrivateFiles;
    use parking_lot::Mutex;
    use std::sync::Arc;
    use tgp_compile::{Compiler, LintOptions};
    use tgp_vfs::{JailPath, MemoryVfs, Vfs};

    /// A type checker without findings that records its requests.
    #[derive(Default)]
    struct Checker(Mutex<Vec<String>>);

    impl HostFunctions for Checker {
        fn names(&self) -> Arc<Vec<String>> {
            Arc::default()
        }
        fn call(&self, _: CallingRun, _: &str, args_json: String, answer: Answer) {
            self.0.lock().push(args_json);
            answer(Ok(r#"{"diagnostics":[]}"#.to_owned()));
        }
        fn finish(&self, _: CallingRun, _: RunEnding, _: Answer) {}
    }

    #[test]
    fn types_are_checked_in_the_texts_that_will_run() {
        let files = Arc::new(MemoryVfs::new());
        let write = |path: &str, text: &str| files.write(&JailPath::parse(path).unwrap(), text).unwrap();
        let lib = "/** Says. */\nexport function say(): string {\n  return 'first';\n}\n";
        let tool = "import { say } from './lib';\n/** Says it. */\nexport default function a(): string {\n  return say();\n}\n";
        write("tools/lib.ts", lib);
        write("tools/a.ts", tool);
        let root = Arc::clone(&files) as Arc<dyn Vfs>;
        let compiler = Arc::new(Compiler::new());
        let resolver = Arc::new(ImportResolver::new(Arc::clone(&root), AllowedPackages::new(&[])));
        let checker = Arc::new(Checker::default());
        let functions = Arc::clone(&checker) as Arc<dyn HostFunctions>;
        let modules = Modules::new(Sources {
            files: Arc::clone(&root),
            compiler: Arc::clone(&compiler),
            cache: ToolCache::default(),
            resolver: Arc::clone(&resolver),
            packages: Packages::new(Arc::clone(&functions), PrivateFiles(Arc::new(MemoryVfs::new()))),
        });
        let lint = LintOptions::default();
        let checks =
            Checks::new(CheckDeps { files: root, compiler, resolver, functions, lint, mode: CheckMode::Strict });
        let graph = modules.graph(JailPath::parse("tools/a.ts").unwrap()).unwrap();
        write("tools/lib.ts", &lib.replace("first", "second"));
        write("tools/a.ts", &tool.replace("Says it", "Says it differently"));
        checks.gate_run(CallerKind::Agent, &graph).unwrap();
        let requests = checker.0.lock().join("\n");
        assert!(requests.contains("first") && requests.contains("Says it."), "{requests}");
        assert!(!requests.contains("second") && !requests.contains("differently"), "{requests}");
    }
}
