//! Work that must not happen on JavaScript's thread, and the promise of its outcome.

use super::binding_outcome::BindingOutcome;
use napi::Env;
use napi::JsDeferred;
use napi::bindgen_prelude::Object;
use parking_lot::Mutex;
use rayon::ThreadPool;
use serde::Serialize;
use std::sync::{Arc, LazyLock};
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads;

type Settle = Box<dyn FnOnce(Env) -> napi::Result<BindingOutcome> + Send>;

/// Settles a promise from any thread. Dropping it settles too, so that nobody waits for a job that panicked.
pub struct Promised(Option<JsDeferred<BindingOutcome, Settle>>);

impl Promised {
    /// A promise for JavaScript and the means to settle it.
    pub fn new(env: &Env) -> napi::Result<(Self, Object<'_>)> {
        let (deferred, promise) = env.create_deferred()?;
        Ok((Self(Some(deferred)), promise))
    }

    pub fn settle<T: Serialize>(mut self, result: Result<T, Error>) {
        self.resolve(BindingOutcome::from_result(result));
    }

    /// Settles with text that is JSON already.
    pub fn settle_json(mut self, result: Result<String, Error>) {
        self.resolve(BindingOutcome::from_json(result));
    }

    fn resolve(&mut self, outcome: BindingOutcome) {
        if let Some(deferred) = self.0.take() {
            deferred.resolve(Box::new(move |_| Ok(outcome)));
        }
    }
}

impl Drop for Promised {
    fn drop(&mut self) {
        self.resolve(BindingOutcome::from_result::<()>(Err(Error::panicked())));
    }
}

/// What a job is about: files may wait for a lock, runs must not wait for files, and nobody for somebody else's remote or for
/// a look at all there is. What a statement may do is found out in a bounded number of steps, so that it waits for nothing long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    Files,
    Searches,
    Runs,
    Rules,
    Remote,
}

static FILES: LazyLock<Option<ThreadPool>> = LazyLock::new(|| threads::pool("tgp-files", 4));
static SEARCHES: LazyLock<Option<ThreadPool>> = LazyLock::new(|| threads::pool("tgp-searches", 2));
static RUNS: LazyLock<Option<ThreadPool>> = LazyLock::new(|| threads::pool("tgp-runs", 2));
static RULES: LazyLock<Option<ThreadPool>> = LazyLock::new(|| threads::pool("tgp-rules", 2));

/// Does `job` on a thread of the lane.
fn spawn(lane: Lane, job: impl FnOnce() + Send + 'static) -> Result<(), Error> {
    let pool = match lane {
        Lane::Files => &FILES,
        Lane::Searches => &SEARCHES,
        Lane::Runs => &RUNS,
        Lane::Rules => &RULES,
        // As long as its remote takes: any number of others would be few for some that are silent.
        Lane::Remote => return threads::spawn("tgp-remote", job).map(drop).map_err(|_| no_thread()),
    };
    match pool.as_ref() {
        Some(pool) => {
            pool.spawn(job);
            Ok(())
        }
        None => Err(no_thread()),
    }
}

/// The same for a job that answers somebody with what it is given. When there is no thread for it, that comes back.
pub fn spawn_with<T: Send + 'static>(
    lane: Lane,
    given: T,
    job: impl FnOnce(T) + Send + 'static,
) -> Result<(), (Error, T)> {
    let shared = Arc::new(Mutex::new(Some(given)));
    let taken = Arc::clone(&shared);
    let spawned = spawn(lane, move || {
        let given = taken.lock().take();
        if let Some(given) = given {
            job(given);
        }
    });
    match spawned {
        Ok(()) => Ok(()),
        Err(error) => {
            let given = shared.lock().take();
            given.map_or(Ok(()), |given| Err((error, given)))
        }
    }
}

fn no_thread() -> Error {
    Error::new(ErrorCode::Io, "The system refuses more threads. Close what is not needed and try again.")
}

#[cfg(test)]
mod tests {
    use super::{Lane, spawn_with};
    use tgp_base::threads::refusal;

    #[test]
    fn what_no_thread_takes_comes_back() {
        let refused = refusal::during("tgp-remote", || spawn_with(Lane::Remote, 7, |_| {}));
        assert_eq!(refused.unwrap_err().1, 7);
        let (sender, receiver) = std::sync::mpsc::channel();
        assert!(spawn_with(Lane::Remote, 8, move |given| sender.send(given).unwrap()).is_ok());
        assert_eq!(receiver.recv().unwrap(), 8);
    }
}
