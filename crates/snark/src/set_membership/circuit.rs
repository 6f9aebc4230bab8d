//! What the circuits say of a prime.
//!
//! Public wires: the three limbs of the prime, least significant first, then, if it is hashed, the
//! value. In a proof they stay in a commitment.

use algebra::Scalar;
use circuit::{
    gadgets::{Bit, blake2s},
    synthesis::{Circuit, ConstraintSystem, Linear, Synthesizer},
};
use zeroize::Zeroizing;

use super::{
    ElementKind, Error,
    element::{hash_to_prime, is_long},
    params::{INDEX_BITS, LIMB_BITS, PRIME_BITS, Value, integer_of},
};

/// Bits of the order of BLS12-381's groups.
const VALUE_BITS: usize = 255;

/// The prime of a value, as a witness.
pub(super) enum ElementCircuit {
    /// "I know a value and an index; the limbs are those of 252 bits of `BLAKE2s(index ‖ value)` with
    /// the top bit one." About 22,000 constraints. That it is prime nobody need show: everything in an
    /// accumulator is. Nor that the value's bits are reduced: only encodings that are were hashed.
    Hashed { value: Value, index: u16 },
    /// "The limbs are those of an integer of exactly 252 bits." 254 constraints.
    Prime { value: Value },
}

impl ElementCircuit {
    /// The circuit of a value, with the prime.
    pub fn of(kind: ElementKind, value: Value) -> Result<(Self, integer::Integer), Error> {
        match kind {
            ElementKind::Hashed => {
                let (prime, index) = hash_to_prime(&value)?;
                Ok((Self::Hashed { value, index }, prime))
            }
            ElementKind::Prime => {
                let integer = integer_of(&value);
                match is_long(&integer) {
                    true => Ok((Self::Prime { value }, integer)),
                    false => Err(Error::NotPrime),
                }
            }
        }
    }
}

impl ElementKind {
    /// The circuit whose key proofs about such elements take, on BLS12-381: for a ceremony.
    pub fn constraint_system(self) -> ConstraintSystem<Value> {
        let value = Value::zero();
        match self {
            Self::Hashed => ElementCircuit::Hashed { value, index: 0 }.constraint_system(),
            Self::Prime => ElementCircuit::Prime { value }.constraint_system(),
        }
    }
}

impl Circuit<Value> for ElementCircuit {
    fn synthesize(&self, cs: &mut Synthesizer<Value>) {
        match self {
            Self::Hashed { value, index } => {
                let mut message = Bit::private_bytes(cs, &index.to_le_bytes());
                message.extend(private_bits(cs, value, VALUE_BITS));
                let value_bits = message.iter().skip(INDEX_BITS as usize).map(Bit::linear);
                let hashed = Linear::from_bits(value_bits);
                let hash = blake2s(cs, &message);
                let bits: Vec<_> = hash.iter().flat_map(|word| word.bits()).cloned().collect();
                expose_limbs(cs, &bits);
                cs.expose(&hashed);
            }
            Self::Prime { value } => {
                let bits = private_bits(cs, value, PRIME_BITS as usize - 1);
                expose_limbs(cs, &bits);
            }
        }
    }
}

/// The lowest bits of a value.
fn private_bits(cs: &mut Synthesizer<Value>, value: &Value, count: usize) -> Vec<Bit<Value>> {
    let bytes = Zeroizing::new(value.encode());
    let bits = bytes.iter().flat_map(|byte| (0..8).map(move |shift| byte >> shift & 1 == 1));
    bits.take(count).map(|bit| Bit::private(cs, bit)).collect()
}

/// Exposes the limbs of 251 bits and a one on top of them.
fn expose_limbs(cs: &mut Synthesizer<Value>, bits: &[Bit<Value>]) {
    let top = Bit::constant(true);
    let bits = bits.iter().take(PRIME_BITS as usize - 1).chain([&top]).map(Bit::linear);
    for limb in bits.collect::<Vec<_>>().chunks(LIMB_BITS as usize) {
        cs.expose(&Linear::from_bits(limb.iter().copied()));
    }
}
