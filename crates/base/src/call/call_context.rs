//! The context of a call: its name, its caller, and the files that its caller may see.

use super::call::Call;
use super::caller::Caller;
use super::visibility::SharedVisibility;
use std::borrow::Cow;
use std::sync::Arc;

/// A call as its records and the work on its behalf need it.
#[derive(Debug, Clone)]
pub struct CallContext {
    /// The name of the call in the ledger.
    pub name: String,
    /// The name of the run that makes the call.
    pub parent: Option<String>,
    pub caller: Arc<Caller>,
    /// The tool that makes the call, if it comes from a run.
    pub calling_tool: Option<Arc<str>>,
    pub tool: Cow<'static, str>,
    pub path: Option<String>,
    /// The files that its caller may see.
    pub visibility: SharedVisibility,
}

impl CallContext {
    /// `name` gives the name of a call by its number. All files are visible.
    pub fn new(call: &Call<'_>, name: impl Fn(u64) -> String) -> Self {
        Self {
            name: name(call.number),
            parent: call.parent.map(&name),
            caller: Arc::clone(call.caller),
            calling_tool: call.calling_tool.cloned(),
            tool: call.tool.clone(),
            path: call.path.as_deref().map(str::to_owned),
            visibility: SharedVisibility::default(),
        }
    }

    /// What kind of caller makes it, as events name it: `tool` for a call of a run.
    #[must_use]
    pub fn agent(&self) -> &str {
        if self.calling_tool.is_some() { "tool" } else { self.caller.kind() }
    }

    /// The name of the caller among callers of its kind; empty if it has none.
    #[must_use]
    pub fn id(&self) -> &str {
        self.calling_tool.as_deref().or(self.caller.id.as_deref()).unwrap_or_default()
    }
}
