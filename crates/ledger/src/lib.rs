//! The audit log of agents' calls: append-only, hash-chained, signed.
//!
//! `record` appends to a spool, a file of this process that survives a crash. A thread drains spools into a store, which
//! chains the events. Events and drain position are written in one transaction, so nothing is lost or duplicated.

mod blobs;
mod canonical;
mod chain;
mod chain_check;
mod checkpoint;
mod checkpoint_file;
mod checkpoints;
mod chronicle;
mod content;
mod cut;
mod drain;
mod dropped_event;
mod durability;
mod event;
mod event_type;
mod export;
mod export_file;
mod folder;
mod hash;
mod ledger;
mod ledger_error;
mod log;
mod names;
mod options;
mod postgres;
mod prepare;
mod process_lock;
mod pruning;
mod query;
mod redact;
mod retention;
#[cfg(test)]
mod samples;
mod signals;
mod signing_key;
mod spool;
mod spool_file;
mod spool_line;
mod spool_view;
mod sqlite_check;
mod sqlite_failure;
mod sqlite_open;
mod sqlite_query;
mod sqlite_scan;
mod sqlite_schema;
mod sqlite_shrink;
mod sqlite_store;
mod store;
#[cfg(test)]
mod store_contract;
mod tally;
#[cfg(test)]
mod tests;
mod timestamp;
mod verification;
mod verify;
mod wait_for_spools;
mod writer;

pub use chain::link;
pub use checkpoint::Statement;
pub use chronicle::{ChronicleLine, chronicle_line};
pub use durability::{Access, Durability};
pub use event::{Blob, BodyValue, Columns, Head, Importance, NewEvent, PreparedEvent, StoredEvent};
pub use event_type::EventType;
pub use export::{ExportPage, LinesCheck};
pub use export_file::verify_file;
pub use hash::Hash;
pub use ledger::{CallState, HasResult, Ledger};
pub use ledger_error::{AddressFault, LedgerError, Reason};
pub use log::Log;
pub use options::LedgerOptions;
pub use postgres::{PostgresAddress, PostgresStore, TlsSettings};
pub use pruning::{Prune, Pruned};
pub use query::{MAX_EVENTS, Query};
pub use redact::Redact;
pub use retention::Retain;
pub use signing_key::PublicKey;
pub use sqlite_store::SqliteStore;
pub use store::{Appended, Batch, CheckpointRow, ScannedEvent, Shrink, Store, StoreScope, VisitBlob};
pub use tally::{Amount, Count, Counted, Tally};
pub use verification::{Cause, Problem, ProblemKind, Verification, Witness};
