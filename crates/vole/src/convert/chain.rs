//! Seeds, one after the other, each but the first from outputs of the one before it.

use rayon::prelude::*;

use super::{
    converter::Converter,
    decomposition::Decomposition,
    seed::{self, Rows, SeedProof},
};
use crate::{
    error::VoleError,
    field::{Fp, Gf64},
    local::{self, Graph},
    params::Generator,
    session::{Exchange, Session},
};

/// A seed in a party's hands, and the graph of its outputs.
pub(crate) struct Seed<S: Session> {
    pub(crate) graph: Graph,
    /// Commitments over F_2, unless the chain is over F_p only.
    pub(crate) bits: Vec<S::Linear<Gf64>>,
    pub(crate) values: Vec<S::Linear<Fp>>,
    /// The bits themselves, at the prover.
    plain: Vec<u8>,
}

/// The seeds that the next check may take outputs from.
pub(crate) struct Chain<S: Session> {
    pub(crate) seeds: Vec<Seed<S>>,
    /// Outputs of the first seed that earlier checks took.
    pub(crate) used: usize,
    /// Seeds so far: each has a graph of its own.
    drawn: u64,
    over_both: bool,
}

/// Outputs for each claim of a check, with what masks them.
pub(crate) struct Batch<S: Session> {
    pub(crate) claim: Decomposition<S>,
    /// The number of the first output in the chain's check.
    pub(crate) first: usize,
    /// The masked bits, packed.
    pub(crate) masked: Vec<u8>,
}

/// A chain, and the claims of a check that take outputs from it.
pub(crate) struct Work<S: Session> {
    pub(crate) generator: Generator,
    pub(crate) chain: Chain<S>,
    pub(crate) batches: Vec<Batch<S>>,
    outputs: usize,
}

/// Seeds that `outputs` more take, after `used`, beyond the first.
fn reseeds(generator: Generator, used: usize, outputs: usize) -> usize {
    let (_, usable) = generator.usable();
    (used + outputs).div_ceil(usable).max(1) - 1
}

/// Correlations for the seeds of so many outputs, over F_2 and F_p.
pub(crate) fn demand(generator: Generator, outputs: usize, over_both: bool) -> (usize, usize) {
    if outputs == 0 {
        return (0, 0);
    }
    let (len, _) = generator.usable();
    let more = len * reseeds(generator, 0, outputs);
    match over_both {
        true => {
            let (bits, values) = seed::demand(Rows::of(generator, SeedProof::V1), len);
            (bits + more, values + more)
        }
        false => (0, len + more),
    }
}

/// Outputs that are computed at once, in whole bytes. The crate's own tests take so few that short claims
/// end before, at and behind the end of a chunk.
const CHUNK: usize = if cfg!(test) { 8 } else { 1 << 14 };

impl<S: Exchange> Chain<S> {
    /// The first seed.
    pub(crate) fn start(
        session: &mut S,
        converter: Converter,
        over_both: bool,
    ) -> Result<Self, VoleError> {
        let Converter::Local { generator, proof } = converter else {
            return Err(VoleError::Shape { what: "converter" });
        };
        let (len, _) = generator.usable();
        let mut chain = Self { seeds: Vec::new(), used: 0, drawn: 0, over_both };
        let (bits, values) = match over_both {
            true => {
                let pair = seed::make(session, Rows::of(generator, proof), len)?;
                (pair.bits, pair.values)
            }
            false => {
                let noise = session.noise(len);
                let bits = || noise.iter().map(|word| Fp::from(word & 1)).collect();
                let values = session.commit::<Fp>(len, bits)?;
                for value in &values {
                    session.assert_product::<Fp>([*value; 2], *value)?;
                }
                (Vec::new(), values)
            }
        };
        chain.push(session, generator, bits, values);
        Ok(chain)
    }

    fn push(
        &mut self,
        session: &S,
        generator: Generator,
        bits: Vec<S::Linear<Gf64>>,
        values: Vec<S::Linear<Fp>>,
    ) {
        let parts: [&[u8]; 3] =
            [&session.shared_toss(), &[u8::from(self.over_both)], &self.drawn.to_le_bytes()];
        let graph = Graph::new(generator, session.sid().derive_key("graph", &parts));
        let plain = values.iter().map(|value| S::peek::<Fp>(value).to_u64() as u8 & 1).collect();
        self.seeds.push(Seed { graph, bits, values, plain });
        self.drawn += 1;
    }

    /// Commits to the seeds that `outputs` more take. One message.
    fn grow(
        &mut self,
        session: &mut S,
        generator: Generator,
        outputs: usize,
    ) -> Result<(), VoleError> {
        let (len, usable) = generator.usable();
        for _ in 0..reseeds(generator, self.used, outputs) {
            let mut plain = vec![0; len];
            if let Some(last) = self.seeds.last().filter(|_| S::PROVES) {
                let first = usable as u64;
                local::outputs(generator, &last.graph, &last.plain, first, &mut plain);
            }
            let bits = match self.over_both {
                true => session.commit::<Gf64>(len, || plain.iter().map(|x| *x == 1).collect())?,
                false => Vec::new(),
            };
            let values = || plain.iter().map(|x| Fp::from(u64::from(*x))).collect();
            let values = session.commit::<Fp>(len, values)?;
            self.push(session, generator, bits, values);
        }
        Ok(())
    }

    /// Once a check has accepted: only the last seed has outputs left.
    pub(crate) fn finish(&mut self, generator: Generator, outputs: usize) {
        let (_, usable) = generator.usable();
        let spent = self.seeds.len() - 1;
        self.used = self.used + outputs - spent * usable;
        self.seeds.drain(..spent);
    }
}

impl<S: Session> Chain<S> {
    pub(crate) fn over_both(&self) -> bool {
        self.over_both
    }

    /// The runs of outputs `first..first + count` of a check: the number of a seed, the seed, the
    /// number of the first output in it, and how many follow.
    pub(crate) fn runs(
        &self,
        generator: Generator,
        first: usize,
        count: usize,
    ) -> impl Iterator<Item = (usize, &Seed<S>, usize, usize)> {
        let (_, usable) = generator.usable();
        let (mut next, end) = (self.used + first, self.used + first + count);
        std::iter::from_fn(move || {
            let within = next % usable;
            let len = (usable - within).min(end - next);
            let number = next / usable;
            let seed = self.seeds.get(number).filter(|_| len > 0)?;
            next += len;
            Some((number, seed, within, len))
        })
    }

    /// Outputs in the clear, at the prover.
    fn plain(&self, generator: Generator, first: usize, out: &mut [u8]) {
        let mut rest = out;
        let count = rest.len();
        for (_, seed, within, len) in self.runs(generator, first, count) {
            let (run, after) = rest.split_at_mut(len);
            local::outputs(generator, &seed.graph, &seed.plain, within as u64, run);
            rest = after;
        }
    }
}

impl<S: Session> Work<S> {
    /// Degrees of its claims over F_2 and over F_p.
    pub(crate) fn degrees(&self) -> [usize; 2] {
        let [bits, values] = self.generator.degrees();
        [if self.chain.over_both { bits } else { 0 }, values]
    }

    /// Names the claims where coefficients are derived.
    pub(crate) fn kind(&self) -> &'static str {
        if self.chain.over_both { "both" } else { "values" }
    }

    /// Names the claims that seeds are outputs.
    pub(crate) fn reseed_kind(&self) -> &'static str {
        if self.chain.over_both { "reseed both" } else { "reseed values" }
    }
}

impl<S: Exchange> Work<S> {
    /// Seeds for all claims, and their masked bits. Everything is fixed after this, so that one
    /// challenge serves all.
    pub(crate) fn prepare(
        session: &mut S,
        converter: Converter,
        generator: Generator,
        chain: Option<Chain<S>>,
        claims: Vec<Decomposition<S>>,
        over_both: bool,
    ) -> Result<Self, VoleError> {
        let mut chain = match chain {
            Some(chain) => chain,
            None => Chain::start(session, converter, over_both)?,
        };
        let outputs = claims.iter().map(Decomposition::outputs).sum();
        chain.grow(session, generator, outputs)?;
        let mut first = 0;
        let mut batches = Vec::with_capacity(claims.len());
        for claim in claims {
            let count = claim.outputs();
            let masked = session.show_bits(count, || {
                let packed = (0..count).into_par_iter().step_by(CHUNK).map(|start| {
                    let mut bits = vec![0; CHUNK.min(count - start)];
                    chain.plain(generator, first + start, &mut bits);
                    let indices = start..;
                    bits.iter_mut().zip(indices).for_each(|(bit, i)| *bit ^= claim.bit(i));
                    bits.chunks(8).map(pack).collect::<Vec<_>>()
                });
                packed.collect::<Vec<_>>().concat()
            })?;
            batches.push(Batch { claim, first, masked });
            first += count;
        }
        Ok(Self { generator, chain, batches, outputs })
    }

    /// The chain for the next check.
    pub(crate) fn finish(mut self) -> Chain<S> {
        self.chain.finish(self.generator, self.outputs);
        self.chain
    }
}

fn pack(bits: &[u8]) -> u8 {
    bits.iter().rev().fold(0, |byte, bit| byte << 1 | bit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::testing::{Script, both_with};

    /// Bits, and the number that they are said to spell.
    struct Number {
        bits: Vec<bool>,
        value: u64,
    }

    impl Script for Number {
        fn run<S: Exchange>(&self, session: &mut S) -> Result<(), VoleError> {
            let Self { bits, value } = self;
            let bits = session.commit::<Gf64>(bits.len(), || bits.clone())?;
            let values = session.commit::<Fp>(1, || vec![Fp::from(*value)])?;
            session.decompose(Decomposition::conversion(bits.len(), values, bits))?;
            session.check().map(|_| ())
        }
    }

    /// Masked bits in several chunks, whose ends lie before, at and behind that of the last number.
    #[test]
    fn numbers_of_every_width() {
        for width in [1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1] {
            let bits: Vec<bool> = (0..width).map(|place| place % 3 != 1).collect();
            let value = bits.iter().rev().fold(0, |value, bit| value << 1 | u64::from(*bit));
            let number = |value| Number { bits: bits.clone(), value };
            let (prover, verifier) = both_with(Converter::GENERATOR, &number(value));
            assert!(prover.is_ok() && verifier.is_ok(), "{width}");
            for place in [0, width - 1] {
                let wrong = number(value ^ 1 << place);
                let (_, verifier) = both_with(Converter::GENERATOR, &wrong);
                assert!(matches!(verifier, Err(VoleError::Cheating { .. })), "{width}, {place}");
            }
        }
    }
}
