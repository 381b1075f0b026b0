//! The ends of runs, told through one callback.
//!
//! A promise that is settled from another thread costs the event loop a handle of its own, made and closed; runs are too
//! many and too short for that.

use super::binding_outcome::BindingOutcome;
use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use serde::Serialize;
use tgp_base::error::Error;

type Arguments = FnArgs<(u32, BindingOutcome)>;
/// Weak: JavaScript keeps its process alive for as long as it waits for a run.
type Callback = ThreadsafeFunction<Arguments, (), Arguments, napi::Status, false, true>;

pub struct RunEnds(Callback);

impl RunEnds {
    pub fn new(callback: &Function<'_, Arguments, ()>) -> napi::Result<Self> {
        callback.build_threadsafe_function().callee_handled::<false>().weak::<true>().build().map(Self)
    }

    /// Tells how a run ended, from any thread.
    pub fn tell<T: Serialize>(&self, run_id: u32, result: Result<T, Error>) {
        let arguments = (run_id, BindingOutcome::from_result(result)).into();
        // It fails when JavaScript is going down, and then nobody waits for the run.
        let _unheard = self.0.call(arguments, ThreadsafeFunctionCallMode::NonBlocking);
    }
}
