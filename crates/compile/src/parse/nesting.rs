//! Limits on the depth and the number of scopes of a syntax tree, and a fault that the parser misses.
//!
//! The stack is large enough for any tree (see [`super::source_limits`]), but some passes take time that is quadratic in the
//! depth, and V8 could not run the result.

use swc_core::common::{Span, Spanned};
use swc_core::ecma::ast::{
    ArrowExpr, BlockStmt, CallExpr, Callee, Class, Decorator, Expr, Function, Module, ModuleItem, Pat, Stmt,
    SwitchStmt, TsEntityName, TsModuleBlock, TsNamespaceBody, TsNamespaceDecl, TsType,
};
use swc_core::ecma::visit::{Visit, VisitWith};

/// Maximum depth in nodes: enough for a sum of 5 000 terms, 2 000 chained calls or 3 000 `else if`.
const MAX_DEPTH: u32 = 10_000;

/// Maximum depth in scopes: name resolution takes time quadratic in it.
const MAX_NESTED_SCOPES: u32 = 500;

/// Maximum number of scopes: renaming equal names in different scopes takes time quadratic in it.
const MAX_SCOPES_IN_ALL: u32 = 10_000;

/// Maximum depth of classes in `extends` clauses or decorators: swc visits each twice, so each level doubles the time.
const MAX_DOUBLED: u32 = 8;

/// Why a tree is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It exceeds the depth limit, at this node.
    Depth(Span),
    /// It has too many scopes.
    Scopes,
    /// `import(...list)`, at the dots.
    SpreadImport(Span),
}

pub(crate) fn find_refusal(module: &Module) -> Option<Refusal> {
    let mut visitor = Visitor::default();
    module.visit_with(&mut visitor);
    let too_many = (visitor.scopes_in_all > MAX_SCOPES_IN_ALL).then_some(Refusal::Scopes);
    let spread_import = visitor.spread_import.map(Refusal::SpreadImport);
    visitor.too_deep.map(Refusal::Depth).or(too_many).or(spread_import)
}

#[derive(Default)]
struct Visitor {
    depth: u32,
    scopes: u32,
    scopes_in_all: u32,
    doubled: u32,
    too_deep: Option<Span>,
    spread_import: Option<Span>,
}

impl Visitor {
    fn descend<N: VisitWith<Self> + Spanned>(&mut self, node: &N) {
        if self.too_deep.is_some() {
            return;
        }
        if self.depth >= MAX_DEPTH || self.scopes > MAX_NESTED_SCOPES || self.doubled > MAX_DOUBLED {
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

/// Every kind of recursion in the tree passes through a method that calls `descend`.
impl Visit for Visitor {
    fn visit_expr(&mut self, node: &Expr) {
        self.descend(node);
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        if matches!(node.callee, Callee::Import(_)) {
            let spread = node.args.iter().find_map(|argument| argument.spread);
            self.spread_import = self.spread_import.or(spread);
        }
        node.visit_children_with(self);
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

    fn visit_ts_namespace_decl(&mut self, node: &TsNamespaceDecl) {
        self.enter_scope(node);
    }

    fn visit_ts_module_block(&mut self, node: &TsModuleBlock) {
        self.enter_scope(node);
    }

    fn visit_decorator(&mut self, node: &Decorator) {
        self.doubled += 1;
        node.visit_children_with(self);
        self.doubled -= 1;
    }

    fn visit_class(&mut self, node: &Class) {
        self.scopes += 1;
        self.scopes_in_all += 1;
        self.doubled += 1;
        node.super_class.visit_with(self);
        self.doubled -= 1;
        node.decorators.visit_with(self);
        node.body.visit_with(self);
        node.type_params.visit_with(self);
        node.super_type_params.visit_with(self);
        node.implements.visit_with(self);
        self.scopes -= 1;
    }
}
