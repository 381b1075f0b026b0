//! Branches that keep what would otherwise be overwritten.

use super::references::branch_reference;
use crate::git::git_error::GitError;
use crate::git::objects::commit_object::NewCommit;
use crate::git::objects::trees::Trees;
use crate::git::store_options::StoreOptions;
use git2::{ErrorCode, Oid, Repository};

pub(in crate::git) const PREFIX: &str = "tgp/kept-";
const ID_DIGITS: usize = 10;

/// Files on a branch of their own.
#[derive(Debug)]
pub(in crate::git) struct Kept {
    pub(in crate::git) branch: String,
    pub(in crate::git) commit: Oid,
    pub(in crate::git) paths: Vec<String>,
}

/// Makes a branch that holds `commit`, and returns its short name.
pub(in crate::git) fn back_up_commit(repository: &Repository, commit: Oid) -> Result<String, GitError> {
    let id: String = commit.to_string().chars().take(ID_DIGITS).collect();
    let branch = format!("{PREFIX}{id}");
    match repository.reference(&branch_reference(&branch), commit, false, "keep") {
        Ok(_) => Ok(branch),
        Err(error) if error.code() == ErrorCode::Exists => Ok(branch),
        Err(error) => Err(GitError::git("keep a version that does not fit", &error)),
    }
}

/// Makes a branch with `files` on top of `parent`, without those that have no content; none when there are no files.
pub(in crate::git) fn back_up_files(
    repository: &Repository,
    options: &StoreOptions,
    parent: Option<Oid>,
    files: Vec<(String, Option<Vec<u8>>)>,
) -> Result<Option<Kept>, GitError> {
    if files.is_empty() {
        return Ok(None);
    }
    let failed = |error: git2::Error| GitError::git("keep files without a commit", &error);
    let mut changes = Vec::new();
    let paths = files.iter().map(|(path, _)| path.clone()).collect();
    for (path, content) in files {
        let blob = content.map(|content| repository.blob(&content)).transpose().map_err(failed)?;
        changes.push((path, blob.map(Into::into)));
    }
    let trees = Trees::new(repository, options.limits);
    let tree = trees.with_changes(trees.of(parent)?, changes)?;
    let author = options.author()?;
    let message = b"Keep: files that were not committed\n";
    let commit = NewCommit { tree, parents: parent.as_slice(), author: &author, committer: &author, message };
    let commit = commit.write(repository)?;
    let branch = back_up_commit(repository, commit)?;
    Ok(Some(Kept { branch, commit, paths }))
}
