//! Detection of lost or torn objects and branches.

use super::redo_log::{Record, RedoLog};
use crate::branches::head;
use crate::git_error::GitError;
use git2::{Oid, Repository};
use std::collections::{BTreeMap, HashSet, VecDeque};
use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

/// Commits that are searched for a logged commit.
const MAX_DEPTH: usize = 1024;

/// Whether an object, a branch or the current commit of `records` is lost or torn. A file system failure leaves unflushed files
/// empty or missing, so existence is checked for all objects and content only for the last commit.
pub(super) fn has_lost(repository: &Repository, records: &[Record]) -> bool {
    let Some(last) = records.last() else { return false };
    let Ok(odb) = repository.odb() else { return true };
    let is_read = |id: &str| Oid::from_str(id).is_ok_and(|id| odb.read(id).is_ok());
    let mut objects = records.iter().flat_map(|record| &record.objects);
    objects.any(|object| !is_there(repository, &object.id))
        || last.objects.iter().any(|object| !is_read(&object.id))
        || branches(records).into_iter().any(|(name, records)| has_lost_branch(repository, name, &records))
}

/// Removes and returns the records of branches that `git` or another process has moved elsewhere since they were logged. A
/// branch file older than the log was rolled back by the file system and is not one of them.
pub(super) fn remove_moved(repository: &Repository, records: &mut Vec<Record>) -> Vec<Record> {
    let Some(logged) = RedoLog::time(repository.path()) else { return Vec::new() };
    let moved: Vec<String> = branches(records)
        .into_iter()
        .filter(|(name, records)| {
            let Some(last) = records.last().and_then(|record| Oid::from_str(&record.new).ok()) else { return false };
            let Some(current) = head::target(repository, name).ok().flatten() else { return false };
            branch_time(repository, name).is_some_and(|time| time > logged) && !is_within(repository, current, last)
        })
        .map(|(name, _)| name.to_owned())
        .collect();
    records.extract_if(.., |record| moved.contains(&record.reference)).collect()
}

/// Whether `commit`, which may be lost, is among the newest ancestors of `current`.
fn is_within(repository: &Repository, current: Oid, commit: Oid) -> bool {
    let (mut seen, mut next) = (HashSet::from([current]), VecDeque::from([current]));
    while let Some(id) = next.pop_front() {
        if id == commit {
            return true;
        }
        if let Ok(child) = repository.find_commit(id) {
            next.extend(child.parent_ids().filter(|parent| seen.len() < MAX_DEPTH && seen.insert(*parent)));
        }
    }
    false
}

/// The modification time of a branch.
fn branch_time(repository: &Repository, name: &str) -> Option<SystemTime> {
    let folder = repository.commondir();
    let file = fs::metadata(folder.join(name)).or_else(|_| fs::metadata(folder.join("packed-refs")));
    file.ok()?.modified().ok()
}

/// The records of each branch.
pub(super) fn branches(records: &[Record]) -> BTreeMap<&str, Vec<&Record>> {
    let mut branches: BTreeMap<&str, Vec<&Record>> = BTreeMap::new();
    for record in records {
        branches.entry(&record.reference).or_default().push(record);
    }
    branches
}

/// Whether a branch is unreadable, or was rolled back without a reflog entry. A missing branch counts as deleted, unless it is
/// the current one.
fn has_lost_branch(repository: &Repository, name: &str, records: &[&Record]) -> bool {
    let Some(record) = records.last() else { return false };
    let Ok(last) = Oid::from_str(&record.new) else { return false };
    let Ok(current) = head::target(repository, name) else { return true };
    let current_id = current.map(|id| id.to_string());
    // A commit is logged before the branch moves, so a writer that was killed or refused has not moved it.
    if current == Some(last) || (current_id == record.old && !was_at(repository, name, last)) {
        return false;
    }
    let is_logged = |id: &String| records.iter().any(|record| record.old.as_ref() == Some(id) || record.new == *id);
    match &current_id {
        Some(id) => is_logged(id) && !was_moved_away(repository, name, last),
        None => {
            let head = repository.find_reference("HEAD");
            head.is_ok_and(|head| matches!(head.symbolic_target(), Ok(Some(branch)) if branch == name))
        }
    }
}

/// Whether the reflog has a move to `commit`.
fn was_at(repository: &Repository, name: &str, commit: Oid) -> bool {
    let Ok(history) = repository.reflog(name) else { return false };
    history.iter().any(|entry| entry.id_new() == commit)
}

/// Whether the reflog has a move away from `commit`.
pub(super) fn was_moved_away(repository: &Repository, name: &str, commit: Oid) -> bool {
    let Ok(history) = repository.reflog(name) else { return false };
    history.iter().any(|entry| entry.id_old() == commit)
}

/// The path of a loose object.
pub(super) fn loose_path(repository: &Repository, id: &str) -> PathBuf {
    let (folder, file) = id.split_at_checked(2).unwrap_or((id, ""));
    repository.commondir().join("objects").join(folder).join(file)
}

/// Whether an object exists as a file that is not empty, or in a pack.
pub(super) fn is_there(repository: &Repository, id: &str) -> bool {
    match fs::metadata(loose_path(repository, id)) {
        Ok(file) => file.len() > 0,
        Err(_) => Oid::from_str(id).is_ok_and(|id| repository.odb().is_ok_and(|odb| odb.exists(id))),
    }
}

/// Whether the file of an object exists and is empty.
pub(super) fn is_truncated(repository: &Repository, id: &str) -> bool {
    fs::metadata(loose_path(repository, id)).is_ok_and(|file| file.len() == 0)
}

/// Whether the current commit and its tree exist. `false` also for a branch without commits. Needs three file system calls.
pub(crate) fn has_head(repository: &Repository) -> bool {
    let Ok(Some(commit)) = head::target(repository, "HEAD") else { return false };
    let tree = repository.find_commit(commit).map(|commit| commit.tree_id().to_string());
    is_there(repository, &commit.to_string()) && tree.is_ok_and(|tree| is_there(repository, &tree))
}

/// Refuses a repository whose current commit or root tree cannot be read. Objects below are not checked.
pub(crate) fn check_head(repository: &Repository) -> Result<(), GitError> {
    let read = || -> Result<(), git2::Error> {
        let Some(commit) = head::target(repository, "HEAD")? else { return Ok(()) };
        let tree = repository.find_commit(commit)?.tree_id();
        repository.odb()?.read(tree).map(drop)
    };
    read().map_err(|_| GitError::Incomplete)
}
