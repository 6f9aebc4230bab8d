//! Work on all threads of the current rayon pool, without another copy of rayon's code for each closure.
//!
//! rayon compiles some two thousand lines of its own for every closure that it gets, and four times as many if the
//! closure is generic over four groups. Here rayon sees only one closure, which calls the work by address. This is for
//! work on whole chunks: there the cost of the call by address, and of a lock for each result, does not matter.
//!
//! ```
//! use algebra::parallel;
//!
//! let mut numbers: Vec<u64> = (0..10).collect();
//! assert_eq!(parallel::chunks(&numbers, 4, |_, chunk| chunk.iter().sum::<u64>()), [6, 22, 17]);
//! parallel::chunks_mut(&mut numbers, 4, |index, chunk| chunk.fill(index as u64));
//! assert_eq!(numbers, [0, 0, 0, 0, 1, 1, 1, 1, 2, 2]);
//! ```

use std::sync::{Mutex, PoisonError};

use rayon::prelude::*;

/// Calls `work` with every index below `count`.
pub fn for_each(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

/// Does both at once.
pub fn join(one: &mut (dyn FnMut() + Send), other: &mut (dyn FnMut() + Send)) {
    rayon::join(one, other);
}

/// What `work` gives for every index below `count`, in order.
pub fn map<U: Send>(count: usize, work: impl Fn(usize) -> U + Sync) -> Vec<U> {
    let mut results: Vec<Option<U>> = (0..count).map(|_| None).collect();
    each_mut(&mut results, |index, result| *result = Some(work(index)));
    // Every index was worked on.
    results.into_iter().flatten().collect()
}

/// What `work` gives for the number of every chunk of `size` items, and the chunk, of which the last may be shorter.
///
/// # Panics
/// If the size is 0, as do all functions on chunks.
pub fn chunks<T: Sync, U: Send>(
    items: &[T],
    size: usize,
    work: impl Fn(usize, &[T]) -> U + Sync,
) -> Vec<U> {
    map(items.len().div_ceil(size), |index| work(index, chunk(items, size, index)))
}

/// Calls `work` with the number of every chunk of `size` items, and the chunk.
pub fn chunks_mut<T: Send>(items: &mut [T], size: usize, work: impl Fn(usize, &mut [T]) + Sync) {
    let mut chunks: Vec<_> = items.chunks_mut(size).collect();
    each_mut(&mut chunks, |index, chunk| work(index, chunk));
}

/// Calls `work` with the index of every item, and the item.
pub fn each_mut<T: Send>(items: &mut [T], work: impl Fn(usize, &mut T) + Sync) {
    let items: Vec<_> = items.iter_mut().map(Mutex::new).collect();
    for_each(items.len(), &|index| {
        if let Some(item) = items.get(index) {
            // Nobody else takes it: it is not poisoned.
            work(index, &mut item.lock().unwrap_or_else(PoisonError::into_inner));
        }
    });
}

/// The chunk of this number, of chunks of `size` items; empty beyond the last.
pub fn chunk<T>(items: &[T], size: usize, index: usize) -> &[T] {
    let start = index.saturating_mul(size).min(items.len());
    let end = start.saturating_add(size).min(items.len());
    items.get(start..end).unwrap_or_default()
}
