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
    use super::{LARGE, LargeBlocksApart};
    use std::alloc::{GlobalAlloc, Layout};

    /// The first and the last byte of a block, and one in the middle.
    fn places(size: usize) -> [usize; 3] {
        [0, size / 2, size - 1]
    }

    #[test]
    fn blocks_keep_what_is_in_them_over_every_change_of_their_size() {
        let sizes = [100, LARGE - 1, LARGE, LARGE + 1, 40 * LARGE, 3 * LARGE, LARGE, LARGE - 1, 16, 7 * LARGE];
        let layout = |size| Layout::from_size_align(size, 16).unwrap();
        // SAFETY: every block is used within its size, resized and freed with the layout that it has.
        unsafe {
            let mut block = LargeBlocksApart.alloc_zeroed(layout(sizes[0]));
            assert_eq!(places(sizes[0]).map(|at| *block.add(at)), [0; 3]);
            for pair in sizes.windows(2) {
                let [now, next] = [pair[0], pair[1]];
                places(now).into_iter().zip(1..).for_each(|(at, mark)| *block.add(at) = mark);
                block = LargeBlocksApart.realloc(block, layout(now), next);
                assert!(!block.is_null());
                assert_eq!(*block, 1);
                if next >= now {
                    assert_eq!(places(now).map(|at| *block.add(at)), [1, 2, 3], "{now} to {next}");
                }
            }
            LargeBlocksApart.dealloc(block, layout(7 * LARGE));
            let zeroed = LargeBlocksApart.alloc_zeroed(layout(5 * LARGE));
            assert_eq!(places(5 * LARGE).map(|at| *zeroed.add(at)), [0; 3]);
            LargeBlocksApart.dealloc(zeroed, layout(5 * LARGE));
        }
    }

    #[test]
    fn what_cannot_be_had_is_null_and_what_is_strangely_aligned_is_left_to_others() {
        let huge = Layout::from_size_align(1 << 60, 8).unwrap();
        let aligned = Layout::from_size_align(2 * LARGE, 1 << 16).unwrap();
        // SAFETY: nothing is used before it is seen to be there; what is, is freed with its layout.
        unsafe {
            assert!(LargeBlocksApart.alloc(huge).is_null());
            let block = LargeBlocksApart.alloc(aligned);
            assert!(!block.is_null() && block.addr() % (1 << 16) == 0);
            LargeBlocksApart.dealloc(block, aligned);
        }
    }
}
