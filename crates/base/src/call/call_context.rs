//! The context of a call: its name, its caller, and the files that its caller may see.

use super::call::Call;
use super::caller::Caller;
use super::caller_kind::CallerKind;
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

    /// The kind of its caller; a tool for a call of a run.
    #[must_use]
    pub fn kind(&self) -> CallerKind {
        if self.calling_tool.is_some() { CallerKind::Tool } else { self.caller.kind }
    }

    /// The name of the caller among callers of its kind; empty if it has none.
    #[must_use]
    pub fn id(&self) -> &str {
        self.calling_tool.as_deref().or(self.caller.id.as_deref()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::CallContext;
    use crate::call::{Call, Caller, CallerKind};
    use crate::effect::Effect;
    use std::sync::Arc;

    #[test]
    fn a_call_of_a_run_is_made_by_its_tool() {
        let caller = Arc::new(Caller { kind: CallerKind::Agent, id: Some("ann".into()), ..Caller::default() });
        let (tool, call) = (Arc::from("tools/a.ts"), Call::of(&caller, "read_file", Effect::Read, "{}"));
        let context = |call: &Call<'_>| CallContext::new(call, |number| format!("p-{number}"));
        let direct = context(&Call { number: 1, ..call.clone() });
        assert_eq!((direct.kind(), direct.id(), &*direct.name), (CallerKind::Agent, "ann", "p-1"));
        let nested = context(&Call { number: 2, parent: Some(1), calling_tool: Some(&tool), ..call });
        assert_eq!(
            (nested.kind(), nested.id(), nested.parent.as_deref()),
            (CallerKind::Tool, "tools/a.ts", Some("p-1"))
        );
        let unnamed = Arc::<Caller>::default();
        let unnamed = context(&Call::of(&unnamed, "read_file", Effect::Read, "{}"));
        assert_eq!((unnamed.kind(), unnamed.id()), (CallerKind::Application, ""));
    }
}
