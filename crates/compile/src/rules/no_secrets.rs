//! Standard 7: a key, password or token in the source is in Git for ever.

use swc_core::common::{BytePos, Span};
use swc_core::ecma::ast::{AssignExpr, AssignTarget, Expr, KeyValueProp, Pat, SimpleAssignTarget, VarDeclarator};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::positions::source_index::FIRST_POS;
use crate::rule_context::rule_context::RuleContext;
use crate::rule_context::string_literals::each_text;
use crate::secrets::patterns::{INSTEAD_OF_SECRETS, NO_SECRETS, find_token, looks_secret, names_secret};
use crate::syntax::expr::{key_name, member_name, text_of};

pub(crate) const RULE: Rule =
    Rule { id: NO_SECRETS, standard: Some(7), severity: Severity::Error, guards: Guards::Quality, check };

const DETECTED: &str = "Potential hardcoded ID or Secret detected";

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    let mut texts: Vec<Span> = Vec::new();
    each_text(context.module, |text, span| {
        if find_token(text).is_some() {
            findings.add(span, DETECTED, help());
            texts.push(span);
        }
    });
    texts.sort_by_key(|text| text.lo);
    context.module.visit_with(&mut NamedSecrets { findings });
    in_other_text(context, &texts, findings);
}

/// Finds secrets outside string literals: in comments, types and module specifiers. `texts` are the literals already reported,
/// in source order and without overlap.
fn in_other_text(context: &RuleContext<'_>, texts: &[Span], findings: &mut Findings) {
    let mut start = FIRST_POS.0;
    for line in context.source.split_inclusive(['\n', '\r']) {
        let length = u32::try_from(line.len()).unwrap_or(u32::MAX);
        if let Some(offset) = find_token(line) {
            let at = BytePos(start.saturating_add(u32::try_from(offset).unwrap_or(u32::MAX)));
            let end = BytePos(start.saturating_add(u32::try_from(line.trim_end().len()).unwrap_or(u32::MAX)));
            let before = texts.partition_point(|text| text.lo <= at);
            let last = before.checked_sub(1).and_then(|index| texts.get(index));
            if last.is_none_or(|text| text.hi <= at) {
                findings.add(Span::new(at, end), DETECTED, help());
            }
        }
        start = start.saturating_add(length);
    }
}

fn help() -> String {
    format!("Remove it, and treat it as leaked. Instead, {INSTEAD_OF_SECRETS}.")
}

struct NamedSecrets<'a> {
    findings: &'a mut Findings,
}

impl NamedSecrets<'_> {
    fn check_value(&mut self, name: &str, value: &Expr, span: Span) {
        let Some(text) = text_of(value) else { return };
        if names_secret(name) && looks_secret(&text) && find_token(&text).is_none() {
            self.findings.add(span, format!("{DETECTED} in '{name}'"), help());
        }
    }
}

impl Visit for NamedSecrets<'_> {
    noop_visit_type!();

    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        if let (Pat::Ident(name), Some(value)) = (&node.name, &node.init) {
            self.check_value(&name.id.sym, value, node.span);
        }
        node.visit_children_with(self);
    }

    fn visit_key_value_prop(&mut self, node: &KeyValueProp) {
        use swc_core::common::Spanned;
        if let Some(name) = key_name(&node.key) {
            self.check_value(&name, &node.value, node.span());
        }
        node.visit_children_with(self);
    }

    fn visit_assign_expr(&mut self, node: &AssignExpr) {
        if let AssignTarget::Simple(target) = &node.left {
            let name = match target {
                SimpleAssignTarget::Ident(name) => Some(name.id.sym.to_string()),
                SimpleAssignTarget::Member(member) => member_name(&member.prop).map(std::borrow::Cow::into_owned),
                _ => None,
            };
            if let Some(name) = name {
                self.check_value(&name, &node.right, node.span);
            }
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
                "export default (a: { apiKey: string }) => tgp.fetch('https://api.example.com', { headers: { Authorization: `Bearer ${a.apiKey}` } })",
                "export default (a: { password: string }) => a.password.length",
                "export default (a: object) => ({ ...a, token: 'required' })",
                "const TOKEN_COLUMN = 'token_hash'; export default () => TOKEN_COLUMN",
                "export default (key: string) => ({ key: 'customer_name', value: key })",
                "export default () => tgp.fetch('https://api.stripe.com/v1/charges')",
                "const token = ''; export default () => token",
                "export default (text: string) => text.split('-----BEGIN')",
                "/** Needs postgres://user:password@host as an argument. */\nexport default (url: string) => url",
            ],
            &[
                ("const key = 'AKIAIOSFODNN7EXAMPLE'; export default () => key", "AKIA"),
                (
                    "export default () => tgp.fetch('https://x.io', { headers: { Authorization: 'Bearer abcdefghijklmnop1234' } })",
                    "Bearer",
                ),
                ("const stripe = 'sk_live_4eC39HqLyjWDarjtT1zdp7dc'; export default () => stripe", "sk_live"),
                ("const g = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'; export default () => g", "ghp_"),
                ("const url = 'postgres://admin:hunter2@db.internal/prod'; export default () => url", "postgres"),
                ("const password = 'hunter2!'; export default () => password", "password"),
                ("export default () => ({ apiKey: 'abc123def456' })", "apiKey"),
                ("const config = { db_password: 'correcthorse' }; export default () => config", "db_password"),
                ("export default (u: string) => tgp.fetch(`${u}?api_key=9f8e7d6c5b4a`)", "api_key"),
                ("const K = `-----BEGIN RSA PRIVATE KEY-----\nMIIE`; export default () => K", "BEGIN"),
                ("// was sk_live_4eC39HqLyjWDarjtT1zdp7dc before\nexport default () => 1", "sk_live"),
                ("type K = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'; export default (k: K) => k", "ghp_"),
                ("const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc'; export default () => jwt", "eyJ"),
            ],
        );
    }
}
