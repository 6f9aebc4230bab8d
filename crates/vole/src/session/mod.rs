//! Committing, computing, revealing, and one check for all of it.

#[cfg(test)]
mod attacks;
#[cfg(test)]
mod chunks;
mod falsehood;
mod parties;
mod proof;
mod prover;
mod setup;
mod shown;
mod state;
pub(crate) mod stock;
mod verdict;
mod verifier;

pub use parties::{Prover, Verifier};
pub use setup::{Setup, Soundness};
pub use shown::{Checked, Revealed};

// `state`, `shown` and the files of `convert` import this one, and it them: they hold and prove what a party has
// claimed, in that party's types, and the defaults of the trait put it there.
use board::AuthorId;
use wire::{Channel, Digest};
use zeroize::Zeroize;

use self::{
    state::{Claims, Limits},
    stock::Showing,
};
use crate::{
    convert::{Decomposition, MAX_TARGET_DEGREE, addition::Additions},
    error::{VoleError, limit},
    field::{Fp, Gf64, MacField, PerField},
    hash::SessionId,
    polynomial::Side,
    prg::Prg,
};

/// The most claims and values of a kind between two checks.
pub const MAX_CLAIMS: usize = 1 << 27;
/// Correlations over F_2 that [`Session::reserve`] keeps at once: 72 MiB, and a million more than the bits of
/// 2^20 bytes.
pub const KEPT_BITS: usize = 9 << 20;
/// Correlations over F_p that [`Session::reserve`] keeps at once: 32 MiB at the prover.
pub const KEPT_VALUES: usize = 1 << 21;
/// The highest degree of a claim.
pub const MAX_DEGREE: usize = 512;

/// A session, as either party has it: [`Prover`] or [`Verifier`]. A statement that is written for
/// any `Session` is both parties' program at once. Both must make the same calls in the same order.
///
/// [`Bit`](crate::Bit), [`Field`](crate::Field) and [`Fixed`](crate::Fixed) are the values to write statements
/// with. Beneath them, for either field: commitments to inputs and sums of them are
/// [`Session::Linear`], small and `Copy`, and results of any computation [`Session::Commitment`].
///
/// ```
/// use vole::{MacField, Session};
///
/// /// Claims that x^2 y = z.
/// fn cube<S: Session, F: MacField>(
///     session: &mut S,
///     [x, y, z]: [&S::Linear<F>; 3],
/// ) -> Result<(), vole::VoleError> {
///     let [x, y, z] = [x, y, z].map(|input| session.term::<F>(input));
///     let square = session.mul::<F>(&x, &x);
///     let difference = session.sub::<F>(&session.mul::<F>(&square, &y), &z);
///     session.assert_zero::<F>(difference)
/// }
/// ```
pub trait Session: sealed::Holder {
    /// A party's side of a commitment.
    type Commitment<F: MacField>: Side<F> + Clone + Send + Sync;
    /// A party's side of a commitment of degree 1: an input, or a linear function of inputs.
    type Linear<F: MacField>: Copy + Default + Zeroize + Send + Sync;

    /// Commits to `count` values, which only the prover computes. One message: a bit for a bit, 8
    /// bytes for an element of F_p.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] over [`MAX_CLAIMS`], [`VoleError::Shape`] if there are not `count` values,
    /// [`VoleError::Channel`] and those of [`Session::reserve`].
    fn commit<F: MacField>(
        &mut self,
        count: usize,
        witness: impl FnOnce() -> Vec<F::Value>,
    ) -> Result<Vec<Self::Linear<F>>, VoleError>;

    /// Commitments to uniform values, at no cost but the correlations.
    ///
    /// # Errors
    /// Those of [`Session::reserve`].
    fn random<F: MacField>(&mut self, count: usize) -> Result<Vec<Self::Linear<F>>, VoleError> {
        state::take::<Self, F>(self, count)
    }

    /// The committed value: at the verifier, who does not know it, zero. For computing a witness.
    fn peek<F: MacField>(linear: &Self::Linear<F>) -> F::Value;

    /// Numbers for [`crate::Bits::Numbers`]: none at the verifier, who does not know them.
    fn numbers(numbers: &[u64]) -> Option<Vec<u64>>;

    /// The sum.
    fn plus<F: MacField>(a: &Self::Linear<F>, b: &Self::Linear<F>) -> Self::Linear<F>;

    /// The value times a public one.
    fn scale<F: MacField>(a: &Self::Linear<F>, factor: F::Value) -> Self::Linear<F>;

    /// The value plus a public one.
    fn shift<F: MacField>(&self, a: &Self::Linear<F>, by: F::Value) -> Self::Linear<F>;

    /// The difference.
    fn minus<F: MacField>(a: &Self::Linear<F>, b: &Self::Linear<F>) -> Self::Linear<F> {
        Self::plus::<F>(a, &Self::scale::<F>(b, F::opposite(F::unit())))
    }

    /// As a commitment of any degree.
    fn term<F: MacField>(&self, linear: &Self::Linear<F>) -> Self::Commitment<F>;

    /// A public value, of degree 0.
    fn constant<F: MacField>(&self, value: F::Value) -> Self::Commitment<F>;

    /// The sum; the degree is the higher one.
    fn add<F: MacField>(
        &self,
        a: &Self::Commitment<F>,
        b: &Self::Commitment<F>,
    ) -> Self::Commitment<F>;

    /// The sum of any number of commitments.
    fn sum<F: MacField>(&self, terms: &[&Self::Commitment<F>]) -> Self::Commitment<F>;

    /// The difference; the degree is the higher one.
    fn sub<F: MacField>(
        &self,
        a: &Self::Commitment<F>,
        b: &Self::Commitment<F>,
    ) -> Self::Commitment<F>;

    /// The product; the degrees add up.
    fn mul<F: MacField>(
        &self,
        a: &Self::Commitment<F>,
        b: &Self::Commitment<F>,
    ) -> Self::Commitment<F>;

    /// Claims that the committed value is zero. [`Session::check`] proves it.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] over [`MAX_CLAIMS`] or [`MAX_DEGREE`].
    fn assert_zero<F: MacField>(&mut self, claim: Self::Commitment<F>) -> Result<(), VoleError> {
        limit("degree of a claim", claim.degree(), MAX_DEGREE)?;
        let claims = &mut F::stock(&mut self.state_mut().stocks).claims;
        limit("claims", claims.len() + 1, MAX_CLAIMS)?;
        claims.push(claim);
        Ok(())
    }

    /// Claims that a b = c: the cheapest way to a product, since no polynomial is kept.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] over [`MAX_CLAIMS`].
    fn assert_product<F: MacField>(
        &mut self,
        [a, b]: [Self::Linear<F>; 2],
        product: Self::Linear<F>,
    ) -> Result<(), VoleError> {
        let products = &mut F::stock(&mut self.state_mut().stocks).products;
        limit("products", products.len() + 1, MAX_CLAIMS)?;
        products.push([a, b, product]);
        Ok(())
    }

    /// Shows the values to the verifier, with the proof of the next check: [`Revealed::values`] reads
    /// them from what [`Session::check`] returns. No message.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] over [`MAX_CLAIMS`] or [`MAX_DEGREE`].
    fn reveal<F: MacField>(
        &mut self,
        commitments: &[Self::Commitment<F>],
    ) -> Result<Revealed<Self, F>, VoleError> {
        for commitment in commitments {
            limit("degree of a value", commitment.degree(), MAX_DEGREE)?;
        }
        shown::reveal(self, Showing::Computed(commitments.to_vec()))
    }

    /// As [`Session::reveal`], for inputs and sums of them.
    ///
    /// # Errors
    /// Those of [`Session::reveal`].
    fn reveal_linear<F: MacField>(
        &mut self,
        values: &[Self::Linear<F>],
    ) -> Result<Revealed<Self, F>, VoleError> {
        shown::reveal(self, Showing::Linear(values.to_vec()))
    }

    /// Claims what a [`Decomposition`] says of numbers and their bits. [`Session::check`] proves it, all
    /// of them in one go.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] for more than [`crate::MAX_WIDTH`] bits, too many numbers, or computed
    /// values of a degree above 2; [`VoleError::Shape`] if the parts do not fit together.
    fn decompose(&mut self, claim: Decomposition<Self>) -> Result<(), VoleError> {
        claim.validate()?;
        for value in claim.computed() {
            limit("degree of a computed target", value.degree(), MAX_TARGET_DEGREE)?;
        }
        self.state_mut().decompositions.push(claim);
        Ok(())
    }

    /// What both parties agreed on.
    fn setup(&self) -> Setup {
        self.state().setup
    }

    /// What this session is called: two sessions never have the same name, and both parties know it.
    fn name(&self) -> Digest {
        self.state().sid.name()
    }

    /// The key that the other party has shown.
    fn peer(&self) -> Option<AuthorId> {
        self.state().peer
    }

    /// The connection: for its counters, and for what the caller says between two checks.
    fn channel(&mut self) -> &mut Channel;

    /// Correlations that are not used yet, over F_2 and over F_p.
    fn unused(&self) -> (usize, usize) {
        self.state().unused()
    }

    /// Correlations made so far, over F_2 and over F_p.
    fn made(&self) -> (u64, u64) {
        self.state().made
    }

    /// Makes sure that so many bits and values can be committed to without another exchange: once
    /// for all is faster than each time. Two to four round trips, none if the stock has them.
    ///
    /// No more than [`KEPT_BITS`] and [`KEPT_VALUES`] are kept at once. What is beyond is made when
    /// these are used up, as many again each time, so that memory does not grow with the statement.
    ///
    /// # Errors
    /// Those of [`crate::ProverVole::extend`]; [`VoleError::Ended`].
    fn reserve(&mut self, bits: usize, values: usize) -> Result<(), VoleError> {
        let Limits { kept_bits, kept_values, .. } = self.state().limits;
        let now = (bits.min(kept_bits), values.min(kept_values));
        state::make(self, now.0, now.1)?;
        let (have_bits, have_values) = self.unused();
        let planned = &mut self.state_mut().planned;
        planned.0 = planned.0.max(bits.saturating_sub(have_bits));
        planned.1 = planned.1.max(values.saturating_sub(have_values));
        Ok(())
    }

    /// Proves all claims since the last check, of both fields, with one verdict. One and a half
    /// round trips whatever their number; one more for the first decomposition of a session, and
    /// those of [`Session::reserve`] if the stock does not suffice.
    ///
    /// A prover first looks at its own claims: if one is false, it stops before anything of this
    /// check leaves. The proof of a false claim would show by how much it is false.
    ///
    /// A false claim passes with probability at most `(D + 1) / |F|` for the highest degree D:
    /// `1 / |F|` for the random combination, `D / |F|` for the roots of a polynomial of degree D.
    ///
    /// # Errors
    /// [`VoleError::False`] at a prover whose claim is false; [`VoleError::Cheating`] at the
    /// verifier, [`VoleError::Refused`] at the prover, and those of the transport. The session has ended then: a check that fails may have told the prover
    /// something about the verifier's global keys.
    fn check(&mut self) -> Result<Checked<Self>, VoleError>;
}

mod sealed {
    use super::{MacField, Session, VoleError, state::State};

    /// What [`Session`] needs of a party to do the rest in the same way for both.
    pub trait Holder: Sized {
        /// The party's end of the connection that makes correlations.
        type Vole;

        fn state(&self) -> &State<Self>
        where
            Self: Session;

        fn state_mut(&mut self) -> &mut State<Self>
        where
            Self: Session;

        /// Makes so many correlations, or more. Any error ends the session.
        fn extend(&mut self, bits: usize, values: usize) -> Result<(), VoleError>;

        /// The prover shows `count` values.
        fn show<F: MacField>(
            &mut self,
            what: &'static str,
            count: usize,
            values: impl FnOnce() -> Vec<F::Value>,
        ) -> Result<Vec<F::Value>, VoleError>;
    }
}

/// What only this crate does with a party.
pub(crate) trait Exchange: Session {
    /// Whether this is the prover, who knows what is committed.
    const PROVES: bool;

    /// Random bits that neither party chooses alone: the prover's share is committed to before the
    /// verifier names its own. One round trip.
    fn toss(&mut self, label: &'static str) -> Result<u128, VoleError>;

    /// What both parties chose when they last made correlations.
    fn shared_toss(&self) -> [u8; 32];

    /// The name of the session.
    fn sid(&self) -> SessionId {
        self.state().sid
    }

    /// Random words of the prover's; zeros at the verifier.
    fn noise(&mut self, count: usize) -> Vec<u64>;

    /// Shows values at once: random ones, of which nobody needs a proof before he goes on. They are
    /// claimed to be what was committed to.
    fn open<F: MacField>(
        &mut self,
        values: &[Self::Linear<F>],
    ) -> Result<Vec<F::Value>, VoleError> {
        limit("values to reveal", values.len(), MAX_CLAIMS)?;
        let own = || values.iter().map(Self::peek::<F>).collect();
        let shown = self.show::<F>("opened values", values.len(), own)?;
        let stock = F::stock(&mut self.state_mut().stocks);
        limit("claims", stock.zeros.len() + values.len(), MAX_CLAIMS)?;
        let mut zeros = std::mem::take(&mut stock.zeros);
        let pairs = values.iter().zip(&shown);
        zeros.extend(pairs.map(|(value, x)| self.shift::<F>(value, F::opposite(*x))));
        F::stock(&mut self.state_mut().stocks).zeros = zeros;
        Ok(shown)
    }

    /// At the prover, an error if one of its claims is false.
    fn find_falsehood(&self) -> Result<(), VoleError>;

    /// The prover shows `count` packed bits.
    fn show_bits(
        &mut self,
        count: usize,
        bits: impl FnOnce() -> Vec<u8>,
    ) -> Result<Vec<u8>, VoleError>;

    /// As [`Session::assert_zero`], for an input or a sum of such.
    fn assert_linear_zero<F: MacField>(&mut self, claim: Self::Linear<F>) -> Result<(), VoleError> {
        let zeros = &mut F::stock(&mut self.state_mut().stocks).zeros;
        limit("claims", zeros.len() + 1, MAX_CLAIMS)?;
        zeros.push(claim);
        Ok(())
    }

    /// Claims that sums are right, as [`Additions::claims`] says.
    fn assert_additions(&mut self, additions: Additions<Self>) {
        self.state_mut().additions.push(additions);
    }

    /// At the prover, stops without a word if `reason` says so of what it is to show.
    fn stop_if(&self, error: VoleError, reason: impl FnOnce() -> bool) -> Result<(), VoleError>;

    /// At the verifier, whether what was shown is allowed.
    fn refuse_unless(
        &self,
        check: &'static str,
        allowed: impl FnOnce() -> bool,
    ) -> Result<(), VoleError>;

    /// The prover binds itself to what it is to show, and the verifier answers with the seed of the
    /// coefficients of a check.
    fn challenge(&mut self, claims: &mut Claims<Self>) -> Result<[u8; 16], VoleError>;

    /// The prover's proof of all claims, with what it shows, and the verifier's verdict on it.
    fn conclude(
        &mut self,
        claims: &Claims<Self>,
        challenge: &Challenge,
    ) -> Result<PerField<Vec<bool>, Vec<Fp>>, VoleError>;

    /// Forgets every key: nothing can be proven in this session any more.
    fn end(&mut self);

    /// Erases the stock that the session is from, durably. To be done before anybody is told that a check
    /// has failed.
    fn burn(&mut self) -> Result<(), VoleError>;
}

/// Correlations that mask a proof of degree `degree`.
fn mask_size<F: MacField>(degree: usize) -> usize {
    degree.saturating_sub(1) * F::DEGREE
}

/// The generators of the coefficients of a check, for claims of a kind: bits and values.
pub(crate) struct Challenge {
    sid: SessionId,
    phase: u64,
    seed: [u8; 16],
}

impl Challenge {
    /// The generator for a kind of claims of a field.
    pub(crate) fn generator<F: MacField>(&self, kind: &str) -> Prg {
        let parts: [&[u8]; 4] =
            [F::LABEL.as_bytes(), kind.as_bytes(), &self.phase.to_le_bytes(), &self.seed];
        Prg::new(self.sid.derive_key("claims", &parts))
    }
}

/// Claims of a kind that are combined at once. The crate's own tests take so few that short statements
/// end before, at and behind the end of a chunk.
const CHUNK: usize = if cfg!(test) { 3 } else { 1 << 12 };

/// Values that are shown in one message, in whole bytes of bits.
const SHOWN: usize = if cfg!(test) { 8 } else { 1 << 20 };

/// The degrees of a proof.
#[derive(Clone, Copy)]
struct Degrees {
    bits: usize,
    values: usize,
}

impl Degrees {
    /// Correlations for the masks.
    fn masks(self) -> (usize, usize) {
        (mask_size::<Gf64>(self.bits), mask_size::<Fp>(self.values))
    }

    /// At least those of additions.
    fn raise_to_additions<S: Session>(&mut self, additions: &[Additions<S>]) {
        if !additions.is_empty() {
            self.raise([2, 0]);
        }
    }

    /// At least those of other claims.
    fn raise(&mut self, [bits, values]: [usize; 2]) {
        self.bits = self.bits.max(bits);
        self.values = self.values.max(values);
    }

    fn proof_bytes(self) -> usize {
        8 * (self.bits + self.values)
    }
}
