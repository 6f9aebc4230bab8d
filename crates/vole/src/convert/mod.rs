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
mod buckets;
pub(crate) mod chain;
mod converter;
mod decomposition;
pub(crate) mod edabits;
pub(crate) mod factors;
pub(crate) mod nibbles;
mod parts;
mod seed;
#[cfg(test)]
pub(crate) mod testing;

use crate::{
    error::VoleError,
    session::{Exchange, Session},
};

pub use buckets::buckets;
pub use converter::Converter;
pub(crate) use decomposition::MAX_TARGET_DEGREE;
pub use decomposition::{Bits, Decomposition, Functional, MAX_WIDTH, Targets};
pub use parts::Sizes;
pub use seed::SeedProof;

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
    use crate::{
        field::{Fp, Gf64},
        params::Generator,
        session::Exchange,
    };

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
