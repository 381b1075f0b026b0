//! Standard 3, as advice: a loop that only builds a list, a sum or a table is shorter with map, filter or reduce. Loops
//! that await, leave early or do several things are not reported. A loop over one list that only pushes or sums up is an
//! error if the check is strict.

use swc_core::ecma::ast::{
    ArrowExpr, AssignExpr, AssignOp, AwaitExpr, BinaryOp, BlockStmt, BreakStmt, ContinueStmt, DoWhileStmt, Expr,
    ForInStmt, ForOfStmt, ForStmt, Function, IfStmt, ReturnStmt, Stmt, ThrowStmt, UpdateExpr, UpdateOp, WhileStmt,
    YieldExpr,
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
    context.module.visit_with(&mut Visitor { findings, is_in_loop: false });
}

struct Visitor<'a> {
    findings: &'a mut Findings,
    is_in_loop: bool,
}

impl Visitor<'_> {
    /// Checks a loop; `is_over_list`: whether it visits each element of one list.
    fn check_loop(&mut self, body: &Stmt, span: swc_core::common::Span, is_over_list: bool) {
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
        let is_clear = is_over_list && !self.is_in_loop && only_collects(body);
        self.findings.add_advice(span, "The loop only builds a value", format!("Use {instead}."), is_clear);
    }

    fn inside_loop(&mut self, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.is_in_loop, true);
        visit(self);
        self.is_in_loop = outer;
    }
}

/// Whether the test and update are `i < list.length; i++`.
fn is_counted(node: &ForStmt) -> bool {
    let Some(Expr::Bin(test)) = node.test.as_deref() else { return false };
    let counts = match (node.update.as_deref(), test.left.as_ident()) {
        (Some(Expr::Update(step)), Some(counter)) => {
            step.op == UpdateOp::PlusPlus && step.arg.as_ident().is_some_and(|counted| counted.sym == counter.sym)
        }
        _ => false,
    };
    let length = member_of(&test.right).and_then(|member| member_name(&member.prop));
    counts && test.op == BinaryOp::Lt && length.is_some_and(|name| name == "length")
}

/// Whether the body is only `list.push(value)`, `sum += value` or `product *= value`, perhaps under one `if`.
fn only_collects(body: &Stmt) -> bool {
    let Some(only) = only_statement(body) else { return false };
    let only = match only {
        Stmt::If(IfStmt { cons, alt: None, .. }) => only_statement(cons),
        other => Some(other),
    };
    let Some(Stmt::Expr(only)) = only else { return false };
    match &*only.expr {
        Expr::Assign(AssignExpr { op: AssignOp::AddAssign | AssignOp::MulAssign, left, .. }) => {
            left.as_ident().is_some()
        }
        call => pushes_to_a_name(call),
    }
}

fn pushes_to_a_name(call: &Expr) -> bool {
    let member = call_of(call).and_then(|(callee, _)| member_of(callee));
    member.is_some_and(|member| {
        matches!(&*member.obj, Expr::Ident(_)) && member_name(&member.prop).is_some_and(|name| name == "push")
    })
}

/// The statement that a body consists of.
fn only_statement(body: &Stmt) -> Option<&Stmt> {
    match body {
        Stmt::Block(BlockStmt { stmts, .. }) => match stmts.as_slice() {
            [only] => Some(only),
            _ => None,
        },
        only => Some(only),
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
        self.check_loop(&node.body, node.span, is_counted(node));
        self.inside_loop(|visitor| node.visit_children_with(visitor));
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        if !node.is_await {
            self.check_loop(&node.body, node.span, true);
        }
        self.inside_loop(|visitor| node.visit_children_with(visitor));
    }

    fn visit_for_in_stmt(&mut self, node: &ForInStmt) {
        self.check_loop(&node.body, node.span, true);
        self.inside_loop(|visitor| node.visit_children_with(visitor));
    }

    fn visit_while_stmt(&mut self, node: &WhileStmt) {
        self.inside_loop(|visitor| node.visit_children_with(visitor));
    }

    fn visit_do_while_stmt(&mut self, node: &DoWhileStmt) {
        self.inside_loop(|visitor| node.visit_children_with(visitor));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::table::{check, run};

    fn is_clear(body: &str) -> bool {
        let found = run(&RULE, &format!("export default (n: number[][]) => {{ {body} }}"));
        assert!(!found.is_empty(), "{body}");
        found.iter().any(|(_, finding)| finding.is_clear)
    }

    #[test]
    fn only_loops_over_one_list_that_push_or_sum_up_are_clear() {
        for body in [
            "let sum = 0; for (let i = 0; i < n.length; i++) sum += n[i]; return sum",
            "const out = []; for (const x of n) { out.push(x) } return out",
            "const out = []; for (const x of n) { if (x.length > 0) out.push(x) } return out",
            "let text = ''; for (const key in n) text += key; return text",
        ] {
            assert!(is_clear(body), "{body}");
        }
        for body in [
            "let last; for (const x of n) { last = x } return last",
            "const out = []; for (const x of n) for (const y of x) out.push(y); return out",
            "const out = []; while (n.length > 0) { for (const y of n.pop()) out.push(y) } return out",
            "const out = []; for (let i = 0; i * i < n.length; i++) out.push(n[i * i]); return out",
            "const out = {}; for (const x of n) out[x[0]] = x; return out",
            "let sum = 0, count = 0; for (const x of n) { sum += x[0]; count += 1 } return sum / count",
            "let sum = 0; for (const x of n) { if (x[0] > 0) sum += x[0]; else sum -= x[0] } return sum",
        ] {
            assert!(!is_clear(body), "{body}");
        }
    }

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
