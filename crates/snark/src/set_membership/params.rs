//! Parameters, by the names of the paper, and why they are as they are.
//!
//! | name | here | paper's code | |
//! |---|---|---|---|
//! | λ | 125 | 127 | collisions of hashed primes: 251 free bits of BLAKE2s |
//! | λ_s | 128 | 124 | bits of the challenge |
//! | λ_z | 128 | 125 | bits by which masks of integer responses are longer than what they hide |
//! | μ | 252 | 252 | bits of a prime; the top bit is one |
//! | ν | 255 | 255 | bits of the order q of BLS12-381's groups |
//!
//! # Where the published parameters fall short
//! There the prime e is one integer, with a response of `λ_z + λ_s + μ = 501` bits. So what an extractor
//! finds is an integer of up to 503 bits (symmetric masks, `|s| ≤ 2^502`) that is e modulo q.
//!
//! * For membership it must not be a product of two primes, hence `λ_z + λ_s < μ − 2`: that is why the
//!   challenge had 124 bits only. Counted exactly, `2^503 > 2^(2μ − 2)`, it falls short by a bit.
//! * For non-membership it does not do at all: a member `e_i` is committed to, and `e_i + q` taken for
//!   the integer, which is prime to all elements.
//!
//! Here e is cut into [`LIMBS`] limbs of [`LIMB_BITS`] bits, each with a response `z_k` of its own, in
//! `[2^212, 2^254)`. The circuit says that a committed limb `a_k` is below 2^84. For two accepting
//! transcripts with challenges that differ by Δc, `Δz_k = a_k·Δc` modulo q, and
//! `|Δz_k − a_k·Δc| < 2^254 + 2^212 < q`: the equation holds over the integers. So the integer is
//! `Σ a_k·2^(84k)`, and nothing else. A prover whose response leaves the interval takes new masks
//! (probability `3·2^−42`); inside it, a response is uniform whatever `a_k` is.
//!
//! # Absence
//! No commitment holds the cofactor b. So what an extractor finds is `G_0^Δc = W^(e·Δc)·Acc^Δz` for the
//! difference Δz of two responses for b, which Δc need not divide. It is enough: if e were one of the primes
//! in the exponent P of Acc, it would be prime to `Δc − P·Δz`, because it is longer than Δc; and
//! `G_0^(Δc − P·Δz) = (W^Δc)^e` would give an e-th root of `G_0`.
//!
//! # Hiding
//! Every other mask hides statistically, but for 2^−128. Randomness of integer commitments is uniform below
//! N, which is uniform modulo every divisor of φ(N) but for about 2^−1023.

use algebra::{Bls12381G1, Group, Scalar};
use integer::{Integer, Modulus};
use transcript::{Transcript, TranscriptExt};

use super::group::{Element, HiddenOrderGroup};

/// μ: bits of a prime.
pub const PRIME_BITS: u32 = 252;
/// Bits of the index of a hashed prime. One candidate in 175 is prime: that none of 2^16 is has
/// probability 2^−540.
pub const INDEX_BITS: u32 = 16;
/// Limbs of a prime.
pub const LIMBS: usize = 3;
/// Bits of a limb.
pub const LIMB_BITS: u32 = PRIME_BITS / LIMBS as u32;
/// λ_s: bits of the challenge, and of the weights that put equations together.
pub const CHALLENGE_BITS: u32 = 128;
/// λ_z: bits by which masks are longer than what they hide.
pub const SLACK_BITS: u32 = 128;
/// Responses for limbs are below two to this power, and not below `2^(LIMB_BITS + CHALLENGE_BITS)`.
pub const LIMB_RESPONSE_BITS: u32 = 254;
/// Bits of the modulus N.
pub const MODULUS_BITS: u32 = 2048;
/// Bits of responses for the randomness of integer commitments.
pub const RANDOMNESS_RESPONSE_BITS: u32 = MODULUS_BITS + CHALLENGE_BITS + SLACK_BITS;
/// Bits of responses for products of e and such randomness, rounded up to bytes.
pub const PRODUCT_RESPONSE_BITS: u32 = (PRIME_BITS + RANDOMNESS_RESPONSE_BITS).next_multiple_of(8);
/// Bits of responses for the cofactor of non-membership, rounded up to bytes.
pub const COFACTOR_RESPONSE_BITS: u32 =
    (PRIME_BITS + CHALLENGE_BITS + SLACK_BITS).next_multiple_of(8);

const LABEL: &[u8] = b"subrosa/snark/set-membership/parameters/v1";

/// The group of curve points of commitments to values.
pub type Curve = Bls12381G1;
/// A value, or its commitment's randomness.
pub type Value = <Curve as Group>::Scalar;

/// What accumulators and commitments are computed with. Nobody chose anything: all bases are hashes.
#[derive(Clone, Debug)]
pub struct Parameters {
    pub(super) group: HiddenOrderGroup,
    /// `G_0`, the accumulator of the empty set.
    pub(super) start: Element,
    /// G and H of integer commitments.
    pub(super) integer_bases: [Element; 2],
    /// g and h of commitments to values.
    pub(super) value_bases: [Curve; 2],
}

impl Parameters {
    /// Version 1: RSA-2048, BLS12-381.
    #[must_use]
    pub fn rsa_2048() -> Self {
        let group = HiddenOrderGroup::new(Modulus::rsa_2048());
        let base = |label: &[u8]| group.hash_to_square(LABEL, label);
        let (start, integer_bases) = (base(b"G_0"), [base(b"G"), base(b"H")]);
        let value_bases = [Curve::generator(), Curve::hash_to_group(&[LABEL, b"/h"].concat())];
        Self { group, start, integer_bases, value_bases }
    }

    /// The group of the accumulators.
    pub fn group(&self) -> &HiddenOrderGroup {
        &self.group
    }

    /// `value·g + randomness·h`, the commitment that statements speak of.
    pub fn commit(&self, value: &Value, randomness: &Value) -> Curve {
        let [g, h] = &self.value_bases;
        g.mul(value) + h.mul(randomness)
    }

    /// Absorbs everything that a proof depends on beside the statement.
    pub(super) fn absorb(&self, transcript: &mut Transcript) {
        transcript.absorb(b"parameters", LABEL);
        transcript.absorb(b"G_0", &self.group.encode(&self.start));
        for base in &self.integer_bases {
            transcript.absorb(b"integer base", &self.group.encode(base));
        }
        transcript.absorb(b"value bases", &Curve::encode_all(&self.value_bases));
    }
}

/// A non-negative integer modulo the order of the curve's groups.
pub(super) fn value_of(integer: &Integer) -> Value {
    let mut wide = [0; 64];
    let digits = integer.to_digits::<u8>(integer::Order::Lsf);
    wide.iter_mut().zip(digits).for_each(|(byte, digit)| *byte = digit);
    Value::from_wide(&wide)
}

/// The integer that a value is.
pub(super) fn integer_of(value: &Value) -> Integer {
    Integer::from_digits(&value.encode(), integer::Order::Lsf)
}

/// `Σ limbs_k·2^(84k)`.
pub(super) fn join<'a>(limbs: impl DoubleEndedIterator<Item = &'a Integer>) -> Integer {
    limbs.rev().fold(Integer::new(), |sum, limb| (sum << LIMB_BITS) + limb)
}
