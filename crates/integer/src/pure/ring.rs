//! Products and powers modulo an odd integer.

use std::sync::{Arc, OnceLock};

use crypto_bigint::{
    BoxedUint, Odd,
    modular::{BoxedMontyForm, BoxedMontyParams},
};
use dashu_int::{UBig, fast_div::ConstDivisor, monty::MontgomeryRepr};
use zeroize::Zeroizing;

use super::Integer;

/// What computations modulo one odd integer above 1 have in common. Cheap to clone.
#[derive(Clone)]
pub(crate) struct Ring(Arc<Precomputed>);

struct Precomputed {
    divisor: ConstDivisor,
    montgomery: MontgomeryRepr,
    /// For powers of secrets, where there are any.
    constant_time: OnceLock<Option<BoxedMontyParams>>,
}

impl Ring {
    /// The integers modulo an odd `modulus` above 1.
    pub(crate) fn new(modulus: &Integer) -> Self {
        let modulus = modulus.magnitude();
        Self(Arc::new(Precomputed {
            divisor: ConstDivisor::new(modulus.clone()),
            montgomery: MontgomeryRepr::new(modulus),
            constant_time: OnceLock::new(),
        }))
    }

    /// `left · right`.
    pub(crate) fn mul(&self, left: &Integer, right: &Integer) -> Integer {
        let product = match std::ptr::eq(left, right) {
            true => left.0.sqr().into(),
            false => &left.0 * &right.0,
        };
        Integer(product % &self.0.divisor)
    }

    /// `base^exponent`, by the inverse if the exponent is negative; `None` if there is none.
    pub(crate) fn pow(&self, base: &Integer, exponent: &Integer) -> Option<Integer> {
        let base = self.0.montgomery.reduce(base.0.clone());
        let base = if exponent.is_negative() { base.inv()? } else { base };
        Some(Integer::of(base.pow(&exponent.magnitude()).residue()))
    }

    /// `base^exponent` for a positive exponent, in time that depends on the lengths only:
    /// Montgomery's form with a fixed window, every entry of whose table is read.
    pub(crate) fn secure_pow(&self, base: &Integer, exponent: &Integer) -> Integer {
        let modulus = self.0.divisor.value();
        let parameters = self.0.constant_time.get_or_init(|| {
            let modulus = boxed(&modulus, limbs(&modulus));
            Some(BoxedMontyParams::new(Odd::new(modulus).into_option()?))
        });
        let Some(parameters) = parameters else { return Integer::new() };
        let base = boxed(&self.0.divisor.reduce(base.0.clone()).residue(), limbs(&modulus));
        let exponent = Zeroizing::new(exponent.magnitude());
        let exponent = Zeroizing::new(boxed(&exponent, limbs(&exponent)));
        let power = BoxedMontyForm::new(base, parameters).pow(&exponent).retrieve();
        Integer::of(UBig::from_le_bytes(&power.to_le_bytes()))
    }
}

/// Words of 64 bits.
fn limbs(value: &UBig) -> u32 {
    use dashu_int::ops::BitTest as _;
    value.bit_len().div_ceil(64) as u32
}

fn boxed(value: &UBig, limbs: u32) -> BoxedUint {
    let bytes = Zeroizing::new(value.to_le_bytes());
    BoxedUint::from_le_slice_truncated(&bytes, 64 * limbs)
}
