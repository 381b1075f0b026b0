//! What a remote has to be sent, found without going down a single call per folder: the history may be anybody's.

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

/// Commits in the order in which they can be written, each with the new objects that it needs before it.
#[derive(Debug, Default)]
pub(crate) struct Outgoing {
    pub(crate) commits: Vec<(Oid, Vec<Oid>)>,
    /// Whether the remote is known to have any of the history.
    pub(crate) is_shared: bool,
}

impl Outgoing {
    /// All of `tip` that is not in `known`, which are commits that the remote has.
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

/// What `new` has and `old` has not, the parts of a folder before the folder.
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
    // Folders were met before their parts.
    parts.reverse();
    Ok(parts)
}

/// One pack with all of `outgoing`, in a file without a name, and its length.
pub(crate) fn pack_file(
    repository: &Repository,
    outgoing: &Outgoing,
    deadline: &ExchangeDeadline,
) -> Result<(File, u64), GitError> {
    let all = outgoing.commits.iter().flat_map(|(commit, parts)| std::iter::once(commit).chain(parts));
    pack::pack_file(repository, all.copied(), deadline)
}
