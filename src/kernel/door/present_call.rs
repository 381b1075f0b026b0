//! The call that this thread is busy with, for what happens on its behalf without being told.

use crate::kernel::sight::{SharedSight, seeing};
use std::cell::RefCell;
use tgp_state::Mode;

/// A call as events name it.
#[derive(Debug, Clone)]
pub struct PresentCall {
    pub call: String,
    pub session: Option<String>,
    pub agent: String,
    pub id: String,
    /// The mode that it was made in, where it said one.
    pub mode: Option<Mode>,
    /// Whose data it holds.
    pub owner: String,
    /// What its caller may see.
    pub sight: SharedSight,
}

thread_local! {
    static PRESENT: RefCell<Option<PresentCall>> = const { RefCell::new(None) };
}

/// Does `job` on behalf of a call.
pub fn on_behalf<T>(call: PresentCall, job: impl FnOnce() -> T) -> T {
    /// Puts back what was before, also when the job panics.
    struct Before(Option<PresentCall>);
    impl Drop for Before {
        fn drop(&mut self) {
            PRESENT.replace(self.0.take());
        }
    }
    let sight = call.sight.clone();
    let _before = Before(PRESENT.replace(Some(call)));
    seeing(sight, job)
}

/// The call, if there is one.
pub fn present() -> Option<PresentCall> {
    PRESENT.with_borrow(Clone::clone)
}
