//! The SQLite store: one file that several processes may share.
//!
//! One connection writes; readers have their own connections and do not wait for the writer (WAL).

use super::failure::{read_failure, write_failure};
use super::open::{reader_of, writer_of};
use super::{check, open, query, scan, schema, shrink};
use crate::chain::chain::link;
use crate::durability::{Access, Durability};
use crate::event::event::{Head, PreparedEvent, StoredEvent};
use crate::event::names::Names;
use crate::folder::Folder;
use crate::hash::Hash;
use crate::ledger_error::LedgerError;
use crate::query::Query;
use crate::store::{Appended, Batch, CheckpointRow, ScannedEvent, Shrink, Store, StoreScope, VisitBlob};
use crate::verification::Problem;
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, Statement, Transaction, TransactionBehavior, params};
use std::io;
use std::ops::{ControlFlow, RangeInclusive};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

/// The most idle read connections.
const IDLE_READERS: usize = 4;

pub struct SqliteStore {
    path: PathBuf,
    /// Declared before the writer, so that it is dropped first: the last closed connection checkpoints the WAL, which
    /// readers cannot.
    readers: Mutex<Vec<Connection>>,
    /// Opened on first use.
    writer: Mutex<Option<Writer>>,
    access: Access,
    durability: Durability,
    /// Whether the file is known to have tables. A new one gets them when it is first used.
    has_tables: AtomicBool,
}

struct Writer {
    connection: Connection,
    names: Names,
}

impl Writer {
    fn open(path: &Path, durability: Durability) -> Result<Self, LedgerError> {
        Ok(Self { connection: writer_of(path, durability)?, names: Names::default() })
    }
}

impl SqliteStore {
    /// Opens a file, which may be empty. Nothing is written before the first use of an empty one, or the first event.
    pub fn open(path: &Path, access: Access, durability: Durability) -> Result<Self, LedgerError> {
        let (readers, writer, has_tables) = (Mutex::default(), Mutex::default(), AtomicBool::new(false));
        let store = Self { path: path.to_owned(), readers, writer, access, durability, has_tables };
        if access == Access::ReadOnly || !store.is_empty()? {
            store.read(schema::check_version)?;
        }
        Ok(store)
    }

    /// Whether the file has no content yet, or does not exist.
    pub fn is_empty(&self) -> Result<bool, LedgerError> {
        match std::fs::metadata(&self.path) {
            Ok(file) => Ok(file.len() == 0),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            Err(error) => Err(LedgerError::read(&error)),
        }
    }

    /// Runs `job` with a read connection, in one snapshot of the file.
    fn read<T>(&self, job: impl FnOnce(&Connection) -> Result<T, LedgerError>) -> Result<T, LedgerError> {
        let idle = self.readers.lock().pop();
        let connection = idle.map_or_else(|| self.reader(), Ok)?;
        let transaction = connection.unchecked_transaction().map_err(|error| read_failure(&error))?;
        let made = job(&transaction);
        let ended = transaction.finish();
        if made.is_ok() && ended.is_ok() {
            let mut readers = self.readers.lock();
            if readers.len() < IDLE_READERS {
                readers.push(connection);
            }
        }
        made
    }

    /// A new read connection to a file with tables.
    fn reader(&self) -> Result<Connection, LedgerError> {
        let open = || reader_of(&self.path, self.access);
        if self.access == Access::ReadOnly || self.has_tables.load(Ordering::Relaxed) {
            return open();
        }
        let create = || self.with_writer(|_| Ok(()));
        if self.is_empty()? {
            create()?;
        }
        let mut connection = open()?;
        if schema::is_without_tables(&connection)? {
            drop(connection);
            create()?;
            connection = open()?;
        }
        self.has_tables.store(true, Ordering::Relaxed);
        Ok(connection)
    }

    /// [`Self::read`] for jobs with SQLite errors only.
    fn look<T>(&self, job: impl FnOnce(&Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        self.read(|connection| job(connection).map_err(|error| read_failure(&error)))
    }

    /// Runs `job` in an exclusive write transaction.
    fn write<T>(
        &self,
        job: impl FnOnce(&Transaction<'_>, &mut Names) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        self.with_writer(|Writer { connection, names }| {
            let made = in_transaction(connection, |transaction| job(transaction, names));
            if made.is_err() {
                // Names of a rolled-back transaction are not in the file.
                *names = Names::default();
            }
            made
        })
    }

    /// Runs `job` with the write connection.
    fn with_writer<T>(&self, job: impl FnOnce(&mut Writer) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        if self.access == Access::ReadOnly {
            return Err(LedgerError::ReadOnly);
        }
        let mut writer = self.writer.lock();
        if !self.path.exists() {
            // The file was removed: its open connections would write to a deleted file.
            self.readers.lock().clear();
            *writer = None;
            self.has_tables.store(false, Ordering::Relaxed);
            Folder::of_database(&self.path).make_database()?;
        }
        let writer = match &mut *writer {
            Some(writer) => writer,
            none @ None => none.insert(Writer::open(&self.path, self.durability)?),
        };
        job(writer).map_err(|error| write_failure(&error))
    }
}

fn in_transaction<T>(
    connection: &mut Connection,
    job: impl FnOnce(&Transaction<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<T> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let made = job(&transaction)?;
    transaction.commit()?;
    Ok(made)
}

impl Store for SqliteStore {
    fn scope(&self) -> StoreScope {
        StoreScope::Folder
    }

    fn rest(&self) {
        self.readers.lock().clear();
        *self.writer.lock() = None;
    }

    fn append(&self, batch: &Batch<'_>) -> Result<Appended, LedgerError> {
        self.write(|transaction, names| {
            let drained = drained(transaction, batch.spool)?;
            if drained != integer(batch.from) {
                return Ok(Appended::Elsewhere { drained: natural(drained) });
            }
            let mut head = head(transaction)?;
            let mut insertion = transaction.prepare_cached(INSERT_EVENT)?;
            for event in batch.events {
                head = insert(transaction, &mut insertion, names, &head, event)?;
            }
            transaction
                .prepare_cached(
                    "INSERT INTO spools(name, drained) VALUES(?1, ?2) ON CONFLICT(name) DO UPDATE SET drained = ?2",
                )?
                .execute(params![batch.spool, integer(batch.to)])?;
            Ok(Appended::Done(head))
        })
    }

    fn sync(&self) -> Result<(), LedgerError> {
        // Pages outside the WAL were already synced to the file by SQLite.
        open::sync_wal(&self.path)
    }

    fn drained(&self, spool: &str) -> Result<u64, LedgerError> {
        self.look(|connection| drained(connection, spool)).map(natural)
    }

    fn forget_spool(&self, spool: &str) -> Result<(), LedgerError> {
        self.write(|transaction, _| transaction.execute("DELETE FROM spools WHERE name = ?1", [spool]).map(|_| ()))
    }

    fn has_spool_of(&self, process: &str) -> Result<bool, LedgerError> {
        let (from, to) = (format!("{process}."), format!("{process}/"));
        let sql = "SELECT EXISTS(SELECT 1 FROM spools WHERE name >= ?1 AND name < ?2)";
        self.look(|connection| connection.query_row(sql, [&from, &to], |row| row.get(0)))
    }

    fn head(&self) -> Result<Head, LedgerError> {
        if !self.has_tables.load(Ordering::Relaxed) && self.is_empty().is_ok_and(|is_empty| is_empty) {
            return Ok(Head::NONE);
        }
        self.look(head)
    }

    fn first(&self) -> Result<Option<u64>, LedgerError> {
        let first = |connection: &Connection| connection.query_row("SELECT min(seq) FROM events", [], |row| row.get(0));
        self.look(first).map(|seq: Option<i64>| seq.map(natural))
    }

    fn hash_at(&self, seq: u64) -> Result<Option<Hash>, LedgerError> {
        self.look(|connection| {
            let mut statement = connection.prepare_cached("SELECT hash FROM events WHERE seq = ?1")?;
            statement.query_row([integer(seq)], |row| row.get(0).map(Hash)).optional()
        })
    }

    fn first_since(&self, at: u64) -> Result<Option<u64>, LedgerError> {
        let sql = "SELECT seq FROM events NOT INDEXED WHERE at >= ?1 ORDER BY seq LIMIT 1";
        let first = |connection: &Connection| connection.query_row(sql, [integer(at)], |row| row.get(0)).optional();
        self.look(first).map(|seq: Option<i64>| seq.map(natural))
    }

    fn keep_checkpoint(&self, row: &CheckpointRow) -> Result<(), LedgerError> {
        let sql = "INSERT OR IGNORE INTO checkpoints(size, note) VALUES(?1, ?2)";
        self.write(|transaction, _| transaction.execute(sql, params![integer(row.size), row.note]).map(|_| ()))
    }

    fn checkpoints(&self, from_size: u64, limit: usize) -> Result<Vec<CheckpointRow>, LedgerError> {
        self.look(|connection| {
            let sql = "SELECT size, note FROM checkpoints WHERE size >= ?1 ORDER BY size, note LIMIT ?2";
            let mut statement = connection.prepare_cached(sql)?;
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            statement.query_map([integer(from_size), limit], checkpoint)?.collect()
        })
    }

    fn last_checkpoint(&self, at_most: u64) -> Result<Option<CheckpointRow>, LedgerError> {
        self.look(|connection| {
            let sql = "SELECT size, note FROM checkpoints WHERE size <= ?1 ORDER BY size DESC, note LIMIT 1";
            connection.prepare_cached(sql)?.query_row([integer(at_most)], checkpoint).optional()
        })
    }

    fn drop_to(&self, base: &Head) -> Result<u64, LedgerError> {
        self.write(|transaction, _| {
            let size = integer(base.size);
            let before: Option<i64> =
                transaction.query_row("SELECT size FROM base", [], |row| row.get(0)).optional()?;
            if before.is_some_and(|before| before >= size) {
                return Ok(0);
            }
            let events = transaction.execute("DELETE FROM events WHERE seq <= ?1", [size])?;
            transaction.execute("DELETE FROM blobs WHERE last <= ?1", [size])?;
            transaction.execute("DELETE FROM checkpoints WHERE size < ?1", [size])?;
            transaction.execute(
                "INSERT OR REPLACE INTO base(one, size, hash) VALUES(1, ?1, ?2)",
                params![size, base.hash.0],
            )?;
            Ok(u64::try_from(events).unwrap_or_default())
        })
    }

    fn shrink(&self, how: Shrink) -> Result<(), LedgerError> {
        self.with_writer(|writer| shrink::shrink(&writer.connection, how))
    }

    fn returns_space(&self) -> Result<bool, LedgerError> {
        self.with_writer(|writer| shrink::is_incremental(&writer.connection))
    }

    fn base(&self) -> Result<Head, LedgerError> {
        self.look(base)
    }

    fn scan(
        &self,
        range: RangeInclusive<u64>,
        visit: &mut dyn FnMut(&ScannedEvent<'_>) -> ControlFlow<()>,
    ) -> Result<(), LedgerError> {
        self.look(|connection| scan::events(connection, &range, visit))
    }

    fn scan_blobs(&self, visit: VisitBlob<'_>) -> Result<(), LedgerError> {
        self.look(|connection| scan::blobs(connection, visit))
    }

    fn check_structure(&self) -> Result<Option<Problem>, LedgerError> {
        self.look(check::check)
    }

    fn events(&self, query: &Query) -> Result<Vec<StoredEvent>, LedgerError> {
        self.look(|connection| query::events(connection, query))
    }

    fn tree(&self, call: &str, limit: usize) -> Result<Vec<StoredEvent>, LedgerError> {
        self.look(|connection| query::tree(connection, call, limit))
    }

    fn blob(&self, hash: &Hash) -> Result<Option<Vec<u8>>, LedgerError> {
        self.look(|connection| query::blob(connection, hash))
    }
}

const INSERT_EVENT: &str = "INSERT INTO events(seq, type, at, session, path, tool, call, parent, hash, content) \
    VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)";

/// Appends one event with a statement of [`INSERT_EVENT`].
fn insert(
    transaction: &Transaction<'_>,
    insertion: &mut Statement<'_>,
    names: &mut Names,
    head: &Head,
    event: &PreparedEvent,
) -> rusqlite::Result<Head> {
    let size = head.size + 1;
    let next = Head { size, hash: link(&head.hash, size, &event.id) };
    let columns = &event.columns;
    let session = names.enter(transaction, columns.session.as_deref())?;
    let path = names.enter(transaction, columns.path.as_deref())?;
    let tool = names.enter(transaction, columns.tool.as_deref())?;
    insertion.execute(params![
        integer(size),
        columns.kind.number(),
        integer(columns.at),
        session,
        path,
        tool,
        columns.call,
        columns.parent,
        next.hash.0,
        event.content,
    ])?;
    for blob in &event.blobs {
        let sql = "INSERT INTO blobs(hash, last, bytes) VALUES(?1, ?2, ?3) ON CONFLICT(hash) DO UPDATE SET last = ?2";
        transaction.prepare_cached(sql)?.execute(params![blob.hash.0, integer(size), blob.bytes])?;
    }
    Ok(next)
}

fn drained(connection: &Connection, spool: &str) -> rusqlite::Result<i64> {
    let mut statement = connection.prepare_cached("SELECT drained FROM spools WHERE name = ?1")?;
    Ok(statement.query_row([spool], |row| row.get(0)).optional()?.unwrap_or_default())
}

fn head(connection: &Connection) -> rusqlite::Result<Head> {
    let mut statement = connection.prepare_cached("SELECT seq, hash FROM events ORDER BY seq DESC LIMIT 1")?;
    match statement.query_row([], head_row).optional()? {
        Some(head) => Ok(head),
        None => base(connection),
    }
}

fn base(connection: &Connection) -> rusqlite::Result<Head> {
    let base = connection.query_row("SELECT size, hash FROM base", [], head_row).optional()?;
    Ok(base.unwrap_or(Head::NONE))
}

fn head_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Head> {
    Ok(Head { size: natural(row.get(0)?), hash: Hash(row.get(1)?) })
}

fn checkpoint(row: &rusqlite::Row<'_>) -> rusqlite::Result<CheckpointRow> {
    Ok(CheckpointRow { size: natural(row.get(0)?), note: row.get(1)? })
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

fn natural(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}
