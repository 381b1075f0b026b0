//! The store and its remote: what comes in, what goes out, and what became of commits on the way.

use super::pace::Pace;
use super::push_policy::PushPolicy;
use super::reachability::Reachability;
use super::replay::Replayed;
use super::warnings;
use crate::branches::backup_branch;
use crate::branches::references::{at, tracking_reference};
use crate::commit_id::CommitId;
use crate::exchange_deadline::{ExchangeDeadline, Halt};
use crate::git_error::GitError;
use crate::limits::Limit;
use crate::objects::pack::StoredPack;
use crate::objects::trees::Trees;
use crate::pull_request::forge_api::ForgeApi;
use crate::pull_request::pull_request::{Describe, PullRequest, PullRequestText};
use crate::remote::remote::{PushAnswer, RefUpdate, Remote, Want};
use crate::store::git_store::GitStore;
use crate::store::landing::Landed;
use crate::store_options::StoreOptions;
use git2::{Oid, Repository};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

/// Commits of recent history that are named to the remote as present.
const MAX_HAVES: usize = 64;
const SHORT_HASH: usize = 10;
/// Commits that came in since, among which one that another process has replayed is looked for.
const MAX_REPLAYED: usize = 10_000;

/// A store with a remote.
pub struct Upstream {
    pub(crate) store: Arc<GitStore>,
    pub(crate) remote: Box<dyn Remote>,
    pub(crate) forge: Option<Box<dyn ForgeApi>>,
    pub(crate) describe: Box<dyn Describe>,
    /// One exchange with the remote at a time.
    pub(crate) turn: Mutex<()>,
    /// Local commits that were put on top of others' since they were made.
    rewrites: Mutex<Rewrites>,
    /// Pull requests that are known to be open, by branch, and what they say.
    pub(crate) pull_requests: Mutex<HashMap<String, (PullRequest, PullRequestText)>>,
    /// A commit of the remote that goes beyond a limit: it is not asked for again.
    refused: Mutex<Option<(Oid, Limit)>>,
    /// How often others' commits have moved the branch.
    foreign_updates: AtomicUsize,
    /// When the next push may begin.
    pub(crate) pace: Pace,
    /// Whether the remote answers.
    pub(crate) reach: Reachability,
    /// What the user should know and nobody has been told yet.
    notices: Mutex<Vec<String>>,
    /// Ends every exchange.
    pub(crate) halt: Halt,
    /// Who is asked before a push.
    pub(crate) push_policy: OnceLock<Arc<dyn PushPolicy>>,
}

#[derive(Default)]
struct Rewrites {
    now: HashMap<Oid, Oid>,
    /// By path and commit; the branch that keeps our version.
    conflicts: HashMap<(String, Oid), String>,
}

/// What a local commit has become.
pub(crate) enum CommitOutcome {
    Survives(Oid),
    Conflict(GitError),
}

impl Upstream {
    pub(crate) fn new(
        store: Arc<GitStore>,
        remote: Box<dyn Remote>,
        forge: Option<Box<dyn ForgeApi>>,
        describe: Box<dyn Describe>,
        halt: Halt,
    ) -> Self {
        let (turn, rewrites, pull_requests) = (Mutex::default(), Mutex::default(), Mutex::default());
        let (refused, foreign_updates, notices) = (Mutex::default(), AtomicUsize::default(), Mutex::default());
        let (pace, reach, push_policy) = (Pace::default(), Reachability::default(), OnceLock::new());
        Self {
            store,
            remote,
            forge,
            describe,
            turn,
            rewrites,
            pull_requests,
            refused,
            foreign_updates,
            pace,
            reach,
            notices,
            halt,
            push_policy,
        }
    }

    /// The time for one exchange that begins now.
    pub(crate) fn deadline(&self) -> ExchangeDeadline {
        ExchangeDeadline::new(self.options().limits.time, &self.halt)
    }

    pub(crate) fn options(&self) -> &StoreOptions {
        &self.store.options
    }

    /// Fetches `want` unless it is here, and passes the fetched commit to `land`. When `land` finds a limit exceeded, the
    /// fetched pack is removed.
    pub(crate) fn fetch<T>(
        &self,
        repository: &Repository,
        want: Want<'_>,
        deadline: &ExchangeDeadline,
        land: impl Fn(Oid) -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        if let Some((_, limit)) = self.refused.lock().filter(|(refused, _)| *refused == want.id) {
            return Err(GitError::RemoteLimit(limit));
        }
        let limits = &self.options().limits;
        let fetch = |have: &[Oid]| self.remote.fetch(repository, want, have, limits, deadline);
        // A commit is written after all that it needs: if it is here, so is the rest.
        let is_here = repository.find_commit(want.id).is_ok();
        let mut fetched = if is_here { Ok((want.id, StoredPack::default())) } else { fetch(&recent(repository)) };
        let mut landed = fetched.as_ref().map_or(Ok(None), |(id, _)| land(*id).map(Some));
        if matches!(landed, Err(GitError::Incomplete)) {
            // Unless the repository was damaged since: then all of it is asked for once more.
            fetched = fetch(&[]);
            landed = fetched.as_ref().map_or(Ok(None), |(id, _)| land(*id).map(Some));
        }
        let limit = match (&fetched, &landed) {
            (Err(GitError::RemoteLimit(limit)), _) | (_, Err(GitError::RemoteLimit(limit))) => Some(*limit),
            _ => None,
        };
        if let Some(limit) = limit {
            let id = fetched.as_ref().map_or(want.id, |(id, _)| *id);
            *self.refused.lock() = Some((id, limit));
        }
        match (fetched, landed) {
            (Ok(_), Ok(Some(landed))) => Ok(landed),
            (Ok((_, fetched)), Err(error)) => {
                if limit.is_some() {
                    fetched.discard();
                }
                Err(error)
            }
            (Err(error), _) => Err(error),
            (Ok(_), Ok(None)) => Err(GitError::Incomplete),
        }
    }

    /// Sends the branches that keep what did not fit; a failure leaves them for next time.
    pub(crate) fn push_backups(&self, repository: &Repository, deadline: &ExchangeDeadline) {
        let Ok(references) = repository.references_glob(&format!("refs/heads/{}*", backup_branch::PREFIX)) else {
            return;
        };
        for reference in references.flatten() {
            let (Ok(name), Ok(short), Some(new)) = (reference.name(), reference.shorthand(), reference.target()) else {
                continue;
            };
            let tracking = tracking_reference(short);
            if repository.find_reference(&tracking).is_ok() {
                continue;
            }
            let shared = at(repository, &tracking_reference(&self.options().branch)).ok().flatten();
            if self.check_push_policy(repository, shared, new, deadline).is_err() {
                continue;
            }
            let update = RefUpdate { name: name.to_owned(), old: None, new };
            let pushed = self.remote.push(repository, &update, &self.options().limits, deadline);
            if matches!(pushed, Ok(PushAnswer::Moved)) {
                let _ = repository.reference(&tracking, new, true, "push");
            }
        }
    }

    /// Notes that others' commits are about to move the branch. Whoever counts one too many looks once too often.
    pub(crate) fn count_foreign_update(&self) {
        self.foreign_updates.fetch_add(1, Ordering::Relaxed);
    }

    /// Notes that the remote's branch no longer has `before`, which it had: somebody put another history in its place. The
    /// commit is kept here, on no branch, so that what it held can be gone back to.
    pub(crate) fn note_replaced(&self, repository: &Repository, before: Oid) -> Result<(), GitError> {
        let id = before.to_string();
        let short: String = id.chars().take(SHORT_HASH).collect();
        repository
            .reference(&format!("refs/tgp/replaced-{short}"), before, true, "keep")
            .map_err(|error| GitError::git("keep a history that the remote has replaced", &error))?;
        self.notice(format!(
            "The remote's branch was replaced by another history. Files that only the old one had are gone here too; they are kept in the commit {id}, and a revert of the file to it brings one back."
        ));
        Ok(())
    }

    /// Notes what the user is to be told by the next exchange that somebody waits for.
    pub(crate) fn notice(&self, text: String) {
        self.notices.lock().push(text);
    }

    /// As [`Self::notice`], for a landing on the way to a push.
    pub(crate) fn note_landed(&self, landed: &Landed) {
        self.notices.lock().extend(warnings::of_landing(landed));
    }

    pub(crate) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock())
    }

    /// How often others' commits have moved the branch, whatever the exchange was for and however it ended.
    pub(crate) fn foreign_update_count(&self) -> usize {
        self.foreign_updates.load(Ordering::Relaxed)
    }

    /// Notes what a replay did, and makes the branch that keeps what did not fit.
    pub(crate) fn note(&self, repository: &Repository, tip: Oid, replayed: &Replayed) -> Result<(), GitError> {
        let mut rewrites = self.rewrites.lock();
        if !replayed.conflicts.is_empty() {
            let branch = backup_branch::back_up_commit(repository, tip)?;
            for conflict in &replayed.conflicts {
                rewrites.conflicts.insert((conflict.path.clone(), conflict.commit), branch.clone());
            }
        }
        rewrites.now.extend(&replayed.rewritten);
        Ok(())
    }

    /// What has become of `commit`, which changed `path`, now that its branch is at `head`.
    pub(crate) fn commit_outcome(
        &self,
        repository: &Repository,
        path: &str,
        commit: Oid,
        head: Oid,
    ) -> Result<CommitOutcome, GitError> {
        let mut rewrites = self.rewrites.lock();
        let mut id = commit;
        loop {
            if let Some(branch) = rewrites.conflicts.remove(&(path.to_owned(), id)) {
                return Ok(CommitOutcome::Conflict(conflict(path, id, &branch)));
            }
            match rewrites.now.get(&id) {
                Some(next) if *next != id => id = *next,
                _ => break,
            }
        }
        if id == head || repository.graph_descendant_of(head, id).unwrap_or(false) {
            return Ok(CommitOutcome::Survives(id));
        }
        drop(rewrites);
        // Another process put it on top of others' commits.
        if let Some(id) = replayed_as(repository, &Trees::new(repository, self.options().limits), path, id, head)? {
            return Ok(CommitOutcome::Survives(id));
        }
        let branch = backup_branch::back_up_commit(repository, id)?;
        Ok(CommitOutcome::Conflict(conflict(path, id, &branch)))
    }

    /// The conflicts met since the last call, for callers that do not ask about a commit of theirs.
    pub(crate) fn take_conflicts(&self) -> Vec<GitError> {
        let conflicts = std::mem::take(&mut self.rewrites.lock().conflicts);
        conflicts.iter().map(|((path, commit), branch)| conflict(path, *commit, branch)).collect()
    }

    /// Forgets the names of commits that nobody can ask about any more. Conflicts stay until somebody was told.
    pub(crate) fn forget_rewrites(&self) {
        self.rewrites.lock().now.clear();
    }
}

fn conflict(path: &str, commit: Oid, branch: &str) -> GitError {
    let commit = CommitId::from(commit).as_str().to_owned();
    GitError::Conflict { path: path.to_owned(), commit, branch: branch.to_owned() }
}

/// The commit before `head` that stands for `commit`, which changed `path`, since another process replayed it: by the same
/// author, at the same time, with the same message and the same file. One that left it out found the same file there; then it
/// is the commit that brought it.
fn replayed_as(
    repository: &Repository,
    trees: &Trees<'_>,
    path: &str,
    commit: Oid,
    head: Oid,
) -> Result<Option<Oid>, GitError> {
    let failed = |error: git2::Error| GitError::git("find what became of a commit", &error);
    let ours = trees.entry(trees.of(Some(commit))?, path)?;
    let original = repository.find_commit(commit).map_err(failed)?;
    let is_same = |other: &git2::Commit<'_>| {
        other.message_raw_bytes() == original.message_raw_bytes()
            && other.author().to_string() == original.author().to_string()
            && other.author().when() == original.author().when()
            && other.committer().when() == original.committer().when()
    };
    let mut walk = repository.revwalk().map_err(failed)?;
    walk.push(head).and_then(|()| walk.hide(commit)).and_then(|()| walk.simplify_first_parent()).map_err(failed)?;
    let mut brought = None;
    for id in walk.take(MAX_REPLAYED) {
        let other = repository.find_commit(id.map_err(failed)?).map_err(failed)?;
        if trees.entry(Some(other.tree_id()), path)? != ours {
            continue;
        }
        if is_same(&other) {
            return Ok(Some(other.id()));
        }
        let before = trees.of(other.parent_id(0).ok())?;
        if brought.is_none() && trees.entry(before, path)? != ours {
            brought = Some(other.id());
        }
    }
    Ok(brought)
}

/// What is known to be complete here: the branches, and some of the history before them.
fn recent(repository: &Repository) -> Vec<Oid> {
    let walk = || {
        let mut walk = repository.revwalk()?;
        walk.push_glob("refs/heads/*")?;
        walk.push_glob("refs/remotes/origin/*")?;
        walk.take(MAX_HAVES).collect::<Result<Vec<_>, git2::Error>>()
    };
    walk().unwrap_or_default()
}
