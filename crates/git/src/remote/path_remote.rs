//! A remote at a local path.
//!
//! libgit2's push to a path updates the branch without a check, so that two concurrent pushes can both succeed and one is lost.
//! Here objects are copied first, then the branch is updated by compare-and-swap under the lock file of `git`. Writers of this
//! library are serialised by an operating system lock.

use super::foreign::{ForeignRepository, PackServer};
use super::object_copy;
use super::remote::{PushAnswer, RefUpdate, Remote, RemoteRefs, Want};
use crate::durability::repository_lock::RepositoryLock;
use crate::durability::stale_lock::{self, Evidence};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::Limits;
use crate::objects::pack::{self, StoredPack};
use crate::store::repository_owner::open_trusted;
use crate::store::repository_setup::{self, Flush};
use git2::{ErrorCode, OdbLookupFlags, Oid, Repository};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long to wait for other writers.
const LOCK_TIMEOUT: Duration = Duration::from_secs(20);
/// Age at which a reference lock is stale after a writer died. A lock is held for milliseconds.
const STALE_LOCK_AGE: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(20);
/// Attempts to read a remote that is being repacked.
const MAX_READS: usize = 3;

#[derive(Debug)]
pub(crate) struct PathRemote {
    path: PathBuf,
}

impl PathRemote {
    pub(crate) const fn new(path: PathBuf) -> Self {
        Self { path }
    }

    fn open(&self) -> Result<Repository, GitError> {
        match open_trusted(&self.path) {
            Ok(repository) => Ok(repository),
            // An unmounted volume looks the same, so the local copy is used.
            Err(error) if error.code() == ErrorCode::NotFound => Err(GitError::Unreachable {
                reason: "there is no Git repository at its path; create one with `git init --bare`".to_owned(),
            }),
            Err(error) => Err(GitError::git("open the remote repository", &error)),
        }
    }
}

impl Remote for PathRemote {
    fn refs(&self, _: &ExchangeDeadline) -> Result<RemoteRefs, GitError> {
        ForeignRepository::find(&self.path)?.refs()
    }

    fn fetch(
        &self,
        repository: &Repository,
        want: Want<'_>,
        have: &[Oid],
        limits: &Limits,
        deadline: &ExchangeDeadline,
    ) -> Result<(Oid, StoredPack), GitError> {
        let remote = ForeignRepository::find(&self.path)?;
        let odb = repository.odb().map_err(|error| GitError::git("fetch from the remote repository", &error))?;
        let is_known = |id: Oid| !have.is_empty() && odb.exists_ext(id, OdbLookupFlags::NO_REFRESH);
        retry_after_repack(&remote, || {
            let mut pack = PackServer::new(&remote, want.id, &is_known, limits, deadline)?;
            Ok((want.id, pack::receive(repository, &mut pack, want.id, limits, deadline)?))
        })
    }

    fn push(
        &self,
        repository: &Repository,
        update: &RefUpdate,
        limits: &Limits,
        deadline: &ExchangeDeadline,
    ) -> Result<PushAnswer, GitError> {
        let failed = |error: git2::Error| GitError::git("push to the remote repository", &error);
        let foreign = ForeignRepository::find(&self.path)?;
        foreign.check_writable(update, deadline)?;
        let remote = self.open()?;
        if !remote.is_bare() && remote.find_reference("HEAD").is_ok_and(|head| points_at(&head, &update.name)) {
            return Err(GitError::RemoteCheckedOut);
        }
        repository_setup::isolate(&remote, Flush::Each)?;
        let branches = foreign.refs()?.branches;
        let theirs = branches.get(&update.name).copied();
        if theirs == Some(update.new) {
            return Ok(PushAnswer::Moved);
        }
        if theirs != update.old {
            // Checked before copying: a push that must fail should not leave objects in the remote.
            return Ok(PushAnswer::Stale(theirs));
        }
        let known: Vec<Oid> = branches.into_values().collect();
        object_copy::copy(repository, &remote, update.new, &known, limits, deadline)?;
        let mut lock = RepositoryLock::acquire(remote.path(), LOCK_TIMEOUT.min(deadline.remaining()?))?;
        clear_leftover(&remote, &update.name, lock.evidence(), deadline)?;
        lock.begin(std::iter::empty())?;
        let moved = move_branch(&remote, update);
        lock.finish()?;
        match moved {
            Ok(()) => Ok(PushAnswer::Moved),
            Err(error) if error.code() == ErrorCode::Locked => Ok(PushAnswer::Busy),
            Err(error) if matches!(error.code(), ErrorCode::Modified | ErrorCode::Exists | ErrorCode::NotFound) => {
                Ok(PushAnswer::Stale(remote.refname_to_id(&update.name).ok()))
            }
            Err(error) => Err(failed(error)),
        }
    }
}

/// Reads from `remote`, and retries if its packs changed meanwhile, because a repack moves objects.
fn retry_after_repack<T>(
    remote: &ForeignRepository,
    mut read: impl FnMut() -> Result<T, GitError>,
) -> Result<T, GitError> {
    let mut before = remote.pack_indexes()?;
    for _ in 1..MAX_READS {
        let result = read();
        if !matches!(result, Err(GitError::Protocol { .. })) {
            return result;
        }
        let after = remote.pack_indexes()?;
        if after == before {
            return result;
        }
        before = after;
    }
    read()
}

fn points_at(head: &git2::Reference<'_>, name: &str) -> bool {
    matches!(head.symbolic_target(), Ok(Some(target)) if target == name)
}

fn move_branch(remote: &Repository, update: &RefUpdate) -> Result<(), git2::Error> {
    match update.old {
        Some(old) => remote.reference_matching(&update.name, update.new, true, old, "push")?,
        None => remote.reference(&update.name, update.new, false, "push")?,
    };
    Ok(())
}

/// Removes a stale lock file of the branch. A recent one may belong to a running `git`, so it is waited for first.
fn clear_leftover(
    remote: &Repository,
    name: &str,
    evidence: Evidence,
    deadline: &ExchangeDeadline,
) -> Result<(), GitError> {
    let path = remote.commondir().join(format!("{name}.lock"));
    while evidence == Evidence::HolderDied && is_young(&path) {
        deadline.sleep(PAUSE)?;
    }
    stale_lock::clear(&path, evidence).map_err(GitError::io("remove a stale lock of the remote"))
}

fn is_young(path: &Path) -> bool {
    let modified = std::fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age < STALE_LOCK_AGE))
}

#[cfg(test)]
mod tests {
    use super::{ForeignRepository, MAX_READS, PackServer, retry_after_repack};
    use crate::GitError;
    use crate::exchange_deadline::{ExchangeDeadline, Halt};
    use crate::tests::test_repository::{TestRepository, limits};
    use git2::Oid;
    use std::io::Read;
    use std::time::Duration;

    #[test]
    fn a_concurrent_repack_is_retried_and_damage_is_an_error() {
        let test = TestRepository::new();
        for name in ["a", "b"] {
            test.forge(name, name.as_bytes());
        }
        let want = Oid::from_str(test.git(&["rev-parse", "HEAD"]).trim()).unwrap();
        let remote = ForeignRepository::find(&test.root()).unwrap();
        let deadline = ExchangeDeadline::new(Duration::from_secs(60), &Halt::default());
        let mut reads = 0;
        let pack = retry_after_repack(&remote, || {
            reads += 1;
            // Runs after the packs were listed and before an object is read.
            let repack = |_: Oid| {
                test.git(&["repack", "-q", "-a", "-d"]);
                false
            };
            let mut server = PackServer::new(&remote, want, &repack, &limits(), &deadline)?;
            let mut pack = Vec::new();
            server.read_to_end(&mut pack).map_err(GitError::from_stream)?;
            Ok(pack)
        });
        assert_eq!((reads, pack.unwrap().get(..4)), (2, Some(b"PACK".as_slice())));
        let mut reads = 0;
        let damaged = retry_after_repack(&remote, || {
            reads += 1;
            Err::<(), _>(GitError::protocol("damaged"))
        });
        assert!(damaged.is_err());
        assert_eq!(reads, 1);
        let mut reads = 0;
        let restless = retry_after_repack(&remote, || {
            reads += 1;
            std::fs::write(test.git_dir().join(format!("objects/pack/pack-{reads}.idx")), "").unwrap();
            Err::<(), _>(GitError::protocol("damaged"))
        });
        assert!(restless.is_err());
        assert_eq!(reads, MAX_READS);
    }
}
