//! Copying commits, with all that belongs to them, between two repositories on this machine.

use git2::{ObjectType, Odb, Oid, Repository, Tree};
use std::io::Write;

/// Up to this many commits go object by object, as `git` unpacks a small push. More, and a first copy, go as one pack.
const MOST_LOOSE: usize = 64;

/// Makes `tip` and its history complete in `to`. `known` are commits that are complete there.
pub(super) fn copy(from: &Repository, to: &Repository, tip: Oid, known: &[Oid]) -> Result<(), git2::Error> {
    let (source, target) = (from.odb()?, to.odb()?);
    let mut walk = from.revwalk()?;
    walk.set_sorting(git2::Sort::TOPOLOGICAL | git2::Sort::REVERSE)?;
    walk.push(tip)?;
    let shared: Vec<Oid> = known.iter().copied().filter(|id| source.exists(*id)).collect();
    for id in &shared {
        walk.hide(*id)?;
    }
    let commits = walk.collect::<Result<Vec<_>, _>>()?;
    if shared.is_empty() || commits.len() > MOST_LOOSE {
        return copy_pack(from, &target, tip, known);
    }
    // Parents first, and of each commit the files first: a kill in between leaves nothing that lacks its parts.
    for id in commits {
        let commit = from.find_commit(id)?;
        let parent = commit.parent(0).ok().map(|parent| parent.tree()).transpose()?;
        copy_tree(from, &source, &target, &commit.tree()?, parent.as_ref())?;
        copy_object(&source, &target, id)?;
    }
    Ok(())
}

/// Copies the parts of `tree` that `known`, a tree which is complete in the target, does not have.
fn copy_tree(
    from: &Repository,
    source: &Odb<'_>,
    target: &Odb<'_>,
    tree: &Tree<'_>,
    known: Option<&Tree<'_>>,
) -> Result<(), git2::Error> {
    for entry in tree {
        let twin = known.and_then(|known| known.get_name_bytes(entry.name_bytes()));
        if twin.as_ref().is_some_and(|twin| twin.id() == entry.id()) {
            continue;
        }
        match entry.kind() {
            Some(ObjectType::Tree) => {
                let known = twin.filter(|twin| twin.kind() == Some(ObjectType::Tree));
                let known = known.map(|twin| from.find_tree(twin.id())).transpose()?;
                copy_tree(from, source, target, &from.find_tree(entry.id())?, known.as_ref())?;
            }
            Some(ObjectType::Blob) => copy_object(source, target, entry.id())?,
            // A submodule's commit lives in its own repository.
            Some(ObjectType::Any | ObjectType::Commit | ObjectType::Tag) | None => {}
        }
    }
    copy_object(source, target, tree.id())
}

fn copy_object(source: &Odb<'_>, target: &Odb<'_>, id: Oid) -> Result<(), git2::Error> {
    if target.exists(id) {
        return Ok(());
    }
    let object = source.read(id)?;
    target.write(object.kind(), object.data()).map(drop)
}

fn copy_pack(from: &Repository, target: &Odb<'_>, tip: Oid, known: &[Oid]) -> Result<(), git2::Error> {
    let pack = pack_of(from, tip, known)?;
    let mut writer = target.packwriter()?;
    writer.write_all(&pack).map_err(|error| git2::Error::from_str(&error.to_string()))?;
    writer.commit().map(drop)
}

/// One pack with all of `tip` that is not in `known`.
pub(super) fn pack_of(from: &Repository, tip: Oid, known: &[Oid]) -> Result<Vec<u8>, git2::Error> {
    let source = from.odb()?;
    let mut walk = from.revwalk()?;
    walk.push(tip)?;
    for id in known.iter().filter(|id| source.exists(**id)) {
        walk.hide(*id)?;
    }
    let mut builder = from.packbuilder()?;
    builder.set_threads(1);
    builder.insert_walk(&mut walk)?;
    let mut pack = git2::Buf::new();
    builder.write_buf(&mut pack)?;
    Ok(pack.to_vec())
}
