//! The embedded SQLite database for JavaScript: connections by number.

use super::background::{Promised, start_alone};
use crate::kernel::{
    BeginMode, Database, DatabaseOptions, QueryAnswer, QueryLimits, ResultCallback, Savepoint, Session, SqlError,
    SqlOptions,
};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};

#[derive(Default)]
struct Sessions {
    last: u32,
    open: HashMap<u32, Arc<Session>>,
}

/// A SQLite database and its open connections. Dropping it closes them and rolls back open transactions.
#[napi]
pub struct BindingDatabase {
    inner: Result<Arc<Database>, Error>,
    sessions: Arc<Mutex<Sessions>>,
}

#[napi]
impl BindingDatabase {
    #[napi(constructor)]
    pub fn new(options_json: String) -> Self {
        let options = parse::<DatabaseOptions>(&options_json);
        Self { inner: options.map(|options| Arc::new(Database::new(options))), sessions: Arc::default() }
    }

    /// Value: the number of a new connection.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn connect<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        let sessions = Arc::clone(&self.sessions);
        match self.inner.clone() {
            Err(error) => promised.settle::<()>(Err(error)),
            Ok(database) => start_alone(promised, move |promised| {
                promised.settle(database.connect().map_err(Error::from).map(|session| {
                    let mut sessions = sessions.lock();
                    sessions.last += 1;
                    let id = sessions.last;
                    sessions.open.insert(id, Arc::new(session));
                    id
                }));
            }),
        }
        Ok(promise)
    }

    /// Starts a transaction, `"read"` or `"write"`, under the rules of SQL tools.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn begin<'env>(
        &self,
        env: &'env Env,
        id: u32,
        mode: String,
        options_json: String,
    ) -> napi::Result<Object<'env>> {
        self.with(env, id, move |session, done| {
            let mode: BeginMode = parse(&format!("\"{mode}\""))?;
            let options = SqlOptions::from_json(&options_json)?;
            session.begin(mode, options.policy(), Duration::from_millis(options.statement_timeout_ms.into()), done);
            Ok(())
        })
    }

    /// Value: `{ rows, affected }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn query<'env>(
        &self,
        env: &'env Env,
        id: u32,
        sql: String,
        params_json: String,
        limits_json: String,
    ) -> napi::Result<Object<'env>> {
        let start = move |session: &Session, done| {
            let limits: QueryLimits = parse(&limits_json)?;
            session.query(sql, params_json, limits, done);
            Ok(())
        };
        self.settling(env, id, start, |promised, answer: Result<QueryAnswer, Error>| {
            promised.settle_json(answer.map(|answer| answer.json));
        })
    }

    /// Sets a savepoint (`"set"`), or keeps (`"keep"`) or undoes (`"undo"`) the changes since it.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn savepoint<'env>(&self, env: &'env Env, id: u32, action: String, number: u32) -> napi::Result<Object<'env>> {
        self.with(env, id, move |session, done| {
            session.savepoint(parse::<Savepoint>(&format!("\"{action}\""))?, number, done);
            Ok(())
        })
    }

    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn commit<'env>(&self, env: &'env Env, id: u32) -> napi::Result<Object<'env>> {
        self.with(env, id, |session, done| {
            session.commit(done);
            Ok(())
        })
    }

    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn rollback<'env>(&self, env: &'env Env, id: u32) -> napi::Result<Object<'env>> {
        self.with(env, id, |session, done| {
            session.rollback(done);
            Ok(())
        })
    }

    /// Interrupts a connection's statement; the connection can be used again after a rollback.
    #[napi]
    pub fn cancel(&self, id: u32) {
        if let Some(session) = self.sessions.lock().open.get(&id) {
            session.cancel();
        }
    }

    /// Closes a connection and rolls back its open transaction.
    #[napi]
    pub fn close(&self, id: u32) {
        let session = self.sessions.lock().open.remove(&id);
        if let Some(session) = session {
            session.cancel();
        }
    }

    fn with<'env, T: Serialize + 'static>(
        &self,
        env: &'env Env,
        id: u32,
        start: impl FnOnce(&Session, ResultCallback<T>) -> Result<(), Error>,
    ) -> napi::Result<Object<'env>> {
        self.settling(env, id, start, Promised::settle)
    }

    fn settling<'env, T: 'static>(
        &self,
        env: &'env Env,
        id: u32,
        start: impl FnOnce(&Session, ResultCallback<T>) -> Result<(), Error>,
        settle_with: fn(Promised, Result<T, Error>),
    ) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        let session = self.sessions.lock().open.get(&id).cloned();
        let promised = Arc::new(Mutex::new(Some(promised)));
        let settle = Arc::clone(&promised);
        let done: ResultCallback<T> = Box::new(move |result| {
            if let Some(promised) = settle.lock().take() {
                settle_with(promised, result.map_err(Error::from));
            }
        });
        let started = match session {
            Some(session) => start(&session, done),
            None => Err(SqlError::Closed.into()),
        };
        if let Err(error) = started
            && let Some(promised) = promised.lock().take()
        {
            promised.settle::<()>(Err(error));
        }
        Ok(promise)
    }
}

fn parse<T: DeserializeOwned>(json: &str) -> Result<T, Error> {
    serde_json::from_str(json)
        .map_err(|error| Error::new(ErrorCode::Config, format!("The database options are not valid: {error}.")))
}
