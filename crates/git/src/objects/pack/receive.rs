//! The only entry point for packs from others.

use super::finish::{self, StoredPack, Temporary};
use super::incoming_pack::IncomingPack;
use super::resolve::resolve;
use super::scan::scan;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::Limits;
use git2::{ObjectType, Oid, Repository};
use std::io::Read;

/// Reads a pack from `source` and stores it in `repository`, if `want` is complete with it and no limit is exceeded. Otherwise
/// nothing is stored.
pub(crate) fn receive(
    repository: &Repository,
    source: &mut dyn Read,
    want: Oid,
    limits: &Limits,
    deadline: &ExchangeDeadline,
) -> Result<StoredPack, GitError> {
    let dir = repository.commondir().join("objects").join("pack");
    let failed = GitError::io("store a pack");
    std::fs::create_dir_all(&dir).map_err(&failed)?;
    let mut temporary = Temporary::new(&dir, "pack").map_err(&failed)?;
    let mut incoming = IncomingPack::new(source, temporary.file.try_clone().map_err(&failed)?, limits, deadline);
    let mut scanned = scan(&mut incoming, limits)?;
    let (_, sum) = incoming.finish()?;
    resolve(&mut scanned, &mut temporary.file, limits, deadline)?;
    let odb = repository.odb().map_err(|error| GitError::git("store what the remote sent", &error))?;
    let mut ids: Vec<_> =
        scanned.entries.iter().filter_map(|entry| entry.known).map(|known| (known.id, known.kind)).collect();
    ids.sort_unstable_by_key(|(id, _)| *id);
    let find = |id: Oid| match ids.binary_search_by_key(&id, |(id, _)| *id) {
        Ok(place) => ids.get(place).map(|(_, kind)| *kind),
        Err(_) => odb.read_header(id).ok().map(|(_, kind)| kind),
    };
    if find(want) != Some(ObjectType::Commit) {
        return Err(GitError::protocol("it did not send the commit of its branch"));
    }
    scanned.references.check(find)?;
    finish::keep(&dir, temporary, &scanned.entries, &sum, &odb, limits)
}
