//! How deep a syntax tree is, so that no pass after the parser meets one that is absurd.
//!
//! The stack would hold (see [`super::source_limits`]), but some passes take time that grows with the square of the depth,
//! and V8 could not run the result.

use swc_core::common::{Span, Spanned};
use swc_core::ecma::ast::{
    ArrowExpr, BlockStmt, Class, Decorator, Expr, Function, Module, ModuleItem, Pat, Stmt, SwitchStmt, TsEntityName,
    TsModuleBlock, TsNamespaceBody, TsType,
};
use swc_core::ecma::visit::{Visit, VisitWith};

/// Nodes within each other: enough for a sum of 5 000 terms, 2 000 chained calls or 3 000 `else if`, each a level per link.
const MAX_DEPTH: u32 = 10_000;

/// Scopes within each other; resolving names takes time that grows with the square of it.
const MAX_NESTED_SCOPES: u32 = 500;

/// Scopes in all; telling apart equal names in different ones takes time that grows with the square of their number.
const MAX_SCOPES_IN_ALL: u32 = 10_000;

/// Classes within the `extends` clause or a decorator of another; swc reads each twice, so that each doubles the time.
const MAX_READ_TWICE: u32 = 8;

/// Why a tree is not to be given to the passes after the parser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Excess {
    /// Too deep from here on.
    Depth(Span),
    Scopes,
}

pub(crate) fn find_excess(module: &Module) -> Option<Excess> {
    let mut walk = Walk::default();
    module.visit_with(&mut walk);
    let too_many = (walk.scopes_in_all > MAX_SCOPES_IN_ALL).then_some(Excess::Scopes);
    walk.too_deep.map(Excess::Depth).or(too_many)
}

#[derive(Default)]
struct Walk {
    depth: u32,
    scopes: u32,
    scopes_in_all: u32,
    read_twice: u32,
    too_deep: Option<Span>,
}

impl Walk {
    fn descend<N: VisitWith<Self> + Spanned>(&mut self, node: &N) {
        if self.too_deep.is_some() {
            return;
        }
        if self.depth >= MAX_DEPTH || self.scopes > MAX_NESTED_SCOPES || self.read_twice > MAX_READ_TWICE {
            self.too_deep = Some(node.span());
            return;
        }
        self.depth += 1;
        node.visit_children_with(self);
        self.depth -= 1;
    }

    fn enter_scope<N: VisitWith<Self>>(&mut self, node: &N) {
        self.scopes += 1;
        self.scopes_in_all += 1;
        node.visit_children_with(self);
        self.scopes -= 1;
    }
}

/// Every way in which a node can hold another of its own kind passes through one of those that descend.
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

    fn visit_block_stmt(&mut self, node: &BlockStmt) {
        self.enter_scope(node);
    }

    fn visit_switch_stmt(&mut self, node: &SwitchStmt) {
        self.enter_scope(node);
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        self.enter_scope(node);
    }

    fn visit_function(&mut self, node: &Function) {
        self.enter_scope(node);
    }

    fn visit_ts_module_block(&mut self, node: &TsModuleBlock) {
        self.enter_scope(node);
    }

    fn visit_decorator(&mut self, node: &Decorator) {
        self.read_twice += 1;
        node.visit_children_with(self);
        self.read_twice -= 1;
    }

    fn visit_class(&mut self, node: &Class) {
        self.scopes += 1;
        self.scopes_in_all += 1;
        self.read_twice += 1;
        node.super_class.visit_with(self);
        self.read_twice -= 1;
        node.decorators.visit_with(self);
        node.body.visit_with(self);
        node.type_params.visit_with(self);
        node.super_type_params.visit_with(self);
        node.implements.visit_with(self);
        self.scopes -= 1;
    }
}
