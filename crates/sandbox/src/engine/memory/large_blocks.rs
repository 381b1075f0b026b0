//! The global allocator of this library: large blocks are mapped from the system, and unmapped when they are freed.
//!
//! glibc keeps freed blocks of up to 32 MB, and up to 64 MB at the end of each arena, of which there are several per
//! processor: an application with large results would hold hundreds of megabytes of unused memory. The settings of the
//! application's allocator are not changed; only allocations of this library are affected.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Blocks of at least this size get their own pages.
const LARGE: usize = 1 << 20;
/// The smallest page size.
const PAGE: usize = 4096;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: LargeBlocksApart = LargeBlocksApart;

/// Maps large blocks itself; small blocks come from the C library.
struct LargeBlocksApart;

/// Total size of the large blocks in use.
pub fn large_bytes() -> usize {
    IN_USE.load(Ordering::Relaxed)
}

fn is_large(size: usize, layout: Layout) -> bool {
    size >= LARGE && layout.align() <= PAGE
}

/// New zeroed pages; null on failure.
fn map(size: usize) -> *mut u8 {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: a new mapping at an address chosen by the system.
    let block = unsafe { libc::mmap(null_mut(), size, access, kind, -1, 0) };
    if block == libc::MAP_FAILED {
        return null_mut();
    }
    IN_USE.fetch_add(size, Ordering::Relaxed);
    block.cast()
}

// SAFETY: the layout alone decides whether a block is large, and it is passed again when the block is freed or resized, so each
// block is returned to its own allocator. Pages are aligned to at least the alignment of every large block.
unsafe impl GlobalAlloc for LargeBlocksApart {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout) {
            return map(layout.size());
        }
        // SAFETY: the caller fulfils the same contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout) {
            return map(layout.size());
        }
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if !is_large(layout.size(), layout) {
            // SAFETY: as above.
            return unsafe { System.dealloc(block, layout) };
        }
        IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `map` or `mremap` made it, with this size, and it is unused. On failure the pages stay mapped.
        let _failure = unsafe { libc::munmap(block.cast(), layout.size()) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (is_large(layout.size(), layout), is_large(size, layout)) {
            // SAFETY: the caller fulfils the same contract.
            (false, false) => unsafe { System.realloc(block, layout, size) },
            (true, true) => {
                // SAFETY: `map` or `mremap` made it, with this size.
                let moved = unsafe { libc::mremap(block.cast(), layout.size(), size, libc::MREMAP_MAYMOVE) };
                if moved == libc::MAP_FAILED {
                    return null_mut();
                }
                IN_USE.fetch_add(size, Ordering::Relaxed);
                IN_USE.fetch_sub(layout.size(), Ordering::Relaxed);
                moved.cast()
            }
            (true, false) | (false, true) => {
                // SAFETY: the caller promises that `size`, rounded up to the alignment, does not overflow.
                let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
                // SAFETY: the size is not zero, as the caller promises.
                let other = unsafe { self.alloc(wanted) };
                if !other.is_null() {
                    // SAFETY: both blocks have at least this length, and they do not overlap.
                    unsafe { block.copy_to_nonoverlapping(other, size.min(layout.size())) };
                    // SAFETY: the caller passes its ownership.
                    unsafe { self.dealloc(block, layout) };
                }
                other
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{LARGE, large_bytes};

    #[repr(align(65536))]
    struct Wide([u8; 65536]);

    #[test]
    fn content_survives_every_resize() {
        let sizes = [100, LARGE - 1, LARGE, LARGE + 1, 40 * LARGE, 3 * LARGE, LARGE, LARGE - 1, 16, 7 * LARGE];
        let mut block: Vec<u8> = Vec::new();
        for size in sizes {
            let kept = block.len().min(size);
            block.truncate(kept);
            block.shrink_to_fit();
            block.reserve_exact(size - kept);
            assert!(block.iter().enumerate().all(|(at, byte)| *byte == (at % 251) as u8), "{kept} to {size}");
            block.extend((kept..size).map(|at| (at % 251) as u8));
        }
        assert_eq!(vec![0_u8; 5 * LARGE].iter().find(|byte| **byte != 0), None);
    }

    #[test]
    fn large_blocks_are_counted_and_returned() {
        let before = large_bytes();
        let block = vec![1_u8; 10 * LARGE];
        assert_eq!(large_bytes() - before, 10 * LARGE);
        drop(block);
        assert_eq!(large_bytes(), before);
    }

    #[test]
    fn impossible_sizes_fail_and_large_alignments_go_to_the_system_allocator() {
        assert!(Vec::<u8>::new().try_reserve_exact(1 << 60).is_err());
        let before = large_bytes();
        let wide: Vec<Wide> = Vec::with_capacity(32);
        assert!(wide.as_ptr().addr().is_multiple_of(align_of::<Wide>()));
        assert_eq!(large_bytes(), before);
        assert_eq!(wide.first().map(|block| block.0.len()), None);
    }
}
