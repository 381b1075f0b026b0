//! Where events are kept: what every store can do.
//!
//! A store only keeps and finds. It chains in `append`, because only there the event before is known; everything else that
//! makes an event (masking, canonical text, blobs) has happened before, and everything that judges (verify, retention,
//! checkpoints) happens above.

use super::event::{Columns, Head, PreparedEvent, StoredEvent};
use super::hash::Hash;
use super::ledger_error::LedgerError;
use super::query::Query;
use super::verification::Problem;
use std::ops::{ControlFlow, RangeInclusive};

/// Events of one spool that become part of the ledger together, or not at all.
#[derive(Debug, Clone, Copy)]
pub struct Batch<'a> {
    /// Not empty, except to move the position past lines that hold no event.
    pub events: &'a [PreparedEvent],
    /// The spool that they come from. Unique among all processes and machines, never used again: `<process>.<number>`.
    pub spool: &'a str,
    /// Up to where the spool had been drained, in bytes.
    pub from: u64,
    /// Up to where it is drained with these.
    pub to: u64,
}

/// What became of a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Appended {
    /// It is in; this is the new head.
    Done(Head),
    /// Nothing was written: the spool has been drained up to `drained`, not up to `from`.
    Elsewhere { drained: u64 },
}

/// One event as verification reads it.
#[derive(Debug)]
pub struct ScannedEvent<'a> {
    pub seq: u64,
    pub content: &'a str,
    /// `None` when the column is not 32 bytes.
    pub hash: Option<Hash>,
    /// `None` when a column holds what no event can have (an unknown type, a number out of range, a name that is gone).
    pub columns: Option<Columns<&'a str>>,
}

/// A signed note that is kept, with what it says for finding it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckpointRow {
    pub size: u64,
    /// The signed note: C2SP format.
    pub note: String,
}

/// How much room is given back at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shrink {
    /// So much that others do not wait for it.
    Some,
    All,
}

/// How far a store reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// All its spools are in one folder.
    OneFolder,
    /// Processes on other machines have spools that nobody here can see.
    ManyMachines,
}

/// Is shown a blob: the hash that it is kept by, its bytes, and the last event that refers to it.
pub type VisitBlob<'a> = &'a mut (dyn FnMut(&Hash, &[u8], u64) -> ControlFlow<()> + 'a);

/// Keeps events. Its functions may be called from several threads at once.
///
/// Failures: `Unwritable`, `Unreadable` for files, `Unreachable` for servers, `ReadOnly` for what writes to a store that was
/// opened for reading.
pub trait Store: Send + Sync {
    fn reach(&self) -> Reach;

    /// Lets go of what is only held for the next question: nobody asks for a while.
    fn rest(&self);

    /// In ONE transaction that excludes other appends of all processes:
    /// 1. when `drained(batch.spool)` is not `batch.from`: write nothing, answer `Elsewhere`;
    /// 2. read the head; give the events the next numbers, in order, and the hash `chain::link(prev, seq, id)`;
    /// 3. insert content, hash and columns (not `id`: it is the SHA-256 of the content);
    /// 4. insert each blob that is not there, and set its `last` to the number of the event (the last that refers to it);
    /// 5. set the spool's position to `batch.to`.
    fn append(&self, batch: &Batch<'_>) -> Result<Appended, LedgerError>;

    /// Waits until all that was appended is on the disk itself.
    fn sync(&self) -> Result<(), LedgerError>;

    /// Up to where a spool has been drained; 0 for an unknown one.
    fn drained(&self, spool: &str) -> Result<u64, LedgerError>;

    /// Forgets the position of a spool whose file is gone.
    fn forget_spool(&self, spool: &str) -> Result<(), LedgerError>;

    /// Is a position known of a spool of this process (`<process>.` at its beginning)?
    fn has_spool_of(&self, process: &str) -> Result<bool, LedgerError>;

    /// The last event's number and hash; the base when no event is kept; `Head::NONE` for a new ledger.
    fn head(&self) -> Result<Head, LedgerError>;

    /// The number of the first event that is kept; `None` when there is none.
    fn first(&self) -> Result<Option<u64>, LedgerError>;

    /// The hash of one event that is kept.
    fn hash_at(&self, seq: u64) -> Result<Option<Hash>, LedgerError>;

    /// The smallest number among events at or after a time (milliseconds since 1970).
    fn first_since(&self, at: u64) -> Result<Option<u64>, LedgerError>;

    /// Keeps a checkpoint; one with the same size and text is not kept twice.
    fn keep_checkpoint(&self, row: &CheckpointRow) -> Result<(), LedgerError>;

    /// Checkpoints from this size on, smallest first, at most `limit`.
    fn checkpoints(&self, from_size: u64, limit: usize) -> Result<Vec<CheckpointRow>, LedgerError>;

    /// The largest checkpoint whose size is at most `at_most`.
    fn last_checkpoint(&self, at_most: u64) -> Result<Option<CheckpointRow>, LedgerError>;

    /// In ONE transaction: drops the events up to and with `base.size`, the blobs whose `last` is not above it, and the
    /// checkpoints below it, and keeps `base` as what the first kept event follows. Answers how many events went.
    /// Nothing goes where another process has come as far.
    fn drop_to(&self, base: &Head) -> Result<u64, LedgerError>;

    /// Gives room that dropped events had back to the system, where that is not done by itself.
    fn shrink(&self, how: Shrink) -> Result<(), LedgerError>;

    /// Whether it was made by a version that gives room back by itself.
    fn gives_room_back(&self) -> Result<bool, LedgerError>;

    /// What the first kept event follows: as in the last `drop_to`, or `Head::NONE`.
    fn base(&self) -> Result<Head, LedgerError>;

    /// Shows the events of a range in order, without holding them all. Events that are not there are left out.
    fn scan(
        &self,
        range: RangeInclusive<u64>,
        visit: &mut dyn FnMut(&ScannedEvent<'_>) -> ControlFlow<()>,
    ) -> Result<(), LedgerError>;

    /// Shows every blob.
    fn scan_blobs(&self, visit: VisitBlob<'_>) -> Result<(), LedgerError>;

    /// Looks at what the store keeps beside the rows: its schema and its indexes. The first problem that it finds.
    fn check_inside(&self) -> Result<Option<Problem>, LedgerError>;

    /// The events of a query, oldest first (see `Query`).
    fn events(&self, query: &Query) -> Result<Vec<StoredEvent>, LedgerError>;

    /// The events of a call and of all calls below it, oldest first, at most `limit`. A call is below another when one of
    /// its events names that one as `parent`. Circles end.
    fn tree(&self, call: &str, limit: usize) -> Result<Vec<StoredEvent>, LedgerError>;

    /// The bytes of a blob.
    fn blob(&self, hash: &Hash) -> Result<Option<Vec<u8>>, LedgerError>;
}
