//! Looking back: who changed a file, how, and what it was.

use super::git_error::GitError;
use super::git_store::GitStore;
use super::tree_changes::{entry_at, tree_of};
use super::upstream::at;
use git2::{DiffFormat, DiffOptions, Oid, Repository};
use std::path::Path;

/// Most text of a diff; the rest is cut off and marked.
const MOST_DIFF_BYTES: usize = 256 << 10;

/// One commit of a file's history.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogEntry {
    pub commit: String,
    pub message: String,
    pub author: String,
    pub email: String,
    /// Seconds since 1970.
    pub time: i64,
}

impl GitStore {
    /// The commits that changed `path`, newest first; all commits without a path. At most `limit`.
    ///
    /// # Errors
    /// `Git`.
    pub fn log(&self, path: Option<&str>, limit: usize) -> Result<Vec<LogEntry>, GitError> {
        let repository = self.open_again()?;
        let failed = |error: git2::Error| GitError::git("read the history", &error);
        let Some(head) = at(&repository, "HEAD")? else { return Ok(Vec::new()) };
        let mut walk = repository.revwalk().map_err(failed)?;
        walk.set_sorting(git2::Sort::TOPOLOGICAL).and_then(|()| walk.push(head)).map_err(failed)?;
        let mut entries = Vec::new();
        for id in walk {
            let commit = repository.find_commit(id.map_err(failed)?).map_err(failed)?;
            if path.is_none_or(|path| changes(&repository, &commit, path)) {
                let author = commit.author();
                entries.push(LogEntry {
                    commit: commit.id().to_string(),
                    message: String::from_utf8_lossy(commit.message_bytes()).trim_end().to_owned(),
                    author: String::from_utf8_lossy(author.name_bytes()).into_owned(),
                    email: String::from_utf8_lossy(author.email_bytes()).into_owned(),
                    time: commit.time().seconds(),
                });
            }
            if entries.len() >= limit {
                break;
            }
        }
        Ok(entries)
    }

    /// How `path` (or everything) differs between two commits, as a unified diff. Without `to`: the current commit;
    /// without `from`: the parent of `to`.
    ///
    /// # Errors
    /// `NoSuchCommit`, `Git`.
    pub fn diff(&self, path: Option<&str>, from: Option<&str>, to: Option<&str>) -> Result<String, GitError> {
        let repository = self.open_again()?;
        let failed = |error: git2::Error| GitError::git("compare two versions", &error);
        let to = match to {
            Some(commit) => Some(resolve(&repository, commit)?),
            None => at(&repository, "HEAD")?,
        };
        let from = match (from, to) {
            (Some(commit), _) => Some(resolve(&repository, commit)?),
            (None, Some(to)) => repository.find_commit(to).map_err(failed)?.parent_id(0).ok(),
            (None, None) => None,
        };
        let (old, new) = (tree_of(&repository, from)?, tree_of(&repository, to)?);
        let mut options = DiffOptions::new();
        if let Some(path) = path {
            options.pathspec(path).disable_pathspec_match(true);
        }
        let diff = repository.diff_tree_to_tree(old.as_ref(), new.as_ref(), Some(&mut options)).map_err(failed)?;
        let mut text = String::new();
        let printed = diff.print(DiffFormat::Patch, |_, _, line| {
            if matches!(line.origin(), '+' | '-' | ' ') {
                text.push(line.origin());
            }
            text.push_str(&String::from_utf8_lossy(line.content()));
            text.len() <= MOST_DIFF_BYTES
        });
        if text.len() > MOST_DIFF_BYTES {
            text.push_str("\n[the rest is cut off]\n");
            return Ok(text);
        }
        printed.map(|()| text).map_err(failed)
    }

    /// The bytes of `path` as they were in `commit`.
    ///
    /// # Errors
    /// `NoSuchCommit`, `NotInCommit`, `Git`.
    pub fn content_at(&self, path: &str, commit: &str) -> Result<Vec<u8>, GitError> {
        let repository = self.open_again()?;
        let id = resolve(&repository, commit)?;
        let missing = || GitError::NotInCommit { path: path.to_owned(), commit: commit.to_owned() };
        let entry = entry_at(tree_of(&repository, Some(id))?.as_ref(), path).ok_or_else(missing)?;
        let blob = repository.find_blob(entry.id).map_err(|_| missing())?;
        Ok(blob.content().to_vec())
    }
}

/// A commit by its full or shortened hash. Nothing else of Git's little language for commits is understood.
fn resolve(repository: &Repository, commit: &str) -> Result<Oid, GitError> {
    let missing = || GitError::NoSuchCommit { commit: commit.chars().take(64).collect() };
    if !(4..=40).contains(&commit.len()) || !commit.chars().all(|c| c.is_ascii_hexdigit()) {
        return Err(missing());
    }
    repository.find_commit_by_prefix(commit).map(|commit| commit.id()).map_err(|_| missing())
}

/// Whether `commit` left `path` other than its first parent had it.
fn changes(repository: &Repository, commit: &git2::Commit<'_>, path: &str) -> bool {
    let at = |id: Option<Oid>| {
        let tree = tree_of(repository, id).ok().flatten()?;
        tree.get_path(Path::new(path)).ok().map(|entry| (entry.id(), entry.filemode()))
    };
    at(Some(commit.id())) != at(commit.parent_id(0).ok())
}
