//! A script that ends with an expression gives its value, without a `return`.

use std::collections::HashSet;

use swc_core::common::util::take::Take;
use swc_core::common::{Span, SyntaxContext};
use swc_core::ecma::ast::{Class, Expr, Function, Module, Program, ReturnStmt, Stmt};
use swc_core::ecma::visit::{VisitMut, VisitMutWith, VisitWith};

use crate::imports::specifiers::{CommonJsNames, Named, Walk};
use crate::syntax::completion::last_values;

/// The expressions one of which is the script's value. None when the script speaks of `module` or `exports`: then it says
/// there what its result is.
pub(super) fn ending_values(module: &Module, unresolved: SyntaxContext) -> HashSet<Span> {
    let mut walk = Walk::new(unresolved, Named::InCode);
    module.visit_with(&mut walk);
    match walk.commonjs {
        CommonJsNames::Used => HashSet::new(),
        CommonJsNames::Unused => last_values(module).into_iter().map(|statement| statement.span).collect(),
    }
}

/// Has the script return the wanted expressions.
pub(super) fn return_values(program: &mut Program, wanted: HashSet<Span>) {
    if !wanted.is_empty() {
        program.visit_mut_with(&mut Returning { wanted });
    }
}

/// Makes `return` statements of the wanted expressions.
struct Returning {
    wanted: HashSet<Span>,
}

impl VisitMut for Returning {
    fn visit_mut_stmt(&mut self, node: &mut Stmt) {
        if let Stmt::Expr(statement) = node
            && self.wanted.contains(&statement.span)
        {
            let arg = statement.expr.take();
            *node = Stmt::Return(ReturnStmt { span: statement.span, arg: Some(arg) });
        } else {
            node.visit_mut_children_with(self);
        }
    }

    // Whatever is in there belongs to a function of its own.
    fn visit_mut_expr(&mut self, _: &mut Expr) {}
    fn visit_mut_function(&mut self, _: &mut Function) {}
    fn visit_mut_class(&mut self, _: &mut Class) {}
}
