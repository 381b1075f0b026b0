//! The audit log of agents' calls: append-only, hash-chained, signed.
//!
//! `record` appends to a spool, a file of this process that survives a crash. A thread drains spools into a store, which
//! chains the events. Events and drain position are written in one transaction, so nothing is lost or duplicated.

mod boot_check;
mod callbacks;
mod chain;
mod checkpoint;
mod durability;
mod event;
mod export;
mod folder;
mod hash;
mod ledger;
mod ledger_error;
mod once;
mod options;
mod postgres;
mod pruning;
mod query;
mod retention;
#[cfg(test)]
mod samples;
mod spool;
mod sqlite;
mod store;
#[cfg(test)]
mod store_contract;
mod tally;
#[cfg(test)]
mod tests;
mod verification;
mod verify;
mod writer;

pub use callbacks::{Log, Redact};
pub use chain::chain::link;
pub use checkpoint::checkpoint::Statement;
pub use checkpoint::signing_key::PublicKey;
pub use durability::{Access, Durability};
pub use event::event::{Blob, BodyValue, Columns, Head, Importance, NewEvent, PreparedEvent, StoredEvent};
pub use event::event_type::EventType;
pub use event::timestamp::parse as parse_time;
pub use export::chronicle::{ChronicleLine, chronicle_line};
pub use export::export::{ExportPage, LinesCheck};
pub use export::export_file::verify_file;
pub use hash::Hash;
pub use ledger::{CallState, HasResult, Ledger};
pub use ledger_error::{AddressFault, LedgerError, Reason};
pub use once::Recorded;
pub use options::LedgerOptions;
pub use postgres::{PostgresAddress, PostgresStore, TlsSettings};
pub use pruning::{Prune, Pruned};
pub use query::{MAX_EVENTS, Query};
pub use retention::retention::Retain;
pub use sqlite::sqlite_store::SqliteStore;
pub use store::{Appended, Batch, CheckpointRow, ScannedEvent, Shrink, Store, StoreScope, VisitBlob};
pub use tally::{Amount, Count, Counted, Tally};
pub use verification::{Cause, Problem, ProblemKind, Verification, Witness};
