//! The Git history: the log, commits of files, and `meta.json`.

use super::exchange::{Exchange, Incoming};
use super::uncommitted::Uncommitted;
use super::write_turn::WriteTurn;
use super::written::{Persisted, WriteDone, Written};
use crate::kernel::commit_note::CommitNote;
use crate::kernel::config::{DEFAULT_HISTORY_LIMIT, GitWriteStrategy, HISTORY_LIMIT};
use crate::kernel::door::Witness;
use crate::kernel::secret_scan::{SecretScan, commit_held_back, message_held_back};
use crate::kernel::tools::Tools;
use parking_lot::Mutex;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_git::{Committed, FileChange, GitError, GitStore, Halt, LocalCommits, LogEntry, MessageSearch, PushPolicy};
use tgp_registry::META_FILE;
use tgp_vfs::{DiskVfs, JailPath, Vfs, VfsError};

/// Most commits that are searched for ledger trailers, newest first.
const MAX_WITNESSES: usize = 10_000;

/// Most commits that a boot searches for the newest trailer.
const MAX_BOOT_WITNESSES: usize = 1000;

/// One commit of a file's history.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct HistoryEntry {
    pub commit: String,
    pub message: String,
    pub author: String,
    /// Seconds since 1970.
    pub time: i64,
    /// The reason for the change.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

impl From<LogEntry> for HistoryEntry {
    fn from(entry: LogEntry) -> Self {
        let LogEntry { commit, message, author, email: _, time } = entry;
        let (message, CommitNote { why, session, model }) = CommitNote::split(&message);
        Self { commit, message, author, time, why, session, model }
    }
}

/// Whether a flush made a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flushed {
    Committed,
    Nothing,
}

/// The dependencies of the history.
pub struct HistoryDeps {
    pub git: Arc<GitStore>,
    pub exchange: Exchange,
    pub files: Arc<DiskVfs>,
    pub tools: Arc<Tools>,
    pub strategy: GitWriteStrategy,
    pub secrets: SecretScan,
    /// Cancels long operations.
    pub halt: Halt,
    pub witness: Arc<dyn Witness>,
}

/// Owns the repository, the exchange with its remote, and the write lock.
pub struct History {
    pub(super) git: Arc<GitStore>,
    exchange: Exchange,
    pub(super) files: Arc<DiskVfs>,
    tools: Arc<Tools>,
    pub(super) strategy: GitWriteStrategy,
    secrets: SecretScan,
    pub(super) halt: Halt,
    witness: Arc<dyn Witness>,
    /// Held from the change on disk to the commit, so that both happen in the same order.
    one_writer: Mutex<()>,
}

impl History {
    pub fn new(deps: HistoryDeps) -> Self {
        let HistoryDeps { git, exchange, files, tools, strategy, secrets, halt, witness } = deps;
        Self { git, exchange, files, tools, strategy, secrets, halt, witness, one_writer: Mutex::new(()) }
    }

    /// Searches commit messages for ledger positions with `find`.
    pub fn witnesses<T>(&self, find: impl FnMut(&str) -> Option<T>) -> Result<MessageSearch<T>, Error> {
        Ok(self.git.search_messages(MAX_WITNESSES, find)?)
    }

    /// As `witnesses`, only the newest, within the bound of a boot.
    pub fn newest_witness<T>(&self, mut find: impl FnMut(&str) -> Option<T>) -> Result<Option<T>, Error> {
        let mut left = MAX_BOOT_WITNESSES;
        let found = self.git.search_messages(1, |message| {
            left -= 1;
            find(message).map(Some).or_else(|| (left == 0).then_some(None))
        })?;
        Ok(found.found.into_iter().next().flatten())
    }

    /// The message of the newest commit.
    pub fn newest_message(&self) -> Result<Option<String>, Error> {
        Ok(self.git.current_message()?)
    }

    /// The commits that changed a file, or all of them, newest first.
    pub fn file_history(&self, path: Option<&str>, limit: Option<u32>) -> Result<Vec<HistoryEntry>, Error> {
        let path = path.map(JailPath::parse).transpose()?.filter(|path| !path.is_root());
        let limit = limit.unwrap_or(DEFAULT_HISTORY_LIMIT);
        HISTORY_LIMIT.check(limit, "", ErrorCode::Validation)?;
        let entries = self.git.log(path.as_ref().map(JailPath::as_str), limit as usize)?;
        Ok(entries.into_iter().map(Into::into).collect())
    }

    /// The diff of a file, or of all files, between two commits.
    pub fn file_diff(&self, path: Option<&str>, from: Option<&str>, to: Option<&str>) -> Result<String, Error> {
        let path = path.map(JailPath::parse).transpose()?.filter(|path| !path.is_root());
        Ok(self.git.diff(path.as_ref().map(JailPath::as_str), from, to)?)
    }

    /// The files with uncommitted changes, sorted by path.
    pub fn uncommitted(&self) -> Result<Vec<Uncommitted>, Error> {
        let present = self.files.list(&JailPath::root())?.into_iter().map(|path| path.as_str().to_owned()).collect();
        Ok(self.git.uncommitted(&present, &self.halt)?.into_iter().map(Into::into).collect())
    }

    /// Whether the checked-out version of `path` has this content.
    pub fn is_checked_out(&self, path: &str, content: &[u8]) -> bool {
        self.git.is_checked_out(path, content).unwrap_or(false)
    }

    /// The text of a file as it was in `commit`.
    pub fn text_at(&self, path: &JailPath, commit: &str) -> Result<String, Error> {
        let bytes = self.git.content_at(path.as_str(), commit)?;
        String::from_utf8(bytes)
            .map_err(|_| Error::new(ErrorCode::Validation, format!("{} is not text in that commit.", path.as_str())))
    }

    /// One of `paths` that cannot be committed with the first of them, because it is in another open pull request.
    pub fn changed_on_other_branch(&self, paths: &[&str]) -> Result<Option<String>, Error> {
        Ok(self.git.changed_on_other_branch(paths)?)
    }

    /// Waits for the write lock. A change that depends on a file's content must read it afterwards, as a pull may come
    /// before.
    pub fn begin(&self) -> WriteTurn<'_> {
        let one_writer = self.one_writer.lock();
        WriteTurn::new(one_writer, self.git.begin(), self.git.restores_files(), &*self.witness)
    }

    /// Refuses a write to a read-only root.
    pub fn check_writable(&self) -> Result<(), Error> {
        Ok(self.git.check_writable()?)
    }

    /// Commits files as they are on disk; a missing file is removed.
    pub fn persist(&self, message: &str, files: &[String], done: WriteDone<Written>) {
        self.publish(self.check_writable().and_then(|()| self.commit_as_they_are(message, files)), done);
    }

    /// Regenerates and commits `meta.json`.
    pub fn sync_registry(&self, done: WriteDone<Written>) {
        self.publish(self.check_writable().and_then(|()| self.commit_meta()), done);
    }

    /// The result of a commit for the file at `path`.
    pub fn written(&self, path: &str, committed: Result<Committed, GitError>) -> Result<Written, Error> {
        let (fresh, problem) = match committed {
            Err(error @ GitError::Conflict { .. }) => return Err(self.overtaken(error)),
            Ok(committed) => (committed.id, None),
            // Not an error: the file is written, and the agent should know that.
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
            decisive: path.to_owned(),
            fresh,
            similar: Vec::new(),
        })
    }

    /// Pushes a write and reports the result.
    pub fn publish(&self, written: Result<Written, Error>, done: WriteDone<Written>) {
        self.exchange.publish(written, done);
    }

    /// Sets the check that runs before every push, and pushes commits of earlier processes.
    pub fn set_push_policy(&self, push_policy: Arc<dyn PushPolicy>, waiting: LocalCommits) {
        self.exchange.set_push_policy(push_policy, waiting);
    }

    /// Pushes in the background what the check allows by now.
    pub fn push_again(&self) {
        self.exchange.push_again();
    }

    /// Pushes pending commits, then pulls.
    pub fn sync(&self) -> Result<Incoming, Error> {
        self.flush_meta()?;
        let mut incoming = self.exchange.sync()?;
        // A pulled `meta.json` may lack tools that were written here.
        if let Err(error) = self.push_meta_again(&mut incoming) {
            // Everything else has been exchanged.
            incoming.warnings.push(format!("meta.json was not pushed: {}", error.message));
        }
        Ok(incoming)
    }

    fn push_meta_again(&self, incoming: &mut Incoming) -> Result<(), Error> {
        if self.flush_meta()? == Flushed::Committed {
            incoming.add(self.exchange.sync()?);
        }
        Ok(())
    }

    /// Pulls.
    pub fn hydrate(&self) -> Result<Incoming, Error> {
        self.exchange.hydrate()
    }

    /// Commits `meta.json` if it is outdated, and waits for pending pushes up to a timeout.
    pub fn stop(&self, wait: Option<Duration>) {
        // The next kernel finds uncommitted tools in the files.
        let has_news = matches!(self.flush_meta(), Ok(Flushed::Committed));
        self.exchange.stop(has_news, wait);
    }

    fn commit_as_they_are(&self, message: &str, files: &[String]) -> Result<Written, Error> {
        let paths = files.iter().map(|file| JailPath::parse(file)).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = paths.first() else {
            return Err(
                Error::new(ErrorCode::Validation, "files is empty. Name the files to commit.").with("field", "files")
            );
        };
        let mut turn = self.begin().whole()?;
        let mut contents = Vec::new();
        for path in &paths {
            contents.push(match self.files.read_bytes(path) {
                Ok(bytes) => Some(bytes),
                Err(VfsError::NotFound { .. }) => None,
                Err(error) => return Err(error.into()),
            });
        }
        let held: Vec<String> = paths
            .iter()
            .zip(&contents)
            .filter_map(|(path, content)| content.as_ref().map(|content| self.secrets.findings(path.as_str(), content)))
            .flatten()
            .collect();
        if let Some(secret) = held.first() {
            // Refuses the whole commit: without this file it would not match its message.
            return Ok(Written {
                findings: held.clone(),
                ..Written::not_committed(first.as_str(), &commit_held_back(secret))
            });
        }
        // The message is pushed with the commit.
        let in_message = self.secrets.findings_in_words("message", message);
        if let Some(secret) = in_message.first() {
            let why = message_held_back(secret);
            return Ok(Written { findings: in_message.clone(), ..Written::not_committed(first.as_str(), &why) });
        }
        let changes: Vec<_> = paths
            .iter()
            .zip(&contents)
            .map(|(path, content)| FileChange { path: path.as_str(), content: content.as_deref() })
            .collect();
        // These files were changed outside the kernel.
        self.tools.registry().expire();
        match turn.commit(message, &changes) {
            Err(error @ GitError::Conflict { .. }) => Err(self.overtaken(error)),
            committed => self.written(first.as_str(), Ok(committed?)),
        }
    }

    /// Checks out the version that a commit would have overwritten, and returns the conflict.
    fn overtaken(&self, conflict: GitError) -> Error {
        let brought = self.git.release_held_back();
        self.tools.registry().expire();
        brought.map_or_else(Error::from, |()| conflict.into())
    }

    fn commit_meta(&self) -> Result<Written, Error> {
        let registry = self.tools.registry();
        if self.strategy == GitWriteStrategy::Pr {
            let _one_writer = self.one_writer.lock();
            // It is written to disk only.
            if let Some(meta) = registry.sync_meta()? {
                registry.meta_was_committed(&meta);
            }
            return Ok(Written::not_committed(META_FILE, "meta.json is not committed with the pull request strategy."));
        }
        let mut turn = self.begin().whole()?;
        turn.begin_files(std::iter::once(META_FILE));
        let meta = registry.sync_meta()?;
        let change = meta.as_ref().map(|meta| FileChange { path: META_FILE, content: Some(meta.text.as_bytes()) });
        let committed = turn.commit("Registry: meta.json", change.as_slice());
        if let (Some(meta), Ok(_)) = (&meta, &committed) {
            registry.meta_was_committed(meta);
        }
        drop(turn);
        self.written(META_FILE, committed)
    }

    /// Commits `meta.json` if it lacks writes of this kernel.
    fn flush_meta(&self) -> Result<Flushed, Error> {
        self.exchange.note_overtaken();
        if self.strategy == GitWriteStrategy::Pr || !self.tools.registry().is_meta_behind() {
            return Ok(Flushed::Nothing);
        }
        Ok(if self.commit_meta()?.fresh.is_some() { Flushed::Committed } else { Flushed::Nothing })
    }
}
