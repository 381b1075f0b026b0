//! Persistent use counts that all processes of one folder share.
//!
//! They have their own file, since events may be dropped and a ledger may be disabled.

use super::durability::Access;
use super::ledger_error::{LedgerError, Reason};
use super::sqlite::failure::{read_failure, write_failure};
use super::sqlite::open::{private_writer_of, reader_of, retry_while_busy};
use parking_lot::{Mutex, MutexGuard};
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long a read waits for the connection, which a write of this process may hold while it waits for another process.
const READ_WAIT: Duration = Duration::from_millis(20);

const FILE: &str = "counts.db";

/// The most counts of one family, and of all.
const MAX_PER_FAMILY: i64 = 1_000;
const MAX_COUNTS: i64 = 200_000;
const MAX_AMOUNT: i64 = 1 << 53;

const TABLE: &str = "CREATE TABLE IF NOT EXISTS counts(name TEXT NOT NULL PRIMARY KEY, family TEXT, value INTEGER NOT NULL, until INTEGER) STRICT, WITHOUT ROWID; \
    CREATE INDEX IF NOT EXISTS counts_of_family ON counts(family)";

/// The amount to add to a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Amount {
    /// Negative amounts are subtracted.
    Exactly(i64),
    /// At most this, limited by what all counts with this kind of amount have left.
    UpTo(u64),
}

/// An addition to a count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Count {
    pub name: String,
    pub amount: Amount,
    /// The limit: nothing is added to any count if this one has reached it.
    pub below: Option<u64>,
    /// The expiry of the count, in milliseconds since 1970.
    pub until: Option<u64>,
}

/// The result of adding to counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// Added; holds the amount for `Amount::UpTo`.
    Done(Option<u64>),
    /// Nothing was added: the count at this index has reached its limit.
    UsedUp(usize),
    /// Nothing was added: too many counts of this family or in total.
    TooMany,
}

pub struct Tally {
    /// `None` for counts in memory.
    path: Option<PathBuf>,
    /// Opened on first use.
    connection: Mutex<Option<Connection>>,
}

impl Tally {
    /// The counts of a folder. No file is created before the first count.
    #[must_use]
    pub fn new(folder: &Path) -> Self {
        Self { path: Some(folder.join(FILE)), connection: Mutex::default() }
    }

    /// Counts that are not persistent.
    #[must_use]
    pub fn in_memory() -> Self {
        Self { path: None, connection: Mutex::default() }
    }

    /// Adds to all counts or to none. The limit of a family does not affect others.
    ///
    /// # Errors
    /// `Unwritable`.
    pub fn add(&self, family: &str, counts: &[Count], now: u64) -> Result<Counted, LedgerError> {
        self.with(|connection| added(connection, family, counts, now))
    }

    /// Marks a name permanently. Marks are not limited.
    ///
    /// # Errors
    /// `Unwritable`.
    pub fn mark(&self, name: &str) -> Result<(), LedgerError> {
        let sql = "INSERT INTO counts(name, value) VALUES(?1, 1) ON CONFLICT(name) DO NOTHING";
        self.with(|connection| connection.execute(sql, [name]).map(|_| ()))
    }

    /// Whether one of these is marked or counted.
    ///
    /// # Errors
    /// `Unwritable`, `Unreadable`.
    pub fn has_any(&self, names: &[String]) -> Result<bool, LedgerError> {
        let Some(path) = &self.path else {
            let held = self.connection.lock();
            let found = held.as_ref().map(|connection| has_any(connection, names));
            return found.transpose().map(Option::unwrap_or_default).map_err(|error| read_failure(&error));
        };
        let by_itself = || has_any(&reader_of(path, Access::ReadOnly)?, names).map_err(|error| read_failure(&error));
        // Readers do not wait for writers.
        let Some(held) = self.connection.try_lock_for(READ_WAIT) else {
            // The file may be in creation, with nothing to read yet.
            return by_itself().or_else(|_| self.with(|connection| has_any(connection, names)));
        };
        if held.is_none() && !is_there(path)? {
            return Ok(false);
        }
        match self.within(held, |connection| has_any(connection, names)) {
            // On a read-only disk nothing is counted, but existing counts apply.
            Err(LedgerError::Unwritable(Reason::ReadOnlyDisk | Reason::NotAllowed)) => by_itself(),
            found => found,
        }
    }

    /// Closes the file.
    pub fn close(&self) {
        *self.connection.lock() = None;
    }

    fn with<T>(&self, job: impl FnOnce(&mut Connection) -> rusqlite::Result<T>) -> Result<T, LedgerError> {
        self.within(self.connection.lock(), job)
    }

    fn within<T>(
        &self,
        mut held: MutexGuard<'_, Option<Connection>>,
        job: impl FnOnce(&mut Connection) -> rusqlite::Result<T>,
    ) -> Result<T, LedgerError> {
        if let Some(path) = &self.path
            && held.is_some()
            && !is_there(path)?
        {
            // The file was removed: the connection refers to a deleted file.
            *held = None;
        }
        let connection = match &mut *held {
            Some(connection) => connection,
            none @ None => none.insert(self.opened()?),
        };
        job(connection).map_err(|error| write_failure(&error))
    }

    fn opened(&self) -> Result<Connection, LedgerError> {
        retry_while_busy(|| {
            let connection = match &self.path {
                Some(path) => private_writer_of(path)?,
                None => Connection::open_in_memory().map_err(|error| write_failure(&error))?,
            };
            connection.execute_batch(TABLE).map_err(|error| write_failure(&error))?;
            Ok(connection)
        })
    }
}

/// Whether the file exists. Fails if that is unknown, since an inaccessible file may contain revocations.
fn is_there(path: &Path) -> Result<bool, LedgerError> {
    path.try_exists().map_err(|error| LedgerError::read(&error))
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

fn added(connection: &mut Connection, family: &str, counts: &[Count], now: u64) -> rusqlite::Result<Counted> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let counted = add_all(&transaction, family, counts, now)?;
    transaction.commit()?;
    Ok(counted)
}

fn add_all(transaction: &Transaction<'_>, family: &str, counts: &[Count], now: u64) -> rusqlite::Result<Counted> {
    let mut new = 0;
    let mut taken = None;
    for (place, count) in counts.iter().enumerate() {
        let value: Option<i64> = transaction
            .prepare_cached("SELECT value FROM counts WHERE name = ?1")?
            .query_row([&count.name], |row| row.get(0))
            .optional()?;
        if count.below.is_some_and(|below| value.unwrap_or_default() >= integer(below)) {
            return Ok(Counted::UsedUp(place));
        }
        new += i64::from(value.is_none());
        if let Amount::UpTo(most) = count.amount {
            let left = count.below.map(|below| below.saturating_sub(unsigned(value.unwrap_or_default())));
            taken = Some(most.min(left.unwrap_or(most)).min(taken.unwrap_or(most)));
        }
    }
    if new > 0 && !has_room(transaction, family, new)? {
        transaction.execute("DELETE FROM counts WHERE until <= ?1", [integer(now)])?;
        if !has_room(transaction, family, new)? {
            return Ok(Counted::TooMany);
        }
    }
    let sql = "INSERT INTO counts(name, family, value, until) VALUES(?1, ?2, max(?3, 0), ?4) \
        ON CONFLICT(name) DO UPDATE SET value = max(min(value + ?3, 9007199254740992), 0), until = ?4";
    for count in counts {
        let amount = match count.amount {
            Amount::Exactly(amount) => amount.clamp(-MAX_AMOUNT, MAX_AMOUNT),
            Amount::UpTo(_) => integer(taken.unwrap_or_default()).min(MAX_AMOUNT),
        };
        transaction.prepare_cached(sql)?.execute(params![count.name, family, amount, count.until.map(integer)])?;
    }
    Ok(Counted::Done(taken))
}

fn has_room(transaction: &Transaction<'_>, family: &str, new: i64) -> rusqlite::Result<bool> {
    let of_family: i64 =
        transaction.query_row("SELECT count(*) FROM counts WHERE family = ?1", [family], |row| row.get(0))?;
    let of_all: i64 =
        transaction.query_row("SELECT count(*) FROM counts WHERE family IS NOT NULL", [], |row| row.get(0))?;
    Ok(of_family + new <= MAX_PER_FAMILY && of_all + new <= MAX_COUNTS)
}

fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or_default()
}

fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::{Amount, Count, Counted, MAX_PER_FAMILY, READ_WAIT, Tally};

    fn count(name: &str, amount: i64, below: Option<u64>) -> Count {
        Count { name: name.to_owned(), amount: Amount::Exactly(amount), below, until: None }
    }

    #[test]
    fn counts_are_shared_and_persistent() {
        let place = tempfile::tempdir().unwrap();
        let (one, other) = (Tally::new(place.path()), Tally::new(place.path()));
        assert!(!one.has_any(&["a".to_owned()]).unwrap());
        assert!(std::fs::read_dir(place.path()).unwrap().next().is_none(), "a read creates nothing");
        assert_eq!(one.add("f", &[count("a", 1, Some(2))], 0), Ok(Counted::Done(None)));
        assert_eq!(other.add("f", &[count("a", 1, Some(2))], 0), Ok(Counted::Done(None)));
        assert_eq!(one.add("f", &[count("b", 1, None), count("a", 1, Some(2))], 0), Ok(Counted::UsedUp(1)));
        assert!(!other.has_any(&["b".to_owned()]).unwrap(), "all or none");
        drop((one, other));
        let again = Tally::new(place.path());
        assert_eq!(again.add("f", &[count("a", 1, Some(2))], 0), Ok(Counted::UsedUp(0)));
        assert!(again.has_any(&["b".to_owned(), "a".to_owned()]).unwrap());
    }

    #[test]
    fn concurrent_additions_respect_the_limit() {
        let place = tempfile::tempdir().unwrap();
        let done: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| {
                        let tally = Tally::new(place.path());
                        let add = |_: &u32| tally.add("f", &[count("a", 1, Some(50))], 0) == Ok(Counted::Done(None));
                        (0..40).filter(add).count()
                    })
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(done, 50);
    }

    #[test]
    fn up_to_takes_the_smallest_remainder_and_can_be_returned() {
        let tally = Tally::in_memory();
        let up_to = |most, below| {
            let one = |name: &str, below| Count { amount: Amount::UpTo(most), ..count(name, 0, Some(below)) };
            tally.add("f", &[one("wide", 100), one("narrow", below)], 0).unwrap()
        };
        assert_eq!(up_to(30, 40), Counted::Done(Some(30)));
        assert_eq!(up_to(30, 40), Counted::Done(Some(10)), "the narrower one has no more");
        assert_eq!(up_to(30, 40), Counted::UsedUp(1));
        let back = [count("wide", -35, None), count("narrow", -35, None)];
        assert_eq!(tally.add("f", &back, 0), Ok(Counted::Done(None)));
        assert_eq!(up_to(1_000, 1_000), Counted::Done(Some(95)));
        assert_eq!(tally.add("f", &[count("wide", -1_000, None)], 0), Ok(Counted::Done(None)));
        assert_eq!(up_to(1_000, 1_000), Counted::Done(Some(100)), "never below nothing");
    }

    #[test]
    fn a_read_does_not_wait_for_a_waiting_writer() {
        let place = tempfile::tempdir().unwrap();
        let tally = Tally::new(place.path());
        tally.mark("revoked").unwrap();
        let held = tally.connection.lock();
        assert!(tally.has_any(&["revoked".to_owned()]).unwrap());
        assert!(!tally.has_any(&["other".to_owned()]).unwrap());
        drop(held);
    }

    #[test]
    fn a_read_waits_for_the_creation_of_the_file() {
        let place = tempfile::tempdir().unwrap();
        let tally = Tally::new(place.path());
        let held = tally.connection.lock();
        std::thread::scope(|scope| {
            let look = scope.spawn(|| tally.has_any(&["revoked".to_owned()]));
            std::thread::sleep(READ_WAIT * 4);
            drop(held);
            assert_eq!(look.join().unwrap(), Ok(false));
        });
    }

    #[test]
    fn the_limit_of_a_family_does_not_affect_others() {
        let tally = Tally::in_memory();
        for number in 0..MAX_PER_FAMILY {
            assert_eq!(tally.add("one", &[count(&format!("a{number}"), 1, None)], 0), Ok(Counted::Done(None)));
        }
        assert_eq!(tally.add("one", &[count("more", 1, None)], 0), Ok(Counted::TooMany));
        assert_eq!(tally.add("one", &[count("a0", 1, None)], 0), Ok(Counted::Done(None)), "existing counts continue");
        assert_eq!(tally.add("other", &[count("b", 1, None)], 0), Ok(Counted::Done(None)));
        tally.mark("revoked").unwrap();
        assert!(tally.has_any(&["revoked".to_owned()]).unwrap(), "marks are not limited");
    }

    #[cfg(unix)]
    #[test]
    fn an_inaccessible_file_is_an_error() {
        let place = tempfile::tempdir().unwrap();
        let looped = place.path().join("loop");
        std::os::unix::fs::symlink(&looped, &looped).unwrap();
        assert!(Tally::new(&looped).has_any(&["a".to_owned()]).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_may_read_it() {
        use std::os::unix::fs::PermissionsExt;
        let place = tempfile::tempdir().unwrap();
        Tally::new(place.path()).add("f", &[count("a", 1, None)], 0).unwrap();
        let mode = std::fs::metadata(place.path().join("counts.db")).unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0);
    }
}
