//! How numbers are taken apart into bits.

use super::{
    buckets::buckets,
    nibbles,
    seed::{self, SeedProof},
};
use crate::params::{Generator, ROWS};

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
    pub(super) fn words_kept(self, width: usize, words: usize) -> usize {
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
