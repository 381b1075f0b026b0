//! The memory budget of a run: V8 heap and array buffers together.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The memory of an isolate, checked against one limit.
#[derive(Debug)]
pub struct MemoryBudget {
    limit: u64,
    heap: AtomicU64,
    /// Heap bytes that do not belong to the run.
    spared: AtomicU64,
    buffers: AtomicU64,
    peak: AtomicU64,
    refused: AtomicBool,
}

impl MemoryBudget {
    pub fn new(limit: u64) -> Self {
        Self {
            limit,
            heap: AtomicU64::new(0),
            spared: AtomicU64::new(0),
            buffers: AtomicU64::new(0),
            peak: AtomicU64::new(0),
            refused: AtomicBool::new(false),
        }
    }

    pub fn limit(&self) -> u64 {
        self.limit
    }

    /// Counts a buffer; false if it would exceed the limit, and then it is not counted.
    pub fn take_buffer(&self, bytes: u64) -> bool {
        let room = self.limit.saturating_sub(self.heap.load(Ordering::Relaxed));
        let booked = self
            .buffers
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |held| {
                held.checked_add(bytes).filter(|sum| *sum <= room)
            })
            .is_ok();
        if booked {
            self.note_peak();
        } else {
            self.refused.store(true, Ordering::Relaxed);
        }
        booked
    }

    /// Whether that many bytes more would be within the limit.
    pub fn has_room(&self, bytes: u64) -> bool {
        let used = self.heap.load(Ordering::Relaxed).saturating_add(self.buffers.load(Ordering::Relaxed));
        used.checked_add(bytes).is_some_and(|sum| sum <= self.limit)
    }

    pub fn release_buffer(&self, bytes: u64) {
        self.buffers.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// Sets the size of the heap; true if heap and buffers together exceed the limit.
    pub fn note_heap(&self, bytes: u64) -> bool {
        self.heap.store(bytes.saturating_sub(self.spared.load(Ordering::Relaxed)), Ordering::Relaxed);
        self.note_peak() > self.limit
    }

    /// Whether a buffer was refused since the last call.
    pub fn take_refusal(&self) -> bool {
        self.refused.swap(false, Ordering::Relaxed)
    }

    /// The largest sum of heap and buffers since the last [`start`](Self::start).
    pub fn peak(&self) -> u64 {
        self.peak.load(Ordering::Relaxed)
    }

    /// Resets the budget for a new run; `spared` bytes of the heap do not belong to it.
    pub fn start(&self, heap: u64, spared: u64) {
        self.spared.store(spared, Ordering::Relaxed);
        self.refused.store(false, Ordering::Relaxed);
        self.peak.store(0, Ordering::Relaxed);
        self.note_heap(heap);
    }

    fn note_peak(&self) -> u64 {
        let sum = self.heap.load(Ordering::Relaxed).saturating_add(self.buffers.load(Ordering::Relaxed));
        self.peak.fetch_max(sum, Ordering::Relaxed);
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::MemoryBudget;

    #[test]
    fn heap_and_buffers_share_one_limit() {
        let budget = MemoryBudget::new(100);
        assert!(!budget.note_heap(60));
        assert!(budget.has_room(40) && !budget.has_room(41) && !budget.has_room(u64::MAX));
        assert!(!budget.take_refusal(), "to ask is not to be refused");
        assert!(budget.take_buffer(40));
        assert!(!budget.take_buffer(1));
        assert!(budget.take_refusal());
        assert!(!budget.take_refusal());
        assert!(budget.note_heap(61));
        budget.release_buffer(40);
        assert!(!budget.note_heap(61));
        assert_eq!(budget.peak(), 101);
    }

    #[test]
    fn heap_bytes_of_others_do_not_count() {
        let budget = MemoryBudget::new(100);
        budget.start(60, 50);
        assert_eq!(budget.peak(), 10);
        assert!(budget.take_buffer(90));
        assert!(!budget.note_heap(60));
        assert!(budget.note_heap(61));
        budget.release_buffer(90);
        budget.start(60, 0);
        assert_eq!(budget.peak(), 60);
    }

    #[test]
    fn overflowing_sizes_are_refused() {
        let budget = MemoryBudget::new(u64::MAX);
        assert!(budget.take_buffer(u64::MAX));
        assert!(!budget.take_buffer(1));
    }
}
