//! Two things that the passes of swc cannot write: `for (using x = …; …; …)`, and what stands behind `extends`.

use std::collections::HashMap;

use swc_core::common::util::take::Take;
use swc_core::common::{BytePos, DUMMY_SP, SyntaxContext};
use swc_core::ecma::ast::{
    BlockStmt, Class, Decl, Expr, ForStmt, LabeledStmt, ParenExpr, Stmt, UsingDecl, VarDeclOrExpr,
};
use swc_core::ecma::visit::{VisitMut, VisitMutWith};

use crate::parse::for_using::Keyword;

/// Moves what a loop is `using` before the loop. The parser has read it as `const`.
pub(super) struct LoopsWithUsing<'a> {
    /// The loops' declarations, by where they begin.
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
        // From outside in: the labels of a loop go with it.
        let using = loop_behind_labels(node).and_then(|inner| self.taken_from(inner));
        if let Some(using) = using {
            let stmts = vec![Stmt::Decl(Decl::Using(Box::new(using))), node.take()];
            *node = Stmt::Block(BlockStmt { span: DUMMY_SP, ctxt: SyntaxContext::empty(), stmts });
        }
        node.visit_mut_children_with(self);
    }
}

/// The loop behind its labels: a `continue` needs them right before it.
fn loop_behind_labels(node: &mut Stmt) -> Option<&mut ForStmt> {
    if let Stmt::Labeled(LabeledStmt { body, .. }) = node {
        return loop_behind_labels(body);
    }
    if let Stmt::For(inner) = node { Some(inner) } else { None }
}

/// Puts what a class extends into parentheses where the grammar wants them.
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
