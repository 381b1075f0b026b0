//! Buffer memory from V8's allocator, inside V8's own sandbox. V8 ends the process if a buffer lies outside.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ptr::null_mut;

/// V8's allocator rounds sizes up to this (`DefaultInSandboxAllocator::kAllocationGranularity` in its `sandbox.cc`), and so does
/// the accounting: a million buffers of one byte take 128 MB.
const GRANULARITY: usize = 128;
/// Largest block that is cached when it is freed, and total size of the cache. V8's allocator searches a tree for every buffer
/// and returns the pages of large ones to the system: without the cache a buffer of 1 MB costs three times as much as with
/// `malloc`, and a small one twice.
const MAX_CACHED_BLOCK: usize = 2 << 20;
const MAX_CACHED_BYTES: usize = 4 << 20;

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

/// V8's allocator, which does not count, with a cache of freed blocks. Thread-safe, as V8's allocator is.
pub struct BufferMemory {
    allocator: *mut v8::Allocator,
    cached: Mutex<BlockCache>,
}

/// Freed blocks by size.
#[derive(Default)]
struct BlockCache {
    bytes: usize,
    blocks: HashMap<usize, Vec<*mut c_void>>,
}

impl BufferMemory {
    pub fn new() -> Self {
        Self { allocator: v8::new_default_allocator().into_raw(), cached: Mutex::default() }
    }

    /// The memory that a buffer takes.
    pub fn footprint(bytes: usize) -> u64 {
        block_size(bytes).unwrap_or(usize::MAX) as u64
    }

    pub fn take_zeroed(&self, bytes: usize) -> *mut c_void {
        let Some(size) = block_size(bytes) else { return null_mut() };
        if let Some(block) = self.cached.lock().take(size) {
            // SAFETY: the block has this size and is unused.
            unsafe { block.cast::<u8>().write_bytes(0, size) };
            return block;
        }
        // SAFETY: the function is the object's own. V8 returns null if there is no room.
        unsafe { (self.functions().allocate)(self.allocator, size) }
    }

    /// V8's allocator always zeroes, which also hides the content of an earlier buffer.
    pub fn take(&self, bytes: usize) -> *mut c_void {
        self.take_zeroed(bytes)
    }

    /// # Safety
    /// `memory` must have been taken from here with the same `bytes`, and not been freed.
    pub unsafe fn free(&self, memory: *mut c_void, bytes: usize) {
        let Some(size) = block_size(bytes) else { return };
        if !self.cached.lock().keep(memory, size) {
            // SAFETY: the function is the object's own, and the caller guarantees the rest.
            unsafe { (self.functions().free)(self.allocator, memory, size) };
        }
    }

    fn functions(&self) -> &'static Functions {
        // SAFETY: an object with virtual functions begins with a pointer to their table, which is never freed.
        unsafe { *self.allocator.cast::<&'static Functions>() }
    }
}

impl BlockCache {
    fn take(&mut self, size: usize) -> Option<*mut c_void> {
        let block = self.blocks.get_mut(&size)?.pop()?;
        self.bytes -= size;
        Some(block)
    }

    /// False if there is no room for it.
    fn keep(&mut self, block: *mut c_void, size: usize) -> bool {
        if size > MAX_CACHED_BLOCK || self.bytes + size > MAX_CACHED_BYTES {
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
        for (size, blocks) in self.cached.get_mut().blocks.drain() {
            for block in blocks {
                // SAFETY: the function is the object's own, the block came from it with this size and is unused.
                unsafe { (functions.free)(self.allocator, block, size) };
            }
        }
        // SAFETY: the function is the object's own, and the object has no other owner.
        unsafe { (functions.delete)(self.allocator) };
    }
}

/// A buffer's length as V8's allocator rounds it, so that a block fits every buffer of its size.
fn block_size(bytes: usize) -> Option<usize> {
    bytes.max(1).checked_next_multiple_of(GRANULARITY)
}

#[cfg(test)]
mod tests {
    use super::{BufferMemory, MAX_CACHED_BLOCK, MAX_CACHED_BYTES};
    use crate::engine::isolate::platform;

    /// Cached bytes after `count` blocks were allocated at once and freed.
    fn cached_after(memory: &BufferMemory, bytes: usize, count: usize) -> usize {
        let blocks: Vec<_> = (0..count).map(|_| memory.take_zeroed(bytes)).collect();
        let mut places = blocks.clone();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), count, "no two of them are the same");
        for block in blocks {
            // SAFETY: each was taken here, and is freed once.
            unsafe { memory.free(block, bytes) };
        }
        memory.cached.lock().bytes
    }

    #[test]
    fn freed_blocks_are_cached_up_to_a_limit() {
        platform::ensure_initialised();
        let memory = BufferMemory::new();
        assert_eq!(cached_after(&memory, 1, 10), 10 * 128);
        assert_eq!(cached_after(&memory, 100, 10), 10 * 128, "of the same size as those before");
        assert_eq!(cached_after(&memory, MAX_CACHED_BLOCK + 1, 2), 10 * 128, "too large to be cached");
        assert!(cached_after(&memory, 1 << 20, 10) <= MAX_CACHED_BYTES);
        assert!(cached_after(&memory, 4096, 10_000) <= MAX_CACHED_BYTES);
    }
}
