//! Which combinations of sums are about few rows: exact linear algebra.

use num_bigint::BigInt;

/// Sets of segments that are tried one by one.
const MAX_TRIES: usize = 1 << 12;

/// `Σ wᵢ·xᵢ = value` over the sums `xᵢ` of segments, in integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Equation {
    pub(super) weights: Vec<BigInt>,
    pub(super) value: BigInt,
}

impl Equation {
    fn is_about(&self, segment: usize) -> bool {
        self.weights.get(segment).is_some_and(|weight| *weight != BigInt::ZERO)
    }

    fn weight(&self, segment: usize) -> BigInt {
        // Equations have a weight for every segment.
        self.weights.get(segment).cloned().unwrap_or_default()
    }

    /// How many rows it is about.
    fn rows(&self, rows: &[u64]) -> u64 {
        let about = rows.iter().enumerate().filter(|(segment, _)| self.is_about(*segment));
        about.map(|(_, rows)| rows).sum()
    }
}

/// What was found.
pub(super) struct Search {
    pub(super) found: Vec<Equation>,
    /// Whether everything was tried.
    pub(super) complete: bool,
}

/// Looks for combinations about fewer than `least` rows; `rows` are those of the segments.
///
/// Such a combination vanishes on every segment with so many rows. Those that do are a space; if it is
/// nothing, there is none. Otherwise its members are tried, first those of a basis.
pub(super) fn search(equations: &[Equation], rows: &[u64], least: u64) -> Search {
    let light = |segment: &usize| rows.get(*segment).is_some_and(|rows| *rows < least);
    let light: Vec<usize> = (0..rows.len()).filter(light).collect();
    let space = supported(equations, &light);
    let (mut found, rest): (Vec<_>, Vec<_>) =
        space.iter().cloned().partition(|one| one.rows(rows) < least);
    if rest.is_empty() {
        return Search { found, complete: true };
    }
    let segments =
        light.into_iter().filter(|at| rest.iter().any(|one| one.is_about(*at))).collect();
    let mut tries = Tries { space: &rest, rows, segments, left: MAX_TRIES, found: Vec::new() };
    tries.go(0, least, &mut Vec::new());
    found.append(&mut tries.found);
    Search { found, complete: tries.left > 0 }
}

/// A basis of the combinations that are about none but the segments `inside`.
fn supported(equations: &[Equation], inside: &[usize]) -> Vec<Equation> {
    let width = equations.first().map_or(0, |one| one.weights.len());
    let outside = (0..width).filter(|segment| !inside.contains(segment));
    let mut rows = equations.to_vec();
    let pivots = eliminate(&mut rows, outside.chain(inside.iter().copied()));
    let kept = pivots.iter().map(|pivot| inside.contains(pivot));
    rows.into_iter().zip(kept).filter(|(_, kept)| *kept).map(|(row, _)| row).collect()
}

/// Gauss and Jordan without fractions, after Bareiss: all divisions are exact. The pivots of the first rows;
/// the others are 0.
fn eliminate(rows: &mut [Equation], columns: impl Iterator<Item = usize>) -> Vec<usize> {
    let (mut pivots, mut last) = (Vec::new(), BigInt::from(1));
    for column in columns {
        let done = pivots.len();
        let Some(found) = rows.iter().skip(done).position(|row| row.is_about(column)) else {
            continue;
        };
        rows.swap(done, done + found);
        let Some(pivot) = rows.get(done).cloned() else { break };
        let factor = pivot.weight(column);
        for (_, row) in rows.iter_mut().enumerate().filter(|(at, _)| *at != done) {
            let other = row.weight(column);
            let reduce = |value: &mut BigInt, by: &BigInt| {
                *value = (&*value * &factor - by * &other) / &last;
            };
            row.weights.iter_mut().zip(&pivot.weights).for_each(|(value, by)| reduce(value, by));
            reduce(&mut row.value, &pivot.value);
        }
        pivots.push(column);
        last = factor;
    }
    pivots
}

/// Goes through the sets of segments with few rows.
struct Tries<'a> {
    space: &'a [Equation],
    rows: &'a [u64],
    segments: Vec<usize>,
    left: usize,
    found: Vec<Equation>,
}

impl Tries<'_> {
    /// Adds segments from one on, which may have fewer than `left` rows together, to a set.
    fn go(&mut self, from: usize, left: u64, set: &mut Vec<usize>) {
        for at in from..self.segments.len() {
            let Some(segment) = self.segments.get(at).copied() else { return };
            // Segments are places in `rows`.
            let rows = self.rows.get(segment).copied().unwrap_or_default();
            if rows >= left || self.left == 0 {
                continue;
            }
            self.left -= 1;
            set.push(segment);
            let mut inside = supported(self.space, set);
            match inside.is_empty() {
                true => self.go(at + 1, left - rows, set),
                false => self.found.append(&mut inside),
            }
            set.pop();
        }
    }
}
