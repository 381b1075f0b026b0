//! A pool of connections to the server, which reconnects when they are lost.

use super::address::PostgresAddress;
use super::connection::Connection;
use super::deadline::{Deadline, OPEN_LIMIT, PING_LIMIT};
use super::failure::Failure;
use super::stream::TlsSettings;
use parking_lot::Mutex;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The most idle connections: one for the writer, the others for readers.
const MAX_IDLE: usize = 4;
/// The pauses before each reconnection attempt; after the last, the caller gets the error.
const PAUSES: [Duration; 2] = [Duration::from_millis(50), Duration::from_millis(250)];
/// The settings of every connection. JIT compilation takes longer than these statements; confirmed commits are on the
/// server's disk.
const SETTINGS: [&str; 3] = [
    "set statement_timeout = '30s'",
    "set jit = off",
    "select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'",
];

/// A connection that was idle for longer is checked before use.
const DOUBTED_AFTER: Duration = Duration::from_secs(1);
/// How long requests fail at once after the server timed out.
const SILENCE_PAUSE: Duration = Duration::from_secs(1);

type Job<'a> = &'a mut dyn FnMut(&mut Connection) -> Result<(), Failure>;

pub(super) struct Connections {
    address: PostgresAddress,
    tls: TlsSettings,
    idle: Mutex<Vec<Connection>>,
    /// Until this time, requests fail at once, because the server timed out.
    silent_until: Mutex<Option<Instant>>,
}

impl Connections {
    pub(super) fn new(address: PostgresAddress, tls: TlsSettings) -> Self {
        Self { address, tls, idle: Mutex::new(Vec::new()), silent_until: Mutex::default() }
    }

    /// Closes idle connections.
    pub(super) fn rest(&self) {
        self.idle.lock().clear();
    }

    /// Runs `job` with a connection. If the connection is lost, `job` is repeated with another one, so it must be
    /// idempotent. All attempts end at the deadline.
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
            // Idle connections to a silent server would each time out.
            self.rest();
        }
        outcome?;
        made.ok_or(Failure::Lost)
    }

    /// Fails at once while the server is known to be silent. After the pause, one caller tries for all.
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

    /// Retries `job` until it succeeds or fails permanently.
    fn attempts(&self, deadline: Deadline, job: Job<'_>) -> Result<(), Failure> {
        // All idle connections may be lost, although the server is available.
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
        if connection.is_idle {
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
