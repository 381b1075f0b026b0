//! Whether a run has begun to change something outside of itself: one that has is not cut short by the tool that started
//! it and did not wait for it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

const NONE: u8 = 0;
const BEGUN: u8 = 1;
const GIVEN_UP: u8 = 2;

#[derive(Default)]
pub struct Effects {
    state: AtomicU8,
    /// Those of the run that started this one: what is done below it is done on its behalf.
    above: Option<Arc<Effects>>,
}

impl Effects {
    pub fn below(self: &Arc<Self>) -> Arc<Self> {
        Arc::new(Self { state: AtomicU8::new(NONE), above: Some(Arc::clone(self)) })
    }

    /// Notes that the run is about to change something; false when it may not any more.
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

    /// Lets the run change nothing; false when it has begun to.
    pub fn give_up(&self) -> bool {
        self.state.compare_exchange(NONE, GIVEN_UP, Ordering::AcqRel, Ordering::Acquire) != Err(BEGUN)
    }
}

#[cfg(test)]
mod tests {
    use super::Effects;
    use std::sync::Arc;

    #[test]
    fn what_has_begun_is_not_given_up_and_what_is_given_up_does_not_begin() {
        let root = Arc::<Effects>::default();
        let (writes, reads) = (root.below(), root.below());
        assert!(writes.below().begin());
        assert!(!writes.give_up() && !root.give_up());
        assert!(reads.give_up() && reads.give_up());
        assert!(!reads.begin() && !reads.below().begin());
    }
}
