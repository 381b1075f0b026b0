//! The named imports and the exports of a module.

use std::collections::BTreeSet;

use swc_core::common::{Span, SyntaxContext};
use swc_core::ecma::ast::{
    BindingIdent, Decl, DefaultDecl, ExportSpecifier, Expr, ImportDecl, ImportSpecifier, Module, ModuleDecl,
    ModuleExportName, ModuleItem, NamedExport, Str, TsModuleName,
};
use swc_core::ecma::visit::{Visit, VisitWith};

use super::specifiers::{CommonJsNames, SpecifierCollector, SpecifierScope};
use crate::parse::language::Language;
use crate::positions::source_index::SourceIndex;

/// The name of a default export.
pub const DEFAULT: &str = "default";

/// A name imported from another file, with its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportedName {
    pub specifier: String,
    /// The name in the exporting file.
    pub name: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
}

/// The exports of a file, types included.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleExports {
    pub names: BTreeSet<String>,
    /// Specifiers of `export * from`.
    pub star_exports: Vec<String>,
    /// The exports are only known at run time: `module.exports`, or an untyped script.
    pub is_dynamic: bool,
}

/// The names that a module imports from other files, in source order.
pub(crate) fn imported_names(module: &Module, index: &SourceIndex<'_>) -> Vec<ImportedName> {
    let mut found = Vec::new();
    let mut add = |from: &Str, name: &str, span: Span| {
        let (start, end) = (index.position(span.lo), index.position(span.hi));
        found.push(ImportedName {
            specifier: from.value.to_string_lossy().into_owned(),
            name: name.to_owned(),
            line: start.line,
            column: start.column,
            end_line: end.line,
            end_column: end.column,
        });
    };
    for item in &module.body {
        match item {
            ModuleItem::ModuleDecl(ModuleDecl::Import(import)) => of_import(import, &mut add),
            ModuleItem::ModuleDecl(ModuleDecl::ExportNamed(export)) => of_export(export, &mut add),
            ModuleItem::ModuleDecl(_) | ModuleItem::Stmt(_) => {}
        }
    }
    found
}

fn of_import(import: &ImportDecl, add: &mut impl FnMut(&Str, &str, Span)) {
    for specifier in &import.specifiers {
        match specifier {
            ImportSpecifier::Named(named) => match &named.imported {
                Some(ModuleExportName::Ident(name)) => add(&import.src, &name.sym, name.span),
                Some(ModuleExportName::Str(_)) => {}
                None => add(&import.src, &named.local.sym, named.local.span),
            },
            ImportSpecifier::Default(default) => add(&import.src, DEFAULT, default.local.span),
            ImportSpecifier::Namespace(_) => {}
        }
    }
}

fn of_export(export: &NamedExport, add: &mut impl FnMut(&Str, &str, Span)) {
    let Some(from) = &export.src else { return };
    for specifier in &export.specifiers {
        if let ExportSpecifier::Named(named) = specifier
            && let ModuleExportName::Ident(name) = &named.orig
        {
            add(from, &name.sym, name.span);
        }
    }
}

/// The exports of a resolved module. `unresolved` is the syntax context of names that the source does not declare.
pub(crate) fn module_exports(module: &Module, unresolved: SyntaxContext, language: Language) -> ModuleExports {
    let mut out = ModuleExports::default();
    let mut is_module = false;
    for item in &module.body {
        if let ModuleItem::ModuleDecl(declaration) = item {
            is_module |= !matches!(declaration, ModuleDecl::Import(_) | ModuleDecl::TsImportEquals(_));
            add_declaration(declaration, &mut out);
        }
    }
    if !is_module {
        let mut collector = SpecifierCollector::new(unresolved, SpecifierScope::Code);
        module.visit_with(&mut collector);
        out.is_dynamic = collector.commonjs == CommonJsNames::Used || language != Language::TypeScript;
    }
    out
}

fn add_declaration(declaration: &ModuleDecl, out: &mut ModuleExports) {
    match declaration {
        ModuleDecl::ExportDecl(export) => add_names(&export.decl, out),
        ModuleDecl::ExportDefaultExpr(_) => add_name(DEFAULT, out),
        ModuleDecl::ExportDefaultDecl(export) => match export.decl {
            DefaultDecl::Class(_) | DefaultDecl::Fn(_) | DefaultDecl::TsInterfaceDecl(_) => add_name(DEFAULT, out),
        },
        ModuleDecl::ExportNamed(export) => {
            for specifier in &export.specifiers {
                match specifier {
                    ExportSpecifier::Named(named) => add_export(named.exported.as_ref().unwrap_or(&named.orig), out),
                    ExportSpecifier::Namespace(namespace) => add_export(&namespace.name, out),
                    ExportSpecifier::Default(default) => add_name(&default.exported.sym, out),
                }
            }
        }
        ModuleDecl::ExportAll(export) => out.star_exports.push(export.src.value.to_string_lossy().into_owned()),
        ModuleDecl::TsExportAssignment(_) | ModuleDecl::TsNamespaceExport(_) => out.is_dynamic = true,
        ModuleDecl::TsImportEquals(import) if import.is_export => add_name(&import.id.sym, out),
        ModuleDecl::Import(_) | ModuleDecl::TsImportEquals(_) => {}
    }
}

fn add_names(declaration: &Decl, out: &mut ModuleExports) {
    match declaration {
        Decl::Class(class) => add_name(&class.ident.sym, out),
        Decl::Fn(function) => add_name(&function.ident.sym, out),
        Decl::Var(variables) => {
            for variable in &variables.decls {
                variable.name.visit_with(&mut Bindings(out));
            }
        }
        Decl::TsInterface(interface) => add_name(&interface.id.sym, out),
        Decl::TsTypeAlias(alias) => add_name(&alias.id.sym, out),
        Decl::TsEnum(of) => add_name(&of.id.sym, out),
        Decl::TsModule(namespace) => match &namespace.id {
            TsModuleName::Ident(name) => add_name(&name.sym, out),
            TsModuleName::Str(_) => {}
        },
        Decl::Using(_) => {}
    }
}

fn add_export(name: &ModuleExportName, out: &mut ModuleExports) {
    match name {
        ModuleExportName::Ident(name) => add_name(&name.sym, out),
        ModuleExportName::Str(name) => add_name(&name.value.to_string_lossy(), out),
    }
}

fn add_name(name: &str, out: &mut ModuleExports) {
    out.names.insert(name.to_owned());
}

/// Collects the names that a pattern binds.
struct Bindings<'a>(&'a mut ModuleExports);

impl Visit for Bindings<'_> {
    fn visit_binding_ident(&mut self, node: &BindingIdent) {
        add_name(&node.id.sym, self.0);
    }

    // Default values bind no names.
    fn visit_expr(&mut self, _: &Expr) {}
}
