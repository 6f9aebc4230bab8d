//! Things of which there is one for each field.

use zeroize::Zeroize;

use super::{Fp, Gf64};

/// A pair of things, for bits and for values.
#[derive(Default)]
pub struct PerField<B, V> {
    /// For bits.
    pub bits: B,
    /// For values.
    pub values: V,
}

impl<B: Zeroize, V: Zeroize> Zeroize for PerField<B, V> {
    fn zeroize(&mut self) {
        self.bits.zeroize();
        self.values.zeroize();
    }
}

/// The verifier's global keys.
pub type Deltas = PerField<Gf64, Fp>;
