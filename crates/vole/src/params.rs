//! Named, versioned parameter sets, with what their security rests on.
//!
//! The sets are data, in `parameters.toml`; [`ParameterSet`] and [`Generator`] list those that this
//! program takes part in.

use std::{fmt, sync::LazyLock};

use serde::Deserialize;

const FILE: &str = include_str!("parameters.toml");

/// κ: rows of a proof that bits agree between the fields, each of which a false bit passes with
/// probability 1/2.
pub(crate) const ROWS: usize = 64;

/// How correlations are made. Both parties name the set in their first message, with a digest of
/// all that it says, and part if they differ: nothing is negotiated downwards.
///
/// A set that has been released never changes; a new one gets a new number. `docs/vole-parameters.md`
/// has the estimates and the attacks that were considered.
///
/// *A cheating prover*, in every set: a wrong correction, or a tree whose levels do not fit
/// together, passes the checks with probability below 2^-90 (F_2) and 2^-80 (F_p), but for guesses
/// at Δ, each of which costs as much here as it saves in a later forgery. A MAC is forged with
/// probability 2^-63 over F_2, 1/p < 2^-60.9 over F_p.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterSet {
    /// `no-lpn/1`: every correlation comes from the punctured trees and the prover's corrections,
    /// 1.875 bytes for a bit and 56 for a value. *Assumptions*: gap-CDH on ristretto255 in the
    /// random-oracle model (BLAKE3), and AES-128 as a pseudo-random permutation and, under a public
    /// key, as a circular correlation-robust hash.
    NoLpn,
    /// `dual-21x24-t512/1`: large numbers of correlations from short ones, by dual learning parity
    /// with noise: regular noise of weight 512, an expand-convolute code of rate 1/2 with expander
    /// weight 21 and a convolution of memory 24. Small numbers are made as in [`Self::NoLpn`].
    /// *Assumptions*: as there, and that the code's syndromes of such noise are pseudo-random even if
    /// the verifier has guessed at the noise, one bit on average.
    #[default]
    Dual21x24T512,
    /// `dual-7x24-t512/1`: as the default with expander weight 7 for bits.
    Dual7x24T512,
}

/// A parameter set's entry in the file.
#[derive(Deserialize)]
pub(crate) struct CorrelationEntry {
    id: String,
    #[serde(flatten)]
    pub(crate) lpn: Option<LpnParameters>,
}

/// Dual LPN with regular noise at rate 1/2.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct LpnParameters {
    /// t: blocks of the noise, with one place that is not zero in each.
    pub(crate) weight: usize,
    expander: usize,
    values_expander: Option<usize>,
    /// Elements that the convolution looks back.
    pub(crate) memory: usize,
    /// log2 n for the n that are allowed.
    bits_log_sizes: Vec<u32>,
    values_log_sizes: Vec<u32>,
}

impl LpnParameters {
    /// Expander weights for bits and for values.
    pub(crate) fn expanders(&self) -> [usize; 2] {
        // Values have the weight of bits where the entry names no other.
        [self.expander, self.values_expander.unwrap_or(self.expander)]
    }

    /// log2 n for the n that are allowed, ascending, for bits and for values.
    pub(crate) fn log_sizes(&self) -> [&[u32]; 2] {
        [&self.bits_log_sizes, &self.values_log_sizes]
    }
}

/// A local pseudo-random generator: each output is a function of a few places of the seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Generator {
    /// `x8m7-2048-18/1`: the XOR of eight places and the majority of seven, hardened against the
    /// biases of the paper's sets.
    #[default]
    Xor8Maj7,
    /// `paper-x4m7-1024-20/1`: the XOR of four places and the majority of seven, at the paper's
    /// size. Its outputs have measurable biases: for comparisons only.
    PaperXor4Maj7,
    /// `paper-tspa-4096/1`: five places, at the paper's size. Biased, too: for comparisons only.
    PaperTspa,
}

/// A generator's entry in the file.
#[derive(Deserialize)]
pub(crate) struct GeneratorEntry {
    id: String,
    /// N: places of the seed, a power of two.
    pub(crate) seed: usize,
    /// M: outputs of one seed, of which the last N may become the next.
    pub(crate) outputs: usize,
    /// s: the masks of a seed's proof are `2^s` times as wide as the sums that they hide.
    pub(crate) slack: u32,
}

#[derive(Deserialize)]
struct File {
    correlations: Vec<CorrelationEntry>,
    generators: Vec<GeneratorEntry>,
}

#[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
static SETS: LazyLock<File> = LazyLock::new(|| toml::from_str(FILE).expect("parameters.toml"));

/// The text of an entry: what both parties must have in common.
fn text(id: &str) -> &'static str {
    let line = format!("id = \"{id}\"");
    // Every id has an entry, which a test looks for.
    FILE.split("\n[[").find(|entry| entry.contains(&line)).unwrap_or_default()
}

impl ParameterSet {
    /// All sets.
    pub const ALL: [Self; 3] = [Self::Dual21x24T512, Self::Dual7x24T512, Self::NoLpn];

    /// The name, as in `no-lpn/1`.
    pub fn id(self) -> &'static str {
        match self {
            Self::NoLpn => "no-lpn/1",
            Self::Dual21x24T512 => "dual-21x24-t512/1",
            Self::Dual7x24T512 => "dual-7x24-t512/1",
        }
    }

    pub(crate) fn lpn(self) -> Option<&'static LpnParameters> {
        let mut entries = SETS.correlations.iter();
        entries.find(|entry| entry.id == self.id()).and_then(|entry| entry.lpn.as_ref())
    }

    /// What both parties must agree on: the digest in the first message is of this. A set that
    /// builds on the trees of `no-lpn/1` speaks of them, too.
    pub(crate) fn description(self) -> String {
        [text(self.id()), text(Self::NoLpn.id())].join("\n")
    }
}

impl fmt::Display for ParameterSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

impl Generator {
    /// All generators.
    pub const ALL: [Self; 3] = [Self::Xor8Maj7, Self::PaperXor4Maj7, Self::PaperTspa];

    /// The name, as in `x8m7-2048-18/1`.
    pub fn id(self) -> &'static str {
        match self {
            Self::Xor8Maj7 => "x8m7-2048-18/1",
            Self::PaperXor4Maj7 => "paper-x4m7-1024-20/1",
            Self::PaperTspa => "paper-tspa-4096/1",
        }
    }

    #[expect(clippy::expect_used, reason = "the file is part of the program, and a test reads it")]
    pub(crate) fn entry(self) -> &'static GeneratorEntry {
        let mut entries = SETS.generators.iter();
        entries.find(|entry| entry.id == self.id()).expect("every generator has an entry")
    }

    pub(crate) fn description(self) -> &'static str {
        text(self.id())
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.id())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Fp;

    #[test]
    fn every_set_has_an_entry() {
        for set in ParameterSet::ALL {
            assert!(text(set.id()).contains("status = "), "{set}");
            assert!(!text(set.id()).contains("revoked"), "{set}");
            assert_eq!(set.lpn().is_none(), set == ParameterSet::NoLpn);
        }
        for generator in Generator::ALL {
            assert!(text(generator.id()).contains("predicate = "), "{generator}");
        }
    }

    /// One noisy place in each block, blocks of a power of two, rate 1/2; at rate 1/2 the bias of a
    /// linear test at the Gilbert-Varshamov distance 0.11 is below 2^-128.
    #[test]
    fn noise_is_regular_and_heavy_enough() {
        for lpn in ParameterSet::ALL.into_iter().filter_map(ParameterSet::lpn) {
            assert!(lpn.weight.is_power_of_two());
            assert!((lpn.weight as f64) * -(1.0 - 2.0 * 0.11f64).log2() > 128.0);
            for size in lpn.log_sizes().concat() {
                assert!(2 << size > 2 * lpn.weight);
            }
        }
    }

    /// Sums of seed bits and masks do not wrap around.
    #[test]
    fn masks_fit_the_field() {
        for generator in Generator::ALL {
            let GeneratorEntry { seed, slack, outputs, .. } = generator.entry();
            assert!((*seed as u64) * ((1 << slack) + 1) - 1 < Fp::MODULUS);
            assert!(seed.is_power_of_two() && 2 * seed < *outputs);
        }
    }
}
