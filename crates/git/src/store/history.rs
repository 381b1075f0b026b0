//! The history of files: log, diff and old content.

use super::git_store::GitStore;
use crate::branches::references::at;
use crate::git_error::GitError;
use crate::objects::object_reader::{self, ReadObject};
use crate::objects::raw_tree;
use crate::objects::tree_entry::Entry;
use crate::objects::trees::Trees;
use crate::text_diff::{DiffEffort, TRUNCATED, cut_diff, text_diff};
use git2::{Diff, DiffFile, DiffOptions, ObjectType, Oid, Repository};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

/// Time limit for a search in the history, and for a diff.
pub(super) const SEARCH_TIMEOUT: Duration = Duration::from_secs(10);
/// Cached directory lookups.
const MAX_REMEMBERED: usize = 100_000;

/// Maximum length of a commit message, and of an author's name and e-mail.
pub(super) const MAX_MESSAGE_BYTES: usize = 8 << 10;
const MAX_NAME_BYTES: usize = 256;

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
    /// The commits that changed `path`, newest first; all commits if it is `None`. At most `limit`, and those found within ten
    /// seconds.
    ///
    /// # Errors
    /// `Git`.
    pub fn log(&self, path: Option<&str>, limit: usize) -> Result<Vec<LogEntry>, GitError> {
        let repository = self.open_again()?;
        let failed = |error: git2::Error| GitError::git("read the history", &error);
        let Some(head) = at(&repository, "HEAD")? else { return Ok(Vec::new()) };
        let known = self.upkeep.commits_of(&repository, head, path);
        let mut walk = repository.revwalk().map_err(failed)?;
        if known.is_none() {
            walk.set_sorting(git2::Sort::TOPOLOGICAL).and_then(|()| walk.push(head)).map_err(failed)?;
        }
        let commits = known.unwrap_or_default().into_iter().map(Ok).chain(walk);
        let trees = Trees::new(&repository, self.options.limits);
        let deadline = Instant::now() + SEARCH_TIMEOUT;
        let mut file = path.map(|path| FileInTrees::new(&trees, path));
        let mut entries = Vec::new();
        for id in commits.take_while(|_| Instant::now() < deadline) {
            let commit = repository.find_commit(id.map_err(failed)?).map_err(failed)?;
            if file.as_mut().is_none_or(|file| file.is_changed_by(&commit)) {
                let author = commit.author();
                entries.push(LogEntry {
                    commit: commit.id().to_string(),
                    message: cut(commit.message_bytes(), MAX_MESSAGE_BYTES).trim_end().to_owned(),
                    author: cut(author.name_bytes(), MAX_NAME_BYTES),
                    email: cut(author.email_bytes(), MAX_NAME_BYTES),
                    time: commit.time().seconds(),
                });
            }
            if entries.len() >= limit {
                break;
            }
        }
        Ok(entries)
    }

    /// The unified diff of `path`, or of all files, between two commits. `to` defaults to the current commit, `from` to the
    /// parent of `to`. Truncated and marked after ten seconds.
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
        let trees = Trees::new(&repository, self.options.limits);
        let (old, new) = (trees.of(from)?, trees.of(to)?);
        // Applies the limits, which libgit2 does not have.
        trees.changes(old, new)?;
        let find = |tree: Option<Oid>| tree.map(|tree| repository.find_tree(tree)).transpose().map_err(failed);
        let (old, new) = (find(old)?, find(new)?);
        let mut options = DiffOptions::new();
        // Larger files are reported as different without being read.
        options.max_size(i64::try_from(self.options.limits.file_bytes).unwrap_or(i64::MAX));
        if let Some(path) = path {
            options.pathspec(path).disable_pathspec_match(true);
        }
        let diff = repository.diff_tree_to_tree(old.as_ref(), new.as_ref(), Some(&mut options)).map_err(failed)?;
        diff_text(&trees, &diff, Instant::now() + SEARCH_TIMEOUT)
    }

    /// The content of `path` in `commit`.
    ///
    /// # Errors
    /// `NoSuchCommit`, `NotInCommit`, `TooLarge`, `Git`.
    pub fn content_at(&self, path: &str, commit: &str) -> Result<Vec<u8>, GitError> {
        let repository = self.open_again()?;
        let id = resolve(&repository, commit)?;
        let missing = || GitError::NotInCommit { path: path.to_owned(), commit: commit.to_owned() };
        let trees = Trees::new(&repository, self.options.limits);
        let entry = trees.entry(trees.of(Some(id))?, path)?.ok_or_else(missing)?;
        match object_reader::read(&repository, entry.id, ObjectType::Blob, self.options.limits.file_bytes)? {
            ReadObject::Content(content) => Ok(content),
            ReadObject::TooLarge => Err(GitError::TooLarge { path: path.to_owned(), commit: commit.to_owned() }),
            ReadObject::Missing => Err(missing()),
        }
    }
}

/// The diff in the format of `git diff`, up to the deadline.
fn diff_text(trees: &Trees<'_>, diff: &Diff<'_>, deadline: Instant) -> Result<String, GitError> {
    let mut effort = DiffEffort::default();
    let mut text = String::new();
    for delta in diff.deltas() {
        if Instant::now() >= deadline {
            text.push_str(TRUNCATED);
            break;
        }
        let (old, new) = (delta.old_file(), delta.new_file());
        let path = new.path_bytes().or(old.path_bytes()).map(String::from_utf8_lossy).unwrap_or_default();
        let (before, after) = (content(trees, &old), content(trees, &new));
        let is_read = |file: &DiffFile<'_>, content: &Option<Vec<u8>>| file.id().is_zero() || content.is_some();
        if is_read(&old, &before) && is_read(&new, &after) {
            text.push_str(&text_diff(&path, before.as_deref(), after.as_deref(), &mut effort)?);
        } else {
            // Writing to a string cannot fail.
            let _infallible = writeln!(text, "diff --git a/{path} b/{path}\nBinary files a/{path} and b/{path} differ");
        }
        if before.is_some() && before == after {
            let _infallible =
                writeln!(text, "diff --git a/{path} b/{path}\nThe content is the same, only the mode differs.");
        }
        if cut_diff(&mut text) {
            break;
        }
    }
    Ok(text)
}

/// The content of one side; `None` if it is missing, too large or not a file.
fn content(trees: &Trees<'_>, file: &DiffFile<'_>) -> Option<Vec<u8>> {
    if file.id().is_zero() {
        return None;
    }
    match object_reader::read(trees.repository, file.id(), ObjectType::Blob, trees.limits.file_bytes) {
        Ok(ReadObject::Content(content)) => Some(content),
        Ok(ReadObject::TooLarge | ReadObject::Missing) | Err(_) => None,
    }
}

/// Finds a commit by its full or abbreviated hash. Other revision syntax is not supported.
fn resolve(repository: &Repository, commit: &str) -> Result<Oid, GitError> {
    let missing = || GitError::NoSuchCommit { commit: commit.chars().take(64).collect() };
    if !(4..=40).contains(&commit.len()) || !commit.chars().all(|c| c.is_ascii_hexdigit()) {
        return Err(missing());
    }
    repository.find_commit_by_prefix(commit).map(|commit| commit.id()).map_err(|_| missing())
}

/// Looks up one path in many similar trees, with a cache.
struct FileInTrees<'t, 'r> {
    trees: &'t Trees<'r>,
    path: &'t str,
    /// By directory and offset in the path: the entry at the rest of the path.
    known: HashMap<(Oid, usize), Option<Entry>>,
}

impl<'t, 'r> FileInTrees<'t, 'r> {
    fn new(trees: &'t Trees<'r>, path: &'t str) -> Self {
        Self { trees, path, known: HashMap::new() }
    }

    /// Whether `commit` changed the file compared to its first parent.
    fn is_changed_by(&mut self, commit: &git2::Commit<'_>) -> bool {
        let parent = self.trees.of(commit.parent_id(0).ok()).ok().flatten();
        let own = Some(commit.tree_id());
        own != parent && self.at(own) != self.at(parent)
    }

    /// As [`Trees::entry`]; `None` if a tree cannot be read.
    fn at(&mut self, tree: Option<Oid>) -> Option<Entry> {
        let (mut folder, mut from) = (tree?, 0);
        let mut passed = Vec::new();
        let found = loop {
            if let Some(known) = self.known.get(&(folder, from)) {
                break *known;
            }
            passed.push((folder, from));
            let rest = self.path.get(from..).unwrap_or_default();
            let (name, below) = rest.split_once('/').map_or((rest, None), |(name, below)| (name, Some(below)));
            let content = self.trees.read(folder).unwrap_or_default();
            let entry = raw_tree::find(&content, name.as_bytes()).ok().flatten();
            match (entry.filter(raw_tree::RawEntry::is_named), below) {
                (Some(entry), Some(below)) if entry.is_directory() => {
                    (folder, from) = (entry.id, self.path.len() - below.len());
                }
                (Some(entry), None) if !entry.is_directory() => break Some(Entry::of(&entry)),
                _ => break None,
            }
        };
        if self.known.len() > MAX_REMEMBERED {
            self.known.clear();
        }
        self.known.extend(passed.into_iter().map(|key| (key, found)));
        found
    }
}

/// Decodes untrusted text and truncates it.
pub(crate) fn cut(text: &[u8], most: usize) -> String {
    match text.get(..most) {
        Some(start) => format!("{} [truncated]", String::from_utf8_lossy(start)),
        None => String::from_utf8_lossy(text).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::FileInTrees;
    use crate::objects::trees::Trees;
    use crate::tests::test_repository::{TestRepository, limits};
    use git2::Repository;

    #[test]
    fn cached_lookups_equal_direct_ones() {
        let test = TestRepository::new();
        let steps = [("d/e/f", "1"), ("d/e/g", "1"), ("d/f", "1"), ("d/e/f", "2"), ("x", "1"), ("d/e/f", "1")];
        for (path, content) in steps {
            test.forge(path, content.as_bytes());
        }
        test.remove("d/e/f");
        let repository = Repository::open(test.root()).unwrap();
        let trees = Trees::new(&repository, limits());
        for path in ["d/e/f", "d/e", "d/f", "x", "x/y", "none", "e/f", "d//e/f", ""] {
            let mut file = FileInTrees::new(&trees, path);
            let mut commit = repository.head().unwrap().peel_to_commit().ok();
            while let Some(at) = commit {
                let tree = Some(at.tree_id());
                assert_eq!(file.at(tree), trees.entry(tree, path).unwrap(), "{path} in {}", at.id());
                commit = at.parent(0).ok();
            }
        }
    }
}
