//! A visitor that records every change of a variable or of its value.

use swc_core::common::{Span, Spanned};
use swc_core::ecma::ast::{
    ArrowExpr, AssignExpr, AssignOp, AssignTarget, Constructor, Expr, ForHead, ForInStmt, ForOfStmt, Function, Ident,
    MemberExpr, SimpleAssignTarget, UnaryExpr, UnaryOp, UpdateExpr,
};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::expr::{call_of, global_name, member_name, member_of, plain, root_ident};
use super::names::{BoundNames, Change, ChangeKind, Names, Scope, copy};

/// Methods of arrays, maps and sets that change their object.
const MUTATORS: [&str; 12] =
    ["push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin", "set", "add", "clear"];

pub(crate) struct Changes<'a> {
    pub(crate) names: &'a mut Names,
    pub(crate) scope: Scope,
}

impl Changes<'_> {
    fn note(&mut self, name: &Ident, span: Span, kind: ChangeKind, value: Option<&Expr>) {
        let change = Change { span, scope: self.scope, kind, value: value.and_then(copy) };
        if name.ctxt == self.names.unresolved {
            self.names.global_changes.push((name.sym.to_string(), change));
        } else if let Some(binding) = self.names.bindings.get_mut(&name.to_id()) {
            binding.changes.push(change);
        }
    }

    fn note_member(&mut self, member: &MemberExpr, span: Span, value: Option<&Expr>) {
        if let Some(name) = root_ident(&member.obj).cloned() {
            self.note(&name, span, ChangeKind::Mutated, value);
        }
    }

    fn note_target(&mut self, expr: &Expr, span: Span, value: Option<&Expr>) {
        match plain(expr) {
            Expr::Ident(name) => self.note(&name.clone(), span, ChangeKind::Assigned, value),
            Expr::Member(member) => self.note_member(member, span, value),
            _ => {}
        }
    }

    fn inside<N: VisitWith<Self>>(&mut self, node: &N) {
        let outer = std::mem::replace(&mut self.scope, Scope::Function);
        node.visit_children_with(self);
        self.scope = outer;
    }

    fn note_head(&mut self, head: &ForHead, span: Span) {
        if let ForHead::Pat(pattern) = head {
            self.note_pattern(&**pattern, span);
        }
    }

    fn note_pattern<N: VisitWith<BoundNames>>(&mut self, pattern: &N, span: Span) {
        let mut bound = BoundNames(Vec::new());
        pattern.visit_with(&mut bound);
        for name in bound.0 {
            self.note(&name, span, ChangeKind::Assigned, None);
        }
    }
}

impl Visit for Changes<'_> {
    noop_visit_type!();

    fn visit_assign_expr(&mut self, node: &AssignExpr) {
        let value = Some(&*node.right);
        match &node.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(name)) => {
                // `x += y` is recorded like `x = y`: only the added value matters.
                debug_assert!(matches!(node.op, AssignOp::Assign) || node.left.is_simple());
                self.note(&name.id, node.span, ChangeKind::Assigned, value);
            }
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => self.note_member(member, node.span, value),
            AssignTarget::Simple(SimpleAssignTarget::Paren(inner)) => self.note_target(&inner.expr, node.span, value),
            AssignTarget::Simple(SimpleAssignTarget::TsAs(inner)) => self.note_target(&inner.expr, node.span, value),
            AssignTarget::Simple(SimpleAssignTarget::TsNonNull(inner)) => {
                self.note_target(&inner.expr, node.span, value);
            }
            AssignTarget::Simple(_) => {}
            AssignTarget::Pat(pattern) => self.note_pattern(pattern, node.span),
        }
        node.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, node: &UpdateExpr) {
        self.note_target(&node.arg, node.span, None);
        node.visit_children_with(self);
    }

    fn visit_unary_expr(&mut self, node: &UnaryExpr) {
        if node.op == UnaryOp::Delete
            && let Expr::Member(member) = plain(&node.arg)
        {
            self.note_member(member, node.span, None);
        }
        node.visit_children_with(self);
    }

    fn visit_expr(&mut self, node: &Expr) {
        if let Some((callee, args)) = call_of(node)
            && let Some(member) = member_of(callee)
            && let Some(method) = member_name(&member.prop)
        {
            if (MUTATORS.contains(&&*method) || (method == "delete" && !args.is_empty()))
                && let Some(name) = root_ident(&member.obj).cloned()
            {
                for arg in args {
                    self.note(&name, node.span(), ChangeKind::Called, Some(&arg.expr));
                }
                if args.is_empty() {
                    self.note(&name, node.span(), ChangeKind::Called, None);
                }
            }
            let is_object_change =
                matches!(&*method, "assign" | "defineProperty" | "defineProperties" | "setPrototypeOf");
            if is_object_change
                && matches!(global_name(&member.obj, self.names.unresolved), Some("Object" | "Reflect"))
                && let Some(target) = args.first()
                && let Some(name) = root_ident(&target.expr).cloned()
            {
                self.note(&name, node.span(), ChangeKind::Mutated, None);
            }
        }
        node.visit_children_with(self);
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        self.note_head(&node.left, node.span);
        node.visit_children_with(self);
    }

    fn visit_for_in_stmt(&mut self, node: &ForInStmt) {
        self.note_head(&node.left, node.span);
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, node: &Function) {
        self.inside(node);
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        self.inside(node);
    }

    fn visit_constructor(&mut self, node: &Constructor) {
        self.inside(node);
    }
}
