//! Integers that are erased when dropped.

use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{Integer, erase};

/// A secret integer. Its own limbs are overwritten when it is dropped; what the library itself copied
/// to the heap and freed on the way is out of reach.
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
        erase(&mut self.0);
    }
}

impl Drop for SecretInteger {
    fn drop(&mut self) {
        self.zeroize();
    }
}

impl ZeroizeOnDrop for SecretInteger {}
