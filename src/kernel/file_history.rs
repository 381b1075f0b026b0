//! `file_history`, and what else looks back: log, diff, revert, and a commit of files as they are.

use super::kernel::Kernel;
use super::write_file::Written;
use crate::error::{Error, ErrorCode};
use crate::git::{FileChange, LogEntry};
use crate::vfs::{JailPath, VfsError};
use serde::Serialize;

/// Entries of a history when nothing else is asked for.
const DEFAULT_ENTRIES: usize = 20;
const MAX_ENTRIES: usize = 1000;
const SHORT_HASH: usize = 10;

/// One commit of a file's history.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct HistoryEntry {
    pub commit: String,
    pub message: String,
    pub author: String,
    /// Seconds since 1970.
    pub time: i64,
}

impl From<LogEntry> for HistoryEntry {
    fn from(entry: LogEntry) -> Self {
        let LogEntry { commit, message, author, email: _, time } = entry;
        Self { commit, message, author, time }
    }
}

impl Kernel {
    /// The commits that changed a file, or all of them, newest first.
    pub fn file_history(&self, path: Option<&str>, limit: Option<usize>) -> Result<Vec<HistoryEntry>, Error> {
        let path = path.map(JailPath::parse).transpose()?.filter(|path| !path.is_root());
        let limit = limit.unwrap_or(DEFAULT_ENTRIES).clamp(1, MAX_ENTRIES);
        let entries = self.git.log(path.as_ref().map(JailPath::as_str), limit)?;
        Ok(entries.into_iter().map(Into::into).collect())
    }

    /// How a file, or everything, differs between two commits.
    pub fn file_diff(&self, path: Option<&str>, from: Option<&str>, to: Option<&str>) -> Result<String, Error> {
        let path = path.map(JailPath::parse).transpose()?.filter(|path| !path.is_root());
        Ok(self.git.diff(path.as_ref().map(JailPath::as_str), from, to)?)
    }

    /// Makes a file what it was in `commit`, as a new commit.
    pub fn revert_file(&self, path: &str, commit: &str) -> Result<Written, Error> {
        let path = JailPath::parse(path)?;
        let bytes = self.git.content_at(path.as_str(), commit)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| Error::new(ErrorCode::Validation, format!("{} is not text in that commit.", path.as_str())))?;
        let short: String = commit.chars().take(SHORT_HASH).collect();
        self.write_and_commit(&path, &text, &format!("Revert: {} to {short}", path.as_str()))
    }

    /// Commits files as they are on disk; one that is not there is removed from the history's head.
    pub fn persist(&self, message: &str, files: &[String]) -> Result<Written, Error> {
        let paths = files.iter().map(|file| JailPath::parse(file)).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = paths.first() else {
            return Err(
                Error::new(ErrorCode::Validation, "files is empty. Name what to commit.").with("field", "files")
            );
        };
        let _one_writer = self.writes.lock();
        let writing = self.git.begin(std::iter::empty())?;
        let mut contents = Vec::new();
        for path in &paths {
            contents.push(match self.vfs.read_bytes(path) {
                Ok(bytes) => Some(bytes),
                Err(VfsError::NotFound { .. }) => None,
                Err(error) => return Err(error.into()),
            });
        }
        let changes: Vec<_> = paths
            .iter()
            .zip(&contents)
            .map(|(path, content)| FileChange { path: path.as_str(), content: content.as_deref() })
            .collect();
        // Somebody else has changed these files.
        self.registry.expire();
        let committed = writing.commit(message, &changes)?;
        self.written(first.as_str(), Ok(committed))
    }
}
