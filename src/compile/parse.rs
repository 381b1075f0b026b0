//! Text to syntax tree, with every fault that the parser can name.

use swc_core::common::{BytePos, Span, Spanned};
use swc_core::ecma::ast::{EsVersion, Module, ModuleItem, Program};
use swc_core::ecma::parser::error::{Error, SyntaxError};
use swc_core::ecma::parser::{EsSyntax, Lexer, PResult, Parser, StringInput, Syntax, TsSyntax};

use super::language::Language;
use super::source_index::FIRST_POS;
use super::top_level::TopLevel;

/// One thing that keeps a source from compiling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) span: Span,
    pub(super) message: String,
    pub(super) help: Option<&'static str>,
}

/// A tree without faults.
pub(super) struct Parsed {
    pub(super) module: Module,
    pub(super) top_level: TopLevel,
    pub(super) strictness: Strictness,
}

/// Whether the emitted body says `"use strict"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Strictness {
    Strict,
    /// As the source says.
    AsWritten,
}

const JSX_HELP: &str = "JSX is not supported: a tool returns data, not markup.";

/// All faults in the order of the source, or a tree that has none. A script becomes a module of statements.
pub(super) fn parse(source: &str, language: Language) -> Result<Parsed, Vec<Fault>> {
    let (outcome, errors) = run_parser(source, language);
    let (parsed, mut faults) = match outcome {
        Ok((module, strictness)) => {
            let top_level = TopLevel::of(&module);
            // TypeScript's grammar has no switch for a `return` outside a function, so it is reported and forgiven here.
            let mut faults: Vec<Fault> = errors
                .into_iter()
                .filter(|error| !(is_return_error(error) && top_level.returns.contains(&error.span())))
                .map(|error| to_fault(&error, source))
                .collect();
            faults.extend(top_level.misplaced_returns());
            (Some(Parsed { module, top_level, strictness }), faults)
        }
        Err(fatal) => {
            let mut faults: Vec<Fault> =
                errors.iter().filter(|error| !is_return_error(error)).map(|error| to_fault(error, source)).collect();
            faults.push(to_fault(&fatal, source));
            (None, faults)
        }
    };
    faults.sort_by_key(|fault| (fault.span.lo, fault.span.hi));
    faults.dedup();
    match parsed {
        Some(parsed) if faults.is_empty() => Ok(parsed),
        Some(_) | None => Err(faults),
    }
}

fn run_parser(source: &str, language: Language) -> (PResult<(Module, Strictness)>, Vec<Error>) {
    let end = BytePos(u32::try_from(source.len()).unwrap_or(u32::MAX - FIRST_POS.0) + FIRST_POS.0);
    let input = StringInput::new(source, FIRST_POS, end);
    let mut parser = Parser::new_from(Lexer::new(syntax(language), EsVersion::latest(), input, None));
    let outcome = match language {
        Language::TypeScript | Language::JavaScriptModule => {
            parser.parse_module().map(|module| (module, Strictness::Strict))
        }
        Language::JavaScript => parser.parse_program().map(|program| match program {
            Program::Module(module) => (module, Strictness::Strict),
            Program::Script(script) => {
                let body = script.body.into_iter().map(ModuleItem::Stmt).collect();
                (Module { span: script.span, body, shebang: script.shebang }, Strictness::AsWritten)
            }
        }),
    };
    (outcome, parser.take_errors())
}

fn syntax(language: Language) -> Syntax {
    match language {
        Language::TypeScript => Syntax::Typescript(TsSyntax { decorators: true, ..TsSyntax::default() }),
        Language::JavaScriptModule | Language::JavaScript => Syntax::Es(EsSyntax {
            decorators: true,
            decorators_before_export: true,
            auto_accessors: true,
            explicit_resource_management: true,
            allow_return_outside_function: true,
            import_attributes: true,
            ..EsSyntax::default()
        }),
    }
}

fn is_return_error(error: &Error) -> bool {
    matches!(error.kind(), SyntaxError::ReturnNotAllowed)
}

fn to_fault(error: &Error, source: &str) -> Fault {
    let span = error.span();
    let help = looks_like_markup(source, span).then_some(JSX_HELP);
    Fault { span, message: error.kind().msg().into_owned(), help }
}

/// Whether a fault sits on a line that opens or closes a tag, in a source that closes one somewhere.
fn looks_like_markup(source: &str, span: Span) -> bool {
    if !source.contains("</") && !source.contains("/>") {
        return false;
    }
    let at = (span.lo.0.saturating_sub(FIRST_POS.0) as usize).min(source.len());
    let before = source.get(..at).unwrap_or_default();
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    let line = source.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    line.as_bytes().windows(2).any(|pair| matches!(pair, [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'>']))
}
