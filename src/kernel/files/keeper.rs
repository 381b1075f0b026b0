//! Commits the old text of a file before a change removes or replaces it, so that it can be restored.

use super::plan::Step;
use super::written_hashes::WrittenHashes;
use crate::kernel::checks::{Checks, Depth};
use crate::kernel::history::{History, Persisted, WriteTurn, Written};
use crate::kernel::secret_scan::{newest_text_lost, previous_text_lost, secret_file_removed};
use crate::kernel::visibility::shows;
use std::borrow::Cow;
use tgp_base::error::Error;
use tgp_git::{CommittedContent, FileBackup, GitError};
use tgp_vfs::{DiskVfs, VfsError, Violation};

/// How the change itself is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeMode {
    /// It is committed, after the old text.
    Commit,
    /// It is written to disk only; its branch does not change.
    Draft,
}

/// A notice about an old text that was not committed, or not on the usual branch.
pub enum KeepNotice {
    /// The file is removed; it contains a secret and was never committed.
    Lost,
    /// The file is removed; its newest text contains a secret. The history has an older one.
    NewestLost,
    /// The file is replaced; its old text contains a secret.
    ReplacedLost,
    /// The old text is in this backup instead of the file's pull request branch.
    BesideRequest(FileBackup),
    /// The old text is in this backup, because the file's own branch does not change.
    BesideDraft(FileBackup),
}

/// Commits what a change removes or replaces.
pub struct Keeper<'w> {
    pub root: &'w DiskVfs,
    pub own: &'w WrittenHashes,
    pub checks: &'w Checks,
    pub history: &'w History,
}

impl Keeper<'_> {
    /// Hashes of the replaced texts without findings, for a strict check. May be slow.
    pub fn sound_texts(&self, steps: &[Step]) -> Result<Vec<blake3::Hash>, Error> {
        let mut sound = Vec::new();
        for step in steps.iter().filter(|step| self.checks.is_strict() && step.after.is_some()) {
            let Some(content) = self.taken(step)? else { continue };
            if self.history.is_checked_out(step.path.as_str(), &content) {
                continue;
            }
            let checked =
                self.checks.check_source(&step.path, &String::from_utf8_lossy(&content), Depth::RulesAndTypes);
            if checked.is_ok_and(|checked| checked.findings.is_empty()) {
                sound.push(blake3::hash(&content));
            }
        }
        Ok(sound)
    }

    /// Refuses steps whose files cannot be read, and so could not be kept.
    pub fn check(&self, steps: &[Step]) -> Result<(), Error> {
        steps.iter().try_for_each(|step| self.taken(step).map(|_| ()))
    }

    /// Commits the texts that `steps` remove or replace, if the history lacks them. A replaced text that this kernel
    /// wrote is not kept; its write reported that. Returns notices about texts with secrets and texts on other
    /// branches.
    pub fn keep(
        &self,
        turn: &mut WriteTurn<'_>,
        steps: &[Step],
        mode: ChangeMode,
        sound: &[blake3::Hash],
    ) -> Result<Vec<KeepNotice>, Error> {
        let mut notices = Vec::new();
        for step in steps {
            let Some(content) = self.taken(step)? else { continue };
            let path = step.path.as_str();
            let failed = |error: GitError| {
                // The message of a conflict describes the state of the file.
                if matches!(error, GitError::Conflict { .. }) { error.into() } else { stays(step, error.into()) }
            };
            // Without a repository or branch, compares with the checked out text.
            let is_unchanged = || self.history.is_checked_out(path, &content);
            if !turn.is_whole() && is_unchanged() {
                continue;
            }
            let held = match turn.held(path, &content) {
                Ok(CommittedContent::Same) => continue,
                Ok(held) => held,
                Err(_) if is_unchanged() => continue,
                Err(error) => return Err(failed(error)),
            };
            let is_replaced = step.after.is_some();
            if self.checks.secrets().holds_secret(path, &content) {
                notices.push(match held {
                    _ if is_replaced => KeepNotice::ReplacedLost,
                    CommittedContent::Nothing => KeepNotice::Lost,
                    CommittedContent::Other | CommittedContent::Same => KeepNotice::NewestLost,
                });
                continue;
            }
            let is_faulty = is_replaced && self.checks.is_strict() && !sound.contains(&blake3::hash(&content));
            // A change is committed on the branch of the file that it removes; a second branch would be a second pull
            // request.
            let is_elsewhere = turn.has_branches() && is_replaced && steps.len() > 1;
            if mode == ChangeMode::Draft || is_faulty {
                notices.push(KeepNotice::BesideDraft(turn.keep_beside(path, &content).map_err(failed)?));
            } else if is_elsewhere {
                notices.push(KeepNotice::BesideRequest(turn.keep_beside(path, &content).map_err(failed)?));
            } else {
                let beside = turn.keep(&format!("Keep: {path}"), path, &content).map_err(failed)?;
                notices.extend(beside.map(KeepNotice::BesideRequest));
            }
        }
        Ok(notices)
    }

    /// The text that `step` removes or replaces; `None` if there is none, or this kernel wrote it.
    fn taken<'s>(&self, step: &'s Step) -> Result<Option<Cow<'s, [u8]>>, Error> {
        let content = match step.content(self.root) {
            Ok(content) => content,
            // The other hard link keeps the content.
            Err(VfsError::SecurityViolation { violation: Violation::HardLink, .. }) if step.after.is_some() => None,
            Err(error @ (VfsError::Io { .. } | VfsError::TooLarge { .. })) => return Err(stays(step, error.into())),
            Err(error) => return Err(error.into()),
        };
        Ok(content.filter(|content| {
            let remains = step.after.as_ref().is_some_and(|after| after.as_bytes() == &**content);
            !(remains || step.after.is_some() && self.own.wrote(&step.path, content))
        }))
    }
}

/// The error that leaves the file of `step` unchanged.
fn stays(step: &Step, error: Error) -> Error {
    let path = step.path.as_str();
    let Error { code, message, .. } = error;
    let change = if step.after.is_some() { "changed" } else { "removed" };
    let message = format!("{path} was not {change}: its current text could not be committed first. {message}");
    Error::new(code, message).with("path", path)
}

impl KeepNotice {
    pub fn add_to(self, written: Written) -> Written {
        let problem = match self {
            Self::Lost => {
                return Written {
                    persisted: Persisted::No,
                    commit: None,
                    problem: Some(secret_file_removed()),
                    ..written
                };
            }
            Self::NewestLost => newest_text_lost(),
            Self::ReplacedLost => previous_text_lost(),
            Self::BesideRequest(backup) => kept_in(&backup, "in a pull request"),
            Self::BesideDraft(backup) => kept_in(&backup, "in its history"),
        };
        let problem = match &written.problem {
            Some(first) => format!("{first} {problem}"),
            None => problem,
        };
        Written { problem: Some(problem), ..written }
    }
}

/// `missing` is the place where the old text was not found.
fn kept_in(backup: &FileBackup, missing: &str) -> String {
    let FileBackup { path, commit, branch } = backup;
    // It may be an importer of the moved file that the caller may not see.
    let path = if shows(path) { path.as_str() } else { "a file that you may not read" };
    format!(
        "The previous text of {path} was not {missing}. It is kept in commit {commit} on the branch {branch}. To restore it, revert the file to that commit."
    )
}
