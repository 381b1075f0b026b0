//! Backup branches for versions that would be overwritten.

use super::head;
use super::references::branch_reference;
use crate::commit_id::CommitId;
use crate::git_error::GitError;
use crate::objects::commit_object::NewCommit;
use crate::objects::trees::Trees;
use crate::store_options::StoreOptions;
use git2::{ErrorCode, ObjectType, Oid, Repository};

pub(crate) const PREFIX: &str = "tgp/kept-";
const ID_DIGITS: usize = 10;

/// A backup branch and its files.
#[derive(Debug)]
pub(crate) struct BackupBranch {
    pub(crate) branch: String,
    pub(crate) commit: Oid,
    pub(crate) paths: Vec<String>,
}

/// One file on a backup branch. `commit` has its content, so that it can be restored from there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileBackup {
    pub path: String,
    pub commit: CommitId,
    pub branch: String,
}

/// Creates a backup branch at `commit` and returns its short name.
pub(crate) fn back_up_commit(repository: &Repository, commit: Oid) -> Result<String, GitError> {
    let branch = short_name(commit);
    match repository.reference(&branch_reference(&branch), commit, false, "keep") {
        Ok(_) => Ok(branch),
        Err(error) if error.code() == ErrorCode::Exists => Ok(branch),
        Err(error) => Err(GitError::git("back up a conflicting version", &error)),
    }
}

/// Creates a backup branch with a file on top of `parent`. Its name is derived from path and content, so repeated backups
/// create one branch.
pub(crate) fn back_up_file(
    repository: &Repository,
    options: &StoreOptions,
    parent: Option<Oid>,
    (path, content): (&str, &[u8]),
) -> Result<FileBackup, GitError> {
    let failed = |error: git2::Error| GitError::git("back up an uncommitted file", &error);
    let backup =
        |branch: String, commit: Oid| FileBackup { path: path.to_owned(), commit: CommitId::from(commit), branch };
    let name = [path.as_bytes(), content].join(&0);
    let id = Oid::hash_object(ObjectType::Blob, &name).map_err(failed)?;
    let trees = Trees::new(repository, options.limits);
    let branch = short_name(id);
    let known = head::target(repository, &branch_reference(&branch)).map_err(failed)?;
    let blob = Oid::hash_object(ObjectType::Blob, content).map_err(failed)?;
    if let Some(known) = known
        && trees.entry(trees.of(Some(known))?, path)?.is_some_and(|entry| entry.id == blob)
    {
        return Ok(backup(branch, known));
    }
    let commit = commit_of(repository, options, parent, vec![(path.to_owned(), Some(content.to_vec()))])?;
    repository.reference(&branch_reference(&branch), commit, true, "keep").map_err(failed)?;
    Ok(backup(branch, commit))
}

/// Creates a backup branch with `files` on top of `parent`; files without content are removed. `None` if there are no files.
pub(crate) fn back_up_files(
    repository: &Repository,
    options: &StoreOptions,
    parent: Option<Oid>,
    files: Vec<(String, Option<Vec<u8>>)>,
) -> Result<Option<BackupBranch>, GitError> {
    if files.is_empty() {
        return Ok(None);
    }
    let paths = files.iter().map(|(path, _)| path.clone()).collect();
    let commit = commit_of(repository, options, parent, files)?;
    let branch = back_up_commit(repository, commit)?;
    Ok(Some(BackupBranch { branch, commit, paths }))
}

/// Writes a commit with `files` on top of `parent`; files without content are removed.
fn commit_of(
    repository: &Repository,
    options: &StoreOptions,
    parent: Option<Oid>,
    files: Vec<(String, Option<Vec<u8>>)>,
) -> Result<Oid, GitError> {
    let failed = |error: git2::Error| GitError::git("back up uncommitted files", &error);
    let mut changes = Vec::new();
    for (path, content) in files {
        let blob = content.map(|content| repository.blob(&content)).transpose().map_err(failed)?;
        changes.push((path, blob.map(Into::into)));
    }
    let trees = Trees::new(repository, options.limits);
    let tree = trees.with_changes(trees.of(parent)?, changes)?;
    let author = options.author()?;
    let message = b"Keep: files that were not committed\n";
    let commit = NewCommit { tree, parents: parent.as_slice(), author: &author, committer: &author, message };
    commit.write(repository)
}

fn short_name(id: Oid) -> String {
    let id: String = id.to_string().chars().take(ID_DIGITS).collect();
    format!("{PREFIX}{id}")
}
