//! The application's functions: called through one callback, answered through [`HostTable::answer`].
//!
//! JavaScript receives a numbered request and answers it later by that number. No promise crosses.

use super::binding_outcome::{BindingError, MAX_BYTES, too_long};
use crate::kernel::{Answer, CallingRun, Dialect, HostFunctions, RunEnding, WorkPool};
use napi::bindgen_prelude::{FnArgs, Function};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use parking_lot::Mutex;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::threads;

/// A request to JavaScript, as arguments, which cost less than an object: its id; the outermost run; the nearest enclosing
/// run that JavaScript started, that run or one nested in it; the run that waits for the answer, one of these or nested in
/// them; the nested runs from below the outermost one down to the waiting one, if any; `call`, or `commit` and `rollback`,
/// which end the transaction of the waiting run; the function; its arguments as a JSON array.
pub type HostCall = FnArgs<(u32, u32, u32, f64, Option<Vec<f64>>, &'static str, String, String)>;

/// Longest answer that is processed on JavaScript's thread: answers are searched for secrets and hashed for the ledger.
pub(super) const SHORT_ANSWER: usize = 64 << 10;

/// Weak: does not keep the process alive.
type Callback = ThreadsafeFunction<HostCall, (), HostCall, napi::Status, false, true>;

/// The application's functions and their pending requests.
pub struct HostTable {
    names: Arc<Vec<String>>,
    /// The functions that a dry run may call.
    dry: HashSet<String>,
    sql_dialect: Dialect,
    callback: Callback,
    open: Mutex<Open>,
    /// Processes long answers.
    background: WorkPool<()>,
}

#[derive(Default)]
struct Open {
    last: u32,
    answers: HashMap<u32, Answer>,
}

impl HostTable {
    pub fn new(
        names: Vec<String>,
        dry: Vec<String>,
        sql_dialect: Dialect,
        callback: &Function<'_, HostCall, ()>,
    ) -> napi::Result<Self> {
        let callback = callback.build_threadsafe_function().callee_handled::<false>().weak::<true>().build()?;
        let dry = dry.into_iter().collect();
        let background = WorkPool::new("tgp-answers", 2);
        Ok(Self { names: Arc::new(names), dry, sql_dialect, callback, open: Mutex::default(), background })
    }

    /// Takes JavaScript's answer. An answer without a pending request is dropped.
    pub fn answer(&self, id: u32, value: Option<String>, error: Option<BindingError>) {
        let Some(answer) = self.open.lock().answers.remove(&id) else { return };
        let is_long = value.as_ref().is_some_and(|value| value.len() > SHORT_ANSWER);
        let take = move || {
            answer(match error {
                None => Ok(value.unwrap_or_else(|| "null".to_owned())),
                Some(error) => Err(thrown(error)),
            });
        };
        if is_long {
            self.background.spawn_or_run((), take);
        } else {
            // A panic drops the answer, which fails the waiting call; it must not unwind into JavaScript's thread.
            let _panicked = threads::contain(take);
        }
    }

    fn ask(&self, on_behalf: CallingRun, kind: &'static str, name: &str, args: String, answer: Answer) {
        if args.len() > MAX_BYTES {
            return answer(Err(too_long()));
        }
        let id = {
            let mut open = self.open.lock();
            open.last = open.last.wrapping_add(1);
            let id = open.last;
            open.answers.insert(id, answer);
            id
        };
        let [run_id, context_id] =
            [on_behalf.root, on_behalf.context].map(|run| u32::try_from(run.0).unwrap_or(u32::MAX));
        // Run numbers are small enough for a double to hold exactly.
        let caller_id = on_behalf.caller.0 as f64;
        let nesting: Vec<f64> = on_behalf.nesting.iter().map(|run| run.0 as f64).collect();
        let nesting = (!nesting.is_empty()).then_some(nesting);
        let question = (id, run_id, context_id, caller_id, nesting, kind, name.to_owned(), args).into();
        if self.callback.call(question, ThreadsafeFunctionCallMode::NonBlocking) != napi::Status::Ok
            && let Some(answer) = self.open.lock().answers.remove(&id)
        {
            answer(Err(Error::new(
                ErrorCode::Shutdown,
                "The application is shutting down, so its functions cannot be called.",
            )));
        }
    }
}

pub(super) fn thrown(error: BindingError) -> Error {
    let code = ErrorCode::parse(&error.code).unwrap_or(ErrorCode::ToolThrown);
    match serde_json::from_str(&error.details) {
        Ok(details) => Error { code, message: error.message, details },
        Err(unreadable) => {
            let message = format!("{} Its details are not valid JSON: {unreadable}.", error.message);
            Error::new(ErrorCode::Internal, message)
        }
    }
}

impl HostFunctions for HostTable {
    fn names(&self) -> Arc<Vec<String>> {
        Arc::clone(&self.names)
    }

    fn runs_dry(&self, name: &str) -> bool {
        self.dry.contains(name)
    }

    fn sql_dialect(&self) -> Dialect {
        self.sql_dialect
    }

    fn call(&self, on_behalf: CallingRun, name: &str, args_json: String, answer: Answer) {
        self.ask(on_behalf, "call", name, args_json, answer);
    }

    fn finish(&self, on_behalf: CallingRun, ending: RunEnding, done: Answer) {
        let kind = match ending {
            RunEnding::Commit => "commit",
            RunEnding::Rollback => "rollback",
        };
        self.ask(on_behalf, kind, "", "[]".to_owned(), done);
    }
}
