//! Transpiles a syntax tree to the text of a CommonJS function body.
//!
//! A script that V8 can parse is emitted verbatim. In other sources only what V8 15 cannot parse is lowered: types, enums,
//! namespaces, parameter properties, module syntax, decorators and `accessor`.
//! Decorators and `accessor` follow the standard (the 2023-11 version of the proposal, as TypeScript 5 without
//! `experimentalDecorators`). `using` is not lowered, because V8 supports it.

use std::collections::HashSet;

use swc_core::common::sync::Lrc;
use swc_core::common::{BytePos, GLOBALS, Globals, LineCol, Mark, SourceMap, Span, SyntaxContext};
use swc_core::ecma::ast::{EsVersion, Expr, Lit, Module, ModuleItem, Pass, Program, Stmt};
use swc_core::ecma::codegen::text_writer::JsWriter;
use swc_core::ecma::codegen::{Config as PrintConfig, Emitter};
use swc_core::ecma::transforms::base::fixer::fixer;
use swc_core::ecma::transforms::base::helpers::{HELPERS, Helpers, inject_helpers};
use swc_core::ecma::transforms::base::resolver;
use swc_core::ecma::transforms::module::common_js::{Config as CommonJsConfig, FeatureFlag, common_js};
use swc_core::ecma::transforms::module::path::Resolver;
use swc_core::ecma::transforms::proposal::decorator_2023_11::decorator_2023_11;
use swc_core::ecma::transforms::typescript::{Config as TypeScriptConfig, TsImportExportAssignConfig, typescript};
use swc_core::ecma::visit::VisitMutWith;

use super::alias_targets::qualify_alias_targets;
use super::body_scope::BodyScope;
use super::compiled::{Compiled, SyntaxChecker};
use super::default_name::name_default_export;
use super::hygiene::{MarkedGlobals, rename_ambiguous};
use super::import_assignments::ImportAssignments;
use super::import_meta::ImportMeta;
use super::last_value::{ending_values, return_values};
use super::loops::{LoopsWithUsing, Superclasses};
use super::verbatim::{self, VerbatimForm};
use crate::imports::import::RunTimeImports;
use crate::imports::specifiers::CommonJsNames;
use crate::parse::for_using::ForUsing;
use crate::parse::language::Language;
use crate::parse::parser::{Parsed, Strictness, into_module};
use crate::parse::tool_form::{BodyKind, DefaultExport, ModuleKind, ToolForm};
use crate::parse::top_level::Exports;
use crate::positions::position_map::{PositionMap, count_separators};
use crate::positions::source_index::SourceIndex;
use crate::syntax::namespaces::merge_namespaces;

/// The code generator failed. Does not happen when writing to memory.
#[derive(Debug)]
pub(crate) struct PrintFailed;

/// Properties of the source that the passes need.
struct SourceProperties<'a> {
    path: &'a str,
    source: &'a str,
    language: Language,
    exports: Exports,
    strictness: Strictness,
    for_using: ForUsing,
}

/// The kind of output.
enum Output {
    /// A lowered syntax tree, which V8 can parse after printing.
    Lowered(Module),
    /// The source itself.
    Verbatim(BodyScope),
}

/// The output of the passes, and what they found.
struct Transformed {
    output: Output,
    references: RunTimeImports,
    /// Spans of the expressions that may give the script's value.
    values: HashSet<Span>,
}

pub(crate) fn transpile(parsed: Parsed, path: &str, source: &str, language: Language) -> Result<Compiled, PrintFailed> {
    let index = SourceIndex::new(source);
    let Parsed { module, top_level, strictness, for_using } = parsed;
    let verbatim_form = VerbatimForm::of(&module, source);
    let properties = SourceProperties { path, source, language, exports: top_level.exports, strictness, for_using };
    let Transformed { output, references, values } = GLOBALS.set(&Globals::new(), || {
        HELPERS.set(&Helpers::new(false), || transform(module, &properties, verbatim_form, &index))
    });
    let kind = match (top_level.exports, references.commonjs) {
        (Exports::Module(default), _) => ModuleKind::Module(default),
        (Exports::Imports, _) if values.is_empty() => ModuleKind::Module(DefaultExport::Absent),
        (Exports::Assignment, _) | (Exports::None, CommonJsNames::Used) => ModuleKind::CommonJs,
        (Exports::None | Exports::Imports, _) => ModuleKind::Script,
    };
    let (code, map) = match output {
        Output::Verbatim(scope) => {
            let (prefix, suffix) = wrapping(top_level.body, scope, strictness);
            let has_directive = scope == BodyScope::Block && top_level.body == BodyKind::Sync;
            let prefix = match strictness {
                Strictness::Strict if !has_directive => format!("{prefix}\"use strict\";"),
                Strictness::Strict | Strictness::FromSource => prefix.to_owned(),
            };
            let written = verbatim::write(source, &index, values, &prefix, suffix);
            (written.code, written.map)
        }
        Output::Lowered(module) => print_mapped(&module, top_level.body, strictness, &index)?,
    };
    let checker = match top_level.exports {
        Exports::Module(_) | Exports::Imports if verbatim_form == VerbatimForm::Module => SyntaxChecker::EngineAsModule,
        Exports::Module(_) | Exports::Imports | Exports::Assignment | Exports::None => SyntaxChecker::Parser,
    };
    let form = ToolForm { module: kind, body: top_level.body };
    let RunTimeImports { imports, names_buffer, .. } = references;
    Ok(Compiled { code, map, imports, names_buffer, form, checker })
}

/// Prints a tree, and builds its position map.
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

fn transform(
    mut module: Module,
    properties: &SourceProperties<'_>,
    verbatim_form: VerbatimForm,
    index: &SourceIndex<'_>,
) -> Transformed {
    if properties.language == Language::TypeScript {
        merge_namespaces(&mut module, properties.source);
    }
    let (unresolved, top_level) = (Mark::new(), Mark::new());
    let mut program = Program::Module(module);
    resolver(unresolved, top_level, properties.language == Language::TypeScript).process(&mut program);
    let unresolved_names = SyntaxContext::empty().apply_mark(unresolved);
    let mut module = into_module(program);
    qualify_alias_targets(&mut module);
    let values = match properties.exports {
        Exports::None | Exports::Imports => ending_values(&module, unresolved_names),
        Exports::Module(_) | Exports::Assignment => HashSet::new(),
    };
    // A directive inside a block has no effect.
    let scope = BodyScope::of(&module);
    if verbatim_form == VerbatimForm::Body && !(scope == BodyScope::Block && has_use_strict(&module)) {
        let references = RunTimeImports::of(&module, unresolved_names, index);
        return Transformed { output: Output::Verbatim(scope), references, values };
    }
    let mut program = Program::Module(module);
    // Before enums and other declarations become expressions.
    return_values(&mut program, values.clone());
    let references = lower(&mut program, properties, unresolved, top_level, index);
    Transformed { output: Output::Lowered(into_module(program)), references, values }
}

fn has_use_strict(module: &Module) -> bool {
    let mut directives = module.body.iter().map_while(|item| {
        let ModuleItem::Stmt(Stmt::Expr(statement)) = item else { return None };
        let Expr::Lit(Lit::Str(text)) = &*statement.expr else { return None };
        Some(text)
    });
    directives.any(|text| text.value == "use strict")
}

fn lower(
    program: &mut Program,
    properties: &SourceProperties<'_>,
    unresolved: Mark,
    top_level: Mark,
    index: &SourceIndex<'_>,
) -> RunTimeImports {
    let SourceProperties { path, source, language, exports, strictness, for_using } = properties;
    let unresolved_names = SyntaxContext::empty().apply_mark(unresolved);
    if !for_using.keywords.is_empty() {
        program.visit_mut_with(&mut LoopsWithUsing { keywords: &for_using.keywords });
    }
    if source.contains("meta") {
        program.visit_mut_with(&mut ImportMeta { path, unresolved: unresolved_names });
    }
    if source.contains('@') || source.contains("accessor") {
        decorator_2023_11().process(program);
        program.visit_mut_with(&mut MarkedGlobals { unresolved });
    }
    if *language == Language::TypeScript {
        typescript(typescript_config(), unresolved, top_level).process(program);
    }
    let references = RunTimeImports::of(&*program, unresolved_names, index);
    let assigned = ImportAssignments::of(program);
    name_default_export(program, unresolved_names);
    let features = FeatureFlag { support_block_scoping: true, support_arrow: true };
    common_js(Resolver::Default, unresolved, commonjs_config(*exports, *strictness), features).process(program);
    assigned.declare(program);
    inject_helpers(unresolved).process(program);
    rename_ambiguous(program, unresolved, top_level);
    fixer(None).process(program);
    program.visit_mut_with(&mut Superclasses);
    references
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
        // `this` is `undefined` in a module, and set by the caller in CommonJS.
        allow_top_level_this: match exports {
            Exports::Module(_) | Exports::Imports => false,
            Exports::Assignment | Exports::None => true,
        },
        strict_mode: match strictness {
            Strictness::Strict => true,
            Strictness::FromSource => false,
        },
        ..CommonJsConfig::default()
    }
}

/// Prefix and suffix of the printed body. The prefix is ASCII without line breaks, so it only shifts the first line.
fn wrapping(body: BodyKind, scope: BodyScope, strictness: Strictness) -> (&'static str, &'static str) {
    match (body, scope, strictness) {
        (BodyKind::Async, BodyScope::Function | BodyScope::Block, _) => ("return(async()=>{", "\n})();"),
        (BodyKind::Sync, BodyScope::Function, _) => ("", ""),
        (BodyKind::Sync, BodyScope::Block, Strictness::Strict) => ("\"use strict\";{", "\n}"),
        (BodyKind::Sync, BodyScope::Block, Strictness::FromSource) => ("{", "\n}"),
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
    // With indentation, nested code would grow quadratically in its depth.
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
