//! Text to syntax tree, with every fault that the parser can name.
//!
//! [`parse_meter`](super::parse_meter) bounds what the parser does on the way.

use swc_core::common::comments::{Comments, SingleThreadedComments};
use swc_core::common::{BytePos, Span, Spanned};
use swc_core::ecma::ast::{EsVersion, Module, ModuleItem, Program};
use swc_core::ecma::parser::error::{Error, SyntaxError};
use swc_core::ecma::parser::{EsSyntax, Lexer, PResult, Parser, StringInput, Syntax, TsSyntax};

use super::await_calls::means_keyword;
use super::fault::Fault;
use super::for_using::ForUsing;
use super::language::Language;
use super::parse_meter::{Spent, metered, steps_for};
use super::top_level::TopLevel;
use crate::positions::source_index::FIRST_POS;

/// A tree without faults.
pub(crate) struct Parsed {
    pub(crate) module: Module,
    pub(crate) top_level: TopLevel,
    pub(crate) strictness: Strictness,
    /// Loops that were read in another way than they are written.
    pub(crate) for_using: ForUsing,
}

/// Whether the emitted body says `"use strict"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strictness {
    Strict,
    /// As the source says.
    AsWritten,
}

const JSX_HELP: &str = "JSX is not supported: a tool returns data, not markup.";

/// Beginnings of a short source that are read to find what stopped the parser.
const SEARCHES: u64 = 16;

/// Faults beyond these are not reported: nobody mends more at once, and hostile text has a hundred thousand.
const MAX_FAULTS: usize = 100;

const FENCE: &str = "```";
const FENCE_HELP: &str = "Send the code alone, without the lines of ``` before and after it.";

/// Why there is no tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unparsed {
    /// The first faults, in the order of the source.
    Faulty(Vec<Fault>),
    /// The parser was stopped; where a search found the cause, the first character of its line.
    Stopped(Spent, BytePos),
}

/// A tree without faults, and the comments if there is a place for them. A script becomes a module of statements. `stack`
/// is what the thread has.
pub(crate) fn parse(
    source: &str,
    language: Language,
    stack: usize,
    comments: Option<&SingleThreadedComments>,
) -> Result<Parsed, Unparsed> {
    if let Some(fence) = fence_of(source) {
        return Err(Unparsed::Faulty(vec![fence]));
    }
    let mut for_using = ForUsing::default();
    let outcome = loop {
        let run = || run_parser(for_using.text(source), language, comments);
        let outcome = metered(steps_for(source.len()), stack, run);
        match &outcome {
            // It will come by the same comments again.
            Ok((Err(fatal), _)) if for_using.replace(source, fatal.span().lo) => forget(comments),
            Ok(_) | Err(_) => break outcome,
        }
    };
    match outcome {
        Ok((outcome, errors)) => judge(source, outcome, errors, for_using).map_err(Unparsed::Faulty),
        Err(Spent::Time) => Err(Unparsed::Stopped(Spent::Time, FIRST_POS)),
        Err(spent @ (Spent::Steps | Spent::Stack)) => {
            Err(Unparsed::Stopped(spent, find_cause(source, language, stack)))
        }
    }
}

/// Models send code as they would in a chat. To the grammar three backticks are two texts, the first of which is called.
fn fence_of(source: &str) -> Option<Fault> {
    let code = source.trim_start();
    if !code.starts_with(FENCE) {
        return None;
    }
    let lo = FIRST_POS + BytePos(u32::try_from(source.len() - code.len()).ok()?);
    let span = Span::new(lo, lo + BytePos(u32::try_from(FENCE.len()).ok()?));
    Some(Fault { span, message: "A Markdown fence is no code".to_owned(), help: Some(FENCE_HELP) })
}

fn forget(comments: Option<&SingleThreadedComments>) {
    if let Some(comments) = comments {
        let (mut leading, mut trailing) = comments.borrow_all_mut();
        leading.clear();
        trailing.clear();
    }
}

fn judge(
    source: &str,
    outcome: PResult<(Module, Strictness)>,
    mut errors: Vec<Error>,
    for_using: ForUsing,
) -> Result<Parsed, Vec<Fault>> {
    let parsed = match outcome {
        Ok((module, strictness)) => {
            let top_level = TopLevel::of(&module);
            // TypeScript's grammar has no switch for a `return` outside a function, so it is reported and forgiven here.
            errors.retain(|error| !(is_return_error(error) && top_level.returns.contains(&error.span())));
            if strictness == Strictness::AsWritten {
                errors.retain(|error| !is_sloppy_function(source, error));
            }
            Some(Parsed { module, top_level, strictness, for_using })
        }
        Err(fatal) => {
            // Without a tree nobody knows which of them stand at the top level.
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
        Some(_) | None => {
            explain_markup(source, &mut faults);
            Err(faults)
        }
    }
}

fn run_parser(
    source: &str,
    language: Language,
    comments: Option<&SingleThreadedComments>,
) -> (PResult<(Module, Strictness)>, Vec<Error>) {
    let end = BytePos(u32::try_from(source.len()).unwrap_or(u32::MAX - FIRST_POS.0) + FIRST_POS.0);
    let input = StringInput::new(source, FIRST_POS, end);
    let mut parser = Parser::new_from(Lexer::new(
        syntax(language),
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
            script @ Program::Script(_) => (into_module(script), Strictness::AsWritten),
        }),
    };
    match outcome {
        Ok((script, Strictness::AsWritten)) if means_keyword(&script, source) => {
            forget(comments);
            run_parser(source, Language::JavaScriptModule, comments)
        }
        outcome => (outcome, parser.take_errors()),
    }
}

/// The line without which the parser comes to an end, found by reading ever shorter beginnings of the source. The search
/// gets as many steps as the source did, and some more for short ones.
fn find_cause(source: &str, language: Language, stack: usize) -> BytePos {
    let ends: Vec<usize> = source.match_indices('\n').map(|(at, _)| at + 1).chain([source.len()]).collect();
    let mut steps = steps_for(source.len()) + SEARCHES * steps_for(0);
    let (mut fine, mut bad) = (0, ends.len());
    while fine + 1 < bad {
        let lines = usize::midpoint(fine, bad);
        let beginning = ends.get(lines - 1).and_then(|end| source.get(..*end)).unwrap_or_default();
        let allowed = steps_for(beginning.len());
        let Some(left) = steps.checked_sub(allowed) else { break };
        steps = left;
        match metered(allowed, stack, || drop(run_parser(beginning, language, None))) {
            Ok(()) => fine = lines,
            Err(_) => bad = lines,
        }
    }
    let start = bad.checked_sub(2).and_then(|before| ends.get(before)).copied().unwrap_or_default();
    let indent = source.get(start..).map_or(0, |rest| rest.len() - rest.trim_start().len());
    FIRST_POS + BytePos(u32::try_from(start + indent).unwrap_or_default())
}

/// A script as a module of statements, so that everything after the parser knows one kind of tree.
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

/// `if (a) function f() {}`, which scripts without strict mode may say. Where they may not, V8 finds out.
fn is_sloppy_function(source: &str, error: &Error) -> bool {
    let at = error.span().lo.0.saturating_sub(FIRST_POS.0) as usize;
    matches!(error.kind(), SyntaxError::DeclNotAllowed)
        && source.get(at..).is_some_and(|rest| rest.starts_with("function"))
}

fn to_fault(error: &Error) -> Fault {
    Fault { span: error.span(), message: error.kind().msg().into_owned(), help: None }
}

fn explain_markup(source: &str, faults: &mut [Fault]) {
    if !source.contains("</") && !source.contains("/>") {
        return;
    }
    for fault in faults {
        if fault.help.is_none() && has_tag_on_its_line(source, fault.span) {
            fault.help = Some(JSX_HELP);
        }
    }
}

fn has_tag_on_its_line(source: &str, span: Span) -> bool {
    let at = (span.lo.0.saturating_sub(FIRST_POS.0) as usize).min(source.len());
    let start = source.get(..at).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    let line = source.get(start..).and_then(|rest| rest.lines().next()).unwrap_or_default();
    line.as_bytes().windows(2).any(|pair| matches!(pair, [b'<', b'a'..=b'z' | b'A'..=b'Z' | b'/' | b'>']))
}
