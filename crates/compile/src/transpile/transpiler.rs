//! Syntax tree to the text of a CommonJS function body.
//!
//! A script that V8 can read runs as it is written. In all else only what V8 15 cannot read is lowered: types, enums,
//! namespaces, parameter properties, module syntax, decorators and `accessor`.
//! Decorators and `accessor` follow the standard (the proposal's 2023-11 text, what TypeScript 5 does without `experimentalDecorators`).
//! `using` stays as it is, V8 has it.

use std::collections::HashSet;

use swc_core::common::sync::Lrc;
use swc_core::common::{BytePos, GLOBALS, Globals, LineCol, Mark, SourceMap, Span, SyntaxContext};
use swc_core::ecma::ast::{EsVersion, Expr, Ident, Lit, Module, ModuleItem, Pass, Program, Stmt};
use swc_core::ecma::codegen::text_writer::JsWriter;
use swc_core::ecma::codegen::{Config as PrintConfig, Emitter};
use swc_core::ecma::transforms::base::fixer::fixer;
use swc_core::ecma::transforms::base::helpers::{HELPERS, Helpers, inject_helpers};
use swc_core::ecma::transforms::base::hygiene::{Config as HygieneConfig, hygiene_with_config};
use swc_core::ecma::transforms::base::resolver;
use swc_core::ecma::transforms::module::common_js::{Config as CommonJsConfig, FeatureFlag, common_js};
use swc_core::ecma::transforms::module::path::Resolver;
use swc_core::ecma::transforms::proposal::decorator_2023_11::decorator_2023_11;
use swc_core::ecma::transforms::typescript::{Config as TypeScriptConfig, TsImportExportAssignConfig, typescript};
use swc_core::ecma::visit::{VisitMut, VisitMutWith};

use super::as_written::{self, Readable};
use super::body_scope::BodyScope;
use super::compiled::{Compiled, Judge};
use super::import_assignments::ImportAssignments;
use super::import_meta::ImportMeta;
use super::last_value::{ending_values, return_values};
use super::loops::{LoopsWithUsing, Superclasses};
use crate::imports::import::RunTimeImports;
use crate::imports::specifiers::CommonJsNames;
use crate::parse::for_using::ForUsing;
use crate::parse::language::Language;
use crate::parse::parser::{Parsed, Strictness, into_module};
use crate::parse::tool_form::{BodyKind, DefaultExport, ModuleKind, ToolForm};
use crate::parse::top_level::Exports;
use crate::positions::position_map::{PositionMap, count_separators};
use crate::positions::source_index::SourceIndex;

/// The printer could not write, which memory does not do.
#[derive(Debug)]
pub(crate) struct PrintFailed;

/// What is known about a source as a whole.
struct Whole<'a> {
    path: &'a str,
    source: &'a str,
    language: Language,
    exports: Exports,
    strictness: Strictness,
    for_using: ForUsing,
}

/// What a source has become.
enum Made {
    /// A tree that V8 can read.
    Lowered(Module),
    /// Nothing else: V8 can read it.
    AsWritten(BodyScope),
}

/// What was made of a source, and what is known about it.
struct Transformed {
    made: Made,
    references: RunTimeImports,
    /// Where the expressions are one of which is the script's value.
    values: HashSet<Span>,
}

pub(crate) fn transpile(parsed: Parsed, path: &str, source: &str, language: Language) -> Result<Compiled, PrintFailed> {
    let index = SourceIndex::new(source);
    let Parsed { module, top_level, strictness, for_using } = parsed;
    let readable = Readable::of(&module, source);
    let whole = Whole { path, source, language, exports: top_level.exports, strictness, for_using };
    let Transformed { made, references, values } = GLOBALS
        .set(&Globals::new(), || HELPERS.set(&Helpers::new(false), || transform(module, &whole, readable, &index)));
    let kind = match (top_level.exports, references.commonjs) {
        (Exports::Module(default), _) => ModuleKind::Module(default),
        (Exports::Imports, _) if values.is_empty() => ModuleKind::Module(DefaultExport::Absent),
        (Exports::Assignment, _) | (Exports::None, CommonJsNames::Used) => ModuleKind::CommonJs,
        (Exports::None | Exports::Imports, _) => ModuleKind::Script,
    };
    let (code, map) = match made {
        Made::AsWritten(scope) => {
            let (prefix, suffix) = wrapping(top_level.body, scope, strictness);
            let is_said = scope == BodyScope::Block && top_level.body == BodyKind::Sync;
            let prefix = match strictness {
                Strictness::Strict if !is_said => format!("{prefix}\"use strict\";"),
                Strictness::Strict | Strictness::AsWritten => prefix.to_owned(),
            };
            let written = as_written::write(source, &index, values, &prefix, suffix);
            (written.code, written.map)
        }
        Made::Lowered(module) => print_mapped(&module, top_level.body, strictness, &index)?,
    };
    let judge = match top_level.exports {
        Exports::Module(_) | Exports::Imports if readable == Readable::Module => Judge::EngineAsModule,
        Exports::Module(_) | Exports::Imports | Exports::Assignment | Exports::None => Judge::Parser,
    };
    let form = ToolForm { module: kind, body: top_level.body };
    Ok(Compiled { code, map, imports: references.imports, form, judge })
}

/// The text of a tree, and where its places are in the source.
fn print_mapped(
    module: &Module,
    body: BodyKind,
    strictness: Strictness,
    index: &SourceIndex<'_>,
) -> Result<(String, PositionMap), PrintFailed> {
    let (prefix, suffix) = wrapping(body, BodyScope::of(module), strictness);
    let mut mappings = Vec::new();
    let text = print(module, prefix, suffix, &mut mappings)?;
    count_separators(text.get(prefix.len()..).unwrap_or_default(), &mut mappings);
    let shift = u32::try_from(prefix.len()).unwrap_or(u32::MAX);
    let map = PositionMap::build(&mappings, index, shift);
    Ok((text, map))
}

fn transform(module: Module, whole: &Whole<'_>, readable: Readable, index: &SourceIndex<'_>) -> Transformed {
    let (unresolved, top_level) = (Mark::new(), Mark::new());
    let mut program = Program::Module(module);
    resolver(unresolved, top_level, whole.language == Language::TypeScript).process(&mut program);
    let unresolved_names = SyntaxContext::empty().apply_mark(unresolved);
    let module = into_module(program);
    let values = match whole.exports {
        Exports::None | Exports::Imports => ending_values(&module, unresolved_names),
        Exports::Module(_) | Exports::Assignment => HashSet::new(),
    };
    // A directive in a block says nothing.
    let scope = BodyScope::of(&module);
    if readable == Readable::Body && !(scope == BodyScope::Block && says_strict(&module)) {
        let references = RunTimeImports::of(&module, unresolved_names, index);
        return Transformed { made: Made::AsWritten(scope), references, values };
    }
    let mut program = Program::Module(module);
    // Before enums and the like become expressions.
    return_values(&mut program, values.clone());
    let references = lower(&mut program, whole, unresolved, top_level, index);
    Transformed { made: Made::Lowered(into_module(program)), references, values }
}

fn says_strict(module: &Module) -> bool {
    let mut directives = module.body.iter().map_while(|item| {
        let ModuleItem::Stmt(Stmt::Expr(statement)) = item else { return None };
        let Expr::Lit(Lit::Str(text)) = &*statement.expr else { return None };
        Some(text)
    });
    directives.any(|text| text.value == "use strict")
}

fn lower(
    program: &mut Program,
    whole: &Whole<'_>,
    unresolved: Mark,
    top_level: Mark,
    index: &SourceIndex<'_>,
) -> RunTimeImports {
    let Whole { path, source, language, exports, strictness, for_using } = whole;
    let unresolved_names = SyntaxContext::empty().apply_mark(unresolved);
    if !for_using.keywords.is_empty() {
        program.visit_mut_with(&mut LoopsWithUsing { keywords: &for_using.keywords });
    }
    if source.contains("meta") {
        program.visit_mut_with(&mut ImportMeta { path, unresolved: unresolved_names });
    }
    if source.contains('@') || source.contains("accessor") {
        decorator_2023_11().process(program);
    }
    if *language == Language::TypeScript {
        typescript(typescript_config(), unresolved, top_level).process(program);
    }
    let references = RunTimeImports::of(&*program, unresolved_names, index);
    let assigned = ImportAssignments::of(program);
    let features = FeatureFlag { support_block_scoping: true, support_arrow: true };
    common_js(Resolver::Default, unresolved, commonjs_config(*exports, *strictness), features).process(program);
    assigned.declare(program);
    inject_helpers(unresolved).process(program);
    program.visit_mut_with(&mut MadeUpNames { unresolved: unresolved_names });
    hygiene_with_config(HygieneConfig { top_level_mark: top_level, ..HygieneConfig::hygiene_default() })
        .process(program);
    fixer(None).process(program);
    program.visit_mut_with(&mut Superclasses);
    references
}

/// The passes write `Object` and `Promise` without saying whose; they mean the global ones. Told so, [`hygiene_with_config`]
/// renames what the guest declares under such a name.
struct MadeUpNames {
    unresolved: SyntaxContext,
}

impl VisitMut for MadeUpNames {
    fn visit_mut_ident(&mut self, node: &mut Ident) {
        if node.ctxt == SyntaxContext::empty() {
            node.ctxt = self.unresolved;
        }
    }
}

fn typescript_config() -> TypeScriptConfig {
    TypeScriptConfig {
        native_class_properties: true,
        import_export_assign_config: TsImportExportAssignConfig::Preserve,
        ..TypeScriptConfig::default()
    }
}

fn commonjs_config(exports: Exports, strictness: Strictness) -> CommonJsConfig {
    CommonJsConfig {
        // `this` is `undefined` in a module and what the caller gives in CommonJS.
        allow_top_level_this: match exports {
            Exports::Module(_) | Exports::Imports => false,
            Exports::Assignment | Exports::None => true,
        },
        strict_mode: match strictness {
            Strictness::Strict => true,
            Strictness::AsWritten => false,
        },
        ..CommonJsConfig::default()
    }
}

/// What stands around the printed body. The prefix is ASCII and has no line break, so it only shifts the first line.
fn wrapping(body: BodyKind, scope: BodyScope, strictness: Strictness) -> (&'static str, &'static str) {
    match (body, scope, strictness) {
        (BodyKind::Async, BodyScope::Function | BodyScope::Block, _) => ("return(async()=>{", "\n})();"),
        (BodyKind::Sync, BodyScope::Function, _) => ("", ""),
        (BodyKind::Sync, BodyScope::Block, Strictness::Strict) => ("\"use strict\";{", "\n}"),
        (BodyKind::Sync, BodyScope::Block, Strictness::AsWritten) => ("{", "\n}"),
    }
}

fn print(
    module: &Module,
    prefix: &str,
    suffix: &str,
    mappings: &mut Vec<(BytePos, LineCol)>,
) -> Result<String, PrintFailed> {
    let source_map = Lrc::new(SourceMap::default());
    let mut text = prefix.as_bytes().to_vec();
    let mut writer = JsWriter::new(source_map.clone(), "\n", &mut text, Some(mappings));
    // Indentation would let nested code grow with the square of its depth.
    writer.set_indent_str("");
    let mut emitter = Emitter {
        cfg: PrintConfig::default().with_target(EsVersion::latest()),
        cm: source_map,
        comments: None,
        wr: writer,
    };
    emitter.emit_module(module).map_err(|_| PrintFailed)?;
    text.extend_from_slice(suffix.as_bytes());
    String::from_utf8(text).map_err(|_| PrintFailed)
}
