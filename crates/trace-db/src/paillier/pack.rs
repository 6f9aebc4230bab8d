//! Two scalars in one plaintext, and masks that hide them.
//!
//! ```text
//! bit    0 ........ 383 ........ 511 | 512 ........ 895 ........ N
//!        low: scalars and masks,      high: the same
//!        at most 2^128 of them
//! ```
//!
//! A scalar is below `q < 2^255`; a mask `b + q·u` with u below 2^128 is below 2^383. The low slot
//! is 512 bits wide, so that 2^128 summands of 384 bits never reach the high one. Opened slots are
//! reduced modulo q, which removes `q·u`; over the integers the mask hides a scalar but for a
//! distance of 2^-128.
//!
//! What a dishonest server adds may overflow: the item's opened scalars are then wrong, and every
//! later proof about it fails.

use algebra::Scalar;
use integer::{Integer, Order, SecretInteger, random_bits};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

/// Bits of the low slot.
pub const SLOT_BITS: u32 = 512;
/// Bits of a scalar or mask.
pub const MASK_BITS: u32 = 384;
/// Bits of a plaintext with a scalar or mask in both slots: what is proven of packed masks.
pub const PACKED_BITS: u32 = SLOT_BITS + MASK_BITS;
/// Bits of a plaintext that is one scalar: what senders prove.
pub const SCALAR_BITS: u32 = 255;
/// Bits of u.
const MULTIPLE_BITS: u32 = 128;

/// A scalar as an integer below q.
pub fn integer_of<S: Scalar>(scalar: &S) -> SecretInteger {
    let bytes = Zeroizing::new(scalar.encode());
    SecretInteger::new(Integer::from_digits(bytes.as_ref(), Order::Lsf))
}

/// The scalar of an integer, modulo q.
pub fn scalar_of<S: Scalar>(integer: &Integer) -> S {
    let reduced = SecretInteger::new(Integer::from(integer.modulo_ref(&order::<S>())));
    let mut wide = Zeroizing::new([0; 64]);
    reduced.expose().write_digits(wide.as_mut_slice(), Order::Lsf);
    S::from_wide(&wide)
}

/// `b + q·u` for a fresh u below 2^128: the scalar b as a mask over the integers.
pub fn mask_of<S: Scalar>(scalar: &S, rng: &mut impl CryptoRng) -> SecretInteger {
    let multiple = random_bits(MULTIPLE_BITS, rng);
    let offset = SecretInteger::new(Integer::from(multiple.expose() * &order::<S>()));
    SecretInteger::new(Integer::from(integer_of(scalar).expose() + offset.expose()))
}

/// `high·2^512 + low`.
pub fn pack(high: &SecretInteger, low: &SecretInteger) -> SecretInteger {
    let shifted = SecretInteger::new(Integer::from(high.expose() << SLOT_BITS));
    SecretInteger::new(Integer::from(shifted.expose() + low.expose()))
}

/// The scalars `(high, low)` of an opened plaintext, modulo q.
pub fn unpack<S: Scalar>(plaintext: &Integer) -> (S, S) {
    let high = Integer::from(plaintext >> SLOT_BITS);
    let low = Integer::from(plaintext.keep_bits_ref(SLOT_BITS));
    (scalar_of(&high), scalar_of(&low))
}

/// q.
fn order<S: Scalar>() -> Integer {
    let minus_one = S::zero() - S::one();
    Integer::from_digits(&minus_one.encode(), Order::Lsf) + 1_u32
}
