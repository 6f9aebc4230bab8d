//! Integers that are erased when dropped.

use rug::{Integer, integer::Order};
use zeroize::{Zeroize, ZeroizeOnDrop};

/// A secret integer. Its own limbs are overwritten when it is dropped; what GMP itself copied to
/// the heap and freed on the way is out of reach.
#[derive(Clone)]
pub struct SecretInteger(Integer);

impl SecretInteger {
    /// Takes charge of an integer.
    pub fn new(value: Integer) -> Self {
        Self(value)
    }

    /// The integer, for a computation whose result is public or a secret again.
    pub fn expose(&self) -> &Integer {
        &self.0
    }
}

impl Zeroize for SecretInteger {
    fn zeroize(&mut self) {
        let limbs = self.0.capacity().div_ceil(64);
        // Importing as many zero limbs as are allocated overwrites them where they are.
        self.0.assign_digits(&vec![0_u64; limbs], Order::Lsf);
    }
}

impl Drop for SecretInteger {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for SecretInteger {}
