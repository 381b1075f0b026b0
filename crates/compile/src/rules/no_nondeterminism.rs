//! Standard 4: the same arguments give the same result. The clock and chance are inputs like any other, so they come in as
//! arguments; falling back to them when an argument is missing is fine.

use swc_core::common::Span;
use swc_core::ecma::ast::{AssignPat, AssignPatProp, BinExpr, BinaryOp, CallExpr, Callee, CondExpr, Expr, NewExpr};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::expr::{global_member, global_name};

pub(crate) const RULE: Rule =
    Rule { id: "no-nondeterminism", standard: Some(4), severity: Severity::Error, guards: Guards::Quality, check };

const CLOCK: &str = "Take the time as an argument, `args: { now: string }`, and use `new Date(args.now)`. Then a run can be repeated and tested.";
const CHANCE: &str = "Take a seed or the chosen value as an argument, such as `args: { seed: number }`. Fresh ids come from crypto.randomUUID().";

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    context.module.visit_with(&mut Visitor { context, findings, fallback: 0 });
}

struct Visitor<'a> {
    context: &'a RuleContext<'a>,
    findings: &'a mut Findings,
    /// How many expressions around this one are used only when an argument is missing.
    fallback: u32,
}

impl Visitor<'_> {
    fn found(&mut self, span: Span, what: &str, help: &str) {
        if self.fallback == 0 {
            self.findings.add(span, format!("{what} makes every run different"), help);
        }
    }

    fn as_fallback(&mut self, expr: &Expr) {
        self.fallback += 1;
        expr.visit_with(self);
        self.fallback -= 1;
    }
}

impl Visit for Visitor<'_> {
    noop_visit_type!();

    fn visit_call_expr(&mut self, node: &CallExpr) {
        if let Callee::Expr(callee) = &node.callee {
            match global_member(callee, self.context.names.unresolved) {
                Some(("Math", name)) if name == "random" => self.found(node.span, "Math.random()", CHANCE),
                Some(("Date", name)) if name == "now" => self.found(node.span, "Date.now()", CLOCK),
                Some(("crypto", name)) if name == "getRandomValues" => {
                    self.found(node.span, "crypto.getRandomValues()", CHANCE);
                }
                _ => {}
            }
            if global_name(callee, self.context.names.unresolved) == Some("Date") {
                self.found(node.span, "Date()", CLOCK);
            }
        }
        node.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, node: &NewExpr) {
        let is_now = node.args.as_deref().unwrap_or_default().is_empty();
        if is_now && global_name(&node.callee, self.context.names.unresolved) == Some("Date") {
            self.found(node.span, "new Date()", CLOCK);
        }
        node.visit_children_with(self);
    }

    fn visit_bin_expr(&mut self, node: &BinExpr) {
        node.left.visit_with(self);
        if matches!(node.op, BinaryOp::NullishCoalescing | BinaryOp::LogicalOr) {
            self.as_fallback(&node.right);
        } else {
            node.right.visit_with(self);
        }
    }

    /// `args.now ? new Date(args.now) : new Date()`
    fn visit_cond_expr(&mut self, node: &CondExpr) {
        node.test.visit_with(self);
        self.as_fallback(&node.cons);
        self.as_fallback(&node.alt);
    }

    fn visit_assign_pat(&mut self, node: &AssignPat) {
        node.left.visit_with(self);
        self.as_fallback(&node.right);
    }

    fn visit_assign_pat_prop(&mut self, node: &AssignPatProp) {
        if let Some(value) = &node.value {
            self.as_fallback(value);
        }
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
                "export default (a: { now?: number }) => new Date(a.now ?? Date.now()).toISOString()",
                "export default ({ now = Date.now() }: { now?: number }) => now",
                "export default (a: { at?: string }) => (a.at ? new Date(a.at) : new Date()).getTime()",
                "export default (text: string) => new Date(text).getTime()",
                "export default () => crypto.randomUUID()",
                "export default (seed: number, now = new Date()) => [seed, now]",
                "const Math = { random: () => 4 }; export default () => Math.random()",
                "export default (a: number[]) => Math.max(...a)",
            ],
            &[
                ("export default (a: number[]) => a[Math.floor(Math.random() * a.length)]", "Math.random()"),
                ("export default () => Date.now()", "Date.now()"),
                ("export default () => new Date().toISOString()", "new Date()"),
                ("export default () => ({ at: new Date })", "new Date"),
                ("export default () => Date()", "Date()"),
                ("export default (a: number[]) => a.sort(() => Math.random() - 0.5)", "Math.random()"),
                (
                    "export default () => globalThis.crypto && crypto.getRandomValues(new Uint8Array(4))",
                    "getRandomValues",
                ),
            ],
        );
    }
}
