//! Random bits that are committed over F_2 and over F_p.
//!
//! 1. The prover commits over F_p to the bits of unused correlations over F_2, and claims
//!    `b (1 - b) = 0`.
//! 2. For each of κ rows it commits over F_p to a mask ρ that has the lowest bit of a further
//!    correlation over F_2: uniform in `0..N 2^s` (v1), or that bit itself (v2).
//! 3. Both parties draw bits e_i for each row, and look at `a = ρ + Σ e_i b_i`, over F_2 and over
//!    F_p. The a over F_2 is shown.
//! 4. v1: the a over F_p is shown, too, and the verifier wants `N <= a < N 2^s`, of the parity that
//!    the a over F_2 says. v2: `(a + a_2) / 2` is proven to lie in `N/8 - T ..= N/8 + T`.
//!
//! *Sound*: the b_i over F_p are bits, so that `Σ e_i b_i <= N` does not wrap around, and ρ is a small
//! integer whose parity was fixed before the e_i were drawn. If some bit differs between the fields,
//! each row fails with probability 1/2.
//!
//! *Zero knowledge*, v1, whatever the e are: each sum in `0..=N` gives the same distribution of a on
//! the allowed values of its parity, and the prover stops without a word if any a is not allowed,
//! which happens with probability κ 2^-s whatever the bits are. v2 shows nothing over F_p; its
//! prover stops with probability κ 2^-50 (Hoeffding) if the e are random, which is why no party
//! chooses them alone.

use rayon::prelude::*;

use crate::{
    error::VoleError,
    field::{Fp, Gf64},
    params::{Generator, ROWS},
    prg::Prg,
    session::{Exchange, Session},
};

/// How the bits of a seed are shown to be the same over both fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SeedProof {
    /// Masked sums are opened: nothing leaks, whatever the verifier does.
    #[default]
    V1,
    /// Sums are proven to lie in a range, and are not opened: smaller fields would do.
    V2,
}

/// Bits in a party's hands, committed over both fields.
pub(crate) struct Pair<S: Session> {
    pub(crate) bits: Vec<S::Linear<Gf64>>,
    pub(crate) values: Vec<S::Linear<Fp>>,
}

/// How wide the masks are, and what is done with the sums.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    /// The most bits of a batch.
    pub(crate) batch: usize,
    slack: u32,
    proof: SeedProof,
}

impl Rows {
    pub(crate) fn of(generator: Generator, proof: SeedProof) -> Self {
        let entry = generator.entry();
        Self { batch: entry.seed, slack: entry.slack, proof }
    }

    /// v1: the allowed a.
    fn allowed(self) -> std::ops::Range<u64> {
        self.batch as u64..(self.batch as u64) << self.slack
    }

    /// v2: T, with one more for the mean's 1/2.
    fn deviation(self) -> u64 {
        // exp(-8 T^2 / N) = 2^-51.
        let spread = (51.0 * std::f64::consts::LN_2 * self.batch as f64 / 8.0).sqrt();
        spread.ceil() as u64 + 1
    }
}

/// The degree of the proof that a sum of v2 lies in its range.
pub(crate) fn range_degree(generator: Generator) -> usize {
    2 * Rows::of(generator, SeedProof::V2).deviation() as usize + 1
}

/// Correlations that `count` bits take, over F_2 and over F_p.
pub(crate) fn demand(rows: Rows, count: usize) -> (usize, usize) {
    let rows = ROWS * count.div_ceil(rows.batch);
    (count + rows, count + rows)
}

/// Makes `count` random bits. One round trip, however many; what is proven with them holds once a
/// check has accepted.
pub(crate) fn make<S: Exchange>(
    session: &mut S,
    rows: Rows,
    count: usize,
) -> Result<Pair<S>, VoleError> {
    let bits = session.random::<Gf64>(count)?;
    let values = session.commit::<Fp>(count, || {
        bits.iter().map(|bit| Fp::from(u64::from(S::peek::<Gf64>(bit)))).collect()
    })?;
    let pair = Pair { bits, values };
    agree(session, rows, &pair)?;
    Ok(pair)
}

/// Steps 1 to 4 for bits over F_2 and what the prover says that they are over F_p.
pub(crate) fn agree<S: Exchange>(
    session: &mut S,
    rows: Rows,
    pair: &Pair<S>,
) -> Result<(), VoleError> {
    for value in &pair.values {
        session.assert_product::<Fp>([*value; 2], *value)?;
    }
    let total = ROWS * pair.bits.len().div_ceil(rows.batch);
    let parities = session.random::<Gf64>(total)?;
    let wide = match rows.proof {
        SeedProof::V1 => session.noise(total),
        SeedProof::V2 => vec![0; total],
    };
    let offsets = session.commit::<Fp>(total, || {
        // N 2^s is a power of two.
        let offset = |(wide, parity): (&u64, _)| {
            let drawn = wide & (rows.allowed().end - 1) & !1;
            Fp::from(drawn | u64::from(S::peek::<Gf64>(parity)))
        };
        wide.iter().zip(&parities).map(offset).collect()
    })?;
    let coins = Prg::new(session.toss("seed rows")?);
    let sums = sums::<S>(rows, pair, &parities, &offsets, &coins);
    let (bit_sums, value_sums): (Vec<_>, Vec<_>) = sums.into_iter().unzip();
    match rows.proof {
        SeedProof::V1 => show(session, rows, &bit_sums, &value_sums),
        SeedProof::V2 => prove_range(session, rows, &bit_sums, &value_sums),
    }
}

/// A row's sums over F_2 and over F_p.
type RowSums<S> = (<S as Session>::Linear<Gf64>, <S as Session>::Linear<Fp>);

fn sums<S: Exchange>(
    rows: Rows,
    pair: &Pair<S>,
    parities: &[S::Linear<Gf64>],
    offsets: &[S::Linear<Fp>],
    coins: &Prg,
) -> Vec<RowSums<S>> {
    let blocks = rows.batch.div_ceil(128);
    let masks: Vec<RowSums<S>> =
        parities.iter().zip(offsets).map(|(parity, offset)| (*parity, *offset)).collect();
    let row = |(row, (parity, offset)): (usize, &RowSums<S>)| {
        let mut coin_words = vec![0; blocks];
        coins.fill((row * blocks) as u64, &mut coin_words);
        let start = row / ROWS * rows.batch;
        let batch = |len: usize| start..(start + rows.batch).min(len);
        // Rows of a batch that begins behind the last bit are empty: they sum masks only.
        let own_bits = pair.bits.get(batch(pair.bits.len())).unwrap_or_default();
        let own_values = pair.values.get(batch(pair.values.len())).unwrap_or_default();
        let (mut bits, mut values) = (*parity, *offset);
        let words = coin_words.into_iter().zip(own_bits.chunks(128)).zip(own_values.chunks(128));
        for ((mut word, own_bits), own_values) in words {
            while word != 0 {
                let place = word.trailing_zeros() as usize;
                word &= word - 1;
                if let (Some(bit), Some(value)) = (own_bits.get(place), own_values.get(place)) {
                    bits = S::plus::<Gf64>(&bits, bit);
                    values = S::plus::<Fp>(&values, value);
                }
            }
        }
        (bits, values)
    };
    masks.par_iter().enumerate().map(row).collect()
}

/// v1.
fn show<S: Exchange>(
    session: &mut S,
    rows: Rows,
    bits: &[S::Linear<Gf64>],
    values: &[S::Linear<Fp>],
) -> Result<(), VoleError> {
    let within = |value: &Fp| rows.allowed().contains(&value.to_u64());
    session.stop_if(VoleError::Unlucky, || {
        !values.iter().map(S::peek::<Fp>).all(|value| within(&value))
    })?;
    let parities = session.open::<Gf64>(bits)?;
    let sums = session.open::<Fp>(values)?;
    let allowed = |(sum, parity): (&Fp, &bool)| within(sum) && (sum.to_u64() & 1 == 1) == *parity;
    session.refuse_unless("seed rows", || sums.iter().zip(&parities).all(allowed))
}

/// v2.
fn prove_range<S: Exchange>(
    session: &mut S,
    rows: Rows,
    bits: &[S::Linear<Gf64>],
    values: &[S::Linear<Fp>],
) -> Result<(), VoleError> {
    let half = Fp::from(2).inverse();
    let (centre, deviation) = (Fp::from(rows.batch as u64 / 8), rows.deviation());
    let within = |value: Fp| (value + Fp::from(deviation)).to_u64() <= 2 * deviation;
    let distance = |session: &S, value: &S::Linear<Fp>, parity: bool| {
        let even = session.shift::<Fp>(value, Fp::from(u64::from(parity)));
        session.shift::<Fp>(&S::scale::<Fp>(&even, half), -centre)
    };
    session.stop_if(VoleError::Unlucky, || {
        let mut distances = bits
            .iter()
            .zip(values)
            .map(|(bit, value)| S::peek::<Fp>(&distance(session, value, S::peek::<Gf64>(bit))));
        !distances.all(within)
    })?;
    let parities = session.open::<Gf64>(bits)?;
    let claims: Vec<_> = values
        .iter()
        .zip(&parities)
        .map(|(value, parity)| {
            // y (y^2 - 1) (y^2 - 4) .. (y^2 - T^2).
            let y = session.term::<Fp>(&distance(session, value, *parity));
            let square = session.mul::<Fp>(&y, &y);
            (1..=deviation).fold(y, |product, step| {
                let root = session.constant::<Fp>(Fp::from(step * step));
                session.mul::<Fp>(&product, &session.sub::<Fp>(&square, &root))
            })
        })
        .collect();
    claims.into_iter().try_for_each(|claim| session.assert_zero::<Fp>(claim))
}

#[cfg(test)]
mod tests {
    use rand_chacha::ChaCha20Rng;

    use super::*;
    use crate::{
        Authenticated, Prover,
        convert::testing::{Outcome, Script, both},
    };

    /// A batch of bits of which the prover changes some over F_p, and follows the protocol otherwise.
    struct Changed<F> {
        rows: Rows,
        change: F,
    }

    impl<F: Fn(&mut [Fp]) + Sync> Script for Changed<F> {
        fn run<S: Exchange>(&self, session: &mut S) -> Result<(), VoleError> {
            let bits = session.random::<Gf64>(self.rows.batch)?;
            let values = session.commit::<Fp>(self.rows.batch, || {
                let bits = bits.iter().map(|bit| Fp::from(u64::from(S::peek::<Gf64>(bit))));
                let mut values: Vec<_> = bits.collect();
                (self.change)(&mut values);
                values
            })?;
            agree(session, self.rows, &Pair { bits, values })?;
            session.check().map(|_| ())
        }
    }

    fn run(proof: SeedProof, change: impl Fn(&mut [Fp]) + Sync) -> Outcome {
        both(&Changed { rows: Rows::of(Generator::default(), proof), change })
    }

    #[test]
    fn an_honest_pair_is_accepted() {
        for proof in [SeedProof::V1, SeedProof::V2] {
            let (prover, verifier) = run(proof, |_| {});
            assert!(prover.is_ok() && verifier.is_ok(), "{proof:?}");
        }
    }

    /// A flipped bit fails in about half of the 64 rows.
    #[test]
    fn bits_that_differ_between_the_fields_are_refused() {
        let flip = |values: &mut [Fp]| values[50] = Fp::from(1) - values[50];
        let (prover, verifier) = run(SeedProof::V1, flip);
        assert!(matches!(verifier, Err(VoleError::Cheating { check: "seed rows" })));
        assert!(prover.is_err());
        // Half of an odd number is far from the range: the prover sees it first.
        assert!(matches!(run(SeedProof::V2, flip).0, Err(VoleError::Unlucky)));
    }

    /// Adding 2 keeps all parities.
    #[test]
    fn values_that_are_no_bits_are_refused() {
        let (prover, verifier) = run(SeedProof::V1, |values| values[50] += Fp::from(2));
        assert!(matches!(verifier, Err(VoleError::Cheating { check: "claims" })));
        assert!(matches!(prover, Err(VoleError::Refused)));
    }

    /// Sums of halves of p lie out of range in most rows: the prover shows none of them.
    #[test]
    fn a_sum_out_of_range_is_not_shown() {
        let change = |values: &mut [Fp]| values.fill(Fp::from(Fp::MODULUS / 2));
        let (prover, verifier) = run(SeedProof::V1, change);
        assert!(matches!(prover, Err(VoleError::Unlucky)));
        assert!(matches!(verifier, Err(VoleError::Channel(_))));
    }

    /// Masks without slack fall out of the range that tells nothing, for honest bits too.
    #[test]
    fn unlucky_masks_are_not_shown() {
        let rows = Rows { slack: 1, ..Rows::of(Generator::default(), SeedProof::V1) };
        let (prover, verifier) = both(&Changed { rows, change: |_: &mut [Fp]| {} });
        assert!(matches!(prover, Err(VoleError::Unlucky)));
        assert!(matches!(verifier, Err(VoleError::Channel(_))));
    }

    /// Each row catches a wrong bit with probability 1/2, whatever its place, and catches no honest
    /// prover: 64 of them leave 2^-64.
    #[test]
    fn half_of_the_rows_catch_a_wrong_bit() {
        type Side = Prover<'static, ChaCha20Rng>;
        let rows = Rows::of(Generator::default(), SeedProof::V1);
        let caught = |wrong: Option<usize>| {
            let mut bits = vec![Gf64::default(); 2 * rows.batch];
            if let Some(bit) = wrong.and_then(|wrong| bits.get_mut(wrong)) {
                *bit = Gf64::from(1);
            }
            let pair = Pair::<Side> { values: vec![Authenticated::default(); bits.len()], bits };
            let total = 2 * ROWS;
            let (parities, offsets) =
                (vec![Gf64::default(); total], vec![Authenticated::default(); total]);
            let of = |seed| sums::<Side>(rows, &pair, &parities, &offsets, &Prg::new(seed));
            let sums = (0..16).flat_map(of);
            sums.filter(|(bit, value)| bit.to_u64() & 1 != value.value.to_u64() & 1).count()
        };
        assert_eq!(caught(None), 0);
        // 1,024 rows of its batch; six standard deviations are 96.
        for wrong in [0, 127, 128, 2_047, 2_048, 4_095] {
            assert!(caught(Some(wrong)).abs_diff(512) < 96, "place {wrong}");
        }
    }

    /// `T_G` of `docs/spec/vole.md#soundness_bits`.
    #[test]
    fn deviations() {
        let expected = [96, 69, 136];
        for (generator, expected) in Generator::ALL.into_iter().zip(expected) {
            let found = Rows::of(generator, SeedProof::V2).deviation();
            assert!(found.abs_diff(expected) <= 1, "{generator}: {found}");
        }
    }
}
