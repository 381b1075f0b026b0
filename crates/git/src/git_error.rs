//! Errors of the repository and its remote.

use super::limits::Limit;
use std::io;
use tgp_base::error::{Details, ErrorCode, PartError};

#[derive(Debug, thiserror::Error)]
pub enum GitError {
    #[error(
        "The repository belongs to another user of this machine who is not root, or all users may write to its directory; run as \
         that user, change its owner, or trust it with `git config --global --add safe.directory <directory>`. If the root is a \
         volume, set rootDir to a folder in it"
    )]
    NotOwned,
    #[error(
        "The repository's configuration cannot be read; run `git config --local --list` in the root and fix what it reports"
    )]
    BadConfiguration,
    #[error("The root is a repository without a work tree; choose another directory as the root")]
    Bare,
    #[error("The repository has a detached HEAD. Check out a branch with `git switch <branch>`")]
    DetachedHead,
    #[error("'{name}' is not a valid name of a branch. Choose another git.branch")]
    BadBranch { name: String },
    #[error("The author's name and e-mail must not be empty or contain <, > or line breaks")]
    BadAuthor,
    #[error("'{path}' cannot be committed: {reason}")]
    BadPath { path: String, reason: &'static str },
    #[error("The repository was locked by another process for {seconds} s; retry when it has finished")]
    Busy { seconds: u64 },
    #[error("The configuration of the remote is not valid: {reason}")]
    BadRemote { reason: &'static str },
    #[error("The remote repository cannot be reached: {reason}. Commits are kept locally and pushed later")]
    Unreachable { reason: String },
    #[error(
        "The remote repository {remote} cannot be reached: {reason}. There is no local copy of it yet, so the start \
         requires a connection: check git.repo and the network and boot again, or set git.provider to 'local' to work without a remote"
    )]
    NoCopyYet { remote: String, reason: String },
    #[error(
        "The remote repository rejected the credentials; check git.auth.token or the token's environment variable, and that \
         the token may write to this repository"
    )]
    Unauthorized,
    #[error("The remote repository does not exist, or the token has no access to it; check git.repo")]
    RemoteMissing,
    #[error("The remote repository refused the request: {reason}")]
    Refused { reason: String },
    #[error("{reason} Until then the commit is kept locally and not pushed.")]
    Held { reason: String },
    #[error("The remote repository is not usable: {reason}")]
    Protocol { reason: &'static str },
    #[error("The remote repository exceeds a limit: {0}")]
    RemoteLimit(Limit),
    #[error(
        "The remote redirects to {origin}; the redirect was not followed and no token was sent. If that is its new address, \
         set {key} to it"
    )]
    Redirected { origin: String, key: &'static str },
    #[error(
        "Objects of the repository are missing or damaged; boot again to fetch them, or run `git fsck` in the root"
    )]
    Incomplete,
    #[error("{file} in the repository is not a regular file, or is too large. Fix it and boot again")]
    SpecialFile { file: &'static str },
    #[error(
        "An internal error interrupted the exchange with the repository. Commits are kept locally and pushed later"
    )]
    Fault,
    #[error(
        "The remote is a repository with this branch checked out; use a bare repository (`git init --bare`), or another \
         git.branch"
    )]
    RemoteCheckedOut,
    #[error(
        "Other processes pushed to the branch for {seconds} s without a pause. Commits are kept locally and pushed later"
    )]
    Contended { seconds: u64 },
    #[error(
        "{path} was changed in the remote repository at the same time. That version is in the workspace now; yours is kept in \
         commit {commit} on the branch {branch}. Read the file again, apply your change and write it again"
    )]
    Conflict { path: String, commit: String, branch: String },
    #[error("'{commit}' is not a commit of this repository; use the full hash of a commit that file_history lists")]
    NoSuchCommit { commit: String },
    #[error("'{commit}' is not the hash of one commit: several objects start with it. Use more digits")]
    AmbiguousCommit { commit: String },
    #[error("There is no Git repository at this path. Use the folder that has the .git folder")]
    NoRepository,
    #[error("The repository cannot be read: {reason}")]
    UnsupportedFormat { reason: &'static str },
    #[error("The history cannot be read: {reason}")]
    HistoryTooLarge { reason: String },
    #[error("The kernel was shut down while the history was read")]
    Stopped,
    #[error("{path} is not in commit {commit}; find another commit with file_history")]
    NotInCommit { path: String, commit: String },
    #[error("{path} of commit {commit} is larger than fs.fileBytes; raise the limit to restore it")]
    TooLarge { path: String, commit: String },
    #[error(
        "Cannot write: the workspace is read-only, because of its file system or file permissions. Existing tools can be read, \
         checked and run. To save new ones, the operator must set rootDir to a writable location, such as a volume"
    )]
    ReadOnly,
    #[error(
        "The root has no repository, and none can be created because it is read-only. Include its .git folder (check \
         .dockerignore), or set rootDir to a writable location"
    )]
    NothingToRead,
    #[error("Could not {action}: {reason}")]
    Git { action: &'static str, reason: String },
    #[error("Could not {action}: {source}")]
    Io { action: &'static str, source: io::Error },
}

impl GitError {
    /// Converts an error of libgit2 and removes host paths.
    pub(super) fn git(action: &'static str, error: &git2::Error) -> Self {
        match (error.code(), error.class()) {
            (git2::ErrorCode::Owner, _) => Self::NotOwned,
            (_, git2::ErrorClass::Config) => Self::BadConfiguration,
            _ => Self::Git { action, reason: without_paths(error.message()) },
        }
    }

    pub(super) const fn protocol(reason: &'static str) -> Self {
        Self::Protocol { reason }
    }

    /// Whether a later retry may succeed although nothing else was changed.
    #[must_use]
    pub const fn is_transient(&self) -> bool {
        matches!(self, Self::Unreachable { .. } | Self::Contended { .. } | Self::Busy { .. })
    }

    /// Extracts the error that a stream wrapped in an I/O error.
    pub(super) fn from_stream(error: io::Error) -> Self {
        let kind = error.kind();
        let reason = || format!("the connection was lost: {kind}");
        error.downcast().unwrap_or_else(|_| Self::Unreachable { reason: reason() })
    }

    /// Whether the remote failed and the local copy can still be used.
    #[must_use]
    pub const fn leaves_local_copy_usable(&self) -> bool {
        self.is_transient() || matches!(self, Self::RemoteLimit(_) | Self::Protocol { .. })
    }

    /// Whether objects of the local or remote repository may be damaged.
    #[must_use]
    pub const fn is_damaged_content(&self) -> bool {
        matches!(self, Self::Git { .. } | Self::Incomplete)
    }

    pub(super) fn io(action: &'static str) -> impl Fn(io::Error) -> Self {
        move |source| Self::Io { action, source }
    }
}

impl PartError for GitError {
    fn code(&self) -> ErrorCode {
        match self {
            Self::BadBranch { .. } | Self::BadAuthor | Self::BadRemote { .. } => ErrorCode::Config,
            Self::BadPath { .. } => ErrorCode::Validation,
            Self::ReadOnly | Self::NothingToRead => ErrorCode::Io,
            Self::Conflict { .. } => ErrorCode::GitConflict,
            Self::Held { .. } => ErrorCode::State,
            Self::TooLarge { .. } | Self::HistoryTooLarge { .. } => ErrorCode::Limit,
            Self::NoSuchCommit { .. }
            | Self::AmbiguousCommit { .. }
            | Self::NoRepository
            | Self::NotInCommit { .. } => ErrorCode::NotFound,
            Self::Stopped => ErrorCode::Shutdown,
            Self::NotOwned
            | Self::UnsupportedFormat { .. }
            | Self::BadConfiguration
            | Self::Bare
            | Self::DetachedHead
            | Self::Busy { .. }
            | Self::Unreachable { .. }
            | Self::NoCopyYet { .. }
            | Self::Unauthorized
            | Self::RemoteMissing
            | Self::Refused { .. }
            | Self::Protocol { .. }
            | Self::RemoteLimit(_)
            | Self::Redirected { .. }
            | Self::Incomplete
            | Self::SpecialFile { .. }
            | Self::Fault
            | Self::RemoteCheckedOut
            | Self::Contended { .. }
            | Self::Git { .. }
            | Self::Io { .. } => ErrorCode::Git,
        }
    }

    fn details(&self) -> Details {
        let mut details = Details::new();
        if let Self::Conflict { path, commit, branch } = self {
            for (key, value) in [("path", path), ("commit", commit), ("branch", branch)] {
                details.insert(key.to_owned(), value.as_str().into());
            }
        }
        if let Self::BadPath { path, .. } = self {
            details.insert("path".to_owned(), path.as_str().into());
        }
        if let Self::RemoteLimit(limit) = self
            && let Some(key) = limit.key()
        {
            details.insert("key".to_owned(), key.into());
        }
        details
    }
}

/// `message` with each absolute path replaced: up to the closing quote if it is quoted, else up to the next space.
fn without_paths(message: &str) -> String {
    let mut clean = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(start) = path_start(rest) {
        let (before, path) = rest.split_at(start);
        let quoted = before.chars().next_back().filter(|c| matches!(c, '\'' | '"'));
        let end = path.find(|c: char| quoted.map_or(c.is_whitespace(), |quote| c == quote)).unwrap_or(path.len());
        clean.push_str(before);
        clean.push_str("<path>");
        rest = path.split_at(end).1;
    }
    clean.push_str(rest);
    clean
}

fn path_start(text: &str) -> Option<usize> {
    let mut previous = ' ';
    text.char_indices().find_map(|(at, c)| {
        let starts_word = previous.is_whitespace() || matches!(previous, '\'' | '"' | '(' | '=' | ':');
        previous = c;
        let is_drive = || {
            let mut rest = text.split_at(at).1.chars();
            matches!(
                (rest.next(), rest.next(), rest.next()),
                (Some('a'..='z' | 'A'..='Z'), Some(':'), Some('/' | '\\'))
            )
        };
        (starts_word && (c == '/' || c == '\\' || is_drive())).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::without_paths;

    #[test]
    fn host_paths_never_reach_a_message() {
        for (message, expected) in [
            ("failed to open '/home/my user/.git/index': denied", "failed to open '<path>': denied"),
            ("failed in /root/.gitconfig:3 today", "failed in <path> today"),
            ("could not lock C:\\Users\\x\\.git/index for writing", "could not lock <path> for writing"),
            ("two: '/a' and \"/b c\"", "two: '<path>' and \"<path>\""),
            ("reference 'refs/heads/main' is odd and/or bad", "reference 'refs/heads/main' is odd and/or bad"),
            ("", ""),
        ] {
            assert_eq!(without_paths(message), expected);
        }
    }
}
