//! The allocator of `ArrayBuffer` memory: counts every buffer and refuses those beyond the memory budget.

use super::buffer_memory::BufferMemory;
use super::memory_budget::MemoryBudget;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

/// Callbacks of V8's allocator; the account is their first argument.
#[repr(C)]
struct Functions {
    allocate: unsafe extern "C" fn(&Account, usize) -> *mut c_void,
    allocate_uninitialized: unsafe extern "C" fn(&Account, usize) -> *mut c_void,
    free: unsafe extern "C" fn(&Account, *mut c_void, usize),
    drop: unsafe extern "C" fn(*mut Account),
}

static FUNCTIONS: Functions = Functions { allocate, allocate_uninitialized, free, drop: close };

unsafe extern "C" {
    /// Private in the crate if V8 has a sandbox, because memory from Rust's allocator would lie outside it. This allocator's memory
    /// lies inside.
    fn v8__ArrayBuffer__Allocator__NewRustAllocator(
        account: *mut c_void,
        functions: &'static Functions,
    ) -> v8::UniqueRef<v8::Allocator>;
}

struct Account {
    budget: Arc<MemoryBudget>,
    memory: BufferMemory,
}

/// An allocator that counts every buffer in `budget`. V8 must be initialised.
pub fn counting_allocator(budget: &Arc<MemoryBudget>) -> v8::UniqueRef<v8::Allocator> {
    let account = Box::new(Account { budget: Arc::clone(budget), memory: BufferMemory::new() });
    // SAFETY: the functions expect this type, and `close` frees the account. The result is the pointer of a new object, which is
    // all that the crate's type consists of.
    unsafe { v8__ArrayBuffer__Allocator__NewRustAllocator(Box::into_raw(account).cast(), &FUNCTIONS) }
}

impl Account {
    fn book(&self, bytes: usize, take: impl FnOnce(&BufferMemory) -> *mut c_void) -> *mut c_void {
        let booked = BufferMemory::footprint(bytes);
        if !self.budget.take_buffer(booked) {
            return null_mut();
        }
        let memory = take(&self.memory);
        if memory.is_null() {
            self.budget.release_buffer(booked);
        }
        memory
    }
}

unsafe extern "C" fn allocate(account: &Account, bytes: usize) -> *mut c_void {
    account.book(bytes, |memory| memory.take_zeroed(bytes))
}

unsafe extern "C" fn allocate_uninitialized(account: &Account, bytes: usize) -> *mut c_void {
    account.book(bytes, |memory| memory.take(bytes))
}

unsafe extern "C" fn free(account: &Account, memory: *mut c_void, bytes: usize) {
    if memory.is_null() {
        return;
    }
    // SAFETY: V8 frees each block of `allocate` once, with the same number of bytes.
    unsafe { account.memory.free(memory, bytes) };
    account.budget.release_buffer(BufferMemory::footprint(bytes));
}

unsafe extern "C" fn close(account: *mut Account) {
    // SAFETY: this pointer came from `Box::into_raw` in `counting_allocator`, and V8 calls this exactly once.
    drop(unsafe { Box::from_raw(account) });
}

#[cfg(test)]
mod tests {
    use super::{Account, allocate, allocate_uninitialized, counting_allocator, free};
    use crate::engine::isolate::platform;
    use crate::engine::memory::MemoryBudget;
    use crate::engine::memory::buffer_memory::BufferMemory;
    use std::ffi::c_void;
    use std::slice::{from_raw_parts, from_raw_parts_mut};
    use std::sync::Arc;

    const LIMIT: usize = 1 << 20;

    fn account() -> Account {
        platform::ensure_initialised();
        Account { budget: Arc::new(MemoryBudget::new(LIMIT as u64)), memory: BufferMemory::new() }
    }

    fn take(account: &Account, bytes: usize) -> *mut c_void {
        // SAFETY: the account outlives its blocks.
        unsafe { allocate(account, bytes) }
    }

    fn give(account: &Account, block: *mut c_void, bytes: usize) {
        // SAFETY: each block is freed once, with its length.
        unsafe { free(account, block, bytes) };
    }

    #[test]
    fn buffers_count_until_they_are_freed_and_the_limit_is_exact() {
        let account = account();
        for round in 0..100 {
            let half = take(&account, LIMIT / 2);
            assert!(!half.is_null(), "{round}");
            assert!(take(&account, LIMIT / 2 + 1).is_null());
            assert!(account.budget.take_refusal());
            // SAFETY: the account outlives its blocks.
            let rest = unsafe { allocate_uninitialized(&account, LIMIT / 2) };
            assert!(!rest.is_null());
            assert!(take(&account, 1).is_null());
            give(&account, rest, LIMIT / 2);
            give(&account, half, LIMIT / 2);
        }
        assert_eq!(account.budget.peak(), LIMIT as u64);
        assert!(account.budget.take_buffer(LIMIT as u64), "all has come back");
    }

    #[test]
    fn reused_memory_is_zeroed() {
        let account = account();
        for bytes in [1, 127, 128, 129, 4096, LIMIT / 4] {
            let first = take(&account, bytes);
            // SAFETY: the block has this length, and it has no other user.
            unsafe { from_raw_parts_mut(first.cast::<u8>(), bytes) }.fill(7);
            give(&account, first, bytes);
            let second = take(&account, bytes);
            // SAFETY: the block has this length, and it has no other user.
            let found = unsafe { from_raw_parts(second.cast::<u8>(), bytes) };
            assert!(found.iter().all(|byte| *byte == 0), "{bytes}");
            give(&account, second, bytes);
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let account = account();
        for bytes in [usize::MAX, usize::MAX - 127, isize::MAX as usize] {
            assert!(take(&account, bytes).is_null());
        }
        assert_eq!(account.budget.peak(), 0);
    }

    #[test]
    fn the_account_lives_as_long_as_the_allocator() {
        platform::ensure_initialised();
        let budget = Arc::new(MemoryBudget::new(LIMIT as u64));
        let allocator = counting_allocator(&budget).make_shared();
        assert_eq!(Arc::strong_count(&budget), 2);
        drop(allocator);
        assert_eq!(Arc::strong_count(&budget), 1);
    }
}
