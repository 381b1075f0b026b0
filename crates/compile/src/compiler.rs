//! The compiler: source in, runnable body or diagnostics out.

use swc_core::common::BytePos;

use super::describe::description::{Description, describe};
use super::diagnostics::compile_error::CompileError;
use super::diagnostics::diagnostic::Diagnostic;
use super::imports::links::{Links, links};
use super::imports::module_exports::{ModuleExports, module_exports};
use super::imports::reference::{Reference, references};
use super::lint::linter::{LintOptions, LintResult, lint, secrets};
use super::parse::big_stack::{BigStackError, run_on_big_stack};
use super::parse::fault::Fault;
use super::parse::language::Language;
use super::parse::nesting::{Refusal, find_refusal};
use super::parse::parse_meter::ParseLimit;
use super::parse::parser::{ParseFailure, Parsed, parse};
use super::parse::source_limits::stack_for;
use super::positions::source_index::{Position, SourceIndex};
use super::secrets::text_scan::{holds_secret, scan};
use super::syntax::function_text::{Callable, enclosing_text};
use super::syntax::resolve::resolve;
use super::transpile::compiled::Compiled;
use super::transpile::transpiler::transpile;
use swc_core::common::comments::SingleThreadedComments;

/// Compiles, lints and describes sources. Thread-safe: each call parses on its own thread.
#[derive(Debug, Default)]
pub struct Compiler {}

impl Compiler {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Compiles a tool's source to the body that the sandbox runs. `path` names the file in messages; its extension selects
    /// the language.
    pub fn compile(&self, path: &str, source: &str) -> Result<Compiled, CompileError> {
        self.guarded(path, source, |job| match job.parse(None)? {
            Ok(parsed) => transpile(parsed, &job.path, &job.source, job.language)
                .map_err(|_| CompileError::Internal { path: job.path.clone() }),
            Err(faults) => Err(job.first_error(&faults)),
        })
    }

    /// All syntax errors of a source or, if it compiles, the findings of the lint rules.
    #[must_use]
    pub fn check(&self, path: &str, source: &str, options: &LintOptions) -> LintResult {
        let options = options.clone();
        let outcome = self.guarded(path, source, move |job| {
            let comments = SingleThreadedComments::default();
            match job.parse(Some(&comments))? {
                Ok(parsed) => Ok(lint(&job.path, &job.source, parsed.module, comments, job.language, &options)),
                Err(faults) => {
                    Ok(LintResult { diagnostics: to_diagnostics(&job.source, faults), ..LintResult::default() })
                }
            }
        });
        outcome
            .unwrap_or_else(|error| LintResult { diagnostics: vec![error.into_diagnostic()], ..LintResult::default() })
    }

    /// The secrets in a file of any kind, without those that a comment with a reason suppresses.
    #[must_use]
    pub fn secrets(&self, path: &str, text: &str) -> Vec<Diagnostic> {
        let found = self.guarded(path, text, |job| {
            let comments = SingleThreadedComments::default();
            Ok(job
                .parse(Some(&comments))?
                .ok()
                .map(|parsed| secrets(&job.path, &job.source, parsed.module, comments, job.language)))
        });
        // Files that are not code, or do not compile, are scanned as plain text.
        found.ok().flatten().unwrap_or_else(|| scan(text))
    }

    /// The secrets in a text that is not a file, such as a message or a name.
    #[must_use]
    pub fn secrets_in_text(&self, text: &str) -> Vec<Diagnostic> {
        scan(text)
    }

    /// Whether a text contains a secret. Suppression comments are ignored.
    #[must_use]
    pub fn holds_secret(&self, text: &str) -> bool {
        holds_secret(text)
    }

    /// Every file or package that the source names, including type-only imports.
    pub fn references(&self, path: &str, source: &str) -> Result<Vec<Reference>, CompileError> {
        self.guarded(path, source, |job| {
            let comments = SingleThreadedComments::default();
            match job.parse(Some(&comments))? {
                Ok(parsed) => Ok(references(&job.source, parsed.module, comments, job.language)),
                Err(faults) => Err(job.first_error(&faults)),
            }
        })
    }

    /// The links of a source to other files, and its description.
    pub fn links(&self, path: &str, source: &str) -> Result<Links, CompileError> {
        self.guarded(path, source, |job| {
            let comments = SingleThreadedComments::default();
            match job.parse(Some(&comments))? {
                Ok(parsed) => {
                    let description = describe(&parsed, &job.source, &comments).description;
                    Ok(links(parsed.module, &job.source, job.language, description))
                }
                Err(faults) => Err(job.first_error(&faults)),
            }
        })
    }

    /// The exports of a source.
    pub fn module_exports(&self, path: &str, source: &str) -> Result<ModuleExports, CompileError> {
        self.guarded(path, source, |job| match job.parse(None)? {
            Ok(parsed) => {
                let (module, names) = resolve(parsed.module, &job.source, job.language);
                Ok(module_exports(&module, names.unresolved, job.language))
            }
            Err(faults) => Err(job.first_error(&faults)),
        })
    }

    /// The text of the innermost function or class that encloses a line and column.
    #[must_use]
    pub fn function_text(&self, path: &str, source: &str, at: (u32, u32), wanted: Callable) -> Option<String> {
        let at = Position { line: at.0, column: at.1 };
        let found = self.guarded(path, source, move |job| {
            let place = SourceIndex::new(&job.source).place(at);
            let parsed = job.parse(None)?.ok();
            Ok(parsed.zip(place).and_then(|(parsed, place)| enclosing_text(&parsed.module, &job.source, place, wanted)))
        });
        found.ok().flatten()
    }

    /// The description of a tool and the JSON Schema of its arguments.
    pub fn describe(&self, path: &str, source: &str) -> Result<Description, CompileError> {
        self.guarded(path, source, |job| {
            let comments = SingleThreadedComments::default();
            match job.parse(Some(&comments))? {
                Ok(parsed) => Ok(describe(&parsed, &job.source, &comments)),
                Err(faults) => Err(job.first_error(&faults)),
            }
        })
    }

    /// Runs `work` on a thread with a stack sized for the source, where panics are caught.
    fn guarded<T: Send + 'static>(
        &self,
        path: &str,
        source: &str,
        work: impl FnOnce(&Job) -> Result<T, CompileError> + Send + 'static,
    ) -> Result<T, CompileError> {
        let language = Language::of(path)?;
        let source = source.strip_prefix('\u{FEFF}').unwrap_or(source);
        let stack = stack_for(path, source)?;
        let job = Job { path: path.to_owned(), source: source.to_owned(), language, stack };
        let path = path.to_owned();
        run_on_big_stack(stack, move || work(&job)).unwrap_or_else(|failure| {
            Err(match failure {
                BigStackError::NoThread => CompileError::NoThread { path },
                BigStackError::Panicked => CompileError::Internal { path },
            })
        })
    }
}

/// One source being compiled on its own thread.
struct Job {
    path: String,
    source: String,
    language: Language,
    /// Stack size of the thread, in bytes.
    stack: usize,
}

impl Job {
    /// The syntax tree, or the faults of the source; an error when the source exceeds a limit of the compiler.
    fn parse(&self, comments: Option<&SingleThreadedComments>) -> Result<Result<Parsed, Vec<Fault>>, CompileError> {
        match parse(&self.source, self.language, self.stack, comments) {
            Ok(parsed) => match find_refusal(&parsed.module) {
                Some(Refusal::Depth(span)) => Err(self.too_deep(span.lo)),
                Some(Refusal::SpreadImport(span)) => Ok(Err(vec![Fault {
                    span,
                    message: "A dynamic import does not take a spread argument".to_owned(),
                    help: Some("Write `import(path)`."),
                }])),
                Some(Refusal::Scopes) => Err(CompileError::TooDense { path: self.path.clone() }),
                None => Ok(Ok(parsed)),
            },
            Err(ParseFailure::Faults(faults)) => Ok(Err(faults)),
            Err(ParseFailure::Stopped(ParseLimit::Stack, at)) => Err(self.too_deep(at)),
            Err(ParseFailure::Stopped(ParseLimit::Steps | ParseLimit::Time, at)) => {
                let at = SourceIndex::new(&self.source).position(at);
                Err(CompileError::TooAmbiguous { path: self.path.clone(), line: at.line, column: at.column })
            }
        }
    }

    fn too_deep(&self, at: BytePos) -> CompileError {
        let at = SourceIndex::new(&self.source).position(at);
        CompileError::TooDeep { path: self.path.clone(), line: at.line, column: at.column }
    }

    fn first_error(&self, faults: &[Fault]) -> CompileError {
        let path = self.path.clone();
        let Some(fault) = faults.first() else { return CompileError::Internal { path } };
        let at = SourceIndex::new(&self.source).position(fault.span.lo);
        let message = match fault.help {
            Some(help) => format!("{}. {help}", fault.message),
            None => fault.message.clone(),
        };
        CompileError::Syntax { path, line: at.line, column: at.column, message }
    }
}

fn to_diagnostics(source: &str, faults: Vec<Fault>) -> Vec<Diagnostic> {
    let index = SourceIndex::new(source);
    faults
        .into_iter()
        .map(|fault| {
            let start = index.position(fault.span.lo);
            let end = index.position(fault.span.hi.max(fault.span.lo));
            let found = Diagnostic::error_at(start, "syntax", fault.message);
            Diagnostic { end_line: end.line, end_column: end.column, help: fault.help.map(str::to_owned), ..found }
        })
        .collect()
}
