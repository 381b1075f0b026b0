//! A memory allocator for SQLite with a quota per database. SQLite has one heap and one limit for the whole process, so one
//! database could exhaust it. This allocator charges every block to its database, and refuses only that database.
//!
//! Each connection has its own thread, so the thread determines the database. A thread without a database is not limited.
#![expect(unsafe_code, reason = "SQLite takes its allocator as C functions")]

use parking_lot::Mutex;
use rusqlite::ffi;
use std::alloc::{Layout, alloc, dealloc, realloc};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Maximum memory of one database, for pages, values, sorting and prepared statements. Two databases can reach it at once.
pub const MAX_HEAP_BYTES: usize = 40 << 20;
/// Memory reserved for each database.
const OWN_BYTES: usize = 8 << 20;
/// Memory shared by all databases of the process beyond their reserves.
const SHARED_BYTES: usize = 80 << 20;

/// Size of the header before every block: its length and its account.
const HEADER: usize = 16;
const ALIGN: usize = 16;

/// The memory used by one database.
#[derive(Debug, Default)]
struct Account {
    /// Under a lock, because the borrowed amount depends on the previous value.
    used: Mutex<usize>,
    is_open: AtomicBool,
}

/// All accounts. A block may outlive its database, so accounts are never freed; they are reused.
static ACCOUNTS: Mutex<Vec<&'static Account>> = Mutex::new(Vec::new());
/// Shared memory in use.
static SHARED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static CURRENT: Cell<Option<&'static Account>> = const { Cell::new(None) };
}

/// The memory quota of a database.
#[derive(Debug)]
pub struct HeapQuota(&'static Account);

impl HeapQuota {
    pub fn new() -> Self {
        let mut accounts = ACCOUNTS.lock();
        let is_free = |account: &&&Account| !account.is_open.load(Ordering::Relaxed) && *account.used.lock() == 0;
        let account = accounts.iter().find(is_free).copied().unwrap_or_else(|| {
            let account: &'static Account = Box::leak(Box::default());
            accounts.push(account);
            account
        });
        account.is_open.store(true, Ordering::Relaxed);
        Self(account)
    }

    /// Charges all further SQLite allocations of this thread to the database.
    pub fn enter(&self) {
        CURRENT.set(Some(self.0));
    }
}

impl Drop for HeapQuota {
    fn drop(&mut self) {
        self.0.is_open.store(false, Ordering::Relaxed);
    }
}

impl Account {
    /// Charges `bytes` to the account. False, without a charge, if that exceeds a limit.
    fn charge(&self, bytes: usize) -> bool {
        let mut used = self.used.lock();
        let after = used.saturating_add(bytes);
        let borrowed = beyond_own(after) - beyond_own(*used);
        let lend = |lent: usize| lent.checked_add(borrowed).filter(|lent| *lent <= SHARED_BYTES);
        let fits = after <= MAX_HEAP_BYTES
            && (borrowed == 0 || SHARED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, lend).is_ok());
        if fits {
            *used = after;
        }
        fits
    }

    fn release(&self, bytes: usize) {
        let mut used = self.used.lock();
        let after = used.saturating_sub(bytes);
        SHARED.fetch_sub(beyond_own(*used) - beyond_own(after), Ordering::Relaxed);
        *used = after;
    }
}

const fn beyond_own(used: usize) -> usize {
    used.saturating_sub(OWN_BYTES)
}

/// Installs the allocator, and returns whether SQLite uses it. The first call must be before the first use of SQLite.
pub fn install() -> bool {
    static INSTALLED: OnceLock<bool> = OnceLock::new();
    *INSTALLED.get_or_init(|| {
        let methods = ffi::sqlite3_mem_methods {
            xMalloc: Some(malloc),
            xFree: Some(free),
            xRealloc: Some(grow),
            xSize: Some(size),
            xRoundup: Some(round_up),
            xInit: Some(init),
            xShutdown: Some(shut_down),
            pAppData: std::ptr::null_mut(),
        };
        // SAFETY: SQLite copies the methods; it refuses them once it has been used.
        unsafe { ffi::sqlite3_config(ffi::SQLITE_CONFIG_MALLOC, &raw const methods) == ffi::SQLITE_OK }
    })
}

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.checked_add(HEADER)?, ALIGN).ok()
}

unsafe extern "C" fn malloc(bytes: c_int) -> *mut c_void {
    let Some((bytes, layout)) = usize::try_from(bytes).ok().and_then(|bytes| Some((bytes, layout(bytes)?))) else {
        return std::ptr::null_mut();
    };
    let account = CURRENT.try_with(Cell::get).ok().flatten();
    if account.is_some_and(|account| !account.charge(bytes)) {
        return std::ptr::null_mut();
    }
    // SAFETY: the layout has at least the header's size.
    let block = unsafe { alloc(layout) };
    if block.is_null() {
        if let Some(account) = account {
            account.release(bytes);
        }
        return std::ptr::null_mut();
    }
    // SAFETY: the block begins with room for the header.
    unsafe { write_header(block, bytes, account) }
}

/// # Safety
/// `block` has at least `HEADER` bytes.
unsafe fn write_header(block: *mut u8, bytes: usize, account: Option<&'static Account>) -> *mut c_void {
    let header = block.cast::<(usize, Option<&'static Account>)>();
    // SAFETY: as the caller says; the alignment is that of the layout.
    unsafe { header.write((bytes, account)) };
    // SAFETY: the block has more than the header.
    unsafe { block.add(HEADER) }.cast()
}

/// The block, its length and its account.
///
/// # Safety
/// `memory` came from `malloc` or `grow`, and was not freed.
unsafe fn header_of(memory: *mut c_void) -> (*mut u8, usize, Option<&'static Account>) {
    // SAFETY: the header is directly before the memory that SQLite has.
    let block = unsafe { memory.cast::<u8>().sub(HEADER) };
    // SAFETY: the header was written when the block was allocated.
    let (bytes, account) = unsafe { block.cast::<(usize, Option<&'static Account>)>().read() };
    (block, bytes, account)
}

unsafe extern "C" fn free(memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: SQLite frees memory from this allocator, once.
    let (block, bytes, account) = unsafe { header_of(memory) };
    if let Some(account) = account {
        account.release(bytes);
    }
    if let Some(layout) = layout(bytes) {
        // SAFETY: the block was allocated with this layout.
        unsafe { dealloc(block, layout) };
    }
}

unsafe extern "C" fn grow(memory: *mut c_void, bytes: c_int) -> *mut c_void {
    // SAFETY: SQLite passes memory from this allocator.
    let (block, before, account) = unsafe { header_of(memory) };
    let Some((bytes, old, new)) =
        usize::try_from(bytes).ok().and_then(|bytes| Some((bytes, layout(before)?, layout(bytes)?)))
    else {
        return std::ptr::null_mut();
    };
    let (more, less) = (bytes.saturating_sub(before), before.saturating_sub(bytes));
    if account.is_some_and(|account| more > 0 && !account.charge(more)) {
        return std::ptr::null_mut();
    }
    // SAFETY: the block was allocated with the old layout, and the new size is not zero.
    let moved = unsafe { realloc(block, old, new.size()) };
    if moved.is_null() {
        if let Some(account) = account {
            account.release(more);
        }
        return std::ptr::null_mut();
    }
    if let Some(account) = account {
        account.release(less);
    }
    // SAFETY: the block begins with room for the header.
    unsafe { write_header(moved, bytes, account) }
}

unsafe extern "C" fn size(memory: *mut c_void) -> c_int {
    // SAFETY: SQLite passes memory from this allocator.
    let (_, bytes, _) = unsafe { header_of(memory) };
    c_int::try_from(bytes).unwrap_or(c_int::MAX)
}

unsafe extern "C" fn round_up(bytes: c_int) -> c_int {
    bytes.saturating_add(7) & !7
}

unsafe extern "C" fn init(_: *mut c_void) -> c_int {
    ffi::SQLITE_OK
}

unsafe extern "C" fn shut_down(_: *mut c_void) {}

#[cfg(test)]
mod tests {
    use super::{HeapQuota, MAX_HEAP_BYTES, OWN_BYTES, SHARED_BYTES};

    #[test]
    fn a_database_at_its_limit_leaves_the_others_their_reserve() {
        let (greedy, second, third, modest) = (HeapQuota::new(), HeapQuota::new(), HeapQuota::new(), HeapQuota::new());
        for share in [&greedy, &second] {
            assert!(share.0.charge(MAX_HEAP_BYTES), "two databases can reach the maximum");
            assert!(!share.0.charge(1));
        }
        let rest = SHARED_BYTES - 2 * (MAX_HEAP_BYTES - OWN_BYTES);
        assert!(third.0.charge(OWN_BYTES + rest));
        assert!(!third.0.charge(1));
        assert!(modest.0.charge(OWN_BYTES));
        assert!(!modest.0.charge(1));
        greedy.0.release(MAX_HEAP_BYTES);
        assert!(modest.0.charge(1));
        modest.0.release(OWN_BYTES + 1);
        second.0.release(MAX_HEAP_BYTES);
        third.0.release(OWN_BYTES + rest);
        let account = std::ptr::from_ref(modest.0);
        drop(modest);
        let next = [HeapQuota::new(), HeapQuota::new()];
        assert!(next.iter().any(|share| std::ptr::eq(share.0, account)), "the account is reused");
    }
}
