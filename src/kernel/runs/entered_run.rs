//! A run that has passed the door.

use super::exec_options::{ExecRequest, Runnable};
use super::exec_value::{ExecDone, when_executed};
use crate::kernel::door::{Asker, Call, Changes, Door, Effect, Passage, Reach, Trace};
use crate::kernel::modules::ModuleGraph;
use crate::kernel::sight::SharedSight;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::Error;
use tgp_base::ids::RunId;

/// A run that was let in: nothing else is started. Its end is written down before anybody hears of it.
pub struct EnteredRun {
    pub(super) request: ExecRequest,
    pub(super) done: ExecDone,
    /// What it is made of, where somebody wanted to know.
    pub(super) graph: Option<ModuleGraph>,
}

impl EnteredRun {
    /// Ends it before it has begun.
    pub fn refuse(self, error: Error) {
        self.done.complete(Err(error));
    }
}

/// On whose behalf a run is asked for.
pub struct RunAsker<'a> {
    pub asker: &'a Asker,
    pub parent: Option<RunId>,
    /// The tool that asks, where no one from outside does.
    pub tool: Option<&'a str>,
    pub trace: Option<Arc<Trace>>,
    /// How long it may last.
    pub wall: Option<Duration>,
    /// The name of an approval that was given for this run.
    pub approval: Option<&'a str>,
}

/// What a run is made of, looked up where somebody wants to know.
pub struct RunTexts<'a> {
    pub hash: &'a dyn Fn() -> String,
    pub imports: &'a dyn Fn() -> Vec<Reach>,
    /// Whether its tests let it run.
    pub state: &'a dyn Fn() -> Result<(), Error>,
}

/// What a run goes on with once it was let in.
pub struct Entered {
    pub done: ExecDone,
    /// The hash of the text that somebody has approved.
    pub approved: Option<Arc<str>>,
    /// What the caller may see.
    pub sight: SharedSight,
    /// How long it may last by the budget of its token.
    pub budget: Option<Duration>,
}

/// Asks the door; the end of the run goes by it as well.
pub fn enter(
    door: &Arc<Door>,
    run: RunId,
    what: &Runnable,
    args_json: &str,
    by: RunAsker<'_>,
    texts: RunTexts<'_>,
    done: ExecDone,
) -> Result<Entered, (Error, ExecDone)> {
    let RunAsker { asker, parent, tool: asking_tool, trace, wall, approval } = by;
    let (tool, effect, args) = match what {
        Runnable::Tool(_) => ("exec_tool", Effect::Run, Cow::Borrowed(args_json)),
        Runnable::Code(code) => ("run_code", Effect::Run, Cow::Owned(code_args(code, args_json))),
        // Tests change nothing, and run the code of the tool.
        Runnable::Test(path) => ("test_tool", Effect::Run, Cow::Owned(serde_json::json!({ "path": path }).to_string())),
    };
    let entered = door.enter(Call {
        number: run.0,
        parent: parent.map(|run| run.0),
        tool: Cow::Borrowed(tool),
        effect,
        // What a run changes, it asks for: each of that is a call of its own.
        changes: Changes::Nothing,
        path: Some(Cow::Borrowed(what.path())),
        args,
        asker,
        asking_tool,
        trace: trace.filter(|_| parent.is_some()),
        wall,
        approval,
        text: Some(texts.hash),
        also: Some(texts.imports),
        state: Some(texts.state),
    });
    match entered {
        Ok(passage) => {
            let (approved, sight, budget) = (passage.approved_text(), passage.sight(), passage.budget());
            let done = when_executed(move |result| {
                leave(passage, &result);
                done.complete(result);
            });
            Ok(Entered { done, approved, sight, budget })
        }
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
