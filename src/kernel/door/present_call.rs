//! The call that the current thread works for, as a thread-local.

use crate::kernel::visibility::{SharedVisibility, with_visibility};
use std::cell::RefCell;
use tgp_state::Mode;

/// A call as events name it.
#[derive(Debug, Clone)]
pub struct PresentCall {
    pub call: String,
    pub session: Option<String>,
    pub agent: String,
    pub id: String,
    /// The mode that it set, if any.
    pub mode: Option<Mode>,
    /// The owner of its data.
    pub owner: String,
    /// The files that its caller may see.
    pub visibility: SharedVisibility,
}

thread_local! {
    static PRESENT: RefCell<Option<PresentCall>> = const { RefCell::new(None) };
}

/// Runs `job` on behalf of a call.
pub fn on_behalf<T>(call: PresentCall, job: impl FnOnce() -> T) -> T {
    /// Restores the previous call, also when the job panics.
    struct Before(Option<PresentCall>);
    impl Drop for Before {
        fn drop(&mut self) {
            PRESENT.replace(self.0.take());
        }
    }
    let visibility = call.visibility.clone();
    let _before = Before(PRESENT.replace(Some(call)));
    with_visibility(visibility, job)
}

/// The call of this thread, if any.
pub fn present() -> Option<PresentCall> {
    PRESENT.with_borrow(Clone::clone)
}
