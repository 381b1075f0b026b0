//! A request to the kernel, from its caller to its record.

use super::caller::Caller;
use crate::effect::Effect;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

/// Whether a call may have side effects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    Nothing,
    /// Recorded before it happens; refused if it cannot be recorded.
    Something,
}

/// One request to the kernel.
#[derive(Debug, Clone)]
pub struct Call<'c> {
    /// Unique in this process; the number of the run for runs.
    pub number: u64,
    /// The run that makes the call.
    pub parent: Option<u64>,
    pub caller: &'c Arc<Caller>,
    /// The tool that makes the call, if it comes from a run.
    pub calling_tool: Option<&'c Arc<str>>,
    pub tool: Cow<'static, str>,
    pub effect: Effect,
    pub changes: Changes,
    /// The file that it is about.
    pub path: Option<Cow<'c, str>>,
    /// As JSON text.
    pub args: Cow<'c, str>,
    /// Its time limit, if any.
    pub wall: Option<Duration>,
    /// The id of the approval that was granted for it.
    pub approval: Option<&'c str>,
}

impl<'c> Call<'c> {
    /// A call that changes nothing, without a number, a parent or an approval.
    pub fn of(
        caller: &'c Arc<Caller>,
        tool: impl Into<Cow<'static, str>>,
        effect: Effect,
        args: impl Into<Cow<'c, str>>,
    ) -> Self {
        Self {
            number: 0,
            parent: None,
            caller,
            calling_tool: None,
            tool: tool.into(),
            effect,
            changes: Changes::Nothing,
            path: None,
            args: args.into(),
            wall: None,
            approval: None,
        }
    }
}
