//! Collects the import specifiers of a source.

use swc_core::common::comments::Comment;
use swc_core::common::{Span, Spanned, SyntaxContext};
use swc_core::ecma::ast::{
    CallExpr, Callee, ExportAll, ExprOrSpread, Ident, ImportDecl, Module, NamedExport, Str, TsExternalModuleRef,
    TsImportType, TsModuleDecl, TsModuleName,
};
use swc_core::ecma::visit::{Visit, VisitWith};

use crate::syntax::expr::{global_name, text_of};

/// All specifiers of a module in source order, types included.
pub(crate) fn specifiers(module: &Module, unresolved: SyntaxContext) -> Vec<(String, Span)> {
    let mut collector = SpecifierCollector::new(unresolved, SpecifierScope::CodeAndTypes);
    module.visit_with(&mut collector);
    collector.specifiers
}

/// The targets of `/// <reference path="…" />` and similar directives.
pub(crate) fn directives(comments: &[Comment]) -> Vec<(String, Span)> {
    let named = comments.iter().filter_map(|comment| {
        let rest = comment.text.strip_prefix('/')?.trim_start().strip_prefix('<')?;
        if !rest.starts_with("reference") && !rest.starts_with("amd-") {
            return None;
        }
        let value = rest.split(['"', '\'']).nth(1).unwrap_or(rest);
        Some((value.to_owned(), comment.span))
    });
    named.collect()
}

/// Which specifiers are collected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SpecifierScope {
    Code,
    /// Specifiers in types as well.
    CodeAndTypes,
}

/// Whether the code uses the CommonJS variables `module` or `exports`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CommonJsNames {
    Used,
    Unused,
}

/// A visitor that collects specifiers.
pub(crate) struct SpecifierCollector {
    unresolved: SyntaxContext,
    scope: SpecifierScope,
    pub(crate) specifiers: Vec<(String, Span)>,
    pub(crate) commonjs: CommonJsNames,
    /// Whether the code names the global `Buffer`.
    pub(crate) names_buffer: bool,
}

impl SpecifierCollector {
    pub(crate) fn new(unresolved: SyntaxContext, scope: SpecifierScope) -> Self {
        Self { unresolved, scope, specifiers: Vec::new(), commonjs: CommonJsNames::Unused, names_buffer: false }
    }

    fn add(&mut self, name: &Str) {
        self.specifiers.push((name.value.to_string_lossy().into_owned(), name.span));
    }
}

impl Visit for SpecifierCollector {
    fn visit_import_decl(&mut self, node: &ImportDecl) {
        self.add(&node.src);
    }

    fn visit_named_export(&mut self, node: &NamedExport) {
        if let Some(from) = &node.src {
            self.add(from);
        }
    }

    fn visit_export_all(&mut self, node: &ExportAll) {
        self.add(&node.src);
    }

    fn visit_ts_external_module_ref(&mut self, node: &TsExternalModuleRef) {
        self.add(&node.expr);
    }

    fn visit_ts_import_type(&mut self, node: &TsImportType) {
        if self.scope == SpecifierScope::CodeAndTypes {
            self.add(&node.arg);
        }
        node.visit_children_with(self);
    }

    fn visit_ts_module_decl(&mut self, node: &TsModuleDecl) {
        if let (SpecifierScope::CodeAndTypes, TsModuleName::Str(name)) = (self.scope, &node.id) {
            self.add(name);
        }
        node.visit_children_with(self);
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        let loads = match &node.callee {
            Callee::Import(_) => true,
            Callee::Expr(callee) => global_name(callee, self.unresolved) == Some("require"),
            Callee::Super(_) => false,
        };
        if loads
            && let Some(ExprOrSpread { spread: None, expr }) = node.args.first()
            && let Some(text) = text_of(expr)
        {
            self.specifiers.push((text.into_owned(), expr.span()));
        }
        node.visit_children_with(self);
    }

    fn visit_ident(&mut self, node: &Ident) {
        if node.ctxt != self.unresolved {
            return;
        }
        match &*node.sym {
            "module" | "exports" => self.commonjs = CommonJsNames::Used,
            "Buffer" => self.names_buffer = true,
            _ => {}
        }
    }
}
