//! Work that must not happen on JavaScript's thread, and the promise of its outcome.

use super::binding_outcome::BindingOutcome;
use crate::kernel::WorkPool;
use napi::Env;
use napi::JsDeferred;
use napi::bindgen_prelude::Object;
use parking_lot::Mutex;
use serde::Serialize;
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads;

type Settle = Box<dyn FnOnce(Env) -> napi::Result<BindingOutcome> + Send>;

/// Settles a promise from any thread. Dropping it settles too, so that JavaScript does not wait for a job that panicked.
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

/// What a job is about: files may wait for a lock, runs must not wait for files, and nothing waits for a remote or for a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    Files,
    Searches,
    Runs,
    Remote,
}

/// The threads of one kernel: what it asks for keeps no other one waiting.
pub struct Lanes {
    files: WorkPool<()>,
    searches: WorkPool<()>,
    runs: WorkPool<()>,
}

impl Default for Lanes {
    fn default() -> Self {
        Self {
            files: WorkPool::new("tgp-files", 4),
            searches: WorkPool::new("tgp-searches", 2),
            runs: WorkPool::new("tgp-runs", 2),
        }
    }
}

impl Lanes {
    /// Does `job`, which answers its caller with what it is given, on a thread of the lane. When there is no thread for it, that
    /// comes back.
    pub fn spawn_with<T: Send + 'static>(
        &self,
        lane: Lane,
        given: T,
        job: impl FnOnce(T) + Send + 'static,
    ) -> Result<(), (Error, T)> {
        let pool = match lane {
            Lane::Files => &self.files,
            Lane::Searches => &self.searches,
            Lane::Runs => &self.runs,
            Lane::Remote => return on_own_thread(given, job),
        };
        keeping(given, job, |job| pool.spawn((), job).is_ok())
    }

    /// The same for a promise, which is told when there is no thread.
    pub fn start(&self, lane: Lane, promised: Promised, job: impl FnOnce(Promised) + Send + 'static) {
        told_of_refusal(self.spawn_with(lane, promised, job));
    }
}

/// Settles a promise on a thread of `pool`.
pub fn start_on(pool: &WorkPool<()>, promised: Promised, job: impl FnOnce(Promised) + Send + 'static) {
    told_of_refusal(keeping(promised, job, |job| pool.spawn((), job).is_ok()));
}

/// Settles a promise on a thread of its own: its job takes as long as a remote does, and any number of threads would be few for
/// some that are silent.
pub fn start_alone(promised: Promised, job: impl FnOnce(Promised) + Send + 'static) {
    told_of_refusal(on_own_thread(promised, job));
}

fn told_of_refusal(started: Result<(), (Error, Promised)>) {
    if let Err((error, promised)) = started {
        promised.settle::<()>(Err(error));
    }
}

fn on_own_thread<T: Send + 'static>(given: T, job: impl FnOnce(T) + Send + 'static) -> Result<(), (Error, T)> {
    keeping(given, job, |job| threads::spawn("tgp-remote", job).is_ok())
}

/// Has `spawn` do the job, and gives back what it was given when no thread does.
fn keeping<T: Send + 'static>(
    given: T,
    job: impl FnOnce(T) + Send + 'static,
    spawn: impl FnOnce(Box<dyn FnOnce() + Send>) -> bool,
) -> Result<(), (Error, T)> {
    let shared = Arc::new(Mutex::new(Some(given)));
    let taken = Arc::clone(&shared);
    let is_spawned = spawn(Box::new(move || {
        let given = taken.lock().take();
        if let Some(given) = given {
            job(given);
        }
    }));
    let refused = if is_spawned { None } else { shared.lock().take() };
    refused.map_or(Ok(()), |given| Err((no_thread(), given)))
}

fn no_thread() -> Error {
    Error::new(ErrorCode::Io, "The system refuses more threads. Close what is not needed and try again.")
}

#[cfg(test)]
mod tests {
    use super::{Lane, Lanes};
    use std::sync::mpsc::channel;
    use tgp_base::threads::spawn_failure;

    #[test]
    fn what_no_thread_takes_comes_back() {
        let lanes = Lanes::default();
        for (lane, name) in [(Lane::Remote, "tgp-remote"), (Lane::Files, "tgp-files")] {
            let refused = spawn_failure::during(name, || lanes.spawn_with(lane, 7, |_| {}));
            assert_eq!(refused.unwrap_err().1, 7);
            let (sender, receiver) = channel();
            assert!(lanes.spawn_with(lane, 8, move |given| sender.send(given).unwrap()).is_ok());
            assert_eq!(receiver.recv().unwrap(), 8);
        }
    }

    #[test]
    fn the_jobs_of_one_kernel_keep_no_other_waiting() {
        let (busy, other) = (Lanes::default(), Lanes::default());
        let (open, gate) = channel::<()>();
        let gate = std::sync::Arc::new(parking_lot::Mutex::new(gate));
        for lane in [Lane::Files, Lane::Searches, Lane::Runs] {
            for _ in 0..20 {
                let gate = std::sync::Arc::clone(&gate);
                assert!(busy.spawn_with(lane, (), move |()| assert!(gate.lock().recv().is_err())).is_ok());
            }
            let (tell, told) = channel();
            assert!(other.spawn_with(lane, (), move |()| tell.send(()).unwrap()).is_ok());
            assert!(told.recv_timeout(std::time::Duration::from_secs(20)).is_ok());
        }
        drop(open);
    }
}
