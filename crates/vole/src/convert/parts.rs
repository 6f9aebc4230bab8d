//! Numbers that are cut into parts, for converters without a generator.
//!
//! Each [`Functional`] spells some of a number's bits that stand together. Both its ends cut the
//! number, so that every functional is a sum of parts: `whole = low + 2^f high`. Each part is proven
//! by itself to have no more bits than its place, and no bit is proven twice.
//!
//! A part whose bits are committed over F_2 also is converted by edaBits. One whose bits are
//! committed nowhere else needs no bits over F_2: it takes nibbles ([`super::nibbles`]), unless
//! edaBits are cheaper, which they are for many wide numbers.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use super::{
    buckets,
    decomposition::{Bits, Decomposition, Functional, Targets},
    nibbles,
};
use crate::{
    error::VoleError,
    field::Fp,
    session::{Exchange, Session},
};

/// The sizes of the decompositions of a check: what they take follows from these, for both parties.
#[derive(Clone, Debug, Default)]
pub struct Sizes {
    /// Bits that are committed over F_2, and bits that are not.
    outputs: [usize; 2],
    /// Parts that are committed to since no functional is linear in them.
    committed: usize,
    /// For each width, how many parts have their bits committed over F_2, and how many have not.
    widths: BTreeMap<usize, [usize; 2]>,
}

impl Sizes {
    /// Adds decompositions of `count` numbers of so many bits. `over_both` says that the bits are
    /// committed over F_2. Each functional spells a range of places, and its values are linear or
    /// computed ([`Targets`]).
    pub fn add(
        &mut self,
        count: usize,
        width: usize,
        over_both: bool,
        functionals: &[(Range<usize>, bool)],
    ) {
        let place = usize::from(!over_both);
        if let Some(outputs) = self.outputs.get_mut(place) {
            *outputs += count * width;
        }
        let cut = Cut::new(functionals);
        self.committed += count * cut.committed();
        for part in &cut.parts {
            let counts = self.widths.entry(part.len()).or_default();
            if let Some(parts) = counts.get_mut(place) {
                *parts += count;
            }
        }
    }

    /// Of claims.
    pub(super) fn of<S: Session>(claims: &[Decomposition<S>]) -> Result<Self, VoleError> {
        let mut sizes = Self::default();
        for claim in claims {
            let functionals = spellings(claim)?;
            sizes.add(claim.count, claim.width, claim.over_both(), &functionals);
        }
        Ok(sizes)
    }

    pub(super) fn outputs(&self) -> [usize; 2] {
        self.outputs
    }

    /// Whether parts of a width whose bits are committed nowhere else take nibbles: whether this
    /// sends fewer bits for each than a bucket of edaBits beside all of that width.
    pub(super) fn takes_nibbles(&self, width: usize) -> bool {
        // Of a width that nothing counts (`add`) there are no parts.
        let [both, alone] = self.widths.get(&width).copied().unwrap_or_default();
        nibbles::bits_sent(width) <= buckets::bits_sent(width, both + alone)
    }

    /// How many numbers of each width edaBits convert.
    fn converted(&self) -> impl Iterator<Item = (usize, usize)> {
        self.widths.iter().map(|(&width, &[both, alone])| match self.takes_nibbles(width) {
            true => (width, both),
            false => (width, both + alone),
        })
    }

    /// Correlations that they take without a generator, over F_2 and over F_p. The masks of the proof
    /// are counted, and bits that are committed over F_2 by the statement are not.
    pub(super) fn without_generator(&self) -> (usize, usize) {
        let (mut bits, mut values) = buckets::demand(self.converted());
        values += self.committed;
        let mut degree = usize::from(values > 0) * 2;
        for (&width, &[_, alone]) in &self.widths {
            match self.takes_nibbles(width) {
                true if alone > 0 => {
                    values += alone * nibbles::committed(width);
                    degree = nibbles::MAX_DEGREE;
                }
                true => {}
                false => bits += alone * width,
            }
        }
        (bits, values + degree.saturating_sub(1))
    }
}

/// Where numbers are cut, and in which order their functionals determine the parts.
struct Cut {
    /// The places of the parts, which lie in some functional, from the lowest on.
    parts: Vec<Range<usize>>,
    /// For each functional, the shortest first: its number, and the parts that only it determines.
    order: Vec<Step>,
}

struct Step {
    functional: usize,
    /// The parts that it is the sum of.
    parts: Range<usize>,
    /// Those of them that are committed to.
    committed: Vec<usize>,
    /// The one that is what the others leave of the functional's value.
    left: Option<usize>,
}

impl Cut {
    fn new(functionals: &[(Range<usize>, bool)]) -> Self {
        let ends: BTreeSet<usize> =
            functionals.iter().flat_map(|(range, _)| [range.start, range.end]).collect();
        let ends: Vec<_> = ends.into_iter().collect();
        let pieces = ends.windows(2).filter_map(|pair| match pair {
            [start, end] => Some(*start..*end),
            _ => None,
        });
        let lies_in = |part: &Range<usize>, whole: &Range<usize>| {
            whole.start <= part.start && part.end <= whole.end
        };
        let spelled = |part: &Range<usize>| functionals.iter().any(|(f, _)| lies_in(part, f));
        let parts: Vec<_> = pieces.filter(spelled).collect();
        let mut shortest: Vec<_> = functionals.iter().enumerate().collect();
        // One that is computed determines no part.
        shortest.sort_by_key(|(_, (range, linear))| (!linear, range.len()));
        let mut known = BTreeSet::new();
        let steps = shortest.into_iter().map(|(functional, (range, linear))| {
            let own: Vec<_> = (0..).zip(&parts).filter(|(_, part)| lies_in(part, range)).collect();
            let first = own.first().map_or(0, |(number, _)| *number);
            let mut committed: Vec<usize> =
                own.iter().map(|(number, _)| *number).filter(|part| known.insert(*part)).collect();
            let left = if *linear { committed.pop() } else { None };
            Step { functional, parts: first..first + own.len(), committed, left }
        });
        let order = steps.collect();
        Self { parts, order }
    }

    /// Parts that are committed to.
    fn committed(&self) -> usize {
        self.order.iter().map(|step| step.committed.len()).sum()
    }
}

/// Parts of numbers, all of a width.
pub(super) struct Part<S: Session> {
    pub(super) width: usize,
    pub(super) values: Vec<S::Linear<Fp>>,
    pub(super) bits: Bits<S>,
}

/// Cuts the numbers of a claim. What is claimed of sums of parts is left to the check.
pub(super) fn cut<S: Exchange>(
    session: &mut S,
    claim: Decomposition<S>,
) -> Result<Vec<Part<S>>, VoleError> {
    let functionals = spellings(&claim)?;
    let cut = Cut::new(&functionals);
    let mut values: Vec<Vec<S::Linear<Fp>>> = vec![Vec::new(); cut.parts.len()];
    for step in &cut.order {
        for part in &step.committed {
            // The order names parts of this cut.
            let place = cut.parts.get(*part).cloned().unwrap_or_default();
            let number = |number| Fp::from(claim.spelled(number, &place));
            let own = || (0..claim.count).map(number).collect();
            if let Some(values) = values.get_mut(*part) {
                *values = session.commit::<Fp>(claim.count, own)?;
            }
        }
        let Some(functional) = claim.functionals.get(step.functional) else { continue };
        let known = sums::<S>(claim.count, &cut, step, &values);
        match (&functional.values, step.left) {
            (Targets::Computed(targets), _) => {
                for (target, known) in targets.iter().zip(&known) {
                    let rest = session.sub::<Fp>(target, &session.term::<Fp>(known));
                    session.assert_zero::<Fp>(rest)?;
                }
            }
            (Targets::Linear(targets), None) => {
                for (target, known) in targets.iter().zip(&known) {
                    session.assert_linear_zero::<Fp>(S::minus::<Fp>(target, known))?;
                }
            }
            (Targets::Linear(targets), Some(left)) => {
                let weight = Fp::from(1u64 << cut.place(step, left)).inverse();
                let rest = targets.iter().zip(&known).map(|(a, b)| S::minus::<Fp>(a, b));
                if let Some(values) = values.get_mut(left) {
                    *values = rest.map(|rest| S::scale::<Fp>(&rest, weight)).collect();
                }
            }
        }
    }
    let own: Vec<_> = match (&claim.bits, cut.parts.as_slice()) {
        // All bits of the numbers: they are moved.
        (Bits::Committed(_), [place]) if *place == (0..claim.width) => vec![claim.bits],
        _ => cut.parts.iter().map(|place| part_of_bits(&claim, place)).collect(),
    };
    let parts = cut.parts.iter().zip(values).zip(own);
    Ok(parts.map(|((place, values), bits)| Part { width: place.len(), values, bits }).collect())
}

/// The bits of one part of the numbers.
fn part_of_bits<S: Session>(claim: &Decomposition<S>, place: &Range<usize>) -> Bits<S> {
    match &claim.bits {
        Bits::Committed(bits) => {
            let numbers = bits.chunks_exact(claim.width.max(1));
            // Parts lie within the width (`spelled`).
            let own = numbers.flat_map(|bits| bits.get(place.clone()).unwrap_or_default());
            Bits::Committed(own.copied().collect())
        }
        Bits::Numbers(None) => Bits::Numbers(None),
        Bits::Numbers(Some(_)) => {
            let number = |number| claim.spelled(number, place);
            Bits::Numbers(Some((0..claim.count).map(number).collect()))
        }
    }
}

impl Cut {
    /// The place of a part within the functional of a step.
    fn place(&self, step: &Step, part: usize) -> usize {
        let start = |part: usize| self.parts.get(part).map_or(0, |part| part.start);
        start(part) - start(step.parts.start)
    }
}

/// What the parts of a functional that are known add up to.
fn sums<S: Session>(
    count: usize,
    cut: &Cut,
    step: &Step,
    values: &[Vec<S::Linear<Fp>>],
) -> Vec<S::Linear<Fp>> {
    let mut sums = vec![S::Linear::<Fp>::default(); count];
    for part in step.parts.clone().filter(|part| step.left != Some(*part)) {
        let weight = Fp::from(1u64 << cut.place(step, part));
        for (sum, value) in sums.iter_mut().zip(values.get(part).into_iter().flatten()) {
            *sum = S::plus::<Fp>(sum, &S::scale::<Fp>(value, weight));
        }
    }
    sums
}

/// The places that each functional spells, and whether its values are linear.
fn spellings<S: Session>(claim: &Decomposition<S>) -> Result<Vec<(Range<usize>, bool)>, VoleError> {
    let spelling = |functional: &Functional<S>| {
        Ok((spelled(functional)?, matches!(functional.values, Targets::Linear(_))))
    };
    claim.functionals.iter().map(spelling).collect()
}

/// The places of the bits that the functional puts together.
fn spelled<S: Session>(functional: &Functional<S>) -> Result<Range<usize>, VoleError> {
    let coefficients = &functional.coefficients;
    let start = coefficients.iter().take_while(|c| **c == Fp::default()).count();
    let powers = coefficients.iter().skip(start).zip(0..);
    let len = powers.take_while(|(c, place)| **c == Fp::from(1u64 << place)).count();
    match coefficients.iter().skip(start + len).all(|c| *c == Fp::default()) {
        true => Ok(start..start + len),
        false => Err(VoleError::Shape { what: "functional for edaBits" }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(functionals: &[(Range<usize>, bool)]) -> (Vec<Range<usize>>, usize) {
        let cut = Cut::new(functionals);
        let committed = cut.committed();
        (cut.parts, committed)
    }

    /// Bits are proven once, and only a computed value takes a commitment more.
    #[test]
    #[expect(clippy::single_range_in_vec_init, reason = "one part")]
    fn numbers_are_cut_where_functionals_end() {
        assert_eq!(parts(&[(0..8, true)]), (vec![0..8], 0));
        assert_eq!(parts(&[(0..8, false)]), (vec![0..8], 1));
        assert_eq!(parts(&[(0..8, true), (3..8, true)]), (vec![0..3, 3..8], 0));
        assert_eq!(parts(&[(0..8, false), (3..8, true)]), (vec![0..3, 3..8], 1));
        assert_eq!(parts(&[(0..8, true), (7..8, true), (0..8, true)]), (vec![0..7, 7..8], 0));
        assert_eq!(parts(&[(2..4, true), (6..8, true)]), (vec![2..4, 6..8], 0));
        assert_eq!(parts(&[(0..0, true)]), (vec![], 0));
    }

    /// Few numbers and narrow ones take digits, many wide ones edaBits.
    #[test]
    fn the_cheaper_way_is_taken() {
        let sizes = |count, width| {
            let mut sizes = Sizes::default();
            sizes.add(count, width, false, &[(0..width, true)]);
            sizes
        };
        for (count, width, nibbles) in
            [(1, 60, true), (1 << 20, 11, true), (4_096, 45, false), (1 << 20, 60, false)]
        {
            let sizes = sizes(count, width);
            assert_eq!(sizes.takes_nibbles(width), nibbles, "{count} {width}");
            let (bits, values) = sizes.without_generator();
            assert_eq!(bits == 0, nibbles);
            assert!(!nibbles || values == count * nibbles::committed(width) + 15);
        }
    }
}
