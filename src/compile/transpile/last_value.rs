//! A script that ends with an expression gives its value, without a `return`.

use std::collections::HashSet;

use swc_core::common::util::take::Take;
use swc_core::common::{Span, SyntaxContext};
use swc_core::ecma::ast::{Class, Expr, Function, Program, ReturnStmt, Stmt};
use swc_core::ecma::visit::{VisitMut, VisitMutWith, VisitWith};

use crate::compile::imports::specifiers::{CommonJsNames, Named, Walk};
use crate::compile::syntax::completion::last_values;

/// How a file ends, as far as its result goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// With an expression, which is returned.
    Value,
    Nothing,
}

/// Has the script return its last expression. One that speaks of `module` or `exports` says there what its result is.
pub(super) fn return_last_value(program: &mut Program, unresolved: SyntaxContext) -> Ending {
    let Program::Module(module) = program else { return Ending::Nothing };
    let mut walk = Walk::new(unresolved, Named::InCode);
    module.visit_with(&mut walk);
    if walk.commonjs == CommonJsNames::Used {
        return Ending::Nothing;
    }
    let wanted: HashSet<Span> = last_values(module).into_iter().map(|statement| statement.span).collect();
    if wanted.is_empty() {
        return Ending::Nothing;
    }
    module.visit_mut_with(&mut Returning { wanted });
    Ending::Value
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
