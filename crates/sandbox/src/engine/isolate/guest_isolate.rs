//! A V8 isolate with its memory budget and realms that are prepared ahead of time.

use super::engine_report::engine_report;
use super::prepared_stack::prepare_stack_trace;
use super::promise_rejection::on_reject;
use crate::confinement::EngineReport;
use crate::engine::control::fatal_error::on_out_of_memory;
use crate::engine::control::{Cause, EngineControl};
use crate::engine::memory::MemoryBudget;
use crate::engine::memory::counting_allocator;
use crate::engine::memory::native_bytes;
use crate::engine::memory::{Burden, Weight};
use crate::engine::natives::external_references;
use crate::engine::run::Realm;
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// Data of V8's callbacks. It lives as long as the isolate.
struct Watch {
    budget: Arc<MemoryBudget>,
    control: Arc<EngineControl>,
    doomed: AtomicBool,
    /// Number of full collections.
    collections: AtomicU32,
}

/// Number of realms prepared ahead of time, for bursts of runs.
const SPARES: usize = 16;
/// Additional heap limit per prepared realm. A realm takes three quarters of it.
const SPARE_ROOM: usize = 272 << 10;

/// Runs since the last idle collection, or growth of the heap, after which another one is worthwhile. V8's own collections keep
/// the memory that they have freed.
const IDLE_RUNS: u32 = 32;
const IDLE_GROWTH: u64 = 4 << 20;

/// The fields are dropped in this order: the realms, the isolate, then the data of its callbacks.
pub struct GuestIsolate {
    spares: Vec<Realm>,
    /// Heap size of one realm, measured when the first was created.
    realm_bytes: Option<u64>,
    pub v8: v8::OwnedIsolate,
    weight: Weight,
    native: NativeWeight,
    /// Heap size at the end of the last run.
    heap_at_end: u64,
    /// Heap size after the last idle collection, and the number of runs since then.
    heap_at_rest: u64,
    runs_since_rest: u32,
    watch: Box<Watch>,
}

/// Growth of native memory since it was last measured.
struct NativeWeight {
    base: u64,
    began: Instant,
    unseen: u32,
}

/// Measuring native memory takes microseconds, so it is done once for many runs that are as short as this.
const BRIEF: Duration = Duration::from_millis(2);
const BRIEF_RUNS: u32 = 32;
/// Growth after which an isolate is weighed, as a fraction (1/n) of the memory of a run.
const NATIVE_SUSPICIOUS: u64 = 8;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Readiness {
    Bare,
    Some,
    Full,
}

impl GuestIsolate {
    /// An isolate on the calling thread, which is the only one that may use and drop it.
    pub fn new(snapshot: v8::StartupData, memory_bytes: u64, control: &Arc<EngineControl>) -> Self {
        let budget = Arc::new(MemoryBudget::new(memory_bytes));
        let limit = usize::try_from(memory_bytes).unwrap_or(usize::MAX);
        let params = v8::CreateParams::default()
            .snapshot_blob(snapshot)
            .external_references(external_references().into())
            .array_buffer_allocator(counting_allocator(&budget).make_shared())
            .allow_atomics_wait(false)
            .heap_limits(0, limit.saturating_add(SPARES * SPARE_ROOM));
        let mut isolate = v8::Isolate::new(params);
        isolate.set_microtasks_policy(v8::MicrotasksPolicy::Explicit);
        isolate.set_promise_reject_callback(on_reject);
        isolate.set_prepare_stack_trace_callback(prepare_stack_trace);
        isolate.set_oom_error_handler(on_out_of_memory);
        let watch = Box::new(Watch {
            budget,
            control: Arc::clone(control),
            doomed: AtomicBool::new(false),
            collections: AtomicU32::new(0),
        });
        let data = (&raw const *watch).cast_mut().cast::<c_void>();
        isolate.add_near_heap_limit_callback(near_heap_limit, data);
        isolate.add_gc_prologue_callback(before_gc, data, v8::GCType::kGCTypeAll);
        isolate.add_gc_epilogue_callback(after_full_gc, data, v8::GCType::kGCTypeMarkSweepCompact);
        let heap_at_rest = used_heap_bytes(&mut isolate);
        let weight = Weight::new(memory_bytes, heap_at_rest);
        let native = NativeWeight { base: native_bytes(), began: Instant::now(), unseen: 0 };
        Self {
            spares: Vec::new(),
            realm_bytes: None,
            v8: isolate,
            weight,
            native,
            heap_at_end: 0,
            heap_at_rest,
            runs_since_rest: 0,
            watch,
        }
    }

    pub fn budget(&self) -> &Arc<MemoryBudget> {
        &self.watch.budget
    }

    /// How many realms are prepared.
    pub fn readiness(&self) -> Readiness {
        match self.spares.len() {
            0 => Readiness::Bare,
            SPARES.. => Readiness::Full,
            _ => Readiness::Some,
        }
    }

    /// V8's report about itself, measured in a prepared realm.
    pub fn report(&mut self) -> EngineReport {
        engine_report(&mut self.v8, self.spares.last().map(|realm| &realm.context))
    }

    /// Prepares a realm for a later run.
    pub fn prepare(&mut self) {
        if self.realm_bytes.is_some() {
            self.spares.extend(Realm::new(&mut self.v8));
            return;
        }
        let before = self.heap_bytes();
        self.spares.extend(Realm::new(&mut self.v8));
        self.realm_bytes = Some(self.heap_bytes().saturating_sub(before));
    }

    /// Starts the memory account of a run, whose realm is already taken. Prepared realms do not count.
    pub fn open_account(&mut self) {
        let heap = self.heap_bytes();
        self.runs_since_rest = self.runs_since_rest.saturating_add(1);
        self.weight.begin_run(heap);
        self.native.began = Instant::now();
        self.watch.budget.start(heap, self.spare_bytes());
    }

    /// Ends the memory account of a run; true if the run allocated one object above its limit.
    pub fn close_account(&mut self) -> bool {
        // Measuring takes microseconds, more with every dead realm, so the result is stored.
        self.heap_at_end = self.heap_bytes();
        is_oversized(&mut self.v8, &self.watch.budget, self.heap_at_end)
    }

    /// Whether the last run may have left so much memory that the isolate should be weighed.
    pub fn is_suspicious(&mut self) -> bool {
        let heap = self.heap_at_end;
        self.weight.end_run(heap, self.spare_bytes(), self.collections()) || self.has_grown_outside()
    }

    /// Whether native memory has grown much.
    fn has_grown_outside(&mut self) -> bool {
        self.native.unseen += 1;
        if self.native.began.elapsed() < BRIEF && self.native.unseen < BRIEF_RUNS {
            return false;
        }
        self.native.unseen = 0;
        native_bytes().saturating_sub(self.native.base) > self.watch.budget.limit() / NATIVE_SUSPICIOUS
    }

    /// Runs a full collection and measures the memory that remains.
    pub fn weigh(&mut self) -> Burden {
        self.collect();
        self.native.base = native_bytes();
        self.weight.weigh(self.heap_at_rest, self.spare_bytes(), self.collections())
    }

    /// Whether a collection is worthwhile when the engine is idle.
    pub fn has_garbage(&mut self) -> bool {
        self.runs_since_rest >= IDLE_RUNS || self.heap_bytes() > self.heap_at_rest.saturating_add(IDLE_GROWTH)
    }

    /// Releases all unused memory. No run may be active.
    pub fn collect(&mut self) {
        self.v8.clear_kept_objects();
        // Synchronous; it clears V8's caches, too.
        self.v8.memory_pressure_notification(v8::MemoryPressureLevel::Critical);
        self.v8.memory_pressure_notification(v8::MemoryPressureLevel::None);
        self.heap_at_rest = self.heap_bytes();
        self.runs_since_rest = 0;
    }

    fn spare_bytes(&self) -> u64 {
        self.realm_bytes.unwrap_or_default().saturating_mul(self.spares.len() as u64)
    }

    fn collections(&self) -> u32 {
        self.watch.collections.load(Ordering::Relaxed)
    }

    pub fn take_realm(&mut self) -> Option<Realm> {
        if self.spares.is_empty() {
            self.prepare();
        }
        self.spares.pop()
    }

    pub fn heap_bytes(&mut self) -> u64 {
        used_heap_bytes(&mut self.v8)
    }
}

/// Ends the run at the heap limit, with some more room so that V8 can terminate it. At the second call the limit is not raised,
/// and V8 calls its out-of-memory handler: a guest that ignores termination could exhaust the machine otherwise.
unsafe extern "C" fn near_heap_limit(data: *mut c_void, current: usize, _initial: usize) -> usize {
    // SAFETY: `data` is the `Watch` that its `GuestIsolate` owns and drops after the isolate.
    let watch = unsafe { &*data.cast::<Watch>() };
    watch.control.interrupt(Cause::Memory);
    if watch.doomed.swap(true, Ordering::Relaxed) { current } else { current.saturating_mul(2) }
}

/// Records the heap size before a collection.
unsafe extern "C" fn before_gc(
    isolate: v8::UnsafeRawIsolatePtr,
    _: v8::GCType,
    _: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the `Watch` that its `GuestIsolate` owns and drops after the isolate.
    let watch = unsafe { &*data.cast::<Watch>() };
    // SAFETY: V8 passes the isolate that collects, on its own thread, and it is alive for the length of the callback.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    let heap = used_heap_bytes(&mut isolate);
    if is_oversized(&mut isolate, &watch.budget, heap) {
        watch.control.interrupt(Cause::Memory);
    }
}

/// After a full collection: ends the run if live data and buffers exceed the limit.
unsafe extern "C" fn after_full_gc(
    isolate: v8::UnsafeRawIsolatePtr,
    _: v8::GCType,
    _: v8::GCCallbackFlags,
    data: *mut c_void,
) {
    // SAFETY: `data` is the `Watch` that its `GuestIsolate` owns and drops after the isolate.
    let watch = unsafe { &*data.cast::<Watch>() };
    // SAFETY: V8 passes the isolate that collects, on its own thread, and it is alive for the length of the callback.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    watch.collections.fetch_add(1, Ordering::Relaxed);
    if watch.budget.note_heap(used_heap_bytes(&mut isolate)) {
        watch.control.interrupt(Cause::Memory);
    }
}

/// Records the heap size and detects a large object above the limit: V8 allows any size for the first large object since a
/// collection. Other garbage does not count.
fn is_oversized(isolate: &mut v8::Isolate, budget: &MemoryBudget, heap: u64) -> bool {
    budget.note_heap(heap) && young_large_bytes(isolate) > budget.limit()
}

/// The bytes of all objects on the heap. V8's statistics of the whole heap hold the same number, but they also count native contexts,
/// which takes longer the more realms wait for a collection.
fn used_heap_bytes(isolate: &mut v8::Isolate) -> u64 {
    (0..isolate.number_of_heap_spaces())
        .filter_map(|index| isolate.get_heap_space_statistics(index))
        .map(|space| space.space_used_size() as u64)
        .sum()
}

fn young_large_bytes(isolate: &mut v8::Isolate) -> u64 {
    (0..isolate.number_of_heap_spaces())
        .filter_map(|index| isolate.get_heap_space_statistics(index))
        .find(|space| space.space_name() == c"new_large_object_space")
        .map_or(0, |space| space.space_used_size() as u64)
}

#[cfg(test)]
mod tests {
    use super::{GuestIsolate, used_heap_bytes};
    use crate::engine::control::{EngineControl, StuckPolicy};
    use crate::engine::isolate::{platform, snapshot};
    use std::sync::Arc;

    #[test]
    fn the_spaces_add_up_to_the_heap() {
        platform::ensure_initialised();
        let mut isolate = v8::Isolate::new(v8::CreateParams::default());
        for _ in 0..3 {
            v8::scope!(let scope, &mut isolate);
            v8::Context::new(scope, v8::ContextOptions::default());
            let whole = scope.get_heap_statistics().used_heap_size() as u64;
            assert!(whole > 0);
            assert_eq!(used_heap_bytes(scope), whole);
        }
    }

    #[test]
    fn dead_realms_are_collected_before_the_heap_has_16_mb() {
        const REALMS: u32 = 200;
        let snapshot = snapshot::load(Vec::new()).unwrap();
        let control = EngineControl::new(Arc::new(|_| {}), StuckPolicy::Abandon);
        let mut isolate = GuestIsolate::new(snapshot.blob, 64 << 20, &control);
        for _ in 0..REALMS {
            assert!(isolate.take_realm().is_some());
            let heap = isolate.v8.get_heap_statistics().total_heap_size();
            assert!(heap < 16 << 20, "{heap} bytes");
        }
    }
}
