//! Standard 6: arguments decide what a tool does. A branch on the name of one customer, or on a mode that is fixed a line
//! above, can only be changed by editing the source. Comparing an argument with the values that its type lists is fine.

use swc_core::common::{Span, Spanned};
use swc_core::ecma::ast::{BinExpr, BinaryOp, Expr, SwitchStmt};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::identifier_words::words_of;
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::expr::{call_of, last_name, member_name, member_of, plain, root_ident, text_of};

pub(crate) const RULE: Rule =
    Rule { id: "no-hardcoded-switch", standard: Some(6), severity: Severity::Error, guards: Guards::Quality, check };

/// Names of values that identify one of many instances.
const INSTANCES: [&str; 21] = [
    "user",
    "username",
    "customer",
    "client",
    "company",
    "owner",
    "employee",
    "vendor",
    "supplier",
    "merchant",
    "tenant",
    "org",
    "organization",
    "organisation",
    "host",
    "hostname",
    "env",
    "environment",
    "sku",
    "assignee",
    "author",
];

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    context.module.visit_with(&mut Visitor { context, findings });
}

struct Visitor<'a> {
    context: &'a RuleContext<'a>,
    findings: &'a mut Findings,
}

impl Visitor<'_> {
    fn check_value(&mut self, value: &Expr, text: &str, span: Span) {
        if text.is_empty() {
            return;
        }
        if let Expr::Ident(name) = plain(value)
            && let Some(fixed) = self.context.names.fixed_value(name).and_then(text_of)
        {
            self.findings.add(
                span,
                format!("The branch depends on '{}', which is fixed as '{fixed}'", name.sym),
                format!(
                    "Make it an argument with the values it may have: `args: {{ {}: '{fixed}' | '…' }}`.",
                    name.sym
                ),
            );
        } else if is_instance(value, text) {
            self.findings.add(
                span,
                format!("The branch is made for '{text}' alone"),
                "Take what differs as an argument (the value to match, or the option to apply), so that the next case needs no new branch.",
            );
        }
    }
}

/// Whether the value identifies one of many instances, and the text names one.
fn is_instance(value: &Expr, text: &str) -> bool {
    let Some(name) = last_name(value) else { return false };
    let words = words_of(&name);
    let Some(last) = words.last() else { return false };
    if INSTANCES.contains(&last.as_str()) {
        return true;
    }
    let is_proper = text.chars().next().is_some_and(char::is_uppercase)
        && !text.ends_with("Error")
        && text.chars().any(char::is_lowercase);
    let owner = root_ident(value).map(|root| words_of(&root.sym)).unwrap_or_default();
    last == "name"
        && (is_proper
            && !owner.iter().any(|word| matches!(word.as_str(), "e" | "err" | "error" | "cause" | "constructor"))
            || owner.iter().chain(&words).any(|word| INSTANCES.contains(&word.as_str())))
}

impl Visit for Visitor<'_> {
    noop_visit_type!();

    fn visit_bin_expr(&mut self, node: &BinExpr) {
        if matches!(node.op, BinaryOp::EqEq | BinaryOp::EqEqEq | BinaryOp::NotEq | BinaryOp::NotEqEq) {
            for (value, literal) in [(&node.left, &node.right), (&node.right, &node.left)] {
                if let Some(text) = text_of(literal)
                    && text_of(value).is_none()
                {
                    self.check_value(value, &text, node.span);
                }
            }
        }
        node.visit_children_with(self);
    }

    fn visit_switch_stmt(&mut self, node: &SwitchStmt) {
        let first =
            node.cases.iter().find_map(|case| case.test.as_deref().and_then(text_of).map(|text| (text, case.span)));
        if let Some((text, span)) = first {
            self.check_value(&node.discriminant, &text, span);
        }
        node.visit_children_with(self);
    }

    /// `['Ann', 'Bob'].includes(user.name)`
    fn visit_expr(&mut self, node: &Expr) {
        if let Some((callee, [arg])) = call_of(node)
            && let Some(member) = member_of(callee)
            && member_name(&member.prop).is_some_and(|name| name == "includes")
            && let Expr::Array(list) = plain(&member.obj)
            && let Some(text) = list.elems.iter().flatten().find_map(|element| text_of(&element.expr))
        {
            self.check_value(&arg.expr, &text, node.span());
        }
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
                "export default (a: { format: 'csv' | 'json'; rows: string[] }) => (a.format === 'csv' ? a.rows.join(',') : JSON.stringify(a.rows))",
                "export default (a: { unit: 'km' | 'mi' }) => { switch (a.unit) { case 'km': return 1; default: return 2 } }",
                "export default (a: unknown) => typeof a === 'string'",
                "export default async () => { try { return 1 } catch (error) { return (error as Error).name === 'AbortError' } }",
                "export default (row: { status: string }) => row.status === 'active'",
                "export default (user: { name: string }) => user.name === ''",
                "export default (a: { name: string }, b: { name: string }) => a.name === b.name",
                "let mode = 'a'; mode = args.mode; return mode === 'b'",
                "export default (file: { name: string }) => file.name === 'index.ts'",
            ],
            &[
                ("export default (user: { name: string }) => user.name === 'Alice'", "Alice"),
                ("export default (a: { customer: string }) => (a.customer === 'ACME Corp' ? 1 : 2)", "ACME"),
                ("const mode = 'strict'; export default (n: number) => (mode === 'strict' ? n : -n)", "mode"),
                (
                    "export default (n: number) => { const format = 'csv'; switch (format) { case 'csv': return n; default: return 0 } }",
                    "format",
                ),
                (
                    "export default (order: { company: string }) => ['Globex', 'Initech'].includes(order.company)",
                    "Globex",
                ),
                ("export default (env: string) => (env !== 'production' ? 1 : 0)", "production"),
                ("export default (o: { username: string }) => 'root' === o.username", "root"),
            ],
        );
    }
}
