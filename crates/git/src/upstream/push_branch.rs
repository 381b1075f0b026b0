//! Pushes local commits, and retries until the remote has them.

use super::pace::{self, PrecedingFetch};
use super::upstream::Upstream;
use crate::backoff::Backoff;
use crate::branches::references::{at, branch_reference, is_contention, tracking_reference};
use crate::durability::finish_write::finish_write;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::objects::object_reader::{self, ReadObject};
use crate::objects::trees::Trees;
use crate::remote::remote::{PushAnswer, RefUpdate};
use git2::{ObjectType, Oid, Repository};
use std::time::Instant;

impl Upstream {
    /// Pushes the branch, after integrating foreign commits if necessary. Returns the commit of the remote.
    pub(crate) fn push_branch(
        &self,
        repository: &Repository,
        deadline: &ExchangeDeadline,
    ) -> Result<Option<Oid>, GitError> {
        let branch = &self.options().branch;
        let (name, tracking) = (branch_reference(branch), tracking_reference(branch));
        let mut backoff = Backoff::new();
        let (mut began, mut before) = (Instant::now(), PrecedingFetch::None);
        loop {
            let (local, known) = (at(repository, &name)?, at(repository, &tracking)?);
            let Some(new) = local.filter(|_| local != known) else {
                self.push_backups(repository, deadline);
                return Ok(local);
            };
            self.check_push_policy(repository, known, new, deadline)?;
            let update = RefUpdate { name: name.clone(), old: known, new };
            let answer = self.remote.push(repository, &update, &self.options().limits, deadline)?;
            if answer == PushAnswer::Moved {
                self.set_tracking(&tracking, new)?;
                self.pace.pushed(began.elapsed(), before);
                self.push_backups(repository, deadline);
                // Later commits are part of the next push, so that other machines get a turn.
                return Ok(Some(new));
            }
            // Wait before the fetch, so that its result is current.
            let answer = match answer {
                PushAnswer::Stale(Some(theirs)) if Some(theirs) != known => {
                    self.pace.saw_others();
                    PushAnswer::Stale(self.wait_for_idle_branch(&name, theirs, &backoff, deadline)?)
                }
                answer @ (PushAnswer::Moved | PushAnswer::Stale(_) | PushAnswer::Busy) => {
                    backoff.wait(deadline)?;
                    answer
                }
            };
            (began, before) = (Instant::now(), PrecedingFetch::Done);
            match answer {
                PushAnswer::Moved => {}
                PushAnswer::Stale(Some(theirs)) => self.note_landed(&self.integrate(repository, theirs, deadline)?),
                PushAnswer::Stale(None) => self.forget_tracking(repository)?,
                PushAnswer::Busy => {
                    let theirs = self.remote.refs(deadline)?.branches.get(&name).copied();
                    if let Some(theirs) = theirs.filter(|id| Some(*id) != known) {
                        self.note_landed(&self.integrate(repository, theirs, deadline)?);
                    }
                }
            }
        }
    }

    /// Waits until the remote branch stops changing, for at most one turn. Returns its commit.
    fn wait_for_idle_branch(
        &self,
        name: &str,
        theirs: Oid,
        backoff: &Backoff,
        deadline: &ExchangeDeadline,
    ) -> Result<Option<Oid>, GitError> {
        let (give_up_at, mut seen) = (Instant::now() + pace::MAX_TURN, Some(theirs));
        while let Some(pause) = self.pace.next_poll() {
            backoff.wait_about(deadline, pause)?;
            let now = self.remote.refs(deadline)?.branches.get(name).copied();
            if now == seen || Instant::now() >= give_up_at {
                return Ok(now);
            }
            seen = now;
        }
        backoff.wait_briefly(deadline, self.pace.longest_wait())?;
        Ok(seen)
    }

    /// Records that the remote has `commit`. If another writer holds the lock, the next exchange updates the record.
    pub(crate) fn set_tracking(&self, tracking: &str, commit: Oid) -> Result<(), GitError> {
        // Not flushed: a lost update is repeated by the next exchange.
        let (repository, mut lock) = self.store.committer()?;
        // Sets the journal, so that a lock file left by a kill is recognised as stale.
        lock.begin(std::iter::empty())?;
        let set = repository.reference(tracking, commit, true, "push").map(drop);
        finish_write(&repository, lock, &self.store.context());
        match set {
            Err(error) if !is_contention(&error) => Err(GitError::git("update a remote-tracking branch", &error)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Checks the files that differ between `new` and the remote against the push policy.
    pub(crate) fn check_push_policy(
        &self,
        repository: &Repository,
        known: Option<Oid>,
        new: Oid,
        deadline: &ExchangeDeadline,
    ) -> Result<(), GitError> {
        let Some(push_policy) = self.push_policy.get() else { return Ok(()) };
        let trees = Trees::new(repository, self.options().limits).with_deadline(deadline);
        let tree = trees.of(Some(new))?;
        let changes = trees.changes(trees.of(known)?, tree)?;
        let paths: Vec<&str> = changes.all.iter().map(|change| change.path.as_str()).collect();
        let text_of = |path: &str| {
            let entry = trees.entry(tree, path).ok().flatten()?;
            let most = self.options().limits.object_bytes();
            match object_reader::read(repository, entry.id, ObjectType::Blob, most).ok()? {
                ReadObject::Content(bytes) => String::from_utf8(bytes).ok(),
                ReadObject::TooLarge | ReadObject::Missing => None,
            }
        };
        match push_policy.refusal(&paths, &text_of) {
            Some(reason) => Err(GitError::Held { reason }),
            None => Ok(()),
        }
    }
}
