//! Every way in which a file operation can fail.

use std::{fmt, io};
use tgp_base::error::{Details, ErrorCode, PartError};

/// Longest piece of a caller's path that a message repeats.
const SHOWN_CHARS: usize = 200;

#[derive(Debug, thiserror::Error)]
pub enum VfsError {
    #[error("Security Violation: {}", violation.of(path))]
    SecurityViolation { path: String, violation: Violation },
    #[error("File not found: {path}. list_files shows what there is.")]
    NotFound { path: String },
    #[error("'{path}' is not a regular file; name a file")]
    NotAFile { path: String },
    #[error("A part of '{path}' is a file where a directory is needed; choose another path")]
    NotADirectory { path: String },
    #[error("The path '{path}' {reason}")]
    BadPath { path: String, reason: &'static str },
    #[error("'{path}' is larger than the limit of {limit} bytes; split it into smaller files")]
    TooLarge { path: String, limit: usize },
    #[error("'{path}' is not UTF-8 text; only text files can be read")]
    NotText { path: String },
    #[error("Security Violation: Write access denied for '{path}'. Allowed directories: {writable}")]
    ReadOnly { path: String, writable: String },
    #[error("'{path}' does not fit: {room} at most {limit} {what}; {}", room.advice())]
    Quota { path: String, room: Room, what: &'static str, limit: u64 },
    #[error("Could not {action} '{path}': {source}")]
    Io { action: &'static str, path: String, source: io::Error },
}

/// What has only so much room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Room {
    Scratch,
    Root,
    /// What one run writes into allowed folders.
    Run,
}

impl Room {
    fn advice(self) -> &'static str {
        match self {
            Self::Scratch => "write less, or return the data",
            Self::Root => "remove or merge files that are not needed (fs.rootBytes, fs.rootFiles)",
            Self::Run => "write less in one run (sandbox.writeBytes, sandbox.writeFiles)",
        }
    }
}

impl fmt::Display for Room {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Scratch => "the scratch folder of a run holds",
            Self::Root => "the root holds",
            Self::Run => "one run writes into allowed folders",
        })
    }
}

/// Which rule of the jail a path broke.
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
    /// What is wrong with `path`, and what to do.
    fn of(self, path: &str) -> String {
        let why = match self {
            Self::LeavesRoot => {
                return format!(
                    "Path '{path}' is outside the sandbox root. Use a path inside it, such as 'tools/a.ts', without '..'."
                );
            }
            Self::Absolute => {
                return format!(
                    "Path '{path}' is outside the sandbox root, for it is absolute. Use one relative to the root, such as 'tools/a.ts'."
                );
            }
            Self::Nul => "holds a NUL character; remove it",
            Self::Backslash => "holds a backslash; separate directories with '/'",
            Self::Git => "belongs to the repository's own data; use a path outside '.git'",
            Self::Symlink => "leads through a symbolic link that may not be followed; name the real file",
            Self::HardLink => "is a file with several hard links and may lie outside too; replace it by a copy",
            Self::Root => {
                "belongs to the root, which is not reached this way; read it by its path in the root, and change tools with write_file"
            }
            Self::Application => "has a name of an application's own files, which are executed; choose another one",
        };
        format!("'{path}' {why}")
    }
}

impl VfsError {
    /// Whether the process or the machine is out of descriptors or memory: the file itself may be sound.
    #[must_use]
    pub fn is_exhaustion(&self) -> bool {
        // As all Unix systems number them.
        const ENFILE: i32 = 23;
        const EMFILE: i32 = 24;
        let Self::Io { source, .. } = self else { return false };
        source.kind() == io::ErrorKind::OutOfMemory
            || cfg!(unix) && matches!(source.raw_os_error(), Some(ENFILE | EMFILE))
    }

    pub(super) fn violation(path: &str, violation: Violation) -> Self {
        Self::SecurityViolation { path: shown(path), violation }
    }

    pub(super) fn bad_path(path: &str, reason: &'static str) -> Self {
        Self::BadPath { path: shown(path), reason }
    }

    pub(super) fn not_found(path: &str) -> Self {
        Self::NotFound { path: shown(path) }
    }

    pub(super) fn not_a_file(path: &str) -> Self {
        Self::NotAFile { path: shown(path) }
    }

    pub(super) fn not_a_directory(path: &str) -> Self {
        Self::NotADirectory { path: shown(path) }
    }

    pub(super) fn too_large(path: &str, limit: usize) -> Self {
        Self::TooLarge { path: shown(path), limit }
    }

    pub(super) fn not_text(path: &str) -> Self {
        Self::NotText { path: shown(path) }
    }

    pub(super) fn read_only(path: &str, writable: &str) -> Self {
        Self::ReadOnly { path: shown(path), writable: writable.to_owned() }
    }

    pub(super) fn quota(path: &str, room: Room, what: &'static str, limit: u64) -> Self {
        Self::Quota { path: shown(path), room, what, limit }
    }

    pub(super) fn io(action: &'static str, path: &str, source: io::Error) -> Self {
        Self::Io { action, path: shown(path), source }
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

/// The caller's path made safe to print: no control characters, bounded length.
fn shown(path: &str) -> String {
    path.chars().take(SHOWN_CHARS).map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{VfsError, Violation};
    use tgp_base::error::{Error, ErrorCode, PartError};

    #[test]
    fn a_violation_says_so_first() {
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
