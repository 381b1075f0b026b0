//! Where buffers live when V8 has no sandbox of its own: wherever Rust has room.

use std::alloc::{Layout, alloc, alloc_zeroed, dealloc};
use std::ffi::c_void;
use std::ptr::null_mut;

/// Alignment that any typed array can live with.
const ALIGNMENT: usize = 16;

pub struct BufferMemory;

impl BufferMemory {
    pub fn new() -> Self {
        Self
    }

    /// What a buffer takes.
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
    /// `memory` must have been taken from here with as many `bytes`, and not been given back.
    pub unsafe fn give_back(&self, memory: *mut c_void, bytes: usize) {
        let Some(layout) = layout(bytes) else { return };
        // SAFETY: the caller vouches that the block has this layout.
        unsafe { dealloc(memory.cast(), layout) };
    }
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), ALIGNMENT).ok()
}
