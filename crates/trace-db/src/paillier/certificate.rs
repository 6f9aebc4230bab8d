//! Where a modulus comes from, and a proof that plaintexts under it are unique.
//!
//! Whoever draws N knows its factors and is trusted to forget them, or is the dealer. This party could draw a bad N on
//! purpose. If `gcd(N, φ(N)) ≠ 1`, an element has several plaintexts, and a proof about one of them shows nothing. So N
//! comes with roots `σ_i` with `σ_i^N = ρ_i` of hashed units `ρ_i`. If a prime p divides N and φ(N), at most one unit
//! in p has an N-th root. N has no prime factor below 2^16 ([`Modulus::require_composite`]), so eight roots exist with
//! probability 2^-128 at most (Goldberg, Reyzin, Sagga, Baldimtsi: Efficient Noninteractive Certification of RSA Moduli
//! and Beyond, ASIACRYPT 2019). This does not show that N has two factors, that these are much larger than 2^16, or
//! that they are safe primes.
//!
//! The challenge number RSA-2048 has no roots that anybody could show, and needs none.

use integer::{Integer, Modulus, Order, SecretInteger};
use wire::{DecodeError, Digest, Reader};

use super::{ModulusSize, PaillierError, Scheme};

/// Roots: each leaves a bad modulus a chance of 2^-16 at most.
const ROOTS: usize = 8;
const DOMAIN: &[u8] = b"subrosa/db/paillier/modulus/v1";

/// `(σ_i)`, or nothing for RSA-2048.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Certificate(Vec<Integer>);

impl Certificate {
    /// Of the modulus that is the product of two primes. The exponent that gives roots is as secret as
    /// these.
    ///
    /// # Errors
    /// [`PaillierError::Uncertified`] if N has a factor in common with φ(N).
    pub(super) fn of_factors(
        plain: &Modulus,
        primes: &[SecretInteger; 2],
    ) -> Result<Self, PaillierError> {
        let [p, q] = primes.each_ref().map(SecretInteger::expose);
        let order = SecretInteger::new(Integer::from(p - 1_u32) * Integer::from(q - 1_u32));
        let inverse = plain.value().clone().invert(order.expose());
        let exponent = SecretInteger::new(inverse.map_err(|_| PaillierError::Uncertified)?);
        let roots = (0..ROOTS).map(|index| plain.secure_pow(&challenge(plain, index), &exponent));
        Ok(Self(roots.collect()))
    }

    /// Of a modulus whose roots nobody knows.
    ///
    /// # Errors
    /// [`PaillierError::ForeignModulus`] unless it is RSA-2048.
    pub(super) fn of_rsa_2048(plain: &Modulus) -> Result<Self, PaillierError> {
        match *plain == Modulus::rsa_2048() {
            true => Ok(Self(Vec::new())),
            false => Err(PaillierError::ForeignModulus),
        }
    }

    /// Reads what [`Certificate::encode`] writes, and verifies it. Servers take RSA-2048 for a modulus
    /// of 2048 bits, and nothing else.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but the roots of this modulus.
    pub(super) fn decode(
        reader: &mut Reader<'_>,
        plain: &Modulus,
        scheme: Scheme,
        size: ModulusSize,
    ) -> Result<Self, DecodeError> {
        let invalid = |error: PaillierError| DecodeError::invalid("modulus", error);
        if (scheme, size) == (Scheme::Bcp, ModulusSize::Bits2048) {
            return Self::of_rsa_2048(plain).map_err(invalid);
        }
        let roots = plain.decode_units(reader.items(ROOTS, plain.encoded_len())?);
        let roots = roots.map_err(|error| DecodeError::invalid("root of the modulus", error))?;
        let is_root = |(index, root)| plain.pow(root, plain.value()) == challenge(plain, index);
        match roots.iter().enumerate().all(is_root) {
            true => Ok(Self(roots)),
            false => Err(invalid(PaillierError::Uncertified)),
        }
    }

    /// The roots, each as long as N.
    pub(super) fn encode(&self, plain: &Modulus, out: &mut Vec<u8>) {
        out.extend(plain.encode_all(&self.0));
    }

    /// Where N comes from, for people.
    pub(super) fn origin(&self, scheme: Scheme) -> &'static str {
        match scheme {
            Scheme::Bcp if self.0.is_empty() => "the challenge number RSA-2048",
            Scheme::Bcp => {
                "drawn by who began the session, who is trusted to have forgotten its factors; \
                 prime to φ(N), proven"
            }
            Scheme::Dealt => {
                "drawn by the dealer, who can decrypt everything; prime to φ(N), proven"
            }
        }
    }
}

/// `ρ_i`.
fn challenge(plain: &Modulus, index: usize) -> Integer {
    plain.hash_to_unit(DOMAIN, &(index as u64).to_le_bytes())
}

/// What names a modulus to people.
pub(super) fn digest(plain: &Modulus) -> Digest {
    Digest::of("trace/db/paillier/modulus", &plain.value().to_digits::<u8>(Order::Lsf))
}
