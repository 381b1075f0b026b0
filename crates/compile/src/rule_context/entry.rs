//! The kind of entry point of a file, determined from its syntax.

use swc_core::common::{Span, Spanned};
use swc_core::ecma::ast::{
    AssignTarget, DefaultDecl, ExportSpecifier, Expr, Module, ModuleDecl, ModuleExportName, ModuleItem,
    SimpleAssignTarget, Stmt,
};

use crate::syntax::completion::{gives_value, last_values};
use crate::syntax::expr::{global_name, member_name, member_of, plain};
use crate::syntax::function_facts::{FunctionFacts, FunctionResult, result_of};
use crate::syntax::names::Names;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// The default export is a function.
    Function { span: Span, facts: FunctionFacts },
    /// The default export is another value, or known only at run time.
    Value { span: Span },
    /// Other files import this one; it has no result of its own.
    Library,
    /// A script body that uses `args`; its result is the returned value or the last expression.
    Script,
    /// A body without exports and without a result.
    Nothing,
}

impl Entry {
    pub(crate) fn of(module: &Module, names: &Names) -> Self {
        let mut found = None;
        let mut exports_something = false;
        for item in &module.body {
            match item {
                ModuleItem::ModuleDecl(declaration) => {
                    exports_something |= !matches!(declaration, ModuleDecl::Import(_) | ModuleDecl::TsImportEquals(_));
                    found = found.or_else(|| default_export(declaration, names));
                }
                ModuleItem::Stmt(Stmt::Expr(statement)) => {
                    if let Some((target, value)) = commonjs_export(&statement.expr, names) {
                        exports_something = true;
                        if target == "exports" || target == "default" {
                            found = Some(of_expr(value, statement.span, names));
                        }
                    }
                }
                ModuleItem::Stmt(_) => {}
            }
        }
        match found {
            Some(entry) => entry,
            None if exports_something => Self::Library,
            None if result_of(module) == FunctionResult::Value || gives_value(&last_values(module)) => Self::Script,
            None => Self::Nothing,
        }
    }
}

fn default_export(declaration: &ModuleDecl, names: &Names) -> Option<Entry> {
    match declaration {
        ModuleDecl::ExportDefaultExpr(export) => Some(of_expr(&export.expr, export.span, names)),
        ModuleDecl::TsExportAssignment(export) => Some(of_expr(&export.expr, export.span, names)),
        ModuleDecl::ExportDefaultDecl(export) => match &export.decl {
            DefaultDecl::Fn(function) => {
                Some(Entry::Function { span: export.span, facts: FunctionFacts::of_function(&function.function) })
            }
            DefaultDecl::Class(_) => Some(Entry::Value { span: export.span }),
            DefaultDecl::TsInterfaceDecl(_) => None,
        },
        ModuleDecl::ExportNamed(export) => export.specifiers.iter().find_map(|specifier| match specifier {
            ExportSpecifier::Named(named) => {
                let ModuleExportName::Ident(exported) = named.exported.as_ref().unwrap_or(&named.orig) else {
                    return None;
                };
                let ModuleExportName::Ident(local) = &named.orig else { return None };
                (exported.sym == "default" && !named.is_type_only).then(|| match export.src {
                    // A re-export: the function is in the other file.
                    Some(_) => Entry::Value { span: named.span },
                    None => of_expr(&Expr::Ident(local.clone()), named.span, names),
                })
            }
            ExportSpecifier::Namespace(_) | ExportSpecifier::Default(_) => None,
        }),
        ModuleDecl::Import(_)
        | ModuleDecl::ExportDecl(_)
        | ModuleDecl::ExportAll(_)
        | ModuleDecl::TsImportEquals(_)
        | ModuleDecl::TsNamespaceExport(_) => None,
    }
}

fn of_expr(expr: &Expr, span: Span, names: &Names) -> Entry {
    let facts = FunctionFacts::of_expr(expr).or_else(|| match plain(expr) {
        Expr::Ident(name) => names.get(name).and_then(|binding| binding.function),
        _ => None,
    });
    match facts {
        // Findings point to the declaration, where the documentation is.
        Some(facts) => Entry::Function { span: declaration_of(expr, names).unwrap_or(span), facts },
        None => Entry::Value { span },
    }
}

fn declaration_of(expr: &Expr, names: &Names) -> Option<Span> {
    match plain(expr) {
        Expr::Ident(name) => names.get(name).map(|binding| binding.span),
        _ => None,
    }
}

/// Name and value of `module.exports = …`, `module.exports.x = …` or `exports.x = …`.
fn commonjs_export<'a>(expr: &'a Expr, names: &Names) -> Option<(String, &'a Expr)> {
    let Expr::Assign(assign) = plain(expr) else { return None };
    let AssignTarget::Simple(SimpleAssignTarget::Member(target)) = &assign.left else { return None };
    let name = member_name(&target.prop)?.into_owned();
    let is_ours = match global_name(&target.obj, names.unresolved) {
        Some("module") => name == "exports",
        Some("exports") => true,
        _ => member_of(&target.obj).is_some_and(|inner| {
            global_name(&inner.obj, names.unresolved) == Some("module")
                && member_name(&inner.prop).is_some_and(|inner| inner == "exports")
        }),
    };
    is_ours.then_some((name, &*assign.right))
}

/// The span of the first item, or of the whole module when it is empty.
pub(crate) fn first_span(module: &Module) -> Span {
    module.body.first().map_or(module.span, Spanned::span)
}
