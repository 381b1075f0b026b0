//! The trait of event stores.
//!
//! A store only stores and finds events. It chains them in `append`, because only there the previous event is known. Masking,
//! canonical text and blobs are done before; verification, retention and checkpoints are done by callers.

use super::event::event::{Columns, Head, PreparedEvent, StoredEvent};
use super::hash::Hash;
use super::ledger_error::LedgerError;
use super::query::Query;
use super::verification::Problem;
use std::ops::{ControlFlow, RangeInclusive};

/// Events of one spool that are appended atomically.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Empty only to advance the position past lines without an event.
    pub events: &'a [PreparedEvent],
    /// The spool of the events: `<process>.<number>`, unique among all processes and machines, and never reused.
    pub spool: &'a str,
    /// The drain position before the batch, in bytes.
    pub from: u64,
    /// The drain position after the batch.
    pub to: u64,
}

/// The result of appending a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// Appended; holds the new head.
    Done(Head),
    /// Nothing was written: the spool is drained up to `drained`, not `from`.
    Elsewhere { drained: u64 },
}

/// An event as read for verification.
#[derive(Debug)]
pub struct ScannedEvent<'a> {
    pub seq: u64,
    pub content: &'a str,
    /// `None` if the column does not have 32 bytes.
    pub hash: Option<Hash>,
    /// `None` if a column has an invalid value (an unknown type, a number out of range, a missing name).
    pub columns: Option<Columns<&'a str>>,
}

/// A stored checkpoint, with its size for queries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRow {
    pub size: u64,
    /// The signed note in C2SP format.
    pub note: String,
}

/// How much space is returned at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shrink {
    /// A small amount, so that others do not wait.
    Some,
    All,
}

/// Which processes share a store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreScope {
    /// All processes use the same folder.
    Folder,
    /// Processes on other machines have spools that are not accessible here.
    Machines,
}

/// Visits a blob: its key, its bytes, and the last event that refers to it.
pub type VisitBlob<'a> = &'a mut (dyn FnMut(&Hash, &[u8], u64) -> ControlFlow<()> + 'a);

/// A store of events. Thread-safe.
///
/// Errors: `Unwritable` and `Unreadable` for files, `Unreachable` for servers, `ReadOnly` for writes to a store that was
/// opened for reading.
pub trait Store: Send + Sync {
    fn scope(&self) -> StoreScope;

    /// Closes idle resources, before an idle period.
    fn rest(&self);

    /// Appends a batch in ONE transaction that excludes other appends of all processes:
    /// 1. if `drained(batch.spool)` is not `batch.from`: write nothing, return `Elsewhere`;
    /// 2. read the head; give the events the next numbers, in order, and the hash `chain::link(prev, seq, id)`;
    /// 3. insert content, hash and columns (not `id`: it is the SHA-256 of the content);
    /// 4. insert each missing blob, and set its `last` to the number of the last event that refers to it;
    /// 5. set the spool's position to `batch.to`.
    fn append(&self, batch: &Batch<'_>) -> Result<Appended, LedgerError>;

    /// Syncs all appended events to the disk.
    fn sync(&self) -> Result<(), LedgerError>;

    /// The drain position of a spool; 0 for an unknown one.
    fn drained(&self, spool: &str) -> Result<u64, LedgerError>;

    /// Removes the position of a spool whose file was removed.
    fn forget_spool(&self, spool: &str) -> Result<(), LedgerError>;

    /// Whether a spool of this process (prefix `<process>.`) has a position.
    fn has_spool_of(&self, process: &str) -> Result<bool, LedgerError>;

    /// The last event's number and hash; the base if there are no events; `Head::NONE` for a new ledger.
    fn head(&self) -> Result<Head, LedgerError>;

    /// The number of the first kept event; `None` if there is none.
    fn first(&self) -> Result<Option<u64>, LedgerError>;

    /// The hash of a kept event.
    fn hash_at(&self, seq: u64) -> Result<Option<Hash>, LedgerError>;

    /// The smallest number among events at or after a time (milliseconds since 1970).
    fn first_since(&self, at: u64) -> Result<Option<u64>, LedgerError>;

    /// Stores a checkpoint; a duplicate is ignored.
    fn keep_checkpoint(&self, row: &CheckpointRow) -> Result<(), LedgerError>;

    /// Checkpoints from this size on, smallest first, at most `limit`.
    fn checkpoints(&self, from_size: u64, limit: usize) -> Result<Vec<CheckpointRow>, LedgerError>;

    /// The largest checkpoint whose size is at most `at_most`.
    fn last_checkpoint(&self, at_most: u64) -> Result<Option<CheckpointRow>, LedgerError>;

    /// In ONE transaction: drops the events up to and including `base.size`, the blobs whose `last` is not above it, and the
    /// checkpoints below it, and stores `base` as the head before the first kept event. Returns the number of dropped events.
    /// Does nothing if another process has dropped as many.
    fn drop_to(&self, base: &Head) -> Result<u64, LedgerError>;

    /// Returns the space of dropped events to the system, if that is not automatic.
    fn shrink(&self, how: Shrink) -> Result<(), LedgerError>;

    /// Whether the store was created by a version that returns space automatically.
    fn returns_space(&self) -> Result<bool, LedgerError>;

    /// The head before the first kept event: of the last `drop_to`, or `Head::NONE`.
    fn base(&self) -> Result<Head, LedgerError>;

    /// Visits the events of a range in order, without loading all. Missing events are skipped.
    fn scan(
        &self,
        range: RangeInclusive<u64>,
        visit: &mut dyn FnMut(&ScannedEvent<'_>) -> ControlFlow<()>,
    ) -> Result<(), LedgerError>;

    /// Visits every blob.
    fn scan_blobs(&self, visit: VisitBlob<'_>) -> Result<(), LedgerError>;

    /// Checks the schema and the indexes of the store, and returns the first problem.
    fn check_structure(&self) -> Result<Option<Problem>, LedgerError>;

    /// The events of a query, oldest first (see `Query`).
    fn events(&self, query: &Query) -> Result<Vec<StoredEvent>, LedgerError>;

    /// The events of a call and all its descendants, oldest first, at most `limit`. A call is a child of the call that one
    /// of its events names as `parent`. Cycles are handled.
    fn tree(&self, call: &str, limit: usize) -> Result<Vec<StoredEvent>, LedgerError>;

    /// The bytes of a blob.
    fn blob(&self, hash: &Hash) -> Result<Option<Vec<u8>>, LedgerError>;
}
