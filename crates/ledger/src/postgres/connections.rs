//! Connections to the server: kept while they are good, made anew when they are not.

use super::address::PostgresAddress;
use super::connection::Connection;
use super::failure::Failure;
use super::stream::TlsSettings;
use parking_lot::Mutex;
use std::thread::sleep;
use std::time::Duration;

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

type Job<'a> = &'a mut dyn FnMut(&mut Connection) -> Result<(), Failure>;

pub(super) struct Connections {
    address: PostgresAddress,
    tls: TlsSettings,
    idle: Mutex<Vec<Connection>>,
}

impl Connections {
    pub(super) fn new(address: PostgresAddress, tls: TlsSettings) -> Self {
        Self { address, tls, idle: Mutex::new(Vec::new()) }
    }

    /// Closes those that nobody uses.
    pub(super) fn rest(&self) {
        self.idle.lock().clear();
    }

    /// Does `job` with a connection. When the connection is lost on the way, `job` is done again with another: it must be
    /// such that this does no harm.
    pub(super) fn with<T>(&self, mut job: impl FnMut(&mut Connection) -> Result<T, Failure>) -> Result<T, Failure> {
        let mut made = None;
        self.attempts(&mut |connection| {
            made = Some(job(connection)?);
            Ok(())
        })?;
        made.ok_or(Failure::Lost)
    }

    /// Does `job` until it is done, or fails for good.
    fn attempts(&self, job: Job<'_>) -> Result<(), Failure> {
        // Idle ones may have been lost long ago, all of them: that says nothing about the server.
        while let Some(connection) = self.take_idle() {
            match self.attempt(connection, job) {
                Err(failure) if failure.may_pass() => {}
                outcome => return outcome,
            }
        }
        let mut pauses = PAUSES.into_iter();
        loop {
            match self.open().and_then(|connection| self.attempt(connection, job)) {
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

    fn open(&self) -> Result<Connection, Failure> {
        let mut connection = Connection::open(&self.address, &self.tls)?;
        for setting in SETTINGS {
            connection.put(setting, &[])?;
        }
        connection.finish()?;
        Ok(connection)
    }
}
