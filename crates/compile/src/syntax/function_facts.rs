//! Static facts about a function: whether it returns a value and whether it is async.

use swc_core::ecma::ast::{
    ArrowExpr, ArrowFunctionBody, Class, Constructor, Expr, Function, GetterProp, MethodProp, ReturnStmt, SetterProp,
    UnaryOp,
};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::expr::{call_of, member_name, member_of, plain};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FunctionFacts {
    pub(crate) result: FunctionResult,
    pub(crate) timing: Timing,
}

/// Whether a call returns a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FunctionResult {
    Value,
    Nothing,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timing {
    Sync,
    Async,
}

impl FunctionFacts {
    pub(crate) fn of_function(function: &Function) -> Self {
        let result = match &function.body {
            _ if function.is_generator => FunctionResult::Value,
            Some(body) => result_of(body),
            // An overload or a declaration without a body is unknown.
            None => FunctionResult::Value,
        };
        Self { result, timing: timing(function.is_async) }
    }

    pub(crate) fn of_arrow(arrow: &ArrowExpr) -> Self {
        let result = match &*arrow.body {
            ArrowFunctionBody::FunctionBody(body) => result_of(body),
            ArrowFunctionBody::Expr(value) if is_nothing(value) => FunctionResult::Nothing,
            ArrowFunctionBody::Expr(_) => FunctionResult::Value,
        };
        Self { result, timing: timing(arrow.is_async) }
    }

    /// Of a function expression; `None` for any other expression.
    pub(crate) fn of_expr(expr: &Expr) -> Option<Self> {
        match plain(expr) {
            Expr::Arrow(arrow) => Some(Self::of_arrow(arrow)),
            Expr::Fn(function) => Some(Self::of_function(&function.function)),
            _ => None,
        }
    }
}

fn timing(is_async: bool) -> Timing {
    if is_async { Timing::Async } else { Timing::Sync }
}

/// The result of a function body, or of a script body.
pub(crate) fn result_of<N: VisitWith<Returns>>(body: &N) -> FunctionResult {
    let mut returns = Returns { result: FunctionResult::Nothing };
    body.visit_with(&mut returns);
    returns.result
}

/// Whether an expression never has a useful value, such as `console.log(…)`.
pub(super) fn is_nothing(expr: &Expr) -> bool {
    match plain(expr) {
        Expr::Ident(name) => name.sym == "undefined",
        Expr::Unary(unary) => unary.op == UnaryOp::Void,
        Expr::Await(awaited) => is_nothing(&awaited.arg),
        other => call_of(other).and_then(|(callee, _)| member_of(callee)).is_some_and(|member| {
            let method = member_name(&member.prop).unwrap_or_default();
            match plain(&member.obj) {
                Expr::Ident(name) if name.sym == "console" => true,
                Expr::Ident(name) if name.sym == "tgp" => method == "log",
                _ => method == "forEach",
            }
        }),
    }
}

/// A visitor that looks for `return value` in one function, without nested functions.
pub(crate) struct Returns {
    result: FunctionResult,
}

impl Visit for Returns {
    noop_visit_type!();

    fn visit_return_stmt(&mut self, node: &ReturnStmt) {
        if node.arg.as_deref().is_some_and(|value| !is_nothing(value)) {
            self.result = FunctionResult::Value;
        }
    }

    fn visit_function(&mut self, _: &Function) {}
    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}
    fn visit_class(&mut self, _: &Class) {}
    fn visit_constructor(&mut self, _: &Constructor) {}
    fn visit_method_prop(&mut self, _: &MethodProp) {}
    fn visit_getter_prop(&mut self, _: &GetterProp) {}
    fn visit_setter_prop(&mut self, _: &SetterProp) {}
}
