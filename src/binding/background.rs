//! Work that must not happen on JavaScript's thread, and the promise of its outcome.

use super::binding_outcome::BindingOutcome;
use crate::error::{Error, ErrorCode};
use napi::Env;
use napi::JsDeferred;
use napi::bindgen_prelude::Object;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde::Serialize;
use std::sync::LazyLock;

type Settle = Box<dyn FnOnce(Env) -> napi::Result<BindingOutcome> + Send>;

/// Settles a promise from any thread.
pub struct Promised(JsDeferred<BindingOutcome, Settle>);

impl Promised {
    /// A promise for JavaScript and the means to settle it.
    pub fn new(env: &Env) -> napi::Result<(Self, Object<'_>)> {
        let (deferred, promise) = env.create_deferred()?;
        Ok((Self(deferred), promise))
    }

    pub fn settle<T: Serialize>(self, result: Result<T, Error>) {
        let outcome = BindingOutcome::from_result(result);
        self.0.resolve(Box::new(move |_| Ok(outcome)));
    }
}

/// What a job is about: files may wait for a lock, runs must not wait for files, and nobody for a remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    Files,
    Runs,
    Remote,
}

static FILES: LazyLock<Option<ThreadPool>> = LazyLock::new(|| pool("tgp-files", 4));
static REMOTE: LazyLock<Option<ThreadPool>> = LazyLock::new(|| pool("tgp-remote", 2));
static RUNS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| pool("tgp-runs", 2));

fn pool(name: &'static str, threads: usize) -> Option<ThreadPool> {
    ThreadPoolBuilder::new().num_threads(threads).thread_name(move |_| name.to_owned()).build().ok()
}

/// Does `job` on a thread of the lane.
pub fn spawn(lane: Lane, job: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let pool = match lane {
        Lane::Files => &FILES,
        Lane::Runs => &RUNS,
        Lane::Remote => &REMOTE,
    };
    match pool.as_ref() {
        Some(pool) => {
            pool.spawn(job);
            Ok(())
        }
        None => {
            Err(Error::new(ErrorCode::Io, "The system refuses more threads. Close what is not needed and try again."))
        }
    }
}
