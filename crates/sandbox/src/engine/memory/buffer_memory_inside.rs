//! Where buffers live when V8 has its own sandbox: inside it. V8 ends the process over one that lies outside.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;

/// V8's allocator rounds up to this (`DefaultInSandboxAllocator::kAllocationGranularity` in its `sandbox.cc`). The account
/// does too: a million buffers of one byte take 128 MB.
const GRANULARITY: usize = 128;
/// Blocks up to this size are kept when they come back, and so many bytes of them in all. V8's allocator looks through a tree
/// for every buffer and gives the pages of large ones back to the system: without this a buffer of 1 MB costs three times as
/// much as with `malloc`, and a small one twice.
const KEPT_BLOCK: usize = 2 << 20;
const KEPT_BYTES: usize = 4 << 20;

/// The virtual functions of `v8::ArrayBuffer::Allocator`, in the order of V8's header, as the Itanium C++ ABI lays them out.
/// The archive is for one version of V8 and for targets with that ABI, see `build.rs`.
#[repr(C)]
struct Functions {
    _destroy: unsafe extern "C" fn(*mut v8::Allocator),
    delete: unsafe extern "C" fn(*mut v8::Allocator),
    allocate: unsafe extern "C" fn(*mut v8::Allocator, usize) -> *mut c_void,
    _allocate_uninitialized: unsafe extern "C" fn(*mut v8::Allocator, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut v8::Allocator, *mut c_void, usize),
}

/// V8's own allocator, which does not count, with some blocks kept ready. Any thread may use it: V8's locks itself.
pub struct BufferMemory {
    allocator: *mut v8::Allocator,
    kept: Mutex<Kept>,
}

/// Blocks that came back, by their size.
#[derive(Default)]
struct Kept {
    bytes: usize,
    blocks: HashMap<usize, Vec<*mut c_void>>,
}

impl BufferMemory {
    pub fn new() -> Self {
        Self { allocator: v8::new_default_allocator().into_raw(), kept: Mutex::default() }
    }

    /// What a buffer takes.
    pub fn footprint(bytes: usize) -> u64 {
        block_size(bytes).unwrap_or(usize::MAX) as u64
    }

    pub fn take_zeroed(&self, bytes: usize) -> *mut c_void {
        let Some(size) = block_size(bytes) else { return null_mut() };
        if let Some(block) = self.kept.lock().take(size) {
            // SAFETY: the block has this size, and nobody uses it.
            unsafe { block.cast::<u8>().write_bytes(0, size) };
            return block;
        }
        // SAFETY: the function is the object's own. V8 gives null for what it has no room for.
        unsafe { (self.functions().allocate)(self.allocator, size) }
    }

    /// V8's allocator makes no difference, and zeroes keep what another buffer held from whoever gets this one.
    pub fn take(&self, bytes: usize) -> *mut c_void {
        self.take_zeroed(bytes)
    }

    /// # Safety
    /// `memory` must have been taken from here with as many `bytes`, and not been given back.
    pub unsafe fn give_back(&self, memory: *mut c_void, bytes: usize) {
        let Some(size) = block_size(bytes) else { return };
        if !self.kept.lock().keep(memory, size) {
            // SAFETY: the function is the object's own, and the caller vouches for the rest.
            unsafe { (self.functions().free)(self.allocator, memory, size) };
        }
    }

    fn functions(&self) -> &'static Functions {
        // SAFETY: an object with virtual functions begins with a pointer to their table, which is never freed.
        unsafe { *self.allocator.cast::<&'static Functions>() }
    }
}

impl Kept {
    fn take(&mut self, size: usize) -> Option<*mut c_void> {
        let block = self.blocks.get_mut(&size)?.pop()?;
        self.bytes -= size;
        Some(block)
    }

    /// False when there is no room for it.
    fn keep(&mut self, block: *mut c_void, size: usize) -> bool {
        if size > KEPT_BLOCK || self.bytes + size > KEPT_BYTES {
            return false;
        }
        self.bytes += size;
        self.blocks.entry(size).or_default().push(block);
        true
    }
}

impl Drop for BufferMemory {
    fn drop(&mut self) {
        let functions = self.functions();
        for (size, blocks) in self.kept.get_mut().blocks.drain() {
            for block in blocks {
                // SAFETY: the function is the object's own, the block came from it with this size, and nobody uses it.
                unsafe { (functions.free)(self.allocator, block, size) };
            }
        }
        // SAFETY: the function is the object's own, and nobody else owns the object.
        unsafe { (functions.delete)(self.allocator) };
    }
}

/// A buffer's length as V8's allocator rounds it, so that a block fits every buffer of its size.
fn block_size(bytes: usize) -> Option<usize> {
    bytes.max(1).checked_next_multiple_of(GRANULARITY)
}

#[cfg(test)]
mod tests {
    use super::{BufferMemory, KEPT_BLOCK, KEPT_BYTES};
    use crate::engine::isolate::platform;

    /// How many bytes are kept after `count` blocks have been there at once.
    fn kept_after(memory: &BufferMemory, bytes: usize, count: usize) -> usize {
        let blocks: Vec<_> = (0..count).map(|_| memory.take_zeroed(bytes)).collect();
        let mut places = blocks.clone();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), count, "no two of them are the same");
        for block in blocks {
            // SAFETY: each was taken here, and is given back once.
            unsafe { memory.give_back(block, bytes) };
        }
        memory.kept.lock().bytes
    }

    #[test]
    fn some_blocks_are_kept_and_used_again_and_no_more_than_some() {
        platform::ensure_initialised();
        let memory = BufferMemory::new();
        assert_eq!(kept_after(&memory, 1, 10), 10 * 128);
        assert_eq!(kept_after(&memory, 100, 10), 10 * 128, "of the same size as those before");
        assert_eq!(kept_after(&memory, KEPT_BLOCK + 1, 2), 10 * 128, "too large to be kept");
        assert!(kept_after(&memory, 1 << 20, 10) <= KEPT_BYTES);
        assert!(kept_after(&memory, 4096, 10_000) <= KEPT_BYTES);
    }
}
