//! Pushing in the background: writes that arrive while a push is under way share the next one.

use super::hydrate::Hydrated;
use super::push_policy::PushPolicy;
use super::reachability::ReachListener;
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
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::threads::{self, Panicked};

/// How soon a push that could not be made is tried again, at first and at most.
const FIRST_RETRY: Duration = Duration::from_secs(2);
const LONGEST_RETRY: Duration = Duration::from_mins(1);
/// How long the end of a kernel waits at most for a remote that did not answer before.
const UNREACHABLE_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(1);
/// An exchange that is told to end does so within this time.
const CANCEL_TIMEOUT: Duration = Duration::from_millis(500);

/// A commit that somebody waits for.
pub struct Ticket {
    pub path: String,
    pub commit: Option<CommitId>,
    pub done: Box<dyn FnOnce(Result<Published, GitError>) + Send>,
}

/// What became of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// Its name now: it changes when it is put on top of others' commits.
    pub commit: Option<CommitId>,
    pub reach: Reach,
    pub pull_request: Option<PullRequest>,
}

/// How far a commit has come.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reach {
    Remote,
    /// It is here only, for this reason; it is pushed later.
    Local(String),
}

/// Pushes what is committed, one push at a time.
pub struct Publisher {
    shared: Arc<Shared>,
}

struct Shared {
    upstream: Upstream,
    state: Mutex<PublisherState>,
    changed: Condvar,
}

struct PublisherState {
    queue: Vec<Ticket>,
    thread: ThreadState,
    retry: Option<Instant>,
    pause: Duration,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ThreadState {
    /// No thread yet.
    NotRunning,
    Running,
    Stopping,
}

impl Publisher {
    #[must_use]
    pub fn new(upstream: Upstream) -> Self {
        let state =
            PublisherState { queue: Vec::new(), thread: ThreadState::NotRunning, retry: None, pause: FIRST_RETRY };
        Self { shared: Arc::new(Shared { upstream, state: Mutex::new(state), changed: Condvar::new() }) }
    }

    /// Pushes the ticket's commit soon, and says what became of it. A remote that does not answer is not waited for.
    pub fn submit(&self, ticket: Ticket) {
        let state = self.shared.state.lock();
        match self.shared.upstream.reach.away() {
            Some(reason) => {
                if state.retry.is_none() {
                    // The exchange that finds the remote back may have begun without this commit.
                    self.enqueue(state, unobserved_ticket());
                } else {
                    drop(state);
                }
                ticket.complete_locally(reason);
            }
            None => self.enqueue(state, ticket),
        }
    }

    fn enqueue(&self, mut state: MutexGuard<'_, PublisherState>, ticket: Ticket) {
        match state.thread {
            ThreadState::Stopping => {
                drop(state);
                ticket.complete_locally("the kernel was shut down before the push".to_owned());
                return;
            }
            ThreadState::Running => {}
            ThreadState::NotRunning => {
                let shared = Arc::clone(&self.shared);
                let started = threads::spawn("tgp-git", move || shared.run());
                if started.is_err() {
                    drop(state);
                    ticket.complete_locally("the system refuses more threads".to_owned());
                    return;
                }
                state.thread = ThreadState::Running;
            }
        }
        state.queue.push(ticket);
        self.shared.changed.notify_all();
    }

    /// Has somebody asked before every push from now on.
    pub fn set_push_policy(&self, push_policy: Arc<dyn PushPolicy>) {
        // There is one for the life of a kernel.
        let _first = self.shared.upstream.push_policy.set(push_policy);
    }

    /// Has the listener hear when the remote stops answering, and when it answers again.
    pub fn report_reach(&self, listener: ReachListener) {
        self.shared.upstream.reach.listen(listener);
    }

    /// Pushes whatever is not pushed yet, in the background.
    pub fn push_in_background(&self) {
        self.enqueue(self.shared.state.lock(), unobserved_ticket());
    }

    /// Pushes whatever is not pushed yet, then brings in what others pushed.
    ///
    /// # Errors
    /// Whatever keeps the push or the fetch from being made; `Conflict` when both sides changed a file.
    pub fn sync(&self) -> Result<Hydrated, GitError> {
        self.retry_in_background(self.try_sync())
    }

    fn try_sync(&self) -> Result<Hydrated, GitError> {
        let upstream = &self.shared.upstream;
        let round = upstream.publish(IDLE_TIMEOUT);
        let lost = upstream.take_conflicts().into_iter().next();
        match (round.error, lost) {
            // What is held back keeps nothing of others' away.
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

    /// Brings in what others pushed.
    ///
    /// # Errors
    /// As [`Upstream::hydrate`].
    pub fn hydrate(&self) -> Result<Hydrated, GitError> {
        self.retry_in_background(self.shared.upstream.hydrate())
    }

    /// Has the background find out when a remote answers that has just been found away.
    fn retry_in_background<T>(&self, result: Result<T, GitError>) -> Result<T, GitError> {
        if matches!(result, Err(GitError::Unreachable { .. })) && self.shared.upstream.reach.away().is_some() {
            self.push_in_background();
        }
        result
    }

    /// How often others' commits have moved the branch, in any exchange so far, those that failed afterwards included. A
    /// replay leaves derived files out, so these may lack what local commits had in them.
    #[must_use]
    pub fn foreign_update_count(&self) -> usize {
        self.shared.upstream.foreign_update_count()
    }

    /// Makes the pushes that wait, for at most `wait`, and ends. What is not pushed then stays committed.
    pub fn stop(&self, wait: Duration) {
        let is_away = self.shared.upstream.reach.away().is_some();
        let deadline = Instant::now() + if is_away { wait.min(UNREACHABLE_SHUTDOWN_TIMEOUT) } else { wait };
        let mut state = self.shared.state.lock();
        if state.thread == ThreadState::Running {
            state.thread = ThreadState::Stopping;
            if state.retry.is_some() {
                state.queue.push(unobserved_ticket());
            }
            self.shared.changed.notify_all();
            while state.thread != ThreadState::NotRunning
                && !self.shared.changed.wait_until(&mut state, deadline).timed_out()
            {}
            // A remote that has not answered by now keeps unobserved_ticket.
            self.shared.upstream.halt.set();
            let deadline = Instant::now() + CANCEL_TIMEOUT;
            while state.thread != ThreadState::NotRunning
                && !self.shared.changed.wait_until(&mut state, deadline).timed_out()
            {}
        }
        self.shared.upstream.halt.set();
        state.thread = ThreadState::Stopping;
    }
}

impl Ticket {
    /// Reports that the commit is here only, for this reason.
    fn complete_locally(self, reason: String) {
        (self.done)(Ok(Published { commit: self.commit, reach: Reach::Local(reason), pull_request: None }));
    }
}

/// A ticket that unobserved_ticket waits for.
fn unobserved_ticket() -> Ticket {
    Ticket { path: String::new(), commit: None, done: Box::new(drop) }
}

impl Drop for Publisher {
    fn drop(&mut self) {
        self.shared.upstream.halt.set();
        self.shared.state.lock().thread = ThreadState::Stopping;
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn run(&self) {
        while let Some(tickets) = self.next() {
            // A fault in one round must not keep the tickets of this and the next ones waiting for ever.
            let round = threads::contain(|| self.upstream.publish(WRITE_IDLE_TIMEOUT))
                .unwrap_or_else(|Panicked| Round { error: Some(GitError::Fault), ..Round::default() });
            let is_transient = round.error.as_ref().is_some_and(GitError::is_transient);
            for ticket in tickets {
                let Ticket { path, commit, done } = ticket;
                let outcome = threads::contain(|| self.upstream.outcome(&round, &path, commit));
                let outcome = outcome.unwrap_or(Err(GitError::Fault));
                // Whoever gave it away hears of it by its being dropped.
                let _ = threads::contain(|| done(outcome));
            }
            let mut state = self.state.lock();
            let away = self.upstream.reach.away();
            // While it counts as away, no write tries for itself.
            if is_transient || away.is_some() {
                state.retry = Some(Instant::now() + state.pause);
                state.pause = (state.pause * 2).min(LONGEST_RETRY);
            } else {
                state.retry = None;
                state.pause = FIRST_RETRY;
            }
            // What came during the silence does not wait for another one.
            let left = if away.is_some() { std::mem::take(&mut state.queue) } else { Vec::new() };
            if state.queue.is_empty() {
                self.upstream.forget_rewrites();
            }
            drop(state);
            for ticket in left {
                let reason = away.clone().unwrap_or_default();
                let _ = threads::contain(|| ticket.complete_locally(reason));
            }
        }
        let mut state = self.state.lock();
        state.thread = ThreadState::NotRunning;
        self.changed.notify_all();
    }

    /// The tickets of the next push; none of them for a retry; `None` when it is time to end.
    fn next(&self) -> Option<Vec<Ticket>> {
        let mut state = self.state.lock();
        loop {
            let is_stopping = state.thread == ThreadState::Stopping;
            if !state.queue.is_empty() {
                match self.upstream.pace.next_push().filter(|_| !is_stopping) {
                    Some(at) => drop(self.changed.wait_until(&mut state, at)),
                    None => return Some(std::mem::take(&mut state.queue)),
                }
                continue;
            }
            if is_stopping {
                return None;
            }
            match state.retry {
                Some(at) if at <= Instant::now() => {
                    state.retry = None;
                    return Some(Vec::new());
                }
                Some(at) => drop(self.changed.wait_until(&mut state, at)),
                None => self.changed.wait(&mut state),
            }
        }
    }
}

/// What one exchange with the remote came to.
#[derive(Default)]
pub(crate) struct Round {
    pub(crate) error: Option<GitError>,
    /// By branch: the pull request, where the remote has such, or why nothing got there.
    tools: Vec<(String, Result<Option<PullRequest>, String>)>,
}

impl Round {
    /// How far the commits of `branch` have come.
    fn reach(&self, branch: &str) -> (Reach, Option<PullRequest>) {
        let tool = self.tools.iter().find(|(name, _)| name == branch).map(|(_, result)| result);
        match (tool, &self.error) {
            (Some(Ok(request)), _) => (Reach::Remote, request.clone()),
            (Some(Err(reason)), _) => (Reach::Local(reason.clone()), None),
            (None, Some(error)) => (Reach::Local(error.to_string()), None),
            (None, None) => (Reach::Remote, None),
        }
    }
}

impl Upstream {
    /// Pushes whatever is not pushed yet, to a remote that is silent for no longer than `silence`. One that is away gets all the
    /// time it may take, and what others pushed meanwhile comes in.
    pub(crate) fn publish(&self, idle_timeout: Duration) -> Round {
        let _turn = self.turn.lock();
        let mut round = Round::default();
        let (began, is_away) = (Instant::now(), self.reach.away().is_some());
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
            self.reach.note(began, round.error.as_ref());
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
            // The other tools may fare better, unless unobserved_ticket can be reached.
            match result {
                Err(error) if error.is_transient() => return Err(error),
                Err(error) => round.error = Some(error),
                Ok(_) => {}
            }
        }
        self.push_backups(repository, deadline);
        Ok(())
    }

    /// The branch that a commit of `path` is on. When it took back all that its branch had, only the commit tells.
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
            let (reach, pull_request) = round.reach(&branch);
            return Ok(Published { commit: None, reach, pull_request });
        };
        let id = Oid::from_str(commit.as_str()).map_err(|error| GitError::git("read a commit", &error))?;
        let branch = match self.options().strategy {
            WriteStrategy::Direct => self.options().branch.clone(),
            WriteStrategy::PullRequest => self.branch_with(&repository, path, id)?,
        };
        let Some(head) = branch_at(&repository, &branch)? else {
            let reach = Reach::Local(round.error.as_ref().map(ToString::to_string).unwrap_or_default());
            return Ok(Published { commit: Some(commit), reach, pull_request: None });
        };
        let commit = match self.commit_outcome(&repository, path, id, head)? {
            CommitOutcome::Conflict(error) => return Err(error),
            CommitOutcome::Survives(id) => Some(CommitId::from(id)),
        };
        let (reach, pull_request) = round.reach(&branch);
        Ok(Published { commit, reach, pull_request })
    }
}
