//! The units modulo N whose Jacobi symbol is one, up to the sign.
//!
//! −1 is one of them (`N = 1` modulo 4), and the only element of small order that everybody knows. In the quotient by
//! `{1, −1}` it is neutral. If N is a product of two safe primes, the quotient is cyclic, and its order has no small
//! factor. Units with the symbol −1 would add an element of order two, so they are excluded. For RSA-2048 nobody knows
//! whether this is so. The low-order assumption says that nobody finds an element of small order. An element is encoded
//! by the representative that is at most `(N − 1)/2`, as 256 little-endian bytes.

use integer::{Integer, IntegerError, Modulus, SecretInteger};
use rayon::prelude::*;
use wire::{DecodeError, Reader};

/// An element: the smaller of its two representatives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Element(Integer);

impl Element {
    /// The representative.
    pub fn representative(&self) -> &Integer {
        &self.0
    }
}

/// `Z_N^*/{1, −1}` for a modulus N that nobody can factor.
#[derive(Clone, Debug)]
pub struct HiddenOrderGroup {
    modulus: Modulus,
}

impl HiddenOrderGroup {
    pub(super) fn new(modulus: Modulus) -> Self {
        Self { modulus }
    }

    /// N.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The element of a unit.
    fn element(&self, unit: Integer) -> Element {
        let other = self.modulus.neg(&unit);
        Element(unit.min(other))
    }

    /// A square that nobody knows a root of, from a domain and a label.
    pub(super) fn hash_to_square(&self, domain: &[u8], label: &[u8]) -> Element {
        let unit = self.modulus.hash_to_unit(domain, label);
        self.element(self.modulus.mul(&unit, &unit))
    }

    /// The product.
    #[must_use]
    pub fn mul(&self, left: &Element, right: &Element) -> Element {
        self.element(self.modulus.mul(&left.0, &right.0))
    }

    /// The quotient.
    #[must_use]
    pub fn div(&self, left: &Element, right: &Element) -> Element {
        self.mul(left, &self.pow(right, &Integer::from(-1)))
    }

    /// A power, by the inverse if the exponent is negative. Variable time.
    #[must_use]
    pub fn pow(&self, base: &Element, exponent: &Integer) -> Element {
        self.element(self.modulus.pow(&base.0, exponent))
    }

    /// A power with a secret exponent that is not negative, in constant time.
    #[must_use]
    pub fn secure_pow(&self, base: &Element, exponent: &SecretInteger) -> Element {
        self.element(self.modulus.secure_pow(&base.0, exponent))
    }

    /// Whether `Π bases_i^(exponents_i)` is neutral. Variable time.
    #[must_use]
    pub(super) fn is_neutral(&self, terms: &[(&Element, Integer)]) -> bool {
        let powers = terms.par_iter().map(|(base, exponent)| self.modulus.pow(&base.0, exponent));
        let product = powers.reduce(|| Integer::from(1), |l, r| self.modulus.mul(&l, &r));
        self.element(product).0 == 1
    }

    /// Bytes of an encoded element.
    pub fn encoded_len(&self) -> usize {
        self.modulus.encoded_len()
    }

    /// The encoding.
    pub fn encode(&self, element: &Element) -> Vec<u8> {
        self.modulus.encode(&element.0)
    }

    /// Reads an element: a unit with Jacobi symbol one, the smaller of its two representatives.
    ///
    /// # Errors
    /// [`DecodeError`], naming the field.
    pub fn decode(
        &self,
        reader: &mut Reader<'_>,
        what: &'static str,
    ) -> Result<Element, DecodeError> {
        let bytes = reader.take(self.encoded_len())?;
        let units = self.modulus.decode_units(bytes);
        let units = units.map_err(|error| DecodeError::not_canonical(what, reason(error)))?;
        let element = units.into_iter().next().filter(|unit| *unit <= self.modulus.neg(unit));
        let larger = || DecodeError::not_canonical(what, "is the larger of two representatives");
        let element = element.map(Element).ok_or_else(larger)?;
        match self.modulus.jacobi(&element.0) {
            1 => Ok(element),
            _ => Err(DecodeError::not_canonical(what, "has the Jacobi symbol -1")),
        }
    }
}

fn reason(error: IntegerError) -> &'static str {
    match error {
        IntegerError::NotUnit { .. } => "is not prime to the modulus",
        _ => "is not below the modulus",
    }
}
