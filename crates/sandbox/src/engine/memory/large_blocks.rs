//! The allocator of this library: large blocks come from the system, and go back to it when they are freed.
//!
//! glibc keeps freed blocks of up to 32 MB, and as much as 64 MB at the end of each arena, of which there are several for
//! every processor: an application with large results would hold hundreds of megabytes that nobody uses. How the
//! application's own memory is kept is none of our business, so only what this library allocates is taken out of there.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Blocks from here on are given pages of their own.
const LARGE: usize = 1 << 20;
/// What every page can be trusted to be aligned to.
const PAGE: usize = 4096;

static IN_USE: AtomicUsize = AtomicUsize::new(0);

#[global_allocator]
static ALLOCATOR: LargeBlocksApart = LargeBlocksApart;

/// Leaves small blocks to the C library.
struct LargeBlocksApart;

/// What the large blocks come to.
pub fn large_bytes() -> usize {
    IN_USE.load(Ordering::Relaxed)
}

fn is_large(size: usize, layout: Layout) -> bool {
    size >= LARGE && layout.align() <= PAGE
}

/// Fresh pages, which are zero; null when there are none.
fn map(size: usize) -> *mut u8 {
    let (access, kind) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
    // SAFETY: it is a mapping of its own, at a place that the system chooses.
    let block = unsafe { libc::mmap(null_mut(), size, access, kind, -1, 0) };
    if block == libc::MAP_FAILED {
        return null_mut();
    }
    IN_USE.fetch_add(size, Ordering::Relaxed);
    block.cast()
}

// SAFETY: a block is large or not by its layout alone, which whoever frees or resizes it has to name again; so each comes back
// to where it is from. Pages are aligned to more than any large block asks for.
unsafe impl GlobalAlloc for LargeBlocksApart {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(layout.size(), layout) {
            return map(layout.size());
        }
        // SAFETY: the caller's promises are the ones that are asked for.
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
        // SAFETY: `map` or `mremap` made it, with this size, and nobody uses it any more. What could not be unmapped stays.
        let _stays = unsafe { libc::munmap(block.cast(), layout.size()) };
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        match (is_large(layout.size(), layout), is_large(size, layout)) {
            // SAFETY: the caller's promises are the ones that are asked for.
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
                // SAFETY: the caller promises that `size`, rounded up to the alignment, is no overflow.
                let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
                // SAFETY: it is not empty: one of the two is large, and the caller promises it of `size`.
                let other = unsafe { self.alloc(wanted) };
                if !other.is_null() {
                    // SAFETY: both are as long as that, and they are two.
                    unsafe { block.copy_to_nonoverlapping(other, size.min(layout.size())) };
                    // SAFETY: the caller gives it up.
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
    fn blocks_keep_what_is_in_them_over_every_change_of_their_size() {
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
    fn large_blocks_are_counted_and_go_back() {
        let before = large_bytes();
        let block = vec![1_u8; 10 * LARGE];
        assert_eq!(large_bytes() - before, 10 * LARGE);
        drop(block);
        assert_eq!(large_bytes(), before);
    }

    #[test]
    fn what_cannot_be_had_is_refused_and_what_is_strangely_aligned_is_left_to_others() {
        assert!(Vec::<u8>::new().try_reserve_exact(1 << 60).is_err());
        let before = large_bytes();
        let wide: Vec<Wide> = Vec::with_capacity(32);
        assert!(wide.as_ptr().addr().is_multiple_of(align_of::<Wide>()));
        assert_eq!(large_bytes(), before);
        assert_eq!(wide.first().map(|block| block.0.len()), None);
    }
}
