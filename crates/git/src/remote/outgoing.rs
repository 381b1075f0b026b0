//! Collects the objects that a remote needs. Iterative, because the history is untrusted.

use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::Limits;
use crate::objects::pack;
use crate::objects::raw_tree::{self, RawEntry};
use crate::objects::tree_names::TreeNames;
use crate::objects::trees::{Trees, unreadable};
use git2::{ObjectType, Oid, Repository};
use std::collections::HashSet;
use std::fs::File;

/// Commits in dependency order, each with its new objects.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    pub(crate) commits: Vec<(Oid, Vec<Oid>)>,
    /// Whether the remote has any commit of the history.
    pub(crate) is_shared: bool,
}

impl Outgoing {
    /// The objects of `tip` that are not reachable from `known`, the commits of the remote.
    pub(crate) fn find(
        repository: &Repository,
        tip: Oid,
        known: &[Oid],
        limits: &Limits,
        deadline: &ExchangeDeadline,
    ) -> Result<Self, GitError> {
        let failed = |error: git2::Error| GitError::git("find the commits for the remote", &error);
        let mut walk = repository.revwalk().map_err(failed)?;
        walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE)
            .and_then(|()| walk.push(tip))
            .map_err(failed)?;
        let odb = repository.odb().map_err(failed)?;
        let is_commit = |id: Oid| odb.read_header(id).is_ok_and(|(_, kind)| kind == ObjectType::Commit);
        let mut found = Self::default();
        for id in known.iter().filter(|id| odb.exists(**id) && is_commit(**id)) {
            walk.hide(*id).map_err(failed)?;
            found.is_shared = true;
        }
        let trees = Trees::new(repository, *limits);
        let mut seen = HashSet::new();
        for id in walk {
            deadline.remaining()?;
            let id = id.map_err(failed)?;
            let commit = repository.find_commit(id).map_err(failed)?;
            let before = trees.of(commit.parent_id(0).ok())?;
            let parts = new_parts(&trees, before, commit.tree_id(), &mut seen)?;
            found.commits.push((id, parts));
        }
        Ok(found)
    }
}

/// The objects of `new` that are not in `old`, dependencies first.
fn new_parts(trees: &Trees<'_>, old: Option<Oid>, new: Oid, seen: &mut HashSet<Oid>) -> Result<Vec<Oid>, GitError> {
    let mut parts = Vec::new();
    let mut waiting = Vec::new();
    if old != Some(new) && seen.insert(new) {
        waiting.push((old, new));
    }
    while let Some((old, new)) = waiting.pop() {
        parts.push(new);
        let before = old.map(|old| trees.read(old)).transpose()?.unwrap_or_default();
        let known = TreeNames::new(before).map_err(|_| unreadable())?;
        let after = trees.read(new)?;
        for entry in raw_tree::entries(&after) {
            let entry = entry.map_err(|_| unreadable())?;
            let twin = known.find(entry.name);
            if twin.is_some_and(|twin| twin.id == entry.id) {
                continue;
            }
            match entry.kind() {
                Some(ObjectType::Tree) if seen.insert(entry.id) => {
                    waiting.push((twin.filter(RawEntry::is_directory).map(|twin| twin.id), entry.id));
                }
                Some(ObjectType::Blob) if seen.insert(entry.id) => parts.push(entry.id),
                // A submodule's commit lives in its own repository.
                Some(_) | None => {}
            }
        }
    }
    // Directories were visited before their entries.
    parts.reverse();
    Ok(parts)
}

/// Creates a pack of `outgoing` in an unnamed temporary file; returns it with its length.
pub(crate) fn pack_file(
    repository: &Repository,
    outgoing: &Outgoing,
    deadline: &ExchangeDeadline,
) -> Result<(File, u64), GitError> {
    let all = outgoing.commits.iter().flat_map(|(commit, parts)| std::iter::once(commit).chain(parts));
    pack::pack_file(repository, all.copied(), deadline)
}
