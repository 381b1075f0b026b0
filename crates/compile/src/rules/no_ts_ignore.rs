//! `@ts-ignore` and its relatives hide the findings of the type checker.

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::rule_context::RuleContext;

pub(crate) const RULE: Rule =
    Rule { id: "no-ts-ignore", standard: None, severity: Severity::Error, guards: Guards::Quality, check };

const DIRECTIVES: [&str; 3] = ["@ts-ignore", "@ts-nocheck", "@ts-expect-error"];

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    for comment in &context.comments {
        let text = comment.text.trim_start_matches(['*', '/', ' ', '\t', '\n', '\r']);
        if let Some(directive) = DIRECTIVES.iter().find(|directive| text.starts_with(**directive)) {
            findings.add(
                comment.span,
                format!("'{directive}' is prohibited"),
                "Fix the type error instead: narrow the value, or declare the shape that you expect. If it must stay, write `// tgp-ignore types: reason` above the line.",
            );
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
            &["// talks about @ts-ignore only\nexport default () => 1", "export default () => '// @ts-ignore'"],
            &[
                ("// @ts-ignore\nexport default () => 1", "@ts-ignore"),
                ("// @ts-nocheck\nexport default () => 1", "@ts-nocheck"),
                ("export default () => {\n  /* @ts-expect-error it works */\n  return 1;\n}", "@ts-expect-error"),
            ],
        );
    }
}
