//! Reports the ends of runs to JavaScript through one callback.
//!
//! Settling a promise from another thread opens and closes an event loop handle each time, which is too slow for many
//! short runs.

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

    /// Reports the end of a run, from any thread.
    pub fn tell<T: Serialize>(&self, run_id: u32, result: Result<T, Error>) {
        let arguments = (run_id, BindingOutcome::from_result(result)).into();
        // Fails only while JavaScript shuts down, when nothing waits for the run.
        let _unheard = self.0.call(arguments, ThreadsafeFunctionCallMode::NonBlocking);
    }
}
