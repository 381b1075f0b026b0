//! Test files: how they are recognised, and what they import.

/// The suffix before the extension.
const TEST: &str = ".test";

/// The import of the test functions.
pub const TEST_IMPORT: &str = "import { describe, test, expect } from '@tgp/std/test';";

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

#[cfg(test)]
mod tests {
    use super::{is_test_file, tested_stem};

    #[test]
    fn a_test_file_is_recognised_by_its_name() {
        assert_eq!(tested_stem("tools/a/b.test.ts"), Some("tools/a/b"));
        assert_eq!(tested_stem("tools/a.b.test.mjs"), Some("tools/a.b"));
        for other in ["tools/a.ts", "tools/test.ts", "tools/.test.ts", "tools/a.test", "tools/atest.ts", ""] {
            assert!(!is_test_file(other), "{other}");
        }
    }
}
