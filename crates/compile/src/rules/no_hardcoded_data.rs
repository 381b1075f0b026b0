//! Standard 1: the logic is in the tool, the data is in its arguments. Records, long lists and tables that were pasted into the
//! source are data; a short lookup table in a constant (units, month names) is part of the logic.

use swc_core::common::Spanned;
use swc_core::ecma::ast::{ArrayLit, Expr, Lit, ObjectLit, Pat, Prop, PropOrSpread, Tpl, VarDeclarator};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::identifier_words::{is_business_value, is_constant_case, singular, words_of};
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::expr::{is_literal, key_name, number_of, plain};

pub(crate) const RULE: Rule =
    Rule { id: "no-hardcoded-data", standard: Some(1), severity: Severity::Error, guards: Guards::Quality, check };

const HELP: &str = "Take the data as an argument with a type, such as `args: { rows: Row[] }`; or read it with tgp.exec_sql, tgp.fetch or tgp.read_file, so that the tool works for other data too.";

/// Members of a literal list that are still a vocabulary and not data.
const MAX_WORDS: usize = 14;
const MAX_CONSTANT_WORDS: usize = 120;
/// Rows from which a text looks like a pasted table.
const TABLE_ROWS: usize = 3;

/// Members that identify a person or thing, or state a business value.
const IDENTITY: [&str; 22] = [
    "id",
    "sku",
    "email",
    "phone",
    "address",
    "salary",
    "age",
    "customer",
    "amount",
    "price",
    "quantity",
    "qty",
    "department",
    "firstname",
    "lastname",
    "username",
    "city",
    "balance",
    "revenue",
    "cost",
    "employee",
    "birthday",
];

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    context.module.visit_with(&mut Visitor { findings, name: None });
}

struct Visitor<'a> {
    findings: &'a mut Findings,
    /// The variable whose value is being looked at.
    name: Option<String>,
}

impl Visitor<'_> {
    fn is_constant(&self) -> bool {
        self.name.as_deref().is_some_and(|name| is_constant_case(name) && !is_business_value(name))
    }
}

impl Visit for Visitor<'_> {
    noop_visit_type!();

    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        let name = match &node.name {
            Pat::Ident(name) => Some(name.id.sym.to_string()),
            _ => None,
        };
        let outer = std::mem::replace(&mut self.name, name);
        node.init.visit_with(self);
        self.name = outer;
    }

    fn visit_array_lit(&mut self, node: &ArrayLit) {
        let records = records_in(node);
        if records.len() >= 2 && !(self.is_constant() && records.iter().all(|record| is_vocabulary(record))) {
            self.findings.add(node.span, format!("{} records are hard-coded", records.len()), HELP);
            return;
        }
        let words = node.elems.iter().flatten().filter(|element| is_literal(&element.expr)).count();
        let most = if self.is_constant() { MAX_CONSTANT_WORDS } else { MAX_WORDS };
        if words > most {
            self.findings.add(node.span, format!("A list of {words} values is hard-coded"), HELP);
            return;
        }
        node.visit_children_with(self);
    }

    fn visit_object_lit(&mut self, node: &ObjectLit) {
        if is_table(node, self.name.as_deref()) {
            self.findings.add(node.span, "A table of values is hard-coded", HELP);
            return;
        }
        node.visit_children_with(self);
    }

    fn visit_lit(&mut self, node: &Lit) {
        if let Lit::Str(text) = node
            && is_pasted_table(&text.value.to_string_lossy())
        {
            self.findings.add(text.span, "A table is pasted into the source as text", HELP);
        }
    }

    fn visit_tpl(&mut self, node: &Tpl) {
        if let ([], [part]) = (node.exprs.as_slice(), node.quasis.as_slice())
            && let Some(text) = &part.cooked
            && is_pasted_table(&text.to_string_lossy())
        {
            self.findings.add(node.span, "A table is pasted into the source as text", HELP);
        }
        node.visit_children_with(self);
    }
}

/// Elements that are objects of at least two literal members.
fn records_in(list: &ArrayLit) -> Vec<&ObjectLit> {
    let objects = list.elems.iter().flatten().filter_map(|element| match plain(&element.expr) {
        Expr::Object(object) => Some(object),
        _ => None,
    });
    objects.filter(|object| literal_members(object).count() >= 2).collect()
}

fn literal_members(object: &ObjectLit) -> impl Iterator<Item = (String, &Expr)> {
    object.props.iter().filter_map(|member| match member {
        PropOrSpread::Prop(prop) => match &**prop {
            Prop::KeyValue(pair) if is_literal(&pair.value) => Some((key_name(&pair.key)?.into_owned(), &*pair.value)),
            _ => None,
        },
        PropOrSpread::Spread(_) => None,
    })
}

/// Whether a record is vocabulary (a column, an operator) rather than data about a person or thing.
fn is_vocabulary(record: &ObjectLit) -> bool {
    literal_members(record).all(|(key, _)| {
        let words = words_of(&key);
        let joined = words.concat();
        !IDENTITY.contains(&singular(&joined))
            && !words.iter().any(|word| IDENTITY.contains(&singular(word)))
            && !is_business_value(&key)
    })
}

/// Three or more numbers by name. As a constant it may be a table of units, unless its name says that it is about money.
pub(crate) fn is_table(object: &ObjectLit, name: Option<&str>) -> bool {
    let numbers = literal_members(object).filter(|(_, value)| {
        number_of(value).is_some_and(|number| !matches!(number, -1.0..=1.0) || number.fract() != 0.0)
    });
    let count = numbers.count();
    let is_business = name.is_some_and(is_business_value);
    let is_constant = name.is_some_and(is_constant_case);
    object.span().lo != object.span().hi && (count >= 2 && is_business || count >= 3 && !is_constant && name.is_some())
}

/// Lines with the same number of separators, as in CSV; a query or a text has none such.
fn is_pasted_table(text: &str) -> bool {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.len() >= TABLE_ROWS
        && [',', ';', '\t', '|'].iter().any(|separator| {
            let mut counts = lines.iter().map(|line| line.matches(*separator).count());
            counts.next().is_some_and(|first| first >= 1 && counts.all(|count| count == first))
                && !lines.iter().any(|line| line.ends_with(*separator))
        })
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
                "const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']; export default (n: number) => MONTHS[n]",
                "const METERS = { km: 1000, mi: 1609.344, ft: 0.3048 }; export default (n: number) => n * METERS.km",
                "export default (rows: { a: number }[]) => rows.map((row) => ({ ...row, kind: 'row' }))",
                "const COLUMNS = [{ key: 'name', header: 'Name' }, { key: 'total', header: 'Total' }]; export default () => COLUMNS",
                "export default (a: { q: string }) => tgp.exec_sql(`\n  SELECT id, name\n  FROM users\n  WHERE name = ?`, [a.q])",
                "export default () => tgp.exec_sql(`\n  SELECT id,\n         name,\n         total\n  FROM orders`)",
                "export default (n: number) => [{ x: n, y: n }, { x: n + 1, y: n }]",
                "export default (n: number) => ({ min: 0, max: 1, value: n })",
            ],
            &[
                (
                    "const users = [{ id: 1, name: 'Alice' }, { id: 2, name: 'Bob' }]; export default () => users",
                    "Alice",
                ),
                (
                    "const USERS = [{ name: 'Alice', age: 31 }, { name: 'Bob', age: 40 }]; export default () => USERS",
                    "Alice",
                ),
                (
                    "const TAX_RATES = { DE: 0.19, FR: 0.2, IT: 0.22 }; export default (c: 'DE') => TAX_RATES[c]",
                    "DE: 0.19",
                ),
                ("export default (c: 'a') => { const sizes = { a: 12, b: 24, c: 48 }; return sizes[c] }", "a: 12"),
                ("export default () => `sku,price\nA1,10\nB2,20`", "sku"),
                (
                    "const list = ['a','b','c','d','e','f','g','h','i','j','k','l','m','n','o','p']; export default () => list",
                    "'a'",
                ),
            ],
        );
    }
}
