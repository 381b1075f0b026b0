//! Reports the ends of runs to JavaScript through one callback.
//!
//! Settling a promise from another thread opens and closes an event loop handle each time, which is too slow for many
//! short runs.

use super::binding_outcome::{BindingError, BindingOutcome};
use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use serde::Serialize;
use tgp_base::error::Error;

/// The number of a run, and its value as JSON text or its error: arguments cost JavaScript less than an object.
pub type RunEnd = FnArgs<(u32, Option<String>, Option<BindingError>)>;
/// Weak: JavaScript keeps its process alive for as long as it waits for a run.
type Callback = ThreadsafeFunction<RunEnd, (), RunEnd, napi::Status, false, true>;

pub struct RunEnds(Callback);

impl RunEnds {
    pub fn new(callback: &Function<'_, RunEnd, ()>) -> napi::Result<Self> {
        callback.build_threadsafe_function().callee_handled::<false>().weak::<true>().build().map(Self)
    }

    /// Reports the end of a run, from any thread.
    pub fn tell<T: Serialize>(&self, run_id: u32, result: Result<T, Error>) {
        let outcome = BindingOutcome::from_result(result);
        let arguments = (run_id, outcome.value, outcome.error).into();
        // Fails only while JavaScript shuts down, when nothing waits for the run.
        let _unheard = self.0.call(arguments, ThreadsafeFunctionCallMode::NonBlocking);
    }
}
