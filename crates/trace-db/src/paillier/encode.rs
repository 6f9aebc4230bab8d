//! Elements and integers on the wire.

use integer::{Integer, Modulus, Order};
use rayon::prelude::*;
use wire::{DecodeError, Encode, Reader, put_bytes};

/// Units of Z_{N²} that keep their encoding, so that hashing and sending them again is free. Those
/// that were read have Jacobi symbol +1 over N: see [`super`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elements {
    values: Vec<Integer>,
    encoding: Vec<u8>,
}

impl Elements {
    /// Encodes elements.
    pub(super) fn new(modulus: &Modulus, values: Vec<Integer>) -> Self {
        Self { encoding: modulus.encode_all(&values), values }
    }

    /// Reads `count` units of Z_{N²}, each of its own length and with Jacobi symbol +1 over
    /// `plain`, which is N.
    pub(super) fn decode(
        reader: &mut Reader<'_>,
        (plain, cipher): (&Modulus, &Modulus),
        what: &'static str,
        count: usize,
    ) -> Result<Self, DecodeError> {
        let encoding = reader.items(count, cipher.encoded_len())?;
        let values = cipher.decode_units(encoding);
        let values = values.map_err(|error| DecodeError::not_canonical(what, error))?;
        // Each on its own: in a product, two symbols of −1 would cancel.
        let tagged = values.par_iter().position_first(|value| plain.jacobi(value) != 1);
        match tagged {
            None => Ok(Self { values, encoding: encoding.to_vec() }),
            Some(index) => {
                let reason = format!("element {index} does not have Jacobi symbol 1");
                Err(DecodeError::not_canonical(what, reason))
            }
        }
    }

    /// The elements.
    pub fn values(&self) -> &[Integer] {
        &self.values
    }

    /// Their encodings, one after the other.
    pub fn encoding(&self) -> &[u8] {
        &self.encoding
    }

    /// The number of elements.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

impl Encode for Elements {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.encoding);
    }
}

/// A hashed unit of `modulus`, which is N or N², with Jacobi symbol +1 over N: the first of
/// `x/0, x/1, …`, two on average.
pub(super) fn hash_to_symbol_one(plain: &Modulus, modulus: &Modulus, domain: &[u8]) -> Integer {
    (0_u64..)
        .map(|attempt| modulus.hash_to_unit(domain, format!("x/{attempt}").as_bytes()))
        .find(|x| plain.jacobi(x) == 1)
        // 2^64 attempts never run out: every other unit has the symbol.
        .unwrap_or_else(|| Integer::from(1))
}

/// Appends an integer that is not negative: its length and as few little-endian bytes as hold it.
pub(super) fn put_integer(value: &Integer, out: &mut Vec<u8>) {
    put_bytes(out, &value.to_digits::<u8>(Order::Lsf));
}

/// Reads what [`put_integer`] writes, below `2^bits`.
pub(super) fn integer(
    reader: &mut Reader<'_>,
    what: &'static str,
    bits: u32,
) -> Result<Integer, DecodeError> {
    let bytes = reader.bytes(what, bits.div_ceil(8) as usize)?;
    if bytes.last() == Some(&0) {
        return Err(DecodeError::not_canonical(what, "leading zeros"));
    }
    let value = Integer::from_digits(bytes, Order::Lsf);
    in_range(&value, bits).then_some(value).ok_or(DecodeError::not_canonical(what, "out of range"))
}

/// Appends an integer below `2^bits` in as many little-endian bytes as that takes.
pub(super) fn put_fixed(value: &Integer, bits: u32, out: &mut Vec<u8>) {
    let mut bytes = value.to_digits::<u8>(Order::Lsf);
    bytes.resize(bits.div_ceil(8) as usize, 0);
    out.extend(bytes);
}

/// Reads what [`put_fixed`] writes.
pub(super) fn fixed(
    reader: &mut Reader<'_>,
    what: &'static str,
    bits: u32,
) -> Result<Integer, DecodeError> {
    let bytes = reader.items(1, bits.div_ceil(8) as usize)?;
    let value = Integer::from_digits(bytes, Order::Lsf);
    in_range(&value, bits).then_some(value).ok_or(DecodeError::not_canonical(what, "out of range"))
}

/// Whether the integer is in `[0, 2^bits)`.
pub(super) fn in_range(value: &Integer, bits: u32) -> bool {
    !value.is_negative() && value.significant_bits() <= bits
}
