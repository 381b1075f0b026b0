//! Inserts `return` before the last expression of a script.

use std::collections::HashSet;

use swc_core::common::util::take::Take;
use swc_core::common::{Span, SyntaxContext};
use swc_core::ecma::ast::{Class, Expr, Function, Module, Program, ReturnStmt, Stmt};
use swc_core::ecma::visit::{VisitMut, VisitMutWith, VisitWith};

use crate::imports::specifiers::{CommonJsNames, SpecifierCollector, SpecifierScope};
use crate::syntax::completion::last_values;

/// Spans of the expressions that may give the script's value. Empty when the script uses `module` or `exports`, which then hold
/// the result.
pub(super) fn ending_values(module: &Module, unresolved: SyntaxContext) -> HashSet<Span> {
    let mut collector = SpecifierCollector::new(unresolved, SpecifierScope::Code);
    module.visit_with(&mut collector);
    match collector.commonjs {
        CommonJsNames::Used => HashSet::new(),
        CommonJsNames::Unused => last_values(module).into_iter().map(|statement| statement.span).collect(),
    }
}

/// Turns the wanted expressions into `return` statements.
pub(super) fn return_values(program: &mut Program, wanted: HashSet<Span>) {
    if !wanted.is_empty() {
        program.visit_mut_with(&mut Returning { wanted });
    }
}

/// A visitor that turns the wanted expressions into `return` statements.
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

    // Nested functions are not part of the script body.
    fn visit_mut_expr(&mut self, _: &mut Expr) {}
    fn visit_mut_function(&mut self, _: &mut Function) {}
    fn visit_mut_class(&mut self, _: &mut Class) {}
}
