//! Conversion by cut and choose (Baum, Braun, Munch-Hansen, Razet and Scholl, CCS 2021, section 4).
//!
//! 1. The prover commits to random numbers r over F_p and to their bits over F_2 (edaBits), B for
//!    each number to convert and C more.
//! 2. Both parties permute them at random. The last C are opened.
//! 3. For each number x and each r of its bucket, the prover shows the k bits c of `x + r mod 2^k`,
//!    and commits to the carry out of the highest place over F_2. The carries within are linear in
//!    what is known then, and claims about them make the sum right ([`super::addition`]).
//! 4. Over F_p the carry out of the highest place is `(x + r - c) / 2^k`, linear as well. That all
//!    these are bits, and the same as over F_2, is proven as it is for a seed ([`super::seed`]).
//!
//! The paper has the prover commit to every carry, and mask the last one by a bit that is committed
//! over both fields (daBit): twice the correlations over either field. Shown is the same: `x + r mod
//! 2^k` for a fresh uniform r. The permutation is uniform; a wrong number passes only if its whole
//! bucket is wrong in the same way and none was opened: [`buckets`].

use std::collections::BTreeMap;

use rayon::prelude::*;
use zeroize::Zeroizing;

use super::{
    addition::{self, Additions},
    buckets::{buckets, rows},
    decomposition::{Bits, Decomposition, spell},
    nibbles,
    parts::{self, Part, Sizes},
    seed::{self, Pair},
};
use crate::{
    error::VoleError,
    field::{Fp, Gf64},
    prg::Prg,
    session::{Exchange, Session},
};

/// Numbers of a width, and their bits.
struct Group<S: Session> {
    width: usize,
    values: Vec<S::Linear<Fp>>,
    /// As in [`Bits::Committed`].
    bits: Vec<S::Linear<Gf64>>,
}

/// Numbers to convert, and the random numbers that are cut for them.
struct Cut<S: Session> {
    group: Group<S>,
    bucket: usize,
    random: Pair<S>,
}

/// Correlations that are taken from the stock at once: it frees memory as they are.
const TAKEN: usize = 1 << 20;

impl<S: Exchange> Cut<S> {
    /// Step 1.
    fn commit(session: &mut S, group: Group<S>) -> Result<Self, VoleError> {
        let bucket = buckets(group.values.len());
        let count = (group.values.len() + 1) * bucket;
        let total = count * group.width;
        let mut bits = Vec::with_capacity(total);
        for start in (0..total).step_by(TAKEN) {
            bits.append(&mut session.random::<Gf64>(TAKEN.min(total - start))?);
        }
        let values = session.commit::<Fp>(count, || {
            let number =
                |bits: &[S::Linear<Gf64>]| Fp::from(spell(bits.iter().map(S::peek::<Gf64>)));
            bits.par_chunks_exact(group.width).map(number).collect()
        })?;
        Ok(Self { group, bucket, random: Pair { bits, values } })
    }

    /// Random numbers that are not opened.
    fn used(&self) -> usize {
        self.group.values.len() * self.bucket
    }
}

/// Turns the claims into products and zeros over both fields. Two round trips, whatever the widths,
/// and none if nothing is committed over both fields.
pub(crate) fn prepare<S: Exchange>(
    session: &mut S,
    claims: Vec<Decomposition<S>>,
) -> Result<(), VoleError> {
    let sizes = Sizes::of(&claims)?;
    // One extension for all that follows, if there is none in stock.
    let (bits, values) = sizes.without_generator();
    session.reserve(bits, values)?;
    let mut groups = BTreeMap::new();
    for claim in claims {
        for part in parts::cut(session, claim)? {
            collect(session, &sizes, part, &mut groups)?;
        }
    }
    let mut cuts = Vec::new();
    for group in groups.into_values().filter(|group: &Group<S>| !group.values.is_empty()) {
        cuts.push(Cut::commit(session, group)?);
    }
    if cuts.is_empty() {
        return Ok(());
    }
    let carries = choose(session, cuts, |x, r| x + r)?;
    // The rows' sums of carries that are no bits would show by how much the numbers differ.
    session.stop_if(VoleError::False { what: "conversion" }, || {
        carries.values.iter().any(|carry| S::peek::<Fp>(carry).to_u64() > 1)
    })?;
    seed::agree(session, rows(), &carries)
}

/// Puts a part with others of its width, or proves it by nibbles.
fn collect<S: Exchange>(
    session: &mut S,
    sizes: &Sizes,
    part: Part<S>,
    groups: &mut BTreeMap<usize, Group<S>>,
) -> Result<(), VoleError> {
    let Part { width, values, bits } = part;
    let bits = match bits {
        Bits::Committed(bits) => bits,
        Bits::Numbers(numbers) if sizes.takes_nibbles(width) => {
            return nibbles::prove(session, width, &values, numbers.as_deref());
        }
        Bits::Numbers(numbers) => session.commit::<Gf64>(values.len() * width, || {
            let bits = |number: u64| (0..width).map(move |place| number >> place & 1 == 1);
            // The verifier has no numbers, and is never asked.
            numbers.unwrap_or_default().into_iter().flat_map(bits).collect()
        })?,
    };
    let empty = || Group { width, values: Vec::new(), bits: Vec::new() };
    let group = groups.entry(width).or_insert_with(empty);
    group.values.extend(values);
    match group.bits.is_empty() {
        true => group.bits = bits,
        false => group.bits.extend(bits),
    }
    Ok(())
}

/// A uniform permutation of `0..count`, by as many blocks of the generator from `first` on.
fn permutation(generator: &Prg, first: u64, count: usize) -> Vec<usize> {
    let mut places: Vec<_> = (0..count).collect();
    let mut words = vec![0; count];
    generator.fill(first, &mut words);
    for (i, word) in (0..count).zip(words).rev() {
        // 64 bits of the word: 2^-64 from uniform for each number below i + 1.
        let chosen = (u128::from(word as u64) * (i as u128 + 1)) >> 64;
        places.swap(i, chosen as usize);
    }
    places
}

/// Step 2, and the sums of step 3: the carries out of the highest places over both fields. An honest
/// prover's `sum` adds.
fn choose<S: Exchange>(
    session: &mut S,
    cuts: Vec<Cut<S>>,
    sum: impl Fn(u64, u64) -> u64 + Sync,
) -> Result<Pair<S>, VoleError> {
    // Everything that is cut is fixed.
    let coins = Prg::new(session.toss("edaBit permutation")?);
    let mut carries = Pair { bits: Vec::new(), values: Vec::new() };
    let mut first = 0;
    for cut in cuts {
        let mut order = permutation(&coins, first, cut.random.values.len());
        first += order.len() as u64;
        let opened = order.split_off(cut.used());
        open(session, &cut, &opened)?;
        add(session, cut, order, &sum, &mut carries)?;
    }
    Ok(carries)
}

/// Shows some of the random numbers and their bits.
fn open<S: Exchange>(session: &mut S, cut: &Cut<S>, opened: &[usize]) -> Result<(), VoleError> {
    let Cut { group: Group { width, .. }, random, .. } = cut;
    let bits = |index: &usize| random.bits.get(index * width..(index + 1) * width);
    let bits: Vec<_> = opened.iter().filter_map(bits).flatten().copied().collect();
    let shown = opened.iter().filter_map(|index| random.values.get(*index));
    let shown: Vec<_> = shown.copied().collect();
    let bits = session.open::<Gf64>(&bits)?;
    let shown = session.open::<Fp>(&shown)?;
    session.refuse_unless("opened edaBits", || {
        let numbers = bits.chunks_exact(*width).map(|bits| spell(bits.iter().copied()));
        let spelled = numbers.map(Fp::from);
        spelled.eq(shown.iter().copied())
    })
}

/// Step 3 for the numbers of one width: the carries follow those of other widths.
fn add<S: Exchange>(
    session: &mut S,
    cut: Cut<S>,
    kept: Vec<usize>,
    sum: &(impl Fn(u64, u64) -> u64 + Sync),
    carries: &mut Pair<S>,
) -> Result<(), VoleError> {
    let Cut { group: Group { width, values, bits }, bucket, random } = cut;
    let count = kept.len();
    let mut additions = Additions::<S>::new([width, bucket], bits, random.bits, kept);
    let number = |bits: &[S::Linear<Gf64>]| spell(bits.iter().map(S::peek::<Gf64>));
    let sums: Zeroizing<Vec<u64>> = Zeroizing::new(match S::PROVES {
        true => (0..count)
            .into_par_iter()
            .map(|addition| {
                let [x, r] = additions.addends(addition).map(number);
                sum(x, r)
            })
            .collect(),
        false => Vec::new(),
    });
    let shown = session.show_bits(count * width, || {
        let low: Vec<_> = sums.iter().map(|sum| sum & ((1 << width) - 1)).collect();
        addition::pack(&low, width)
    })?;
    let last =
        session.commit::<Gf64>(count, || sums.iter().map(|sum| sum >> width & 1 == 1).collect())?;
    additions.show(shown, last);

    let weight = Fp::from(1 << width).inverse();
    for (addition, (x, r)) in additions.pairs().enumerate() {
        // Pairs are of numbers and random numbers that are there, by a permutation of all of them.
        let x = values.get(x).copied().unwrap_or_default();
        let r = random.values.get(r).copied().unwrap_or_default();
        let carry = session.shift::<Fp>(&S::plus::<Fp>(&x, &r), -Fp::from(additions.sum(addition)));
        carries.values.push(S::scale::<Fp>(&carry, weight));
    }
    carries.bits.extend_from_slice(additions.carries());
    session.assert_additions(additions);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::testing::{Script, both};

    #[test]
    fn buckets_are_large_enough() {
        let expected = [(1, 32), (1_024, 6), (4_096, 5), (1 << 14, 5), (1 << 18, 4), (1 << 20, 3)];
        for (count, expected) in expected {
            assert_eq!(buckets(count), expected, "{count}");
        }
        // Wrong random numbers for all numbers are as many choices as for one, between are more.
        let choices = |n: u64, k: u64| (1..=k).fold(1, |product, i| product * (n - k + i) / i);
        for wrong in 1..=4 {
            assert!(choices(5 * 3, wrong * 3) >= choices(5 * 3, 3), "{wrong}");
        }
    }

    #[test]
    fn permutations_are_permutations() {
        let mut order = permutation(&Prg::new(1), 0, 1_000);
        assert_ne!(order, (0..1_000).collect::<Vec<_>>());
        order.sort_unstable();
        assert_eq!(order, (0..1_000).collect::<Vec<_>>());
    }

    /// One place in n stays where it is, on average. In a permutation that is a single cycle, as
    /// Sattolo's variant makes it, none ever does.
    #[test]
    fn permutations_may_leave_places_alone() {
        let stays = |seed| (0..10).zip(permutation(&Prg::new(seed), 0, 10)).filter(|(i, j)| i == j);
        let stayed: usize = (0..2_000).map(|seed| stays(seed).count()).sum();
        assert!((1_800..2_200).contains(&stayed), "{stayed}");
    }

    /// The chance that a prover passes with B wrong edaBits is that they are the false number's
    /// bucket: for two numbers, B = 2 and 2 opened, 1 / binom(6, 2).
    #[test]
    fn wrong_edabits_rarely_fill_a_bucket() {
        let tries = 6_000;
        let passes = |seed: &u128| {
            let order = permutation(&Prg::new(*seed), 0, 6);
            order.iter().take(2).all(|&index| index < 2)
        };
        let passed = (0..tries).filter(passes).count();
        assert!(passed.abs_diff(400) < 120, "{passed}");
    }

    /// A prover that goes through with a number and bits that differ, in one of the ways that would
    /// hide it if a check were missing.
    struct Cheat {
        /// What the number has more than its bits.
        difference: u64,
        /// What each random number has more than its bits.
        shift: u64,
        /// What is claimed to come into the lowest place.
        carry_in: u64,
    }

    impl Script for Cheat {
        fn run<S: Exchange>(&self, session: &mut S) -> Result<(), VoleError> {
            let (width, bucket) = (8, buckets(1));
            let numbers = |bits: &[S::Linear<Gf64>], more: u64| {
                let number = |bits: &[S::Linear<Gf64>]| spell(bits.iter().map(S::peek::<Gf64>));
                bits.chunks_exact(width).map(|bits| Fp::from(number(bits) + more)).collect()
            };
            let bits = session.random::<Gf64>(width)?;
            let values = session.commit::<Fp>(1, || numbers(&bits, self.difference))?;
            let group = Group { width, values, bits };
            let bits = session.random::<Gf64>(2 * bucket * width)?;
            let values = session.commit::<Fp>(2 * bucket, || numbers(&bits, self.shift))?;
            let cut = Cut { group, bucket, random: Pair { bits, values } };
            let carries = choose(session, vec![cut], |x, r| x + r + self.carry_in)?;
            seed::agree(session, rows(), &carries)?;
            session.check().map(|_| ())
        }
    }

    /// What the verifier finds.
    fn refused(cheat: &Cheat) -> Option<&'static str> {
        match both(cheat) {
            (_, Ok(())) => None,
            (_, Err(VoleError::Cheating { check })) => Some(check),
            (Err(VoleError::Unlucky), Err(VoleError::Channel(_))) => Some("not shown"),
            (prover, verifier) => panic!("{prover:?} {verifier:?}"),
        }
    }

    #[test]
    fn an_honest_number_is_accepted() {
        assert_eq!(refused(&Cheat { difference: 0, shift: 0, carry_in: 0 }), None);
    }

    /// Every carry, and the number over F_p, fit a carry into the lowest place: only the claim that
    /// there is none is false.
    #[test]
    fn a_carry_into_the_lowest_place_is_refused() {
        let cheat = Cheat { difference: 1, shift: 0, carry_in: 1 };
        assert_eq!(refused(&cheat), Some("claims"));
    }

    /// All random numbers are wrong by as much as the number: only opening some shows it.
    #[test]
    fn random_numbers_that_hide_a_difference_are_refused() {
        // x + 1 and r - 1 spell the same sum: r has p - 1 more than its bits.
        let cheat = Cheat { difference: 1, shift: Fp::MODULUS - 1, carry_in: 0 };
        assert_eq!(refused(&cheat), Some("opened edaBits"));
    }

    /// The carries over F_p are no bits then, and their sums far from what rows may show.
    #[test]
    fn a_difference_alone_is_refused() {
        for difference in [1, 1 << 8, Fp::MODULUS - 256] {
            let found = refused(&Cheat { difference, shift: 0, carry_in: 0 });
            assert!(matches!(found, Some("seed rows" | "not shown")), "{difference}: {found:?}");
        }
    }
}
