//! Standard 7: a number whose meaning is not in its value belongs into the arguments, or, if it is a fact (a unit, a
//! constant of nature), into a named constant. Rates, prices and thresholds are never facts.
//!
//! Harmless are counting numbers, powers of ten, parts of time and angles, and every number whose place explains it: an
//! index, digits to keep, a status, a default for an argument.

use swc_core::common::Spanned;
use swc_core::ecma::ast::{
    ArrayLit, AssignExpr, AssignPat, AssignPatProp, AssignTarget, BinExpr, BinaryOp, Expr, KeyValueProp, Lit,
    MemberProp, ObjectLit, Pat, PropName, SimpleAssignTarget, TsEnumDecl, VarDeclarator,
};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::harmless_numbers::{NumberRole, explains, is_explained, is_explaining_call, is_harmless};
use super::no_hardcoded_data::is_table;
use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::identifier_words::{is_business_value, is_constant_case};
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::expr::{call_of, key_name, last_name, member_name, member_of, number_of, plain};

pub(crate) const RULE: Rule =
    Rule { id: "no-magic-numbers", standard: Some(1), severity: Severity::Error, guards: Guards::Quality, check };

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    context.module.visit_with(&mut Visitor { findings, constant: None });
}

struct Visitor<'a> {
    findings: &'a mut Findings,
    /// The constant whose value is being looked at.
    constant: Option<String>,
}

impl Visitor<'_> {
    fn check_value(&mut self, expr: &Expr, role: NumberRole) {
        if let Some(number) = number_of(expr)
            && !is_harmless(number, role)
        {
            self.report(expr, number);
        }
    }

    fn report(&mut self, expr: &Expr, number: f64) {
        let pi = (number - std::f64::consts::PI).abs() < 0.01;
        let e = (number - std::f64::consts::E).abs() < 0.001;
        let help = if pi {
            "Use Math.PI.".to_owned()
        } else if e {
            "Use Math.E.".to_owned()
        } else {
            "Take it as an argument, with a default if most callers want the same: `args.limit ?? 50`. A fact that never changes (a unit, a constant of nature) becomes a named constant at the top: `const KM_PER_MILE = 1.609344`.".to_owned()
        };
        self.findings.add(expr.span(), message(number), help);
    }

    /// A number that has a name: fine for a fact, not for what a business decides.
    fn check_named(&mut self, name: &str, value: &Expr) -> Handled {
        let Some(number) = number_of(value) else { return Handled::No };
        if is_business_value(name) && !matches!(number, -1.0 | 0.0 | 1.0) {
            self.findings.add(
                value.span(),
                message(number),
                format!("'{name}' is hard-coded and varies from case to case, so take it as an argument: `args.{name}`, with a default if one is usual."),
            );
        } else if !is_constant_case(name) && !explains(name) {
            self.check_value(value, NumberRole::Operand);
        }
        Handled::Yes
    }
}

fn message(number: f64) -> String {
    format!("Found potential Magic Number '{number}'. Abstract logic from data")
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Handled {
    Yes,
    No,
}

impl Visit for Visitor<'_> {
    noop_visit_type!();

    fn visit_ts_enum_decl(&mut self, _: &TsEnumDecl) {}

    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        let (Pat::Ident(name), Some(value)) = (&node.name, node.init.as_deref()) else {
            node.visit_children_with(self);
            return;
        };
        if self.check_named(&name.id.sym, value) == Handled::Yes {
            return;
        }
        let is_fact = is_constant_case(&name.id.sym) && !is_business_value(&name.id.sym);
        let outer = std::mem::replace(&mut self.constant, is_fact.then(|| name.id.sym.to_string()));
        if !matches!(plain(value), Expr::Object(object) if is_table(object, Some(&name.id.sym))) {
            value.visit_with(self);
        }
        self.constant = outer;
    }

    fn visit_assign_expr(&mut self, node: &AssignExpr) {
        let name = match &node.left {
            AssignTarget::Simple(SimpleAssignTarget::Ident(name)) => Some(name.id.sym.to_string()),
            AssignTarget::Simple(SimpleAssignTarget::Member(member)) => {
                member_name(&member.prop).map(std::borrow::Cow::into_owned)
            }
            _ => None,
        };
        let handled = name.map_or(Handled::No, |name| self.check_named(&name, &node.right));
        if handled == Handled::No {
            node.visit_children_with(self);
        }
    }

    fn visit_key_value_prop(&mut self, node: &KeyValueProp) {
        if self.constant.is_some() {
            let is_business = key_name(&node.key).is_some_and(|name| is_business_value(&name));
            if !is_business {
                return;
            }
        }
        if let Some(name) = key_name(&node.key)
            && self.check_named(&name, &node.value) == Handled::Yes
        {
            return;
        }
        node.value.visit_with(self);
    }

    fn visit_prop_name(&mut self, _: &PropName) {}

    fn visit_object_lit(&mut self, node: &ObjectLit) {
        node.visit_children_with(self);
    }

    fn visit_array_lit(&mut self, node: &ArrayLit) {
        if self.constant.is_none() {
            node.visit_children_with(self);
        }
    }

    /// Defaults of arguments.
    fn visit_assign_pat(&mut self, node: &AssignPat) {
        if number_of(&node.right).is_none() {
            node.visit_children_with(self);
        }
    }

    fn visit_assign_pat_prop(&mut self, node: &AssignPatProp) {
        if node.value.as_deref().is_some_and(|value| number_of(value).is_none()) {
            node.visit_children_with(self);
        }
    }

    fn visit_member_prop(&mut self, node: &MemberProp) {
        if let MemberProp::Computed(computed) = node
            && number_of(&computed.expr).is_none()
        {
            computed.expr.visit_with(self);
        }
    }

    fn visit_bin_expr(&mut self, node: &BinExpr) {
        let (left, right) = (&*node.left, &*node.right);
        for (side, other) in [(left, right), (right, left)] {
            let Some(number) = number_of(side) else {
                side.visit_with(self);
                continue;
            };
            if self.constant.is_some() {
                continue;
            }
            match node.op {
                BinaryOp::EqEq
                | BinaryOp::NotEq
                | BinaryOp::EqEqEq
                | BinaryOp::NotEqEq
                | BinaryOp::Lt
                | BinaryOp::LtEq
                | BinaryOp::Gt
                | BinaryOp::GtEq => {
                    if !is_explained(other, number) {
                        self.check_value(side, NumberRole::Limit);
                    }
                }
                // A default, a bit, an exponent or a divisor: the operator explains the number.
                BinaryOp::NullishCoalescing
                | BinaryOp::LogicalOr
                | BinaryOp::LShift
                | BinaryOp::RShift
                | BinaryOp::ZeroFillRShift
                | BinaryOp::BitAnd
                | BinaryOp::BitOr
                | BinaryOp::BitXor
                | BinaryOp::Exp
                | BinaryOp::Mod => {}
                BinaryOp::Add | BinaryOp::Sub | BinaryOp::Mul | BinaryOp::Div => {
                    self.check_value(side, NumberRole::Operand);
                }
                BinaryOp::LogicalAnd | BinaryOp::In | BinaryOp::InstanceOf => {}
            }
        }
    }

    fn visit_expr(&mut self, node: &Expr) {
        if let Some((callee, args)) = call_of(node) {
            let name = last_name(callee).or_else(|| member_of(callee).and_then(|member| member_name(&member.prop)));
            callee.visit_with(self);
            let is_explained = name.is_some_and(|name| is_explaining_call(&name));
            for arg in args {
                if !(is_explained && number_of(&arg.expr).is_some()) {
                    arg.expr.visit_with(self);
                }
            }
            return;
        }
        if let Some(number) = number_of(node) {
            if self.constant.is_none() && !is_harmless(number, NumberRole::Operand) {
                self.report(node, number);
            }
            return;
        }
        node.visit_children_with(self);
    }

    fn visit_lit(&mut self, _: &Lit) {}
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
                "const MS_PER_DAY = 24 * 60 * 60 * 1000; export default (a: number, b: number) => (b - a) / MS_PER_DAY",
                "const EARTH_RADIUS_KM = 6371; export default (n: number) => n * EARTH_RADIUS_KM",
                "const METERS = { mi: 1609.344, ft: 0.3048 }; export default (n: number) => n * METERS.mi",
                "export default (n: number) => Math.round(n * 100) / 100",
                "export default (n: number) => n.toFixed(3) + n.toString(16).padStart(8, '0')",
                "export default ({ limit = 250 }: { limit?: number }) => limit",
                "export default (a: { limit?: number }) => a.limit ?? 250",
                "export default (s: string) => s.slice(0, 80) + s[17]",
                "export default async (u: string) => { const r = await tgp.fetch(u); return r.status === 404 || r.status >= 500 }",
                "export default (d: Date) => d.getUTCDay() === 6 || d.getUTCMonth() + 1 === 12",
                "export default (y: number) => (y % 4 === 0 && y % 100 !== 0) || y % 400 === 0",
                "export default (n: number) => (n >> 13) ^ (n & 0x7fff)",
                "export default (p: string[]) => p.length === 3",
                "enum Level { High = 77 } export default () => Level.High",
                "export default (s: string) => s.charCodeAt(0) >= 97",
                "type Port = 8080; export default (p: Port) => p",
                "export default (n: number) => new Intl.NumberFormat('en', { maximumFractionDigits: 4 }).format(n)",
            ],
            &[
                ("export default (n: number) => { const tax = 0.05; return n * tax }", "0.05"),
                ("const taxRate = 0.05; export default (n: number) => n * taxRate", "0.05"),
                ("const TAX_RATE = 0.05; export default (n: number) => n * TAX_RATE", "0.05"),
                ("export default (n: number) => n * 1.19", "1.19"),
                ("export default (l: number, w: number, h: number) => (l * w * h) / 139", "139"),
                ("export default (n: number) => (n > 75 ? 'high' : 'low')", "75"),
                ("export default (n: number) => { const discountPercent = 10; return n - discountPercent }", "10"),
                ("export default (r: number) => 3.14159 * r * r", "3.14159"),
                ("export default (n: number) => ({ total: n, shippingFee: 4.99 })", "4.99"),
                ("export default (age: number) => age >= 18", "18"),
                ("export default (xs: number[]) => xs.filter((x) => x < 42)", "42"),
                ("export default (n: number) => { let fee = 0; if (n > 0) fee = 25; return fee }", "25"),
                ("const sizes = [37, 41, 43]; export default (n: number) => sizes[n]", "37"),
                ("export default (n: number) => Math.min(n, 777)", "777"),
            ],
        );
    }
}
