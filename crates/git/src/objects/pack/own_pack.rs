//! Packs of the repository's own objects: for a push, and to replace loose objects.

use super::finish::{self, Temporary};
use super::incoming_pack::IncomingPack;
use super::keep_file::KeepFile;
use super::resolve::resolve;
use super::scan::scan;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::Limits;
use git2::{Oid, Repository};
use std::fs::File;
use std::io::{Seek, Write};

/// Minimum size limit of such a pack.
const OWN_PACK_BYTES: u64 = 128 << 20;

/// Creates a pack of these objects in an unnamed temporary file; returns it with its length.
pub(crate) fn pack_file(
    repository: &Repository,
    ids: impl Iterator<Item = Oid>,
    deadline: &ExchangeDeadline,
) -> Result<(File, u64), GitError> {
    let failed = |error: git2::Error| GitError::git("pack objects", &error);
    let unwritten = GitError::io("pack objects");
    let mut builder = repository.packbuilder().map_err(failed)?;
    builder.set_threads(1);
    for id in ids {
        builder.insert_object(id, None).map_err(failed)?;
    }
    let dir = repository.commondir().join("objects").join("pack");
    std::fs::create_dir_all(&dir).map_err(&unwritten)?;
    let mut temporary = Temporary::new(&dir, "pack").map_err(&unwritten)?;
    let mut file = temporary.file.try_clone().map_err(&unwritten)?;
    let mut result = Ok(());
    let written = builder.foreach(|bytes| {
        result = deadline.remaining().and_then(|_| temporary.file.write_all(bytes).map_err(&unwritten));
        result.is_ok()
    });
    result?;
    written.map_err(failed)?;
    let length = file.stream_position().map_err(&unwritten)?;
    file.rewind().map_err(&unwritten)?;
    Ok((file, length))
}

/// A stored pack: the ids found when it was read back. `git` keeps it until this is dropped, so that its owner can remove other
/// copies of the objects first.
pub(crate) struct OwnPack {
    pub(crate) ids: Vec<Oid>,
    _keep: KeepFile,
}

/// Stores these objects in a new pack, synced to disk. The caller holds the lock for packing.
pub(crate) fn store(
    repository: &Repository,
    ids: &[Oid],
    limits: &Limits,
    deadline: &ExchangeDeadline,
) -> Result<OwnPack, GitError> {
    // The limit applies to data from a remote.
    let limits = &Limits { fetch_bytes: limits.fetch_bytes.max(OWN_PACK_BYTES), ..*limits };
    let failed = GitError::io("store a pack");
    let (mut source, _) = pack_file(repository, ids.iter().copied(), deadline)?;
    let dir = repository.commondir().join("objects").join("pack");
    let mut temporary = Temporary::new(&dir, "pack").map_err(&failed)?;
    let mut incoming = IncomingPack::new(&mut source, temporary.file.try_clone().map_err(&failed)?, limits, deadline);
    let mut scanned = scan(&mut incoming, limits)?;
    let (_, sum) = incoming.finish()?;
    resolve(&mut scanned, &mut temporary.file, limits, deadline)?;
    let path = finish::new_path(&dir).map_err(&failed)?;
    let keep = KeepFile::create(&path).map_err(&failed)?;
    finish::keep_whole(path, &dir, temporary, &scanned.entries, &sum)?;
    let ids = scanned.entries.iter().filter_map(|entry| Some(entry.known?.id)).collect();
    Ok(OwnPack { ids, _keep: keep })
}
