//! A value with its MAC.

use zeroize::Zeroize;

use super::Fp;

/// A value of F_p in the prover's hands, with its MAC: `mac = key + value Δ`.
#[derive(Clone, Copy, Default, Zeroize)]
pub struct Authenticated {
    /// The value.
    pub value: Fp,
    /// Its MAC.
    pub mac: Fp,
}
