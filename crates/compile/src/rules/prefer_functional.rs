//! Standard 3, as advice: a loop that only builds a list, a sum or a table is shorter with map, filter or reduce. Loops
//! that await, leave early or do several things are not reported.

use swc_core::ecma::ast::{
    ArrowExpr, AssignExpr, AwaitExpr, BlockStmt, BreakStmt, ContinueStmt, Expr, ForInStmt, ForOfStmt, ForStmt,
    Function, ReturnStmt, Stmt, ThrowStmt, UpdateExpr, YieldExpr,
};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::expr::{call_of, member_name, member_of};

pub(crate) const RULE: Rule =
    Rule { id: "prefer-functional", standard: Some(3), severity: Severity::Advice, guards: Guards::Quality, check };

/// Maximum number of statements in the body of a reported loop.
const MAX_STATEMENTS: usize = 2;

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    context.module.visit_with(&mut Visitor { findings });
}

struct Visitor<'a> {
    findings: &'a mut Findings,
}

impl Visitor<'_> {
    fn check_loop(&mut self, body: &Stmt, span: swc_core::common::Span) {
        let mut seen = Body::default();
        body.visit_with(&mut seen);
        if seen.leaves || statements(body) > MAX_STATEMENTS {
            return;
        }
        let instead = match (seen.pushes, seen.accumulates) {
            (true, _) => "`items.filter(…).map(…)` or `flatMap`",
            (false, true) => {
                "`items.reduce((total, item) => …, start)`, or Object.fromEntries and Object.groupBy for a table"
            }
            (false, false) => return,
        };
        self.findings.add(span, "The loop only builds a value", format!("Use {instead}."));
    }
}

fn statements(body: &Stmt) -> usize {
    match body {
        Stmt::Block(BlockStmt { stmts, .. }) => stmts.len(),
        _ => 1,
    }
}

#[derive(Default)]
struct Body {
    leaves: bool,
    pushes: bool,
    accumulates: bool,
}

impl Visit for Body {
    noop_visit_type!();

    fn visit_await_expr(&mut self, _: &AwaitExpr) {
        self.leaves = true;
    }
    fn visit_yield_expr(&mut self, _: &YieldExpr) {
        self.leaves = true;
    }
    fn visit_break_stmt(&mut self, _: &BreakStmt) {
        self.leaves = true;
    }
    fn visit_continue_stmt(&mut self, _: &ContinueStmt) {
        self.leaves = true;
    }
    fn visit_return_stmt(&mut self, _: &ReturnStmt) {
        self.leaves = true;
    }
    fn visit_throw_stmt(&mut self, _: &ThrowStmt) {
        self.leaves = true;
    }
    fn visit_function(&mut self, _: &Function) {}
    fn visit_arrow_expr(&mut self, _: &ArrowExpr) {}

    fn visit_assign_expr(&mut self, node: &AssignExpr) {
        self.accumulates = true;
        node.visit_children_with(self);
    }

    fn visit_update_expr(&mut self, _: &UpdateExpr) {
        self.accumulates = true;
    }

    fn visit_expr(&mut self, node: &Expr) {
        let method =
            call_of(node).and_then(|(callee, _)| member_of(callee)).and_then(|member| member_name(&member.prop));
        self.pushes |= method.is_some_and(|name| name == "push");
        node.visit_children_with(self);
    }
}

impl Visit for Visitor<'_> {
    noop_visit_type!();

    fn visit_for_stmt(&mut self, node: &ForStmt) {
        self.check_loop(&node.body, node.span);
        node.visit_children_with(self);
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        if !node.is_await {
            self.check_loop(&node.body, node.span);
        }
        node.visit_children_with(self);
    }

    fn visit_for_in_stmt(&mut self, node: &ForInStmt) {
        self.check_loop(&node.body, node.span);
        node.visit_children_with(self);
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::table::check;

    #[test]
    fn table() {
        check(
            &RULE,
            &[
                "export default (n: number[]) => n.map((x) => x * 2)",
                "export default async (u: string[]) => { const out: string[] = []; for (const x of u) { const r = await tgp.fetch(x); out.push(await r.text()) } return out }",
                "export default (n: number[]) => { for (const x of n) { if (x < 0) return x } return null }",
                "export default (n: number) => { let x = n; while (x > 1) x = x / 2; return x }",
                "export default (n: number[]) => { let low = 0; for (let i = 0; i < n.length; i++) { if (n[i] < 0) break; low = i } return low }",
                "export default (n: number) => { const grid: number[][] = []; for (let i = 0; i < n; i++) { const row = [i]; row.push(n); grid.push(row) } return grid }",
            ],
            &[
                (
                    "export default (n: number[]) => { const out: number[] = []; for (const x of n) { out.push(x * 2) } return out }",
                    "for (const x",
                ),
                (
                    "export default (n: number[]) => { let sum = 0; for (let i = 0; i < n.length; i++) sum += n[i]; return sum }",
                    "for (let i",
                ),
                (
                    "export default (n: Record<string, number>) => { let sum = 0; for (const k in n) { sum += n[k] } return sum }",
                    "for (const k in",
                ),
                (
                    "export default (n: number[]) => { const out: number[] = []; for (const x of n) { if (x > 0) { out.push(x) } } return out }",
                    "for (const x",
                ),
            ],
        );
    }
}
