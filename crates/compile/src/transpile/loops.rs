//! Two rewrites that swc's passes lack: `for (using x = …; …; …)`, and parentheses around the operand of `extends`.

use std::collections::HashMap;

use swc_core::common::util::take::Take;
use swc_core::common::{BytePos, DUMMY_SP, SyntaxContext};
use swc_core::ecma::ast::{
    BlockStmt, Class, Decl, Expr, ForStmt, LabeledStmt, ParenExpr, Stmt, UsingDecl, VarDeclOrExpr,
};
use swc_core::ecma::visit::{VisitMut, VisitMutWith};

use crate::parse::for_using::Keyword;

/// Moves the `using` declaration of a loop before the loop. The parser has read it as `const`.
pub(super) struct LoopsWithUsing<'a> {
    /// The keywords by the position of the declaration.
    pub(super) keywords: &'a HashMap<BytePos, Keyword>,
}

impl LoopsWithUsing<'_> {
    fn taken_from(&self, node: &mut ForStmt) -> Option<UsingDecl> {
        let Some(VarDeclOrExpr::VarDecl(variables)) = &mut node.init else { return None };
        let keyword = self.keywords.get(&variables.span.lo)?;
        let using = UsingDecl {
            span: variables.span,
            is_await: *keyword == Keyword::AwaitUsing,
            decls: variables.decls.take(),
        };
        node.init = None;
        Some(using)
    }
}

impl VisitMut for LoopsWithUsing<'_> {
    fn visit_mut_stmt(&mut self, node: &mut Stmt) {
        // Outermost label first: the labels of a loop are moved with it.
        let using = loop_behind_labels(node).and_then(|inner| self.taken_from(inner));
        if let Some(using) = using {
            let stmts = vec![Stmt::Decl(Decl::Using(Box::new(using))), node.take()];
            *node = Stmt::Block(BlockStmt { span: DUMMY_SP, ctxt: SyntaxContext::empty(), stmts });
        }
        node.visit_mut_children_with(self);
    }
}

/// The loop inside its labels. The labels must stay directly before it, for `continue`.
fn loop_behind_labels(node: &mut Stmt) -> Option<&mut ForStmt> {
    if let Stmt::Labeled(LabeledStmt { body, .. }) = node {
        return loop_behind_labels(body);
    }
    if let Stmt::For(inner) = node { Some(inner) } else { None }
}

/// Adds parentheses around the operand of `extends` where the grammar requires them.
pub(super) struct Superclasses;

impl VisitMut for Superclasses {
    fn visit_mut_class(&mut self, node: &mut Class) {
        node.visit_mut_children_with(self);
        if let Some(superclass) = &mut node.super_class
            && matches!(**superclass, Expr::Arrow(_) | Expr::Update(_))
        {
            let expr = superclass.take();
            **superclass = Expr::Paren(ParenExpr { span: DUMMY_SP, expr });
        }
    }
}
