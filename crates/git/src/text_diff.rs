//! How one file differs from another version of itself, without a repository: as `git diff --no-renames` shows it.

use super::git_error::GitError;
use git2::{DiffOptions, ObjectType, Oid, Patch};
use std::fmt::Write as _;

/// Longest diff of one file.
const MAX_DIFF_BYTES: usize = 256 << 10;
/// Digits of a hash that Git shows.
const SHORT: usize = 7;
const NOTHING: &str = "0000000";

/// The unified diff from `before` to `after`, each `None` where there is no file. Empty when nothing differs.
///
/// # Errors
/// `Git`.
pub fn text_diff(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Result<String, GitError> {
    if before == after {
        return Ok(String::new());
    }
    let failed = |error: git2::Error| GitError::git("compare two versions", &error);
    // As of two files in no repository, which have absolute paths.
    let below = path.trim_start_matches('/');
    let (old, new) = (quoted("a/", below), quoted("b/", below));
    let mut text = format!("diff --git {old} {new}\n");
    let ids = format!("{}..{}", short(before).map_err(failed)?, short(after).map_err(failed)?);
    // Writing to a text cannot fail.
    let _infallible = match (before, after) {
        (None, _) => writeln!(text, "new file mode 100644\nindex {ids}"),
        (_, None) => writeln!(text, "deleted file mode 100644\nindex {ids}"),
        (Some(_), Some(_)) => writeln!(text, "index {ids} 100644"),
    };
    let from = if before.is_some() { &old } else { "/dev/null" };
    let to = if after.is_some() { &new } else { "/dev/null" };
    let mut options = DiffOptions::new();
    let mut patch =
        Patch::from_buffers(before.unwrap_or_default(), None, after.unwrap_or_default(), None, Some(&mut options))
            .map_err(failed)?;
    if patch.delta().flags().is_binary() {
        let _infallible = writeln!(text, "Binary files {from} and {to} differ");
        return Ok(text);
    }
    if patch.num_hunks() > 0 {
        let _infallible = writeln!(text, "--- {from}\n+++ {to}");
    }
    let printed = patch.print(&mut |_, hunk, line| {
        // Without a hunk it is the heading, which is written above.
        if hunk.is_some() {
            if matches!(line.origin(), '+' | '-' | ' ') {
                text.push(line.origin());
            }
            text.push_str(&String::from_utf8_lossy(line.content()));
        }
        text.len() <= MAX_DIFF_BYTES
    });
    if text.len() > MAX_DIFF_BYTES {
        text.push_str("\n[the rest is cut off]\n");
        return Ok(text);
    }
    printed.map(|()| text).map_err(failed)
}

/// The beginning of the hash that a blob of this content has.
fn short(content: Option<&[u8]>) -> Result<String, git2::Error> {
    let Some(content) = content else { return Ok(NOTHING.to_owned()) };
    Ok(Oid::hash_object(ObjectType::Blob, content)?.to_string().chars().take(SHORT).collect())
}

/// A path as Git prints it: in quotes when it holds what is no plain letter.
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
    use super::{MAX_DIFF_BYTES, text_diff};

    fn diff(path: &str, before: Option<&str>, after: Option<&str>) -> String {
        text_diff(path, before.map(str::as_bytes), after.map(str::as_bytes)).unwrap()
    }

    #[test]
    fn files_that_come_go_and_change_look_as_git_shows_them() {
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
    fn what_is_no_text_or_no_plain_name_or_too_long_is_told_as_such() {
        assert!(diff("a.bin", Some("a\0b"), Some("a\0c")).ends_with("Binary files a/a.bin and b/a.bin differ\n"));
        assert!(diff("é.ts", None, Some("1")).starts_with("diff --git \"a/\\303\\251.ts\" \"b/\\303\\251.ts\"\n"));
        let long = diff("a.ts", None, Some(&"line\n".repeat(MAX_DIFF_BYTES)));
        assert!(long.len() < MAX_DIFF_BYTES + 100 && long.ends_with("[the rest is cut off]\n"));
    }
}
