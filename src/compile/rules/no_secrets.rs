//! Standard 7: a key, password or token in the source is in Git for ever.

use std::sync::LazyLock;

use regex::{Regex, RegexSet};
use swc_core::common::Span;
use swc_core::ecma::ast::{AssignExpr, AssignTarget, Expr, KeyValueProp, Pat, SimpleAssignTarget, VarDeclarator};
use swc_core::ecma::visit::{Visit, VisitWith, noop_visit_type};

use super::rule::{Findings, Guards, Rule};
use crate::compile::diagnostics::diagnostic::Severity;
use crate::compile::subject::subject::Subject;
use crate::compile::subject::texts::each_text;
use crate::compile::subject::words::words_of;
use crate::compile::syntax::expr::{key_name, member_name, text_of};

pub(in crate::compile) const RULE: Rule =
    Rule { id: "no-secrets", standard: Some(7), severity: Severity::Error, guards: Guards::Quality, check };

const HELP: &str = "Remove it, and treat it as leaked. Take it as an argument, or let the host call the service: what a tool needs to reach is configured outside of it.";

const DETECTED: &str = "Potential hardcoded ID or Secret detected";

static TOKENS: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
    RegexSet::new([
        r"(?-u)\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
        r"(?-u)\b[sprw]k_(?:live|test)_[A-Za-z0-9]{8,}",
        r"(?-u)\bsk-(?:[a-z]+-)*[A-Za-z0-9_-]{16,}",
        r"(?-u)\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}",
        r"(?-u)\bgithub_pat_[A-Za-z0-9_]{20,}",
        r"(?-u)\bglpat-[A-Za-z0-9_-]{16,}",
        r"(?-u)\bxox[abposr]-[A-Za-z0-9-]{10,}",
        r"(?-u)\bAIza[A-Za-z0-9_-]{30,}",
        r"(?-u)\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
        r"(?-u)\bnpm_[A-Za-z0-9]{30,}",
        r"(?-u)\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        r"(?-u)-----BEGIN [A-Z ]*PRIVATE KEY-----",
        r"(?-u)\bhooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/",
        r"(?i-u)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}",
        r"[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/:@{}$]+@",
        r"(?i-u)[?&](?:api_?key|access_?token|token|secret|password)=[A-Za-z0-9._~-]{8,}",
    ])
    .ok()
});

/// Names of things that must stay unknown.
static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^| )(?:password|passwd|pwd|secret|passphrase|credential|credentials)(?: |$)|(?:api|access|auth|private|secret|signing|encryption|session|bearer|refresh|bot|service) ?(?:key|token)|^token$|^apikey$|^authorization$").ok()
});

/// Texts that name a place for a secret, and are none.
const PLACEHOLDERS: [&str; 8] = ["string", "password", "secret", "token", "none", "required", "bearer", "basic"];

fn check(subject: &Subject<'_>, findings: &mut Findings) {
    each_text(subject.module, |text, span| {
        if is_token(text) {
            findings.add(span, DETECTED, HELP);
        }
    });
    subject.module.visit_with(&mut Named { findings });
}

/// Whether a text is a secret whatever it is called; those are found by themselves.
fn is_token(text: &str) -> bool {
    text.len() >= 12 && TOKENS.as_ref().is_some_and(|tokens| tokens.is_match(text))
}

struct Named<'a> {
    findings: &'a mut Findings,
}

impl Named<'_> {
    fn judge(&mut self, name: &str, value: &Expr, span: Span) {
        let Some(text) = text_of(value) else { return };
        let words = words_of(name).join(" ");
        let is_secret = NAMES.as_ref().is_some_and(|names| names.is_match(&words));
        if is_secret && looks_secret(&text) && !is_token(&text) {
            self.findings.add(span, format!("{DETECTED} in '{name}'"), HELP);
        }
    }
}

/// Not empty, not a word that describes, not the name of a column or header.
fn looks_secret(text: &str) -> bool {
    let lower = text.to_lowercase();
    let has_digit = text.chars().any(|letter| letter.is_ascii_digit());
    let has_symbol = text.chars().any(|letter| !letter.is_alphanumeric() && !matches!(letter, '_' | '-' | ' ' | '.'));
    text.len() >= 6
        && !text.contains(' ')
        && !PLACEHOLDERS.contains(&lower.as_str())
        && (has_digit
            || has_symbol
            || text.chars().any(char::is_uppercase) && text.chars().any(char::is_lowercase)
            || text.len() >= 8 && !text.contains(['_', '-', '.']))
}

impl Visit for Named<'_> {
    noop_visit_type!();

    fn visit_var_declarator(&mut self, node: &VarDeclarator) {
        if let (Pat::Ident(name), Some(value)) = (&node.name, &node.init) {
            self.judge(&name.id.sym, value, node.span);
        }
        node.visit_children_with(self);
    }

    fn visit_key_value_prop(&mut self, node: &KeyValueProp) {
        use swc_core::common::Spanned;
        if let Some(name) = key_name(&node.key) {
            self.judge(&name, &node.value, node.span());
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
                self.judge(&name, &node.right, node.span);
            }
        }
        node.visit_children_with(self);
    }
}

#[cfg(test)]
mod tests {
    use super::{NAMES, RULE, TOKENS};
    use crate::compile::rules::table::check;

    #[test]
    fn table() {
        assert!(TOKENS.is_some() && NAMES.is_some());
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
                ("const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc'; export default () => jwt", "eyJ"),
            ],
        );
    }
}
