//! Standard 7: an identifier of one record makes a tool that serves that record alone.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use swc_core::common::Spanned;
use swc_core::ecma::ast::{BinExpr, BinaryOp, Expr, KeyValueProp, Pat, VarDeclarator};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::identifier_words::words_of;
use crate::rule_context::rule_context::RuleContext;
use crate::rule_context::string_literals::each_text;
use crate::syntax::expr::{key_name, last_name, number_of, text_of};

pub(crate) const RULE: Rule =
    Rule { id: "no-hardcoded-ids", standard: Some(7), severity: Severity::Error, guards: Guards::Quality, check };

const HELP: &str = "Take the id as an argument, such as `args.customerId`, and in SQL as a parameter: `WHERE id = ?` with `[args.customerId]`.";

static IDS: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        r"(?-u)\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
        r"(?-u)\b(?:cus|sub|prod|price|inv|acct|ch|pi|pm|usr|user|org|team|ord|order|cust|customer|proj|tenant)_[A-Za-z0-9]*[0-9][A-Za-z0-9]{3,}\b",
        r"(?-u)\b[0-9a-f]{24}\b",
        r"(?-u)\barn:aws:[a-z0-9-]+:",
    ])
    .ok()
});

/// `WHERE id = 42` and `user_id IN ('a', 'b')`, but not `id = ?`, `id = $1`, `id = :id` or a column.
static SQL_ID: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?i-u)\b(?:[a-z_]+_)?id\s*(?:=|<>|!=|in\s*\()\s*(?:'(?u-i:[^'])+'|[0-9]+)").ok());

/// The nil id stands for no record at all.
const NIL: &str = "00000000-0000-0000-0000-000000000000";

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    each_text(context.module, |text, span| {
        let is_id = text != NIL && IDS.as_ref().is_some_and(|ids| ids.is_match(text));
        if is_id {
            findings.add(span, "Potential hardcoded ID or Secret detected: the id of one record", HELP);
        } else if SQL_ID.as_ref().is_some_and(|pattern| pattern.is_match(text)) {
            findings.add(span, "Potential hardcoded ID or Secret detected: the query names one record", HELP);
        }
    });
    context.module.visit_with(&mut Visitor { findings });
}

/// `userId`, `customer_id`, `id`.
fn names_id(name: &str) -> bool {
    words_of(name).last().is_some_and(|word| word == "id" || word == "ids" || word == "uuid" || word == "guid")
}

/// A value that only one record has. `0`, `1`, `-1` and the empty text are the usual "none" and "first".
fn is_record(value: &Expr) -> bool {
    number_of(value).is_some_and(|number| !matches!(number, -1.0..=1.0))
        || text_of(value).is_some_and(|text| text.chars().any(|letter| letter.is_ascii_digit()))
}

struct Visitor<'a> {
    findings: &'a mut Findings,
}

impl Visitor<'_> {
    fn check_value(&mut self, name: Option<&str>, value: &Expr) {
        if name.is_some_and(names_id) && is_record(value) {
            self.findings.add(value.span(), "Potential hardcoded ID or Secret detected: the id of one record", HELP);
        }
    }
}

impl Visit for Visitor<'_> {
    noop_visit_type!();

    fn visit_bin_expr(&mut self, node: &BinExpr) {
        if matches!(node.op, BinaryOp::EqEq | BinaryOp::EqEqEq | BinaryOp::NotEq | BinaryOp::NotEqEq) {
            self.check_value(last_name(&node.left).as_deref(), &node.right);
            self.check_value(last_name(&node.right).as_deref(), &node.left);
        }
        node.visit_children_with(self);
    }

    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        if let (Pat::Ident(name), Some(value)) = (&node.name, &node.init) {
            self.check_value(Some(&name.id.sym), value);
        }
        node.visit_children_with(self);
    }

    fn visit_key_value_prop(&mut self, node: &KeyValueProp) {
        self.check_value(key_name(&node.key).as_deref(), &node.value);
        node.visit_children_with(self);
    }
}

#[cfg(test)]
mod tests {
    use super::{IDS, RULE, SQL_ID};
    use crate::rules::table::check;

    #[test]
    fn table() {
        assert!(IDS.is_some() && SQL_ID.is_some());
        check(
            &RULE,
            &[
                "export default (a: { id: string }) => tgp.exec_sql('SELECT * FROM t WHERE id = ?', [a.id])",
                "export default (a: { id: number }) => tgp.exec_sql('SELECT * FROM t WHERE id = $1 AND org_id = :org', [a.id])",
                "export default (rows: { id: number }[]) => rows.find((row) => row.id === 0)",
                "export default (rows: { id: number }[]) => rows.map((row) => ({ id: row.id, kind: 'user' }))",
                "export default () => tgp.exec_sql('SELECT * FROM a JOIN b ON a.b_id = b.id')",
                "export default (id: string) => /^[0-9a-f]{8}-[0-9a-f]{4}$/.test(id)",
                "export default () => '00000000-0000-0000-0000-000000000000'",
                "export default (a: { user_name: string }) => a.user_name",
            ],
            &[
                ("export default () => tgp.exec_sql('SELECT * FROM t WHERE id = 42')", "id = 42"),
                (
                    "export default () => tgp.exec_sql(\"SELECT * FROM t WHERE customer_id IN ('c7', 'c8')\")",
                    "customer_id",
                ),
                ("export default (u: { id: number }) => u.id === 1337", "1337"),
                ("const userId = 8841; export default () => userId", "8841"),
                ("const c = 'cus_9s6XKzkNRiz8i3'; export default () => c", "cus_"),
                ("export default () => ({ tenantId: 'b0f5a3b0-5d3e-4b8e-9d69-0a1b2c3d4e5f' })", "b0f5"),
                ("export default (o: { ownerId: string }) => o.ownerId !== 'u-1009'", "u-1009"),
                ("export default () => '507f1f77bcf86cd799439011'", "507f"),
            ],
        );
    }
}
