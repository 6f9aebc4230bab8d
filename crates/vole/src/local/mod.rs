//! Local pseudo-random generators: each output is a predicate of a few places of the seed, which a
//! public random graph names. Committed to a seed, the prover is committed to all its outputs, as
//! polynomials of the predicate's degree, at no cost in messages.
//!
//! Over F_p bits x are taken as signs `w = 1 - 2x`, in which XOR is a product. The prover's side of
//! the sign of a commitment `x X - m` is `(1 - 2x) X + 2m`; the verifier's is `Δ + 2k`.
//!
//! No polynomial is kept: the coefficients of outputs go into sums at once, each with its own factor.

#[cfg(test)]
mod attacks;
mod graph;
mod predicate;
mod sums;
mod tspa;
mod xor_maj;

use graph::{BATCH, MAX_LOCALITY, Places};

pub(crate) use graph::Graph;
pub(crate) use sums::{ProverSums, Terms, VerifierSums};

use predicate::Predicate;
use tspa::Tspa;
use xor_maj::XorMaj;
use zeroize::Zeroize;

use crate::{
    field::{Fp, Gf64},
    params::Generator,
};

/// The prover's side of a seed.
#[derive(Clone, Default)]
pub(crate) struct ProverSeed {
    /// MACs over F_2 with the bit in the lowest place, or the bits alone.
    pub(crate) bits: Vec<Gf64>,
    /// `2m` of the MACs over F_p.
    pub(crate) signs: Vec<Fp>,
}

impl ProverSeed {
    #[inline]
    fn bit(&self, place: u16) -> u64 {
        self.bits.get(usize::from(place)).map_or(0, |mac| mac.to_u64())
    }

    fn sign(&self, place: u16) -> Fp {
        // Places are below the length of a seed.
        self.signs.get(usize::from(place)).copied().unwrap_or_default()
    }
}

impl Drop for ProverSeed {
    fn drop(&mut self) {
        self.bits.zeroize();
        self.signs.zeroize();
    }
}

/// The verifier's side of a seed.
#[derive(Clone, Default)]
pub(crate) struct VerifierSeed {
    /// Keys over F_2, if the seed is committed there.
    pub(crate) bits: Vec<Gf64>,
    /// `Δ + 2k` of the keys over F_p.
    pub(crate) signs: Vec<Fp>,
}

impl VerifierSeed {
    #[inline]
    fn key(&self, place: u16) -> u64 {
        self.bits.get(usize::from(place)).map_or(0, |key| key.to_u64())
    }

    #[inline]
    fn sign(&self, place: u16) -> Fp {
        // As at the prover.
        self.signs.get(usize::from(place)).copied().unwrap_or_default()
    }
}

impl Drop for VerifierSeed {
    fn drop(&mut self) {
        self.bits.zeroize();
        self.signs.zeroize();
    }
}

/// Work that is generic over the predicate.
trait WithPredicate {
    type Output;

    fn run<P: Predicate>(self) -> Self::Output;
}

fn with_predicate<W: WithPredicate>(generator: Generator, work: W) -> W::Output {
    match generator {
        Generator::Xor8Maj7 => work.run::<XorMaj<8>>(),
        Generator::PaperXor4Maj7 => work.run::<XorMaj<4>>(),
        Generator::PaperTspa => work.run::<Tspa>(),
    }
}

impl Generator {
    /// Degrees of an output over F_2 and over F_p.
    pub(crate) fn degrees(self) -> [usize; 2] {
        struct Degrees;

        impl WithPredicate for Degrees {
            type Output = [usize; 2];

            fn run<P: Predicate>(self) -> [usize; 2] {
                P::DEGREES
            }
        }

        with_predicate(self, Degrees)
    }

    fn locality(self) -> usize {
        match self {
            Self::Xor8Maj7 => 15,
            Self::PaperXor4Maj7 => 11,
            Self::PaperTspa => 5,
        }
    }

    /// N and the number of outputs of a seed that may be used: the last N of all become the next.
    pub(crate) fn usable(self) -> (usize, usize) {
        let entry = self.entry();
        (entry.seed, entry.outputs - entry.seed)
    }
}

/// Outputs in the clear: `first..first + out.len()` of a seed's bits.
pub(crate) fn outputs(
    generator: Generator,
    graph: &Graph,
    seed: &[u8],
    first: u64,
    out: &mut [u8],
) {
    struct Outputs<'a> {
        graph: &'a Graph,
        seed: &'a [u8],
        first: u64,
        out: &'a mut [u8],
    }

    impl WithPredicate for Outputs<'_> {
        type Output = ();

        fn run<P: Predicate>(self) {
            let mut places = [Places::default(); BATCH];
            for (first, out) in (self.first..).step_by(BATCH).zip(self.out.chunks_mut(BATCH)) {
                let (places, _) = places.split_at_mut(out.len());
                self.graph.places(first, places);
                for (out, places) in out.iter_mut().zip(&*places) {
                    let mut bits = [0; MAX_LOCALITY];
                    for (bit, place) in bits.iter_mut().zip(places).take(P::LOCALITY) {
                        // Places are below the length of a seed.
                        *bit = self.seed.get(usize::from(*place)).copied().unwrap_or_default();
                    }
                    *out = P::output(&bits);
                }
            }
        }
    }

    with_predicate(generator, Outputs { graph, seed, first, out });
}
