//! Stores a checked and complete pack in the repository.

use super::incoming_pack::PackSum;
use super::pack_index::{self, Indexed};
use super::references::CommitLinks;
use super::resolve::Objects;
use super::scan::{Base, Entry};
use crate::git_error::GitError;
use crate::limits::Limits;
use crate::objects::raw_tree;
use git2::{ObjectType, Odb, Oid};
use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Packs of up to this many objects are stored as loose objects, as `git` does, so that small fetches do not leave packs.
const MAX_LOOSE: usize = 100;

/// A temporary file, removed on drop unless it was renamed by [`Self::keep`].
pub(crate) struct Temporary {
    path: PathBuf,
    pub(crate) file: File,
}

impl Temporary {
    pub(crate) fn new(dir: &Path, kind: &str) -> io::Result<Self> {
        let mut chance = [0; 8];
        getrandom::fill(&mut chance).map_err(io::Error::other)?;
        // `git gc` removes files with this name if the process dies.
        let path = dir.join(format!("tmp_{kind}_{:016x}", u64::from_le_bytes(chance)));
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        Ok(Self { path, file })
    }

    /// Syncs the file and renames it to its final name.
    pub(super) fn keep(mut self, name: &Path) -> io::Result<()> {
        self.file.set_permissions(for_reading(&self.file)?)?;
        self.file.sync_all()?;
        fs::rename(&self.path, name)?;
        self.path = PathBuf::new();
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // Otherwise `git gc` removes it.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// The permissions of packs in `git`, independent of the umask. Access is restricted by the directories.
#[cfg(unix)]
fn for_reading(_file: &File) -> io::Result<fs::Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Ok(fs::Permissions::from_mode(0o444))
}

#[cfg(not(unix))]
fn for_reading(file: &File) -> io::Result<fs::Permissions> {
    let mut permissions = file.metadata()?.permissions();
    permissions.set_readonly(true);
    Ok(permissions)
}

/// The pack stored by a fetch, if any.
#[derive(Debug, Default)]
pub(crate) struct StoredPack {
    pack: Option<PathBuf>,
}

impl StoredPack {
    /// Removes the pack, because its objects will not be referenced.
    pub(crate) fn discard(self) {
        if let Some(pack) = self.pack {
            // A pack without an index is ignored.
            let _ = fs::remove_file(pack.with_extension("idx"));
            let _ = fs::remove_file(pack);
        }
    }
}

/// Stores the pack, or its objects as loose ones if they are few.
pub(super) fn keep(
    dir: &Path,
    mut pack: Temporary,
    entries: &[Entry],
    sum: &PackSum,
    odb: &Odb<'_>,
    limits: &Limits,
) -> Result<StoredPack, GitError> {
    if entries.len() <= MAX_LOOSE {
        unpack(&mut pack.file, entries, odb, limits)?;
        return Ok(StoredPack::default());
    }
    let path = new_path(dir).map_err(GitError::io("store a pack"))?;
    keep_whole(path, dir, pack, entries, sum)
}

/// Stores the pack at `path`, even if it is small.
pub(super) fn keep_whole(
    path: PathBuf,
    dir: &Path,
    pack: Temporary,
    entries: &[Entry],
    sum: &PackSum,
) -> Result<StoredPack, GitError> {
    let failed = GitError::io("store a pack");
    let index_path = path.with_extension("idx");
    let mut index = Temporary::new(dir, "idx").map_err(&failed)?;
    let mut indexed: Vec<_> = entries
        .iter()
        .filter_map(|entry| Some(Indexed { id: entry.known?.id, crc: entry.crc, offset: entry.offset }))
        .collect();
    indexed.sort_unstable_by_key(|object| object.id);
    let file = index.file.try_clone().map_err(&failed)?;
    index.file = pack_index::write(file, &indexed, sum).map_err(&failed)?;
    pack.keep(&path).map_err(&failed)?;
    let stored = StoredPack { pack: Some(path) };
    if let Err(error) = index.keep(&index_path).and_then(|()| sync_dir(dir)) {
        stored.discard();
        return Err(failed(error));
    }
    Ok(stored)
}

/// A path that no pack has had. A `git repack` removes at its end the packs that it found at its start, by name: a pack with the
/// name of one of them, as with a checksum for its name, would be removed too.
pub(super) fn new_path(dir: &Path) -> io::Result<PathBuf> {
    let mut chance = [0; 20];
    getrandom::fill(&mut chance).map_err(io::Error::other)?;
    let name: String = chance.iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(dir.join(format!("pack-{name}.pack")))
}

/// Writes loose objects, dependencies first. After a kill every stored object is complete, so none has to be fetched again.
fn unpack(file: &mut File, entries: &[Entry], odb: &Odb<'_>, limits: &Limits) -> Result<(), GitError> {
    let mut objects = Objects::new(file, entries, limits);
    let base_of = |index: u32| match entries.get(index as usize)?.base {
        Base::Entry(base) => Some(base),
        Base::None | Base::Named(_) => None,
    };
    let known = || (0_u32..).zip(entries).filter_map(|(index, entry)| Some((index, entry.known?)));
    let here: HashSet<Oid> = known().map(|(_, known)| known.id).collect();
    let mut parts = HashMap::new();
    for (index, known) in known() {
        let mut needed = parts_of(known.kind, &objects.read(index, &base_of)?)?;
        needed.retain(|id| here.contains(id));
        parts.insert(known.id, (index, known.kind, needed));
    }
    for (index, kind) in parts_first(parts) {
        let content = objects.read(index, &base_of)?;
        odb.write(kind, &content).map_err(|error| GitError::git("store what the remote sent", &error))?;
    }
    Ok(())
}

/// The dependencies of an object.
fn parts_of(kind: ObjectType, content: &[u8]) -> Result<Vec<Oid>, GitError> {
    match kind {
        ObjectType::Commit => {
            let CommitLinks { tree, mut parents } = CommitLinks::read(content)?;
            parents.push(tree);
            Ok(parents)
        }
        ObjectType::Tree => raw_tree::entries(content)
            .map(|entry| entry.map(|entry| entry.id))
            .collect::<Result<_, _>>()
            .map_err(|_| GitError::protocol("it has an invalid folder")),
        ObjectType::Blob | ObjectType::Tag | ObjectType::Any => Ok(Vec::new()),
    }
}

/// The objects in dependency order, each once.
fn parts_first(mut objects: HashMap<Oid, (u32, ObjectType, Vec<Oid>)>) -> Vec<(u32, ObjectType)> {
    let mut ordered = Vec::with_capacity(objects.len());
    let mut waiting: Vec<Oid> = objects.keys().copied().collect();
    while let Some(id) = waiting.last().copied() {
        match objects.get_mut(&id).map(|(index, kind, parts)| (*index, *kind, parts.pop())) {
            Some((_, _, Some(part))) => waiting.push(part),
            Some((index, kind, None)) => {
                ordered.push((index, kind));
                objects.remove(&id);
                waiting.pop();
            }
            None => drop(waiting.pop()),
        }
    }
    ordered
}

/// Syncs a directory, which makes new names durable.
fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::parts_first;
    use git2::{ObjectType, Oid};
    use std::collections::HashMap;

    #[test]
    fn objects_come_after_their_dependencies() {
        let id = |number: u8| Oid::from_bytes(&[number; 20]).unwrap();
        // A commit needs a folder and a parent; the folders share a file.
        let needs: [&[u8]; 6] = [&[1, 2], &[3, 4], &[4], &[4, 5], &[], &[]];
        let objects: HashMap<_, _> = (0_u8..)
            .zip(needs)
            .map(|(number, parts)| {
                let parts = parts.iter().map(|part| id(*part)).collect();
                (id(number), (u32::from(number), ObjectType::Blob, parts))
            })
            .collect();
        let order: Vec<u32> = parts_first(objects).into_iter().map(|(index, _)| index).collect();
        assert_eq!(order.len(), needs.len());
        let place = |number: u8| order.iter().position(|index| *index == u32::from(number)).unwrap();
        for (number, parts) in (0_u8..).zip(needs) {
            assert!(parts.iter().all(|part| place(*part) < place(number)), "{number} in {order:?}");
        }
    }
}
