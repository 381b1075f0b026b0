//! The PostgreSQL schema of a ledger.

use super::connection::{Connection, Value};
use super::failure::{Failure, SqlState};
use crate::hash::Hash;
use crate::ledger_error::Reason;
use crate::verification::{Problem, ProblemKind};

const VERSION: i64 = 1;

/// All tables, in creation order. `@.` stands for the schema.
///
/// Text is compared bytewise (`COLLATE "C"`): language collations change with the system, which breaks indexes.
const TABLES: [&str; 13] = [
    "create table @.about (one boolean primary key default true check (one), version bigint not null, \
        base_size bigint not null, base_hash bytea not null)",
    "create table @.events (seq bigint primary key check (seq > 0), content text collate \"C\" not null, \
        hash bytea not null, kind bigint not null, at bigint not null, session text collate \"C\", \
        path text collate \"C\", tool text collate \"C\", call text collate \"C\", parent text collate \"C\")",
    "create index events_kind on @.events (kind, seq)",
    "create index events_at on @.events (at, seq)",
    "create index events_session on @.events (session, seq) where session is not null",
    "create index events_path on @.events (path, seq) where path is not null",
    "create index events_tool on @.events (tool, seq) where tool is not null",
    "create index events_call on @.events (call, seq) where call is not null",
    "create index events_parent on @.events (parent, seq) where parent is not null",
    "create table @.blobs (hash bytea primary key, last bigint not null, bytes bytea not null)",
    "create index blobs_last on @.blobs (last)",
    "create table @.checkpoints (size bigint not null, note text collate \"C\" not null, primary key (size, note))",
    "create table @.spools (name text collate \"C\" primary key, drained bigint not null)",
];

/// The tables' columns in order, for comparison with the server's catalog.
const SHAPES: [(&str, &str); 5] = [
    ("about", "one boolean, version bigint, base_size bigint, base_hash bytea"),
    ("blobs", "hash bytea, last bigint, bytes bytea"),
    ("checkpoints", "size bigint, note text"),
    (
        "events",
        "seq bigint, content text, hash bytea, kind bigint, at bigint, session text, path text, tool text, call text, \
            parent text",
    ),
    ("spools", "name text, drained bigint"),
];

/// Plain tables without rules, triggers, row policies or child tables.
const CATALOG: &str = "select c.relname::text, c.relkind = 'r' and not c.relhasrules and not c.relhastriggers \
    and not c.relrowsecurity and not c.relhassubclass and not c.relispartition, \
    (select string_agg(a.attname || ' ' || format_type(a.atttypid, null), ', ' order by a.attnum) \
        from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) \
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace \
    where n.nspname = $1 and c.relkind not in ('i', 't') order by c.relname";

/// The schema of one ledger.
pub(super) struct Schema {
    name: String,
    /// The advisory lock that excludes other appends to this ledger.
    lock: i64,
}

impl Schema {
    pub(super) fn new(name: &str) -> Self {
        let Hash(hash) = Hash::of(format!("tgp-ledger-1\n{name}").as_bytes());
        let lock = hash.first_chunk().map_or(0, |chunk| i64::from_be_bytes(*chunk));
        Self { name: name.to_owned(), lock }
    }

    /// A statement with `@` replaced by the schema's name.
    pub(super) fn sql(&self, text: &str) -> String {
        text.replace("@.", &format!("\"{}\".", self.name))
    }

    /// Queues the beginning of an exclusive transaction of this ledger. Its one row has one field.
    ///
    /// The isolation level lets later statements see everything committed before the lock was acquired.
    pub(super) fn put_begin(&self, connection: &mut Connection) -> Result<(), Failure> {
        connection.put("begin isolation level read committed read write", &[])?;
        connection.put("select pg_advisory_xact_lock($1)", &[Value::Integer(self.lock)])
    }

    /// Checks that the tables exist with a supported version.
    pub(super) fn check(&self, connection: &mut Connection) -> Result<(), Failure> {
        let mut version = None;
        connection.query(&self.sql("select version from @.about"), &[], &mut |mut row| {
            version = Some(row.integer()?);
            Ok(())
        })?;
        match version {
            Some(VERSION) => Ok(()),
            Some(version) if version > VERSION => Err(Failure::Newer),
            Some(_) | None => Err(Failure::Unfit(Reason::Damaged)),
        }
    }

    /// Compares the tables with [`SHAPES`]: changed tables could hide or change rows.
    ///
    /// Indexes are not checked: PostgreSQL does not use unsuitable ones, and missing ones only make queries slow.
    pub(super) fn problem(&self, connection: &mut Connection) -> Result<Option<Problem>, Failure> {
        let mut found = Vec::new();
        connection.query(CATALOG, &[Value::Text(&self.name)], &mut |mut row| {
            found.push((row.text()?.to_owned(), row.truth()?, row.text()?.to_owned()));
            Ok(())
        })?;
        let is_whole = |(name, columns): &(&str, &str)| {
            found.iter().any(|(table, is_plain, shape)| table == name && *is_plain && shape == columns)
        };
        let message = "the tables of the ledger's database were changed";
        Ok((!SHAPES.iter().all(is_whole)).then(|| Problem::new(ProblemKind::Changed, 0, message)))
    }

    /// As [`Self::check`], and creates missing tables.
    pub(super) fn prepare(&self, connection: &mut Connection) -> Result<(), Failure> {
        match self.check(connection) {
            Err(Failure::Refused(SqlState::NO_TABLE | SqlState::NO_SCHEMA)) => {}
            outcome => return outcome,
        }
        self.make(connection)?;
        self.check(connection)
    }

    fn make(&self, connection: &mut Connection) -> Result<(), Failure> {
        self.put_begin(connection)?;
        connection.finish()?;
        let mut there = (false, false);
        let sql = "select to_regnamespace($1) is not null, to_regclass($2) is not null";
        let table = self.sql("@.about");
        connection.query(sql, &[Value::Text(&self.name), Value::Text(&table)], &mut |mut row| {
            there = (row.truth()?, row.truth()?);
            Ok(())
        })?;
        let (has_schema, has_tables) = there;
        if !has_schema {
            connection.put(&format!("create schema \"{}\"", self.name), &[])?;
        }
        if !has_tables {
            for table in TABLES {
                connection.put(&self.sql(table), &[])?;
            }
            connection.put(
                &self.sql("insert into @.about (version, base_size, base_hash) values ($1, 0, $2)"),
                &[Value::Integer(VERSION), Value::Bytes(&Hash::ZERO.0)],
            )?;
        }
        connection.put("commit", &[])?;
        connection.finish()
    }
}
