//! Buffer memory from Rust's allocator, for a V8 without its own sandbox.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::null_mut;

/// Alignment that suffices for every typed array.
const ALIGNMENT: usize = 16;

pub struct BufferMemory;

impl BufferMemory {
    pub fn new() -> Self {
        Self
    }

    /// The memory that a buffer takes.
    pub fn footprint(bytes: usize) -> u64 {
        bytes as u64
    }

    pub fn take_zeroed(&self, bytes: usize) -> *mut c_void {
        let Some(layout) = layout(bytes) else { return null_mut() };
        // SAFETY: the layout's size is at least one.
        unsafe { alloc_zeroed(layout) }.cast()
    }

    pub fn take(&self, bytes: usize) -> *mut c_void {
        let Some(layout) = layout(bytes) else { return null_mut() };
        // SAFETY: the layout's size is at least one.
        unsafe { alloc(layout) }.cast()
    }

    /// # Safety
    /// `memory` must have been taken from here with the same `bytes`, and not been freed.
    pub unsafe fn free(&self, memory: *mut c_void, bytes: usize) {
        let Some(layout) = layout(bytes) else { return };
        // SAFETY: the caller guarantees that the block has this layout.
        unsafe { dealloc(memory.cast(), layout) };
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()
}
