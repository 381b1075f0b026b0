//! Connections to the server: kept while they are good, made anew when they are not.

use super::address::PostgresAddress;
use super::connection::Connection;
use super::deadline::{Deadline, OPEN_LIMIT, PING_LIMIT};
use super::failure::Failure;
use super::stream::TlsSettings;
use parking_lot::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// One for the writer, the others for readers; more are closed after use.
const MAX_IDLE: usize = 4;
/// How often a lost connection is made anew before the caller hears of it, and the pauses before.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];
/// Every connection begins with these. Compiling our statements takes longer than doing them; a commit that the caller hears of
/// is on the server's disk.
const SETTINGS: [&str; 3] = [
    "set statement_timeout = '30s'",
    "set jit = off",
    "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'",
];

/// A connection that was idle for this long shows that it is good before it is used.
const DOUBTED_AFTER: Duration = Duration::from_secs(1);
/// How long a server that gave no answer in time is not spoken to.
const SILENCE_PAUSE: Duration = Duration::from_secs(1);

type Job<'a> = &'a mut dyn FnMut(&mut Connection) -> Result<(), Failure>;

pub(super) struct Connections {
    address: PostgresAddress,
    tls: TlsSettings,
    idle: Mutex<Vec<Connection>>,
    /// When a server that gave no answer in time is spoken to again. Until then all fail at once: each would wait in vain.
    silent_until: Mutex<Option<Instant>>,
}

impl Connections {
    pub(super) fn new(address: PostgresAddress, tls: TlsSettings) -> Self {
        Self { address, tls, idle: Mutex::new(Vec::new()), silent_until: Mutex::default() }
    }

    /// Closes those that nobody uses.
    pub(super) fn rest(&self) {
        self.idle.lock().clear();
    }

    /// Does `job` with a connection. When the connection is lost on the way, `job` is done again with another: it must be
    /// such that this does no harm. All of it ends at the deadline.
    pub(super) fn with<T>(
        &self,
        deadline: Deadline,
        mut job: impl FnMut(&mut Connection) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        self.refuse_while_silent()?;
        let mut made = None;
        let outcome = self.attempts(deadline, &mut |connection| {
            made = Some(job(connection)?);
            Ok(())
        });
        let is_late = outcome == Err(Failure::Late);
        *self.silent_until.lock() = is_late.then(|| Instant::now() + SILENCE_PAUSE);
        if is_late {
            // What is held of a server that is silent would be waited for one by one.
            self.rest();
        }
        outcome?;
        made.ok_or(Failure::Lost)
    }

    /// Fails at once while the server is known to be silent. When that may be over, one caller finds out for all.
    fn refuse_while_silent(&self) -> Result<(), Failure> {
        let now = Instant::now();
        match &mut *self.silent_until.lock() {
            Some(until) if now < *until => Err(Failure::Late),
            Some(until) => {
                *until = now + OPEN_LIMIT + SILENCE_PAUSE;
                Ok(())
            }
            None => Ok(()),
        }
    }

    /// Does `job` until it is done, or fails for good.
    fn attempts(&self, deadline: Deadline, job: Job<'_>) -> Result<(), Failure> {
        // Idle ones may have been lost long ago, all of them: that says nothing about the server.
        while let Some(mut connection) = self.take_idle() {
            let is_good = if connection.idle_for() > DOUBTED_AFTER {
                connection.set_deadline(deadline.at_most(PING_LIMIT));
                connection.finish()
            } else {
                Ok(())
            };
            connection.set_deadline(deadline.renewed());
            match is_good.and_then(|()| self.attempt(connection, job)) {
                Err(failure) if failure.may_pass() => {}
                outcome => return outcome,
            }
        }
        let mut pauses = PAUSES.into_iter();
        loop {
            let opened = self.open(deadline.renewed().at_most(OPEN_LIMIT)).map(|mut connection| {
                connection.set_deadline(deadline.renewed());
                connection
            });
            match opened.and_then(|connection| self.attempt(connection, job)) {
                Err(failure) if failure.may_pass() => match pauses.next() {
                    Some(pause) => sleep(pause),
                    None => return Err(failure),
                },
                outcome => return outcome,
            }
        }
    }

    fn attempt(&self, mut connection: Connection, job: Job<'_>) -> Result<(), Failure> {
        job(&mut connection)?;
        if connection.is_idle() {
            let mut idle = self.idle.lock();
            if idle.len() < MAX_IDLE {
                idle.push(connection);
            }
        }
        Ok(())
    }

    fn take_idle(&self) -> Option<Connection> {
        self.idle.lock().pop()
    }

    fn open(&self, deadline: Deadline) -> Result<Connection, Failure> {
        let mut connection = Connection::open(&self.address, &self.tls, deadline)?;
        for setting in SETTINGS {
            connection.put(setting, &[])?;
        }
        connection.finish()?;
        Ok(connection)
    }
}
