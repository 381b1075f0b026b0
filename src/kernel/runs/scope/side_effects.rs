//! Whether a run has begun to have side effects. If so, it is not cancelled when the tool that started it returns
//! without awaiting it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const NONE: u8 = 0;
const BEGUN: u8 = 1;
const GIVEN_UP: u8 = 2;

#[derive(Default)]
pub struct SideEffects {
    state: AtomicU8,
    /// The effects of the parent run, which include those of this one.
    above: Option<Arc<SideEffects>>,
}

impl SideEffects {
    pub fn below(self: &Arc<Self>) -> Arc<Self> {
        Arc::new(Self { state: AtomicU8::new(NONE), above: Some(Arc::clone(self)) })
    }

    /// Marks that the run is about to have a side effect; false when it was given up.
    pub fn begin(&self) -> bool {
        let mut effects = Some(self);
        while let Some(Self { state, above }) = effects {
            let before = state.compare_exchange(NONE, BEGUN, Ordering::AcqRel, Ordering::Acquire);
            if before == Err(GIVEN_UP) {
                return false;
            }
            effects = above.as_deref();
        }
        true
    }

    pub fn has_begun(&self) -> bool {
        self.state.load(Ordering::Acquire) == BEGUN
    }

    /// Forbids side effects from now on; false when they have begun.
    pub fn give_up(&self) -> bool {
        self.state.compare_exchange(NONE, GIVEN_UP, Ordering::AcqRel, Ordering::Acquire) != Err(BEGUN)
    }
}

#[cfg(test)]
mod tests {
    use super::SideEffects;
    use std::sync::Arc;

    #[test]
    fn effects_are_either_begun_or_given_up() {
        let root = Arc::<SideEffects>::default();
        let (writes, reads) = (root.below(), root.below());
        assert!(writes.below().begin());
        assert!(!writes.give_up() && !root.give_up());
        assert!(reads.give_up() && reads.give_up());
        assert!(!reads.begin() && !reads.below().begin());
    }
}
