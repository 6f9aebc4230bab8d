//! Arithmetic modulo N and N².

use std::fmt;

use rayon::prelude::*;
use sha2::{Digest, Sha512};
use thiserror::Error;

use super::{Complete as _, Integer, IsPrime, Order, Ring, SecretInteger};

/// A hash has so many more bytes than the modulus before it is reduced: it is 2^-256 from uniform at most.
const HASH_EXCESS: usize = 32;

/// Why an integer is not a modulus or not an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum IntegerError {
    /// A modulus must be odd and above 1.
    #[error("the modulus is even, or not above 1")]
    Modulus,
    /// The modulus is prime, a power, or has a factor that anybody finds.
    #[error("the modulus is not a product of large primes")]
    Weak,
    /// The encoding has the wrong number of bytes.
    #[error("element {index} is cut short or has extra bytes")]
    Length {
        /// Position in the decoded list.
        index: usize,
    },
    /// The integer is not below the modulus.
    #[error("element {index} is not below the modulus")]
    Range {
        /// Position in the decoded list.
        index: usize,
    },
    /// The integer has a factor in common with the modulus.
    #[error("element {index} is not a unit")]
    NotUnit {
        /// Position in the decoded list.
        index: usize,
    },
}

/// An odd modulus N, or its square N², whose units are the residues coprime to N. Elements are encoded as
/// little-endian integers of the modulus's own length.
#[derive(Clone)]
pub struct Modulus {
    value: Integer,
    /// An integer with the prime factors of `value`: units are what is coprime to it. For N² it is N, half
    /// as long.
    radical: Integer,
    ring: Ring,
}

impl PartialEq for Modulus {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value && self.radical == other.radical
    }
}

impl Eq for Modulus {}

impl fmt::Debug for Modulus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Modulus").field("value", &self.value).finish_non_exhaustive()
    }
}

impl Modulus {
    /// The integers modulo `value`.
    ///
    /// # Errors
    /// [`IntegerError::Modulus`] unless it is odd and above 1.
    pub fn new(value: Integer) -> Result<Self, IntegerError> {
        match value.is_odd() && value > 1 {
            true => Ok(Self::with_radical(value.clone(), value)),
            false => Err(IntegerError::Modulus),
        }
    }

    /// The integers modulo an odd `value`, whose primes are those of `radical`.
    pub(super) fn with_radical(radical: Integer, value: Integer) -> Self {
        Self { ring: Ring::new(&value), radical, value }
    }

    /// Refuses a modulus that is obviously weak: prime, a perfect power, or with a prime factor below 2^16.
    /// No check can show whether somebody knows its factors: that nobody does is the caller's assumption.
    ///
    /// # Errors
    /// [`IntegerError::Weak`].
    pub fn require_composite(&self) -> Result<(), IntegerError> {
        let small_primes = Integer::primorial(1 << 16).complete();
        let weak = self.value.gcd_ref(&small_primes).complete() != 1
            || self.value.is_perfect_power()
            || self.value.is_probably_prime(25) != IsPrime::No;
        if weak { Err(IntegerError::Weak) } else { Ok(()) }
    }

    /// The integers modulo `value²`.
    #[must_use]
    pub fn squared(&self) -> Self {
        Self::with_radical(self.radical.clone(), self.value.square_ref().complete())
    }

    /// The modulus itself.
    pub fn value(&self) -> &Integer {
        &self.value
    }

    /// Its length in bits.
    pub fn bits(&self) -> u32 {
        self.value.significant_bits()
    }

    /// Bytes of an encoded element.
    pub fn encoded_len(&self) -> usize {
        self.bits().div_ceil(8) as usize
    }

    /// The element of an integer, also of a negative one.
    #[must_use]
    pub fn reduce(&self, value: &Integer) -> Integer {
        value.modulo_ref(&self.value).complete()
    }

    /// `left · right`.
    #[must_use]
    pub fn mul(&self, left: &Integer, right: &Integer) -> Integer {
        self.ring.mul(left, right)
    }

    /// `−element`.
    #[must_use]
    pub fn neg(&self, element: &Integer) -> Integer {
        if element.is_zero() { Integer::new() } else { (&self.value - element).complete() }
    }

    /// Whether `left = right` or `left = −right`. A product of equations raised to random weights shows no
    /// more: an even weight hides a factor −1, the only element of small order that anybody knows.
    #[must_use]
    pub fn equal_up_to_sign(&self, left: &Integer, right: &Integer) -> bool {
        left == right || *left == self.neg(right)
    }

    /// `base^exponent`, by the inverse if the exponent is negative; 0, which is no unit, if there
    /// is no inverse. Variable time.
    #[must_use]
    pub fn pow(&self, base: &Integer, exponent: &Integer) -> Integer {
        self.ring.pow(base, exponent).unwrap_or_default()
    }

    /// `base^exponent` for a secret exponent that is not negative, in time and memory accesses
    /// that depend on the lengths only.
    #[must_use]
    pub fn secure_pow(&self, base: &Integer, exponent: &SecretInteger) -> Integer {
        debug_assert!(*exponent.expose() >= 0, "a negative secret exponent");
        // The ring takes positive exponents only: what is left is 0.
        match *exponent.expose() > 0 {
            true => self.ring.secure_pow(base, exponent.expose()),
            false => Integer::from(1),
        }
    }

    /// The inverse; `None` unless the element is a unit. Variable time.
    pub fn invert(&self, element: &Integer) -> Option<Integer> {
        element.invert_ref(&self.value).map(Integer::from)
    }

    /// Inverts every element in place with one inversion (Montgomery's trick): that of the product of all,
    /// from which the elements are multiplied out again, last to first.
    ///
    /// # Errors
    /// [`IntegerError::NotUnit`] with the first that has no inverse; the elements are then as they
    /// were.
    pub fn batch_invert(&self, elements: &mut [Integer]) -> Result<(), IntegerError> {
        let mut prefixes = Vec::with_capacity(elements.len());
        let mut product = Integer::from(1);
        for element in elements.iter() {
            let next = self.mul(&product, element);
            prefixes.push(std::mem::replace(&mut product, next));
        }
        let Some(mut inverse) = self.invert(&product) else { return Err(self.not_unit(elements)) };
        for (element, prefix) in elements.iter_mut().zip(prefixes).rev() {
            let next = self.mul(&inverse, element);
            *element = self.mul(&inverse, &prefix);
            inverse = next;
        }
        Ok(())
    }

    /// The Jacobi symbol `(element / modulus)`.
    pub fn jacobi(&self, element: &Integer) -> i32 {
        element.jacobi(&self.value)
    }

    /// Whether the element is below the modulus and prime to it.
    pub fn is_unit(&self, element: &Integer) -> bool {
        *element > 0 && *element < self.value && element.gcd_ref(&self.radical).complete() == 1
    }

    /// A unit hashed from the modulus, a domain and a label, so that nobody knows a root of it or a relation
    /// to other such units.
    #[must_use]
    pub fn hash_to_unit(&self, domain: &[u8], label: &[u8]) -> Integer {
        let needed = self.encoded_len() + HASH_EXCESS;
        let modulus = self.value.to_digits::<u8>(Order::Lsf);
        (0_u64..)
            .map(|attempt| {
                let blocks = (0..needed.div_ceil(64) as u64).flat_map(|block| {
                    Sha512::new()
                        .chain_update((modulus.len() as u64).to_le_bytes())
                        .chain_update(&modulus)
                        .chain_update((domain.len() as u64).to_le_bytes())
                        .chain_update(domain)
                        .chain_update((label.len() as u64).to_le_bytes())
                        .chain_update(label)
                        .chain_update(attempt.to_le_bytes())
                        .chain_update(block.to_le_bytes())
                        .finalize()
                });
                let bytes: Vec<u8> = blocks.take(needed).collect();
                Integer::from_digits(&bytes, Order::Lsf) % &self.value
            })
            .find(|candidate| self.is_unit(candidate))
            // 2^64 attempts never run out: a random residue is a unit, or else reveals a factor of the modulus.
            .unwrap_or_else(|| Integer::from(1))
    }

    /// The encoding of an element: [`Modulus::encoded_len`] bytes, little-endian. An integer
    /// outside `[0, modulus)` is reduced first.
    pub fn encode(&self, element: &Integer) -> Vec<u8> {
        let mut bytes = self.reduce(element).to_digits::<u8>(Order::Lsf);
        bytes.resize(self.encoded_len(), 0);
        bytes
    }

    /// The encodings of many elements, one after the other.
    pub fn encode_all(&self, elements: &[Integer]) -> Vec<u8> {
        elements.par_iter().flat_map_iter(|element| self.encode(element)).collect()
    }

    /// Decodes `bytes.len() / encoded_len` units. One greatest common divisor serves them all.
    ///
    /// # Errors
    /// [`IntegerError`]: of the length first, then of the first element not below the modulus, then of the first that
    /// is no unit.
    pub fn decode_units(&self, bytes: &[u8]) -> Result<Vec<Integer>, IntegerError> {
        let len = self.encoded_len();
        if !bytes.len().is_multiple_of(len) {
            return Err(IntegerError::Length { index: bytes.len() / len });
        }
        let chunks = bytes.par_chunks(len);
        let elements: Vec<Integer> =
            chunks.map(|chunk| Integer::from_digits(chunk, Order::Lsf)).collect();
        if let Some(index) = elements.iter().position(|element| *element >= self.value) {
            return Err(IntegerError::Range { index });
        }
        let product = elements.par_iter().fold(
            || Integer::from(1),
            |product, element| product * (element % &self.radical).complete() % &self.radical,
        );
        let product = product.reduce(|| Integer::from(1), |l, r| l * r % &self.radical);
        match product.gcd(&self.radical) == 1 {
            true => Ok(elements),
            false => Err(self.not_unit(&elements)),
        }
    }

    /// Names the first element that is no unit. There is one: the product of all has a common factor with
    /// the modulus.
    fn not_unit(&self, elements: &[Integer]) -> IntegerError {
        let index = elements.iter().position(|element| !self.is_unit(element));
        IntegerError::NotUnit { index: index.unwrap_or(elements.len()) }
    }
}
