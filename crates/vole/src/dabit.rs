//! daBits: random bits that are committed over F_2 and over F_p, and conversions with them.
//!
//! For each batch of at most N bits b_i:
//!
//! 1. The prover commits over F_p to the bits of unused correlations over F_2, and claims
//!    `b (1 - b) = 0`.
//! 2. For each of κ rows it commits over F_p to ρ, uniform in `0..N 2^s` with the lowest bit of a
//!    further correlation over F_2.
//! 3. The verifier draws bits e_i for each row, and the prover reveals `a = ρ + Σ e_i b_i` over F_2
//!    and over F_p.
//! 4. The verifier wants `N <= a < N 2^s` and the parity of a over F_p to be the a over F_2.
//!
//! *Sound*: the b_i over F_p are bits, so that `Σ e_i b_i <= N`, and ρ = a - Σ e_i b_i is an integer
//! in `0..N 2^s` whose parity was fixed before the e_i were drawn. If some bit differs between the
//! fields, each row fails with probability 1/2.
//!
//! *Zero knowledge*, whatever e the verifier sends: each sum in `0..=N` gives the same distribution
//! of a on the allowed values of its parity, and the prover stops without revealing anything if any
//! a is not allowed, which happens with probability κ 2^-s whatever the bits are.

use rand_core::CryptoRng;
use zeroize::Zeroizing;

use crate::{
    error::VoleError,
    field::{Fp, Gf64},
    message,
    polynomial::Polynomial,
    prg::Prg,
    session::{Party, Prover, Verifier},
};

/// N: the most bits of a batch.
const BATCH: usize = 1 << 11;
/// s: N (2^s + 1) - 1 must be below p.
const SLACK: u32 = 49;
/// κ: rows of a batch, each of which a false bit passes with probability 1/2.
const ROWS: usize = 64;
/// The bits of a value that is converted: 2^60 < p, so that no two integers stand for one value.
pub const MAX_WIDTH: usize = 60;

const _: () = assert!((BATCH as u64) * ((1 << SLACK) + 1) - 1 < Fp::MODULUS);

/// The allowed a.
const ALLOWED: std::ops::Range<u64> = BATCH as u64..(BATCH as u64) << SLACK;

/// A party's side of a random bit that is committed over F_2 and over F_p. It masks one bit.
pub struct DaBit<S: Party> {
    bit: S::Commitment<Gf64>,
    value: S::Commitment<Fp>,
}

/// Correlations that `count` daBits take, over F_2 and over F_p, for [`Party::reserve`].
pub fn dabit_demand(count: usize) -> (usize, usize) {
    let rows = ROWS * count.div_ceil(BATCH);
    (count + rows, count + rows)
}

impl Prover<'_> {
    /// Makes daBits, while the verifier makes as many. They can be used at once; what is proven
    /// with them holds once [`Party::check`] has accepted. One round trip for each 2,048.
    ///
    /// # Errors
    /// [`VoleError::Unlucky`] with probability 2^-43 for each 2,048, those of [`Prover::commit`],
    /// [`VoleError::Channel`].
    pub fn dabits(
        &mut self,
        count: usize,
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<DaBit<Self>>, VoleError> {
        let mut made = Vec::new();
        while made.len() < count {
            let batch = self.dabit_batch(BATCH.min(count - made.len()), rng);
            made.extend(batch.inspect_err(|_| self.end())?);
        }
        Ok(made)
    }

    fn dabit_batch(
        &mut self,
        count: usize,
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<DaBit<Self>>, VoleError> {
        let bits = self.random::<Gf64>(count)?;
        let values = bits.iter().map(|bit| Fp::from(bit.value().to_u64()));
        let values = Zeroizing::new(values.collect::<Vec<_>>());
        self.pair(bits, &values, rng)
    }

    /// Steps 1 to 3: the bits over F_2, and what the prover says that they are over F_p.
    fn pair(
        &mut self,
        bits: Vec<Polynomial<Gf64>>,
        values: &[Fp],
        rng: &mut impl CryptoRng,
    ) -> Result<Vec<DaBit<Self>>, VoleError> {
        let masks = self.random::<Gf64>(ROWS)?;
        let values = self.commit::<Fp>(values)?;
        let offsets = masks.iter().map(|mask| {
            // N 2^s is a power of two.
            let drawn = rng.next_u64() & (ALLOWED.end - 1) & !1;
            Fp::from(drawn | mask.value().to_u64())
        });
        let offsets = Zeroizing::new(offsets.collect::<Vec<_>>());
        let offsets = self.commit::<Fp>(&offsets)?;

        let seed = message::receive_array(self.channel(), "daBit seed")?;
        let dabits = pair::<Self>(bits, values);
        let rows = rows(self, &dabits, masks, offsets, &seed);
        if rows.sums.iter().any(|a| !ALLOWED.contains(&a.value().to_u64())) {
            return Err(VoleError::Unlucky);
        }
        self.reveal::<Gf64>(&rows.parities)?;
        self.reveal::<Fp>(&rows.sums)?;
        assert_binary(self, &dabits)?;
        Ok(dabits)
    }
}

impl<R: CryptoRng> Verifier<'_, R> {
    /// Makes daBits; see [`Prover::dabits`].
    ///
    /// # Errors
    /// [`VoleError::Cheating`], those of [`Verifier::commit`].
    pub fn dabits(&mut self, count: usize) -> Result<Vec<DaBit<Self>>, VoleError> {
        let mut made = Vec::new();
        while made.len() < count {
            let batch = self.dabit_batch(BATCH.min(count - made.len()));
            made.extend(batch.inspect_err(|_| self.end())?);
        }
        Ok(made)
    }

    fn dabit_batch(&mut self, count: usize) -> Result<Vec<DaBit<Self>>, VoleError> {
        let (bits, masks) = (self.random::<Gf64>(count)?, self.random::<Gf64>(ROWS)?);
        let values = self.commit::<Fp>(count)?;
        let offsets = self.commit::<Fp>(ROWS)?;

        // Drawn when the bits and the masks are fixed.
        let seed = self.send_seed()?;
        let dabits = pair::<Self>(bits, values);
        let rows = rows(self, &dabits, masks, offsets, &seed);
        let parities = self.reveal::<Gf64>(&rows.parities)?;
        let sums = self.reveal::<Fp>(&rows.sums)?;
        if sums.iter().zip(parities).all(|(sum, parity)| allowed(*sum, parity)) {
            assert_binary(self, &dabits)?;
            return Ok(dabits);
        }
        Err(VoleError::Cheating { check: "daBit rows" })
    }
}

fn allowed(sum: Fp, parity: bool) -> bool {
    ALLOWED.contains(&sum.to_u64()) && (sum.to_u64() & 1 == 1) == parity
}

/// Claims that b (1 - b) = 0 over F_p.
fn assert_binary<S: Party>(party: &mut S, dabits: &[DaBit<S>]) -> Result<(), VoleError> {
    let one = party.constant::<Fp>(Fp::from(1));
    for DaBit { value, .. } in dabits {
        let claim = party.mul::<Fp>(value, &party.sub::<Fp>(&one, value));
        party.assert_zero::<Fp>(claim)?;
    }
    Ok(())
}

fn pair<S: Party>(bits: Vec<S::Commitment<Gf64>>, values: Vec<S::Commitment<Fp>>) -> Vec<DaBit<S>> {
    bits.into_iter().zip(values).map(|(bit, value)| DaBit { bit, value }).collect()
}

/// The a of each row.
struct Rows<S: Party> {
    parities: Vec<S::Commitment<Gf64>>,
    sums: Vec<S::Commitment<Fp>>,
}

fn rows<S: Party>(
    party: &S,
    dabits: &[DaBit<S>],
    masks: Vec<S::Commitment<Gf64>>,
    offsets: Vec<S::Commitment<Fp>>,
    seed: &[u8; 16],
) -> Rows<S> {
    let generator = Prg::new(u128::from_le_bytes(*seed));
    let blocks = dabits.len().div_ceil(128);
    let mut challenge = vec![0; blocks];
    let mut made = Rows::<S> { parities: Vec::new(), sums: Vec::new() };
    for (row, (mask, offset)) in (0u64..).zip(masks.into_iter().zip(offsets)) {
        generator.fill(row * blocks as u64, &mut challenge);
        let chosen = challenge.iter().flat_map(|block| (0..128).map(move |i| block >> i & 1 == 1));
        let (mut bits, mut values) = (vec![&mask], vec![&offset]);
        for (dabit, _) in dabits.iter().zip(chosen).filter(|(_, chosen)| *chosen) {
            bits.push(&dabit.bit);
            values.push(&dabit.value);
        }
        made.parities.push(party.sum::<Gf64>(&bits));
        made.sums.push(party.sum::<Fp>(&values));
    }
    made
}

/// A value, and what are claimed to be its bits, the lowest first.
pub struct Conversion<S: Party> {
    /// x over F_p.
    pub value: S::Commitment<Fp>,
    /// The bits of x over F_2: commitments, or what was computed from them.
    pub bits: Vec<S::Commitment<Gf64>>,
}

/// Claims that each value is the number that its bits spell, and so below 2^k for k bits. Takes one
/// daBit for each bit. One message of a bit for each bit, however many values.
///
/// # Errors
/// [`VoleError::TooMany`] over [`MAX_WIDTH`], and if there are more bits than daBits; those of
/// [`Party::reveal`].
pub fn assert_converted<S: Party>(
    party: &mut S,
    conversions: &[Conversion<S>],
    dabits: Vec<DaBit<S>>,
) -> Result<(), VoleError> {
    let widest = conversions.iter().map(|conversion| conversion.bits.len()).max().unwrap_or(0);
    let total = conversions.iter().map(|conversion| conversion.bits.len()).sum();
    for (what, got, limit) in
        [("bits of a value", widest, MAX_WIDTH), ("bits to convert", total, dabits.len())]
    {
        if got > limit {
            return Err(VoleError::TooMany { what, requested: got, limit });
        }
    }
    let bits = conversions.iter().flat_map(|conversion| &conversion.bits);
    let masked: Vec<_> =
        bits.zip(&dabits).map(|(bit, dabit)| party.add::<Gf64>(bit, &dabit.bit)).collect();
    let mut masks = party.reveal::<Gf64>(&masked)?.into_iter().zip(dabits);

    let one = party.constant::<Fp>(Fp::from(1));
    for Conversion { value, bits } in conversions {
        let mut claim = value.clone();
        for (place, (flipped, dabit)) in (0..bits.len()).zip(&mut masks) {
            let bit = match flipped {
                true => party.sub::<Fp>(&one, &dabit.value),
                false => dabit.value,
            };
            let weight = party.constant::<Fp>(Fp::from(1 << place));
            claim = party.sub::<Fp>(&claim, &party.mul::<Fp>(&weight, &bit));
        }
        party.assert_zero::<Fp>(claim)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParameterSet;
    use rand_chacha::ChaCha20Rng;
    use rand_core::SeedableRng;
    use wire::Channel;

    /// A prover who changes what it commits to over F_p, and follows the protocol otherwise.
    fn run(
        change: impl FnOnce(&mut [Fp]) + Send,
    ) -> (Result<(), VoleError>, Result<(), VoleError>) {
        let (mut left, mut right) = Channel::pair();
        let set = ParameterSet::NoLpn;
        std::thread::scope(|scope| {
            let prover = scope.spawn(move || {
                let mut rng = ChaCha20Rng::seed_from_u64(1);
                let mut prover = Prover::connect(&mut left, set, b"", &mut rng)?;
                let bits = prover.random::<Gf64>(100)?;
                let mut values: Vec<_> =
                    bits.iter().map(|bit| Fp::from(bit.value().to_u64())).collect();
                change(&mut values);
                prover.pair(bits, &values, &mut rng)?;
                prover.check()
            });
            let verifier = scope.spawn(move || {
                let mut rng = ChaCha20Rng::seed_from_u64(2);
                let mut verifier = Verifier::connect(&mut right, set, b"", &mut rng)?;
                verifier.dabits(100)?;
                verifier.check()
            });
            (prover.join().unwrap(), verifier.join().unwrap())
        })
    }

    #[test]
    fn an_honest_pair_is_accepted() {
        let (prover, verifier) = run(|_| {});
        assert!(prover.is_ok() && verifier.is_ok());
    }

    /// A flipped bit fails in about half of the 64 rows.
    #[test]
    fn bits_that_differ_between_the_fields_are_refused() {
        let (prover, verifier) = run(|values| values[50] = Fp::from(1) - values[50]);
        assert!(matches!(verifier, Err(VoleError::Cheating { check: "daBit rows" })));
        assert!(prover.is_err());
    }

    /// Adding 2 keeps all parities.
    #[test]
    fn values_that_are_no_bits_are_refused() {
        let (prover, verifier) = run(|values| values[50] += Fp::from(2));
        assert!(matches!(verifier, Err(VoleError::Cheating { check: "claims" })));
        assert!(matches!(prover, Err(VoleError::Refused)));
    }

    /// Sums of halves of p lie out of range in most rows: the prover shows none of them.
    #[test]
    fn a_sum_out_of_range_is_not_shown() {
        let (prover, verifier) = run(|values| values.fill(Fp::from(Fp::MODULUS / 2)));
        assert!(matches!(prover, Err(VoleError::Unlucky)));
        assert!(matches!(verifier, Err(VoleError::Channel(_))));
    }

    #[test]
    fn the_range_and_the_parity() {
        assert!(!allowed(Fp::from(ALLOWED.start - 1), true));
        assert!(!allowed(Fp::from(ALLOWED.end), false));
        assert!(allowed(Fp::from(ALLOWED.start), false));
        assert!(allowed(Fp::from(ALLOWED.end - 1), true));
        assert!(!allowed(Fp::from(ALLOWED.end - 1), false));
    }
}
