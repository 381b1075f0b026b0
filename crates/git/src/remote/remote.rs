//! What a remote repository can be asked, however it is reached.

use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::Limits;
use crate::objects::pack::StoredPack;
use git2::{Oid, Repository};
use std::collections::BTreeMap;

/// The branches of a remote, as full reference names, and the one it calls its own.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RemoteRefs {
    pub(crate) branches: BTreeMap<String, Oid>,
    /// Where the remote's `HEAD` stands.
    pub(crate) head: Option<Oid>,
}

/// A branch to fetch, and the commit that it had when the remote was listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Want<'name> {
    /// Full reference name, or `HEAD`.
    pub(crate) name: &'name str,
    pub(crate) id: Oid,
}

impl RemoteRefs {
    /// The commit of a reference, `HEAD` included.
    pub(crate) fn at(&self, name: &str) -> Option<Oid> {
        if name == "HEAD" { self.head } else { self.branches.get(name).copied() }
    }
}

/// A request to move a branch of the remote, if it still is where it was thought to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefUpdate {
    /// Full reference name.
    pub(crate) name: String,
    /// `None`: it must not exist yet.
    pub(crate) old: Option<Oid>,
    pub(crate) new: Oid,
}

/// The remote's answer to a [`RefUpdate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PushAnswer {
    Moved,
    /// The branch is elsewhere by now; nothing was moved.
    Stale(Option<Oid>),
    /// The remote was busy with the branch; nothing was moved.
    Busy,
}

/// A repository elsewhere. Every call is on its own; nothing stays open between calls.
pub(crate) trait Remote: Send + Sync {
    /// All branches, in one round trip.
    fn refs(&self, deadline: &ExchangeDeadline) -> Result<RemoteRefs, GitError>;

    /// Brings `want` and all that it needs into `repository`, if nothing goes beyond `limits`; `have` is there already.
    /// Returns the fetched commit, which is another one when the branch has moved since.
    fn fetch(
        &self,
        repository: &Repository,
        want: Want<'_>,
        have: &[Oid],
        limits: &Limits,
        deadline: &ExchangeDeadline,
    ) -> Result<(Oid, StoredPack), GitError>;

    /// Sends what `update.new` needs and moves the branch by compare-and-swap.
    fn push(
        &self,
        repository: &Repository,
        update: &RefUpdate,
        limits: &Limits,
        deadline: &ExchangeDeadline,
    ) -> Result<PushAnswer, GitError>;
}
