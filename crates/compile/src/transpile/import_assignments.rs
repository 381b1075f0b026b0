//! Assignments to imports. The CommonJS transform replaces reads of an import by a member access, but leaves assignments to its
//! name. The name is declared as a constant, so that V8 throws the same error as in a module.

use std::collections::HashSet;

use swc_core::common::util::take::Take;
use swc_core::common::{DUMMY_SP, SyntaxContext};
use swc_core::ecma::ast::{
    AssignExpr, AssignOp, AssignTarget, BinExpr, BinaryOp, BindingIdent, Decl, Expr, Id, Ident, Lit, ModuleDecl,
    ModuleItem, Pat, Program, SimpleAssignTarget, Stmt, VarDecl, VarDeclKind, VarDeclarator,
};
use swc_core::ecma::visit::{VisitMut, VisitMutWith};

/// The imports that are assigned to. Must be collected before the CommonJS transform.
pub(super) struct ImportAssignments(Vec<Ident>);

impl ImportAssignments {
    pub(super) fn of(program: &mut Program) -> Self {
        let imports = imports_of(program);
        if imports.is_empty() {
            return Self(imports);
        }
        let mut visitor = Visitor { imports: imports.iter().map(Ident::to_id).collect(), assigned: HashSet::new() };
        program.visit_mut_with(&mut visitor);
        Self(imports.into_iter().filter(|import| visitor.assigned.contains(&import.to_id())).collect())
    }

    /// Declares them as constants after the directives. Must be called after the CommonJS transform.
    pub(super) fn declare(self, program: &mut Program) {
        let Program::Module(module) = program else { return };
        if self.0.is_empty() {
            return;
        }
        let place = module.body.iter().take_while(|item| is_directive(item)).count();
        let decls = self.0.into_iter().map(constant).collect();
        let constants =
            VarDecl { span: DUMMY_SP, ctxt: SyntaxContext::empty(), kind: VarDeclKind::Const, declare: false, decls };
        module.body.insert(place, ModuleItem::Stmt(Stmt::Decl(Decl::Var(Box::new(constants)))));
    }
}

fn imports_of(program: &Program) -> Vec<Ident> {
    let Program::Module(module) = program else { return Vec::new() };
    let declarations = module.body.iter().filter_map(|item| match item {
        ModuleItem::ModuleDecl(ModuleDecl::Import(import)) => Some(import),
        ModuleItem::ModuleDecl(_) | ModuleItem::Stmt(_) => None,
    });
    declarations.flat_map(|import| &import.specifiers).map(|specifier| specifier.local().clone()).collect()
}

/// Whether a statement is a directive such as `"use strict"`.
pub(super) fn is_directive(item: &ModuleItem) -> bool {
    matches!(item, ModuleItem::Stmt(Stmt::Expr(statement)) if matches!(&*statement.expr, Expr::Lit(Lit::Str(_))))
}

fn constant(import: Ident) -> VarDeclarator {
    let name = Ident { span: DUMMY_SP, ..import };
    VarDeclarator {
        span: DUMMY_SP,
        name: Pat::Ident(BindingIdent::from(name)),
        init: Some(Expr::undefined(DUMMY_SP)),
        definite: false,
    }
}

/// A visitor that records assignments to imports, and expands `a ||= b` to `a || (a = b)`, which reads the import first.
struct Visitor {
    imports: HashSet<Id>,
    assigned: HashSet<Id>,
}

impl VisitMut for Visitor {
    // A name that a pattern declares has another id than an import.
    fn visit_mut_binding_ident(&mut self, node: &mut BindingIdent) {
        let id = node.id.to_id();
        if self.imports.contains(&id) {
            self.assigned.insert(id);
        }
    }

    fn visit_mut_expr(&mut self, node: &mut Expr) {
        if let Expr::Update(update) = node
            && let Expr::Ident(name) = &*update.arg
            && self.imports.contains(&name.to_id())
        {
            *node = Expr::Assign(AssignExpr {
                span: update.span,
                op: AssignOp::AddAssign,
                left: AssignTarget::Simple(SimpleAssignTarget::Ident(BindingIdent::from(name.clone()))),
                right: Expr::undefined(DUMMY_SP),
            });
        }
        node.visit_mut_children_with(self);
        if let Expr::Assign(assign) = node
            && let Some(op) = logical(assign.op)
            && let AssignTarget::Simple(SimpleAssignTarget::Ident(target)) = &assign.left
            && self.imports.contains(&target.id.to_id())
        {
            let (span, left) = (assign.span, Box::new(Expr::Ident(target.id.clone())));
            assign.op = AssignOp::Assign;
            *node = Expr::Bin(BinExpr { span, op, left, right: Box::new(node.take()) });
        }
    }
}

fn logical(assignment: AssignOp) -> Option<BinaryOp> {
    let known = [
        (AssignOp::AndAssign, BinaryOp::LogicalAnd),
        (AssignOp::OrAssign, BinaryOp::LogicalOr),
        (AssignOp::NullishAssign, BinaryOp::NullishCoalescing),
    ];
    known.into_iter().find_map(|(op, binary)| (op == assignment).then_some(binary))
}
