//! What a run and all that it starts may use together: however a tool spreads its work over others, it has one budget.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeLimits {
    /// Runs below the root that may wait or go on at one time.
    pub runs: u32,
    /// Arguments of questions to the host that may wait for an answer at one time, by their weight. The arguments of a nested
    /// run are those of the question that started it.
    pub bytes: usize,
    /// CPU time of all runs below the root. What goes on at the same time may pass it by what one run may use.
    pub cpu: Duration,
    /// Questions to the host in all.
    pub calls: u32,
    /// Answers to them in all, as text.
    pub answer_bytes: u64,
}

/// Looks of engines at the sources that any root has: an error tells its lines when the guest has used up all else.
const FEWEST_LOOKS: u32 = 100;

/// The account of one root.
#[derive(Debug)]
pub struct RunTree {
    limits: TreeLimits,
    runs: AtomicU32,
    bytes: AtomicUsize,
    cpu_micros: AtomicU64,
    calls: AtomicU32,
    looks: AtomicU32,
    answer_bytes: AtomicU64,
    parse_steps: AtomicU64,
}

impl RunTree {
    #[must_use]
    pub fn new(limits: TreeLimits) -> Arc<Self> {
        let (runs, bytes, cpu_micros, calls, looks, answer_bytes, parse_steps) = Default::default();
        Arc::new(Self { limits, runs, bytes, cpu_micros, calls, looks, answer_bytes, parse_steps })
    }

    #[must_use]
    pub fn limits(&self) -> TreeLimits {
        self.limits
    }

    /// Counts one more run below the root for as long as the guard lives; none when there are enough.
    #[must_use]
    pub fn enter(self: &Arc<Self>) -> Option<NestedRun> {
        let more = |runs: u32| runs.checked_add(1).filter(|runs| *runs <= self.limits.runs);
        self.runs.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(NestedRun(Arc::clone(self)))
    }

    /// Counts bytes that the host holds for as long as the guard lives; none when they are too many. What is alone may be as
    /// large as it is.
    pub(super) fn reserve_bytes(self: &Arc<Self>, bytes: usize) -> Option<ReservedBytes> {
        let more = |held: usize| held.checked_add(bytes).filter(|sum| held == 0 || *sum <= self.limits.bytes);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(ReservedBytes { tree: Arc::clone(self), bytes })
    }

    /// Counts a question to the host; false when there were enough.
    pub(super) fn count_call(&self) -> bool {
        count(&self.calls, self.limits.calls)
    }

    /// Counts a question that an engine has for itself; false when there were enough. Guests can cause any number of them.
    pub(super) fn count_look(&self) -> bool {
        count(&self.looks, self.limits.calls.max(FEWEST_LOOKS))
    }

    /// Counts the text of an answer; false when it does not fit any more.
    pub(super) fn count_answer(&self, bytes: usize) -> bool {
        let more = |sum: u64| sum.checked_add(bytes as u64).filter(|sum| *sum <= self.limits.answer_bytes);
        self.answer_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Steps that the host has taken to read statements of these runs.
    #[must_use]
    pub fn parse_steps(&self) -> u64 {
        self.parse_steps.load(Ordering::Relaxed)
    }

    /// Counts steps that the host has taken to read a statement.
    pub fn count_parse_steps(&self, steps: u64) {
        self.parse_steps.fetch_add(steps, Ordering::Relaxed);
    }

    /// CPU time that the runs below the root have left.
    #[must_use]
    pub fn cpu_left(&self) -> Duration {
        self.limits.cpu.saturating_sub(Duration::from_micros(self.cpu_micros.load(Ordering::Relaxed)))
    }

    /// Takes note of what a run below the root has used.
    pub(super) fn charge_cpu(&self, cpu: Duration) {
        let micros = u64::try_from(cpu.as_micros()).unwrap_or(u64::MAX);
        let spent = |before: u64| Some(before.saturating_add(micros));
        // It always gives a value.
        let _before = self.cpu_micros.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spent);
    }
}

fn count(counter: &AtomicU32, most: u32) -> bool {
    let more = |counted: u32| counted.checked_add(1).filter(|sum| *sum <= most);
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
}

/// A run below the root.
#[derive(Debug)]
pub struct NestedRun(Arc<RunTree>);

impl Drop for NestedRun {
    fn drop(&mut self) {
        self.0.runs.fetch_sub(1, Ordering::Relaxed);
    }
}

#[derive(Debug)]
pub struct ReservedBytes {
    tree: Arc<RunTree>,
    bytes: usize,
}

impl ReservedBytes {
    /// The account that the bytes are held on.
    pub(super) fn tree(&self) -> &RunTree {
        &self.tree
    }
}

impl Drop for ReservedBytes {
    fn drop(&mut self) {
        self.tree.bytes.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::{RunTree, TreeLimits};
    use std::time::Duration;

    #[test]
    fn what_is_over_makes_room_and_time_does_not_come_back() {
        let limits = TreeLimits { runs: 2, bytes: 100, cpu: Duration::from_millis(10), calls: 2, answer_bytes: 100 };
        let tree = RunTree::new(limits);
        let (one, two) = (tree.enter().unwrap(), tree.enter().unwrap());
        assert!(tree.enter().is_none());
        drop(one);
        assert!(tree.enter().is_some());
        drop(two);
        let held = tree.reserve_bytes(60).unwrap();
        assert!(
            tree.reserve_bytes(41).is_none()
                && tree.reserve_bytes(40).is_some()
                && tree.reserve_bytes(usize::MAX).is_none()
        );
        drop(held);
        let alone = tree.reserve_bytes(1000).unwrap();
        assert!(tree.reserve_bytes(1).is_none());
        drop(alone);
        assert!(tree.count_call() && tree.count_call() && !tree.count_call());
        assert_eq!((0..200).filter(|_| tree.count_look()).count(), 100, "looks are counted by themselves");
        assert!(tree.count_answer(60) && !tree.count_answer(41) && tree.count_answer(40) && !tree.count_answer(1));
        tree.charge_cpu(Duration::from_millis(7));
        assert_eq!(tree.cpu_left(), Duration::from_millis(3));
        tree.charge_cpu(Duration::MAX);
        tree.charge_cpu(Duration::MAX);
        assert_eq!(tree.cpu_left(), Duration::ZERO);
    }
}
