//! Errors of file operations.

use std::{fmt, io};
use tgp_base::error::{Details, ErrorCode, PartError};

/// Longest part of a caller's path in a message.
const MAX_SHOWN_CHARS: usize = 200;

#[derive(Debug, thiserror::Error)]
pub enum VfsError {
    #[error("Security Violation: {}", violation.of(path))]
    SecurityViolation { path: String, violation: Violation },
    #[error("File not found: {path}. Use list_files to see the existing files.")]
    NotFound { path: String },
    #[error("'{path}' is not a regular file. Use the path of a file")]
    NotAFile { path: String },
    #[error("A parent of '{path}' is a file, not a directory. Choose another path")]
    NotADirectory { path: String },
    #[error("The path '{path}' {reason}")]
    BadPath { path: String, reason: &'static str },
    #[error("'{path}' is larger than the limit of {limit} bytes for one file. Split it into smaller files")]
    TooLarge { path: String, limit: usize },
    #[error("'{path}' is not UTF-8 text. Use the path of a text file; other files cannot be read")]
    NotText { path: String },
    #[error(
        "Security Violation: Write access denied for '{path}'. Allowed directories: {writable}. Write there, or return the data"
    )]
    ReadOnly { path: String, writable: String },
    #[error("'{path}' was not written: {room} at most {limit} {what}. {}", room.advice())]
    Quota { path: String, room: QuotaScope, what: &'static str, limit: u64 },
    #[error("Could not {action} '{path}': {source}")]
    Io { action: &'static str, path: String, source: io::Error },
}

/// What a quota applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuotaScope {
    Scratch,
    Root,
    /// Writes of one run to allowed folders.
    Run,
}

impl QuotaScope {
    fn advice(self) -> &'static str {
        match self {
            Self::Scratch => "Write less, or return the data",
            Self::Root => "Remove or merge files that are not needed (fs.rootBytes, fs.rootFiles)",
            Self::Run => "Write less in one run (sandbox.writeBytes, sandbox.writeFiles)",
        }
    }
}

impl fmt::Display for QuotaScope {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Scratch => "the scratch folder of a run holds",
            Self::Root => "the root may hold",
            Self::Run => "one run may write to allowed folders",
        })
    }
}

/// The jail rule that a path violates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Violation {
    /// `..`, or a symlink whose target lies outside.
    LeavesRoot,
    Absolute,
    Nul,
    Backslash,
    Git,
    Symlink,
    HardLink,
    Application,
    Root,
}

impl Violation {
    /// The message for `path`: the reason and the fix.
    fn of(self, path: &str) -> String {
        let why = match self {
            Self::LeavesRoot => {
                return format!(
                    "Path '{path}' is outside the sandbox root. Use a path inside it, such as 'tools/a.ts', without '..' and without symbolic links to the outside."
                );
            }
            Self::Absolute => {
                return format!(
                    "Path '{path}' is outside the sandbox root: it is absolute. Use a path relative to the root, such as 'tools/a.ts'."
                );
            }
            Self::Nul => "contains a NUL character; remove it",
            Self::Backslash => "contains a backslash; separate directories with '/'",
            Self::Git => "belongs to the Git repository; use a path outside '.git'",
            Self::Symlink => "contains a symbolic link that must not be followed; use the path of the real file",
            Self::HardLink => {
                "has several hard links and may be shared with a file outside the root; replace it with a copy"
            }
            Self::Root => {
                "belongs to the root, which is not accessible through this folder; read it by its path in the root, and change tools with write_file"
            }
            Self::Application => {
                "has a name reserved for files of an application, which may be executed; choose another name"
            }
        };
        format!("'{path}' {why}")
    }
}

impl VfsError {
    /// Whether the process or the machine is out of file descriptors or memory, so that the file itself may be intact.
    #[must_use]
    pub fn is_exhaustion(&self) -> bool {
        // The same numbers on all Unix systems.
        const ENFILE: i32 = 23;
        const EMFILE: i32 = 24;
        let Self::Io { source, .. } = self else { return false };
        source.kind() == io::ErrorKind::OutOfMemory
            || cfg!(unix) && matches!(source.raw_os_error(), Some(ENFILE | EMFILE))
    }

    pub(super) fn violation(path: &str, violation: Violation) -> Self {
        Self::SecurityViolation { path: printable(path), violation }
    }

    pub(super) fn bad_path(path: &str, reason: &'static str) -> Self {
        Self::BadPath { path: printable(path), reason }
    }

    pub(super) fn not_found(path: &str) -> Self {
        Self::NotFound { path: printable(path) }
    }

    pub(super) fn not_a_file(path: &str) -> Self {
        Self::NotAFile { path: printable(path) }
    }

    pub(super) fn not_a_directory(path: &str) -> Self {
        Self::NotADirectory { path: printable(path) }
    }

    pub(super) fn too_large(path: &str, limit: usize) -> Self {
        Self::TooLarge { path: printable(path), limit }
    }

    pub(super) fn not_text(path: &str) -> Self {
        Self::NotText { path: printable(path) }
    }

    pub(super) fn read_only(path: &str, writable: &str) -> Self {
        Self::ReadOnly { path: printable(path), writable: writable.to_owned() }
    }

    pub(super) fn quota(path: &str, room: QuotaScope, what: &'static str, limit: u64) -> Self {
        Self::Quota { path: printable(path), room, what, limit }
    }

    pub(super) fn io(action: &'static str, path: &str, source: io::Error) -> Self {
        Self::Io { action, path: printable(path), source }
    }

    fn path(&self) -> &str {
        match self {
            Self::SecurityViolation { path, .. }
            | Self::NotFound { path }
            | Self::NotAFile { path }
            | Self::NotADirectory { path }
            | Self::BadPath { path, .. }
            | Self::TooLarge { path, .. }
            | Self::NotText { path }
            | Self::ReadOnly { path, .. }
            | Self::Quota { path, .. }
            | Self::Io { path, .. } => path,
        }
    }
}

impl PartError for VfsError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::SecurityViolation { .. } | Self::ReadOnly { .. } => ErrorCode::SecurityViolation,
            Self::NotFound { .. } => ErrorCode::NotFound,
            Self::NotAFile { .. } | Self::NotADirectory { .. } | Self::BadPath { .. } | Self::NotText { .. } => {
                ErrorCode::Validation
            }
            Self::TooLarge { .. } | Self::Quota { .. } => ErrorCode::Limit,
            Self::Io { .. } => ErrorCode::Io,
        }
    }

    fn details(&self) -> Details {
        Details::from_iter([("path".to_owned(), self.path().into())])
    }
}

/// Makes a caller's path safe to print: no control characters, bounded length.
fn printable(path: &str) -> String {
    path.chars().take(MAX_SHOWN_CHARS).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{VfsError, Violation};
    use tgp_base::error::{Error, ErrorCode, PartError};

    #[test]
    fn a_violation_message_starts_with_security_violation() {
        let error = Error::from(VfsError::violation("../x", Violation::LeavesRoot));
        assert_eq!(error.code, ErrorCode::SecurityViolation);
        assert!(error.message.starts_with("Security Violation"), "{error}");
        assert_eq!(error.details["path"], "../x");
    }

    #[test]
    fn a_hostile_path_cannot_forge_lines_or_flood_a_message() {
        let error = VfsError::bad_path(&format!("a\nERROR: b\u{1b}[31m{}", "x".repeat(100_000)), "is odd");
        assert!(!error.to_string().contains(['\n', '\u{1b}']));
        assert!(error.to_string().len() < 400);
        assert_eq!(error.code(), ErrorCode::Validation);
    }
}
