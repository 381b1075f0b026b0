//! What a change would take from a file is committed first: what is gone can be brought back.

use super::own_texts::OwnTexts;
use super::plan::Step;
use crate::error::Error;
use crate::git::{GitError, Held};
use crate::kernel::history::{Persisted, WriteTurn, Written};
use crate::kernel::secret_scan::{SecretScan, not_kept, not_kept_before, not_kept_whole};
use crate::vfs::DiskVfs;

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

/// Commits what files hold that `steps` remove or replace, where the history has it otherwise or not at all. A text that
/// this kernel wrote itself and that gives way to another is not kept: that was said when it was written. The answer is
/// what to say of the texts that hold a secret, and of those that are kept elsewhere.
pub fn keep(
    turn: &mut WriteTurn<'_>,
    steps: &[Step],
    fate: Fate,
    (root, own, secrets): (&DiskVfs, &OwnTexts, &SecretScan),
) -> Result<Vec<Told>, Error> {
    let mut told = Vec::new();
    for step in steps {
        let Some(content) = step.content(root)? else { continue };
        let stays = step.after.as_ref().is_some_and(|after| after.as_bytes() == &*content);
        if stays || (step.after.is_some() && own.wrote(&step.path, &content)) {
            continue;
        }
        let path = step.path.as_str();
        let failed = |error: GitError| {
            let Error { code, message, .. } = Error::from(error);
            let stays = if step.after.is_some() { "as it is" } else { "where it is" };
            let message = format!("{path} stays {stays}: what it holds could not be committed first. {message}");
            Error::new(code, message).with("path", path)
        };
        let held = turn.held(path, &content).map_err(failed)?;
        if held == Held::Same {
            continue;
        }
        let is_secret = secrets.holds_secret(path, &content);
        let said = match (is_secret, held, fate) {
            (true, _, _) if step.after.is_some() => Some(Told::ReplacedLost),
            (true, Held::Nothing, _) => Some(Told::Lost),
            (true, _, _) => Some(Told::NewestLost),
            (false, _, Fate::Commit) => {
                let beside = turn.keep(&format!("Keep: {path}"), path, &content).map_err(failed)?;
                beside.map(Told::BesideRequest)
            }
            (false, _, Fate::Draft) => turn.keep_beside(path, &content).map_err(failed)?.map(Told::BesideDraft),
        };
        told.extend(said);
    }
    Ok(told)
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
