//! SQLite's memory, by database. SQLite has one heap for the whole process and one limit for all of it, so that one database
//! could leave none to the others. Here every block is held against the database that it was made for, and that one alone is
//! refused more.
//!
//! Connections have threads of their own, so the thread says whose a block is; a thread without a database is not limited.
#![expect(unsafe_code, reason = "SQLite takes its allocator as C functions")]

use parking_lot::Mutex;
use rusqlite::ffi;
use std::alloc::{Layout, alloc, dealloc, realloc};
use std::cell::Cell;
use std::ffi::{c_int, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// What one database may use: pages, values, sorting, prepared statements. Two may have that much at once.
pub const MAX_HEAP_BYTES: usize = 40 << 20;
/// What each database has, whatever the others use.
const OWN_BYTES: usize = 8 << 20;
/// What all databases of the process may use beyond that, together.
const SHARED_BYTES: usize = 80 << 20;

/// In front of every block: its length, and whose it is.
const HEADER: usize = 16;
const ALIGN: usize = 16;

/// What a database uses.
#[derive(Debug, Default)]
struct Account {
    /// Under a lock: what is borrowed follows from what it was before.
    used: Mutex<usize>,
    is_open: AtomicBool,
}

/// All there ever were: memory may outlive its database for a moment, so none is freed, and each is used again.
static ACCOUNTS: Mutex<Vec<&'static Account>> = Mutex::new(Vec::new());
/// What the databases use beyond their own.
static SHARED: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    static CURRENT: Cell<Option<&'static Account>> = const { Cell::new(None) };
}

/// A database's share of the heap.
#[derive(Debug)]
pub struct HeapShare(&'static Account);

impl HeapShare {
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

    /// From now on what this thread asks SQLite for is held against the database.
    pub fn enter(&self) {
        CURRENT.set(Some(self.0));
    }
}

impl Drop for HeapShare {
    fn drop(&mut self) {
        self.0.is_open.store(false, Ordering::Relaxed);
    }
}

impl Account {
    /// Whether `bytes` more may be used; they are from then on.
    fn take(&self, bytes: usize) -> bool {
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

    fn give_back(&self, bytes: usize) {
        let mut used = self.used.lock();
        let after = used.saturating_sub(bytes);
        SHARED.fetch_sub(beyond_own(*used) - beyond_own(after), Ordering::Relaxed);
        *used = after;
    }
}

const fn beyond_own(used: usize) -> usize {
    used.saturating_sub(OWN_BYTES)
}

/// Whether SQLite uses this heap. The first call decides; it must come before SQLite is used for the first time.
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
    if account.is_some_and(|account| !account.take(bytes)) {
        return std::ptr::null_mut();
    }
    // SAFETY: the layout has at least the header's size.
    let block = unsafe { alloc(layout) };
    if block.is_null() {
        if let Some(account) = account {
            account.give_back(bytes);
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

/// The block, its length and whose it is.
///
/// # Safety
/// `memory` came from `malloc` or `grow`, and was not freed.
unsafe fn header_of(memory: *mut c_void) -> (*mut u8, usize, Option<&'static Account>) {
    // SAFETY: the header is in front of what SQLite has.
    let block = unsafe { memory.cast::<u8>().sub(HEADER) };
    // SAFETY: it was written there when the block was made.
    let (bytes, account) = unsafe { block.cast::<(usize, Option<&'static Account>)>().read() };
    (block, bytes, account)
}

unsafe extern "C" fn free(memory: *mut c_void) {
    if memory.is_null() {
        return;
    }
    // SAFETY: SQLite frees what it has got here, once.
    let (block, bytes, account) = unsafe { header_of(memory) };
    if let Some(account) = account {
        account.give_back(bytes);
    }
    if let Some(layout) = layout(bytes) {
        // SAFETY: the block was made with this layout.
        unsafe { dealloc(block, layout) };
    }
}

unsafe extern "C" fn grow(memory: *mut c_void, bytes: c_int) -> *mut c_void {
    // SAFETY: SQLite passes what it has got here.
    let (block, before, account) = unsafe { header_of(memory) };
    let Some((bytes, old, new)) =
        usize::try_from(bytes).ok().and_then(|bytes| Some((bytes, layout(before)?, layout(bytes)?)))
    else {
        return std::ptr::null_mut();
    };
    let (more, less) = (bytes.saturating_sub(before), before.saturating_sub(bytes));
    if account.is_some_and(|account| more > 0 && !account.take(more)) {
        return std::ptr::null_mut();
    }
    // SAFETY: the block was made with the old layout, and the new size is not zero.
    let moved = unsafe { realloc(block, old, new.size()) };
    if moved.is_null() {
        if let Some(account) = account {
            account.give_back(more);
        }
        return std::ptr::null_mut();
    }
    if let Some(account) = account {
        account.give_back(less);
    }
    // SAFETY: the block begins with room for the header.
    unsafe { write_header(moved, bytes, account) }
}

unsafe extern "C" fn size(memory: *mut c_void) -> c_int {
    // SAFETY: SQLite asks about what it has got here.
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
    use super::{HeapShare, MAX_HEAP_BYTES, OWN_BYTES, SHARED_BYTES};

    #[test]
    fn one_that_uses_much_leaves_the_others_their_own() {
        let (greedy, second, third, modest) = (HeapShare::new(), HeapShare::new(), HeapShare::new(), HeapShare::new());
        for share in [&greedy, &second] {
            assert!(share.0.take(MAX_HEAP_BYTES), "two may use all that one may use");
            assert!(!share.0.take(1));
        }
        let rest = SHARED_BYTES - 2 * (MAX_HEAP_BYTES - OWN_BYTES);
        assert!(third.0.take(OWN_BYTES + rest));
        assert!(!third.0.take(1));
        assert!(modest.0.take(OWN_BYTES));
        assert!(!modest.0.take(1));
        greedy.0.give_back(MAX_HEAP_BYTES);
        assert!(modest.0.take(1));
        modest.0.give_back(OWN_BYTES + 1);
        second.0.give_back(MAX_HEAP_BYTES);
        third.0.give_back(OWN_BYTES + rest);
        let account = std::ptr::from_ref(modest.0);
        drop(modest);
        let next = [HeapShare::new(), HeapShare::new()];
        assert!(next.iter().any(|share| std::ptr::eq(share.0, account)), "it is used again");
    }
}
