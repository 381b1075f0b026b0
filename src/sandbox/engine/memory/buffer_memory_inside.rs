//! Where buffers live when V8 has its own sandbox: inside it. V8 ends the process over one that lies outside.

use std::ffi::c_void;

/// V8's allocator rounds up to this (`DefaultInSandboxAllocator::kAllocationGranularity` in its `sandbox.cc`). The account
/// does too: a million buffers of one byte take 128 MB.
const GRANULARITY: usize = 128;

/// The virtual functions of `v8::ArrayBuffer::Allocator`, in the order of V8's header, as the Itanium C++ ABI lays them out.
/// The archive is for one version of V8 and for targets with that ABI, see `build.rs`.
#[repr(C)]
struct Functions {
    _destroy: unsafe extern "C" fn(*mut v8::Allocator),
    delete: unsafe extern "C" fn(*mut v8::Allocator),
    allocate: unsafe extern "C" fn(*mut v8::Allocator, usize) -> *mut c_void,
    allocate_uninitialized: unsafe extern "C" fn(*mut v8::Allocator, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut v8::Allocator, *mut c_void, usize),
}

/// V8's own allocator, which does not count. It locks itself: any thread may use it.
pub struct BufferMemory(*mut v8::Allocator);

impl BufferMemory {
    pub fn new() -> Self {
        Self(v8::new_default_allocator().into_raw())
    }

    /// What a buffer takes.
    pub fn footprint(bytes: usize) -> u64 {
        bytes.checked_next_multiple_of(GRANULARITY).unwrap_or(usize::MAX) as u64
    }

    pub fn take_zeroed(&self, bytes: usize) -> *mut c_void {
        // SAFETY: the function is the object's own. V8 gives null for what it has no room for.
        unsafe { (self.functions().allocate)(self.0, bytes) }
    }

    pub fn take(&self, bytes: usize) -> *mut c_void {
        // SAFETY: the function is the object's own. V8 gives null for what it has no room for.
        unsafe { (self.functions().allocate_uninitialized)(self.0, bytes) }
    }

    /// # Safety
    /// `memory` must have been taken from here with as many `bytes`, and not been given back.
    pub unsafe fn give_back(&self, memory: *mut c_void, bytes: usize) {
        // SAFETY: the function is the object's own, and the caller vouches for the rest.
        unsafe { (self.functions().free)(self.0, memory, bytes) };
    }

    fn functions(&self) -> &'static Functions {
        // SAFETY: an object with virtual functions begins with a pointer to their table, which is never freed.
        unsafe { *self.0.cast::<&'static Functions>() }
    }
}

impl Drop for BufferMemory {
    fn drop(&mut self) {
        // SAFETY: the function is the object's own, and nobody else owns the object.
        unsafe { (self.functions().delete)(self.0) };
    }
}
