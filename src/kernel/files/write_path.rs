//! The one way in which a file of the root is changed: judged, begun, read, written, committed, published.
//!
//! Whatever is slow (the rules, types, packages, JavaScript) happens before the repository is locked. What was judged is
//! what is written: when the file has changed in between, the change is made and judged again.

use super::path_turns::PathTurns;
use super::write_rules::check_writable;
use crate::error::{Error, ErrorCode};
use crate::git::{Committed, FileChange};
use crate::kernel::checks::{Checks, Judged};
use crate::kernel::history::{History, RunExamples, WriteDone, WriteTurn, Written};
use crate::kernel::near_path::with_near_path;
use crate::kernel::tools::{SimilarTool, Tools};
use crate::registry::META_FILE;
use crate::vfs::{DiskVfs, JailPath, RootQuota, Vfs};
use std::sync::Arc;

/// How often a change is made anew because another process has changed the file meanwhile.
const MAX_TRIES: usize = 8;

/// What a change depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Base {
    /// Nothing: it is the same whatever the file holds.
    Anything,
    /// The text of the file.
    Content,
}

/// A change of one file.
pub trait Change {
    /// What is found out on the way.
    type Found: Send + 'static;

    /// Refuses what no file could make right.
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }

    fn base(&self) -> Base;

    /// The message of its commit.
    fn message(&self, path: &JailPath) -> String;

    /// The new text of the file. `before` is its text if the change depends on it. What this refuses is not written.
    fn make(&self, path: &JailPath, before: &str) -> Result<(String, Self::Found), Error>;
}

/// What a write touches.
pub struct WriteParts {
    pub root: Arc<DiskVfs>,
    pub quota: RootQuota,
    pub checks: Arc<Checks>,
    pub tools: Arc<Tools>,
    pub history: Arc<History>,
    pub examples: Arc<RunExamples>,
}

pub struct WritePath {
    parts: WriteParts,
    /// Changes of the same file that got into each other's way are made again one after the other.
    edits: PathTurns,
}

impl WritePath {
    pub fn new(parts: WriteParts) -> Self {
        Self { parts, edits: PathTurns::default() }
    }

    /// Makes a change, commits it and brings it to the remote; `report` tells of it with what was found out on the way.
    pub fn carry_out<C: Change, R: 'static>(
        &self,
        path: &str,
        change: &C,
        report: impl FnOnce(Written, C::Found) -> R + Send + 'static,
        done: WriteDone<R>,
    ) {
        match self.commit(path, change) {
            Err(error) => done(Err(error)),
            Ok((written, found)) => {
                let published =
                    move |written: Result<Written, Error>| done(written.map(|written| report(written, found)));
                self.parts.history.publish(Ok(written), Box::new(published));
            }
        }
    }

    fn commit<C: Change>(&self, path: &str, change: &C) -> Result<(Written, C::Found), Error> {
        let path = &JailPath::parse(path)?;
        check_writable(path)?;
        self.parts.history.check_writable()?;
        change.check()?;
        let read = || match change.base() {
            Base::Anything => Ok(String::new()),
            Base::Content => {
                self.parts.root.read(path).map_err(|error| with_near_path(error.into(), &*self.parts.root))
            }
        };
        let mut one_edit = None;
        for _ in 0..MAX_TRIES {
            let before = read()?;
            let (after, found) = change.make(path, &before)?;
            let judged = self.parts.checks.judge(path, &after)?;
            let turn = self.parts.history.begin([path.as_str(), META_FILE].into_iter());
            if read()? == before {
                return Ok((self.write(turn, path, &after, judged, &change.message(path))?, found));
            }
            drop(turn);
            // Others are at this file. From now on one waits for the other, as long as that may be; without the turn it is
            // tried all the same, for what was judged is what is written.
            one_edit = one_edit.or_else(|| self.edits.wait_for(path));
        }
        let message = format!(
            "{} was not written: others changed it each of the {MAX_TRIES} times that the change was made. Read it again, and repeat the change when they are done.",
            path.as_str()
        );
        Err(Error::new(ErrorCode::GitConflict, message).with("path", path.as_str()))
    }

    /// Writes and commits. When the repository could not be had, the file is written all the same.
    fn write(
        &self,
        mut turn: WriteTurn<'_>,
        path: &JailPath,
        content: &str,
        judged: Judged,
        message: &str,
    ) -> Result<Written, Error> {
        let WriteParts { root, quota, checks, tools, history, examples } = &self.parts;
        let Judged { findings, notice } = judged;
        let fault = checks.is_strict() && !findings.is_empty();
        let will_be_logged = !fault && turn.restores_files();
        quota.write(root, path, content.len(), || {
            if will_be_logged { root.write_restorable(path, content) } else { root.write(path, content) }
        })?;
        examples.forget(path.as_str());
        if fault {
            let problem = "It is kept as a draft and not committed, because of the findings. check_tool says what to write instead; the file is committed as soon as no error is left.";
            return Ok(Written { findings, notice, ..Written::not_committed(path.as_str(), problem) });
        }
        // The file is written: what keeps the registry from following must not hide that.
        let registered = tools.registry().register(path);
        let meta = registered.as_ref().ok().and_then(|registered| registered.meta.as_ref());
        let mut changes = vec![FileChange { path: path.as_str(), content: Some(content.as_bytes()) }];
        changes.extend(meta.map(|meta| FileChange { path: META_FILE, content: Some(meta.text.as_bytes()) }));
        let committed = turn.commit(message, &changes);
        if let (Some(meta), Ok(_)) = (meta, &committed) {
            tools.registry().meta_was_committed(meta);
        }
        if will_be_logged && !matches!(&committed, Ok(Committed { id: Some(_), .. })) {
            // No commit will bring it back. It is still this write's turn: nobody has written another text meanwhile.
            root.write(path, content)?;
        }
        let mut written = history.written(path.as_str(), committed)?;
        drop(turn);
        match registered {
            Ok(registered) => written.similar = registered.similar.into_iter().map(SimilarTool::from).collect(),
            Err(error) => written.problem = written.problem.or(Some(error.message)),
        }
        written.findings = findings;
        written.notice = notice;
        Ok(written)
    }
}

#[cfg(test)]
#[path = "write_path_tests.rs"]
mod tests;
