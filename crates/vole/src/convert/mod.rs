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
//! With [`Converter::EdaBits`], buckets of random numbers take the place of the generator.

pub(crate) mod addition;
pub(crate) mod chain;
pub(crate) mod edabits;
pub(crate) mod factors;
mod seed;
#[cfg(test)]
pub(crate) mod testing;

use crate::{
    error::VoleError,
    field::{Fp, Gf64},
    params::{Generator, ROWS},
    session::{Exchange, MAX_CLAIMS, Session},
};

pub use edabits::buckets;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Converter {
    /// Random numbers with their bits, cut and chosen into buckets (Baum, Braun, Munch-Hansen,
    /// Razet and Scholl, CCS 2021): no generator, at a higher price.
    EdaBits,
    /// Outputs of a local generator as masks.
    Local {
        /// The generator.
        generator: Generator,
        /// How its first seed is proven.
        proof: SeedProof,
    },
}

impl Default for Converter {
    fn default() -> Self {
        Self::Local { generator: Generator::default(), proof: SeedProof::default() }
    }
}

impl Converter {
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
        let Self::Local { generator, proof } = self else { return [2, 2] };
        let [bits, values] = generator.degrees();
        match proof {
            SeedProof::V1 => [bits, values],
            SeedProof::V2 => [bits, values.max(seed::range_degree(generator))],
        }
    }

    /// What both parties must agree on.
    pub(crate) fn description(self) -> String {
        match self {
            Self::EdaBits => {
                let rows = Generator::default().description();
                format!("edabits binom(nB+B,B)>=2^57 rows={ROWS} {rows}")
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

/// Correlations that decompositions take at a check, over F_2 and over F_p, beyond those of the
/// statement: for [`Session::reserve`].
///
/// `bits` are committed over F_2 also, `numbers` of a width each; `digits` are bits over F_p only.
/// Counts as if no seed were left from an earlier check. [`Converter::EdaBits`] takes only `numbers`
/// into account, in one decomposition. What is missing is made when it is needed.
pub fn conversion_demand(
    converter: Converter,
    numbers: usize,
    width: usize,
    digits: usize,
) -> (usize, usize) {
    match converter {
        Converter::EdaBits => edabits::demand([(width, numbers)]),
        Converter::Local { generator, .. } => {
            let both = chain::demand(generator, numbers * width, true);
            let values = chain::demand(generator, digits, false);
            let [of_bits, of_values] = converter.degrees();
            (both.0 + 64 * (of_bits - 1), both.1 + values.1 + of_values - 1)
        }
    }
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
