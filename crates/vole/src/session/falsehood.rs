//! A prover's look at its own claims, before anything of a check leaves. The proof of a false claim
//! would show the verifier by how much it is false.

use rand_core::CryptoRng;
use rayon::prelude::*;

use super::{CHUNK, parties::Prover, state::State, stock::Stock};
use crate::{
    convert::{Decomposition, Targets},
    error::VoleError,
    field::{Fp, MacField},
    polynomial::Side,
};

/// # Errors
/// [`VoleError::False`] if a claim is false.
pub(super) fn find<R: CryptoRng>(state: &State<Prover<'_, R>>) -> Result<(), VoleError> {
    of_field(&state.stocks.bits)?;
    of_field(&state.stocks.values)?;
    match state.decompositions.iter().all(is_spelled) {
        true => Ok(()),
        false => Err(VoleError::False { what: "decomposition" }),
    }
}

fn of_field<R: CryptoRng, F: MacField>(stock: &Stock<Prover<'_, R>, F>) -> Result<(), VoleError> {
    let is_zero = |value: F::Value| value == F::Value::default();
    let is_product = |[a, b, c]: &[F::Proven; 3]| {
        F::embed(F::value(*a)).times(F::value(*b)) == F::embed(F::value(*c))
    };
    let zeros = || stock.zeros.par_iter().with_min_len(CHUNK).all(|zero| is_zero(F::value(*zero)));
    let products = || stock.products.par_iter().with_min_len(CHUNK).all(is_product);
    let computed = || stock.claims.iter().all(|claim| is_zero(claim.peek()));
    let checks: [(&str, &dyn Fn() -> bool); 3] =
        [("zero", &zeros), ("product", &products), ("computation", &computed)];
    match checks.into_iter().find(|(_, holds)| !holds()) {
        Some((what, _)) => Err(VoleError::False { what }),
        None => Ok(()),
    }
}

/// Whether each functional of the bits is the value that is claimed.
fn is_spelled<R: CryptoRng>(claim: &Decomposition<Prover<'_, R>>) -> bool {
    let number = |number: usize| {
        claim.functionals.iter().all(|functional| {
            let bits = number * claim.width..(number + 1) * claim.width;
            let terms = functional.coefficients.iter().zip(bits);
            let set = terms.filter(|(_, index)| claim.bit(*index) == 1);
            let sum: Fp = set.map(|(coefficient, _)| *coefficient).sum();
            let value = match &functional.values {
                Targets::Linear(values) => values.get(number).map(|value| value.value),
                Targets::Computed(values) => values.get(number).map(Side::peek),
            };
            value == Some(sum)
        })
    };
    (0..claim.count).into_par_iter().with_min_len(64).all(number)
}
