//! A bound on what one call may ask for. libFuzzer's own needs a sanitizer, and its bound on what is resident does
//! not see memory that is reserved and never touched.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    process,
    sync::atomic::{AtomicBool, Ordering},
};

/// Far more than any seed makes a decoder ask for at once.
const LIMIT: usize = 1 << 26;

static IS_BOUND: AtomicBool = AtomicBool::new(false);

/// From here on, asking for more than the limit at once is a failure.
pub fn bound() {
    IS_BOUND.store(true, Ordering::Relaxed);
}

struct Bounded;

#[global_allocator]
static ALLOCATOR: Bounded = Bounded;

fn check(size: usize) {
    if size > LIMIT && IS_BOUND.swap(false, Ordering::Relaxed) {
        eprintln!("{size} bytes are asked for at once");
        process::abort();
    }
}

// SAFETY: the system's allocator does everything.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        check(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        check(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        check(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(block, layout, size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(block, layout) }
    }
}
