//! Standard 2: a tool is used through what it returns. One that only logs or changes things gives its caller no
//! result.

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::entry::Entry;
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::function_facts::FunctionResult;

pub(crate) const RULE: Rule =
    Rule { id: "must-return", standard: Some(2), severity: Severity::Error, guards: Guards::Quality, check };

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    if let Entry::Function { span, facts } = context.entry
        && facts.result == FunctionResult::Nothing
    {
        findings.add(
            span,
            "The tool returns nothing",
            "Return what the caller needs to go on: the computed value, or for a change what was changed, such as `{ updated: rows.length }`. console.log is for traces only.",
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
                "export default (n: number) => n * 2",
                "export default function (n: number) { if (n < 0) throw new Error('negative'); return n }",
                "export default async (u: string) => { const r = await tgp.fetch(u); return r.json() }",
                "export default { a: 1 }",
                "export const log = (text: string) => { console.log(text) }",
                "function main(n: number) { return n } export default main",
                "module.exports = function (a: { n: number }) { return a.n }",
                "export default function* (n: number) { yield n }",
            ],
            &[
                ("export default function (n: number) { console.log(n) }", "export default function"),
                ("export default (n: number) => { n * 2 }", "n * 2"),
                ("export default (n: number) => console.log(n)", "console.log"),
                ("export default (n: number[]) => n.forEach((x) => x)", "forEach"),
                ("export default function (n: number[]) { n.map((x) => { return x }) }", "export default"),
                ("const main = async (n: number) => { await tgp.fetch(String(n)) }; export default main", "main"),
                ("function main() { return; } export { main as default }", "main"),
                ("module.exports = (n: number) => { const m = n; return undefined }", "module.exports"),
            ],
        );
    }
}
