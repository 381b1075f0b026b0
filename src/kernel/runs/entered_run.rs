//! A run that was admitted by the door.

use crate::kernel::door::{CallDetails, Door, Trace};
use crate::kernel::modules::ModuleGraph;
use crate::kernel::runs::outcome::exec_value::{ExecDone, ExecValue, when_executed};
use crate::kernel::runs::scope::exec_options::Runnable;
use crate::kernel::runs::scope::run_terms::RunAdmission;
use std::borrow::Cow;
use std::sync::Arc;
use tgp_base::call::{Call, Caller};
use tgp_base::effect::Effect;
use tgp_base::error::Error;
use tgp_base::ids::RunId;

/// An admitted run; no other run can be started. Its end is recorded before it is reported.
pub struct EnteredRun {
    pub run: RunId,
    pub what: Runnable,
    pub args_json: String,
    /// Its module graph, if it was built already.
    pub graph: Option<ModuleGraph>,
    pub done: ExecDone,
}

impl EnteredRun {
    /// Ends it before it starts.
    pub fn refuse(self, error: Error) {
        self.done.complete(Err(error));
    }
}

/// The call of a run.
pub fn run_call<'c>(run: RunId, what: &'c Runnable, args_json: &'c str, caller: &'c Arc<Caller>) -> Call<'c> {
    let (tool, args) = match what {
        Runnable::Tool(_) => ("exec_tool", Cow::Borrowed(args_json)),
        Runnable::Code(code) => ("run_code", Cow::Owned(code_args(code, args_json))),
        // Tests have no side effects, but run the tool's code.
        Runnable::Test(path) => ("test_tool", Cow::Owned(serde_json::json!({ "path": path }).to_string())),
    };
    // Each side effect of a run is a call of its own.
    let path = Some(Cow::Borrowed(what.path()));
    Call { number: run.0, path, ..Call::of(caller, tool, Effect::Run, args) }
}

/// Admits the call of a run through the door, which also records its end.
pub fn admit_run(
    door: &Arc<Door>,
    call: Call<'_>,
    details: CallDetails<'_>,
    trace: Option<Arc<Trace>>,
    done: ExecDone,
) -> Result<(RunAdmission, ExecDone), (Error, ExecDone)> {
    let caller = Arc::clone(call.caller);
    match door.enter(call, details) {
        Ok(admitted) => {
            let admitted = admitted.traced(trace);
            let (approved_text, visibility) = (admitted.approved_text.clone(), admitted.visibility());
            let admission = RunAdmission { caller, approved_text, visibility, budget: admitted.budget() };
            let done = when_executed(move |result| {
                admitted.leave(result.as_ref().map(ExecValue::result));
                done.complete(result);
            });
            Ok((admission, done))
        }
        Err(error) => Err((error, done)),
    }
}

fn code_args(code: &str, args_json: &str) -> String {
    let code = serde_json::to_string(code).unwrap_or_default();
    format!("{{\"args\":{args_json},\"code\":{code}}}")
}
