//! The result of a write.

use crate::kernel::tools::SimilarTool;
use serde::{Serialize, Serializer};
use tgp_base::error::Error;
use tgp_git::{CommitId, PullRequest};

/// Called once with the end of a write, from any thread.
pub type WriteDone<T> = Box<dyn FnOnce(Result<T, Error>) + Send>;

/// A link to a pull request.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PullRequestLink {
    pub number: u64,
    pub url: String,
}

impl From<PullRequest> for PullRequestLink {
    fn from(request: PullRequest) -> Self {
        Self { number: request.number, url: request.url }
    }
}

/// The result of a write.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct Written {
    pub path: String,
    pub persisted: Persisted,
    /// The commit that contains it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Errors of the check, one per line.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub findings: Vec<String>,
    /// Why its types were not checked, if a type check is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pull_request: Option<PullRequestLink>,
    /// Why it is not persisted, or not at the remote yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
    /// Other tools that do the same job.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub similar: Vec<SimilarTool>,
    /// The file that decides which branch the commit is on.
    #[serde(skip)]
    pub decisive: String,
    /// The commit that this write made, if it made one.
    #[serde(skip)]
    pub fresh: Option<CommitId>,
}

/// How far the current content is persisted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "boolean | 'local'"))]
pub enum Persisted {
    /// It is on disk only.
    No,
    /// It is committed here, and will be pushed.
    Local,
    /// It is persisted as configured.
    Yes,
}

impl Serialize for Persisted {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::No => serializer.serialize_bool(false),
            Self::Local => serializer.serialize_str("local"),
            Self::Yes => serializer.serialize_bool(true),
        }
    }
}

impl Written {
    /// The result for a file that is on disk only.
    pub fn not_committed(path: &str, problem: &str) -> Self {
        Self {
            path: path.to_owned(),
            persisted: Persisted::No,
            commit: None,
            findings: Vec::new(),
            notice: None,
            pull_request: None,
            problem: Some(problem.to_owned()),
            similar: Vec::new(),
            decisive: path.to_owned(),
            fresh: None,
        }
    }
}
