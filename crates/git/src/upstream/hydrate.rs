//! Fetches the commits of the remote and replays local ones on top.

use super::replay::{Replayed, replay};
use super::upstream::Upstream;
use super::warnings;
use crate::backoff::Backoff;
use crate::branches::backup_branch::back_up_commit;
use crate::branches::head::Head;
use crate::branches::references::{at, branch_at, branch_reference, tracking_reference};
use crate::branches::{pending, strategy};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::IDLE_TIMEOUT;
use crate::objects::trees::Trees;
use crate::remote::remote::Want;
use crate::store::held_back::Released;
use crate::store::landing::{self, Landed, Landing, RefMove};
use crate::store_options::WriteStrategy;
use git2::{Oid, Repository};
use std::time::{Duration, Instant};

/// The result of hydrating.
#[derive(Debug, Default)]
pub struct Hydrated {
    /// Files changed by foreign commits.
    pub changed: Vec<String>,
    /// Warnings for the user.
    pub warnings: Vec<String>,
    pub local: LocalCommits,
}

/// Whether there are unpushed commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum LocalCommits {
    #[default]
    None,
    Waiting,
}

impl Hydrated {
    fn take(&mut self, landed: Landed) {
        self.warnings.extend(warnings::of_landing(&landed));
        self.changed = landed.paths;
    }

    fn take_released(&mut self, released: Released) {
        self.warnings.extend(warnings::of_released(&released));
        self.changed.extend(released.replaced);
        self.changed.sort_unstable();
        self.changed.dedup();
    }
}

impl Upstream {
    /// Updates to the remote's branch, with local commits on top. One round trip if the remote has not changed.
    ///
    /// # Errors
    /// `Unreachable`, `Unauthorized`, `RemoteMissing`, `Refused`, `Protocol`, `RemoteLimit`, `DetachedHead`, `Busy`, `Git`, `Io`.
    pub fn hydrate(&self) -> Result<Hydrated, GitError> {
        self.hydrate_within(IDLE_TIMEOUT)
    }

    /// As [`Self::hydrate`], with an idle timeout for the first answer.
    pub(crate) fn hydrate_within(&self, idle_timeout: Duration) -> Result<Hydrated, GitError> {
        let _turn = self.turn.lock();
        let began = Instant::now();
        let hydrated = self.try_hydrate(idle_timeout);
        if !self.halt.is_set() {
            self.reachability.note(began, hydrated.as_ref().err());
        }
        hydrated
    }

    fn try_hydrate(&self, idle_timeout: Duration) -> Result<Hydrated, GitError> {
        let repository = self.store.open_again()?;
        let branch = &self.options().branch;
        let deadline = self.deadline();
        let refs = self.remote.refs(&deadline.with_idle_timeout(idle_timeout))?;
        let mut hydrated = Hydrated::default();
        let theirs = refs.branches.get(&branch_reference(branch)).copied();
        match (theirs, refs.head) {
            (Some(theirs), _) => {
                let landed = self.integrate(&repository, theirs, &deadline)?;
                hydrated.take(landed);
                let known = at(&repository, &tracking_reference(branch))?;
                if branch_at(&repository, branch)? != known || self.options().strategy == WriteStrategy::PullRequest {
                    hydrated.local = LocalCommits::Waiting;
                }
            }
            // The first push creates the branch; it starts from the remote's default branch.
            (None, Some(start)) if branch_at(&repository, branch)?.is_none() => {
                hydrated.warnings.push(format!(
                    "The remote has no branch '{branch}' yet. It starts from the remote's default branch and is created by the first write."
                ));
                self.forget_tracking(&repository)?;
                hydrated.take(self.start_from(&repository, start, &deadline)?);
            }
            (None, _) => {
                self.forget_tracking(&repository)?;
                if branch_at(&repository, branch)?.is_some() {
                    hydrated.local = LocalCommits::Waiting;
                }
            }
        }
        hydrated.take_released(self.store.release()?);
        hydrated.warnings.extend(self.take_notices());
        let lost = self.take_conflicts();
        hydrated.warnings.extend(lost.iter().map(|conflict| format!("{conflict}.")));
        Ok(hydrated)
    }

    /// Fetches foreign commits. Without commits to push, this is the request that detects that the remote is reachable again.
    pub(crate) fn catch_up(&self, repository: &Repository, deadline: &ExchangeDeadline) -> Result<(), GitError> {
        let branch = &self.options().branch;
        let theirs = self.remote.refs(deadline)?.branches.get(&branch_reference(branch)).copied();
        match theirs.filter(|_| at(repository, &tracking_reference(branch)).is_ok_and(|known| known != theirs)) {
            Some(theirs) => self.integrate(repository, theirs, deadline).map(|landed| self.note_landed(&landed)),
            None => Ok(()),
        }
    }

    /// Integrates the remote commit `theirs` into the local history.
    pub(crate) fn integrate(
        &self,
        network: &Repository,
        theirs: Oid,
        deadline: &ExchangeDeadline,
    ) -> Result<Landed, GitError> {
        let want = Want { name: &branch_reference(&self.options().branch), id: theirs };
        self.fetch(network, want, deadline, |theirs| {
            let mut backoff = Backoff::new();
            loop {
                let landed = match self.options().strategy {
                    WriteStrategy::Direct => self.land_direct(theirs, deadline),
                    WriteStrategy::PullRequest => self.land_view(theirs, deadline),
                };
                match landed {
                    Err(GitError::Busy { seconds: 0 }) => backoff.wait(deadline)?,
                    result => return result,
                }
            }
        })
    }

    fn land_direct(&self, theirs: Oid, deadline: &ExchangeDeadline) -> Result<Landed, GitError> {
        let (repository, lock) = self.store.writer()?;
        let options = self.options();
        let (name, tracking) = (branch_reference(&options.branch), tracking_reference(&options.branch));
        let (local, known) = (at(&repository, &name)?, at(&repository, &tracking)?);
        let head = Head::read(&repository)?;
        if head.branch == name && local == Some(theirs) && known == local {
            return Ok(Landed::default());
        }
        let next = match local {
            None => theirs,
            Some(local) => {
                let replayed = self.rebase_onto(&repository, local, known, theirs, deadline)?;
                self.note(&repository, local, &replayed)?;
                replayed.head.unwrap_or(theirs)
            }
        };
        if local != Some(next) {
            self.count_foreign_update();
        }
        let is_replaced =
            |known: &Oid| *known != theirs && !repository.graph_descendant_of(theirs, *known).unwrap_or(true);
        if let Some(known) = known.filter(is_replaced) {
            self.note_replaced(&repository, known)?;
        }
        let trees = Trees::new(&repository, options.limits);
        let moves = vec![
            RefMove { name: name.clone(), old: local, new: Some(next) },
            RefMove { name: tracking, old: known, new: Some(theirs) },
        ];
        let landing = Landing {
            moves,
            before: trees.of(head.commit)?,
            after: trees.of(Some(next))?,
            current: (name, Some(next)),
        };
        landing::land(&repository, lock, &self.store.context(), &landing, deadline)
    }

    /// With pull requests the branch has no local commits: it equals the remote's branch, and the work tree shows the pending
    /// tools on top.
    fn land_view(&self, theirs: Oid, deadline: &ExchangeDeadline) -> Result<Landed, GitError> {
        let (repository, lock) = self.store.writer()?;
        let options = self.options();
        let (name, tracking) = (branch_reference(&options.branch), tracking_reference(&options.branch));
        let (local, known) = (at(&repository, &name)?, at(&repository, &tracking)?);
        let before = strategy::view(&repository, options)?;
        let trees = Trees::new(&repository, options.limits).with_deadline(deadline);
        let base = trees.of(Some(theirs))?;
        let (mut decided, mut waiting) = (Vec::new(), Vec::new());
        for pending in pending::all(&repository, options)? {
            let side = if pending::is_decided(&trees, &pending, base)? { &mut decided } else { &mut waiting };
            side.push(pending);
        }
        if let Some(local) = local
            && local != theirs
            && !repository.graph_descendant_of(theirs, local).unwrap_or(false)
        {
            let kept = back_up_commit(&repository, local)?;
            self.notice(format!(
                "The local branch '{}' had commits that the remote's does not have. They are kept on the branch {kept}.",
                options.branch
            ));
        }
        let mut moves = vec![
            RefMove { name: name.clone(), old: local, new: Some(theirs) },
            RefMove { name: tracking, old: known, new: Some(theirs) },
        ];
        let head = Head::read(&repository)?;
        let stays = waiting.iter().find(|pending| branch_reference(&pending.branch) == head.branch);
        let current = stays.map_or((name, Some(theirs)), |pending| (head.branch.clone(), Some(pending.tip)));
        moves.extend(decided.iter().map(|pending| RefMove {
            name: branch_reference(&pending.branch),
            old: Some(pending.tip),
            new: None,
        }));
        for pending in &decided {
            self.pull_requests.lock().remove(&pending.branch);
        }
        let after = pending::overlay(&trees, base, &waiting)?;
        let landing = Landing { moves, current, before, after };
        landing::land(&repository, lock, &self.store.context(), &landing, deadline)
    }

    /// Replays the local commits on top of `theirs`.
    pub(crate) fn rebase_onto(
        &self,
        repository: &Repository,
        local: Oid,
        known: Option<Oid>,
        theirs: Oid,
        deadline: &ExchangeDeadline,
    ) -> Result<Replayed, GitError> {
        let contains =
            |tip: Oid, commit: Oid| tip == commit || repository.graph_descendant_of(tip, commit).unwrap_or(false);
        if contains(local, theirs) {
            return Ok(Replayed { head: Some(local), ..Replayed::default() });
        }
        if contains(theirs, local) {
            return Ok(Replayed { head: Some(theirs), ..Replayed::default() });
        }
        // Commits that the remote had before are not local, even if the remote has dropped them since.
        let base = match known.filter(|known| contains(local, *known)) {
            Some(known) => Some(known),
            None => repository.merge_base(local, theirs).ok(),
        };
        replay(repository, base, local, theirs, self.options(), deadline)
    }

    fn start_from(&self, network: &Repository, start: Oid, deadline: &ExchangeDeadline) -> Result<Landed, GitError> {
        let want = Want { name: "HEAD", id: start };
        self.fetch(network, want, deadline, |start| self.land_start(start, deadline))
    }

    fn land_start(&self, start: Oid, deadline: &ExchangeDeadline) -> Result<Landed, GitError> {
        let (repository, lock) = self.store.writer()?;
        let name = branch_reference(&self.options().branch);
        let landing = Landing {
            moves: vec![RefMove { name: name.clone(), old: None, new: Some(start) }],
            before: strategy::view(&repository, self.options())?,
            after: Trees::new(&repository, self.options().limits).of(Some(start))?,
            current: (name, Some(start)),
        };
        landing::land(&repository, lock, &self.store.context(), &landing, deadline)
    }

    pub(crate) fn forget_tracking(&self, repository: &Repository) -> Result<(), GitError> {
        let name = tracking_reference(&self.options().branch);
        landing::apply(repository, &RefMove { name, old: None, new: None })
            .map_err(|error| GitError::git("remove a remote-tracking branch", &error))
    }
}
