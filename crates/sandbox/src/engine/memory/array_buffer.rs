//! The allocator behind every `ArrayBuffer`: it counts, and it refuses what the budget does not hold.

use super::buffer_memory::BufferMemory;
use super::memory_budget::MemoryBudget;
use std::ffi::c_void;
use std::ptr::null_mut;
use std::sync::Arc;

/// What V8's allocator calls, with the account as its first argument.
#[repr(C)]
struct Functions {
    allocate: unsafe extern "C" fn(&Account, usize) -> *mut c_void,
    allocate_uninitialized: unsafe extern "C" fn(&Account, usize) -> *mut c_void,
    free: unsafe extern "C" fn(&Account, *mut c_void, usize),
    drop: unsafe extern "C" fn(*mut Account),
}

static FUNCTIONS: Functions = Functions { allocate, allocate_uninitialized, free, drop: close };

unsafe extern "C" {
    /// The crate's own, which it keeps to itself where V8 has a sandbox: Rust's memory would lie outside. Ours does not.
    fn v8__ArrayBuffer__Allocator__NewRustAllocator(
        account: *mut c_void,
        functions: &'static Functions,
    ) -> v8::UniqueRef<v8::Allocator>;
}

struct Account {
    budget: Arc<MemoryBudget>,
    memory: BufferMemory,
}

/// An allocator that books every buffer in `budget`. V8 must be set up.
pub fn counting_allocator(budget: &Arc<MemoryBudget>) -> v8::UniqueRef<v8::Allocator> {
    let account = Box::new(Account { budget: Arc::clone(budget), memory: BufferMemory::new() });
    // SAFETY: the functions are for this very type, and `close` gives the account back. What comes is a new object's pointer,
    // which is what the crate's type consists of.
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
    // SAFETY: V8 gives back, once, what `allocate` made with the same number of bytes.
    unsafe { account.memory.give_back(memory, bytes) };
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
        // SAFETY: the account outlives what it gives.
        unsafe { allocate(account, bytes) }
    }

    fn give(account: &Account, block: *mut c_void, bytes: usize) {
        // SAFETY: each block is given back once, with its length.
        unsafe { free(account, block, bytes) };
    }

    #[test]
    fn a_buffer_is_booked_until_it_is_freed_and_the_first_byte_too_many_is_refused() {
        let account = account();
        for round in 0..100 {
            let half = take(&account, LIMIT / 2);
            assert!(!half.is_null(), "{round}");
            assert!(take(&account, LIMIT / 2 + 1).is_null());
            assert!(account.budget.take_refusal());
            // SAFETY: the account outlives what it gives.
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
    fn memory_is_zero_although_the_one_before_has_written_it() {
        let account = account();
        for bytes in [1, 127, 128, 129, 4096, LIMIT / 4] {
            let first = take(&account, bytes);
            // SAFETY: the block has this length, and nobody else uses it.
            unsafe { from_raw_parts_mut(first.cast::<u8>(), bytes) }.fill(7);
            give(&account, first, bytes);
            let second = take(&account, bytes);
            // SAFETY: the block has this length, and nobody else uses it.
            let found = unsafe { from_raw_parts(second.cast::<u8>(), bytes) };
            assert!(found.iter().all(|byte| *byte == 0), "{bytes}");
            give(&account, second, bytes);
        }
    }

    #[test]
    fn sizes_that_no_machine_has_are_refused() {
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
