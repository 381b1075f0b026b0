//! A store with its remote: fetches, pushes, and the tracking of replayed commits.

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

/// Recent commits sent to the remote as haves.
const MAX_HAVES: usize = 64;
const SHORT_HASH: usize = 10;
/// New commits searched for one that another process has replayed.
const MAX_REPLAYED: usize = 10_000;

/// A store with a remote.
pub struct Upstream {
    pub(crate) store: Arc<GitStore>,
    pub(crate) remote: Box<dyn Remote>,
    pub(crate) forge: Option<Box<dyn ForgeApi>>,
    pub(crate) describe: Box<dyn Describe>,
    /// One exchange with the remote at a time.
    pub(crate) turn: Mutex<()>,
    /// Replayed local commits.
    rewrites: Mutex<Rewrites>,
    /// Open pull requests by branch, with their texts.
    pub(crate) pull_requests: Mutex<HashMap<String, (PullRequest, PullRequestText)>>,
    /// A remote commit that exceeds a limit; it is not fetched again.
    refused: Mutex<Option<(Oid, Limit)>>,
    /// Number of times that foreign commits moved the branch.
    foreign_updates: AtomicUsize,
    /// The pace of pushes.
    pub(crate) pace: Pace,
    /// Whether the remote is reachable.
    pub(crate) reachability: Reachability,
    /// Unreported warnings for the user.
    notices: Mutex<Vec<String>>,
    /// Cancels every exchange.
    pub(crate) halt: Halt,
    /// The policy checked before a push.
    pub(crate) push_policy: OnceLock<Arc<dyn PushPolicy>>,
}

#[derive(Default)]
struct Rewrites {
    now: HashMap<Oid, Oid>,
    /// By path and commit: the backup branch with our version.
    conflicts: HashMap<(String, Oid), String>,
}

/// What happened to a local commit.
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
        let (pace, reachability, push_policy) = (Pace::default(), Reachability::default(), OnceLock::new());
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
            reachability,
            notices,
            halt,
            push_policy,
        }
    }

    /// The deadline of an exchange that starts now.
    pub(crate) fn deadline(&self) -> ExchangeDeadline {
        ExchangeDeadline::new(self.options().limits.time, &self.halt)
    }

    pub(crate) fn options(&self) -> &StoreOptions {
        &self.store.options
    }

    /// Fetches `want` unless it exists, and passes the fetched commit to `land`. If `land` exceeds a limit, the fetched pack is
    /// removed.
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
        // A commit is written after its dependencies, so an existing commit is complete.
        let is_here = repository.find_commit(want.id).is_ok();
        let mut fetched = if is_here { Ok((want.id, StoredPack::default())) } else { fetch(&recent(repository)) };
        let mut landed = fetched.as_ref().map_or(Ok(None), |(id, _)| land(*id).map(Some));
        if matches!(landed, Err(GitError::Incomplete)) {
            // The repository was damaged: fetch everything again.
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

    /// Pushes the backup branches; a failure is retried with the next push.
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

    /// Counts a move of the branch to foreign commits. Counting too many is harmless.
    pub(crate) fn count_foreign_update(&self) {
        self.foreign_updates.fetch_add(1, Ordering::Relaxed);
    }

    /// Records that the history of the remote's branch was replaced and no longer has `before`. The commit is kept locally under
    /// a reference, so that its files can be restored.
    pub(crate) fn note_replaced(&self, repository: &Repository, before: Oid) -> Result<(), GitError> {
        let id = before.to_string();
        let short: String = id.chars().take(SHORT_HASH).collect();
        repository
            .reference(&format!("refs/tgp/replaced-{short}"), before, true, "keep")
            .map_err(|error| GitError::git("keep a replaced history", &error))?;
        self.notice(format!(
            "The remote's branch was replaced by another history. Files that only the old one had were removed here too; they are kept in the commit {id}. To restore one, revert the file to that commit."
        ));
        Ok(())
    }

    /// Adds a warning that the next hydrate reports to the user.
    pub(crate) fn notice(&self, text: String) {
        self.notices.lock().push(text);
    }

    /// Adds the warnings of a landing during a push.
    pub(crate) fn note_landed(&self, landed: &Landed) {
        self.notices.lock().extend(warnings::of_landing(landed));
    }

    pub(crate) fn take_notices(&self) -> Vec<String> {
        std::mem::take(&mut self.notices.lock())
    }

    /// Number of times that foreign commits moved the branch, including failed exchanges.
    pub(crate) fn foreign_update_count(&self) -> usize {
        self.foreign_updates.load(Ordering::Relaxed)
    }

    /// Records the result of a replay, and creates a backup branch for conflicts.
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

    /// What happened to `commit`, which changed `path`, when its branch moved to `head`.
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
        // Replayed by another process.
        if let Some(id) = replayed_as(repository, &Trees::new(repository, self.options().limits), path, id, head)? {
            return Ok(CommitOutcome::Survives(id));
        }
        let branch = backup_branch::back_up_commit(repository, id)?;
        Ok(CommitOutcome::Conflict(conflict(path, id, &branch)))
    }

    /// Takes the conflicts since the last call, for callers without a commit of their own.
    pub(crate) fn take_conflicts(&self) -> Vec<GitError> {
        let conflicts = std::mem::take(&mut self.rewrites.lock().conflicts);
        conflicts.iter().map(|((path, commit), branch)| conflict(path, *commit, branch)).collect()
    }

    /// Forgets the ids of replayed commits that are no longer needed. Conflicts are kept until they are reported.
    pub(crate) fn forget_rewrites(&self) {
        self.rewrites.lock().now.clear();
    }
}

fn conflict(path: &str, commit: Oid, branch: &str) -> GitError {
    let commit = CommitId::from(commit).as_str().to_owned();
    GitError::Conflict { path: path.to_owned(), commit, branch: branch.to_owned() }
}

/// The ancestor of `head` that replaced `commit`, which changed `path`, when another process replayed it: a commit with the same
/// author, time, message and file. If the replay skipped it because the file was already the same, the commit that introduced
/// the file.
fn replayed_as(
    repository: &Repository,
    trees: &Trees<'_>,
    path: &str,
    commit: Oid,
    head: Oid,
) -> Result<Option<Oid>, GitError> {
    let failed = |error: git2::Error| GitError::git("find a replayed commit", &error);
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

/// Commits that are complete locally: the branches and some of their ancestors.
fn recent(repository: &Repository) -> Vec<Oid> {
    let walk = || {
        let mut walk = repository.revwalk()?;
        walk.push_glob("refs/heads/*")?;
        walk.push_glob("refs/remotes/origin/*")?;
        walk.take(MAX_HAVES).collect::<Result<Vec<_>, git2::Error>>()
    };
    walk().unwrap_or_default()
}
