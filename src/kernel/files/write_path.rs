//! The write path of every file change: check, lock, compare, write, commit, publish.
//!
//! Slow steps (rules, types, packages, JavaScript) run before the repository is locked. Only checked text is written:
//! when the file has changed meanwhile, the change is computed and checked again.

use super::keeper::{ChangeMode, Keeper};
use super::path_locks::PathLocks;
use super::plan::{Change, OnFindings, OneFile, Plan, Step, content_of};
use super::tested_steps::{events, may_change};
use super::write_rules::check_writable;
use super::written_hashes::WrittenHashes;
use crate::kernel::checks::{CheckFindings, Checks, Depth};
use crate::kernel::commit_note::CommitNote;
use crate::kernel::door::present;
use crate::kernel::history::{History, Persisted, RunExamples, WriteDone, WriteTurn, Written};
use crate::kernel::reuse::{Candidate, Reuse};
use crate::kernel::secret_scan::{held_back, move_held_back};
use crate::kernel::test_first::TestFirst;
use crate::kernel::tool_paths::is_tool;
use crate::kernel::tools::{MetaText, ReuseEvent, SimilarTool, Tools};
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_git::{Committed, FileChange};
use tgp_registry::META_FILE;
use tgp_vfs::{DiskVfs, JailPath, RootQuota, Vfs};

/// Attempts when the file changes meanwhile.
const MAX_TRIES: usize = 8;

/// The dependencies of a write.
pub struct WriteDeps {
    pub root: Arc<DiskVfs>,
    pub quota: RootQuota,
    pub checks: Arc<Checks>,
    pub tools: Arc<Tools>,
    pub history: Arc<History>,
    pub examples: Arc<RunExamples>,
    pub tests: Arc<TestFirst>,
    /// Looks for tools that do the same job; none when `reuse` is off.
    pub reuse: Option<Reuse>,
}

/// The first check result that keeps a text out of the history.
enum Fault<'j> {
    Secret(&'j str),
    Finding(&'j str),
}

/// Whether a result counts in the reuse statistics.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Counting {
    Counted,
    /// It is a preview.
    Uncounted,
}

pub struct WritePath {
    pub(super) deps: WriteDeps,
    /// Serialises changes of the same file after a conflict.
    path_locks: PathLocks,
    pub(super) own: WrittenHashes,
}

impl WritePath {
    pub fn new(deps: WriteDeps) -> Self {
        Self { deps, path_locks: PathLocks::default(), own: WrittenHashes::default() }
    }

    /// Changes the text of one file; see [`Self::carry_out`].
    pub fn change<C: Change, R: 'static>(
        &self,
        path: &str,
        change: &C,
        note: &CommitNote,
        report: impl FnOnce(Written, C::Details) -> R + Send + 'static,
        done: WriteDone<R>,
    ) {
        match OneFile::new(path, change) {
            Err(error) => done(Err(error)),
            Ok(plan) => self.carry_out(&plan, note, report, done),
        }
    }

    /// Makes a change, commits it and pushes it; `report` adds the details to the result.
    pub fn carry_out<P: Plan, R: 'static>(
        &self,
        plan: &P,
        note: &CommitNote,
        report: impl FnOnce(Written, P::Details) -> R + Send + 'static,
        done: WriteDone<R>,
    ) {
        match self.commit(plan, note) {
            Err(error) => done(Err(error)),
            Ok((written, details)) => {
                let published =
                    move |written: Result<Written, Error>| done(written.map(|written| report(written, details)));
                self.deps.history.publish(Ok(written), Box::new(published));
            }
        }
    }

    fn commit<P: Plan>(&self, plan: &P, note: &CommitNote) -> Result<(Written, P::Details), Error> {
        self.deps.history.check_writable()?;
        let root = &*self.deps.root;
        let path = plan.path();
        let message = note.message(&plan.subject(), self.deps.checks.secrets());
        let mut lock = self.path_locks.lock_if_contended(path);
        for _ in 0..MAX_TRIES {
            let (steps, details) = plan.steps(root)?;
            may_change(&self.deps.tests, &steps, path)?;
            let checked = self.check_steps(plan, &steps)?;
            let (is_new, similar) = self.find_similar(path, &steps, Counting::Counted)?;
            let keeper = Keeper { root, own: &self.own, checks: &self.deps.checks, history: &self.deps.history };
            let sound = keeper.sound_texts(&steps)?;
            let mut turn = self.deps.history.begin();
            let still_fits =
                steps.iter().try_fold(true, |fits, step| Ok::<_, Error>(fits && step.still_fits(root)?))?;
            if still_fits {
                let problem = self.problem(&checked);
                let mode = if problem.is_none() { ChangeMode::Commit } else { ChangeMode::Draft };
                let notices = keeper.keep(&mut turn, &steps, mode, &sound)?;
                // Only now: after a kill from here on, the next process restores these files.
                turn.begin_files(steps.iter().map(|step| step.path.as_str()).chain([META_FILE]));
                let happened = events(&steps, path, root);
                let mut written = self.write(turn, path, &steps, checked, problem, &message)?;
                self.deps.tests.changed(present().as_ref(), &happened);
                if written.persisted != Persisted::No {
                    self.note(is_new, &similar);
                    written.similar = similar;
                }
                return Ok((notices.into_iter().fold(written, |written, notice| notice.add_to(written)), details));
            }
            drop(turn);
            // Another change of this file came first: from now on they are serialised. After a timeout it is tried
            // without the lock, which is safe, as only checked text is written.
            lock = lock.or_else(|| self.path_locks.lock(path));
        }
        let message = format!(
            "{} was not written: it was changed concurrently in each of {MAX_TRIES} attempts. Read it again, and repeat the change later.",
            path.as_str()
        );
        Err(Error::new(ErrorCode::GitConflict, message).with("path", path.as_str()))
    }

    /// Checks all new texts.
    pub(super) fn check_steps<P: Plan>(&self, plan: &P, steps: &[Step]) -> Result<CheckFindings, Error> {
        let checks = &self.deps.checks;
        let mut all = CheckFindings::default();
        for step in steps {
            check_writable(&step.path)?;
            let Some(text) = &step.after else { continue };
            let depth = if step.path == *plan.path() { Depth::RulesAndTypes } else { Depth::Rules };
            let CheckFindings { findings, secrets, notice } = checks.check_source(&step.path, text, depth)?;
            all.findings.extend(findings);
            all.secrets.extend(secrets);
            all.notice = all.notice.or(notice);
        }
        if plan.on_findings() == OnFindings::Reject
            && let Some(fault) = self.fault(&all)
        {
            // Of the changes that are refused for findings, only a move writes a text.
            let stays = steps.iter().find(|step| step.after.is_none()).map_or(plan.path(), |step| &step.path).as_str();
            let why = match fault {
                Fault::Secret(first) => move_held_back(first),
                Fault::Finding(first) => format!(
                    "the check finds errors in a file that the move would write: {first}. Fix them in the file where it is now, then move it again."
                ),
            };
            let message = format!("{stays} was not moved: {why}");
            let error = Error::new(ErrorCode::Validation, message).with("path", stays);
            return Err(error.with("errors", all.findings));
        }
        Ok(all)
    }

    /// Whether the change creates its main file, and other tools that do the same job.
    pub(super) fn find_similar(
        &self,
        path: &JailPath,
        steps: &[Step],
        counting: Counting,
    ) -> Result<(bool, Vec<SimilarTool>), Error> {
        let text = steps.iter().find(|step| step.path == *path).and_then(|step| step.after.as_deref());
        let Some(text) = text.filter(|_| is_tool(path)) else { return Ok((false, Vec::new())) };
        let leaving: Vec<&str> =
            steps.iter().filter(|step| step.after.is_none()).map(|step| step.path.as_str()).collect();
        let is_there = self.deps.root.exists(path)?;
        if !is_there {
            self.deps.tools.refuse_look_alike(path.as_str(), &leaving)?;
        }
        let is_new = leaving.is_empty() && !is_there;
        let similar = match &self.deps.reuse {
            Some(reuse) => {
                let candidate = Candidate { path, text, is_new, leaving };
                match counting {
                    Counting::Counted => reuse.judge(&candidate)?,
                    Counting::Uncounted => reuse.judge_uncounted(&candidate)?,
                }
            }
            None => Vec::new(),
        };
        Ok((is_new, similar))
    }

    /// Counts a written tool in the reuse statistics.
    fn note(&self, is_new: bool, similar: &[SimilarTool]) {
        if is_new {
            let event = if similar.is_empty() { ReuseEvent::Forged } else { ReuseEvent::Duplicate };
            self.deps.tools.note(event);
        }
    }

    /// What keeps a change with these check results out of the history.
    fn fault<'j>(&self, checked: &'j CheckFindings) -> Option<Fault<'j>> {
        if let Some(secret) = checked.secrets.first() {
            return Some(Fault::Secret(secret));
        }
        let first = checked.findings.first().filter(|_| self.deps.checks.is_strict())?;
        Some(Fault::Finding(first))
    }

    /// Why a text with these check results is written to disk and not committed, if so.
    pub(super) fn problem(&self, checked: &CheckFindings) -> Option<String> {
        Some(match self.fault(checked)? {
            Fault::Secret(first) => held_back(first),
            Fault::Finding(first) => format!(
                "It is kept as a draft and not committed, because check_tool finds errors in it: {first}. Call check_tool for details, and fix them: a version without errors is committed."
            ),
        })
    }

    /// Writes and commits. Without access to the repository, the files are written without a commit.
    fn write(
        &self,
        mut turn: WriteTurn<'_>,
        path: &JailPath,
        steps: &[Step],
        checked: CheckFindings,
        problem: Option<String>,
        message: &str,
    ) -> Result<Written, Error> {
        let WriteDeps { tools, history, examples, .. } = &self.deps;
        let CheckFindings { findings, notice, .. } = checked;
        let will_be_logged = problem.is_none() && turn.restores_files();
        self.put_all(steps, will_be_logged)?;
        for step in steps {
            examples.forget(step.path.as_str());
            self.own.note(&step.path, step.after.as_deref());
        }
        if let Some(problem) = problem {
            return Ok(Written { findings, notice, ..Written::not_committed(path.as_str(), &problem) });
        }
        let (meta, problem) = self.register(steps);
        let committed = turn.commit(message, &file_changes(steps, meta.as_ref()));
        if let (Some(meta), Ok(_)) = (&meta, &committed) {
            tools.registry().meta_was_committed(meta);
        }
        let unsynced = match &committed {
            Ok(Committed { id: Some(_), .. }) => None,
            // Without a commit, the texts would be lost by a power failure, so this write is flushed.
            _ if will_be_logged => self.sync_all(steps),
            _ => None,
        };
        // A removed file decides the branch of the commit.
        let decisive = steps.iter().rev().find(|step| step.after.is_none()).map_or(path, |step| &step.path);
        let mut written = history.written(decisive.as_str(), committed)?;
        drop(turn);
        path.as_str().clone_into(&mut written.path);
        written.problem = match (written.problem, unsynced) {
            (Some(first), Some(second)) => Some(format!("{first} {second}")),
            (first, second) => first.or(second).or(problem),
        };
        written.findings = findings;
        written.notice = notice;
        Ok(written)
    }

    /// Writes all files or none.
    fn put_all(&self, steps: &[Step], will_be_logged: bool) -> Result<(), Error> {
        let root = &self.deps.root;
        let mut undo: Vec<(&JailPath, Option<Vec<u8>>)> = Vec::new();
        // Read before anything is written, so that it can be undone.
        let before = |step: &Step| if steps.len() > 1 { content_of(root, &step.path) } else { Ok(None) };
        let before = steps.iter().map(before).collect::<Result<Vec<_>, _>>()?;
        for (step, before) in steps.iter().zip(before) {
            if let Err(mut error) = self.put(step, will_be_logged) {
                for (path, before) in undo.into_iter().rev() {
                    let undone = match before {
                        Some(bytes) => root.restore(path, &bytes),
                        None => root.remove(path),
                    };
                    if let Err(problem) = undone {
                        error.message = format!("{} {} keeps its new text: {problem}.", error.message, path.as_str());
                    }
                }
                return Err(error);
            }
            undo.push((&step.path, before));
        }
        Ok(())
    }

    /// Flushes the new texts to disk; returns the problem if that fails.
    fn sync_all(&self, steps: &[Step]) -> Option<String> {
        let mut written = steps.iter().filter(|step| step.after.is_some());
        let synced = written.try_for_each(|step| self.deps.root.sync(&step.path));
        synced.err().map(|error| Error::from(error).message)
    }

    fn put(&self, step: &Step, will_be_logged: bool) -> Result<(), Error> {
        let WriteDeps { root, quota, .. } = &self.deps;
        let Step { path, after, .. } = step;
        let Some(text) = after else { return Ok(root.remove(path)?) };
        Ok(quota.write(root, path, text.len(), || {
            if will_be_logged { root.write_restorable(path, text) } else { root.write(path, text) }
        })?)
    }

    /// Updates the registry. Returns `meta.json` if it is due, and the problem if the update failed: the files are
    /// written anyway.
    fn register(&self, steps: &[Step]) -> (Option<MetaText>, Option<String>) {
        let (mut meta, mut problem) = (None, None);
        // Removals are last in the steps and are registered first, so that a moved file is not a duplicate of itself.
        for step in steps.iter().rev() {
            match self.deps.tools.registry().register(&step.path) {
                Ok(made) => meta = made.or(meta),
                Err(error) => problem = Some(error.message),
            }
        }
        self.deps.tools.texts_changed();
        (meta, problem)
    }
}

/// The content of a commit. Removals come first: with pull requests they decide the branch.
fn file_changes<'s>(steps: &'s [Step], meta: Option<&'s MetaText>) -> Vec<FileChange<'s>> {
    let change =
        |step: &'s Step| FileChange { path: step.path.as_str(), content: step.after.as_deref().map(str::as_bytes) };
    let mut changes: Vec<_> = steps.iter().map(change).collect();
    changes.sort_by_key(|change| change.content.is_some());
    changes.extend(meta.map(|meta| FileChange { path: META_FILE, content: Some(meta.text.as_bytes()) }));
    changes
}

#[cfg(test)]
#[path = "write_path_tests.rs"]
mod tests;
