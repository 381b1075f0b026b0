//! The face of this part: source in, runnable body or diagnostics out.

use std::time::Duration;

use swc_core::common::BytePos;

use super::big_stack::{BigStack, Failure};
use super::compile_error::CompileError;
use super::describe::{Description, describe};
use super::diagnostic::{Diagnostic, Severity};
use super::imports::Import;
use super::language::Language;
use super::lexical_depth::find_too_deep;
use super::lint::{LintOptions, Verdict, lint};
use super::nesting::{Excess, find_excess};
use super::parse::{Fault, Parsed, parse, parse_with_comments};
use super::position_map::PositionMap;
use super::source_index::{FIRST_POS, SourceIndex};
use super::source_limits::stack_for;
use super::specifiers::{Reference, references};
use super::tool_form::ToolForm;
use super::transpile::transpile;
use swc_core::common::comments::SingleThreadedComments;

/// A few milliseconds are usual; swc's speculation on TypeScript arrow functions can be driven to take for ever.
const DEADLINE: Duration = Duration::from_secs(5);

/// A source that can be run.
#[derive(Debug, Clone)]
pub struct Compiled {
    /// Body of a function with the parameters `(exports, require, module, __filename, __dirname)`.
    pub code: String,
    pub map: PositionMap,
    /// In the order of the source; names that only types needed are not among them.
    pub imports: Vec<Import>,
    pub form: ToolForm,
}

/// Compiles on threads of its own; may be called from many threads at once.
#[derive(Debug, Default)]
pub struct Compiler {
    threads: BigStack,
}

impl Compiler {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Turns a tool's source into what the sandbox runs. `path` names the file in messages and its extension decides the
    /// language.
    pub fn compile(&self, path: &str, source: &str) -> Result<Compiled, CompileError> {
        let language = Language::of(path)?;
        self.guarded(path, source, move |path, source| match parse_bounded(path, source, language)? {
            Ok(parsed) => {
                transpile(parsed, source, language).map_err(|_| CompileError::Internal { path: path.to_owned() })
            }
            Err(faults) => Err(first_error(path, source, &faults)),
        })
    }

    /// What is wrong with this source: all that keeps it from compiling, or else what the rules find.
    #[must_use]
    pub fn check(&self, path: &str, source: &str, options: &LintOptions) -> Verdict {
        let options = options.clone();
        let outcome = Language::of(path).and_then(|language| {
            self.guarded(path, source, move |path, source| {
                let comments = SingleThreadedComments::default();
                match bounded(path, source, parse_with_comments(source, language, Some(&comments)))? {
                    Ok(parsed) => Ok(lint(path, source, parsed.module, comments, language, &options)),
                    Err(faults) => Ok(Verdict { diagnostics: to_diagnostics(source, faults), ..Verdict::default() }),
                }
            })
        });
        outcome.unwrap_or_else(|error| Verdict { diagnostics: vec![error.into_diagnostic()], ..Verdict::default() })
    }

    /// Every file or package that this source names, also where only types need it.
    pub fn references(&self, path: &str, source: &str) -> Result<Vec<Reference>, CompileError> {
        let language = Language::of(path)?;
        self.guarded(path, source, move |path, source| {
            let comments = SingleThreadedComments::default();
            match bounded(path, source, parse_with_comments(source, language, Some(&comments)))? {
                Ok(parsed) => Ok(references(source, parsed.module, comments, language)),
                Err(faults) => Err(first_error(path, source, &faults)),
            }
        })
    }

    /// What the source says about itself: what it is for, and what it takes.
    pub fn describe(&self, path: &str, source: &str) -> Result<Description, CompileError> {
        let language = Language::of(path)?;
        self.guarded(path, source, move |path, source| {
            let comments = SingleThreadedComments::default();
            match bounded(path, source, parse_with_comments(source, language, Some(&comments)))? {
                Ok(parsed) => Ok(describe(&parsed, source, &comments)),
                Err(faults) => Err(first_error(path, source, &faults)),
            }
        })
    }

    /// Runs `job` where nothing in the source can hurt.
    fn guarded<T: Send + 'static>(
        &self,
        path: &str,
        source: &str,
        job: impl FnOnce(&str, &str) -> Result<T, CompileError> + Send + 'static,
    ) -> Result<T, CompileError> {
        let source = source.strip_prefix('\u{FEFF}').unwrap_or(source);
        let stack = stack_for(path, source)?;
        if let Some(offset) = find_too_deep(source) {
            return Err(too_deep(path, source, FIRST_POS + BytePos(u32::try_from(offset).unwrap_or(u32::MAX))));
        }
        let (owned_path, owned_source) = (path.to_owned(), source.to_owned());
        let outcome = self.threads.run(stack, DEADLINE, move || job(&owned_path, &owned_source));
        let path = path.to_owned();
        outcome.unwrap_or_else(|failure| {
            Err(match failure {
                Failure::Busy => CompileError::Busy { path },
                Failure::NoThread => CompileError::NoThread { path },
                Failure::Panicked => CompileError::Internal { path },
                Failure::TimedOut => CompileError::TooSlow { path, seconds: DEADLINE.as_secs() },
            })
        })
    }
}

fn parse_bounded(path: &str, source: &str, language: Language) -> Result<Result<Parsed, Vec<Fault>>, CompileError> {
    bounded(path, source, parse(source, language))
}

/// Refuses a tree that is too deep to be walked.
fn bounded(
    path: &str,
    source: &str,
    outcome: Result<Parsed, Vec<Fault>>,
) -> Result<Result<Parsed, Vec<Fault>>, CompileError> {
    match outcome.as_ref().ok().and_then(|parsed| find_excess(&parsed.module)) {
        Some(Excess::Depth(span)) => Err(too_deep(path, source, span.lo)),
        Some(Excess::Scopes) => Err(CompileError::TooDense { path: path.to_owned() }),
        None => Ok(outcome),
    }
}

fn too_deep(path: &str, source: &str, at: BytePos) -> CompileError {
    let at = SourceIndex::new(source).position(at);
    CompileError::TooDeep { path: path.to_owned(), line: at.line, column: at.column }
}

fn first_error(path: &str, source: &str, faults: &[Fault]) -> CompileError {
    let path = path.to_owned();
    let Some(fault) = faults.first() else { return CompileError::Internal { path } };
    let at = SourceIndex::new(source).position(fault.span.lo);
    let message = match fault.help {
        Some(help) => format!("{}. {help}", fault.message),
        None => fault.message.clone(),
    };
    CompileError::Syntax { path, line: at.line, column: at.column, message }
}

fn to_diagnostics(source: &str, faults: Vec<Fault>) -> Vec<Diagnostic> {
    let index = SourceIndex::new(source);
    faults
        .into_iter()
        .map(|fault| {
            let start = index.position(fault.span.lo);
            let end = index.position(fault.span.hi.max(fault.span.lo));
            Diagnostic {
                rule: "syntax".to_owned(),
                standard: None,
                severity: Severity::Error,
                message: fault.message,
                line: start.line,
                column: start.column,
                end_line: end.line,
                end_column: end.column,
                help: fault.help.map(str::to_owned),
                fix: None,
            }
        })
        .collect()
}
