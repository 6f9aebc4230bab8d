//! Points on their way through programs of doublings and additions, each at its own pace.

use super::{
    Kernel, LaneField, Lanes,
    additions::{Batch, NEGATIVE, Point, Source, add_pairs},
};

/// Points that start as neutral ones, each with a program of steps: 0 doubles, `1 + 2e` adds entry e
/// of the point's table, `2 + 2e` subtracts it.
pub struct Steps<'a, F: LaneField> {
    /// Entry e of the point i at `e · ranges.len() + i`.
    pub(crate) tables: &'a [Point<F>],
    /// The programs.
    pub(crate) steps: &'a [u8],
    /// Where each point's program is.
    pub(crate) ranges: &'a [(usize, usize)],
}

/// A point that has steps left.
#[derive(Clone, Copy)]
struct Runner {
    point: usize,
    /// Its place among the sums of the last round.
    sum: usize,
    next: usize,
    end: usize,
}

impl<F: LaneField> Kernel for Steps<'_, F> {
    type Output = Vec<Point<F>>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Vec<Point<F>> {
        let Self { tables, steps, ranges } = self;
        let count = ranges.len();
        let mut results = vec![Point::NEUTRAL; count];
        let mut batch = Batch::<F, L>::new(count);
        let mut runners: Vec<_> = ranges
            .iter()
            .enumerate()
            .map(|(point, &(next, end))| Runner { point, sum: point, next, end })
            .collect();
        let mut sums = vec![Point::NEUTRAL; count.next_multiple_of(8)];
        let mut next_sums = sums.clone();
        let neutral = [Point::NEUTRAL];
        let blank = (tables.len() + sums.len()) as u32;
        let (mut doubled, mut added, mut pairs) = (Vec::new(), Vec::new(), Vec::new());
        loop {
            // Doublings and additions each make batches of their own.
            doubled.clear();
            added.clear();
            for runner in &runners {
                match steps.get(runner.next) {
                    _ if runner.next >= runner.end => results[runner.point] = sums[runner.sum],
                    Some(0) => doubled.push(*runner),
                    _ => added.push(*runner),
                }
            }
            if doubled.is_empty() && added.is_empty() {
                return results;
            }
            runners.clear();
            pairs.clear();
            for runner in doubled.iter().chain(&added) {
                let sum = (tables.len() + runner.sum) as u32;
                let other = match steps[runner.next] {
                    0 => sum,
                    step => {
                        let entry = usize::from((step - 1) >> 1) * count + runner.point;
                        entry as u32 | if step & 1 == 1 { 0 } else { NEGATIVE }
                    }
                };
                runners.push(Runner { sum: pairs.len(), next: runner.next + 1, ..*runner });
                pairs.push([sum, other]);
            }
            let source = Source { first: tables, second: &sums, sums: &neutral };
            add_pairs(&mut batch, source, &pairs, blank, &mut next_sums);
            std::mem::swap(&mut sums, &mut next_sums);
        }
    }
}
