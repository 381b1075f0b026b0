//! The shared budget of a run and all runs nested in it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TreeLimits {
    /// Most nested runs that wait or run at one time.
    pub runs: u32,
    /// Arguments of host calls that wait for an answer at one time, by their weight. The arguments of a nested run are those of the
    /// call that started it.
    pub bytes: usize,
    /// CPU time of all nested runs. Concurrent runs may exceed it by the limit of one run.
    pub cpu: Duration,
    /// CPU time in which all nested runs load packages, in the same way.
    pub package_load: Duration,
    /// Host calls in total.
    pub calls: u32,
    /// Text of all answers in total.
    pub answer_bytes: u64,
}

/// Minimum of internal calls for source positions: errors have their lines even if the guest has used up its host calls.
const MIN_SOURCE_CALLS: u32 = 100;

/// The budget of one root.
#[derive(Debug)]
pub struct RunTree {
    limits: TreeLimits,
    runs: AtomicU32,
    bytes: AtomicUsize,
    cpu_micros: AtomicU64,
    package_load_micros: AtomicU64,
    calls: AtomicU32,
    source_calls: AtomicU32,
    answer_bytes: AtomicU64,
    parse_steps: AtomicU64,
}

impl RunTree {
    #[must_use]
    pub fn new(limits: TreeLimits) -> Arc<Self> {
        let (runs, bytes, cpu_micros, package_load_micros) = Default::default();
        let (calls, source_calls, answer_bytes, parse_steps) = Default::default();
        Arc::new(Self {
            limits,
            runs,
            bytes,
            cpu_micros,
            package_load_micros,
            calls,
            source_calls,
            answer_bytes,
            parse_steps,
        })
    }

    #[must_use]
    pub fn limits(&self) -> TreeLimits {
        self.limits
    }

    /// Counts a nested run for as long as the guard lives; `None` at the limit.
    #[must_use]
    pub fn enter(self: &Arc<Self>) -> Option<NestedRun> {
        let more = |runs: u32| runs.checked_add(1).filter(|runs| *runs <= self.limits.runs);
        self.runs.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(NestedRun(Arc::clone(self)))
    }

    /// Counts bytes held by the host for as long as the guard lives; `None` beyond the limit. A single reservation may have any
    /// size.
    pub(super) fn reserve_bytes(self: &Arc<Self>, bytes: usize) -> Option<ReservedBytes> {
        let more = |held: usize| held.checked_add(bytes).filter(|sum| held == 0 || *sum <= self.limits.bytes);
        self.bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).ok()?;
        Some(ReservedBytes { tree: Arc::clone(self), bytes })
    }

    /// Counts a host call; false at the limit.
    pub(super) fn count_call(&self) -> bool {
        count(&self.calls, self.limits.calls)
    }

    /// Counts an internal call for source positions; false at the limit. Guests can cause any number of them.
    pub(super) fn count_source_call(&self) -> bool {
        count(&self.source_calls, self.limits.calls.max(MIN_SOURCE_CALLS))
    }

    /// Counts the text of an answer; false beyond the limit.
    pub(super) fn count_answer(&self, bytes: usize) -> bool {
        let more = |sum: u64| sum.checked_add(bytes as u64).filter(|sum| *sum <= self.limits.answer_bytes);
        self.answer_bytes.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
    }

    /// Steps that the host has used to parse SQL statements of these runs.
    #[must_use]
    pub fn parse_steps(&self) -> u64 {
        self.parse_steps.load(Ordering::Relaxed)
    }

    /// Counts steps that the host has used to parse an SQL statement.
    pub fn count_parse_steps(&self, steps: u64) {
        self.parse_steps.fetch_add(steps, Ordering::Relaxed);
    }

    /// Remaining CPU time of the nested runs.
    #[must_use]
    pub fn cpu_left(&self) -> Duration {
        left(self.limits.cpu, &self.cpu_micros)
    }

    /// Remaining CPU time in which the nested runs may load packages.
    #[must_use]
    pub fn package_load_left(&self) -> Duration {
        left(self.limits.package_load, &self.package_load_micros)
    }

    /// Records the CPU time of a nested run.
    pub(super) fn charge_cpu(&self, cpu: Duration) {
        charge(&self.cpu_micros, cpu);
    }

    /// Records the CPU time in which a nested run loaded packages.
    pub(super) fn charge_package_load(&self, cpu: Duration) {
        charge(&self.package_load_micros, cpu);
    }
}

fn left(limit: Duration, micros: &AtomicU64) -> Duration {
    limit.saturating_sub(Duration::from_micros(micros.load(Ordering::Relaxed)))
}

fn charge(micros: &AtomicU64, time: Duration) {
    let more = u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
    let spent = |before: u64| Some(before.saturating_add(more));
    // The update never fails.
    let _before = micros.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spent);
}

fn count(counter: &AtomicU32, most: u32) -> bool {
    let more = |counted: u32| counted.checked_add(1).filter(|sum| *sum <= most);
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more).is_ok()
}

/// Guard that counts a nested run.
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
    /// The budget that the bytes are reserved from.
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
    fn ended_runs_free_their_place_but_not_their_time() {
        let cpu = Duration::from_millis(10);
        let limits = TreeLimits { runs: 2, bytes: 100, cpu, package_load: 2 * cpu, calls: 2, answer_bytes: 100 };
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
        assert_eq!((0..200).filter(|_| tree.count_source_call()).count(), 100, "they are counted separately");
        assert!(tree.count_answer(60) && !tree.count_answer(41) && tree.count_answer(40) && !tree.count_answer(1));
        tree.charge_cpu(Duration::from_millis(7));
        assert_eq!(tree.cpu_left(), Duration::from_millis(3));
        tree.charge_cpu(Duration::MAX);
        tree.charge_cpu(Duration::MAX);
        assert_eq!(tree.cpu_left(), Duration::ZERO);
        tree.charge_package_load(Duration::from_millis(7));
        assert_eq!(tree.package_load_left(), Duration::from_millis(13));
    }
}
