//! Runs one rule over sources that must pass and sources that must fail.

use swc_core::common::comments::SingleThreadedComments;

use super::rule::{Finding, Rule};
use crate::parse::language::Language;
use crate::parse::parser::parse;
use crate::rule_context::entry::Entry;
use crate::rule_context::rule_context::RuleContext;
use crate::syntax::comments::sorted_comments;
use crate::syntax::resolve::resolve;

/// Minimum stack of a test thread.
const TEST_STACK: usize = 1 << 20;

/// `fail` has pairs of a source and a fragment of the text marked by the first finding, or of its message.
pub(crate) fn check(rule: &Rule, pass: &[&str], fail: &[(&str, &str)]) {
    for source in pass {
        let found = run(rule, source);
        assert!(found.is_empty(), "{} must accept:\n{source}\n{:?}", rule.id, found[0].1.message);
    }
    for (source, mark) in fail {
        let found = run(rule, source);
        assert!(!found.is_empty(), "{} must refuse:\n{source}", rule.id);
        let (text, finding) = &found[0];
        assert!(
            text.contains(mark) || finding.message.contains(mark),
            "{} marks {text:?} ({}) and not {mark:?} in:\n{source}",
            rule.id,
            finding.message
        );
        assert!(!finding.help.is_empty());
    }
}

pub(crate) fn run(rule: &Rule, source: &str) -> Vec<(String, Finding)> {
    let comments = SingleThreadedComments::default();
    let parsed = parse(source, Language::TypeScript, TEST_STACK, Some(&comments));
    let module = parsed.unwrap_or_else(|failure| panic!("{failure:?}\n{source}")).module;
    let (module, names) = resolve(module, source, Language::TypeScript);
    let context = RuleContext {
        path: "tools/deep/tool.ts",
        source,
        module: &module,
        names: &names,
        entry: Entry::of(&module, &names),
        comments: sorted_comments(comments),
        allowed_imports: &["zod".to_owned(), "@scope/kit".to_owned()],
    };
    let found = rule.findings(&context);
    found.into_iter().map(|finding| (context.text(finding.span).unwrap_or_default().to_owned(), finding)).collect()
}
