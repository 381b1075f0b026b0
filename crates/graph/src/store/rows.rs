//! Reads and writes the rows of the cache.

use super::database::store_error;
use crate::graph_error::{GraphError, StoreFault};
use crate::records::{CommitRecord, FileFacts};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

const DAMAGED: GraphError = GraphError::Store(StoreFault::Damaged);

/// The number of a repository, which is added if it is new.
pub fn repository(connection: &Connection, name: &str) -> Result<i64, GraphError> {
    let find = || {
        let mut statement = connection.prepare_cached("SELECT id FROM repositories WHERE name = ?1")?;
        statement.query_row([name], |row| row.get(0)).optional()
    };
    if let Some(id) = find().map_err(|error| store_error(&error))? {
        return Ok(id);
    }
    let sql = "INSERT INTO repositories(name) VALUES(?1) ON CONFLICT DO NOTHING";
    connection.execute(sql, [name]).map_err(|error| store_error(&error))?;
    find().map_err(|error| store_error(&error))?.ok_or(DAMAGED)
}

/// Adds commits in one transaction. Those that another process added are skipped.
pub fn add_commits(connection: &mut Connection, repository: i64, records: &[CommitRecord]) -> Result<(), GraphError> {
    write(connection, |transaction| {
        let sql = "INSERT INTO commits(repository, hash, record) VALUES(?1, ?2, ?3) ON CONFLICT DO NOTHING";
        let mut statement = transaction.prepare_cached(sql).map_err(|error| store_error(&error))?;
        for record in records {
            let bytes = postcard::to_allocvec(record).map_err(|_| GraphError::Store(StoreFault::Refused))?;
            statement.execute(params![repository, record.id.0, bytes]).map_err(|error| store_error(&error))?;
        }
        Ok(())
    })
}

fn write(
    connection: &mut Connection,
    change: impl FnOnce(&Transaction<'_>) -> Result<(), GraphError>,
) -> Result<(), GraphError> {
    let begun = connection.transaction_with_behavior(TransactionBehavior::Immediate);
    let transaction = begun.map_err(|error| store_error(&error))?;
    change(&transaction)?;
    transaction.commit().map_err(|error| store_error(&error))
}

/// Passes the commits after a position, parents first. The answer is the position of the last one.
pub fn commits_after(
    connection: &Connection,
    repository: i64,
    after: i64,
    each: &mut dyn FnMut(CommitRecord) -> Result<(), GraphError>,
) -> Result<i64, GraphError> {
    let sql = "SELECT seq, record FROM commits WHERE seq > ?1 AND repository = ?2 ORDER BY seq";
    let mut statement = connection.prepare_cached(sql).map_err(|error| store_error(&error))?;
    let mut rows = statement.query([after, repository]).map_err(|error| store_error(&error))?;
    let mut last = after;
    while let Some(row) = rows.next().map_err(|error| store_error(&error))? {
        last = row.get(0).map_err(|error| store_error(&error))?;
        let bytes = row.get_ref(1).and_then(|bytes| Ok(bytes.as_blob()?)).map_err(|error| store_error(&error))?;
        each(postcard::from_bytes(bytes).map_err(|_| DAMAGED)?)?;
    }
    Ok(last)
}

/// Where a text is: facts depend on whether the file is below `tools/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Place {
    Tools,
    Elsewhere,
}

impl Place {
    pub fn of(path: &str) -> Self {
        if path.starts_with(crate::model::import_paths::TOOLS) { Self::Tools } else { Self::Elsewhere }
    }

    const fn number(self) -> i64 {
        match self {
            Self::Tools => 1,
            Self::Elsewhere => 0,
        }
    }
}

pub fn facts(connection: &Connection, blob: &[u8; 20], place: Place) -> Result<Option<FileFacts>, GraphError> {
    let sql = "SELECT facts FROM facts WHERE blob = ?1 AND place = ?2";
    let mut statement = connection.prepare_cached(sql).map_err(|error| store_error(&error))?;
    let found = statement.query_row(params![blob, place.number()], |row| row.get::<_, Vec<u8>>(0)).optional();
    let found = found.map_err(|error| store_error(&error))?;
    found.map(|bytes| postcard::from_bytes(&bytes).map_err(|_| DAMAGED)).transpose()
}

pub fn add_facts(
    connection: &mut Connection,
    found: &[([u8; 20], Place, std::sync::Arc<FileFacts>)],
) -> Result<(), GraphError> {
    write(connection, |transaction| {
        let sql = "INSERT INTO facts(blob, place, facts) VALUES(?1, ?2, ?3) ON CONFLICT DO NOTHING";
        let mut statement = transaction.prepare_cached(sql).map_err(|error| store_error(&error))?;
        for (blob, place, facts) in found {
            let bytes = postcard::to_allocvec(facts.as_ref()).map_err(|_| GraphError::Store(StoreFault::Refused))?;
            statement.execute(params![blob, place.number(), bytes]).map_err(|error| store_error(&error))?;
        }
        Ok(())
    })
}
