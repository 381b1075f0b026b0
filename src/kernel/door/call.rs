//! A request as policy and ledger see it.

use super::caller::Caller;
use super::reach::Reach;
use super::trace::Trace;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::Error;
use tgp_ledger::Actor;
use tgp_policy::Effect;

/// Whether a call may have side effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    Nothing,
    /// Recorded before it happens; refused if it cannot be recorded.
    Something,
}

/// One request to the kernel.
pub struct Call<'c> {
    /// Unique in this process; the number of the run for runs.
    pub number: u64,
    /// The run that makes the call.
    pub parent: Option<u64>,
    pub tool: Cow<'static, str>,
    pub effect: Effect,
    pub changes: Changes,
    /// The file that it is about.
    pub path: Option<Cow<'c, str>>,
    /// As JSON text.
    pub args: Cow<'c, str>,
    pub caller: &'c Caller,
    /// The tool that makes the call, if it comes from a run.
    pub calling_tool: Option<&'c str>,
    /// The timing of the call, if it is traced.
    pub trace: Option<Arc<Trace>>,
    /// Its time limit, if any.
    pub wall: Option<Duration>,
    /// The id of the approval that was granted for it.
    pub approval: Option<&'c str>,
    /// A hash of the text that it runs or changes, to which an approval is bound.
    pub text: Option<&'c dyn Fn() -> String>,
    /// The files that it reaches without naming them. Computed only if there are rules.
    pub also: Option<&'c dyn Fn() -> Vec<Reach>>,
    /// Whether the tests of a tool allow it. Checked before an approval is requested; without an approval, tests are
    /// checked where the change is made.
    pub state: Option<&'c dyn Fn() -> Result<(), Error>>,
}

impl<'c> Call<'c> {
    /// A call that changes nothing, without a number, a parent or an approval.
    pub fn of(
        caller: &'c Caller,
        tool: impl Into<Cow<'static, str>>,
        effect: Effect,
        args: impl Into<Cow<'c, str>>,
    ) -> Self {
        Self {
            number: 0,
            parent: None,
            tool: tool.into(),
            effect,
            changes: Changes::Nothing,
            path: None,
            args: args.into(),
            caller,
            calling_tool: None,
            trace: None,
            wall: None,
            approval: None,
            text: None,
            also: None,
            state: None,
        }
    }

    /// The caller's name in the ledger.
    pub(super) fn actor(&self) -> Actor<'c> {
        let (agent, id) = match self.calling_tool {
            Some(tool) => ("tool", Some(tool)),
            None => (self.caller.kind(), self.caller.id.as_deref()),
        };
        Actor { agent, id: id.unwrap_or_default() }
    }
}
