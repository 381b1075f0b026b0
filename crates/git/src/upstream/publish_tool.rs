//! Pushes the branches of tools and manages their pull requests.

use super::upstream::Upstream;
use crate::backoff::Backoff;
use crate::branches::head::Head;
use crate::branches::pending::{self, PendingBranch};
use crate::branches::references::{at, base, branch_reference, tracking_reference};
use crate::branches::strategy;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::objects::trees::Trees;
use crate::pull_request::forge_api::ForgeApi;
use crate::pull_request::pull_request::{PullRequest, PullRequestState};
use crate::remote::remote::{PushAnswer, RefUpdate, Want};
use crate::store::landing::{self, Landing, RefMove};
use git2::{Oid, Repository};

impl Upstream {
    /// Pushes the branch of a tool and creates or updates its pull request. `None` for a remote without pull requests, and for a
    /// branch without changes.
    pub(crate) fn publish_tool(
        &self,
        repository: &Repository,
        tool: &PendingBranch,
        deadline: &ExchangeDeadline,
    ) -> Result<Option<PullRequest>, GitError> {
        let Some(forge) = self.forge.as_deref() else {
            return self.push_tool(repository, None, &tool.branch, deadline).map(|_| None);
        };
        let base = &self.options().branch;
        if at(repository, &tracking_reference(base))?.is_none() {
            let reason = format!("it has no branch '{base}' to merge into; push a first commit to it");
            return Err(GitError::Refused { reason });
        }
        let is_empty = tool.changes.is_empty();
        if is_empty && at(repository, &tracking_reference(&tool.branch))?.is_none() {
            return Ok(None);
        }
        let sent = self.push_tool(repository, Some(forge), &tool.branch, deadline)?;
        let paths: Vec<String> = tool.changes.iter().map(|change| change.path.clone()).collect();
        let text = self.describe.describe(&paths);
        let known = self.pull_requests.lock().get(&tool.branch).cloned();
        if let (Sent::Nothing, Some((known, known_text))) = (sent, known)
            && known_text == text
        {
            return Ok(Some(known));
        }
        let request = match forge.find(&tool.branch, base)? {
            Some(found) if found.state == PullRequestState::Open => {
                forge.update(found.number, &text)?;
                found
            }
            _ if is_empty => return Ok(None),
            _ => forge.create(&tool.branch, base, &text)?,
        };
        self.pull_requests.lock().insert(tool.branch.clone(), (request.clone(), text));
        Ok(Some(request))
    }

    fn push_tool(
        &self,
        repository: &Repository,
        forge: Option<&dyn ForgeApi>,
        branch: &str,
        deadline: &ExchangeDeadline,
    ) -> Result<Sent, GitError> {
        let (name, tracking) = (branch_reference(branch), tracking_reference(branch));
        let mut backoff = Backoff::new();
        let mut sent = Sent::Nothing;
        let mut replaced = None;
        loop {
            let (local, known) = (at(repository, &name)?, at(repository, &tracking)?);
            let Some(new) = local.filter(|_| local != known) else { return Ok(sent) };
            let theirs = known.map_or_else(|| base(repository, self.options()), |known| Ok(Some(known)))?;
            self.check_push_policy(repository, theirs, new, deadline)?;
            let old = replaced.take().or(known);
            let update = RefUpdate { name: name.clone(), old, new };
            let answer = self.remote.push(repository, &update, &self.options().limits, deadline)?;
            if answer == PushAnswer::Moved {
                self.set_tracking(&tracking, new)?;
                sent = Sent::Commits;
                continue;
            }
            // Wait before the fetch, so that its result is current.
            backoff.wait(deadline)?;
            match answer {
                // The remote branch belongs to a finished pull request and is replaced.
                PushAnswer::Stale(Some(theirs)) if known.is_none() && self.is_pull_request_done(forge, branch)? => {
                    replaced = Some(theirs);
                }
                PushAnswer::Stale(Some(theirs)) => self.land_tool(repository, branch, theirs, deadline)?,
                PushAnswer::Stale(None) => forget(repository, &tracking)?,
                PushAnswer::Moved | PushAnswer::Busy => {}
            }
        }
    }

    /// Whether the pull request of the branch is merged or declined; `false` for a remote without pull requests.
    fn is_pull_request_done(&self, forge: Option<&dyn ForgeApi>, branch: &str) -> Result<bool, GitError> {
        let Some(forge) = forge else { return Ok(false) };
        let found = forge.find(branch, &self.options().branch)?;
        Ok(found.is_some_and(|found| found.state == PullRequestState::Done))
    }

    /// Replays our commits of a tool on top of foreign ones on its branch.
    fn land_tool(
        &self,
        network: &Repository,
        branch: &str,
        theirs: Oid,
        deadline: &ExchangeDeadline,
    ) -> Result<(), GitError> {
        let want = Want { name: &branch_reference(branch), id: theirs };
        self.fetch(network, want, deadline, |theirs| self.land_commits_of(branch, theirs, deadline))
    }

    fn land_commits_of(&self, branch: &str, theirs: Oid, deadline: &ExchangeDeadline) -> Result<(), GitError> {
        let (repository, lock) = self.store.writer()?;
        let options = self.options();
        let (name, tracking) = (branch_reference(branch), tracking_reference(branch));
        let (local, known) = (at(&repository, &name)?, at(&repository, &tracking)?);
        let Some(local) = local else { return Ok(()) };
        let replayed = self.rebase_onto(&repository, local, known, theirs, deadline)?;
        self.note(&repository, local, &replayed)?;
        let next = replayed.head.unwrap_or(theirs);
        let before = strategy::view(&repository, options)?;
        let base = base(&repository, options)?;
        let trees = Trees::new(&repository, options.limits).with_deadline(deadline);
        let mut waiting = pending::all(&repository, options)?;
        for tool in waiting.iter_mut().filter(|tool| tool.branch == branch) {
            let fork = base.and_then(|base| repository.merge_base(base, next).ok());
            let changes = pending::changes_since(&trees, fork, next)?;
            *tool = PendingBranch { branch: branch.to_owned(), tip: next, changes };
        }
        let after = pending::overlay(&trees, trees.of(base)?, &waiting)?;
        let head = Head::read(&repository)?;
        let commit = if head.branch == name { Some(next) } else { head.commit };
        let landing = Landing {
            moves: vec![
                RefMove { name, old: Some(local), new: Some(next) },
                RefMove { name: tracking, old: known, new: Some(theirs) },
            ],
            current: (head.branch, commit),
            before,
            after,
        };
        match landing::land(&repository, lock, &self.store.context(), &landing, deadline) {
            Ok(landed) => {
                self.note_landed(&landed);
                Ok(())
            }
            // Lost a race with another writer; the next attempt uses the new state.
            Err(GitError::Busy { seconds: 0 }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sent {
    Nothing,
    Commits,
}

fn forget(repository: &Repository, tracking: &str) -> Result<(), GitError> {
    landing::apply(repository, &RefMove { name: tracking.to_owned(), old: None, new: None })
        .map_err(|error| GitError::git("remove a remote-tracking branch", &error))
}
