//! Standard 8: a tool that neither exports nor has a result cannot be used by any caller.

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::entry::{Entry, first_span};
use crate::rule_context::rule_context::RuleContext;

pub(crate) const RULE: Rule =
    Rule { id: "must-export", standard: Some(8), severity: Severity::Error, guards: Guards::Quality, check };

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    if context.entry == Entry::Nothing {
        findings.add(
            first_span(context.module),
            "The file exports nothing, returns nothing and ends with no value, so no caller can use it",
            "Write `export default function (args: { … }) { return …; }`.",
        );
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
                "export default () => 1",
                "module.exports = () => 1",
                "exports.sum = (n: number[]) => n.length",
                "return args.n * 2",
                "if (args.n) { return 1 }",
                "export const helper = () => 1",
                "export type Row = { id: string }",
                "function main() { return 1 } export { main as default }",
                "const f = () => { return 1 }; f();",
                "args.n * 2; function unused() {}",
                "if (args.n) { 'many' } else { 'none' }",
                "import x from './x'; x(args);",
            ],
            &[
                ("function main() { return 1 }", "function main"),
                ("const f = () => { return 1 }; const g = f();", "const f"),
                ("const user = { get name() { return 'a' } };", "const user"),
                ("for (const n of args.n) { n * 2 }", "for"),
                ("console.log(args.n)", "console"),
                ("", "exports nothing"),
                ("import x from './x'; const y = x();", "import x"),
            ],
        );
    }
}
