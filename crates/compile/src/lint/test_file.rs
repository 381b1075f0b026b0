//! Test files: how they are recognised, and which rules apply to them.

/// The suffix before the extension.
const TEST: &str = ".test";

/// The import of the test functions.
pub const TEST_IMPORT: &str = "import { describe, test, expect } from '@tgp/std/test';";

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

pub(super) fn applies_to_tests(rule: &str) -> bool {
    TEST_RULES.contains(&rule)
}

#[cfg(test)]
mod tests {
    use super::{TEST_RULES, is_test_file, tested_stem};
    use crate::rules::RULES;
    use crate::{Compiler, LintOptions};

    #[test]
    fn a_test_file_is_recognised_by_its_name() {
        assert_eq!(tested_stem("tools/a/b.test.ts"), Some("tools/a/b"));
        assert_eq!(tested_stem("tools/a.b.test.mjs"), Some("tools/a.b"));
        for other in ["tools/a.ts", "tools/test.ts", "tools/.test.ts", "tools/a.test", "tools/atest.ts", ""] {
            assert!(!is_test_file(other), "{other}");
        }
    }

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
