//! A file with named exports alone is a library: other files import it, but it cannot be run.

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::entry::{Entry, first_span};
use crate::rule_context::rule_context::RuleContext;

pub(crate) const RULE: Rule =
    Rule { id: "no-default-export", standard: None, severity: Severity::Warning, guards: Guards::Quality, check };

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    if context.entry == Entry::Library {
        findings.add(
            first_span(context.module),
            "The file has no default export: other tools can import it, and exec_tool cannot run it",
            "Leave it so if it is a library. To make it a tool, write `export default function (args: { … }) { return …; }`.",
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
                "export const unit = 1; export default () => unit",
                "module.exports = () => 1",
                "exports.default = () => 1",
                "return args.n * 2",
                "args.n * 2",
                "const nothing = 1",
                "export { default } from './x'",
            ],
            &[
                ("export const helper = () => 1", "no default export"),
                ("export function helper() { return 1 }", "no default export"),
                ("export type Row = { id: string }", "no default export"),
                ("export * from './x'", "no default export"),
                ("exports.sum = (n: number[]) => n.length", "no default export"),
            ],
        );
    }
}
