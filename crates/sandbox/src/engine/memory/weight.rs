//! What runs leave behind in an isolate: registered symbols, registries that nobody cleans up, caches. A realm goes with its
//! run, and these do not. They are held against the next run's memory, so an isolate that carries too much is not used again.
//!
//! To weigh an isolate takes a collection, which costs as much as several short runs. It is weighed when runs have made it
//! grow by enough to matter; what most runs leave is gone by V8's own collections before that.

/// Growth that makes an isolate suspicious, and weight that it may carry, as parts of the memory of a run.
const SUSPICIOUS: u64 = 8;
const TOLERATED: u64 = 16;

#[derive(Debug)]
pub struct Weight {
    limit: u64,
    /// The heap before the first realm.
    base: u64,
    /// The heap when the run under way began.
    before: u64,
    /// The most that the runs since the last weighing can have left.
    unweighed: u64,
    /// V8's own full collections up to the end of the last run.
    collections: u32,
}

/// Whether an isolate may be used again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Burden {
    Light,
    Heavy,
}

impl Weight {
    pub fn new(limit: u64, base: u64) -> Self {
        Self { limit, base, before: base, unweighed: 0, collections: 0 }
    }

    pub fn begin_run(&mut self, heap: u64) {
        self.before = heap;
    }

    /// Takes note of a run's end; true when the isolate should be weighed. `spares` is what the prepared realms take of the
    /// heap, `collections` how many full collections there have been.
    pub fn end_run(&mut self, heap: u64, spares: u64, collections: u32) -> bool {
        let at_most = self.above_base(heap, spares);
        let grown = self.unweighed.saturating_add(heap.saturating_sub(self.before));
        // A collection hides how much the run has added.
        let collected = std::mem::replace(&mut self.collections, collections) != collections;
        self.unweighed = if collected { at_most } else { grown.min(at_most) };
        self.unweighed > self.limit / SUSPICIOUS
    }

    /// Takes note of the heap after a collection for which no run was under way.
    pub fn weigh(&mut self, heap: u64, spares: u64, collections: u32) -> Burden {
        self.unweighed = 0;
        self.collections = collections;
        if self.above_base(heap, spares) > self.limit / TOLERATED { Burden::Heavy } else { Burden::Light }
    }

    fn above_base(&self, heap: u64, spares: u64) -> u64 {
        heap.saturating_sub(self.base).saturating_sub(spares)
    }
}

#[cfg(test)]
mod tests {
    use super::{Burden, Weight};

    const MB: u64 = 1 << 20;

    fn weight() -> Weight {
        Weight::new(64 * MB, MB)
    }

    #[test]
    fn one_run_that_makes_the_heap_grow_is_suspicious_and_what_is_left_counts() {
        let mut weight = weight();
        weight.begin_run(3 * MB);
        assert!(weight.end_run(45 * MB, 2 * MB, 0));
        assert_eq!(weight.weigh(4 * MB, 2 * MB, 1), Burden::Light, "it was garbage");
        weight.begin_run(4 * MB);
        assert!(weight.end_run(45 * MB, 2 * MB, 1));
        assert_eq!(weight.weigh(45 * MB, 2 * MB, 2), Burden::Heavy);
    }

    #[test]
    fn many_small_runs_add_up_until_v8_has_collected_by_itself() {
        let mut weight = weight();
        let mut heap = 3 * MB;
        let mut run = |weight: &mut Weight, collections: u32| {
            weight.begin_run(heap);
            heap += MB / 2;
            weight.end_run(heap, 2 * MB, collections)
        };
        assert!((0..16).all(|_| !run(&mut weight, 0)));
        assert!(run(&mut weight, 0));
        assert!(run(&mut weight, 1), "what is there after a collection was not garbage");
    }

    #[test]
    fn a_collection_shows_what_was_only_garbage() {
        let mut weight = weight();
        for round in 0..1000 {
            weight.begin_run(3 * MB + round % 100 * MB / 16);
            assert!(!weight.end_run(3 * MB + (round % 100 + 1) * MB / 16, 2 * MB, u32::try_from(round / 100).unwrap()));
        }
    }
}
