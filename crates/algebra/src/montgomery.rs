//! The integers by which arkworks represents field elements, which foreign files store as they are.

use ark_ec::CurveConfig;
use ark_ff::{BigInt, BigInteger, Field, Fp, MontBackend, MontConfig, PrimeField};

/// The prime field below a curve's coordinates.
pub type FieldBelow<P> = <<P as CurveConfig>::BaseField as Field>::BasePrimeField;

/// A prime field in Montgomery representation, with `R` two to the power of 64 times the limbs.
pub trait MontgomeryField: PrimeField {
    /// Bytes of an element: its limbs.
    const LEN: usize;

    /// `value · R`, reduced.
    fn representation(&self) -> Self::BigInt;

    /// The element that a reduced integer represents; `None` for other integers.
    fn from_representation(integer: Self::BigInt) -> Option<Self>;
}

impl<C: MontConfig<N>, const N: usize> MontgomeryField for Fp<MontBackend<C, N>, N> {
    const LEN: usize = 8 * N;

    fn representation(&self) -> BigInt<N> {
        self.0
    }

    fn from_representation(integer: BigInt<N>) -> Option<Self> {
        (integer < Self::MODULUS).then(|| Self::new_unchecked(integer))
    }
}

/// Appends an integer, little-endian.
pub(crate) fn write_le(integer: &impl BigInteger, out: &mut Vec<u8>) {
    out.extend(integer.as_ref().iter().flat_map(|limb| limb.to_le_bytes()));
}

/// Appends an integer, big-endian.
pub(crate) fn write_be(integer: &impl BigInteger, out: &mut Vec<u8>) {
    out.extend(integer.as_ref().iter().rev().flat_map(|limb| limb.to_be_bytes()));
}

/// An integer from all of its bytes, little-endian.
pub(crate) fn read_le<B: BigInteger>(bytes: &[u8]) -> B {
    let mut integer = B::default();
    let (words, _) = bytes.as_chunks::<8>();
    for (limb, word) in integer.as_mut().iter_mut().zip(words) {
        *limb = u64::from_le_bytes(*word);
    }
    integer
}

/// An integer from all of its bytes, big-endian.
pub(crate) fn read_be<B: BigInteger>(bytes: &[u8]) -> B {
    let mut integer = B::default();
    let (words, _) = bytes.as_chunks::<8>();
    for (limb, word) in integer.as_mut().iter_mut().rev().zip(words) {
        *limb = u64::from_be_bytes(*word);
    }
    integer
}
