//! Integers of any size by GMP.

pub(super) use rug::Complete;
pub use rug::{
    Integer,
    integer::{IsPrime, Order},
};

/// What computations modulo one odd integer above 1 have in common.
#[derive(Clone)]
pub(super) struct Ring(Integer);

impl Ring {
    /// The integers modulo an odd `modulus` above 1.
    pub(super) fn new(modulus: &Integer) -> Self {
        Self(modulus.clone())
    }

    /// `left · right`.
    pub(super) fn mul(&self, left: &Integer, right: &Integer) -> Integer {
        (left * right).complete() % &self.0
    }

    /// `base^exponent`, by the inverse if the exponent is negative; `None` if there is none.
    pub(super) fn pow(&self, base: &Integer, exponent: &Integer) -> Option<Integer> {
        base.pow_mod_ref(exponent, &self.0).map(Integer::from)
    }

    /// `base^exponent` for a positive exponent, in time and memory accesses that depend on the
    /// lengths only (`mpz_powm_sec`).
    pub(super) fn secure_pow(&self, base: &Integer, exponent: &Integer) -> Integer {
        base.secure_pow_mod_ref(exponent, &self.0).complete()
    }
}

/// Overwrites the limbs: importing as many zeros as are allocated puts them where they are.
pub(super) fn erase(integer: &mut Integer) {
    let limbs = integer.capacity().div_ceil(64);
    integer.assign_digits(&vec![0_u64; limbs], Order::Lsf);
}
