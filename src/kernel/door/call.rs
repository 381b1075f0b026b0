//! What is asked.

use super::asker::Asker;
use super::trace::Trace;
use crate::ledger::Actor;
use std::borrow::Cow;
use std::sync::Arc;

/// What a call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    Read,
    Write,
    Run,
    Sql,
    Net,
    /// A function of the application.
    App,
}

impl Effect {
    /// The effect with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        [Self::Read, Self::Write, Self::Run, Self::Sql, Self::Net, Self::App]
            .into_iter()
            .find(|own| own.as_str() == name)
    }

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Run => "run",
            Self::Sql => "sql",
            Self::Net => "net",
            Self::App => "app",
        }
    }
}

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
}

impl<'c> Call<'c> {
    /// Who asks, as the ledger names them.
    pub(super) fn actor(&self) -> Actor<'c> {
        let (agent, id) = match (self.asking_tool, &self.asker.agent) {
            (Some(tool), _) => ("tool", Some(tool)),
            (None, Some(agent)) => (agent.as_str(), self.asker.id.as_deref()),
            (None, None) => ("application", self.asker.id.as_deref()),
        };
        Actor { agent, id: id.unwrap_or_default() }
    }
}
