//! Background jobs and the promises they settle.

use super::binding_outcome::BindingOutcome;
use crate::kernel::{WorkPool, no_thread, spawn_or_return};
use napi::Env;
use napi::JsDeferred;
use napi::bindgen_prelude::Object;
use serde::Serialize;
use tgp_base::error::Error;
use tgp_base::threads;

type Settle = Box<dyn FnOnce(Env) -> napi::Result<BindingOutcome> + Send>;

/// Settles a promise from any thread. Dropping it settles too, so that JavaScript does not wait for a job that panicked.
pub struct Promised(Option<JsDeferred<BindingOutcome, Settle>>);

impl Promised {
    /// A promise for JavaScript, and the handle that settles it.
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

/// The queue of a job. File jobs may wait for a lock; nothing waits for a remote or a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lane {
    Files,
    Searches,
    Remote,
}

/// The thread pools of one kernel. Kernels do not share threads, so none delays another.
pub struct Lanes {
    files: WorkPool<()>,
    searches: WorkPool<()>,
}

impl Default for Lanes {
    fn default() -> Self {
        Self { files: WorkPool::new("tgp-files", 4), searches: WorkPool::new("tgp-searches", 2) }
    }
}

impl Lanes {
    /// Runs `job` with `input` on a thread of the lane. Returns the input when no thread starts, so that the caller can
    /// still be answered.
    pub fn spawn_with<T: Send + 'static>(
        &self,
        lane: Lane,
        input: T,
        job: impl FnOnce(T) + Send + 'static,
    ) -> Result<(), (Error, T)> {
        let pool = match lane {
            Lane::Files => &self.files,
            Lane::Searches => &self.searches,
            Lane::Remote => return on_own_thread(input, job),
        };
        pool.spawn_with((), input, job).map_err(|input| (no_thread(), input))
    }

    /// As `spawn_with`, for a promise, which is rejected when no thread starts.
    pub fn start(&self, lane: Lane, promised: Promised, job: impl FnOnce(Promised) + Send + 'static) {
        reject_unstarted(self.spawn_with(lane, promised, job));
    }
}

/// Settles a promise on a thread of `pool`.
pub fn start_on(pool: &WorkPool<()>, promised: Promised, job: impl FnOnce(Promised) + Send + 'static) {
    reject_unstarted(pool.spawn_with((), promised, job).map_err(|promised| (no_thread(), promised)));
}

/// Settles a promise on a thread of its own, for jobs that wait for a remote: silent remotes would block a pool.
pub fn start_alone(promised: Promised, job: impl FnOnce(Promised) + Send + 'static) {
    reject_unstarted(on_own_thread(promised, job));
}

fn reject_unstarted(started: Result<(), (Error, Promised)>) {
    if let Err((error, promised)) = started {
        promised.settle::<()>(Err(error));
    }
}

fn on_own_thread<T: Send + 'static>(input: T, job: impl FnOnce(T) + Send + 'static) -> Result<(), (Error, T)> {
    spawn_or_return(input, job, |job| threads::spawn("tgp-remote", job).is_ok()).map_err(|input| (no_thread(), input))
}

#[cfg(test)]
mod tests {
    use super::{Lane, Lanes};
    use std::sync::mpsc::channel;
    use tgp_base::threads::spawn_failure;

    #[test]
    fn spawn_with_returns_the_input_when_no_thread_starts() {
        let lanes = Lanes::default();
        for (lane, name) in [(Lane::Remote, "tgp-remote"), (Lane::Files, "tgp-files")] {
            let refused = spawn_failure::during(name, || lanes.spawn_with(lane, 7, |_| {}));
            assert_eq!(refused.unwrap_err().1, 7);
            let (sender, receiver) = channel();
            assert!(lanes.spawn_with(lane, 8, move |input| sender.send(input).unwrap()).is_ok());
            assert_eq!(receiver.recv().unwrap(), 8);
        }
    }

    #[test]
    fn kernels_do_not_share_lane_threads() {
        let (busy, other) = (Lanes::default(), Lanes::default());
        let (open, gate) = channel::<()>();
        let gate = std::sync::Arc::new(parking_lot::Mutex::new(gate));
        for lane in [Lane::Files, Lane::Searches] {
            for _ in 0..20 {
                let gate = std::sync::Arc::clone(&gate);
                assert!(busy.spawn_with(lane, (), move |()| assert!(gate.lock().recv().is_err())).is_ok());
            }
            let (sender, receiver) = channel();
            assert!(other.spawn_with(lane, (), move |()| sender.send(()).unwrap()).is_ok());
            assert!(receiver.recv_timeout(std::time::Duration::from_secs(20)).is_ok());
        }
        drop(open);
    }
}
