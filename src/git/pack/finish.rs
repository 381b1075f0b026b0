//! Keeping what was received, checked and found complete.

use super::pack_index::{self, Indexed};
use super::references::CommitLinks;
use super::resolve::Objects;
use super::scan::{Base, Entry};
use super::tape::PackSum;
use crate::git::git_error::GitError;
use crate::git::limits::Limits;
use git2::{ObjectType, Odb, Oid};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

/// Up to this many objects become files of their own, as `git` does it: else every fetch would leave a pack.
const MOST_LOOSE: usize = 100;

/// A file that is gone when it is dropped, unless it got its real name before.
pub(in crate::git) struct Temporary {
    path: PathBuf,
    pub(in crate::git) file: File,
}

impl Temporary {
    pub(in crate::git) fn new(dir: &Path, kind: &str) -> io::Result<Self> {
        let mut chance = [0; 8];
        getrandom::fill(&mut chance).map_err(io::Error::other)?;
        // The name that `git gc` clears away if we die.
        let path = dir.join(format!("tmp_{kind}_{:016x}", u64::from_le_bytes(chance)));
        let file = File::options().read(true).write(true).create_new(true).open(&path)?;
        Ok(Self { path, file })
    }

    /// Gives the file its name for good, after it is safe on the disk.
    fn keep(mut self, name: &Path) -> io::Result<()> {
        let mut permissions = self.file.metadata()?.permissions();
        permissions.set_readonly(true);
        self.file.set_permissions(permissions)?;
        self.file.sync_all()?;
        fs::rename(&self.path, name)?;
        self.path = PathBuf::new();
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.path.as_os_str().is_empty() {
            // `git gc` clears it away.
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// What a fetch has put into the repository.
#[derive(Debug, Default)]
pub(in crate::git) struct Kept {
    pack: Option<PathBuf>,
}

impl Kept {
    /// Takes the pack away again, because nothing will ever lead to what is in it.
    pub(in crate::git) fn discard(self) {
        if let Some(pack) = self.pack {
            // Without its index nobody looks at a pack.
            let _ = fs::remove_file(pack.with_extension("idx"));
            let _ = fs::remove_file(pack);
        }
    }
}

/// Keeps the pack, or the few objects that are in it.
pub(super) fn keep(
    dir: &Path,
    mut pack: Temporary,
    entries: &[Entry],
    sum: &PackSum,
    odb: &Odb<'_>,
    limits: &Limits,
) -> Result<Kept, GitError> {
    if entries.len() <= MOST_LOOSE {
        unpack(&mut pack.file, entries, odb, limits)?;
        return Ok(Kept::default());
    }
    let failed = GitError::io("store a pack");
    let name: String = sum.iter().map(|byte| format!("{byte:02x}")).collect();
    let path = dir.join(format!("pack-{name}.pack"));
    let index_path = path.with_extension("idx");
    if index_path.exists() {
        return Ok(Kept::default());
    }
    let mut index = Temporary::new(dir, "idx").map_err(&failed)?;
    let mut indexed: Vec<_> = entries
        .iter()
        .filter_map(|entry| Some(Indexed { id: entry.known?.id, crc: entry.crc, offset: entry.offset }))
        .collect();
    indexed.sort_unstable_by_key(|object| object.id);
    let file = index.file.try_clone().map_err(&failed)?;
    index.file = pack_index::write(file, &indexed, sum).map_err(&failed)?;
    pack.keep(&path).map_err(&failed)?;
    let kept = Kept { pack: Some(path) };
    if let Err(error) = index.keep(&index_path).and_then(|()| sync_dir(dir)) {
        kept.discard();
        return Err(failed(error));
    }
    Ok(kept)
}

/// Writes each object to a file of its own; a commit after all that it needs, so that a kill leaves none without its parts.
fn unpack(file: &mut File, entries: &[Entry], odb: &Odb<'_>, limits: &Limits) -> Result<(), GitError> {
    let failed = |error: git2::Error| GitError::git("store what the remote sent", &error);
    let mut objects = Objects::new(file, entries, limits);
    let base_of = |index: u32| match entries.get(index as usize)?.base {
        Base::Entry(base) => Some(base),
        Base::None | Base::Named(_) => None,
    };
    let known = || (0_u32..).zip(entries).filter_map(|(index, entry)| Some((index, entry.known?)));
    let mut links = HashMap::new();
    for (index, known) in known() {
        let content = objects.read(index, &base_of)?;
        match known.kind {
            ObjectType::Commit => {
                links.insert(known.id, (index, CommitLinks::read(&content)?.parents));
            }
            kind @ (ObjectType::Tree | ObjectType::Blob | ObjectType::Tag | ObjectType::Any) => {
                odb.write(kind, &content).map_err(failed)?;
            }
        }
    }
    let mut waiting: Vec<Oid> = links.keys().copied().collect();
    while let Some(id) = waiting.last().copied() {
        match links.get_mut(&id).map(|(index, parents)| (*index, parents.pop())) {
            // Its parents go first, each of them once.
            Some((_, Some(parent))) => waiting.push(parent),
            Some((index, None)) => {
                odb.write(ObjectType::Commit, &objects.read(index, &base_of)?).map_err(failed)?;
                links.remove(&id);
                waiting.pop();
            }
            None => drop(waiting.pop()),
        }
    }
    Ok(())
}

/// The names of new files are safe only when their folder is.
fn sync_dir(dir: &Path) -> io::Result<()> {
    if cfg!(unix) { File::open(dir)?.sync_all() } else { Ok(()) }
}
