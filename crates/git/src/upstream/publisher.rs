//! Background pushes. Commits that arrive during a push share the next one.

use super::hydrate::Hydrated;
use super::push_policy::PushPolicy;
use super::reachability::ReachabilityListener;
use super::upstream::{CommitOutcome, Upstream};
use crate::branches::pending;
use crate::branches::references::branch_at;
use crate::commit_id::CommitId;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::{IDLE_TIMEOUT, WRITE_IDLE_TIMEOUT};
use crate::pull_request::pull_request::PullRequest;
use crate::store_options::WriteStrategy;
use git2::{Oid, Repository};
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::threads::{self, Next, Panicked, Priority, SleepingThread};

/// Initial and longest pause before a failed push is retried.
const FIRST_RETRY: Duration = Duration::from_secs(2);
const MAX_RETRY: Duration = Duration::from_mins(1);
/// How long a shutdown waits for a remote that is unreachable.
const UNREACHABLE_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
/// How long a cancelled exchange takes to end.
const CANCEL_TIMEOUT: Duration = Duration::from_millis(500);

/// A commit to push, and the callback for its result.
pub struct PushRequest {
    pub path: String,
    pub commit: Option<CommitId>,
    pub done: Box<dyn FnOnce(Result<Published, GitError>) + Send>,
}

/// The result of publishing a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Its current id, which changes when it is replayed on foreign commits.
    pub commit: Option<CommitId>,
    pub delivery: Delivery,
    pub pull_request: Option<PullRequest>,
}

/// Whether a commit has reached the remote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Delivery {
    Remote,
    /// Only local, for this reason; it is pushed later.
    Local(String),
}

/// Pushes commits, one push at a time.
pub struct Publisher {
    shared: Arc<Shared>,
    thread: SleepingThread,
}

struct Shared {
    upstream: Upstream,
    state: Mutex<PublisherState>,
}

struct PublisherState {
    queue: Vec<PushRequest>,
    retry: Option<Instant>,
    pause: Duration,
    is_stopping: bool,
}

impl Publisher {
    #[must_use]
    pub fn new(upstream: Upstream) -> Self {
        let state = PublisherState { queue: Vec::new(), retry: None, pause: FIRST_RETRY, is_stopping: false };
        let shared = Arc::new(Shared { upstream, state: Mutex::new(state) });
        Self { shared, thread: SleepingThread::new("tgp-git", Priority::Normal) }
    }

    /// Queues a commit for the next push. If the remote is unreachable, the request completes at once.
    pub fn submit(&self, request: PushRequest) {
        let state = self.shared.state.lock();
        match self.shared.upstream.reachability.away() {
            Some(reason) => {
                if state.retry.is_none() {
                    // A running exchange may not include this commit.
                    self.enqueue(state, unobserved_request());
                } else {
                    drop(state);
                }
                request.complete_locally(reason);
            }
            None => self.enqueue(state, request),
        }
    }

    fn enqueue(&self, mut state: MutexGuard<'_, PublisherState>, request: PushRequest) {
        if state.is_stopping {
            drop(state);
            request.complete_locally("the kernel was shut down before the push".to_owned());
            return;
        }
        let shared = Arc::clone(&self.shared);
        if self.thread.wake(move || shared.publish_next()).is_err() {
            drop(state);
            request.complete_locally("the system could not create a thread".to_owned());
            return;
        }
        state.queue.push(request);
    }

    /// Sets the policy that is checked before every push.
    pub fn set_push_policy(&self, push_policy: Arc<dyn PushPolicy>) {
        // Set once per kernel.
        let _first = self.shared.upstream.push_policy.set(push_policy);
    }

    /// Sets the listener for changes of the remote's reachability.
    pub fn report_reachability(&self, listener: ReachabilityListener) {
        self.shared.upstream.reachability.listen(listener);
    }

    /// Pushes all unpushed commits in the background.
    pub fn push_in_background(&self) {
        self.enqueue(self.shared.state.lock(), unobserved_request());
    }

    /// Pushes all unpushed commits, then fetches foreign ones.
    ///
    /// # Errors
    /// The error of the push or the fetch; `Conflict` if both sides changed a file.
    pub fn sync(&self) -> Result<Hydrated, GitError> {
        self.retry_in_background(self.try_sync())
    }

    fn try_sync(&self) -> Result<Hydrated, GitError> {
        let upstream = &self.shared.upstream;
        let round = upstream.publish(IDLE_TIMEOUT);
        let lost = upstream.take_conflicts().into_iter().next();
        match (round.error, lost) {
            // A push refused by the policy does not prevent the fetch.
            (Some(GitError::Held { reason }), None) => {
                let mut hydrated = upstream.hydrate()?;
                if let Some(conflict) = upstream.take_conflicts().into_iter().next() {
                    return Err(conflict);
                }
                hydrated.warnings.push(format!("Not pushed: {reason}"));
                Ok(hydrated)
            }
            (Some(error), _) | (None, Some(error)) => Err(error),
            (None, None) => upstream.hydrate(),
        }
    }

    /// Fetches foreign commits.
    ///
    /// # Errors
    /// As [`Upstream::hydrate`].
    pub fn hydrate(&self) -> Result<Hydrated, GitError> {
        self.retry_in_background(self.shared.upstream.hydrate())
    }

    /// Starts background retries if the remote was found unreachable.
    fn retry_in_background<T>(&self, result: Result<T, GitError>) -> Result<T, GitError> {
        if matches!(result, Err(GitError::Unreachable { .. })) && self.shared.upstream.reachability.away().is_some() {
            self.push_in_background();
        }
        result
    }

    /// Number of times that foreign commits moved the branch, including exchanges that failed later. A replay skips derived
    /// files, so the caller must regenerate them when this changes.
    #[must_use]
    pub fn foreign_update_count(&self) -> usize {
        self.shared.upstream.foreign_update_count()
    }

    /// Finishes pending pushes for at most `wait` and stops the thread. Unpushed commits stay local.
    pub fn stop(&self, wait: Duration) {
        let is_away = self.shared.upstream.reachability.away().is_some();
        let deadline = Instant::now() + if is_away { wait.min(UNREACHABLE_SHUTDOWN_TIMEOUT) } else { wait };
        {
            let mut state = self.shared.state.lock();
            if !state.is_stopping && state.retry.is_some() {
                state.queue.push(unobserved_request());
            }
            state.is_stopping = true;
        }
        self.thread.notify();
        let has_ended = self.thread.wait_for_end(deadline);
        // Cancels an exchange with an unresponsive remote.
        self.shared.upstream.halt.set();
        if !has_ended {
            let _has_ended = self.thread.wait_for_end(Instant::now() + CANCEL_TIMEOUT);
        }
    }
}

impl PushRequest {
    /// Completes the request: the commit is only local, for this reason.
    fn complete_locally(self, reason: String) {
        (self.done)(Ok(Published { commit: self.commit, delivery: Delivery::Local(reason), pull_request: None }));
    }
}

/// A request without a caller.
fn unobserved_request() -> PushRequest {
    PushRequest { path: String::new(), commit: None, done: Box::new(drop) }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.shared.upstream.halt.set();
        self.shared.state.lock().is_stopping = true;
        // The thread completes the requests that wait.
        self.thread.notify();
    }
}

impl Shared {
    /// Publishes the requests that are due.
    fn publish_next(&self) -> Next {
        let requests = match self.due() {
            Ok(requests) => requests,
            Err(next) => return next,
        };
        // A panic in one round must not block its requests or later rounds.
        let round = threads::contain(|| self.upstream.publish(WRITE_IDLE_TIMEOUT))
            .unwrap_or_else(|Panicked| Round { error: Some(GitError::Fault), ..Round::default() });
        let is_transient = round.error.as_ref().is_some_and(GitError::is_transient);
        for request in requests {
            let PushRequest { path, commit, done } = request;
            let outcome = threads::contain(|| self.upstream.outcome(&round, &path, commit));
            let outcome = outcome.unwrap_or(Err(GitError::Fault));
            // After a panic the caller notices that the callback was dropped.
            let _ = threads::contain(|| done(outcome));
        }
        let mut state = self.state.lock();
        let away = self.upstream.reachability.away();
        // While the remote is unreachable, only retries push.
        if is_transient || away.is_some() {
            state.retry = Some(Instant::now() + state.pause);
            state.pause = (state.pause * 2).min(MAX_RETRY);
        } else {
            state.retry = None;
            state.pause = FIRST_RETRY;
        }
        // Requests that arrived during the timeout do not wait for another one.
        let left = if away.is_some() { std::mem::take(&mut state.queue) } else { Vec::new() };
        if state.queue.is_empty() {
            self.upstream.forget_rewrites();
        }
        drop(state);
        for request in left {
            let reason = away.clone().unwrap_or_default();
            let _ = threads::contain(|| request.complete_locally(reason));
        }
        Next::Again
    }

    /// The requests of the push that is due, empty for a retry; otherwise what the thread waits for.
    fn due(&self) -> Result<Vec<PushRequest>, Next> {
        let mut state = self.state.lock();
        let is_stopping = state.is_stopping;
        if !state.queue.is_empty() {
            return match self.upstream.pace.next_push().filter(|_| !is_stopping) {
                Some(at) => Err(Next::At(at)),
                None => Ok(std::mem::take(&mut state.queue)),
            };
        }
        match state.retry.filter(|_| !is_stopping) {
            Some(at) if at <= Instant::now() => {
                state.retry = None;
                Ok(Vec::new())
            }
            Some(at) => Err(Next::At(at)),
            None => Err(Next::End),
        }
    }
}

/// The result of one exchange with the remote.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) error: Option<GitError>,
    /// By branch: the pull request, if any, or the error.
    tools: Vec<(String, Result<Option<PullRequest>, String>)>,
}

impl Round {
    /// Whether the commits of `branch` have reached the remote, and its pull request.
    fn delivery(&self, branch: &str) -> (Delivery, Option<PullRequest>) {
        let tool = self.tools.iter().find(|(name, _)| name == branch).map(|(_, result)| result);
        match (tool, &self.error) {
            (Some(Ok(request)), _) => (Delivery::Remote, request.clone()),
            (Some(Err(reason)), _) => (Delivery::Local(reason.clone()), None),
            (None, Some(error)) => (Delivery::Local(error.to_string()), None),
            (None, None) => (Delivery::Remote, None),
        }
    }
}

impl Upstream {
    /// Pushes all unpushed commits, with an idle timeout. An unreachable remote gets the full timeout, and foreign commits are
    /// fetched first.
    pub(crate) fn publish(&self, idle_timeout: Duration) -> Round {
        let _turn = self.turn.lock();
        let mut round = Round::default();
        let (began, is_away) = (Instant::now(), self.reachability.away().is_some());
        let deadline = self.deadline().with_idle_timeout(if is_away { IDLE_TIMEOUT } else { idle_timeout });
        let published = self.store.open_again().and_then(|repository| {
            if is_away {
                self.catch_up(&repository, &deadline)?;
            }
            match self.options().strategy {
                WriteStrategy::Direct => self.push_branch(&repository, &deadline).map(drop),
                WriteStrategy::PullRequest => self.publish_tools(&repository, &mut round, &deadline),
            }
        });
        round.error = published.err().or(round.error);
        if !self.halt.is_set() {
            self.reachability.note(began, round.error.as_ref());
        }
        round
    }

    fn publish_tools(
        &self,
        repository: &Repository,
        round: &mut Round,
        deadline: &ExchangeDeadline,
    ) -> Result<(), GitError> {
        for tool in pending::all(repository, self.options())? {
            let result = self.publish_tool(repository, &tool, deadline);
            round.tools.push((tool.branch, result.as_ref().map(Clone::clone).map_err(ToString::to_string)));
            // Other tools may succeed, unless the remote is unreachable.
            match result {
                Err(error) if error.is_transient() => return Err(error),
                Err(error) => round.error = Some(error),
                Ok(_) => {}
            }
        }
        self.push_backups(repository, deadline);
        Ok(())
    }

    /// The branch with a commit of `path`. If the commit removed all files of its branch, the branch is found by the commit.
    fn branch_with(&self, repository: &Repository, path: &str, commit: Oid) -> Result<String, GitError> {
        let own = pending::branch_for(repository, self.options(), path)?;
        if branch_at(repository, &own)?.is_some() {
            return Ok(own);
        }
        let holds = |tip: Oid| tip == commit || repository.graph_descendant_of(tip, commit).unwrap_or(false);
        let holder = pending::all(repository, self.options())?.into_iter().find(|pending| holds(pending.tip));
        Ok(holder.map_or(own, |pending| pending.branch))
    }

    fn outcome(&self, round: &Round, path: &str, commit: Option<CommitId>) -> Result<Published, GitError> {
        let repository = self.store.open_again()?;
        let Some(commit) = commit else {
            let branch = pending::branch_for(&repository, self.options(), path)?;
            let (delivery, pull_request) = round.delivery(&branch);
            return Ok(Published { commit: None, delivery, pull_request });
        };
        let id = Oid::from_str(commit.as_str()).map_err(|error| GitError::git("read a commit", &error))?;
        let branch = match self.options().strategy {
            WriteStrategy::Direct => self.options().branch.clone(),
            WriteStrategy::PullRequest => self.branch_with(&repository, path, id)?,
        };
        let Some(head) = branch_at(&repository, &branch)? else {
            let delivery = Delivery::Local(round.error.as_ref().map(ToString::to_string).unwrap_or_default());
            return Ok(Published { commit: Some(commit), delivery, pull_request: None });
        };
        let commit = match self.commit_outcome(&repository, path, id, head)? {
            CommitOutcome::Conflict(error) => return Err(error),
            CommitOutcome::Survives(id) => Some(CommitId::from(id)),
        };
        let (delivery, pull_request) = round.delivery(&branch);
        Ok(Published { commit, delivery, pull_request })
    }
}
