//! How deep a syntax tree is, so that no pass after the parser meets one that is absurd.
//!
//! The stack would hold (see [`super::source_limits`]), but some passes take time that grows with the square of the depth,
//! and V8 could not run the result.

use swc_core::common::{Span, Spanned};
use swc_core::ecma::ast::{Expr, Module, ModuleItem, Pat, Stmt, TsEntityName, TsNamespaceBody, TsType};
use swc_core::ecma::visit::{Visit, VisitWith};

/// Deep enough for a sum of 5 000 terms, 2 000 chained calls or 3 000 `else if`: each is one level per link.
pub(super) const MAX_DEPTH: u32 = 10_000;

/// Where the tree first gets deeper than [`MAX_DEPTH`].
pub(super) fn find_too_deep(module: &Module) -> Option<Span> {
    let mut walk = Walk { depth: 0, too_deep: None };
    module.visit_with(&mut walk);
    walk.too_deep
}

struct Walk {
    depth: u32,
    too_deep: Option<Span>,
}

impl Walk {
    fn descend<N: VisitWith<Self> + Spanned>(&mut self, node: &N) {
        if self.too_deep.is_some() {
            return;
        }
        if self.depth >= MAX_DEPTH {
            self.too_deep = Some(node.span());
            return;
        }
        self.depth += 1;
        node.visit_children_with(self);
        self.depth -= 1;
    }
}

/// Every way in which a node can hold another of its own kind passes through one of these.
impl Visit for Walk {
    fn visit_expr(&mut self, node: &Expr) {
        self.descend(node);
    }

    fn visit_stmt(&mut self, node: &Stmt) {
        self.descend(node);
    }

    fn visit_module_item(&mut self, node: &ModuleItem) {
        self.descend(node);
    }

    fn visit_pat(&mut self, node: &Pat) {
        self.descend(node);
    }

    fn visit_ts_type(&mut self, node: &TsType) {
        self.descend(node);
    }

    fn visit_ts_entity_name(&mut self, node: &TsEntityName) {
        self.descend(node);
    }

    fn visit_ts_namespace_body(&mut self, node: &TsNamespaceBody) {
        self.descend(node);
    }
}
