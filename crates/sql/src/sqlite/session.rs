//! A database session: one connection on its own thread, so that a long statement does not block others.

use super::query::{QueryAnswer, QueryLimits, run};
use super::session_control::SessionControl;
use super::transaction::{BeginMode, Savepoint, begin, commit, rollback, savepoint};
use crate::rules::policy::SqlPolicy;
use crate::sql_error::SqlError;
use crossbeam_channel::{Receiver, Sender, unbounded};
use parking_lot::Mutex;
use rusqlite::Connection;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::threads;

/// A callback for the result of a job. Called once, usually on the session's thread.
pub type ResultCallback<T> = Box<dyn FnOnce(Result<T, SqlError>) + Send>;

type Job = Box<dyn FnOnce(&Connection, &Arc<SessionControl>) + Send>;

/// SQLite recurses into nested expressions; its depth limits fit into this several times.
const STACK_BYTES: usize = 8 << 20;

/// A session. Dropping it rolls back an open transaction and ends the thread.
pub struct Session {
    jobs: Sender<Job>,
    control: Arc<SessionControl>,
}

impl Session {
    /// Starts the thread and opens the connection on it.
    pub(super) fn start(
        open: impl FnOnce(&Arc<SessionControl>) -> Result<Connection, SqlError> + Send + 'static,
    ) -> Result<Self, SqlError> {
        let control = Arc::new(SessionControl::default());
        let (jobs, queue) = unbounded();
        let (opened, wait) = unbounded();
        let own = Arc::clone(&control);
        let spawned = threads::spawn_with_stack("tgp-sqlite", STACK_BYTES, move || match open(&own) {
            Ok(connection) => {
                let _waiting = opened.send(Ok(()));
                serve(&queue, &connection, &own);
            }
            Err(error) => {
                let _waiting = opened.send(Err(error));
            }
        });
        if spawned.is_err() {
            return Err(SqlError::Closed);
        }
        wait.recv().map_err(|_| SqlError::Closed)??;
        Ok(Self { jobs, control })
    }

    /// Begins a transaction whose statements take at most `statement_timeout` each.
    pub fn begin(&self, mode: BeginMode, policy: SqlPolicy, statement_timeout: Duration, done: ResultCallback<()>) {
        self.submit(done, move |connection, control| begin(connection, control, mode, policy, statement_timeout));
    }

    /// Runs one statement. `params_json` is an array with one value for each placeholder.
    pub fn query(&self, sql: String, params_json: String, limits: QueryLimits, done: ResultCallback<QueryAnswer>) {
        self.submit(done, move |connection, control| run(connection, control, &sql, &params_json, limits));
    }

    /// Sets, releases or rolls back to a savepoint.
    pub fn savepoint(&self, action: Savepoint, number: u32, done: ResultCallback<()>) {
        self.submit(done, move |connection, control| savepoint(connection, control, action, number));
    }

    pub fn commit(&self, done: ResultCallback<()>) {
        self.submit(done, commit);
    }

    /// Rolls back and clears a cancellation, so that the session can be used again.
    pub fn rollback(&self, done: ResultCallback<()>) {
        self.submit(done, |connection, control| {
            let rolled_back = rollback(connection, control);
            control.clear_cancellation();
            rolled_back
        });
    }

    /// Stops the running statement and refuses queued ones, until the session is rolled back.
    pub fn cancel(&self) {
        self.control.cancel();
    }

    fn submit<T: 'static>(
        &self,
        done: ResultCallback<T>,
        work: impl FnOnce(&Connection, &Arc<SessionControl>) -> Result<T, SqlError> + Send + 'static,
    ) {
        let shared = Arc::new(Mutex::new(Some(done)));
        let taken = Arc::clone(&shared);
        let sent = self.jobs.send(Box::new(move |connection, control| {
            let result = work(connection, control);
            if let Some(done) = taken.lock().take() {
                done(result);
            }
        }));
        if sent.is_err()
            && let Some(done) = shared.lock().take()
        {
            done(Err(SqlError::Closed));
        }
    }
}

fn serve(queue: &Receiver<Job>, connection: &Connection, control: &Arc<SessionControl>) {
    while let Ok(job) = queue.recv() {
        job(connection, control);
    }
}
