//! Committing, computing, revealing, and one check for all of it.

mod prover;
pub(crate) mod stock;
mod verifier;

pub use prover::Prover;
pub use verifier::Verifier;

use crate::{
    error::VoleError,
    field::{Field, Fp, Gf64},
    hash::SessionId,
    prg::Prg,
};

/// The most claims and values of a kind between two checks.
pub const MAX_CLAIMS: usize = 1 << 22;
/// The highest degree of a claim.
pub const MAX_DEGREE: usize = 256;

/// What both parties do in the same way: a statement that is written for any `Party` is the
/// prover's and the verifier's program at once. Both must make the same calls in the same order.
///
/// ```
/// use vole::{Field, Party};
///
/// /// Claims that x y = z.
/// fn product<S: Party, F: Field>(
///     party: &mut S,
///     [x, y, z]: [&S::Commitment<F>; 3],
/// ) -> Result<(), vole::VoleError> {
///     let difference = party.sub::<F>(&party.mul::<F>(x, y), z);
///     party.assert_zero::<F>(difference)
/// }
/// ```
pub trait Party {
    /// A party's side of a commitment.
    type Commitment<F: Field>: Clone;

    /// A public value, of degree 0.
    fn constant<F: Field>(&self, value: F::Value) -> Self::Commitment<F>;

    /// The sum; the degree is the higher one.
    fn add<F: Field>(
        &self,
        a: &Self::Commitment<F>,
        b: &Self::Commitment<F>,
    ) -> Self::Commitment<F>;

    /// The sum of any number of commitments.
    fn sum<F: Field>(&self, terms: &[&Self::Commitment<F>]) -> Self::Commitment<F>;

    /// The difference; the degree is the higher one.
    fn sub<F: Field>(
        &self,
        a: &Self::Commitment<F>,
        b: &Self::Commitment<F>,
    ) -> Self::Commitment<F>;

    /// The product; the degrees add up.
    fn mul<F: Field>(
        &self,
        a: &Self::Commitment<F>,
        b: &Self::Commitment<F>,
    ) -> Self::Commitment<F>;

    /// Claims that the committed value is zero. [`Party::check`] proves it.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] over [`MAX_CLAIMS`] or [`MAX_DEGREE`].
    fn assert_zero<F: Field>(&mut self, claim: Self::Commitment<F>) -> Result<(), VoleError>;

    /// Shows the values to the verifier. The verifier must not act on them before [`Party::check`]
    /// has accepted. One message.
    ///
    /// # Errors
    /// [`VoleError::TooMany`], [`VoleError::Length`], [`VoleError::Channel`].
    fn reveal<F: Field>(
        &mut self,
        commitments: &[Self::Commitment<F>],
    ) -> Result<Vec<F::Value>, VoleError>;

    /// Makes sure that so many bits and values can be committed to without another exchange: once
    /// for all is faster than each time. Two round trips, none if the stock has them.
    ///
    /// # Errors
    /// Those of [`crate::ProverVole::extend`]; [`VoleError::Ended`].
    fn reserve(&mut self, bits: usize, values: usize) -> Result<(), VoleError>;

    /// Proves all claims since the last check, of both fields, with one verdict. One and a half
    /// round trips whatever their number, and two more if the stock does not have the masks.
    ///
    /// A false claim passes with probability at most `(D + 1) / |F|` for the highest degree D:
    /// `1 / |F|` for the random combination, `D / |F|` for the roots of a polynomial of degree D.
    ///
    /// # Errors
    /// [`VoleError::Cheating`] at the verifier, [`VoleError::Refused`] at the prover, and those of
    /// the transport. The session has ended then: a check that fails may have told the prover
    /// something about the verifier's global keys.
    fn check(&mut self) -> Result<(), VoleError>;
}

/// The degree of the proof of claims of these degrees, 0 if there are none.
fn proof_degree(claims: impl Iterator<Item = usize>) -> usize {
    claims.map(|degree| degree.max(1)).max().unwrap_or(0)
}

/// Correlations that mask a proof of degree `degree`.
fn mask_size<F: Field>(degree: usize) -> usize {
    degree.saturating_sub(1) * F::DEGREE
}

fn limit(what: &'static str, requested: usize, limit: usize) -> Result<(), VoleError> {
    match requested <= limit {
        true => Ok(()),
        false => Err(VoleError::TooMany { what, requested, limit }),
    }
}

/// The generators of the coefficients of a check, for bits and for values.
fn check_generators(sid: &SessionId, phase: u64, seed: &[u8; 16]) -> [Prg; 2] {
    [Gf64::LABEL, Fp::LABEL].map(|label| {
        Prg::new(sid.derive_key("claims", &[label.as_bytes(), &phase.to_le_bytes(), seed]))
    })
}
