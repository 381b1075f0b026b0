//! The PostgreSQL store.

use super::address::PostgresAddress;
use super::connection::{Connection, Value};
use super::connections::Connections;
use super::deadline::{Deadline, LONG_LIMIT, QUICK_LIMIT};
use super::failure::Failure;
use super::schema::Schema;
use super::stream::TlsSettings;
use super::{append, queries, scan};
use crate::durability::Access;
use crate::event::event::{Head, StoredEvent};
use crate::hash::Hash;
use crate::ledger_error::LedgerError;
use crate::query::Query;
use crate::store::{Appended, Batch, CheckpointRow, ScannedEvent, Shrink, Store, StoreScope, VisitBlob};
use crate::verification::Problem;
use append::{head_of, head_or_base, integer};
use std::ops::{ControlFlow, RangeInclusive};
use std::sync::atomic::{AtomicBool, Ordering};

const HEAD: &str = "select e.seq, e.hash, a.base_size, a.base_hash from @.about a \
    left join (select seq, hash from @.events order by seq desc limit 1) e on true";

/// A ledger in PostgreSQL. It connects on first use, so that a process can start without the server.
pub struct PostgresStore {
    connections: Connections,
    schema: Schema,
    access: Access,
    /// Whether the tables were checked.
    is_ready: AtomicBool,
}

impl PostgresStore {
    #[must_use]
    pub fn new(address: PostgresAddress, tls: TlsSettings, access: Access) -> Self {
        let schema = Schema::new(&address.schema);
        Self { connections: Connections::new(address, tls), schema, access, is_ready: AtomicBool::new(false) }
    }

    /// Runs `job` with a connection; repeats it with another one if the connection is lost.
    fn with<T>(&self, job: impl FnMut(&mut Connection, &Schema) -> Result<T, Failure>) -> Result<T, LedgerError> {
        self.until(Deadline::within(QUICK_LIMIT), job)
    }

    /// [`Self::with`] for operations with many or long statements.
    fn with_time<T>(&self, job: impl FnMut(&mut Connection, &Schema) -> Result<T, Failure>) -> Result<T, LedgerError> {
        self.until(Deadline::each(LONG_LIMIT), job)
    }

    fn until<T>(
        &self,
        deadline: Deadline,
        mut job: impl FnMut(&mut Connection, &Schema) -> Result<T, Failure>,
    ) -> Result<T, LedgerError> {
        let made = self.connections.with(deadline, |connection| {
            if !self.is_ready.load(Ordering::Acquire) {
                match self.access {
                    Access::ReadWrite => self.schema.prepare(connection)?,
                    Access::ReadOnly => self.schema.check(connection)?,
                }
                self.is_ready.store(true, Ordering::Release);
            }
            job(connection, &self.schema)
        });
        made.map_err(LedgerError::from)
    }

    /// [`Self::with`] for writes.
    fn write<T>(&self, job: impl FnMut(&mut Connection, &Schema) -> Result<T, Failure>) -> Result<T, LedgerError> {
        self.may_write()?;
        self.with(job)
    }

    fn may_write(&self) -> Result<(), LedgerError> {
        match self.access {
            Access::ReadWrite => Ok(()),
            Access::ReadOnly => Err(LedgerError::ReadOnly),
        }
    }

    /// The rows of a statement, converted by `read`.
    fn rows<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl Fn(super::bytes::Row<'_>) -> Result<T, Failure>,
    ) -> Result<Vec<T>, LedgerError> {
        self.with(|connection, schema| {
            let mut made = Vec::new();
            connection.query(&schema.sql(sql), values, &mut |row| {
                made.push(read(row)?);
                Ok(())
            })?;
            Ok(made)
        })
    }

    fn row<T>(
        &self,
        sql: &str,
        values: &[Value<'_>],
        read: impl Fn(super::bytes::Row<'_>) -> Result<T, Failure>,
    ) -> Result<Option<T>, LedgerError> {
        Ok(self.rows(sql, values, read)?.into_iter().next())
    }

    fn checkpoint_rows(&self, sql: &str, values: &[Value<'_>]) -> Result<Vec<CheckpointRow>, LedgerError> {
        self.rows(sql, values, |mut row| Ok(CheckpointRow { size: row.count()?, note: row.text()?.to_owned() }))
    }
}

impl Store for PostgresStore {
    fn scope(&self) -> StoreScope {
        StoreScope::Machines
    }

    fn rest(&self) {
        self.connections.rest();
    }

    fn append(&self, batch: &Batch<'_>) -> Result<Appended, LedgerError> {
        self.write(|connection, schema| append::append(connection, schema, batch))
    }

    fn sync(&self) -> Result<(), LedgerError> {
        // Every commit is synced: see the connection settings.
        Ok(())
    }

    fn drained(&self, spool: &str) -> Result<u64, LedgerError> {
        let drained =
            self.row("select drained from @.spools where name = $1", &[Value::Text(spool)], |mut row| row.count())?;
        Ok(drained.unwrap_or_default())
    }

    fn forget_spool(&self, spool: &str) -> Result<(), LedgerError> {
        self.write(|connection, schema| {
            connection.run(&schema.sql("delete from @.spools where name = $1"), &[Value::Text(spool)])
        })
    }

    fn has_spool_of(&self, process: &str) -> Result<bool, LedgerError> {
        let (from, to) = (format!("{process}."), format!("{process}/"));
        let sql = "select 1::bigint from @.spools where name >= $1 and name < $2 limit 1";
        Ok(self.row(sql, &[Value::Text(&from), Value::Text(&to)], |_| Ok(()))?.is_some())
    }

    fn head(&self) -> Result<Head, LedgerError> {
        Ok(self.row(HEAD, &[], |mut row| head_or_base(&mut row))?.unwrap_or(Head::NONE))
    }

    fn first(&self) -> Result<Option<u64>, LedgerError> {
        self.row("select seq from @.events order by seq limit 1", &[], |mut row| row.count())
    }

    fn hash_at(&self, seq: u64) -> Result<Option<Hash>, LedgerError> {
        let values = [Value::Integer(integer(seq))];
        let head = self.row("select hash from @.events where seq = $1", &values, |mut row| head_of(0, row.bytes()?))?;
        Ok(head.map(|head| head.hash))
    }

    fn first_since(&self, at: u64) -> Result<Option<u64>, LedgerError> {
        let sql = "select seq from @.events where at >= $1 order by seq limit 1";
        self.row(sql, &[Value::Integer(integer(at))], |mut row| row.count())
    }

    fn keep_checkpoint(&self, row: &CheckpointRow) -> Result<(), LedgerError> {
        let sql = "insert into @.checkpoints (size, note) values ($1, $2) on conflict do nothing";
        let values = [Value::Integer(integer(row.size)), Value::Text(&row.note)];
        self.write(|connection, schema| connection.run(&schema.sql(sql), &values))
    }

    fn checkpoints(&self, from_size: u64, limit: usize) -> Result<Vec<CheckpointRow>, LedgerError> {
        let sql = "select size, note from @.checkpoints where size >= $1 order by size, note limit $2";
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        self.checkpoint_rows(sql, &[Value::Integer(integer(from_size)), Value::Integer(limit)])
    }

    fn last_checkpoint(&self, at_most: u64) -> Result<Option<CheckpointRow>, LedgerError> {
        let sql = "select size, note from @.checkpoints where size <= $1 order by size desc, note limit 1";
        Ok(self.checkpoint_rows(sql, &[Value::Integer(integer(at_most))])?.into_iter().next())
    }

    fn drop_to(&self, base: &Head) -> Result<u64, LedgerError> {
        self.may_write()?;
        self.with_time(|connection, schema| append::drop_to(connection, schema, base))
    }

    fn shrink(&self, _: Shrink) -> Result<(), LedgerError> {
        // The server does this automatically.
        Ok(())
    }

    fn returns_space(&self) -> Result<bool, LedgerError> {
        Ok(true)
    }

    fn base(&self) -> Result<Head, LedgerError> {
        let base =
            self.row("select base_size, base_hash from @.about", &[], |mut row| head_of(row.integer()?, row.bytes()?))?;
        Ok(base.unwrap_or(Head::NONE))
    }

    fn scan(
        &self,
        mut range: RangeInclusive<u64>,
        visit: &mut dyn FnMut(&ScannedEvent<'_>) -> ControlFlow<()>,
    ) -> Result<(), LedgerError> {
        self.with_time(|connection, schema| scan::events(connection, schema, &mut range, visit))
    }

    fn scan_blobs(&self, visit: VisitBlob<'_>) -> Result<(), LedgerError> {
        let mut after = Vec::new();
        self.with_time(|connection, schema| scan::blobs(connection, schema, &mut after, visit))
    }

    fn check_structure(&self) -> Result<Option<Problem>, LedgerError> {
        self.with_time(|connection, schema| schema.problem(connection))
    }

    fn events(&self, query: &Query) -> Result<Vec<StoredEvent>, LedgerError> {
        self.with_time(|connection, schema| queries::events(connection, schema, query))
    }

    fn tree(&self, call: &str, limit: usize) -> Result<Vec<StoredEvent>, LedgerError> {
        self.with_time(|connection, schema| queries::tree(connection, schema, call, limit))
    }

    fn blob(&self, hash: &Hash) -> Result<Option<Vec<u8>>, LedgerError> {
        let sql = "select bytes from @.blobs where hash = $1";
        self.row(sql, &[Value::Bytes(&hash.0)], |mut row| row.bytes().map(<[u8]>::to_vec))
    }
}
