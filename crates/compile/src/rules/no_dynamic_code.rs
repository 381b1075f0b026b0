//! Code made from text cannot be checked, and the sandbox refuses to run it. That holds for the indirect ways too: `eval` under
//! another name, `Function`, the constructor of a function, timers with text, and modules whose name is computed.

use swc_core::common::{Span, Spanned};
use swc_core::ecma::ast::{BinExpr, BinaryOp, CallExpr, Callee, Expr, ExprOrSpread, Ident, MemberExpr, NewExpr};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::expr::{call_of, global_member, global_name, member_name, member_of, text_of};

pub(crate) const RULE: Rule =
    Rule { id: "no-dynamic-code", standard: None, severity: Severity::Error, guards: Guards::Safety, check };

const HELP: &str = "Write the logic out as functions. To choose between behaviours, keep the functions in an object and pick one by an argument; to read data use JSON.parse.";
const MODULE_HELP: &str = "Name the module by a literal: import it at the top, or choose between several literal imports. To call a tool whose name is only known at run time use tgp.exec_tool(path, args).";
const GLOBAL_OBJECTS: [&str; 5] = ["globalThis", "global", "window", "self", "this"];

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    context.module.visit_with(&mut Visitor { context, findings });
}

struct Visitor<'a> {
    context: &'a RuleContext<'a>,
    findings: &'a mut Findings,
}

impl Visitor<'_> {
    fn code(&mut self, span: Span, what: &str) {
        self.findings.add(span, format!("Dynamic code execution ({what}) is prohibited"), HELP);
    }

    fn global(&mut self, span: Span, name: &str) {
        self.code(span, if name == "eval" { "'eval'" } else { "'Function' constructor" });
    }

    fn load(&mut self, args: &[ExprOrSpread], span: Span) {
        let is_literal = args.first().is_some_and(|name| name.spread.is_none() && text_of(&name.expr).is_some());
        if !is_literal {
            self.findings.add(span, "A module is loaded by a name that is computed, which is forbidden", MODULE_HELP);
        }
    }
}

impl Visit for Visitor<'_> {
    noop_visit_type!();

    fn visit_ident(&mut self, node: &Ident) {
        if self.context.names.is_global(node) && matches!(&*node.sym, "eval" | "Function") {
            self.global(node.span, &node.sym);
        }
    }

    fn visit_bin_expr(&mut self, node: &BinExpr) {
        node.left.visit_with(self);
        let is_test = node.op == BinaryOp::InstanceOf
            && global_name(&node.right, self.context.names.unresolved) == Some("Function");
        if !is_test {
            node.right.visit_with(self);
        }
    }

    fn visit_member_expr(&mut self, node: &MemberExpr) {
        let name = member_name(&node.prop).unwrap_or_default();
        if matches!(&*name, "eval" | "Function")
            && (global_name(&node.obj, self.context.names.unresolved)
                .is_some_and(|object| GLOBAL_OBJECTS.contains(&object))
                || node.obj.is_this())
        {
            self.global(node.span, &name);
        } else if name == "constructor"
            && member_of(&node.obj)
                .is_some_and(|inner| member_name(&inner.prop).is_some_and(|inner| inner == "constructor"))
        {
            self.code(node.span, "The constructor of a constructor");
        }
        node.visit_children_with(self);
    }

    fn visit_expr(&mut self, node: &Expr) {
        if let Some((callee, args)) = call_of(node) {
            let names = self.context.names.unresolved;
            if member_of(callee).is_some_and(|member| {
                member_name(&member.prop).is_some_and(|name| name == "constructor") && !is_this_constructor(member)
            }) {
                self.code(callee.span(), "The constructor of a value");
            }
            let timer = global_name(callee, names).map(str::to_owned).or_else(|| {
                global_member(callee, names)
                    .filter(|(object, _)| GLOBAL_OBJECTS.contains(object))
                    .map(|(_, name)| name.into_owned())
            });
            if matches!(timer.as_deref(), Some("setTimeout" | "setInterval"))
                && let Some(first) = args.first()
                && text_of(&first.expr).is_some()
            {
                self.code(first.expr.span(), "A timer with text");
            }
        }
        node.visit_children_with(self);
    }

    fn visit_call_expr(&mut self, node: &CallExpr) {
        match &node.callee {
            Callee::Import(_) => self.load(&node.args, node.span),
            Callee::Expr(callee) if global_name(callee, self.context.names.unresolved) == Some("require") => {
                self.load(&node.args, node.span);
            }
            Callee::Expr(_) | Callee::Super(_) => {}
        }
        node.visit_children_with(self);
    }

    fn visit_new_expr(&mut self, node: &NewExpr) {
        if let Some(member) = member_of(&node.callee)
            && member_name(&member.prop).is_some_and(|name| name == "constructor")
            && !is_this_constructor(member)
        {
            self.code(node.callee.span(), "The constructor of a value");
        }
        node.visit_children_with(self);
    }
}

/// `this.constructor` inside a class makes another of its kind.
fn is_this_constructor(member: &MemberExpr) -> bool {
    member.obj.is_this()
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
                "export default (f: unknown) => f instanceof Function",
                "export default (a: { eval: number }) => a.eval",
                "const x = require('./x'); export default () => x",
                "export default async () => (await import('./x')).default",
                "export default (a: object) => a.constructor.name",
                "function evaluate(n: number) { return n } export default evaluate",
                "export default (done: () => void) => { const t = setTimeout(done, 1); return t }",
                "const run = (eval_: number) => eval_; export default run",
                "class A { copy() { return new (this.constructor as typeof A)() } } export default () => new A().copy()",
            ],
            &[
                ("export default (a: { code: string }) => eval(a.code)", "eval"),
                ("export default (a: { code: string }) => (0, eval)(a.code)", "eval"),
                ("const run = eval; export default (a: { c: string }) => run(a.c)", "eval"),
                ("export default (c: string) => globalThis.eval(c)", "eval"),
                ("export default (c: string) => globalThis['eval'](c)", "eval"),
                ("export default (c: string) => new Function('a', c)", "Function"),
                ("export default (c: string) => Function(c)()", "Function"),
                ("export default (c: string) => Reflect.construct(Function, [c])", "Function"),
                ("export default (c: string) => (() => {}).constructor(c)()", "constructor"),
                ("export default (c: string) => [].filter.constructor(c)()", "constructor"),
                ("export default (c: string) => new (async () => {}).constructor(c)", "constructor"),
                ("export default (c: string) => { const F = ''.constructor.constructor; return F(c) }", "constructor"),
                ("export default (c: string) => { setTimeout('x()', 1); return c }", "x()"),
                ("export default (a: { name: string }) => require(a.name)", "require(a.name)"),
                ("export default (a: { name: string }) => import(`./${a.name}`)", "import"),
            ],
        );
    }
}
