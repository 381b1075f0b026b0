//! A file with uncommitted changes.

use serde::Serialize;
use tgp_git::FileState;

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Uncommitted {
    pub path: String,
    pub state: UncommittedState,
}

/// How the file differs from the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum UncommittedState {
    New,
    Changed,
    Missing,
}

impl From<(String, FileState)> for Uncommitted {
    fn from((path, state): (String, FileState)) -> Self {
        let state = match state {
            FileState::New => UncommittedState::New,
            FileState::Changed => UncommittedState::Changed,
            FileState::Missing => UncommittedState::Missing,
        };
        Self { path, state }
    }
}
