//! Files of tests: which they are, and by what they are judged.

/// The word before the extension.
const TEST: &str = ".test";

/// What is asked of a test: that it is safe to run, and that nothing in it passes unseen. It holds data by its nature, and
/// is no tool that others call.
const RULES_OF_TESTS: [&str; 6] = [
    "no-dynamic-code",
    "no-forbidden-imports",
    "no-forbidden-globals",
    "no-ts-ignore",
    "no-secrets",
    "no-floating-promises",
];

/// Whether the file at this path is a test, such as `tools/a/b.test.ts`.
#[must_use]
pub fn is_test_file(path: &str) -> bool {
    tested_stem(path).is_some()
}

/// The path of what a test tests, without its extension: `tools/a/b` for `tools/a/b.test.ts`.
#[must_use]
pub fn tested_stem(path: &str) -> Option<&str> {
    let stem = path.rsplit_once('.')?.0.strip_suffix(TEST)?;
    (!stem.is_empty() && !stem.ends_with('/')).then_some(stem)
}

pub(super) fn is_asked_of_tests(rule: &str) -> bool {
    RULES_OF_TESTS.contains(&rule)
}

#[cfg(test)]
mod tests {
    use super::{RULES_OF_TESTS, is_test_file, tested_stem};
    use crate::rules::RULES;
    use crate::{Compiler, LintOptions};

    #[test]
    fn a_test_is_told_by_its_name() {
        assert_eq!(tested_stem("tools/a/b.test.ts"), Some("tools/a/b"));
        assert_eq!(tested_stem("tools/a.b.test.mjs"), Some("tools/a.b"));
        for other in ["tools/a.ts", "tools/test.ts", "tools/.test.ts", "tools/a.test", "tools/atest.ts", ""] {
            assert!(!is_test_file(other), "{other}");
        }
    }

    #[test]
    fn every_rule_that_tests_are_judged_by_exists() {
        for asked in RULES_OF_TESTS {
            assert!(RULES.iter().any(|rule| rule.id == asked), "{asked}");
        }
    }

    #[test]
    fn a_test_may_hold_data_and_export_nothing_but_lets_no_promise_go() {
        let text = "import { expect, test } from '@tgp/std/test';\nimport total from './total';\n\
                    test('adds', () => {\n  expect(total({ rows: [{ id: 4711, mail: 'a@example.com' }] })).toBe(4711);\n});\n";
        let check = |text: &str| {
            let options = LintOptions { allowed_imports: vec!["@tgp/std".to_owned()], ..LintOptions::default() };
            let found = Compiler::new().check("tools/total.test.ts", text, &options).diagnostics;
            found.into_iter().map(|found| found.rule).collect::<Vec<_>>()
        };
        assert!(check(text).is_empty(), "{:?}", check(text));
        assert_eq!(check("new Function('return 1')();\n"), ["no-dynamic-code"]);
    }
}
