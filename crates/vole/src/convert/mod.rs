//! Numbers over F_p and their bits.
//!
//! A [`Decomposition`] claims that linear functions of a number's bits have committed values. With a
//! local generator:
//!
//! 1. [`seed`]: once for a session, a seed of random bits that are committed over both fields.
//! 2. [`chain`]: each bit is masked by the next output of the generator, to which the seed commits
//!    both parties; the last outputs of a seed are committed to as the next seed. The prover shows
//!    the masked bits.
//! 3. [`factors`]: after the verifier's challenge, every output has one factor over F_2 and one over
//!    F_p in the proof of the whole session, and goes into its sums.
//!
//! With [`Converter::EdaBits`], buckets of random numbers take the place of the generator, and numbers
//! whose bits are committed nowhere else are shown to be small by digits ([`nibbles`], [`parts`]).

pub(crate) mod addition;
pub(crate) mod chain;
pub(crate) mod edabits;
pub(crate) mod factors;
pub(crate) mod nibbles;
mod parts;
mod seed;
#[cfg(test)]
pub(crate) mod testing;

use std::ops::Range;

use crate::{
    error::VoleError,
    field::{Fp, Gf64},
    params::{Generator, ROWS},
    session::{Exchange, MAX_CLAIMS, Session},
};

pub use edabits::buckets;
pub use parts::Sizes;

/// The bits of a number that is taken apart: 2^60 < p, so that no two integers stand for one value.
pub const MAX_WIDTH: usize = 60;

/// How the bits of a seed are shown to be the same over both fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SeedProof {
    /// Masked sums are opened: nothing leaks, whatever the verifier does.
    #[default]
    V1,
    /// Sums are proven to lie in a range, and are not opened: smaller fields would do.
    V2,
}

/// How numbers are taken apart into bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Converter {
    /// Random numbers with their bits, cut and chosen into buckets (Baum, Braun, Munch-Hansen,
    /// Razet and Scholl, CCS 2021): no generator, at a higher price. Numbers whose bits are committed
    /// nowhere else are shown to be small by digits, where that is less.
    #[default]
    EdaBits,
    /// Outputs of a local generator as masks: the least to send for many numbers, by an assumption of
    /// which no cryptanalysis is published.
    Local {
        /// The generator.
        generator: Generator,
        /// How its first seed is proven.
        proof: SeedProof,
    },
}

impl Converter {
    /// Outputs of the default generator as masks.
    pub const GENERATOR: Self =
        Self::Local { generator: Generator::Xor8Maj7, proof: SeedProof::V1 };

    /// All converters, with the names that the published program gives to them.
    pub const NAMED: [(&'static str, Self); 7] = {
        const fn local(generator: Generator, proof: SeedProof) -> Converter {
            Converter::Local { generator, proof }
        }
        [
            ("edabits", Self::EdaBits),
            ("cheddabits-v1-tspa", local(Generator::PaperTspa, SeedProof::V1)),
            ("cheddabits-v2-tspa", local(Generator::PaperTspa, SeedProof::V2)),
            ("cheddabits-v1-xor4maj7", local(Generator::PaperXor4Maj7, SeedProof::V1)),
            ("cheddabits-v2-xor4maj7", local(Generator::PaperXor4Maj7, SeedProof::V2)),
            ("cheddabits-v1-xor8maj7", local(Generator::Xor8Maj7, SeedProof::V1)),
            ("cheddabits-v2-xor8maj7", local(Generator::Xor8Maj7, SeedProof::V2)),
        ]
    };

    /// The name, as in `cheddabits-v1-xor8maj7`.
    pub fn name(self) -> &'static str {
        Self::NAMED.iter().find(|(_, converter)| *converter == self).map_or("", |(name, _)| name)
    }

    /// Whether its generator has known biases, and exists for comparisons only.
    pub fn is_for_comparison(self) -> bool {
        match self {
            Self::EdaBits => false,
            Self::Local { generator, .. } => generator != Generator::default(),
        }
    }

    /// The highest degrees of claims, over F_2 and over F_p, of a session's first check.
    pub(crate) fn degrees(self) -> [usize; 2] {
        let Self::Local { generator, proof } = self else { return [2, nibbles::MAX_DEGREE] };
        let [bits, values] = generator.degrees();
        match proof {
            SeedProof::V1 => [bits, values],
            SeedProof::V2 => [bits, values.max(seed::range_degree(generator))],
        }
    }

    /// Correlations that mask the proof of a check, over F_2 and over F_p.
    pub(crate) fn masks(self) -> [usize; 2] {
        let [bits, values] = self.degrees();
        [64 * (bits - 1), values - 1]
    }

    /// Words that a number of so many bits keeps until a challenge, if at most `words` are kept: the bits
    /// of the random numbers beside it, or its share of a seed.
    fn words_kept(self, width: usize, words: usize) -> usize {
        let kept = match self {
            Self::EdaBits => width * buckets(words / (3 * width.max(1))),
            Self::Local { generator, .. } => {
                // A bit, its MAC, a value and its MAC.
                let (len, usable) = generator.usable();
                (width * 4 * len).div_ceil(usable)
            }
        };
        kept.max(1)
    }

    /// What both parties must agree on.
    pub(crate) fn description(self) -> String {
        match self {
            Self::EdaBits => {
                let rows = Generator::default().description();
                let digits = nibbles::BITS;
                format!("edabits binom(nB+B,B)>=2^60 digits={digits} rows={ROWS} {rows}")
            }
            Self::Local { generator, proof } => {
                format!("{proof:?} rows={ROWS} {}", generator.description())
            }
        }
    }
}

/// What a linear function of a number's bits is claimed to be.
pub struct Functional<S: Session> {
    /// The factor of each bit, the lowest bit first.
    pub coefficients: Vec<Fp>,
    /// One value for each number.
    pub values: Targets<S>,
}

/// The highest degree of a computed target, which is less than that of any generator's claims: a
/// coefficient beyond the degree of the proof would go unchecked.
pub(crate) const MAX_TARGET_DEGREE: usize = 2;

/// Values of functionals.
pub enum Targets<S: Session> {
    /// Inputs, or sums of them.
    Linear(Vec<S::Linear<Fp>>),
    /// Results of computations, sums of products of two inputs at most.
    Computed(Vec<S::Commitment<Fp>>),
}

impl<S: Session> Targets<S> {
    fn len(&self) -> usize {
        match self {
            Self::Linear(values) => values.len(),
            Self::Computed(values) => values.len(),
        }
    }
}

impl<S: Session> Functional<S> {
    /// The number itself, of so many bits.
    pub fn whole(width: usize, values: Targets<S>) -> Self {
        Self { coefficients: (0..width).map(|place| Fp::from(1u64 << place)).collect(), values }
    }

    /// The number without its lowest bits: `floor(x / 2^dropped)`.
    pub fn truncated(width: usize, dropped: usize, values: Targets<S>) -> Self {
        let coefficient = |place| match place < dropped {
            true => Fp::default(),
            false => Fp::from(1u64 << (place - dropped)),
        };
        Self { coefficients: (0..width).map(coefficient).collect(), values }
    }

    /// One bit.
    pub fn bit(width: usize, chosen: usize, values: Targets<S>) -> Self {
        let coefficient = |place| Fp::from(u64::from(place == chosen));
        Self { coefficients: (0..width).map(coefficient).collect(), values }
    }
}

/// Where the bits are.
pub enum Bits<S: Session> {
    /// Committed over F_2, or sums of such: the bits of the first number, lowest first, then those of
    /// the next.
    Committed(Vec<S::Linear<Gf64>>),
    /// Nowhere but in the prover's numbers; the verifier has `None`.
    Numbers(Option<Vec<u64>>),
}

/// Claims about the bits of numbers, all of the same width. That a number has no more bits than that
/// is part of the claim if one functional is [`Functional::whole`].
pub struct Decomposition<S: Session> {
    /// How many numbers.
    pub count: usize,
    /// Bits of each.
    pub width: usize,
    /// The bits.
    pub bits: Bits<S>,
    /// What is claimed.
    pub functionals: Vec<Functional<S>>,
}

impl<S: Session> Decomposition<S> {
    /// Values that are claimed to be spelled by committed bits.
    pub fn conversion(
        width: usize,
        values: Vec<S::Linear<Fp>>,
        bits: Vec<S::Linear<Gf64>>,
    ) -> Self {
        Self {
            count: values.len(),
            width,
            bits: Bits::Committed(bits),
            functionals: vec![Functional::whole(width, Targets::Linear(values))],
        }
    }

    pub(crate) fn outputs(&self) -> usize {
        self.count * self.width
    }

    pub(crate) fn computed(&self) -> impl Iterator<Item = &S::Commitment<Fp>> {
        self.functionals.iter().flat_map(|functional| match &functional.values {
            Targets::Linear(_) => &[],
            Targets::Computed(values) => values.as_slice(),
        })
    }

    pub(crate) fn over_both(&self) -> bool {
        matches!(self.bits, Bits::Committed(_))
    }

    /// # Errors
    /// [`VoleError::TooMany`] for bits beyond the field, or parts that do not fit together.
    pub(crate) fn validate(&self) -> Result<(), VoleError> {
        let limit = |what, requested: usize, limit: usize| match requested <= limit {
            true => Ok(()),
            false => Err(VoleError::TooMany { what, requested, limit }),
        };
        limit("bits of a number", self.width, MAX_WIDTH)?;
        limit("numbers to take apart", self.count, MAX_CLAIMS / MAX_WIDTH)?;
        let mut fits = match &self.bits {
            Bits::Committed(bits) => bits.len() == self.outputs(),
            Bits::Numbers(numbers) => {
                numbers.as_ref().is_none_or(|numbers| numbers.len() == self.count)
            }
        };
        for functional in &self.functionals {
            fits &= functional.coefficients.len() == self.width
                && functional.values.len() == self.count;
        }
        match fits {
            true => Ok(()),
            false => Err(VoleError::Shape { what: "decomposition" }),
        }
    }

    /// Splits the numbers from this one on off.
    fn split_off(&mut self, at: usize) -> Self {
        let bits = match &mut self.bits {
            Bits::Committed(bits) => Bits::Committed(bits.split_off(at * self.width)),
            Bits::Numbers(numbers) => {
                Bits::Numbers(numbers.as_mut().map(|numbers| numbers.split_off(at)))
            }
        };
        let functionals = self.functionals.iter_mut().map(|functional| Functional {
            coefficients: functional.coefficients.clone(),
            values: match &mut functional.values {
                Targets::Linear(values) => Targets::Linear(values.split_off(at)),
                Targets::Computed(values) => Targets::Computed(values.split_off(at)),
            },
        });
        let functionals = functionals.collect();
        let count = std::mem::replace(&mut self.count, at) - at;
        Self { count, width: self.width, bits, functionals }
    }

    /// What some of a number's bits spell, at the prover.
    pub(crate) fn spelled(&self, number: usize, places: &Range<usize>) -> u64 {
        edabits::spell(places.clone().map(|place| self.bit(number * self.width + place) == 1))
    }

    /// A bit, at the prover.
    pub(crate) fn bit(&self, index: usize) -> u8 {
        match &self.bits {
            Bits::Committed(bits) => {
                bits.get(index).map_or(0, |bit| u8::from(S::peek::<Gf64>(bit)))
            }
            Bits::Numbers(numbers) => {
                let numbers = numbers.as_deref().unwrap_or_default();
                let number = numbers.get(index / self.width).copied().unwrap_or_default();
                (number >> (index % self.width) & 1) as u8
            }
        }
    }
}

/// Correlations that conversions take at a check, over F_2 and over F_p, beyond those of the statement:
/// `numbers` of a width each, whose bits are committed over F_2 also.
pub fn conversion_demand(converter: Converter, numbers: usize, width: usize) -> (usize, usize) {
    let mut sizes = Sizes::default();
    sizes.add(numbers, width, true, &[(0..width, true)]);
    sizes.demand(converter)
}

impl Sizes {
    /// Correlations that they take at a check, over F_2 and over F_p, beyond those of the statement: for
    /// [`Session::reserve`]. The masks of the proof are counted; counts as if no seed were left from an
    /// earlier check. What is missing is made when it is needed.
    pub fn demand(&self, converter: Converter) -> (usize, usize) {
        let Converter::Local { generator, .. } = converter else {
            return self.without_generator();
        };
        let [over_both, alone] = self.outputs();
        let both = chain::demand(generator, over_both, true);
        let values = chain::demand(generator, alone, false);
        let [of_bits, of_values] = converter.masks();
        (both.0 + of_bits, both.1 + values.1 + of_values)
    }
}

/// The last of the claims, as many as are proven at once: all, unless they are very many.
pub(crate) fn at_once<S: Session>(
    converter: Converter,
    words: usize,
    claims: &mut Vec<Decomposition<S>>,
) -> Vec<Decomposition<S>> {
    let (mut chosen, mut left) = (Vec::new(), words);
    while let Some(mut claim) = claims.pop() {
        let each = converter.words_kept(claim.width, words);
        let numbers = (left / each).max(usize::from(chosen.is_empty()));
        if claim.count > numbers {
            if numbers > 0 {
                chosen.push(claim.split_off(claim.count - numbers));
            }
            claims.push(claim);
            break;
        }
        left = left.saturating_sub(claim.count * each);
        chosen.push(claim);
    }
    chosen
}

/// Everything about decompositions that a check does before its challenge. Claims over both fields
/// and over F_p only have a chain of seeds each.
pub(crate) fn prepare<S: Exchange>(
    session: &mut S,
    claims: Vec<Decomposition<S>>,
    chains: &mut [Option<chain::Chain<S>>; 2],
) -> Result<Vec<chain::Work<S>>, VoleError> {
    let converter = session.setup().converter;
    let Converter::Local { generator, .. } = converter else {
        edabits::prepare(session, claims)?;
        return Ok(Vec::new());
    };
    let (both, values): (Vec<_>, Vec<_>) = claims.into_iter().partition(Decomposition::over_both);
    let mut works = Vec::new();
    for ((claims, over_both), chain) in [(both, true), (values, false)].into_iter().zip(chains) {
        if claims.iter().any(|claim| claim.count > 0) {
            let chain = chain.take();
            works.push(chain::Work::prepare(
                session, converter, generator, chain, claims, over_both,
            )?);
        }
    }
    Ok(works)
}

#[cfg(test)]
mod tests {
    use super::{testing::Script, *};
    use crate::session::Exchange;

    /// Numbers in two claims, of which so many words are proven at once; one may be wrong, and one is
    /// shown.
    struct Parted {
        converter: Converter,
        proven: usize,
        kept: usize,
        wrong: Option<usize>,
    }

    const COUNT: usize = 200;
    const WIDTH: usize = 8;

    impl Script for Parted {
        fn run<S: Exchange>(&self, session: &mut S) -> Result<(), VoleError> {
            let state = session.state_mut();
            (state.limits.proven, state.limits.kept_bits) = (self.proven, self.kept);
            session.reserve(4 * self.kept, 0)?;
            let mut values = Vec::new();
            for first in [0, COUNT] {
                let numbers = || (first..first + COUNT).map(|i| (i * 37 % 256) as u64);
                let bits = session.commit::<Gf64>(COUNT * WIDTH, || {
                    numbers().flat_map(|x| (0..WIDTH).map(move |i| x >> i & 1 == 1)).collect()
                })?;
                let own = session.commit::<Fp>(COUNT, || {
                    let is_wrong = |number| u64::from(self.wrong == Some(first + number));
                    numbers().enumerate().map(|(i, x)| Fp::from(x + is_wrong(i))).collect()
                })?;
                values.extend_from_slice(&own);
                session.decompose(Decomposition::conversion(WIDTH, own, bits))?;
            }
            let shown = session.reveal_linear::<Fp>(values.get(1..3).unwrap_or_default())?;
            let checked = session.check()?;
            assert!(shown.values(&checked)? == [Fp::from(37), Fp::from(74)]);
            assert_eq!(session.state().phase(), self.checks());
            Ok(())
        }
    }

    impl Parted {
        fn checks(&self) -> u64 {
            let each = self.converter.words_kept(WIDTH, self.proven);
            (2 * COUNT).div_ceil(self.proven / each) as u64
        }
    }

    /// As many checks as the memory takes, and one verdict: a false claim in any of them is refused.
    #[test]
    fn many_numbers_are_proven_some_at_a_time() {
        let local = Converter::Local { generator: Generator::PaperTspa, proof: SeedProof::V1 };
        for (converter, proven, at_once) in [
            (Converter::EdaBits, 8 * 1_000, false),
            (Converter::EdaBits, 25 << 20, true),
            (local, 4 * 4_096, true),
        ] {
            for wrong in [None, Some(3), Some(299)] {
                let script = Parted { converter, proven, kept: 5_000, wrong };
                assert_eq!(script.checks() == 1, at_once);
                let (prover, verifier) = testing::both_with(converter, &script);
                match wrong {
                    None => assert!(prover.is_ok() && verifier.is_ok(), "{prover:?} {verifier:?}"),
                    Some(_) => assert!(prover.is_err() && verifier.is_err()),
                }
            }
        }
    }

    /// Wide numbers whose bits are committed nowhere else, so many that edaBits are less than digits.
    struct Wide {
        wrong: bool,
    }

    impl Script for Wide {
        fn run<S: Exchange>(&self, session: &mut S) -> Result<(), VoleError> {
            let (count, width) = (1_024, 60);
            let numbers: Vec<_> =
                (1..=count as u64).map(|i| i.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 4).collect();
            let wrong = u64::from(self.wrong);
            let values = session.commit::<Fp>(count, || {
                let places = (0..count).map(|place| if place == 700 { wrong } else { 0 });
                numbers.iter().zip(places).map(|(x, more)| Fp::from(x + more)).collect()
            })?;
            let functionals = vec![Functional::whole(width, Targets::Linear(values))];
            let bits = Bits::Numbers(S::numbers(&numbers));
            session.decompose(Decomposition { count, width, bits, functionals })?;
            session.check().map(|_| ())
        }
    }

    #[test]
    fn wide_numbers_take_edabits() {
        let (prover, verifier) = testing::both_with(Converter::EdaBits, &Wide { wrong: false });
        assert!(prover.is_ok() && verifier.is_ok(), "{prover:?} {verifier:?}");
        let (prover, verifier) = testing::both_with(Converter::EdaBits, &Wide { wrong: true });
        assert!(prover.is_err() && verifier.is_err());
    }

    /// All numbers, in one part each time, and no more than a check takes.
    #[test]
    fn claims_are_split_by_number() {
        type Side = crate::Verifier<'static, rand_chacha::ChaCha20Rng>;
        let (count, width) = (1 << 20, 60);
        let mut claims: Vec<Decomposition<Side>> = vec![Decomposition {
            count,
            width,
            bits: Bits::Numbers(None),
            functionals: Vec::new(),
        }];
        let (mut numbers, mut checks) = (0, 0);
        while !claims.is_empty() {
            let now = at_once(Converter::EdaBits, 25 << 20, &mut claims);
            let outputs: usize = now.iter().map(Decomposition::outputs).sum();
            // With the four random numbers beside each.
            assert!(0 < outputs && 4 * outputs <= 25 << 20);
            numbers += outputs / width;
            checks += 1;
        }
        assert_eq!((numbers, checks), (count, 10));
    }
}
