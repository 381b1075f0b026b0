//! What a change would take from a file is committed first: what is gone can be brought back.

use super::own_texts::OwnTexts;
use super::plan::Step;
use crate::kernel::checks::{Checks, Depth};
use crate::kernel::history::{History, Persisted, WriteTurn, Written};
use crate::kernel::secret_scan::{not_kept, not_kept_before, not_kept_whole};
use std::borrow::Cow;
use tgp_base::error::Error;
use tgp_git::{GitError, Held};
use tgp_vfs::{DiskVfs, VfsError, Violation};

/// What becomes of the change that something is kept from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    /// It is committed, after what it takes.
    Commit,
    /// It is made on disk alone: its branch stays as it is.
    Draft,
}

/// What is to be said of a file whose text was not in the history.
pub enum Told {
    /// It goes, and holds a secret: nothing of it was ever committed.
    Lost,
    /// What it held last holds a secret. The history has an older text of it.
    NewestLost,
    /// It gets another text, and what it held holds a secret.
    ReplacedLost,
    /// With pull requests it is on this branch, beside that of its own.
    BesideRequest(String),
    /// It is on this branch, because its own does not change.
    BesideDraft(String),
}

/// Keeps what a change takes.
pub struct Keeper<'w> {
    pub root: &'w DiskVfs,
    pub own: &'w OwnTexts,
    pub checks: &'w Checks,
    pub history: &'w History,
}

impl Keeper<'_> {
    /// The texts that `steps` replace and a strict check has nothing against. To find that out may take long.
    pub fn sound_texts(&self, steps: &[Step]) -> Result<Vec<blake3::Hash>, Error> {
        let mut sound = Vec::new();
        for step in steps.iter().filter(|step| self.checks.is_strict() && step.after.is_some()) {
            let Some(content) = self.taken(step)? else { continue };
            if self.history.is_checked_out(step.path.as_str(), &content) {
                continue;
            }
            let judged = self.checks.judge(&step.path, &String::from_utf8_lossy(&content), Depth::RulesAndTypes);
            if judged.is_ok_and(|judged| judged.findings.is_empty()) {
                sound.push(blake3::hash(&content));
            }
        }
        Ok(sound)
    }

    /// Refuses steps whose files cannot be read, so that what they hold could not be kept.
    pub fn check(&self, steps: &[Step]) -> Result<(), Error> {
        steps.iter().try_for_each(|step| self.taken(step).map(|_| ()))
    }

    /// Commits what files hold that `steps` remove or replace, where the history has it otherwise or not at all. A text that
    /// this kernel wrote itself and that gives way to another is not kept: that was said when it was written. The answer is
    /// what to say of the texts that hold a secret, and of those that are kept elsewhere.
    pub fn keep(
        &self,
        turn: &mut WriteTurn<'_>,
        steps: &[Step],
        fate: Fate,
        sound: &[blake3::Hash],
    ) -> Result<Vec<Told>, Error> {
        let mut told = Vec::new();
        for step in steps {
            let Some(content) = self.taken(step)? else { continue };
            let path = step.path.as_str();
            let failed = |error: GitError| {
                // A conflict says itself what has become of the file.
                if matches!(error, GitError::Conflict { .. }) { error.into() } else { stays(step, error.into()) }
            };
            // Without the repository, or on no branch, what is checked out tells.
            let is_unchanged = || self.history.is_checked_out(path, &content);
            if !turn.is_whole() && is_unchanged() {
                continue;
            }
            let held = match turn.held(path, &content) {
                Ok(Held::Same) => continue,
                Ok(held) => held,
                Err(_) if is_unchanged() => continue,
                Err(error) => return Err(failed(error)),
            };
            let is_replaced = step.after.is_some();
            if self.checks.secrets().holds_secret(path, &content) {
                told.push(match held {
                    _ if is_replaced => Told::ReplacedLost,
                    Held::Nothing => Told::Lost,
                    Held::Other | Held::Same => Told::NewestLost,
                });
                continue;
            }
            let is_faulty = is_replaced && self.checks.is_strict() && !sound.contains(&blake3::hash(&content));
            // The commit of a change is on the branch of what it takes away: another one's would be a second request.
            let is_elsewhere = turn.has_branches() && is_replaced && steps.len() > 1;
            if fate == Fate::Draft || is_faulty {
                told.extend(turn.keep_beside(path, &content).map_err(failed)?.map(Told::BesideDraft));
            } else if is_elsewhere {
                told.extend(turn.keep_beside(path, &content).map_err(failed)?.map(Told::BesideRequest));
            } else {
                let beside = turn.keep(&format!("Keep: {path}"), path, &content).map_err(failed)?;
                told.extend(beside.map(Told::BesideRequest));
            }
        }
        Ok(told)
    }

    /// What `step` takes from its file; `None` when that is nothing, or what this kernel wrote.
    fn taken<'s>(&self, step: &'s Step) -> Result<Option<Cow<'s, [u8]>>, Error> {
        let content = match step.content(self.root) {
            Ok(content) => content,
            // Its other name keeps it.
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

/// Why the file of `step` is not touched.
fn stays(step: &Step, error: Error) -> Error {
    let path = step.path.as_str();
    let Error { code, message, .. } = error;
    let stays = if step.after.is_some() { "as it is" } else { "where it is" };
    let message = format!("{path} stays {stays}: what it holds could not be committed first. {message}");
    Error::new(code, message).with("path", path)
}

impl Told {
    pub fn of(written: Written, told: Self) -> Written {
        let problem = match told {
            Self::Lost => {
                return Written { persisted: Persisted::No, commit: None, problem: Some(not_kept()), ..written };
            }
            Self::NewestLost => not_kept_whole(),
            Self::ReplacedLost => not_kept_before(),
            Self::BesideRequest(branch) => format!("What it held last was in no pull request. {}", kept_on(&branch)),
            Self::BesideDraft(branch) => format!("What it held before was not committed. {}", kept_on(&branch)),
        };
        let problem = match &written.problem {
            Some(first) => format!("{first} {problem}"),
            None => problem,
        };
        Written { problem: Some(problem), ..written }
    }
}

fn kept_on(branch: &str) -> String {
    format!("It is kept on the branch {branch}: revert the file to that branch's commit to have it back.")
}
