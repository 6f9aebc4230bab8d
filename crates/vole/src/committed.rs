//! Committed bits and integers: `[x]_2` and `[x]_p` in the paper on low-bandwidth mixed arithmetic.
//!
//! Linear functions are computed without a message. A product costs one committed value. Bits and
//! integers become each other by conversions (section 4.3).

use std::ops::{Add, Sub};

use crate::{
    convert::{Decomposition, MAX_WIDTH},
    error::{VoleError, limit},
    field::{Fp, Gf64, MacField},
    session::{Revealed, Session},
};

/// A party's side of a commitment to a value: an input, or a linear function of inputs. Its two
/// kinds are [`Bit`] and [`Field`].
///
/// It belongs to one session, and its type says to which. A value of another session has a MAC under
/// another key; a claim that mixes two of them does not compile:
///
/// ```
/// # use vole::{Fp, Field, ParameterSet, Prover, Session, VoleError};
/// # use rand_chacha::ChaCha20Rng;
/// fn two(left: &mut wire::Channel, right: &mut wire::Channel, rngs: &mut [ChaCha20Rng; 2]) {
///     let [one, other] = rngs;
///     let _ = Prover::run(left, ParameterSet::NoLpn, b"", one, |left| {
///         let x = Field::commit(left, 1, || vec![Fp::from(1)])?[0];
///         Prover::run(right, ParameterSet::NoLpn, b"", other, |right| {
///             let y = Field::commit(right, 1, || vec![Fp::from(1)])?[0];
///             (y - y).assert_zero(right)?;
///             right.check().map(|_| ())
///         })
///     });
/// }
/// ```
///
/// ```compile_fail
/// # use vole::{Fp, Field, ParameterSet, Prover, Session, VoleError};
/// # use rand_chacha::ChaCha20Rng;
/// fn two(left: &mut wire::Channel, right: &mut wire::Channel, rngs: &mut [ChaCha20Rng; 2]) {
///     let [one, other] = rngs;
///     let _ = Prover::run(left, ParameterSet::NoLpn, b"", one, |left| {
///         let x = Field::commit(left, 1, || vec![Fp::from(1)])?[0];
///         Prover::run(right, ParameterSet::NoLpn, b"", other, |right| {
///             let y = Field::commit(right, 1, || vec![Fp::from(1)])?[0];
///             (x - y).assert_zero(right)?; // `x` is the other session's
///             right.check().map(|_| ())
///         })
///     });
/// }
/// ```
#[repr(transparent)]
pub struct Committed<S: Session, F: MacField>(S::Linear<F>);

/// A committed bit, with a MAC in F_{2^64}. Operations are those of [`Committed`]; sums are XORs
/// and products are ANDs.
///
/// The commitment `[x]_2` of the paper on low-bandwidth mixed arithmetic in VOLE-based zero
/// knowledge (Eurocrypt 2025); [`Field::to_bits`] makes the bits of an integer.
pub type Bit<S> = Committed<S, Gf64>;

/// A committed integer modulo p = 2^61 - 1, with a MAC in F_p. Operations are those of
/// [`Committed`], modulo p.
///
/// The commitment `[x]_p` of the paper on low-bandwidth mixed arithmetic in VOLE-based zero
/// knowledge (Eurocrypt 2025); [`Field::from_bits`] makes it from bits.
pub type Field<S> = Committed<S, Fp>;

impl<S: Session, F: MacField> Clone for Committed<S, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Session, F: MacField> Copy for Committed<S, F> {}

/// Zero, to which both parties are committed.
impl<S: Session, F: MacField> Default for Committed<S, F> {
    fn default() -> Self {
        Self(S::Linear::<F>::default())
    }
}

impl<S: Session, F: MacField> Add for Committed<S, F> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(S::plus::<F>(&self.0, &other.0))
    }
}

impl<S: Session, F: MacField> Sub for Committed<S, F> {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self(S::minus::<F>(&self.0, &other.0))
    }
}

impl<S: Session, F: MacField> Committed<S, F> {
    /// Commits to `count` values, which only the prover computes. One message: a bit for a bit, 8
    /// bytes for an integer.
    ///
    /// # Errors
    /// Those of [`Session::commit`].
    pub fn commit(
        session: &mut S,
        count: usize,
        witness: impl FnOnce() -> Vec<F::Value>,
    ) -> Result<Vec<Self>, VoleError> {
        session.commit::<F>(count, witness).map(Self::all)
    }

    /// Commits to uniform values, at no cost but the correlations.
    ///
    /// # Errors
    /// Those of [`Session::reserve`].
    pub fn random(session: &mut S, count: usize) -> Result<Vec<Self>, VoleError> {
        session.random::<F>(count).map(Self::all)
    }

    /// A public value.
    pub fn constant(session: &S, value: F::Value) -> Self {
        Self::default().shift(session, value)
    }

    /// What [`Session`] works with. Its type does not say to which session it belongs.
    pub fn linear(self) -> S::Linear<F> {
        self.0
    }

    /// What [`Session`] works with, as a typed value.
    pub fn new(linear: S::Linear<F>) -> Self {
        Self(linear)
    }

    pub(crate) fn all(linear: Vec<S::Linear<F>>) -> Vec<Self> {
        linear.into_iter().map(Self).collect()
    }

    pub(crate) fn linears(values: &[Self]) -> Vec<S::Linear<F>> {
        values.iter().map(|value| value.0).collect()
    }

    /// The committed value in the prover's hands, for computing a witness; zero at the verifier.
    pub fn peek(self) -> F::Value {
        S::peek::<F>(&self.0)
    }

    /// The value times a public one.
    pub fn scale(self, factor: F::Value) -> Self {
        Self(S::scale::<F>(&self.0, factor))
    }

    /// The value plus a public one.
    pub fn shift(self, session: &S, by: F::Value) -> Self {
        Self(session.shift::<F>(&self.0, by))
    }

    /// As a commitment of any degree, for [`Session::mul`] and [`Session::assert_zero`].
    pub fn term(self, session: &S) -> S::Commitment<F> {
        session.term::<F>(&self.0)
    }

    /// Products, one for each pair: one message, as of [`Committed::commit`]. [`Session::check`]
    /// proves them.
    ///
    /// # Errors
    /// Those of [`Session::commit`] and [`Session::assert_product`].
    pub fn mul(session: &mut S, pairs: &[[Self; 2]]) -> Result<Vec<Self>, VoleError> {
        let product = |[a, b]: &[Self; 2]| F::embed(a.peek()).times(b.peek()).project();
        let products = Self::commit(session, pairs.len(), || pairs.iter().map(product).collect())?;
        for (factors, product) in pairs.iter().zip(&products) {
            Self::assert_product(session, *factors, *product)?;
        }
        Ok(products)
    }

    /// Claims that a b = c.
    ///
    /// # Errors
    /// Those of [`Session::assert_product`].
    pub fn assert_product(
        session: &mut S,
        factors: [Self; 2],
        product: Self,
    ) -> Result<(), VoleError> {
        session.assert_product::<F>(factors.map(Self::linear), product.0)
    }

    /// Claims that the value is zero.
    ///
    /// # Errors
    /// Those of [`Session::assert_zero`].
    pub fn assert_zero(self, session: &mut S) -> Result<(), VoleError> {
        let claim = self.term(session);
        session.assert_zero::<F>(claim)
    }

    /// Shows the values to the verifier, with the proof of the next check.
    ///
    /// # Errors
    /// Those of [`Session::reveal_linear`].
    pub fn reveal(session: &mut S, values: &[Self]) -> Result<Revealed<S, F>, VoleError> {
        session.reveal_linear::<F>(&Self::linears(values))
    }
}

impl<S: Session> Field<S> {
    /// The integers that bits spell, `width` bits for each, the lowest first (section 4.3 of the
    /// paper). One message of 8 bytes for each integer, and a bit for each bit at the check.
    ///
    /// # Errors
    /// [`VoleError::Shape`] for a part of an integer, [`VoleError::TooMany`] over [`MAX_WIDTH`]
    /// bits, and those of [`Session::commit`] and [`Session::decompose`].
    pub fn from_bits(
        session: &mut S,
        width: usize,
        bits: &[Bit<S>],
    ) -> Result<Vec<Self>, VoleError> {
        limit("bits of a number", width, MAX_WIDTH)?;
        if width == 0 || !bits.len().is_multiple_of(width) {
            return Err(VoleError::Shape { what: "bits of a number" });
        }
        let spelled = |bits: &[Bit<S>]| {
            let places = bits.iter().rev();
            Fp::from(places.fold(0, |number, bit| number << 1 | u64::from(bit.peek())))
        };
        let values = Self::commit(session, bits.len() / width, || {
            bits.chunks_exact(width).map(spelled).collect()
        })?;
        Self::assert_bits(session, width, &values, bits)?;
        Ok(values)
    }

    /// The bits of integers, `width` for each, the lowest first (section 4.3 of the paper): claims
    /// that every integer is below 2^width. One message of a bit for each bit, and as much at the
    /// check.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] over [`MAX_WIDTH`] bits, and those of [`Session::commit`] and
    /// [`Session::decompose`].
    pub fn to_bits(
        session: &mut S,
        width: usize,
        values: &[Self],
    ) -> Result<Vec<Bit<S>>, VoleError> {
        limit("bits of a number", width, MAX_WIDTH)?;
        let spelling = |value: &Self| {
            let value = value.peek().to_u64();
            (0..width).map(move |place| value >> place & 1 == 1)
        };
        let bits = Bit::commit(session, width * values.len(), || {
            values.iter().flat_map(spelling).collect()
        })?;
        Self::assert_bits(session, width, values, &bits)?;
        Ok(bits)
    }

    /// Claims that each integer is what its `width` bits spell, the lowest first. For other linear
    /// functions of bits, see [`Decomposition`].
    ///
    /// # Errors
    /// [`VoleError::Shape`] if there are not `width` bits for each, and those of
    /// [`Session::decompose`].
    pub fn assert_bits(
        session: &mut S,
        width: usize,
        values: &[Self],
        bits: &[Bit<S>],
    ) -> Result<(), VoleError> {
        let (values, bits) = (Self::linears(values), Bit::linears(bits));
        session.decompose(Decomposition::conversion(width, values, bits))
    }
}
