//! Conversion by cut and choose (Baum, Braun, Munch-Hansen, Razet and Scholl, CCS 2021, section 4).
//!
//! 1. The prover commits to random numbers r over F_p and to their bits over F_2 (edaBits), B for
//!    each number to convert and C more, and to as many daBits ([`super::seed`]).
//! 2. Both parties permute them at random. The last C are opened.
//! 3. For each number x and each r of its bucket, an adder over F_2 gives the bits of `x + r` and the
//!    carry. The bits are shown, the carry under a daBit, and `x + r - 2^k carry` must be what the
//!    shown bits spell.
//!
//! The carry into the lowest place is the public constant zero, and the permutation is uniform; a
//! wrong number passes only if its whole bucket is wrong in the same way and none was opened:
//! [`buckets`].

use std::collections::BTreeMap;

use super::{
    Bits, Decomposition, Functional, SeedProof, Targets,
    seed::{self, Pair, Rows},
};
use crate::{
    error::VoleError,
    field::{Fp, Gf64},
    params::Generator,
    prg::Prg,
    session::{Exchange, Party},
};

/// daBits are proven as the default generator's seeds are.
fn rows() -> Rows {
    Rows::of(Generator::default(), SeedProof::V1)
}

/// B, which is C too: the least from 3 on with `n / binom(nB + B, B) <= 2^-57`.
pub fn buckets(count: usize) -> usize {
    let log = |x: usize| (x as f64).log2();
    let chance = |b: usize| {
        let choices: f64 = (1..=b).map(|i| log(count * b + i) - log(i)).sum();
        log(count.max(1)) - choices
    };
    (3..).find(|&b| chance(b) <= -57.0).unwrap_or(usize::MAX)
}

/// Correlations that so many numbers of a width take, over F_2 and over F_p.
pub(super) fn demand(count: usize, width: usize) -> (usize, usize) {
    if count == 0 {
        return (0, 0);
    }
    let bucket = buckets(count);
    let used = count * bucket;
    let (bits, values) = seed::demand(rows(), used);
    (bits + (used + bucket) * width + used * width + 64, values + used + bucket + 1)
}

/// Numbers of a width, and their bits.
struct Group<S: Party> {
    width: usize,
    values: Vec<S::Linear<Fp>>,
    /// As in [`Bits::Committed`].
    bits: Vec<S::Linear<Gf64>>,
}

/// Turns the claims into products and zeros over both fields. Two round trips.
pub(crate) fn prepare<S: Exchange>(
    party: &mut S,
    claims: Vec<Decomposition<S>>,
) -> Result<(), VoleError> {
    let mut groups = BTreeMap::new();
    for claim in claims {
        split(party, claim, &mut groups)?;
    }
    for group in groups.into_values() {
        convert(party, &group)?;
    }
    Ok(())
}

/// Each functional is a number that some of the bits spell.
fn split<S: Exchange>(
    party: &mut S,
    claim: Decomposition<S>,
    groups: &mut BTreeMap<usize, Group<S>>,
) -> Result<(), VoleError> {
    let Decomposition { width, count, functionals, .. } = &claim;
    let bits = match &claim.bits {
        Bits::Committed(bits) => bits.clone(),
        Bits::Numbers(_) => party.commit::<Gf64>(count * width, || {
            (0..count * width).map(|index| claim.bit(index) == 1).collect()
        })?,
    };
    for functional in functionals {
        let places = spelled(functional)?;
        let values = match &functional.values {
            Targets::Linear(values) => values.clone(),
            Targets::Computed(values) => {
                let number = |i| {
                    let bits = places.clone().map(|place| u64::from(claim.bit(i * width + place)));
                    Fp::from(bits.rev().fold(0, |number, bit| number << 1 | bit))
                };
                let linear = party.commit::<Fp>(*count, || (0..*count).map(number).collect())?;
                for (value, own) in values.iter().zip(&linear) {
                    let difference = party.sub::<Fp>(value, &party.term::<Fp>(own));
                    party.assert_zero::<Fp>(difference)?;
                }
                linear
            }
        };
        let group = groups.entry(places.len()).or_insert_with(|| Group {
            width: places.len(),
            values: Vec::new(),
            bits: Vec::new(),
        });
        group.values.extend(values);
        for bits in bits.chunks_exact((*width).max(1)) {
            group.bits.extend(bits.get(places.clone()).unwrap_or_default());
        }
    }
    Ok(())
}

/// The places of the bits that the functional puts together.
fn spelled<S: Party>(functional: &Functional<S>) -> Result<std::ops::Range<usize>, VoleError> {
    let coefficients = &functional.coefficients;
    let start = coefficients.iter().take_while(|c| **c == Fp::default()).count();
    let powers = coefficients.iter().skip(start).zip(0..);
    let len = powers.take_while(|(c, place)| **c == Fp::from(1u64 << place)).count();
    match coefficients.iter().skip(start + len).all(|c| *c == Fp::default()) {
        true => Ok(start..start + len),
        false => Err(VoleError::Shape { what: "functional for edaBits" }),
    }
}

/// A uniform permutation of `0..count`.
fn permutation(generator: &Prg, count: usize) -> Vec<usize> {
    let mut places: Vec<_> = (0..count).collect();
    let words = generator.blocks(count);
    for (i, word) in (0..count).zip(words).rev() {
        // 64 bits of the word: 2^-64 from uniform for each number below i + 1.
        let chosen = (u128::from(word as u64) * (i as u128 + 1)) >> 64;
        places.swap(i, chosen as usize);
    }
    places
}

fn convert<S: Exchange>(party: &mut S, group: &Group<S>) -> Result<(), VoleError> {
    let Group { width, values, .. } = group;
    if values.is_empty() || *width == 0 {
        return values.iter().try_for_each(|value| party.assert_linear_zero(*value));
    }
    let bucket = buckets(values.len());
    let used = values.len() * bucket;
    let random = party.random::<Gf64>((used + bucket) * width)?;
    let numbers = party.commit::<Fp>(used + bucket, || {
        let number = |bits: &[S::Linear<Gf64>]| {
            let bits = bits.iter().rev().map(|bit| u64::from(S::peek::<Gf64>(bit)));
            Fp::from(bits.fold(0, |number, bit| number << 1 | bit))
        };
        random.chunks_exact(*width).map(number).collect()
    })?;
    let masks = seed::make(party, rows(), used)?;

    // Everything that is cut is fixed.
    let order = permutation(&Prg::new(party.toss("edaBit permutation")?), used + bucket);
    let (kept, opened) = order.split_at(used);
    open(party, *width, opened, &random, &numbers)?;
    add(party, group, bucket, kept, &Pair { bits: random, values: numbers }, &masks)
}

/// Shows some of the random numbers and their bits.
fn open<S: Exchange>(
    party: &mut S,
    width: usize,
    opened: &[usize],
    random: &[S::Linear<Gf64>],
    numbers: &[S::Linear<Fp>],
) -> Result<(), VoleError> {
    let bits: Vec<_> = opened
        .iter()
        .flat_map(|index| random.get(index * width..(index + 1) * width).unwrap_or_default())
        .copied()
        .collect();
    let shown: Vec<_> = opened.iter().filter_map(|index| numbers.get(*index)).copied().collect();
    let bits = party.reveal_linear::<Gf64>(&bits)?;
    let shown = party.reveal_linear::<Fp>(&shown)?;
    party.refuse_unless("opened edaBits", || {
        let spelled = bits.chunks_exact(width).map(|bits| {
            Fp::from(bits.iter().rev().fold(0, |number, bit| number << 1 | u64::from(*bit)))
        });
        spelled.eq(shown.iter().copied())
    })
}

/// Step 3.
fn add<S: Exchange>(
    party: &mut S,
    group: &Group<S>,
    bucket: usize,
    kept: &[usize],
    random: &Pair<S>,
    masks: &Pair<S>,
) -> Result<(), VoleError> {
    let width = group.width;
    // For each sum: the number's bits and the random bits.
    let addends: Vec<_> = kept
        .iter()
        .enumerate()
        .map(|(place, &index)| {
            let number = place / bucket;
            let bits = |of: &'_ [S::Linear<Gf64>], i: usize| {
                of.get(i * width..(i + 1) * width).unwrap_or_default().to_vec()
            };
            (bits(&group.bits, number), bits(&random.bits, index))
        })
        .collect();
    let carries = party.commit::<Gf64>(kept.len() * width, || {
        let mut carries = Vec::with_capacity(kept.len() * width);
        for (x, r) in &addends {
            let mut carry = false;
            for (x, r) in x.iter().zip(r) {
                let (x, r) = (S::peek::<Gf64>(x), S::peek::<Gf64>(r));
                carry ^= (x ^ carry) & (r ^ carry);
                carries.push(carry);
            }
        }
        carries
    })?;
    let mut shown = Vec::with_capacity(kept.len() * (width + 1));
    for (((x, r), carries), mask) in
        addends.iter().zip(carries.chunks_exact(width)).zip(&masks.bits)
    {
        let mut carry = S::Linear::<Gf64>::default();
        for ((x, r), next) in x.iter().zip(r).zip(carries) {
            let (with_x, with_r) = (S::plus::<Gf64>(x, &carry), S::plus::<Gf64>(r, &carry));
            shown.push(S::plus::<Gf64>(&with_x, r));
            let difference = S::plus::<Gf64>(next, &carry);
            party.assert_product::<Gf64>([with_x, with_r], difference)?;
            carry = *next;
        }
        shown.push(S::plus::<Gf64>(&carry, mask));
    }
    let shown = party.reveal_linear::<Gf64>(&shown)?;

    let sums = kept.iter().enumerate().zip(shown.chunks_exact(width + 1)).zip(&masks.values);
    for (((place, &index), shown), mask) in sums {
        let Some((flipped, bits)) = shown.split_last() else { continue };
        let (Some(x), Some(r)) = (group.values.get(place / bucket), random.values.get(index))
        else {
            continue;
        };
        let spelled = bits.iter().rev().fold(0, |number, bit| number << 1 | u64::from(*bit));
        let power = Fp::from(1 << width);
        // The carry is the mask, or one less the mask.
        let carry = match flipped {
            true => party.shift::<Fp>(&S::scale::<Fp>(mask, -power), power),
            false => S::scale::<Fp>(mask, power),
        };
        let sum = party.shift::<Fp>(&S::plus::<Fp>(x, r), -Fp::from(spelled));
        let claim = S::minus::<Fp>(&sum, &carry);
        party.assert_linear_zero(claim)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sizes of the specification.
    #[test]
    fn buckets_are_large_enough() {
        let expected =
            [(1_024, 7), (4_096, 6), (1 << 14, 5), (1 << 17, 5), (1 << 18, 4), (1 << 20, 4)];
        for (count, expected) in expected {
            assert_eq!(buckets(count), expected, "{count}");
        }
    }

    #[test]
    fn permutations_are_permutations() {
        let mut order = permutation(&Prg::new(1), 1_000);
        assert_ne!(order, (0..1_000).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..1_000).collect::<Vec<_>>());
    }
}
