//! One V8 isolate with its memory account and a realm made ahead of time.

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

/// What V8's callbacks get to see. It lives as long as the isolate.
struct Watch {
    budget: Arc<MemoryBudget>,
    control: Arc<EngineControl>,
    doomed: AtomicBool,
    /// Full collections so far.
    collections: AtomicU32,
}

/// Realms made ahead of time: a burst of as many runs waits for none.
const SPARES: usize = 16;
/// Room on the heap for one of them, beside what guests may use. They take three quarters of it.
const SPARE_ROOM: usize = 272 << 10;

/// Runs since the last collection, or growth of the heap, that make another one worth its time while nothing runs. V8's own
/// collections keep the memory that they have freed.
const IDLE_RUNS: u32 = 32;
const IDLE_GROWTH: u64 = 4 << 20;

/// Drops the realms first, then the isolate, then what its callbacks point to.
pub struct GuestIsolate {
    spares: Vec<Realm>,
    /// What one realm takes of the heap, seen when the first was made.
    realm_bytes: Option<u64>,
    pub v8: v8::OwnedIsolate,
    weight: Weight,
    native: NativeWeight,
    /// The heap when the last run was over.
    heap_at_end: u64,
    /// The heap after the last collection for which no run was under way, and the runs since then.
    heap_at_rest: u64,
    runs_since_rest: u32,
    watch: Box<Watch>,
}

/// What runs have left in the memory of V8's libraries since it was last weighed.
struct NativeWeight {
    base: u64,
    began: Instant,
    unseen: u32,
}

/// To ask for it costs some microseconds: a run that was over so soon can have left little, and many of them are asked once.
const BRIEF: Duration = Duration::from_millis(2);
const BRIEF_RUNS: u32 = 32;
/// Growth that makes an isolate suspicious, as a part of the memory of a run.
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
        let heap_at_rest = isolate.get_heap_statistics().used_heap_size() as u64;
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

    /// How well the isolate is prepared for the runs to come.
    pub fn readiness(&self) -> Readiness {
        match self.spares.len() {
            0 => Readiness::Bare,
            SPARES.. => Readiness::Full,
            _ => Readiness::Some,
        }
    }

    /// What V8 says of itself, with a prepared realm to say it in.
    pub fn report(&mut self) -> EngineReport {
        engine_report(&mut self.v8, self.spares.last().map(|realm| &realm.context))
    }

    /// Makes a realm for a later run, so that the run need not wait for it.
    pub fn prepare(&mut self) {
        if self.realm_bytes.is_some() {
            self.spares.extend(Realm::new(&mut self.v8));
            return;
        }
        let before = self.heap_bytes();
        self.spares.extend(Realm::new(&mut self.v8));
        self.realm_bytes = Some(self.heap_bytes().saturating_sub(before));
    }

    /// Begins the account of a run, which has its realm already. What the spare ones take is not held against it.
    pub fn open_account(&mut self) {
        let heap = self.heap_bytes();
        self.runs_since_rest = self.runs_since_rest.saturating_add(1);
        self.weight.begin_run(heap);
        self.native.began = Instant::now();
        self.watch.budget.start(heap, self.spare_bytes());
    }

    /// Ends the account of a run; whether it made one object that is larger than all it may use.
    pub fn close_account(&mut self) -> bool {
        // To ask costs microseconds, more with every dead realm, so the answer is kept.
        self.heap_at_end = self.heap_bytes();
        is_oversized(&mut self.v8, &self.watch.budget, self.heap_at_end)
    }

    /// Whether the run, whose account is closed, may have left so much behind that the isolate should be weighed.
    pub fn is_suspicious(&mut self) -> bool {
        let heap = self.heap_at_end;
        self.weight.end_run(heap, self.spare_bytes(), self.collections()) || self.has_grown_outside()
    }

    /// Whether runs have left much beside the heap.
    fn has_grown_outside(&mut self) -> bool {
        self.native.unseen += 1;
        if self.native.began.elapsed() < BRIEF && self.native.unseen < BRIEF_RUNS {
            return false;
        }
        self.native.unseen = 0;
        native_bytes().saturating_sub(self.native.base) > self.watch.budget.limit() / NATIVE_SUSPICIOUS
    }

    /// Collects whatever can be collected and looks at what is left.
    pub fn weigh(&mut self) -> Burden {
        self.collect();
        self.native.base = native_bytes();
        self.weight.weigh(self.heap_at_rest, self.spare_bytes(), self.collections())
    }

    /// Whether runs may have left so much memory behind that it should be given back when there is time.
    pub fn has_garbage(&mut self) -> bool {
        self.runs_since_rest >= IDLE_RUNS || self.heap_bytes() > self.heap_at_rest.saturating_add(IDLE_GROWTH)
    }

    /// Gives back all memory that nothing alive holds. No run may be under way.
    pub fn collect(&mut self) {
        self.v8.clear_kept_objects();
        // It clears V8's caches too, and is over when it returns.
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
        self.v8.get_heap_statistics().used_heap_size() as u64
    }
}

/// Dooms the isolate: the run ends, and room for one more allocation lets V8 get there. The second time V8 is left to
/// its out-of-memory handler, because a guest that ignores termination would otherwise eat the machine.
unsafe extern "C" fn near_heap_limit(data: *mut c_void, current: usize, _initial: usize) -> usize {
    // SAFETY: `data` is the `Watch` that its `GuestIsolate` owns and drops after the isolate.
    let watch = unsafe { &*data.cast::<Watch>() };
    watch.control.interrupt(Cause::Memory);
    if watch.doomed.swap(true, Ordering::Relaxed) { current } else { current.saturating_mul(2) }
}

/// Notes the heap at its fullest.
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
    let heap = isolate.get_heap_statistics().used_heap_size() as u64;
    if is_oversized(&mut isolate, &watch.budget, heap) {
        watch.control.interrupt(Cause::Memory);
    }
}

/// After a full collection only live data counts: if that is too much together with the buffers, the run is over.
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
    if watch.budget.note_heap(isolate.get_heap_statistics().used_heap_size() as u64) {
        watch.control.interrupt(Cause::Memory);
    }
}

/// Notes the heap and looks for an object that V8 has let pass: the first large one since a collection may have any size.
/// Garbage of ordinary size does not count, however much there is.
fn is_oversized(isolate: &mut v8::Isolate, budget: &MemoryBudget, heap: u64) -> bool {
    budget.note_heap(heap) && young_large_bytes(isolate) > budget.limit()
}

fn young_large_bytes(isolate: &mut v8::Isolate) -> u64 {
    (0..isolate.number_of_heap_spaces())
        .filter_map(|index| isolate.get_heap_space_statistics(index))
        .find(|space| space.space_name() == c"new_large_object_space")
        .map_or(0, |space| space.space_used_size() as u64)
}
