//! What is asked.

use super::asker::Asker;
use super::reach::Reach;
use super::trace::Trace;
use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::Error;
use tgp_ledger::Actor;
use tgp_policy::Effect;

/// Whether something outside of the call may be another afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Changes {
    Nothing,
    /// It is written down before it happens, or does not happen.
    Something,
}

/// One thing that somebody asks the kernel to do.
pub struct Call<'c> {
    /// Unique in this process; the number of the run for runs.
    pub number: u64,
    /// The run on whose behalf it is asked.
    pub parent: Option<u64>,
    pub tool: Cow<'static, str>,
    pub effect: Effect,
    pub changes: Changes,
    /// The file that it is about.
    pub path: Option<Cow<'c, str>>,
    /// As JSON text.
    pub args: Cow<'c, str>,
    pub asker: &'c Asker,
    /// The tool that asks, where no one from outside does.
    pub asking_tool: Option<&'c str>,
    /// Who wants to know how long it took.
    pub trace: Option<Arc<Trace>>,
    /// How long it may last, where that is limited.
    pub wall: Option<Duration>,
    /// The name of an approval that was given for it.
    pub approval: Option<&'c str>,
    /// A hash of the text that it runs or changes, for an approval to be bound to.
    pub text: Option<&'c dyn Fn() -> String>,
    /// What it reaches beside what it names. Looked up only where there are rules.
    pub also: Option<&'c dyn Fn() -> Vec<Reach>>,
    /// Whether the tests of a tool let it happen. Looked up before somebody is asked to approve it; what nobody is asked about
    /// is held to its tests where it happens.
    pub state: Option<&'c dyn Fn() -> Result<(), Error>>,
}

impl<'c> Call<'c> {
    /// A call that changes nothing, without a number, a parent or an approval.
    pub fn of(
        asker: &'c Asker,
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
            asker,
            asking_tool: None,
            trace: None,
            wall: None,
            approval: None,
            text: None,
            also: None,
            state: None,
        }
    }

    /// Who asks, as the ledger names them.
    pub(super) fn actor(&self) -> Actor<'c> {
        let (agent, id) = match self.asking_tool {
            Some(tool) => ("tool", Some(tool)),
            None => (self.asker.kind(), self.asker.id.as_deref()),
        };
        Actor { agent, id: id.unwrap_or_default() }
    }
}
