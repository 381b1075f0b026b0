//! Memory that runs leave behind in an isolate: registered symbols, registries, caches. They outlive the run's realm and count
//! against the memory of the next run, so an isolate with too much of it is not used again.
//!
//! Measuring it ("weighing") needs a full collection, which costs as much as several short runs. An isolate is weighed only
//! after enough growth; garbage of most runs is freed by V8's own collections before that.

/// Growth after which an isolate is weighed, and weight that it may have, as fractions (1/n) of the memory of a run.
const SUSPICIOUS: u64 = 8;
const TOLERATED: u64 = 16;

#[derive(Debug)]
pub struct Weight {
    limit: u64,
    /// The heap before the first realm.
    base: u64,
    /// The heap when the current run began.
    before: u64,
    /// Upper bound of what the runs since the last weighing have left.
    unweighed: u64,
    /// Number of V8's full collections at the end of the last run.
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

    /// Records the end of a run; true if the isolate should be weighed. `spares` are the heap bytes of prepared realms,
    /// `collections` the number of full collections so far.
    pub fn end_run(&mut self, heap: u64, spares: u64, collections: u32) -> bool {
        let at_most = self.above_base(heap, spares);
        let grown = self.unweighed.saturating_add(heap.saturating_sub(self.before));
        // After a collection the growth of the run is unknown.
        let collected = std::mem::replace(&mut self.collections, collections) != collections;
        self.unweighed = if collected { at_most } else { grown.min(at_most) };
        self.unweighed > self.limit / SUSPICIOUS
    }

    /// Records the heap after a full collection between runs.
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
    fn growth_in_one_run_triggers_weighing_and_live_data_counts() {
        let mut weight = weight();
        weight.begin_run(3 * MB);
        assert!(weight.end_run(45 * MB, 2 * MB, 0));
        assert_eq!(weight.weigh(4 * MB, 2 * MB, 1), Burden::Light, "it was garbage");
        weight.begin_run(4 * MB);
        assert!(weight.end_run(45 * MB, 2 * MB, 1));
        assert_eq!(weight.weigh(45 * MB, 2 * MB, 2), Burden::Heavy);
    }

    #[test]
    fn growth_of_many_small_runs_adds_up() {
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
    fn garbage_does_not_count_after_a_collection() {
        let mut weight = weight();
        for round in 0..1000 {
            weight.begin_run(3 * MB + round % 100 * MB / 16);
            assert!(!weight.end_run(3 * MB + (round % 100 + 1) * MB / 16, 2 * MB, u32::try_from(round / 100).unwrap()));
        }
    }
}
