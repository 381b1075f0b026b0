//! The store and its remote: what comes in, what goes out, and what became of commits on the way.

use super::commit_id::CommitId;
use super::forge_api::{Describe, ForgeApi, PullRequest, PullRequestText};
use super::git_error::GitError;
use super::git_store::{GitStore, StoreOptions};
use super::head;
use super::kept;
use super::limits::Limit;
use super::pack::Kept;
use super::patience::{Halt, Patience};
use super::remote::{PushAnswer, RefUpdate, Remote};
use super::replay::Replayed;
use super::repository_setup::branch_reference;
use super::trees::Trees;
use super::write_strategy::tracking_reference;
use git2::{Oid, Repository};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Commits of recent history that are named to the remote as present.
const MAX_HAVES: usize = 64;
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// How long rivals are raced against.
const RACE_TIMEOUT: Duration = Duration::from_mins(1);

/// A store with a remote.
pub struct Upstream {
    pub(super) store: Arc<GitStore>,
    pub(super) remote: Box<dyn Remote>,
    pub(super) forge: Option<Box<dyn ForgeApi>>,
    pub(super) describe: Box<dyn Describe>,
    /// One exchange with the remote at a time.
    pub(super) turn: Mutex<()>,
    /// Local commits that were put on top of others' since they were made.
    rewrites: Mutex<Rewrites>,
    /// Pull requests that are known to be open, by branch, and what they say.
    pub(super) pull_requests: Mutex<HashMap<String, (PullRequest, PullRequestText)>>,
    /// A commit of the remote that goes beyond a limit: it is not asked for again.
    refused: Mutex<Option<(Oid, Limit)>>,
    /// Ends every exchange.
    pub(super) halt: Halt,
}

#[derive(Default)]
struct Rewrites {
    now: HashMap<Oid, Oid>,
    /// By path and commit; the branch that keeps our version.
    conflicts: HashMap<(String, Oid), String>,
}

/// What a local commit has become.
pub(super) enum Fate {
    Kept(Oid),
    Conflict(GitError),
}

impl Upstream {
    pub(super) fn new(
        store: Arc<GitStore>,
        remote: Box<dyn Remote>,
        forge: Option<Box<dyn ForgeApi>>,
        describe: Box<dyn Describe>,
        halt: Halt,
    ) -> Self {
        let (turn, rewrites, pull_requests) = (Mutex::default(), Mutex::default(), Mutex::default());
        let refused = Mutex::default();
        Self { store, remote, forge, describe, turn, rewrites, pull_requests, refused, halt }
    }

    /// The time for one exchange that begins now.
    pub(super) fn patience(&self) -> Patience {
        Patience::new(self.options().limits.time, &self.halt)
    }

    pub(super) fn options(&self) -> &StoreOptions {
        &self.store.options
    }

    /// Brings `want` here unless it is, and has `land` make use of it. What `land` finds to be too much is taken away
    /// again.
    pub(super) fn fetch<T>(
        &self,
        repository: &Repository,
        want: Oid,
        patience: &Patience,
        land: impl Fn() -> Result<T, GitError>,
    ) -> Result<T, GitError> {
        if let Some((_, limit)) = self.refused.lock().filter(|(refused, _)| *refused == want) {
            return Err(GitError::RemoteLimit(limit));
        }
        let limits = &self.options().limits;
        let fetch = |have: &[Oid]| self.remote.fetch(repository, want, have, limits, patience);
        // A commit is written after all that it needs: if it is here, so is the rest.
        let is_here = repository.find_commit(want).is_ok();
        let mut kept = if is_here { Ok(Kept::default()) } else { fetch(&recent(repository)) };
        let mut landed = kept.as_ref().map_or(Ok(None), |_| land().map(Some));
        if matches!(landed, Err(GitError::Incomplete)) {
            // Unless the repository was damaged since: then all of it is asked for once more.
            kept = fetch(&[]);
            landed = kept.as_ref().map_or(Ok(None), |_| land().map(Some));
        }
        let limit = match (&kept, &landed) {
            (Err(GitError::RemoteLimit(limit)), _) | (_, Err(GitError::RemoteLimit(limit))) => Some(*limit),
            _ => None,
        };
        if let Some(limit) = limit {
            *self.refused.lock() = Some((want, limit));
        }
        match (kept, landed) {
            (Ok(_), Ok(Some(landed))) => Ok(landed),
            (Ok(kept), Err(error)) => {
                if limit.is_some() {
                    kept.discard();
                }
                Err(error)
            }
            (Err(error), _) => Err(error),
            (Ok(_), Ok(None)) => Err(GitError::Incomplete),
        }
    }

    /// Sends the branches that keep what did not fit; a failure leaves them for next time.
    pub(super) fn push_kept(&self, repository: &Repository, patience: &Patience) {
        let Ok(references) = repository.references_glob(&format!("refs/heads/{}*", kept::PREFIX)) else { return };
        for reference in references.flatten() {
            let (Ok(name), Ok(short), Some(new)) = (reference.name(), reference.shorthand(), reference.target()) else {
                continue;
            };
            let tracking = tracking_reference(short);
            if repository.find_reference(&tracking).is_ok() {
                continue;
            }
            let update = RefUpdate { name: name.to_owned(), old: None, new };
            let pushed = self.remote.push(repository, &update, &self.options().limits, patience);
            if matches!(pushed, Ok(PushAnswer::Moved)) {
                let _ = repository.reference(&tracking, new, true, "push");
            }
        }
    }

    /// Notes what a replay did, and makes the branch that keeps what did not fit.
    pub(super) fn note(&self, repository: &Repository, tip: Oid, replayed: &Replayed) -> Result<(), GitError> {
        let mut rewrites = self.rewrites.lock();
        if !replayed.conflicts.is_empty() {
            let branch = kept::keep_commit(repository, tip)?;
            for conflict in &replayed.conflicts {
                rewrites.conflicts.insert((conflict.path.clone(), conflict.commit), branch.clone());
            }
        }
        rewrites.now.extend(&replayed.rewritten);
        Ok(())
    }

    /// What has become of `commit`, which changed `path`, now that its branch is at `head`.
    pub(super) fn fate(&self, repository: &Repository, path: &str, commit: Oid, head: Oid) -> Result<Fate, GitError> {
        let mut rewrites = self.rewrites.lock();
        let mut id = commit;
        loop {
            if let Some(branch) = rewrites.conflicts.remove(&(path.to_owned(), id)) {
                return Ok(Fate::Conflict(conflict(path, id, &branch)));
            }
            match rewrites.now.get(&id) {
                Some(next) if *next != id => id = *next,
                _ => break,
            }
        }
        if id == head || repository.graph_descendant_of(head, id).unwrap_or(false) {
            return Ok(Fate::Kept(id));
        }
        // Another process moved it. If its content is there, so is the write.
        let trees = Trees::new(repository, self.options().limits);
        let ours = trees.entry(trees.of(Some(id))?, path)?;
        if ours == trees.entry(trees.of(Some(head))?, path)? {
            return Ok(Fate::Kept(head));
        }
        drop(rewrites);
        let branch = kept::keep_commit(repository, id)?;
        Ok(Fate::Conflict(conflict(path, id, &branch)))
    }

    /// The conflicts met since the last call, for callers that do not ask about a commit of theirs.
    pub(super) fn take_conflicts(&self) -> Vec<GitError> {
        let conflicts = std::mem::take(&mut self.rewrites.lock().conflicts);
        conflicts.iter().map(|((path, commit), branch)| conflict(path, *commit, branch)).collect()
    }

    /// Forgets the names of commits that nobody can ask about any more. Conflicts stay until somebody was told.
    pub(super) fn forget_rewrites(&self) {
        self.rewrites.lock().now.clear();
    }
}

/// Pauses that grow, each a random part longer or shorter, until patience ends.
pub(super) struct Backoff {
    deadline: Instant,
    pause: Duration,
}

impl Backoff {
    pub(super) fn new() -> Self {
        Self { deadline: Instant::now() + RACE_TIMEOUT, pause: FIRST_PAUSE }
    }

    pub(super) fn wait(&mut self, patience: &Patience) -> Result<(), GitError> {
        if Instant::now() >= self.deadline {
            return Err(GitError::Contended { seconds: RACE_TIMEOUT.as_secs() });
        }
        patience.sleep(jittered(self.pause))?;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }
}

/// Between half of `pause` and all of it.
pub(super) fn jittered(pause: Duration) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    let share = u32::try_from(RandomState::new().hash_one(0_u8) % 1000).unwrap_or_default();
    pause / 2 + pause * share / 2000
}

/// The commit that a reference leads to.
pub(super) fn at(repository: &Repository, reference: &str) -> Result<Option<Oid>, GitError> {
    head::target(repository, reference).map_err(|error| GitError::git("read a branch", &error))
}

pub(super) fn branch_at(repository: &Repository, branch: &str) -> Result<Option<Oid>, GitError> {
    at(repository, &branch_reference(branch))
}

fn conflict(path: &str, commit: Oid, branch: &str) -> GitError {
    let commit = CommitId::from(commit).as_str().to_owned();
    GitError::Conflict { path: path.to_owned(), commit, branch: branch.to_owned() }
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
