//! Standard 5, as advice, and for functions an error if the check is strict: a tool is found again by its description. This is the JSDoc block before the default
//! export, or the one that begins the file.

use swc_core::common::Span;

use super::rule::{Findings, Guards, Rule};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::entry::{Entry, first_span};
use crate::rule_context::rule_context::RuleContext;

pub(crate) const RULE: Rule =
    Rule { id: "require-description", standard: Some(5), severity: Severity::Advice, guards: Guards::Quality, check };

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    let place: Span = match context.entry {
        Entry::Function { span, .. } | Entry::Value { span } => span,
        Entry::Script => first_span(context.module),
        Entry::Library | Entry::Nothing => return,
    };
    let documented = [context.doc_before(place), context.doc_of_file(first_span(context.module))]
        .into_iter()
        .flatten()
        .any(|text| !text.is_empty());
    if !documented {
        findings.add_advice(
            place,
            "The tool has no description",
            "Put `/** What it does, for whom, and what it returns. */` before the default export, with two or three lines `@when <a request that this tool answers>`: that is how the tool is found again.",
            matches!(context.entry, Entry::Function { .. }),
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
                "/** Doubles. */\nexport default (n: number) => n * 2",
                "/**\n * Doubles a number.\n * @param n what to double\n */\nexport default async function double(n: number) { return n * 2 }",
                "type A = { n: number };\n\n/** Doubles. */\nexport default function (a: A) { return a.n * 2 }",
                "/** Doubles. */\nconst double = (n: number) => n * 2;\nexport default double;",
                "/** Doubles. */\nreturn args.n * 2",
                "export const helper = 1",
            ],
            &[
                ("export default (n: number) => n * 2", "export default"),
                ("// Doubles.\nexport default (n: number) => n * 2", "export default"),
                ("/** @param n number */\nexport default (n: number) => n * 2", "export default"),
                ("const a = 1;\n/** Of the other one. */\nconst b = 2;\nexport default () => a + b", "export default"),
                ("return args.n * 2", "return"),
            ],
        );
    }
}
