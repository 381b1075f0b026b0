//! What was, and how it is kept: the log, commits of files, and `meta.json` beside them.

use super::exchange::{Exchange, Incoming};
use super::uncommitted::Uncommitted;
use super::write_turn::WriteTurn;
use super::written::{Persisted, WriteDone, Written};
use crate::kernel::commit_note::CommitNote;
use crate::kernel::config::{DEFAULT_HISTORY_LIMIT, GitWriteStrategy, HISTORY_LIMIT};
use crate::kernel::door::Witness;
use crate::kernel::secret_scan::{SecretScan, held_back, message_held_back};
use crate::kernel::tools::Tools;
use parking_lot::Mutex;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_git::{Committed, FileChange, GitError, GitStore, Halt, LocalCommits, LogEntry, MessageSearch, PushPolicy};
use tgp_registry::META_FILE;
use tgp_vfs::{DiskVfs, JailPath, Vfs, VfsError};

/// Commits that are looked at for what they say of the ledger: the newest say most.
const MOST_WITNESSES: usize = 10_000;

/// Commits that a boot looks at for the newest of them.
const MOST_LOOKED_AT: usize = 1000;

/// One commit of a file's history.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct HistoryEntry {
    pub commit: String,
    pub message: String,
    pub author: String,
    /// Seconds since 1970.
    pub time: i64,
    /// What whoever changed the file said about it.
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

/// What the history is kept with.
pub struct HistoryParts {
    pub git: Arc<GitStore>,
    pub exchange: Exchange,
    pub files: Arc<DiskVfs>,
    pub tools: Arc<Tools>,
    pub strategy: GitWriteStrategy,
    pub secrets: SecretScan,
    /// Ends what takes long.
    pub halt: Halt,
    pub witness: Arc<dyn Witness>,
}

/// Owns the repository, the exchange with its remote, and the turn to write.
pub struct History {
    git: Arc<GitStore>,
    exchange: Exchange,
    files: Arc<DiskVfs>,
    tools: Arc<Tools>,
    strategy: GitWriteStrategy,
    secrets: SecretScan,
    halt: Halt,
    witness: Arc<dyn Witness>,
    /// Held from the change on disk to the commit, so that both happen in the same order.
    one_writer: Mutex<()>,
}

impl History {
    pub fn new(parts: HistoryParts) -> Self {
        let HistoryParts { git, exchange, files, tools, strategy, secrets, halt, witness } = parts;
        Self { git, exchange, files, tools, strategy, secrets, halt, witness, one_writer: Mutex::new(()) }
    }

    /// What `find` finds in messages of commits: how far a ledger was.
    pub fn witnesses<T>(&self, find: impl FnMut(&str) -> Option<T>) -> Result<MessageSearch<T>, Error> {
        Ok(self.git.search_messages(MOST_WITNESSES, find)?)
    }

    /// The same in the newest commit that has it, as far back as a boot looks.
    pub fn newest_witness<T>(&self, mut find: impl FnMut(&str) -> Option<T>) -> Result<Option<T>, Error> {
        let mut left = MOST_LOOKED_AT;
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

    /// How a file, or everything, differs between two commits.
    pub fn file_diff(&self, path: Option<&str>, from: Option<&str>, to: Option<&str>) -> Result<String, Error> {
        let path = path.map(JailPath::parse).transpose()?.filter(|path| !path.is_root());
        Ok(self.git.diff(path.as_ref().map(JailPath::as_str), from, to)?)
    }

    /// The files that the history has otherwise or not at all, sorted by path.
    pub fn uncommitted(&self) -> Result<Vec<Uncommitted>, Error> {
        let present = self.files.list(&JailPath::root())?.into_iter().map(|path| path.as_str().to_owned()).collect();
        Ok(self.git.uncommitted(&present, &self.halt)?.into_iter().map(Into::into).collect())
    }

    /// Whether the file that is checked out at `path` holds this.
    pub fn is_checked_out(&self, path: &str, content: &[u8]) -> bool {
        self.git.is_checked_out(path, content).unwrap_or(false)
    }

    /// The text of a file as it was in `commit`.
    pub fn text_at(&self, path: &JailPath, commit: &str) -> Result<String, Error> {
        let bytes = self.git.content_at(path.as_str(), commit)?;
        String::from_utf8(bytes)
            .map_err(|_| Error::new(ErrorCode::Validation, format!("{} is not text in that commit.", path.as_str())))
    }

    /// One of `paths` that cannot be in one commit with the first of them, because it waits for a pull request of its own.
    pub fn changed_on_other_branch(&self, paths: &[&str]) -> Result<Option<String>, Error> {
        Ok(self.git.changed_on_other_branch(paths)?)
    }

    /// Waits for the right to change files. Whoever changes one by its content reads that afterwards: nothing from the
    /// remote may come between the two.
    pub fn begin(&self) -> WriteTurn<'_> {
        let one_writer = self.one_writer.lock();
        WriteTurn::new(one_writer, self.git.begin(), self.git.restores_files(), &*self.witness)
    }

    /// Refuses, where the root is read-only, before anything is tried.
    pub fn check_writable(&self) -> Result<(), Error> {
        Ok(self.git.check_writable()?)
    }

    /// Commits files as they are on disk; one that is not there is removed from the history's head.
    pub fn persist(&self, message: &str, files: &[String], done: WriteDone<Written>) {
        self.publish(self.check_writable().and_then(|()| self.commit_as_they_are(message, files)), done);
    }

    /// Makes `meta.json` what the tools say and commits it.
    pub fn sync_registry(&self, done: WriteDone<Written>) {
        self.publish(self.check_writable().and_then(|()| self.commit_meta()), done);
    }

    /// What a commit, or its failure, means for the file at `path`.
    pub fn written(&self, path: &str, committed: Result<Committed, GitError>) -> Result<Written, Error> {
        let (fresh, problem) = match committed {
            Err(error @ GitError::Conflict { .. }) => return Err(self.overtaken(error)),
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
            decisive: path.to_owned(),
            fresh,
            similar: Vec::new(),
        })
    }

    /// Brings a write to the remote and tells what became of it.
    pub fn publish(&self, written: Result<Written, Error>, done: WriteDone<Written>) {
        self.exchange.publish(written, done);
    }

    /// Has somebody asked before every push, and makes those that wait since before.
    pub fn set_push_policy(&self, sharing: Arc<dyn PushPolicy>, waiting: LocalCommits) {
        self.exchange.set_push_policy(sharing, waiting);
    }

    /// Pushes what may be pushed by now, in the background.
    pub fn push_again(&self) {
        self.exchange.push_again();
    }

    /// Pushes whatever waits, then brings in what others pushed.
    pub fn sync(&self) -> Result<Incoming, Error> {
        self.flush_meta()?;
        let mut incoming = self.exchange.sync()?;
        // What came in may have brought a `meta.json` without the tools that were written here.
        if let Err(error) = self.push_meta_again(&mut incoming) {
            // All else has been exchanged.
            incoming.warnings.push(format!("meta.json was not brought to the remote: {}", error.message));
        }
        Ok(incoming)
    }

    fn push_meta_again(&self, incoming: &mut Incoming) -> Result<(), Error> {
        if self.flush_meta()? == Flushed::Committed {
            incoming.add(self.exchange.sync()?);
        }
        Ok(())
    }

    /// Brings in what others pushed.
    pub fn hydrate(&self) -> Result<Incoming, Error> {
        self.exchange.hydrate()
    }

    /// Commits what `meta.json` lacks, and waits for the pushes under way, for a while.
    pub fn stop(&self, wait: Option<Duration>) {
        // What could not be committed is found in the files by the next kernel.
        let has_news = matches!(self.flush_meta(), Ok(Flushed::Committed));
        self.exchange.stop(has_news, wait);
    }

    fn commit_as_they_are(&self, message: &str, files: &[String]) -> Result<Written, Error> {
        let paths = files.iter().map(|file| JailPath::parse(file)).collect::<Result<Vec<_>, _>>()?;
        let Some(first) = paths.first() else {
            return Err(
                Error::new(ErrorCode::Validation, "files is empty. Name what to commit.").with("field", "files")
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
            // One commit: the other files would not be what the message says without this one.
            return Ok(Written {
                findings: held.clone(),
                ..Written::not_committed(first.as_str(), &held_back(secret))
            });
        }
        // What a commit says is pushed with it.
        let told = self.secrets.findings_in_words("message", message);
        if let Some(secret) = told.first() {
            let why = message_held_back(secret);
            return Ok(Written { findings: told.clone(), ..Written::not_committed(first.as_str(), &why) });
        }
        let changes: Vec<_> = paths
            .iter()
            .zip(&contents)
            .map(|(path, content)| FileChange { path: path.as_str(), content: content.as_deref() })
            .collect();
        // Somebody else has changed these files.
        self.tools.registry().expire();
        match turn.commit(message, &changes) {
            Err(error @ GitError::Conflict { .. }) => Err(self.overtaken(error)),
            committed => self.written(first.as_str(), Ok(committed?)),
        }
    }

    /// Brings the version that a commit would have been put over unseen, and says so.
    fn overtaken(&self, conflict: GitError) -> Error {
        let brought = self.git.release_held_back();
        self.tools.registry().expire();
        brought.map_or_else(Error::from, |()| conflict.into())
    }

    fn commit_meta(&self) -> Result<Written, Error> {
        let registry = self.tools.registry();
        if self.strategy == GitWriteStrategy::Pr {
            let _one_writer = self.one_writer.lock();
            // It is kept nowhere else than where it is written.
            if let Some(meta) = registry.sync_meta()? {
                registry.meta_was_committed(&meta);
            }
            return Ok(Written::not_committed(META_FILE, "With pull requests meta.json is not committed."));
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

    /// Commits `meta.json` if writes of this kernel are not in it yet. Whoever lacks them finds them in the files.
    fn flush_meta(&self) -> Result<Flushed, Error> {
        self.exchange.note_overtaken();
        if self.strategy == GitWriteStrategy::Pr || !self.tools.registry().is_meta_behind() {
            return Ok(Flushed::Nothing);
        }
        Ok(if self.commit_meta()?.fresh.is_some() { Flushed::Committed } else { Flushed::Nothing })
    }
}
