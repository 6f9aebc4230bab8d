//! Signed fixed-point numbers: a value v over F_p stands for `v / 2^F`.
//!
//! What is computed modulo p is what was meant only if nothing wraps around: with x = 1/2 modulo p
//! and y = 2, x y = 1. So every number carries a bound B on |v|, proven when it is committed to or by
//! the decomposition that made it; bounds are public, both parties compute the same, and an operation
//! whose result might not fit is an error.
//!
//! Truncation rounds down. A product of two numbers, or a sum of any number of products, costs one
//! decomposition: one bit for each bit of its bound, and eight bytes. The paper's section 4.3 has the
//! products, of unsigned numbers and without the bounds.

use crate::{
    committed::Field,
    convert::{Bits, Decomposition, Functional, MAX_WIDTH, Targets},
    error::VoleError,
    field::Fp,
    session::{Checked, Revealed, Session},
};

/// A committed number of I integer bits, the sign among them, and F fraction bits: a [`Field`] that
/// both parties know to be small. Results of operations may be larger: [`Fixed::bound`].
///
/// The fixed-point numbers of section 4.3 of the paper on low-bandwidth mixed arithmetic in
/// VOLE-based zero knowledge (Eurocrypt 2025), with signs.
pub struct Fixed<S: Session, const I: usize, const F: usize> {
    value: Field<S>,
    bound: u64,
}

impl<S: Session, const I: usize, const F: usize> Clone for Fixed<S, I, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Session, const I: usize, const F: usize> Copy for Fixed<S, I, F> {}

/// Numbers that are shown at the next check.
pub struct RevealedFixed<S: Session>(Revealed<S, Fp>);

impl<S: Session> RevealedFixed<S> {
    /// The integers v, which the verifier has accepted.
    ///
    /// # Errors
    /// Those of [`Revealed::values`].
    pub fn values(&self, checked: &Checked<S>) -> Result<Vec<i64>, VoleError> {
        Ok(self.0.values(checked)?.into_iter().map(signed).collect())
    }
}

/// The integer in `-p/2..p/2`.
pub(crate) fn signed(value: Fp) -> i64 {
    let value = value.to_u64();
    match value > Fp::MODULUS / 2 {
        true => (value as i64) - (Fp::MODULUS as i64),
        false => value as i64,
    }
}

/// Bits of `v + 2^(bits - 1)` for |v| <= bound, at least so many.
pub(crate) fn signed_width(bound: u128, least: usize) -> Result<usize, VoleError> {
    let width = (128 - bound.leading_zeros() as usize + 1).max(least);
    match width <= MAX_WIDTH {
        true => Ok(width),
        false => Err(VoleError::TooMany {
            what: "bits of a signed result",
            requested: width,
            limit: MAX_WIDTH,
        }),
    }
}

/// Values, their bound, and what is wanted of their bits.
struct Signed<S: Session> {
    values: Targets<S>,
    /// At the prover; zeros at the verifier.
    numbers: Vec<i64>,
    width: usize,
}

impl<S: Session> Signed<S> {
    fn offset(&self) -> Fp {
        Fp::from(1u64 << (self.width - 1))
    }

    /// Claims that the values have the width, and what `more` says of the bits of their sums with
    /// `2^(width - 1)`.
    fn decompose(self, session: &mut S, more: Option<Functional<S>>) -> Result<(), VoleError> {
        let (offset, width) = (self.offset(), self.width);
        let shift = 1i64 << (width - 1);
        let numbers: Vec<_> =
            self.numbers.iter().map(|v| v.wrapping_add(shift).cast_unsigned()).collect();
        let values = match self.values {
            Targets::Linear(values) => {
                Targets::Linear(values.iter().map(|v| session.shift::<Fp>(v, offset)).collect())
            }
            Targets::Computed(values) => {
                let offset = session.constant::<Fp>(offset);
                Targets::Computed(values.iter().map(|v| session.add::<Fp>(v, &offset)).collect())
            }
        };
        let mut functionals = vec![Functional::whole(width, values)];
        functionals.extend(more);
        session.decompose(Decomposition {
            count: numbers.len(),
            width,
            bits: Bits::Numbers(S::numbers(&numbers)),
            functionals,
        })
    }
}

impl<S: Session, const I: usize, const F: usize> Fixed<S, I, F> {
    /// Bits of an input.
    const WIDTH: usize = {
        assert!(1 <= I + F && I + F <= MAX_WIDTH, "a number has 1 to 60 bits");
        I + F
    };

    /// Commits to numbers, given as integers `v`, and proves that each fits I + F bits.
    ///
    /// # Errors
    /// Those of [`Session::commit`] and [`Session::decompose`].
    pub fn commit(
        session: &mut S,
        count: usize,
        witness: impl FnOnce() -> Vec<i64>,
    ) -> Result<Vec<Self>, VoleError> {
        Self::commit_within(session, Self::WIDTH, count, witness)
    }

    /// As [`Fixed::commit`], of another width.
    pub(crate) fn commit_within(
        session: &mut S,
        width: usize,
        count: usize,
        witness: impl FnOnce() -> Vec<i64>,
    ) -> Result<Vec<Self>, VoleError> {
        let values =
            Field::commit(session, count, || witness().into_iter().map(Fp::from_signed).collect())?;
        Self::within(session, width, &values)
    }

    /// Proves that each integer in `-p/2..p/2` fits I + F bits, as the integer v of a number
    /// `v / 2^F`.
    ///
    /// # Errors
    /// Those of [`Session::decompose`].
    pub fn from_field(session: &mut S, values: &[Field<S>]) -> Result<Vec<Self>, VoleError> {
        Self::within(session, Self::WIDTH, values)
    }

    /// As [`Fixed::from_field`], of another width.
    fn within(session: &mut S, width: usize, values: &[Field<S>]) -> Result<Vec<Self>, VoleError> {
        let claim = Signed {
            numbers: values.iter().map(|v| signed(v.peek())).collect(),
            values: Targets::Linear(Field::linears(values)),
            width,
        };
        claim.decompose(session, None)?;
        Ok(values.iter().map(|value| Self::bounded(*value, 1 << (width - 1))).collect())
    }

    /// A value that is known to be at most `bound` in size.
    pub(crate) fn bounded(value: Field<S>, bound: u64) -> Self {
        Self { value, bound }
    }

    /// A commitment to v, for other claims about it.
    pub fn value(&self) -> Field<S> {
        self.value
    }

    /// B: |v| is not larger.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// v in the prover's hands; 0 at the verifier.
    fn number(&self) -> i64 {
        signed(self.value.peek())
    }

    /// Shows the integers v to the verifier, with the proof of the next check: 8 bytes for each.
    ///
    /// # Errors
    /// Those of [`Session::reveal_linear`].
    pub fn reveal(session: &mut S, numbers: &[Self]) -> Result<RevealedFixed<S>, VoleError> {
        let values: Vec<_> = numbers.iter().map(Self::value).collect();
        Field::reveal(session, &values).map(RevealedFixed)
    }

    /// The sum.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] if it might not fit.
    pub fn add(&self, other: &Self) -> Result<Self, VoleError> {
        let bound = self.bound + other.bound;
        signed_width(bound.into(), 1)?;
        Ok(Self { value: self.value + other.value, bound })
    }

    /// The difference.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] if it might not fit.
    pub fn sub(&self, other: &Self) -> Result<Self, VoleError> {
        let bound = self.bound + other.bound;
        signed_width(bound.into(), 1)?;
        Ok(Self { value: self.value - other.value, bound })
    }

    /// Products, one for each pair, rounded down.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] if one might not fit, and those of [`Session::commit`].
    pub fn mul(session: &mut S, pairs: &[[Self; 2]]) -> Result<Vec<Self>, VoleError> {
        let rows: Vec<_> = pairs.iter().map(std::slice::from_ref).collect();
        Self::dot(session, &rows)
    }

    /// Sums of products, one for each row, each rounded down once.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] if one might not fit, and those of [`Session::commit`].
    pub fn dot(session: &mut S, rows: &[&[[Self; 2]]]) -> Result<Vec<Self>, VoleError> {
        Self::dot_scaled(session, F, rows)
    }

    /// As [`Fixed::dot`], divided by `2^fraction`.
    pub(crate) fn dot_scaled(
        session: &mut S,
        fraction: usize,
        rows: &[&[[Self; 2]]],
    ) -> Result<Vec<Self>, VoleError> {
        let product = |[x, y]: &[Self; 2]| u128::from(x.bound) * u128::from(y.bound);
        let bounds = rows.iter().map(|row| row.iter().map(product).fold(0, u128::saturating_add));
        // Of no rows there is nothing to bound.
        let bound = bounds.max().unwrap_or(0);
        let width = signed_width(bound, fraction + 1)?;
        let sums: Vec<_> = rows
            .iter()
            .map(|row| {
                let terms: Vec<_> = row
                    .iter()
                    .map(|[x, y]| {
                        let (x, y) = (x.value.term(session), y.value.term(session));
                        session.mul::<Fp>(&x, &y)
                    })
                    .collect();
                session.sum::<Fp>(&terms.iter().collect::<Vec<_>>())
            })
            .collect();
        // A prover whose numbers are out of bounds fails its own claims.
        let product = |[x, y]: &[Self; 2]| x.number().wrapping_mul(y.number());
        let number = |row: &&[[Self; 2]]| row.iter().map(product).fold(0, i64::wrapping_add);
        let numbers: Vec<i64> = rows.iter().map(number).collect();
        let results = Field::commit(session, rows.len(), || {
            numbers.iter().map(|v| Fp::from_signed(v >> fraction)).collect()
        })?;
        let offset = Fp::from(1u64 << (width - 1 - fraction));
        let shifted = results.iter().map(|v| v.shift(session, offset).linear()).collect();
        let claim = Signed { values: Targets::Computed(sums), numbers, width };
        claim.decompose(
            session,
            Some(Functional::truncated(width, fraction, Targets::Linear(shifted))),
        )?;
        // floor(-1 / 2^F) = -1.
        let bound = bound.div_ceil(1 << fraction) as u64;
        Ok(results.into_iter().map(|value| Self { value, bound }).collect())
    }

    /// For each number, a commitment to 1 if it is not negative, else to 0.
    ///
    /// # Errors
    /// Those of [`Session::commit`] and [`Session::decompose`].
    pub fn is_non_negative(session: &mut S, numbers: &[Self]) -> Result<Vec<Field<S>>, VoleError> {
        // Of no numbers there is nothing to bound.
        let bound = numbers.iter().map(|x| x.bound).max().unwrap_or(0);
        let width = signed_width(bound.into(), 1)?;
        let tops = Field::commit(session, numbers.len(), || {
            numbers.iter().map(|x| Fp::from(u64::from(x.number() >= 0))).collect()
        })?;
        let claim = Signed {
            values: Targets::Linear(numbers.iter().map(|x| x.value.linear()).collect()),
            numbers: numbers.iter().map(Self::number).collect(),
            width,
        };
        let top = Functional::bit(width, width - 1, Targets::Linear(Field::linears(&tops)));
        claim.decompose(session, Some(top))?;
        Ok(tops)
    }

    /// For each pair (x, y), a commitment to 1 if x < y, else to 0.
    ///
    /// # Errors
    /// Those of [`Fixed::sub`] and [`Fixed::is_non_negative`].
    pub fn less_than(session: &mut S, pairs: &[[Self; 2]]) -> Result<Vec<Field<S>>, VoleError> {
        let differences: Vec<_> = pairs.iter().map(|[x, y]| x.sub(y)).collect::<Result<_, _>>()?;
        let at_least = Self::is_non_negative(session, &differences)?;
        let one = Field::constant(session, Fp::from(1));
        Ok(at_least.into_iter().map(|bit| one - bit).collect())
    }

    /// `max(x, 0)` for each number.
    ///
    /// # Errors
    /// Those of [`Fixed::is_non_negative`].
    pub fn relu(session: &mut S, numbers: &[Self]) -> Result<Vec<Self>, VoleError> {
        let tops = Self::is_non_negative(session, numbers)?;
        let results = Field::commit(session, numbers.len(), || {
            numbers.iter().map(|x| Fp::from_signed(x.number().max(0))).collect()
        })?;
        for ((number, top), result) in numbers.iter().zip(tops).zip(&results) {
            Field::assert_product(session, [number.value, top], *result)?;
        }
        let pairs = results.into_iter().zip(numbers);
        Ok(pairs.map(|(value, number)| Self { value, bound: number.bound }).collect())
    }

    /// Claims that `low <= v <= high` for each number, as integers.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] for a range that does not fit, and those of [`Session::decompose`].
    pub fn assert_range(
        session: &mut S,
        numbers: &[Self],
        low: i64,
        high: i64,
    ) -> Result<(), VoleError> {
        // Both v - low and high - v lie in 0..2^m, and v is bounded, so that neither wraps.
        let span = u64::try_from(i128::from(high) - i128::from(low))
            .map_err(|_| VoleError::Shape { what: "range" })?;
        let width = (64 - span.leading_zeros() as usize).max(1);
        // As in `is_non_negative`.
        let reach = numbers.iter().map(|x| x.bound).max().unwrap_or(0);
        let ends = low.unsigned_abs().max(high.unsigned_abs());
        signed_width(u128::from(reach) + u128::from(ends) + (1 << width), 1)?;
        for (end, sign) in [(low, 1), (high, -1)] {
            let distance = |x: &Self| {
                let scaled = x.value.scale(Fp::from_signed(sign));
                scaled.shift(session, -Fp::from_signed(end * sign)).linear()
            };
            let values = numbers.iter().map(distance).collect();
            let plain: Vec<_> = numbers
                .iter()
                .map(|x| x.number().wrapping_sub(end).wrapping_mul(sign).cast_unsigned())
                .collect();
            session.decompose(Decomposition {
                count: numbers.len(),
                width,
                bits: Bits::Numbers(S::numbers(&plain)),
                functionals: vec![Functional::whole(width, Targets::Linear(values))],
            })?;
        }
        Ok(())
    }

    /// The largest number, and for each number a commitment to 1 if it is the one that was chosen
    /// among the largest, else to 0.
    ///
    /// # Errors
    /// [`VoleError::Shape`] for no numbers, those of [`Fixed::is_non_negative`].
    pub fn argmax(session: &mut S, numbers: &[Self]) -> Result<(Self, Vec<Field<S>>), VoleError> {
        let largest = numbers.iter().enumerate().max_by_key(|(i, x)| (x.number(), usize::MAX - i));
        let (chosen, bound) = match largest {
            Some((chosen, _)) => (chosen, numbers.iter().map(|x| x.bound).max().unwrap_or(0)),
            None => return Err(VoleError::Shape { what: "maximum of no numbers" }),
        };
        let choice = Field::commit(session, numbers.len(), || {
            (0..numbers.len()).map(|i| Fp::from(u64::from(i == chosen))).collect()
        })?;
        // One of the choices is 1, the others are 0.
        let mut sum = Field::default();
        let mut product = session.constant::<Fp>(Fp::default());
        for (bit, number) in choice.iter().zip(numbers) {
            Field::assert_product(session, [*bit; 2], *bit)?;
            sum = sum + *bit;
            let (bit, number) = (bit.term(session), number.value.term(session));
            product = session.add::<Fp>(&product, &session.mul::<Fp>(&bit, &number));
        }
        sum.shift(session, -Fp::from(1)).assert_zero(session)?;
        let value = Field::commit(session, 1, || {
            numbers.iter().map(|x| x.number()).max().map(Fp::from_signed).into_iter().collect()
        })?;
        // One was committed to.
        let value = value.first().copied().unwrap_or_default();
        let difference = session.sub::<Fp>(&product, &value.term(session));
        session.assert_zero::<Fp>(difference)?;
        // It is one of the numbers, and none is larger.
        let largest = Self { value, bound };
        let above: Vec<_> = numbers.iter().map(|x| largest.sub(x)).collect::<Result<_, _>>()?;
        // There is one for each number, of which there are some.
        let bound = above.iter().map(|x| x.bound).max().unwrap_or(0);
        let width = signed_width(bound.into(), 1)?;
        let plain: Vec<_> = above.iter().map(|x| x.number().cast_unsigned()).collect();
        let values = above.iter().map(|x| x.value.linear()).collect();
        session.decompose(Decomposition {
            count: numbers.len(),
            width,
            bits: Bits::Numbers(S::numbers(&plain)),
            functionals: vec![Functional::whole(width, Targets::Linear(values))],
        })?;
        Ok((largest, choice))
    }
}
