//! The public API of the ledger: record, read, verify.

use super::boot_check::{Contents, boot_check};
use super::callbacks::Redact;
use super::checkpoint::checkpoint::Statement;
use super::checkpoint::checkpoint_file;
use super::checkpoint::checkpoints::{Checkpoints, public_key};
use super::checkpoint::signing_key::{PublicKey, SigningKey};
use super::durability::{Access, Durability};
use super::event::blobs::PREVIEW;
use super::event::event::{Head, NewEvent, StoredEvent};
use super::export::chronicle::chronicle_lines;
use super::export::export::{self, ExportPage};
use super::folder::Folder;
use super::hash::Hash;
use super::ledger_error::{LedgerError, Reason};
use super::options::LedgerOptions;
use super::query::{MAX_EVENTS, Query};
use super::retention::retention::Retention;
use super::spool::prepare::Preparation;
use super::spool::process_lock::ProcessLock;
use super::spool::spool::Spool;
use super::spool::wait_for_spools::wait_for_spools;
use super::sqlite::sqlite_store::SqliteStore;
use super::store::{Store, StoreScope};
use super::verification::{Problem, Verification, Witness};
use super::verify::{Evidence, verify};
use super::writer::drain::Drain;
use super::writer::signals::{Signals, ThreadNeed, Want};
use super::writer::writer::{self, Shared};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tgp_base::threads::{Priority, SleepingThread, contain};

/// How long a commit waits for a current position.
const WITNESS_TIMEOUT: Duration = Duration::from_millis(100);

/// An open ledger.
pub struct Ledger {
    folder: Folder,
    store: Arc<dyn Store>,
    /// `None` when it is open for reading only.
    writing: Option<Writing>,
    process: String,
    calls: AtomicU64,
    blob_bytes: usize,
    durability: Durability,
    redact: Option<Arc<dyn Redact>>,
    /// The problem at its end, found when it was opened.
    boot_problem: Option<Problem>,
}

struct Writing {
    shared: Arc<Shared>,
    thread: SleepingThread,
}

/// The state of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallState {
    /// It has a result or was denied.
    Done,
    /// Its process is alive.
    Running,
    /// Its process has ended, and its outcome is unknown.
    Unknown,
}

impl Ledger {
    /// Opens the SQLite ledger of a folder.
    pub fn open(options: &LedgerOptions) -> Result<Self, LedgerError> {
        let folder = Folder::as_is(&options.folder);
        if options.access == Access::ReadWrite {
            Folder::make(&options.folder)?.make_database()?;
        }
        let store = SqliteStore::open(&folder.database(), options.access, options.durability)?;
        let contents = if store.is_empty()? { Contents::Nothing } else { Contents::Events };
        Self::open_on(options, Arc::new(store), contents)
    }

    /// Opens a ledger with another store. Spools, key and checkpoints are in the folder.
    pub fn open_with(options: &LedgerOptions, store: Arc<dyn Store>) -> Result<Self, LedgerError> {
        Self::open_on(options, store, Contents::Events)
    }

    fn open_on(options: &LedgerOptions, store: Arc<dyn Store>, contents: Contents) -> Result<Self, LedgerError> {
        let process = new_process()?;
        let (folder, writing, boot_problem) = match options.access {
            Access::ReadOnly => (Folder::as_is(&options.folder), None, None),
            Access::ReadWrite => {
                let folder = Folder::make(&options.folder)?;
                if let Some(key) = &options.key {
                    SigningKey::place(&folder, key)?;
                }
                let checkpoints = Checkpoints::new(folder.clone(), Arc::clone(&store), options.checkpoint_every);
                let (problem, head) = boot_check(&folder, &*store, &checkpoints, contents)?;
                let writing = Writing::start(options, &folder, &store, (checkpoints, head), process.clone());
                (folder, Some(writing), problem)
            }
        };
        Ok(Self {
            folder,
            store,
            writing,
            process,
            calls: AtomicU64::new(0),
            blob_bytes: options.blob_bytes,
            durability: options.durability,
            redact: options.redact.clone(),
            boot_problem,
        })
    }

    /// The prefix of this process's call ids.
    #[must_use]
    pub fn process(&self) -> &str {
        &self.process
    }

    /// The largest value that is kept completely.
    #[must_use]
    pub const fn blob_bytes(&self) -> usize {
        self.blob_bytes
    }

    /// The masked beginning of a text that is too long to be recorded.
    #[must_use]
    pub fn preview(&self, text: &str) -> String {
        self.redact.as_ref().map_or_else(
            || text.chars().take(PREVIEW).collect(),
            // A text that cannot be masked is not kept.
            |redact| contain(|| redact.preview(text, PREVIEW)).unwrap_or_default(),
        )
    }

    pub(crate) fn shared(&self) -> Result<&Shared, LedgerError> {
        Ok(&self.writing()?.shared)
    }

    pub(crate) const fn folder(&self) -> &Folder {
        &self.folder
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.store
    }

    /// The name of the ledger's key, 8 hex digits, and a signature of this head.
    pub fn witness(&self, head: &Head) -> Result<(String, String), LedgerError> {
        let checkpoints = &self.shared()?.checkpoints;
        let key = match self.store.scope() {
            StoreScope::Folder => checkpoints.key()?,
            // A commit does not wait for a server: the writer finds the key when it first reaches the store.
            StoreScope::Machines => checkpoints.known_key().ok_or(LedgerError::Unreachable(Reason::Connection))?,
        };
        let statement = match (self.store.scope(), self.durability) {
            (StoreScope::Folder, Durability::Process) => Statement::Witnessed,
            // A server confirms commits after writing them to its disk.
            (StoreScope::Machines, _) | (_, Durability::Power) => Statement::WitnessedOnDisk,
        };
        Ok((key.public().name(), statement.signature(head, &key)))
    }

    /// The newest signed note; `None` before the first.
    pub fn last_note(&self) -> Result<Option<String>, LedgerError> {
        Ok(self.store.last_checkpoint(u64::MAX)?.map(|row| row.note))
    }

    /// A unique call id. It contains the process id: see `call_state`.
    pub fn call_id(&self) -> String {
        format!("{}-{}", self.process, self.calls.fetch_add(1, Ordering::Relaxed) + 1)
    }

    /// Records an event. When this returns, the event survives a crash of this process; see `Importance` for failures.
    pub fn record(&self, event: &NewEvent<'_>) -> Result<(), LedgerError> {
        let writing = self.writing()?;
        writing.shared.spool.record(event)?;
        if writing.shared.signals.event() == ThreadNeed::Wake && writing.wake().is_err() {
            // The event waits in its file; the next event tries to start a thread again.
            writing.shared.signals.thread_unavailable();
        }
        Ok(())
    }

    /// Whether there is room for the intent of another call.
    #[must_use]
    pub fn has_room(&self) -> bool {
        self.writing.as_ref().is_none_or(|writing| writing.shared.spool.has_room())
    }

    /// Waits until everything that this process has recorded is in the store.
    pub fn flush(&self) -> Result<(), LedgerError> {
        self.ask(Want::Drain)
    }

    /// Waits until everything that any process of this folder had recorded before this call is in the store, including
    /// spools of ended processes.
    ///
    /// # Errors
    /// `Behind` when that takes longer than `timeout`.
    pub fn wait_for_spools(&self, timeout: Duration) -> Result<(), LedgerError> {
        wait_for_spools(&self.folder, &*self.store, || self.flush(), timeout)
    }

    /// Signs a checkpoint of all recorded events.
    pub fn checkpoint(&self) -> Result<Head, LedgerError> {
        self.ask(Want::Checkpoint)?;
        self.store.head()
    }

    /// The event count and head hash, including all events of this process, as in the trailer of a commit.
    pub fn position(&self) -> Result<Head, LedgerError> {
        if self.writing.is_some() {
            self.flush()?;
        }
        self.store.head()
    }

    /// The position for the trailer of a commit: the current one, or the last known one if many events wait to be stored or
    /// the store is on another server.
    pub fn witnessed_position(&self) -> Result<Head, LedgerError> {
        if self.store.scope() == StoreScope::Machines {
            return Ok(self.last_position());
        }
        if let Some(writing) = self.writing.as_ref().filter(|writing| writing.shared.spool.is_soon_stored()) {
            writing.ask(Want::Drain, Some(Instant::now() + WITNESS_TIMEOUT))?;
        }
        self.store.head()
    }

    /// The writer's last known position. Does not wait.
    #[must_use]
    pub fn last_position(&self) -> Head {
        self.writing.as_ref().map_or(Head::NONE, |writing| *writing.shared.head.lock())
    }

    /// The events of a query, oldest first.
    pub fn tail(&self, query: &Query) -> Result<Vec<StoredEvent>, LedgerError> {
        self.store.events(query)
    }

    /// The events after `seq`, oldest first, for followers.
    pub fn after(&self, seq: u64, limit: usize) -> Result<Vec<StoredEvent>, LedgerError> {
        self.store.events(&Query { limit, after_seq: Some(seq), ..Query::default() })
    }

    /// One event.
    pub fn event(&self, seq: u64) -> Result<Option<StoredEvent>, LedgerError> {
        let events = self.after(seq.saturating_sub(1), 1)?;
        Ok(events.into_iter().find(|event| event.seq == seq))
    }

    /// The events of a call and all its descendants, oldest first.
    pub fn tree(&self, call: &str) -> Result<Vec<StoredEvent>, LedgerError> {
        self.store.tree(call, MAX_EVENTS)
    }

    /// The export lines after an event, 0 for the first page; verify them with `LinesCheck`. The last page ends with a
    /// signed line.
    pub fn export(&self, after: u64, limit: usize) -> Result<ExportPage, LedgerError> {
        export::page(&*self.store, after, limit, &*self.writing()?.shared.checkpoints.key()?)
    }

    /// The events of one file in chronicle format, oldest first, one line each.
    pub fn chronicle(&self, path: &str) -> Result<Vec<String>, LedgerError> {
        chronicle_lines(&*self.store, path)
    }

    /// The public key for checkpoint signatures; `None` when nothing was signed yet.
    pub fn public_key(&self) -> Result<Option<PublicKey>, LedgerError> {
        public_key(&self.folder)
    }

    /// A stored large value.
    pub fn blob(&self, hash: &Hash) -> Result<Option<Vec<u8>>, LedgerError> {
        self.store.blob(hash)
    }

    /// The state of a call, by its events and by whether its process is alive.
    pub fn call_state(&self, call: &str, has_result: HasResult) -> Result<CallState, LedgerError> {
        if has_result == HasResult::Yes {
            return Ok(CallState::Done);
        }
        let process = call.split('-').next().unwrap_or_default();
        let here = process == self.process && self.writing.is_some();
        let lives = here
            || ProcessLock::is_held(&self.folder, process)
            || (self.store.scope() == StoreScope::Machines && self.store.has_spool_of(process)?);
        Ok(if lives { CallState::Running } else { CallState::Unknown })
    }

    /// Verifies the whole ledger, its checkpoints and the given witnesses.
    pub fn verify(&self, witnesses: &[Witness]) -> Result<Verification, LedgerError> {
        if self.writing.is_some() {
            // Events that cannot be drained now are not lost, but are not verified either.
            let _later = self.flush();
        }
        let notes = checkpoint_file::all(&self.folder)?;
        verify(&*self.store, &Evidence { key: public_key(&self.folder)?, notes: &notes, witnesses })
    }

    /// The problem at the end of the ledger, found when it was opened.
    #[must_use]
    pub const fn boot_problem(&self) -> Option<&Problem> {
        self.boot_problem.as_ref()
    }

    /// Drains, signs and closes the database, which does not change on disk afterwards. Events that cannot be drained are
    /// left to the next process that opens the ledger.
    pub fn close(&self) -> Result<(), LedgerError> {
        let Some(writing) = &self.writing else { return Ok(()) };
        let closed = writing.ask(Want::Close, None);
        // Without a thread the ledger stays open: the next call tries again.
        if closed != Err(LedgerError::NoThread) {
            writing.thread.join();
        }
        writing.shared.spool.end_life();
        // Other owners may drop this ledger much later.
        self.store.rest();
        match closed {
            // It was already closed.
            Err(LedgerError::Closed) => Ok(()),
            closed => closed,
        }
    }

    fn writing(&self) -> Result<&Writing, LedgerError> {
        self.writing.as_ref().ok_or(LedgerError::ReadOnly)
    }

    fn ask(&self, want: Want) -> Result<(), LedgerError> {
        self.writing()?.ask(want, None)
    }
}

/// Whether a call has a result event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HasResult {
    Yes,
    No,
}

impl Drop for Ledger {
    fn drop(&mut self) {
        // Callers that need the outcome call `close`.
        let _lost = self.close();
    }
}

impl Writing {
    fn start(
        options: &LedgerOptions,
        folder: &Folder,
        store: &Arc<dyn Store>,
        (checkpoints, head): (Checkpoints, Head),
        process: String,
    ) -> Self {
        let preparation = Preparation { redact: options.redact.clone(), blob_bytes: options.blob_bytes };
        let retention = Retention::new(options.retain, Arc::clone(store), &process);
        let shared = Arc::new(Shared {
            spool: Spool::new(folder.clone(), process, options.spool_bytes, options.durability),
            signals: Signals::default(),
            drain: Drain { folder: folder.clone(), store: Arc::clone(store), preparation },
            checkpoints,
            retention,
            head: Mutex::new(head),
            log: Arc::clone(&options.log),
        });
        // The thread is started by the first event or request.
        Self { shared, thread: SleepingThread::new("tgp-ledger", Priority::Low) }
    }

    fn wake(&self) -> Result<(), LedgerError> {
        Ok(self.thread.wake(writer::steps(Arc::clone(&self.shared)))?)
    }

    fn ask(&self, want: Want, until: Option<Instant>) -> Result<(), LedgerError> {
        self.shared.signals.ask(want, until, || self.wake())
    }
}

/// A random process id of 12 hex digits.
fn new_process() -> Result<String, LedgerError> {
    let mut bytes = [0; 6];
    getrandom::fill(&mut bytes).map_err(|_| LedgerError::Unwritable(Reason::Refused))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
#[path = "ledger_tests.rs"]
mod tests;
