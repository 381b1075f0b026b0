//! A run that has passed the door.

use super::exec_options::{ExecRequest, Runnable};
use super::exec_value::{ExecDone, when_executed};
use crate::error::Error;
use crate::ids::RunId;
use crate::kernel::door::{Asker, Call, Changes, Door, Effect, Passage, Trace};
use std::borrow::Cow;
use std::sync::Arc;

/// A run that was let in: nothing else is started. Its end is written down before anybody hears of it.
pub struct EnteredRun {
    pub(super) request: ExecRequest,
    pub(super) done: ExecDone,
}

impl EnteredRun {
    /// Ends it before it has begun.
    pub fn refuse(self, error: Error) {
        self.done.pay(Err(error));
    }
}

/// On whose behalf a run is asked for.
pub struct RunAsker<'a> {
    pub asker: &'a Asker,
    pub parent: Option<RunId>,
    /// The tool that asks, where no one from outside does.
    pub tool: Option<&'a str>,
    pub trace: Option<Arc<Trace>>,
}

/// Asks the door; the end of the run goes by it as well.
pub fn enter(
    door: &Arc<Door>,
    run: RunId,
    what: &Runnable,
    args_json: &str,
    by: RunAsker<'_>,
    done: ExecDone,
) -> Result<ExecDone, (Error, ExecDone)> {
    let RunAsker { asker, parent, tool: asking_tool, trace } = by;
    let (tool, args) = match what {
        Runnable::Tool(_) => ("exec_tool", Cow::Borrowed(args_json)),
        Runnable::Code(code) => ("run_code", Cow::Owned(code_args(code, args_json))),
        Runnable::Test(path) => ("test_tool", Cow::Owned(serde_json::json!({ "path": path }).to_string())),
    };
    let entered = door.enter(Call {
        number: run.0,
        parent: parent.map(|run| run.0),
        tool: Cow::Borrowed(tool),
        effect: Effect::Run,
        // What a run changes, it asks for: each of that is a call of its own.
        changes: Changes::Nothing,
        path: Some(Cow::Borrowed(what.path())),
        args,
        asker,
        asking_tool,
        trace: trace.filter(|_| parent.is_some()),
    });
    match entered {
        Ok(passage) => Ok(when_executed(move |result| {
            leave(passage, &result);
            done.pay(result);
        })),
        Err(error) => Err((error, done)),
    }
}

fn leave(passage: Passage, result: &Result<super::ExecValue, Error>) {
    passage.leave(result.as_ref().map(super::ExecValue::result));
}

fn code_args(code: &str, args_json: &str) -> String {
    let code = serde_json::to_string(code).unwrap_or_default();
    format!("{{\"args\":{args_json},\"code\":{code}}}")
}
