//! Checks of many things at once, and what is wrong if they fail.

use std::ops::Range;

/// Checks `count` things in one: `hold` says of a range of them whether all hold together. If they do not, halves are
/// checked until one thing is left.
///
/// ```
/// use algebra::batch;
///
/// let numbers = [2, 4, 5, 8, 9];
/// let are_even = |range: std::ops::Range<usize>| numbers[range].iter().all(|number| number % 2 == 0);
/// assert_eq!(batch::check(numbers.len(), are_even), Err(2));
/// ```
///
/// # Errors
/// The index of the first that is wrong; 0 if there is none and `hold` refuses.
pub fn check(count: usize, mut hold: impl FnMut(Range<usize>) -> bool) -> Result<(), usize> {
    if hold(0..count) {
        return Ok(());
    }
    let mut wrong = 0..count;
    while wrong.len() > 1 {
        let middle = wrong.start + wrong.len() / 2;
        wrong = if hold(wrong.start..middle) { middle..wrong.end } else { wrong.start..middle };
    }
    Err(wrong.start)
}
