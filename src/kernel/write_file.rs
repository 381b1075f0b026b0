//! `write_file`: a file changes on disk, then in Git.

use super::check_config::CheckMode;
use super::check_gate::Judged;
use super::find_tool::SimilarTool;
use super::kernel::Kernel;
use super::publish::PullRequestLink;
use super::write_rules::check_writable;
use crate::error::Error;
use crate::git::{CommitId, Committed, FileChange, GitError, Writing};
use crate::registry::META_FILE;
use crate::vfs::{JailPath, Vfs};
use serde::{Serialize, Serializer};

/// What became of a write.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct Written {
    pub path: String,
    pub persisted: Persisted,
    /// The commit that holds it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// What the check finds wrong with it, one line per error.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub findings: Vec<String>,
    /// Why its types were not checked, where they decide.
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
    /// The commit that this write made, if it made one.
    #[serde(skip)]
    pub fresh: Option<CommitId>,
}

/// How far the file as it is now has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[cfg_attr(test, derive(ts_rs::TS), ts(type = "boolean | 'local'"))]
pub enum Persisted {
    /// It is on disk only.
    No,
    /// It is committed here, and will be pushed.
    Local,
    /// It is where the configuration wants it.
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
    /// A file that is on disk only, for this reason.
    pub(super) fn not_committed(path: &str, problem: &str) -> Self {
        Self {
            path: path.to_owned(),
            persisted: Persisted::No,
            commit: None,
            findings: Vec::new(),
            notice: None,
            pull_request: None,
            problem: Some(problem.to_owned()),
            similar: Vec::new(),
            fresh: None,
        }
    }
}

impl Kernel {
    /// Creates or replaces a file and commits it.
    pub fn write_file(&self, path: &str, content: &str) -> Result<Written, Error> {
        let path = JailPath::parse(path)?;
        self.write_and_commit(&path, content, &format!("Forge: {}", path.as_str()))
    }

    /// Writes a file that the caller may change, and commits it.
    pub(super) fn write_and_commit(&self, path: &JailPath, content: &str, message: &str) -> Result<Written, Error> {
        check_writable(path)?;
        // It may take its time: nobody waits for it.
        let judged = self.judge_before_commit(path, content)?;
        let _one_writer = self.writes.lock();
        self.finish_write(self.begin_write(path), path, content, judged, message)
    }

    /// The right to write a file. Whoever changes it by its content reads that afterwards: nothing from the remote may come
    /// between the two.
    pub(super) fn begin_write(&self, path: &JailPath) -> Result<Writing<'_>, GitError> {
        self.git.begin([path.as_str(), META_FILE].into_iter())
    }

    /// Writes and commits what was begun. When the repository could not be had, the file is written all the same. The
    /// caller holds the lock on writes.
    pub(super) fn finish_write(
        &self,
        writing: Result<Writing<'_>, GitError>,
        path: &JailPath,
        content: &str,
        judged: Judged,
        message: &str,
    ) -> Result<Written, Error> {
        let Judged { findings, notice } = judged;
        let fault = findings.first().filter(|_| self.config.check == CheckMode::Strict);
        let will_be_logged = fault.is_none() && writing.is_ok() && self.git.restores_files();
        self.quota.write(&self.vfs, path, content.len(), || {
            if will_be_logged { self.vfs.write_restorable(path, content) } else { self.vfs.write(path, content) }
        })?;
        self.examples.forget(path.as_str());
        if let Some(first) = fault {
            let problem =
                format!("It is kept as a draft and not committed, because check_tool finds errors in it: {first}");
            return Ok(Written { findings, notice, ..Written::not_committed(path.as_str(), &problem) });
        }
        // The file is written: what keeps the registry from following must not hide that.
        let registered = self.registry.register(path);
        let meta = registered.as_ref().ok().and_then(|registered| registered.meta.as_deref());
        let mut changes = vec![FileChange { path: path.as_str(), content: Some(content.as_bytes()) }];
        changes.extend(meta.map(|text| FileChange { path: META_FILE, content: Some(text.as_bytes()) }));
        let committed = writing.and_then(|writing| writing.commit(message, &changes));
        if will_be_logged && !matches!(&committed, Ok(Committed { id: Some(_), .. })) {
            // No commit will bring it back.
            self.vfs.write(path, content)?;
        }
        let mut written = self.written(path.as_str(), committed)?;
        match registered {
            Ok(registered) => written.similar = registered.similar.into_iter().map(SimilarTool::from).collect(),
            Err(error) => written.problem = written.problem.or(Some(error.message)),
        }
        written.findings = findings;
        written.notice = notice;
        Ok(written)
    }

    /// What a commit, or its failure, means for the file at `path`.
    pub(super) fn written(&self, path: &str, committed: Result<Committed, GitError>) -> Result<Written, Error> {
        let (fresh, problem) = match committed {
            Ok(committed) => (committed.id, None),
            // The file is safe on disk; saying so is more use to the agent than an error that hides it.
            Err(error) => (None, Some(Error::from(error).message)),
        };
        let commit = match (&fresh, &problem) {
            (None, None) => self.git.branch_head(path)?,
            _ => fresh.clone(),
        };
        Ok(Written {
            path: path.to_owned(),
            persisted: if problem.is_none() { Persisted::Yes } else { Persisted::No },
            commit: commit.map(|id| id.as_str().to_owned()),
            findings: Vec::new(),
            notice: None,
            pull_request: None,
            problem,
            fresh,
            similar: Vec::new(),
        })
    }
}
