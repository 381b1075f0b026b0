//! The context of a call: its name, its caller, and the files that its caller may see. Also the context of the current thread, as a
//! thread-local.

use super::call::Call;
use crate::kernel::visibility::{SharedVisibility, with_visibility};
use std::borrow::Cow;
use std::cell::RefCell;
use tgp_ledger::{Actor, BodyValue, EventType, NewEvent};
use tgp_state::Mode;

#[derive(Debug, Clone)]
pub struct CallContext {
    /// The name of the call in the ledger.
    pub call: String,
    /// The name of the run that makes the call.
    pub parent: Option<String>,
    pub tool: Cow<'static, str>,
    pub path: Option<String>,
    pub session: Option<String>,
    /// What kind of caller it is.
    pub agent: String,
    /// Its name among callers of its kind.
    pub id: String,
    /// The mode that it set, if any.
    pub mode: Option<Mode>,
    /// The owner of its data.
    pub owner: String,
    /// The files that its caller may see.
    pub visibility: SharedVisibility,
}

impl CallContext {
    /// `name` gives the name of a call by its number.
    pub(super) fn new(call: &Call<'_>, name: impl Fn(u64) -> String) -> Self {
        let Actor { agent, id } = call.actor();
        Self {
            call: name(call.number),
            parent: call.parent.map(&name),
            tool: call.tool.clone(),
            path: call.path.as_deref().map(str::to_owned),
            session: call.caller.session.clone(),
            agent: agent.to_owned(),
            id: id.to_owned(),
            mode: call.caller.mode,
            owner: call.caller.owner(),
            visibility: SharedVisibility::default(),
        }
    }

    /// An event about the call.
    pub(super) fn event<'e>(&'e self, kind: EventType, body: &'e [(&'e str, BodyValue<'e>)]) -> NewEvent<'e> {
        NewEvent {
            session: self.session.as_deref(),
            actor: Actor { agent: &self.agent, id: &self.id },
            call: Some(&self.call),
            parent: self.parent.as_deref(),
            tool: Some(&self.tool),
            path: self.path.as_deref(),
            body,
            ..NewEvent::of_kernel(kind)
        }
    }
}

thread_local! {
    static PRESENT: RefCell<Option<CallContext>> = const { RefCell::new(None) };
}

/// Runs `job` on behalf of a call.
pub fn on_behalf<T>(call: CallContext, job: impl FnOnce() -> T) -> T {
    /// Restores the previous call, also when the job panics.
    struct Before(Option<CallContext>);
    impl Drop for Before {
        fn drop(&mut self) {
            PRESENT.replace(self.0.take());
        }
    }
    let visibility = call.visibility.clone();
    let _before = Before(PRESENT.replace(Some(call)));
    with_visibility(visibility, job)
}

/// The call that this thread works for, if any.
pub fn present() -> Option<CallContext> {
    PRESENT.with_borrow(Clone::clone)
}
