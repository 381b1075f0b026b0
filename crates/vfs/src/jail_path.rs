//! A validated path below a root. All parts use this type for paths of a guest or an agent.

use super::portable_name;
use super::vfs_error::{VfsError, Violation};
use std::fmt;

const MAX_PATH_BYTES: usize = 1024;

/// A path below some root: relative, POSIX, normalised, never `..`, portable between systems.
///
/// Parsing alone does not protect the root (a symlink can still stand in the way); it makes every accepted path mean
/// the same file on every system. The empty path is the root itself.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JailPath(String);

impl JailPath {
    /// # Errors
    /// `SecurityViolation` for a path that tries to leave (`..`, absolute, drive, backslash, NUL), `BadPath` for one
    /// that could not be the same file on every system.
    pub fn parse(text: &str) -> Result<Self, VfsError> {
        let mut path = String::with_capacity(text.len().min(MAX_PATH_BYTES));
        if let Some(violation) = escape_attempt(text) {
            return Err(VfsError::violation(text, violation));
        }
        if text.len() > MAX_PATH_BYTES {
            return Err(VfsError::bad_path(text, "is longer than 1024 bytes; shorten it"));
        }
        for segment in text.split('/').filter(|segment| !matches!(*segment, "" | ".")) {
            if let Some(reason) = portable_name::invalid_reason(segment) {
                return Err(VfsError::bad_path(text, reason));
            }
            if !path.is_empty() {
                path.push('/');
            }
            path.push_str(segment);
        }
        Ok(Self(path))
    }

    /// The root itself.
    #[must_use]
    pub const fn root() -> Self {
        Self(String::new())
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The directory that holds this path; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        match self.0.rsplit_once('/') {
            Some((parent, _)) => Some(Self(parent.to_owned())),
            None if self.is_root() => None,
            None => Some(Self::root()),
        }
    }

    /// The last segment; `None` for the root.
    #[must_use]
    pub fn file_name(&self) -> Option<&str> {
        self.segments().next_back()
    }

    /// What follows the last dot of the file name; a leading dot starts a name, not an extension.
    #[must_use]
    pub fn extension(&self) -> Option<&str> {
        self.file_name()?.rsplit_once('.').and_then(|(stem, extension)| (!stem.is_empty()).then_some(extension))
    }

    /// Appends a relative path.
    ///
    /// # Errors
    /// As [`JailPath::parse`].
    pub fn join(&self, relative: &str) -> Result<Self, VfsError> {
        if let Some(violation) = escape_attempt(relative) {
            return Err(VfsError::violation(relative, violation));
        }
        Self::parse(&format!("{}/{relative}", if self.is_root() { "." } else { &self.0 }))
    }

    /// Whether this is `dir` or lies below it, segment by segment: `toolsmith/a` does not start with `tools`.
    #[must_use]
    pub fn starts_with(&self, dir: &str) -> bool {
        let mut own = self.segments();
        dir.split('/').filter(|segment| !matches!(*segment, "" | ".")).all(|segment| own.next() == Some(segment))
    }

    /// Whether any segment is a `.git`, in any spelling that a file system accepts.
    #[must_use]
    pub fn is_git(&self) -> bool {
        self.segments().any(portable_name::is_git)
    }

    /// The names from the root down.
    pub fn segments(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('/').filter(|segment| !segment.is_empty())
    }

    /// # Errors
    /// `SecurityViolation` when [`JailPath::is_git`].
    pub(super) fn refuse_git(&self) -> Result<(), VfsError> {
        if self.is_git() { Err(VfsError::violation(&self.0, Violation::Git)) } else { Ok(()) }
    }
}

impl fmt::Display for JailPath {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

fn escape_attempt(text: &str) -> Option<Violation> {
    let mut chars = text.chars();
    let is_drive = matches!((chars.next(), chars.next()), (Some('a'..='z' | 'A'..='Z'), Some(':')));
    if text.contains('\0') {
        Some(Violation::Nul)
    } else if text.contains('\\') {
        Some(Violation::Backslash)
    } else if text.starts_with('/') || is_drive {
        Some(Violation::Absolute)
    } else if text.split('/').any(|segment| segment == "..") {
        Some(Violation::LeavesRoot)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::JailPath;
    use tgp_base::error::{ErrorCode, PartError};

    fn path(text: &str) -> JailPath {
        JailPath::parse(text).unwrap()
    }

    #[test]
    fn paths_are_normalised() {
        for (text, expected) in [
            ("a/b.ts", "a/b.ts"),
            ("./a//b/./c/", "a/b/c"),
            ("", ""),
            (".", ""),
            ("./", ""),
            ("a/..b/c..d", "a/..b/c..d"),
        ] {
            assert_eq!(path(text).as_str(), expected, "{text}");
        }
        assert!(path("./.").is_root());
    }

    #[test]
    fn attempts_to_leave_are_security_violations() {
        for text in [
            "..",
            "../a",
            "a/../../b",
            "a/../b",
            "a/..",
            "/",
            "/etc/passwd",
            "//server/share",
            "\\\\server\\share",
            "..\\a",
            "a\\..\\..\\b",
            "C:\\x",
            "C:/x",
            "c:x",
            "a\0b",
            "\0",
            "./../a",
            "a//../..",
        ] {
            let error = JailPath::parse(text).unwrap_err();
            assert_eq!(error.code(), ErrorCode::SecurityViolation, "{text}");
            assert_eq!(path("tools").join(text).unwrap_err().code(), ErrorCode::SecurityViolation, "{text}");
        }
    }

    #[test]
    fn unportable_names_are_validation_errors() {
        let (long, deep) = ("x".repeat(300), "a/".repeat(600));
        for text in ["a./b", "a /b", "...", "nul", "a/COM1.txt", "ab:c", "a\nb", ".tgp-tmp-1", &long, &deep] {
            assert_eq!(JailPath::parse(text).unwrap_err().code(), ErrorCode::Validation, "{text}");
        }
    }

    #[test]
    fn percent_encoded_dots_are_not_decoded() {
        assert_eq!(path("%2e%2e/a").as_str(), "%2e%2e/a");
    }

    #[test]
    fn parent_file_name_and_extension() {
        let file = path("tools/lib/x.test.ts");
        assert_eq!(file.parent(), Some(path("tools/lib")));
        assert_eq!(file.file_name(), Some("x.test.ts"));
        assert_eq!(file.extension(), Some("ts"));
        assert_eq!(path("a").parent(), Some(JailPath::root()));
        assert_eq!(JailPath::root().parent(), None);
        assert_eq!(JailPath::root().file_name(), None);
        assert_eq!(path(".env").extension(), None);
        assert_eq!(path("a/Makefile").extension(), None);
    }

    #[test]
    fn join_stays_below() {
        assert_eq!(path("a").join("./b//c").unwrap(), path("a/b/c"));
        assert_eq!(JailPath::root().join("b").unwrap(), path("b"));
        assert_eq!(path("a").join("").unwrap(), path("a"));
    }

    #[test]
    fn prefixes_count_by_segment() {
        let file = path("tools/a/b.ts");
        for dir in ["", ".", "tools", "tools/", "./tools/a", "tools/a/b.ts"] {
            assert!(file.starts_with(dir), "{dir}");
        }
        for dir in ["tool", "tools/a/b", "a", "tools/a/b.ts/c", ".."] {
            assert!(!file.starts_with(dir), "{dir}");
        }
        assert!(!path("toolsmith/a").starts_with("tools"));
    }

    #[test]
    fn git_is_detected_at_any_depth() {
        for text in [".git", ".git/config", "a/.GIT/hooks/x", "git~1/x", "sub/.git"] {
            assert!(path(text).is_git(), "{text}");
        }
        for text in [".gitignore", "a/.github/x", "git/x"] {
            assert!(!path(text).is_git(), "{text}");
        }
    }
}
