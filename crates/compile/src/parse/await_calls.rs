//! Detects top-level `await (f())` in a JavaScript file, which the script grammar parses as a call of a function `await`.

use swc_core::ecma::ast::{CallExpr, Callee, Expr, FnDecl, FnExpr, Ident, Module, Pat};
use swc_core::ecma::visit::{Visit, VisitWith};

const AWAIT: &str = "await";

/// Whether a script calls `await` without declaring it. Then it is the keyword, and the file is a module.
pub(super) fn means_keyword(script: &Module, source: &str) -> bool {
    if !source.contains(AWAIT) {
        return false;
    }
    let mut visitor = Visitor::default();
    script.visit_with(&mut visitor);
    visitor.is_called && !visitor.is_declared
}

#[derive(Default)]
struct Visitor {
    is_called: bool,
    is_declared: bool,
}

impl Visitor {
    fn declare(&mut self, name: &Ident) {
        self.is_declared |= name.sym == AWAIT;
    }
}

impl Visit for Visitor {
    fn visit_call_expr(&mut self, node: &CallExpr) {
        if let Callee::Expr(callee) = &node.callee
            && let Expr::Ident(name) = &**callee
        {
            self.is_called |= name.sym == AWAIT;
        }
        node.visit_children_with(self);
    }

    fn visit_pat(&mut self, node: &Pat) {
        if let Pat::Ident(name) = node {
            self.declare(&name.id);
        }
        node.visit_children_with(self);
    }

    fn visit_fn_decl(&mut self, node: &FnDecl) {
        self.declare(&node.ident);
        node.visit_children_with(self);
    }

    fn visit_fn_expr(&mut self, node: &FnExpr) {
        if let Some(name) = &node.ident {
            self.declare(name);
        }
        node.visit_children_with(self);
    }
}
