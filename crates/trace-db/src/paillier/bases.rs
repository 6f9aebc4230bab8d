//! The bases of either scheme, which follow from N and the verification keys, and how long exponents of
//! `bcp` are: what a key is put together from, whoever made it.

use integer::{Integer, Modulus};

use super::{
    PaillierError,
    encode::hash_to_symbol_one,
    scheme::{Parties, SLACK_BITS},
};

/// `dealt`: `h^N` for `h = −x²` modulo N and an x of Jacobi symbol +1: `x^N`, which everybody computes and
/// whose square is `−h^N`, is then a power of `h^N` like any other mask.
pub(super) fn mask_base(plain: &Modulus, cipher: &Modulus) -> Integer {
    let x = hash_to_symbol_one(plain, plain, b"subrosa/db/paillier/dealt");
    let h = plain.neg(&plain.mul(&x, &x));
    cipher.pow(&h, plain.value())
}

/// `dealt`: V, a square modulo N², of order N·μ but for negligible probability.
pub(super) fn verification_base(cipher: &Modulus) -> Integer {
    let root = cipher.hash_to_unit(b"subrosa/db/paillier/dealt", b"V");
    cipher.mul(&root, &root)
}

/// `bcp`: bits of a server's secret exponent and of encryption randomness.
pub(super) const EXPONENT_BITS: u32 = 256 + 128;

/// `bcp`: `g = −x^{2N}` for x hashed from N, of Jacobi symbol +1: an N-th residue of nobody's choosing.
pub(super) fn generator(plain: &Modulus, cipher: &Modulus) -> Integer {
    let x = hash_to_symbol_one(plain, cipher, b"subrosa/db/paillier/bcp");
    cipher.neg(&cipher.pow(&x, &Integer::from(plain.value() * 2_u32)))
}

/// `bcp`: `Y = prod g^{α_k}`: the product of the verification keys if all servers decrypt, else the element
/// that follows them.
pub(super) fn joint_key(
    cipher: &Modulus,
    parties: Parties,
    keys: &[Integer],
) -> Result<Integer, PaillierError> {
    let skipped = if parties.all_needed() { 0 } else { parties.servers.into() };
    let keys = keys.iter().skip(skipped);
    let joint = keys.fold(Integer::from(1), |joint, key| cipher.mul(&joint, key));
    match cipher.equal_up_to_sign(&joint, &Integer::from(1)) {
        true => Err(PaillierError::KeysCancel),
        false => Ok(joint),
    }
}

/// `bcp`: bits of a coefficient `a_{k,j}`; t² is below 2^16.
pub(super) fn coefficient_bits(parties: Parties) -> u32 {
    EXPONENT_BITS + SLACK_BITS + parties.delta().significant_bits() + 16
}

/// `bcp`: bits of a part: coefficients and t powers of a number below 2^8.
pub(super) fn part_bits(parties: Parties) -> u32 {
    coefficient_bits(parties) + 8 * u32::from(parties.needed) + 8
}

/// `bcp`: bits of a server's exponent, the sum of at most 2^8 parts. A dealer cannot make it longer, as
/// parts that are do not decode: the proofs of an honest server stay in their range.
pub(super) fn share_bits(parties: Parties) -> u32 {
    match parties.all_needed() {
        true => EXPONENT_BITS,
        false => part_bits(parties) + 8,
    }
}
