//! Standard 8: a tool is called with one object. One that expects more gets `undefined`, and its answer is wrong without
//! an error.

use super::rule::{Findings, Guards, Rule};
use crate::describe::entry_function::{Entry, entry_of};
use crate::diagnostics::diagnostic::Severity;
use crate::rule_context::rule_context::RuleContext;
use swc_core::common::Spanned;
use swc_core::ecma::ast::Pat;

/// The name of this rule.
pub const ONE_ARGUMENT: &str = "one-argument";

pub(crate) const RULE: Rule =
    Rule { id: ONE_ARGUMENT, standard: Some(8), severity: Severity::Error, guards: Guards::Quality, check };

/// Maximum number of parameters shown in a message.
const MAX_SHOWN: usize = 8;
/// Maximum length of a parameter shown in a message.
const MAX_SHOWN_BYTES: usize = 80;

fn check(context: &RuleContext<'_>, findings: &mut Findings) {
    let entry = entry_of(context.module);
    let is_positional = entry.is_positional();
    let Entry::Function { parameters, .. } = entry else { return };
    let Some(first) = parameters.first() else { return };
    let message = if is_positional {
        "The tool waits for more than one argument, and is called with one object: the others are undefined"
    } else if matches!(first, Pat::Rest(_)) {
        "The tool collects its arguments in a list, and is called with one object: the list contains only that"
    } else {
        return;
    };
    let span = first.span().with_hi(parameters.last().map_or(first.span().hi, |last| last.span().hi));
    let fields: Vec<String> = parameters.iter().take(MAX_SHOWN).map(|pattern| field(context, pattern)).collect();
    let more = if parameters.len() > MAX_SHOWN { "; …" } else { "" };
    findings.add(
        span,
        message,
        format!(
            "A tool takes one object: `(args: {{ {}{more} }})`. Its callers pass the values by name.",
            fields.join("; ")
        ),
    );
}

/// A parameter as a member of the argument object.
fn field(context: &RuleContext<'_>, pattern: &Pat) -> String {
    let text = |pattern: &Pat| {
        let text = context.text(pattern.span()).map(|text| text.trim_start_matches("...").trim().to_owned());
        text.filter(|text| text.len() <= MAX_SHOWN_BYTES && !text.contains('\n'))
    };
    let shown = match pattern {
        Pat::Ident(name) if name.type_ann.is_none() => Some(format!("{}: …", name.id.sym)),
        Pat::Ident(_) | Pat::Rest(_) => text(pattern),
        Pat::Assign(assign) => match &*assign.left {
            Pat::Ident(name) if name.type_ann.is_none() => Some(format!("{}?: …", name.id.sym)),
            Pat::Ident(name) => {
                text(&assign.left).map(|text| text.replacen(&*name.id.sym, &format!("{}?", name.id.sym), 1))
            }
            _ => None,
        },
        Pat::Array(_) | Pat::Object(_) | Pat::Invalid(_) | Pat::Expr(_) => None,
    };
    shown.unwrap_or_else(|| "…".to_owned())
}

#[cfg(test)]
mod tests {
    use super::RULE;
    use crate::rules::table::{check, run};

    #[test]
    fn table() {
        check(
            &RULE,
            &[
                "export default () => 1",
                "export default (args: { a: number }) => args.a",
                "export default ({ a, b }: { a: number; b: number }) => a + b",
                "export default function (n: number) { return n }",
                "export default function (this: void, n: number) { return n }",
                "export default (args: { a: number }, more?: string) => args.a",
                "export default (args: { a: number }, { deep } = { deep: 1 }) => args.a",
                "export default (args: { a: number }, ...rest: string[]) => args.a",
                "export const add = (a: number, b: number) => a + b",
                "export default { a: 1 }",
                "return args.n * 2",
                "export { default } from './other'",
            ],
            &[
                ("export default function add(a: number, b: number) { return a + b }", "a: number, b: number"),
                ("export default (a: number, b: number) => a + b", "a: number, b: number"),
                ("export default async (a, b) => a + b", "a, b"),
                ("const add = (a: number, b: number) => a + b; export default add", "a: number, b: number"),
                ("function add(a: number, b: number) { return a + b } export { add as default }", "more than one"),
                ("module.exports = (a, b) => a + b", "a, b"),
                ("export default (a: number, c = 1, b: number) => a + b + c", "c = 1"),
                ("export default (args: { a: number }, { deep }: { deep: number }) => args.a + deep", "deep"),
                ("export default (...values: number[]) => values.length", "in a list"),
            ],
        );
    }

    #[test]
    fn the_help_shows_the_argument_object() {
        for (source, written) in [
            ("export default (a: number, b: number) => a + b", "(args: { a: number; b: number })"),
            ("export default (a, b) => a + b", "(args: { a: …; b: … })"),
            (
                "export default (a: number, c: number = 1, b: string) => a",
                "(args: { a: number; c?: number; b: string })",
            ),
            ("export default (...values: number[]) => values.length", "(args: { values: number[] })"),
        ] {
            let found = run(&RULE, source);
            assert!(found[0].1.help.contains(written), "{}", found[0].1.help);
        }
    }
}
