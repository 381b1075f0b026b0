//! The allocator behind every `ArrayBuffer`: it counts, and it refuses what the budget does not hold.

use super::memory_budget::MemoryBudget;
use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

/// Alignment that any typed array can live with.
const ALIGNMENT: usize = 16;

static VTABLE: v8::RustAllocatorVtable<MemoryBudget> =
    v8::RustAllocatorVtable { allocate, allocate_uninitialized, free, drop: release };

/// An allocator that books every buffer in `budget`.
pub fn counting_allocator(budget: &Arc<MemoryBudget>) -> v8::UniqueRef<v8::Allocator> {
    let handle = Arc::into_raw(Arc::clone(budget));
    // SAFETY: `handle` owns one count of the `Arc`, which `release` gives back, and the table is for this very type.
    unsafe { v8::new_rust_allocator(handle, &VTABLE) }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()
}

fn book(budget: &MemoryBudget, bytes: usize, take: impl FnOnce(Layout) -> *mut u8) -> *mut c_void {
    let Some(layout) = layout(bytes) else { return null_mut() };
    if !budget.take_buffer(bytes as u64) {
        return null_mut();
    }
    let memory = take(layout);
    if memory.is_null() {
        budget.release_buffer(bytes as u64);
    }
    memory.cast()
}

unsafe extern "C" fn allocate(budget: &MemoryBudget, bytes: usize) -> *mut c_void {
    book(budget, bytes, |layout| {
        // SAFETY: the layout's size is at least one.
        unsafe { alloc_zeroed(layout) }
    })
}

unsafe extern "C" fn allocate_uninitialized(budget: &MemoryBudget, bytes: usize) -> *mut c_void {
    book(budget, bytes, |layout| {
        // SAFETY: the layout's size is at least one.
        unsafe { alloc(layout) }
    })
}

unsafe extern "C" fn free(budget: &MemoryBudget, memory: *mut c_void, bytes: usize) {
    let Some(layout) = layout(bytes) else { return };
    if memory.is_null() {
        return;
    }
    // SAFETY: V8 gives back a pointer that `allocate` made with the same number of bytes, hence the same layout.
    unsafe { dealloc(memory.cast(), layout) };
    budget.release_buffer(bytes as u64);
}

unsafe extern "C" fn release(budget: *const MemoryBudget) {
    // SAFETY: this pointer came from `Arc::into_raw` in `counting_allocator`, and V8 calls this exactly once.
    drop(unsafe { Arc::from_raw(budget) });
}
