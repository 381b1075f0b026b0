//! The unified diff of two versions of a file, without a repository, in the format of `git diff --no-renames`.

use super::git_error::GitError;
use super::patience_diff::add_hunks;
use git2::{DiffOptions, ObjectType, Oid, Patch};
use std::fmt::Write as _;

/// Maximum size of a diff.
const MAX_DIFF_BYTES: usize = 256 << 10;
/// Marks a truncated diff.
pub(crate) const TRUNCATED: &str = "\n[truncated]\n";
/// Total input for Git's diff algorithm, which is quadratic in the worst case.
const MAX_COMPARED_LINES: usize = 10_000;
const MAX_COMPARED_BYTES: usize = 8 << 20;
/// Bytes that Git searches for a NUL to detect binary files.
const BINARY_CHECK_BYTES: usize = 8_000;
/// Digits of an abbreviated hash.
const SHORT: usize = 7;
const NOTHING: &str = "0000000";

/// The remaining budget for Git's diff algorithm. Larger texts are compared by a patience diff, which is fast for any input
/// but finds fewer common lines.
#[derive(Debug)]
pub struct DiffEffort {
    lines: usize,
    bytes: usize,
}

impl Default for DiffEffort {
    fn default() -> Self {
        Self { lines: MAX_COMPARED_LINES, bytes: MAX_COMPARED_BYTES }
    }
}

impl DiffEffort {
    /// Charges two texts; `false` if the budget is exhausted.
    pub(crate) fn spend(&mut self, before: &[u8], after: &[u8]) -> bool {
        let lines = |text: &[u8]| 1 + text.iter().filter(|byte| **byte == b'\n').count();
        let left = self.lines.checked_sub(lines(before) + lines(after));
        let Some(left) = left.zip(self.bytes.checked_sub(before.len() + after.len())) else { return false };
        (self.lines, self.bytes) = left;
        true
    }
}

/// The unified diff from `before` to `after`; `None` is a missing file. Empty if they are equal.
///
/// # Errors
/// `Git`.
pub fn text_diff(
    path: &str,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    effort: &mut DiffEffort,
) -> Result<String, GitError> {
    if before == after {
        return Ok(String::new());
    }
    let failed = |error: git2::Error| GitError::git("compare two versions", &error);
    // Files outside a repository have absolute paths.
    let below = path.trim_start_matches('/');
    let (old, new) = (quoted("a/", below), quoted("b/", below));
    let mut text = format!("diff --git {old} {new}\n");
    let ids = format!("{}..{}", short(before).map_err(failed)?, short(after).map_err(failed)?);
    // Writing to a string cannot fail.
    let _infallible = match (before, after) {
        (None, _) => writeln!(text, "new file mode 100644\nindex {ids}"),
        (_, None) => writeln!(text, "deleted file mode 100644\nindex {ids}"),
        (Some(_), Some(_)) => writeln!(text, "index {ids} 100644"),
    };
    let from = if before.is_some() { &old } else { "/dev/null" };
    let to = if after.is_some() { &new } else { "/dev/null" };
    let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
    let has_zero = |content: &[u8]| content.iter().take(BINARY_CHECK_BYTES).any(|byte| *byte == 0);
    if has_zero(before) || has_zero(after) {
        let _infallible = writeln!(text, "Binary files {from} and {to} differ");
        return Ok(text);
    }
    let heading = format!("--- {from}\n+++ {to}\n");
    if effort.spend(before, after) {
        let mut patch =
            Patch::from_buffers(before, None, after, None, Some(&mut DiffOptions::new())).map_err(failed)?;
        if patch.num_hunks() > 0 {
            text.push_str(&heading);
        }
        add_patch(&mut text, &mut patch).map_err(failed)?;
    } else {
        text.push_str(&heading);
        add_hunks(&mut text, before, after, MAX_DIFF_BYTES);
    }
    cut_diff(&mut text);
    Ok(text)
}

/// Truncates a diff that is too long and adds a mark; returns whether it did.
pub(crate) fn cut_diff(text: &mut String) -> bool {
    let is_long = text.len() > MAX_DIFF_BYTES;
    if is_long {
        text.truncate(text.floor_char_boundary(MAX_DIFF_BYTES));
        text.push_str(TRUNCATED);
    }
    is_long
}

fn add_patch(text: &mut String, patch: &mut Patch<'_>) -> Result<(), git2::Error> {
    let printed = patch.print(&mut |_, hunk, line| {
        // Lines without a hunk are the header, which is written above.
        if hunk.is_some() {
            if matches!(line.origin(), '+' | '-' | ' ') {
                text.push(line.origin());
            }
            text.push_str(&String::from_utf8_lossy(line.content()));
        }
        text.len() <= MAX_DIFF_BYTES
    });
    // The callback stops at the size limit.
    if text.len() > MAX_DIFF_BYTES { Ok(()) } else { printed }
}

/// The abbreviated blob hash of the content.
fn short(content: Option<&[u8]>) -> Result<String, git2::Error> {
    let Some(content) = content else { return Ok(NOTHING.to_owned()) };
    Ok(Oid::hash_object(ObjectType::Blob, content)?.to_string().chars().take(SHORT).collect())
}

/// A path as Git prints it: quoted if it contains special characters.
fn quoted(side: &str, path: &str) -> String {
    let is_plain = |byte: u8| (b' '..0x7f).contains(&byte) && byte != b'"' && byte != b'\\';
    if path.bytes().all(is_plain) {
        return format!("{side}{path}");
    }
    let mut text = format!("\"{side}");
    for byte in path.bytes() {
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            b'\t' => text.push_str("\\t"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            _ if is_plain(byte) => text.push(char::from(byte)),
            _ => {
                let _infallible = write!(text, "\\{byte:03o}");
            }
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::{DiffEffort, MAX_COMPARED_LINES, MAX_DIFF_BYTES, text_diff};
    use std::fmt::Write as _;

    fn diff(path: &str, before: Option<&str>, after: Option<&str>) -> String {
        text_diff(path, before.map(str::as_bytes), after.map(str::as_bytes), &mut DiffEffort::default()).unwrap()
    }

    #[test]
    fn diffs_have_the_format_of_git() {
        assert_eq!(
            diff("a.ts", None, Some("1\n")),
            "diff --git a/a.ts b/a.ts\nnew file mode 100644\nindex 0000000..d00491f\n--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1 @@\n+1\n"
        );
        assert_eq!(
            diff("a.ts", Some("1\n"), Some("2")),
            "diff --git a/a.ts b/a.ts\nindex d00491f..d8263ee 100644\n--- a/a.ts\n+++ b/a.ts\n@@ -1 +1 @@\n-1\n+2\n\\ No newline at end of file\n"
        );
        assert!(diff("a.ts", Some("1\n"), None).contains("\n--- a/a.ts\n+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"));
        assert_eq!(diff("a.ts", Some("1"), Some("1")), "");
        assert_eq!(
            diff("a.ts", None, Some("")),
            "diff --git a/a.ts b/a.ts\nnew file mode 100644\nindex 0000000..e69de29\n"
        );
    }

    #[test]
    fn binary_files_special_names_and_long_diffs_are_marked() {
        assert!(diff("a.bin", Some("a\0b"), Some("a\0c")).ends_with("Binary files a/a.bin and b/a.bin differ\n"));
        assert!(diff("é.ts", None, Some("1")).starts_with("diff --git \"a/\\303\\251.ts\" \"b/\\303\\251.ts\"\n"));
        let long = diff("a.ts", None, Some(&"line\n".repeat(MAX_DIFF_BYTES)));
        assert!(long.len() < MAX_DIFF_BYTES + 100 && long.ends_with("[truncated]\n"));
        let one_line = diff("a.ts", None, Some(&"é".repeat(MAX_DIFF_BYTES)));
        assert!(one_line.len() < MAX_DIFF_BYTES + 100 && one_line.ends_with("[truncated]\n"));
        let lines = "line\n".repeat(MAX_COMPARED_LINES);
        let long_line = diff("a.ts", Some(&lines), Some(&"é".repeat(MAX_DIFF_BYTES)));
        assert!(long_line.len() < MAX_DIFF_BYTES + 100 && long_line.ends_with("[truncated]\n"));
    }

    #[test]
    fn a_long_text_with_few_changes_has_few_hunks() {
        let line = |at: usize| format!("\"key {at}\": {at},\n");
        let before: String = (0..MAX_COMPARED_LINES).map(line).collect();
        let after = before.replace("\"key 7\": 7", "\"key 7\": 8").replace(": 9990,", ": 0,");
        let shown = diff("data.json", Some(&before), Some(&after));
        assert_eq!(shown.matches("@@ -").count(), 2, "{shown}");
        assert_eq!(shown.lines().count(), 4 + 2 * 9, "{shown}");
    }

    #[test]
    fn adversarial_texts_are_not_compared_by_git() {
        // Random lines of few and many kinds.
        let text = |seed: u64, kinds: u64, lines: usize| {
            let mut state = seed;
            (0..lines).fold(String::new(), |mut text, _| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                let _infallible = writeln!(text, "{}", (state >> 33) % kinds);
                text
            })
        };
        for kinds in [2, 9, 500, 1 << 31] {
            for lines in [MAX_COMPARED_LINES / 2, 90_000] {
                let (before, after) = (text(1, kinds, lines), text(2, kinds, lines));
                let is_left_to_git = DiffEffort::default().spend(before.as_bytes(), after.as_bytes());
                assert!(!is_left_to_git, "Git takes minutes for {lines} lines of {kinds} kinds");
                assert!(diff("a.txt", Some(&before), Some(&after)).len() > 1_000);
                let turned: String = before.lines().rev().fold(String::new(), |text, line| text + line + "\n");
                assert!(diff("a.txt", Some(&before), Some(&turned)).len() > 1_000);
            }
        }
    }

    #[test]
    fn many_files_share_one_budget() {
        let mut effort = DiffEffort::default();
        let text = "a\nb\n".repeat(MAX_COMPARED_LINES / 8);
        let turned = "b\na\n".repeat(MAX_COMPARED_LINES / 8);
        let mut shown =
            |turned: &str| text_diff("a", Some(text.as_bytes()), Some(turned.as_bytes()), &mut effort).unwrap();
        let (first, _, third) = (shown(&turned), shown(&turned), shown(&turned));
        assert_ne!(first, third, "the third uses the patience diff");
    }
}
