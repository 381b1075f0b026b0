//! Parses a source to a syntax tree or to a list of faults.
//!
//! [`parse_meter`](super::parse_meter) limits the work of the parser.

use swc_core::common::comments::{Comments, SingleThreadedComments};
use swc_core::common::{BytePos, Span, Spanned};
use swc_core::ecma::ast::{EsVersion, Module, ModuleItem, Program};
use swc_core::ecma::parser::error::{Error, SyntaxError};
use swc_core::ecma::parser::{EsSyntax, Lexer, PResult, Parser, StringInput, Syntax, TsSyntax};

use super::await_calls::means_keyword;
use super::fault::Fault;
use super::for_using::ForUsing;
use super::language::Language;
use super::markup::{explain_markup, markup_fault, may_have_markup};
use super::parse_meter::{ParseLimit, metered, steps_for};
use super::top_level::TopLevel;
use crate::positions::source_index::FIRST_POS;

/// A parsed source without faults.
pub(crate) struct Parsed {
    pub(crate) module: Module,
    pub(crate) top_level: TopLevel,
    pub(crate) strictness: Strictness,
    /// Loops whose `using` was replaced before parsing.
    pub(crate) for_using: ForUsing,
}

/// Whether the emitted body has `"use strict"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    Strict,
    /// Only if the source has it.
    FromSource,
}

/// Whether the grammar has JSX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Markup {
    Refused,
    /// Only to explain faults.
    Allowed,
}

/// Prefixes of a short source that may be parsed to find the line that stopped the parser.
const SEARCH_PARSES: u64 = 16;

/// Maximum number of faults reported: hostile text can have a hundred thousand.
const MAX_FAULTS: usize = 100;

const FENCE: &str = "```";
const FENCE_HELP: &str = "Send the code alone, without the lines of ``` before and after it.";

/// Why a source could not be parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ParseFailure {
    /// The first faults, in source order.
    Faults(Vec<Fault>),
    /// A limit stopped the parser; with the first character of the line that caused it, if known.
    Stopped(ParseLimit, BytePos),
}

/// Parses a source. A script becomes a module of statements. Comments are stored in `comments` if given; `stack` is the stack
/// size of the thread.
pub(crate) fn parse(
    source: &str,
    language: Language,
    stack: usize,
    comments: Option<&SingleThreadedComments>,
) -> Result<Parsed, ParseFailure> {
    if let Some(fence) = markdown_fence(source) {
        return Err(ParseFailure::Faults(vec![fence]));
    }
    let mut for_using = ForUsing::default();
    let outcome = loop {
        let run = || run_parser(for_using.text(source), language, Markup::Refused, comments);
        let outcome = metered(steps_for(source.len()), stack, run);
        match &outcome {
            // The next parse collects the same comments again.
            Ok((Err(fatal), _)) if for_using.replace(source, fatal.span().lo) => clear_comments(comments),
            Ok(_) | Err(_) => break outcome,
        }
    };
    match outcome {
        Ok((outcome, errors)) => collect_faults(source, outcome, errors, for_using).map_err(|faults| {
            let faults = if may_have_markup(source) { explain(source, language, stack, faults) } else { faults };
            ParseFailure::Faults(faults)
        }),
        Err(ParseLimit::Time) => Err(ParseFailure::Stopped(ParseLimit::Time, FIRST_POS)),
        Err(limit @ (ParseLimit::Steps | ParseLimit::Stack)) => {
            Err(ParseFailure::Stopped(limit, find_cause(source, language, stack)))
        }
    }
}

/// A leading Markdown code fence, which models tend to send. The grammar would parse it as two template literals.
fn markdown_fence(source: &str) -> Option<Fault> {
    let code = source.trim_start();
    if !code.starts_with(FENCE) {
        return None;
    }
    let lo = FIRST_POS + BytePos(u32::try_from(source.len() - code.len()).ok()?);
    let span = Span::new(lo, lo + BytePos(u32::try_from(FENCE.len()).ok()?));
    Some(Fault { span, message: "A Markdown fence is not code".to_owned(), help: Some(FENCE_HELP) })
}

fn clear_comments(comments: Option<&SingleThreadedComments>) {
    if let Some(comments) = comments {
        let (mut leading, mut trailing) = comments.borrow_all_mut();
        leading.clear();
        trailing.clear();
    }
}

fn collect_faults(
    source: &str,
    outcome: PResult<(Module, Strictness)>,
    mut errors: Vec<Error>,
    for_using: ForUsing,
) -> Result<Parsed, Vec<Fault>> {
    let parsed = match outcome {
        Ok((module, strictness)) => {
            let top_level = TopLevel::of(&module);
            // swc's TypeScript syntax has no option to allow `return` outside a function, so these errors are removed here.
            errors.retain(|error| !(is_return_error(error) && top_level.returns.contains(&error.span())));
            if strictness == Strictness::FromSource {
                errors.retain(|error| !is_sloppy_function(source, error));
            }
            Some(Parsed { module, top_level, strictness, for_using })
        }
        Err(fatal) => {
            // Without a tree it is unknown which of them are at the top level.
            errors.retain(|error| !is_return_error(error));
            errors.push(fatal);
            None
        }
    };
    errors.sort_by_key(|error| (error.span().lo, error.span().hi));
    let misplaced = parsed.iter().flat_map(|parsed| parsed.top_level.misplaced_returns());
    let mut faults: Vec<Fault> =
        errors.iter().take(MAX_FAULTS).map(to_fault).chain(misplaced.take(MAX_FAULTS)).collect();
    faults.sort_by_key(|fault| (fault.span.lo, fault.span.hi));
    faults.dedup();
    faults.truncate(MAX_FAULTS);
    match parsed {
        Some(parsed) if faults.is_empty() => Ok(parsed),
        Some(_) | None => Err(faults),
    }
}

/// One fault if the source is valid with JSX; otherwise hints at JSX.
fn explain(source: &str, language: Language, stack: usize, mut faults: Vec<Fault>) -> Vec<Fault> {
    let run = || run_parser(source, language, Markup::Allowed, None);
    if let Ok((Ok(_), errors)) = metered(steps_for(source.len()), stack, run)
        && errors.iter().all(is_return_error)
        && let Some(fault) = faults.first().and_then(|first| markup_fault(source, first.span))
    {
        return vec![fault];
    }
    explain_markup(source, &mut faults);
    faults
}

fn run_parser(
    source: &str,
    language: Language,
    markup: Markup,
    comments: Option<&SingleThreadedComments>,
) -> (PResult<(Module, Strictness)>, Vec<Error>) {
    let end = BytePos(u32::try_from(source.len()).unwrap_or(u32::MAX - FIRST_POS.0) + FIRST_POS.0);
    let input = StringInput::new(source, FIRST_POS, end);
    let mut parser = Parser::new_from(Lexer::new(
        syntax(language, markup),
        EsVersion::latest(),
        input,
        comments.map(|comments| comments as &dyn Comments),
    ));
    let outcome = match language {
        Language::TypeScript | Language::JavaScriptModule => {
            parser.parse_module().map(|module| (module, Strictness::Strict))
        }
        Language::JavaScript => parser.parse_program().map(|program| match program {
            Program::Module(module) => (module, Strictness::Strict),
            script @ Program::Script(_) => (into_module(script), Strictness::FromSource),
        }),
    };
    match outcome {
        Ok((script, Strictness::FromSource)) if means_keyword(&script, source) => {
            clear_comments(comments);
            run_parser(source, Language::JavaScriptModule, markup, comments)
        }
        outcome => (outcome, parser.take_errors()),
    }
}

/// Finds the line that stops the parser by a binary search over prefixes of the source. The search has the same step budget
/// as the source, and some more for short sources.
fn find_cause(source: &str, language: Language, stack: usize) -> BytePos {
    let ends: Vec<usize> = source.match_indices('\n').map(|(at, _)| at + 1).chain([source.len()]).collect();
    let mut steps = steps_for(source.len()) + SEARCH_PARSES * steps_for(0);
    let (mut fine, mut bad) = (0, ends.len());
    while fine + 1 < bad {
        let lines = usize::midpoint(fine, bad);
        let beginning = ends.get(lines - 1).and_then(|end| source.get(..*end)).unwrap_or_default();
        let allowed = steps_for(beginning.len());
        let Some(left) = steps.checked_sub(allowed) else { break };
        steps = left;
        match metered(allowed, stack, || drop(run_parser(beginning, language, Markup::Refused, None))) {
            Ok(()) => fine = lines,
            Err(_) => bad = lines,
        }
    }
    let start = bad.checked_sub(2).and_then(|before| ends.get(before)).copied().unwrap_or_default();
    let indent = source.get(start..).map_or(0, |rest| rest.len() - rest.trim_start().len());
    FIRST_POS + BytePos(u32::try_from(start + indent).unwrap_or_default())
}

/// Converts a script to a module of statements, so that later passes handle one kind of tree.
pub(crate) fn into_module(program: Program) -> Module {
    match program {
        Program::Module(module) => module,
        Program::Script(script) => Module {
            span: script.span,
            body: script.body.into_iter().map(ModuleItem::Stmt).collect(),
            shebang: script.shebang,
        },
    }
}

fn syntax(language: Language, markup: Markup) -> Syntax {
    let jsx = markup == Markup::Allowed;
    match language {
        Language::TypeScript => Syntax::Typescript(TsSyntax { decorators: true, tsx: jsx, ..TsSyntax::default() }),
        Language::JavaScriptModule | Language::JavaScript => Syntax::Es(EsSyntax {
            jsx,
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

/// `if (a) function f() {}`, which is allowed in sloppy mode. V8 reports it where it is not.
fn is_sloppy_function(source: &str, error: &Error) -> bool {
    let at = error.span().lo.0.saturating_sub(FIRST_POS.0) as usize;
    matches!(error.kind(), SyntaxError::DeclNotAllowed)
        && source.get(at..).is_some_and(|rest| rest.starts_with("function"))
}

fn to_fault(error: &Error) -> Fault {
    Fault { span: error.span(), message: error.kind().msg().into_owned(), help: None }
}
