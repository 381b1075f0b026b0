//! Standard 7: an address in the source sends every later run to the person of the first one.

use std::sync::LazyLock;

use regex::Regex;

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::rule_context::RuleContext;
use crate::rule_context::string_literals::each_text;

pub(crate) const RULE: Rule =
    Rule { id: "no-emails", standard: Some(7), severity: Severity::Error, guards: Guards::Quality, check };

static EMAIL: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?-u)\b[A-Za-z0-9][A-Za-z0-9._%+-]{0,63}@[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,8}[A-Za-z]{2,24}\b")
        .ok()
});

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    each_text(context.module, |text, span| {
        // `https://user@host` is an address of another kind, which `no-secrets` looks at.
        if text.contains('@')
            && !text.contains("://")
            && let Some(found) = EMAIL.as_ref().and_then(|pattern| pattern.find(text))
        {
            findings.add(
                span,
                format!("Hardcoded email address detected: '{}'", found.as_str()),
                "Take it as an argument, such as `args.email`, or look it up with tgp.exec_sql and a parameter.",
            );
        }
    });
}

#[cfg(test)]
mod tests {
    use super::{EMAIL, RULE};
    use crate::rules::table::check;

    #[test]
    fn table() {
        assert!(EMAIL.is_some());
        check(
            &RULE,
            &[
                "export default (a: { email: string }) => a.email.includes('@')",
                "export default (e: string) => /^[^@]+@[^@]+\\.[a-z]+$/.test(e)",
                "import x from '@scope/kit'; export default () => x",
                "export default (user: string, host: string) => `${user}@${host}`",
                "// bob@example.com\nexport default () => 1",
            ],
            &[
                ("export default () => 'bob@example.com'", "bob@example.com"),
                (
                    "export default () => tgp.exec_sql(\"SELECT * FROM users WHERE email = 'ann.lee@corp.co.uk'\")",
                    "ann.lee@corp.co.uk",
                ),
                ("export default (n: string) => `Dear ${n}, write to help@shop.io`", "help@shop.io"),
                ("const TO = ['a@b.de']; export default () => TO", "a@b.de"),
            ],
        );
    }
}
