//! The interface of a remote repository.

use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::Limits;
use crate::objects::pack::StoredPack;
use git2::{Oid, Repository};
use std::collections::BTreeMap;

/// The branches of a remote by full reference name, and its `HEAD`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct RemoteRefs {
    pub(crate) branches: BTreeMap<String, Oid>,
    /// The commit of the remote's `HEAD`.
    pub(crate) head: Option<Oid>,
}

/// A branch to fetch, and its commit when the remote was listed.
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

/// A compare-and-swap update of a branch of the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RefUpdate {
    /// Full reference name.
    pub(crate) name: String,
    /// The expected commit; `None` if the branch must not exist.
    pub(crate) old: Option<Oid>,
    pub(crate) new: Oid,
}

/// The remote's answer to a [`RefUpdate`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PushAnswer {
    Moved,
    /// The branch has another commit; nothing was moved.
    Stale(Option<Oid>),
    /// The branch was locked; nothing was moved.
    Busy,
}

/// A remote repository. Calls are independent; no connection is kept between them.
pub(crate) trait Remote: Send + Sync {
    /// All branches, in one round trip.
    fn refs(&self, deadline: &ExchangeDeadline) -> Result<RemoteRefs, GitError>;

    /// Fetches `want` with its history into `repository`, within `limits`; `have` are commits that exist there.
    /// Returns the fetched commit, which differs from `want` if the branch has moved.
    fn fetch(
        &self,
        repository: &Repository,
        want: Want<'_>,
        have: &[Oid],
        limits: &Limits,
        deadline: &ExchangeDeadline,
    ) -> Result<(Oid, StoredPack), GitError>;

    /// Sends the missing objects of `update.new` and moves the branch by compare-and-swap.
    fn push(
        &self,
        repository: &Repository,
        update: &RefUpdate,
        limits: &Limits,
        deadline: &ExchangeDeadline,
    ) -> Result<PushAnswer, GitError>;
}
