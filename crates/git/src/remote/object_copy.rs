//! Copies commits with all their objects to a local repository.

use super::outgoing::{self, Outgoing};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::Limits;
use git2::{Odb, Oid, Repository};
use std::io::{self, Read};

/// Up to this many commits are copied as loose objects, as `git` unpacks small pushes. More, and a first copy, become one pack.
const MAX_LOOSE: usize = 64;

/// Copies `tip` and its history to `to`. `known` are commits that are complete there.
pub(crate) fn copy(
    from: &Repository,
    to: &Repository,
    tip: Oid,
    known: &[Oid],
    limits: &Limits,
    deadline: &ExchangeDeadline,
) -> Result<(), GitError> {
    let failed = |error: git2::Error| GitError::git("push to the remote repository", &error);
    let (source, target) = (from.odb().map_err(failed)?, to.odb().map_err(failed)?);
    let outgoing = Outgoing::find(from, tip, known, limits, deadline)?;
    if !outgoing.is_shared || outgoing.commits.len() > MAX_LOOSE {
        return copy_pack(from, &target, &outgoing, deadline);
    }
    // Dependencies first, so that a kill leaves no incomplete objects.
    for (commit, parts) in &outgoing.commits {
        deadline.remaining()?;
        for id in parts.iter().chain(std::iter::once(commit)) {
            copy_object(&source, &target, *id).map_err(failed)?;
        }
    }
    Ok(())
}

fn copy_object(source: &Odb<'_>, target: &Odb<'_>, id: Oid) -> Result<(), git2::Error> {
    if target.exists(id) {
        return Ok(());
    }
    let object = source.read(id)?;
    target.write(object.kind(), object.data()).map(drop)
}

fn copy_pack(
    from: &Repository,
    target: &Odb<'_>,
    outgoing: &Outgoing,
    deadline: &ExchangeDeadline,
) -> Result<(), GitError> {
    let failed = |error: git2::Error| GitError::git("push to the remote repository", &error);
    let (pack, length) = outgoing::pack_file(from, outgoing, deadline)?;
    let mut writer = target.packwriter().map_err(failed)?;
    io::copy(&mut pack.take(length), &mut writer).map_err(GitError::io("push to the remote repository"))?;
    writer.commit().map(drop).map_err(failed)
}
