//! The rules that apply to tests.

/// Rules that apply to tests: those for safety and for errors that would go unnoticed. A test contains data by nature and is
/// not called by other tools.
const TEST_RULES: [&str; 6] = [
    "no-dynamic-code",
    "no-forbidden-imports",
    "no-forbidden-globals",
    "no-ts-ignore",
    "no-secrets",
    "no-floating-promises",
];

pub(super) fn applies_to_tests(rule: &str) -> bool {
    TEST_RULES.contains(&rule)
}

#[cfg(test)]
mod tests {
    use super::TEST_RULES;
    use crate::rules::RULES;
    use crate::{Compiler, LintOptions};

    #[test]
    fn every_test_rule_exists() {
        for id in TEST_RULES {
            assert!(RULES.iter().any(|rule| rule.id == id), "{id}");
        }
    }

    #[test]
    fn data_and_missing_exports_are_accepted_in_tests_but_dynamic_code_is_not() {
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
