//! Counts that all processes of one folder share, and that outlive them: how often something was used.
//!
//! A file of its own: events are let go one day, and a ledger can be turned off.

use super::ledger_error::{LedgerError, Reason};
use super::sqlite_failure::{read_failure, write_failure};
use super::sqlite_open::{patiently, private_writer_of, reader_of};
use parking_lot::Mutex;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::{Path, PathBuf};

const FILE: &str = "counts.db";

/// Counts that are kept at once.
const MOST: i64 = 200_000;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS counts(name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL, until INTEGER) STRICT, WITHOUT ROWID";

/// What is added to a count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub name: String,
    pub amount: u64,
    /// Nothing is added to any count where this one has come so far.
    pub below: Option<u64>,
    /// When nobody asks for it any more: milliseconds since 1970.
    pub until: Option<u64>,
}

/// What became of some counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    Done,
    /// Nothing was added: the count at this place is used up.
    UsedUp(usize),
    /// Nothing was added: there are too many counts.
    TooMany,
}

pub struct Tally {
    path: PathBuf,
    /// Opened when it is needed.
    connection: Mutex<Option<Connection>>,
}

impl Tally {
    /// The counts of a folder. Nothing is made before something is counted.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { path: folder.join(FILE), connection: Mutex::default() }
    }

    /// Adds to all of them, or to none.
    ///
    /// # Errors
    /// `Unwritable`.
    pub fn add(&self, counts: &[Count], now: u64) -> Result<Counted, LedgerError> {
        self.with(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let counted = add_all(&transaction, counts, now)?;
            transaction.commit()?;
            Ok(counted)
        })
    }

    /// Whether anything was added to one of these.
    ///
    /// # Errors
    /// `Unwritable`, `Unreadable`.
    pub fn has_any(&self, names: &[String]) -> Result<bool, LedgerError> {
        if self.connection.lock().is_none() && !self.path.exists() {
            return Ok(false);
        }
        match self.with(|connection| has_any(connection, names)) {
            // In an image, say: nobody counts there, and what was counted before still counts.
            Err(LedgerError::Unwritable(Reason::ReadOnlyDisk | Reason::NotAllowed)) => {
                has_any(&reader_of(&self.path)?, names).map_err(|error| read_failure(&error))
            }
            found => found,
        }
    }

    fn with<T>(&self, job: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        let mut held = self.connection.lock();
        // Somebody took the file away: what is held of it has no name any more.
        if held.is_some() && !self.path.exists() {
            *held = None;
        }
        let connection = match &mut *held {
            Some(connection) => connection,
            none @ None => none.insert(patiently(|| {
                let connection = private_writer_of(&self.path)?;
                connection.execute_batch(TABLE).map_err(|error| write_failure(&error))?;
                Ok(connection)
            })?),
        };
        job(connection).map_err(|error| write_failure(&error))
    }
}

fn has_any(connection: &Connection, names: &[String]) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare_cached("SELECT EXISTS(SELECT 1 FROM counts WHERE name = ?1)")?;
    for name in names {
        if statement.query_row([name], |row| row.get(0))? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn add_all(transaction: &Transaction<'_>, counts: &[Count], now: u64) -> rusqlite::Result<Counted> {
    let mut new = 0;
    for (place, count) in counts.iter().enumerate() {
        let value: Option<i64> = transaction
            .prepare_cached("SELECT value FROM counts WHERE name = ?1")?
            .query_row([&count.name], |row| row.get(0))
            .optional()?;
        if count.below.is_some_and(|below| value.unwrap_or_default() >= integer(below)) {
            return Ok(Counted::UsedUp(place));
        }
        new += i64::from(value.is_none() && count.amount > 0);
    }
    if new > 0 && kept(transaction)? + new > MOST {
        transaction.execute("DELETE FROM counts WHERE until <= ?1", [integer(now)])?;
        if kept(transaction)? + new > MOST {
            return Ok(Counted::TooMany);
        }
    }
    let sql = "INSERT INTO counts(name, value, until) VALUES(?1, ?2, ?3) \
        ON CONFLICT(name) DO UPDATE SET value = min(value + ?2, 9007199254740992), until = ?3";
    for count in counts.iter().filter(|count| count.amount > 0) {
        let amount = integer(count.amount.min(1 << 53));
        transaction.prepare_cached(sql)?.execute(params![count.name, amount, count.until.map(integer)])?;
    }
    Ok(Counted::Done)
}

fn kept(transaction: &Transaction<'_>) -> rusqlite::Result<i64> {
    transaction.query_row("SELECT count(*) FROM counts", [], |row| row.get(0))
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Count, Counted, Tally};

    fn count(name: &str, amount: u64, below: Option<u64>) -> Count {
        Count { name: name.to_owned(), amount, below, until: None }
    }

    #[test]
    fn counts_are_shared_and_outlive_who_counts() {
        let place = tempfile::tempdir().unwrap();
        let (one, other) = (Tally::new(place.path()), Tally::new(place.path()));
        assert!(!one.has_any(&["a".to_owned()]).unwrap());
        assert!(std::fs::read_dir(place.path()).unwrap().next().is_none(), "nothing is made to look");
        assert_eq!(one.add(&[count("a", 1, Some(2))], 0), Ok(Counted::Done));
        assert_eq!(other.add(&[count("a", 1, Some(2))], 0), Ok(Counted::Done));
        assert_eq!(one.add(&[count("b", 1, None), count("a", 1, Some(2))], 0), Ok(Counted::UsedUp(1)));
        assert!(!other.has_any(&["b".to_owned()]).unwrap(), "all or none");
        drop((one, other));
        let again = Tally::new(place.path());
        assert_eq!(again.add(&[count("a", 1, Some(2))], 0), Ok(Counted::UsedUp(0)));
        assert!(again.has_any(&["b".to_owned(), "a".to_owned()]).unwrap());
    }

    #[test]
    fn many_at_once_use_up_no_more_than_there_is() {
        let place = tempfile::tempdir().unwrap();
        let done: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let tally = Tally::new(place.path());
                        let add = |_: &u32| tally.add(&[count("a", 1, Some(50))], 0) == Ok(Counted::Done);
                        (0..40).filter(add).count()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(done, 50);
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        Tally::new(place.path()).add(&[count("a", 1, None)], 0).unwrap();
        let mode = std::fs::metadata(place.path().join("counts.db")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}
