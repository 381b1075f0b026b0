//! Branches that keep what would otherwise be overwritten.

use super::head;
use super::references::branch_reference;
use crate::git_error::GitError;
use crate::objects::commit_object::NewCommit;
use crate::objects::trees::Trees;
use crate::store_options::StoreOptions;
use git2::{ErrorCode, ObjectType, Oid, Repository};

pub(crate) const PREFIX: &str = "tgp/kept-";
const ID_DIGITS: usize = 10;

/// Files on a branch of their own.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) branch: String,
    pub(crate) commit: Oid,
    pub(crate) paths: Vec<String>,
}

/// Makes a branch that holds `commit`, and returns its short name.
pub(crate) fn back_up_commit(repository: &Repository, commit: Oid) -> Result<String, GitError> {
    let branch = short_name(commit);
    match repository.reference(&branch_reference(&branch), commit, false, "keep") {
        Ok(_) => Ok(branch),
        Err(error) if error.code() == ErrorCode::Exists => Ok(branch),
        Err(error) => Err(GitError::git("keep a version that does not fit", &error)),
    }
}

/// Makes a branch that holds a file as it is, on top of `parent`, unless there is one, and returns its short name. The name
/// follows from the file: what is kept again and again is kept once.
pub(crate) fn back_up_file(
    repository: &Repository,
    options: &StoreOptions,
    parent: Option<Oid>,
    (path, content): (&str, &[u8]),
) -> Result<String, GitError> {
    let failed = |error: git2::Error| GitError::git("keep a file without a commit", &error);
    let name = [path.as_bytes(), content].join(&0);
    let id = Oid::hash_object(ObjectType::Blob, &name).map_err(failed)?;
    let trees = Trees::new(repository, options.limits);
    let branch = short_name(id);
    let known = head::target(repository, &branch_reference(&branch)).map_err(failed)?;
    let blob = Oid::hash_object(ObjectType::Blob, content).map_err(failed)?;
    if let Some(known) = known
        && trees.entry(trees.of(Some(known))?, path)?.is_some_and(|entry| entry.id == blob)
    {
        return Ok(branch);
    }
    let commit = commit_of(repository, options, parent, vec![(path.to_owned(), Some(content.to_vec()))])?;
    repository.reference(&branch_reference(&branch), commit, true, "keep").map_err(failed)?;
    Ok(branch)
}

/// Makes a branch with `files` on top of `parent`, without those that have no content; none when there are no files.
pub(crate) fn back_up_files(
    repository: &Repository,
    options: &StoreOptions,
    parent: Option<Oid>,
    files: Vec<(String, Option<Vec<u8>>)>,
) -> Result<Option<Kept>, GitError> {
    if files.is_empty() {
        return Ok(None);
    }
    let paths = files.iter().map(|(path, _)| path.clone()).collect();
    let commit = commit_of(repository, options, parent, files)?;
    let branch = back_up_commit(repository, commit)?;
    Ok(Some(Kept { branch, commit, paths }))
}

/// Writes a commit with `files` on top of `parent`, without those that have no content.
fn commit_of(
    repository: &Repository,
    options: &StoreOptions,
    parent: Option<Oid>,
    files: Vec<(String, Option<Vec<u8>>)>,
) -> Result<Oid, GitError> {
    let failed = |error: git2::Error| GitError::git("keep files without a commit", &error);
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
