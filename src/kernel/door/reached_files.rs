//! The files that a call reaches without naming them.

use serde::Serialize;
use tgp_base::effect::Effect;

/// Files that a call uses without naming them: imports of a tool, files whose imports follow a move.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ReachedFiles {
    pub effect: Effect,
    pub paths: Vec<String>,
    #[serde(skip)]
    #[cfg_attr(test, ts(skip))]
    pub need: Need,
}

/// The verdict that they need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// They must be allowed, like the files that the call names.
    Allowed,
    /// They must not be denied by an explicit rule: they are only a means.
    NotForbidden,
    /// None of them exists, and the answer reveals that, which a caller must not learn of files that it may not read.
    /// They are not part of an approval.
    Absent,
}

impl ReachedFiles {
    /// Imported files need the right to run, and must not be forbidden to read, as results could quote them.
    pub fn imported(paths: Vec<String>) -> Vec<Self> {
        vec![
            Self { effect: Effect::Run, paths: paths.clone(), need: Need::Allowed },
            Self { effect: Effect::Read, paths, need: Need::NotForbidden },
        ]
    }

    /// The paths where imports looked for a file in vain.
    pub fn absent(places: Vec<Vec<String>>) -> impl Iterator<Item = Self> {
        places.into_iter().map(|paths| Self { effect: Effect::Read, paths, need: Need::Absent })
    }
}
