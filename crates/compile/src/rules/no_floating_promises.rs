//! A promise that is not awaited is lost work: the run ends, and its failure is never seen. Using a promise as if it were
//! its value is the same mistake.

use std::collections::HashSet;

use swc_core::common::{Span, Spanned};
use swc_core::ecma::ast::{
    ArrowExpr, Callee, Constructor, Expr, ExprOrSpread, ExprStmt, ForOfStmt, Function, MemberExpr, UnaryOp,
};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Edit, Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::entry::Entry;
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::completion::last_values;
use crate::syntax::expr::{call_of, global_member, global_name, member_name, member_of, plain};
use crate::syntax::function_facts::{FunctionFacts, Timing};

pub(crate) const RULE: Rule =
    Rule { id: "no-floating-promises", standard: None, severity: Severity::Error, guards: Guards::Quality, check };

const HELP: &str = "Write `await` before it, or collect several and write `await Promise.all([...])`.";
/// Array methods that do not await the results of their callback.
const SYNC_METHODS: [&str; 8] = ["forEach", "filter", "some", "every", "find", "findIndex", "findLast", "sort"];

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    // The last expression of a script is its result, and results are awaited.
    let results = match context.entry {
        Entry::Script => last_values(context.module).into_iter().map(|statement| statement.span).collect(),
        _ => HashSet::new(),
    };
    context.module.visit_with(&mut Visitor { context, findings, results, timing: Timing::Async });
}

struct Visitor<'a> {
    context: &'a RuleContext<'a>,
    findings: &'a mut Findings,
    results: HashSet<Span>,
    /// Timing of the enclosing function; the top level may use `await`.
    timing: Timing,
}

impl Visitor<'_> {
    fn is_promise(&self, expr: &Expr) -> bool {
        let unresolved = self.context.names.unresolved;
        let expr = plain(expr);
        if let Expr::New(new) = expr {
            return global_name(&new.callee, unresolved) == Some("Promise");
        }
        let Some((callee, _)) = call_of(expr) else { return false };
        if global_name(callee, unresolved) == Some("fetch") {
            return true;
        }
        if let Some((object, name)) = global_member(callee, unresolved) {
            return match object {
                "tgp" => matches!(&*name, "fetch" | "exec_tool" | "exec_sql"),
                "Promise" => matches!(&*name, "all" | "allSettled" | "any" | "race" | "resolve" | "reject"),
                _ => false,
            };
        }
        if let Expr::Ident(name) = plain(callee) {
            let function = self.context.names.get(name).and_then(|binding| binding.function);
            return function.is_some_and(|facts| facts.timing == Timing::Async);
        }
        member_of(callee).is_some_and(|member| {
            member_name(&member.prop).is_some_and(|name| is_promise_method(&name)) && self.is_promise(&member.obj)
        })
    }

    /// Whether an expression is a promise, or a variable that holds one.
    fn holds_promise(&self, expr: &Expr) -> bool {
        match plain(expr) {
            Expr::Ident(name) => self.context.names.fixed_value(name).is_some_and(|value| self.is_promise(value)),
            other => self.is_promise(other),
        }
    }

    fn misused(&mut self, expr: &Expr) {
        if self.holds_promise(expr) {
            self.findings.add(expr.span(), "A promise is used as if it were its value", HELP);
        }
    }

    fn inside(&mut self, timing: Timing, visit: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.timing, timing);
        visit(self);
        self.timing = outer;
    }

    fn floating(&mut self, expr: &Expr) {
        let span = expr.span();
        let message = "This promise is not awaited";
        match self.timing {
            Timing::Async => {
                let edit = Edit { span: Span::new(span.lo, span.lo), text: "await ".to_owned() };
                self.findings.add_fixable(span, message, HELP, edit);
            }
            Timing::Sync => {
                self.findings.add(span, message, "Make the function `async` and write `await` before the call.");
            }
        }
    }
}

fn is_promise_method(name: &str) -> bool {
    matches!(name, "then" | "catch" | "finally")
}

fn has_async_callback(args: &[ExprOrSpread]) -> bool {
    args.first().and_then(|arg| FunctionFacts::of_expr(&arg.expr)).is_some_and(|facts| facts.timing == Timing::Async)
}

impl Visit for Visitor<'_> {
    noop_visit_type!();

    fn visit_expr_stmt(&mut self, node: &ExprStmt) {
        if self.results.contains(&node.span) {
            return node.visit_children_with(self);
        }
        let expr = match plain(&node.expr) {
            Expr::Unary(unary) if unary.op == UnaryOp::Void => &*unary.arg,
            other => other,
        };
        let maps_async = call_of(expr).is_some_and(|(callee, args)| {
            has_async_callback(args)
                && member_of(callee).is_some_and(|member| member_name(&member.prop).is_some_and(|name| name == "map"))
        });
        if self.is_promise(expr) {
            self.floating(expr);
        } else if maps_async {
            self.findings.add(
                expr.span(),
                "These promises are not awaited",
                "Write `await Promise.all(items.map(async (item) => …))`.",
            );
        }
        node.visit_children_with(self);
    }

    fn visit_expr(&mut self, node: &Expr) {
        if let Some((callee, args)) = call_of(node)
            && let Some(member) = member_of(callee)
            && let Some(method) = member_name(&member.prop)
            && SYNC_METHODS.contains(&&*method)
            && has_async_callback(args)
        {
            self.findings.add(
                node.span(),
                format!("'{method}' does not wait for its async callback"),
                "Write `await Promise.all(items.map(async (item) => …))`, then filter or search the results; or use `for (const item of items) { await … }`.",
            );
        }
        node.visit_children_with(self);
    }

    fn visit_member_expr(&mut self, node: &MemberExpr) {
        if !member_name(&node.prop).is_some_and(|name| is_promise_method(&name)) {
            self.misused(&node.obj);
        }
        node.visit_children_with(self);
    }

    fn visit_for_of_stmt(&mut self, node: &ForOfStmt) {
        if !node.is_await {
            self.misused(&node.right);
        }
        node.visit_children_with(self);
    }

    fn visit_callee(&mut self, node: &Callee) {
        node.visit_children_with(self);
    }

    fn visit_function(&mut self, node: &Function) {
        let timing = FunctionFacts::of_function(node).timing;
        self.inside(timing, |visitor| node.visit_children_with(visitor));
    }

    fn visit_arrow_expr(&mut self, node: &ArrowExpr) {
        let timing = FunctionFacts::of_arrow(node).timing;
        self.inside(timing, |visitor| node.visit_children_with(visitor));
    }

    fn visit_constructor(&mut self, node: &Constructor) {
        self.inside(Timing::Sync, |visitor| node.visit_children_with(visitor));
    }
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::table::{check, run};

    #[test]
    fn table() {
        check(
            &RULE,
            &[
                "export default async (u: string) => { const r = await tgp.fetch(u); return r.json() }",
                "export default (u: string) => tgp.fetch(u).then((r) => r.text())",
                "export default async (u: string[]) => Promise.all(u.map(async (x) => (await tgp.fetch(x)).status))",
                "export default async (u: string) => { const job = tgp.fetch(u); const r = await job; return r.ok }",
                "export default () => { tgp.log('hi'); return tgp.read_file('a.txt').length }",
                "async function load() { return 1 } export default async () => { const n = await load(); return n }",
                "export default async (ids: number[]) => { const jobs = ids.map((id) => tgp.exec_sql('SELECT ?', [id])); return (await Promise.all(jobs)).length }",
                "const fetch = (u: string) => u; export default () => { fetch('x'); return 1 }",
                "async function main() { return 1 }\nmain()",
                "if (args.u) { tgp.fetch(args.u).then((r) => r.text()) } else { Promise.all([]) }",
            ],
            &[
                ("export default async (u: string) => { tgp.fetch(u); return 1 }", "tgp.fetch(u)"),
                ("tgp.fetch(args.u); args.n", "tgp.fetch(args.u)"),
                (
                    "export default async (a: { id: number }) => { tgp.exec_sql('DELETE FROM t WHERE id = ?', [a.id]); return 1 }",
                    "exec_sql",
                ),
                ("async function save() { return 1 } export default async () => { save(); return 1 }", "save()"),
                (
                    "export default async (u: string) => { fetch(u).then((r) => r.text()).catch(() => null); return 1 }",
                    "fetch(u)",
                ),
                (
                    "export default async (ids: number[]) => { ids.forEach(async (id) => { await tgp.exec_sql('SELECT ?', [id]) }); return 1 }",
                    "forEach",
                ),
                ("export default async (u: string[]) => u.filter(async (x) => (await tgp.fetch(x)).ok)", "filter"),
                ("export default async () => { const rows = tgp.exec_sql('SELECT 1'); return rows.length }", "rows"),
                ("export default async (u: string) => tgp.fetch(u).json()", "tgp.fetch(u)"),
                (
                    "export default async () => { for (const row of tgp.exec_sql('SELECT 1')) { console.log(row) } return 1 }",
                    "exec_sql",
                ),
                (
                    "export default async (u: string[]) => { u.map(async (x) => { await tgp.fetch(x) }); return u.length }",
                    "u.map",
                ),
                (
                    "export default async (u: string[]) => { Promise.all(u.map((x) => tgp.fetch(x))); return u.length }",
                    "Promise.all",
                ),
            ],
        );
    }

    #[test]
    fn a_floating_promise_in_an_async_function_has_a_fix() {
        let found = run(&RULE, "export default async (u: string) => { tgp.fetch(u); return 1 }");
        assert_eq!(found[0].1.edit.as_ref().map(|edit| edit.text.as_str()), Some("await "));
        let found = run(&RULE, "export default (u: string) => { tgp.fetch(u); return 1 }");
        assert_eq!(found[0].1.edit, None);
    }
}
