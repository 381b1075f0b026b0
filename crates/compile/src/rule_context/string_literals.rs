//! Visits string literals and the fixed parts of templates, without module specifiers and types.

use swc_core::common::Span;
use swc_core::ecma::ast::{
    CallExpr, Callee, ExportAll, ImportDecl, Lit, Module, NamedExport, TplElement, TsEnumDecl, TsExternalModuleRef,
};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

/// Calls `visit` with every such text and its span.
pub(crate) fn each_text(module: &Module, visit: impl FnMut(&str, Span)) {
    module.visit_with(&mut Texts { visit });
}

struct Texts<F> {
    visit: F,
}

impl<F: FnMut(&str, Span)> Visit for Texts<F> {
    noop_visit_type!();

    fn visit_lit(&mut self, node: &Lit) {
        if let Lit::Str(text) = node {
            (self.visit)(&text.value.to_string_lossy(), text.span);
        }
    }

    fn visit_tpl_element(&mut self, node: &TplElement) {
        if let Some(text) = &node.cooked {
            (self.visit)(&text.to_string_lossy(), node.span);
        }
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        let loads = match &node.callee {
            Callee::Import(_) => true,
            Callee::Expr(callee) => callee.is_ident_ref_to("require"),
            Callee::Super(_) => false,
        };
        if !loads {
            node.visit_children_with(self);
        }
    }

    fn visit_import_decl(&mut self, _: &ImportDecl) {}
    fn visit_export_all(&mut self, _: &ExportAll) {}
    fn visit_named_export(&mut self, _: &NamedExport) {}
    fn visit_ts_external_module_ref(&mut self, _: &TsExternalModuleRef) {}

    fn visit_ts_enum_decl(&mut self, node: &TsEnumDecl) {
        for member in &node.members {
            member.init.visit_with(self);
        }
    }
}
