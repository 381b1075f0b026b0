//! A run that was admitted by the door.

use super::exec_options::{ExecRequest, Runnable};
use super::exec_value::{ExecDone, when_executed};
use crate::kernel::door::{AdmittedCall, Call, Caller, Changes, Door, Effect, Reach, Trace};
use crate::kernel::modules::ModuleGraph;
use crate::kernel::visibility::SharedVisibility;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::Error;
use tgp_base::ids::RunId;

/// An admitted run; no other run can be started. Its end is recorded before it is reported.
pub struct EnteredRun {
    pub(super) request: ExecRequest,
    pub(super) done: ExecDone,
    /// Its module graph, if it was built already.
    pub(super) graph: Option<ModuleGraph>,
}

impl EnteredRun {
    /// Ends it before it starts.
    pub fn refuse(self, error: Error) {
        self.done.complete(Err(error));
    }
}

/// Who requests a run.
pub struct RunCaller<'a> {
    pub caller: &'a Caller,
    pub parent: Option<RunId>,
    /// The tool that requests it, if it comes from a run.
    pub tool: Option<&'a str>,
    pub trace: Option<Arc<Trace>>,
    /// Its time limit.
    pub wall: Option<Duration>,
    /// The id of the approval that was granted for this run.
    pub approval: Option<&'a str>,
}

/// The texts of a run, computed on demand.
pub struct RunTexts<'a> {
    pub hash: &'a dyn Fn() -> String,
    pub imports: &'a dyn Fn() -> Vec<Reach>,
    /// Whether its tests allow it to run.
    pub state: &'a dyn Fn() -> Result<(), Error>,
}

/// The result of admitting a run.
pub struct Entered {
    pub done: ExecDone,
    /// The hash of the approved text.
    pub approved: Option<Arc<str>>,
    /// The files that the caller may see.
    pub visibility: SharedVisibility,
    /// Its time limit by the token's budget.
    pub budget: Option<Duration>,
}

/// Admits a run through the door, which also records its end.
pub fn enter(
    door: &Arc<Door>,
    run: RunId,
    what: &Runnable,
    args_json: &str,
    by: RunCaller<'_>,
    texts: RunTexts<'_>,
    done: ExecDone,
) -> Result<Entered, (Error, ExecDone)> {
    let RunCaller { caller, parent, tool: calling_tool, trace, wall, approval } = by;
    let (tool, effect, args) = match what {
        Runnable::Tool(_) => ("exec_tool", Effect::Run, Cow::Borrowed(args_json)),
        Runnable::Code(code) => ("run_code", Effect::Run, Cow::Owned(code_args(code, args_json))),
        // Tests have no side effects, but run the tool's code.
        Runnable::Test(path) => ("test_tool", Effect::Run, Cow::Owned(serde_json::json!({ "path": path }).to_string())),
    };
    let entered = door.enter(Call {
        number: run.0,
        parent: parent.map(|run| run.0),
        tool: Cow::Borrowed(tool),
        effect,
        // Each side effect of a run is a call of its own.
        changes: Changes::Nothing,
        path: Some(Cow::Borrowed(what.path())),
        args,
        caller,
        calling_tool,
        trace: trace.filter(|_| parent.is_some()),
        wall,
        approval,
        text: Some(texts.hash),
        also: Some(texts.imports),
        state: Some(texts.state),
    });
    match entered {
        Ok(admitted) => {
            let (approved, visibility, budget) = (admitted.approved_text(), admitted.visibility(), admitted.budget());
            let done = when_executed(move |result| {
                leave(admitted, &result);
                done.complete(result);
            });
            Ok(Entered { done, approved, visibility, budget })
        }
        Err(error) => Err((error, done)),
    }
}

fn leave(admitted: AdmittedCall, result: &Result<super::ExecValue, Error>) {
    admitted.leave(result.as_ref().map(super::ExecValue::result));
}

fn code_args(code: &str, args_json: &str) -> String {
    let code = serde_json::to_string(code).unwrap_or_default();
    format!("{{\"args\":{args_json},\"code\":{code}}}")
}
