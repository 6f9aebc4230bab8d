//! Signed fixed-point numbers: a value v over F_p stands for `v / 2^F`.
//!
//! What is computed modulo p is what was meant only if nothing wraps around: with x = 1/2 modulo p
//! and y = 2, x y = 1. So every number carries a bound B on |v|, proven when it is committed to or by
//! the decomposition that made it; bounds are public, both parties compute the same, and an operation
//! whose result might not fit is an error.
//!
//! Truncation rounds down. A product of two numbers, or a sum of any number of products, costs one
//! decomposition: one bit for each bit of its bound, and eight bytes.

use crate::{
    convert::{Bits, Decomposition, Functional, MAX_WIDTH, Targets},
    error::VoleError,
    field::Fp,
    session::Party,
};

/// A number of I integer bits, the sign among them, and F fraction bits. Results of operations may
/// be larger: [`Fixed::bound`].
pub struct Fixed<S: Party, const I: usize, const F: usize> {
    value: S::Linear<Fp>,
    bound: u64,
}

impl<S: Party, const I: usize, const F: usize> Clone for Fixed<S, I, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Party, const I: usize, const F: usize> Copy for Fixed<S, I, F> {}

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
struct Signed<S: Party> {
    values: Targets<S>,
    /// At the prover; zeros at the verifier.
    numbers: Vec<i64>,
    width: usize,
}

impl<S: Party> Signed<S> {
    fn offset(&self) -> Fp {
        Fp::from(1u64 << (self.width - 1))
    }

    /// Claims that the values have the width, and what `more` says of the bits of their sums with
    /// `2^(width - 1)`.
    fn decompose(self, party: &mut S, more: Option<Functional<S>>) -> Result<(), VoleError> {
        let (offset, width) = (self.offset(), self.width);
        let shift = 1i64 << (width - 1);
        let numbers: Vec<_> =
            self.numbers.iter().map(|v| v.wrapping_add(shift).cast_unsigned()).collect();
        let values = match self.values {
            Targets::Linear(values) => {
                Targets::Linear(values.iter().map(|v| party.shift::<Fp>(v, offset)).collect())
            }
            Targets::Computed(values) => {
                let offset = party.constant::<Fp>(offset);
                Targets::Computed(values.iter().map(|v| party.add::<Fp>(v, &offset)).collect())
            }
        };
        let mut functionals = vec![Functional::whole(width, values)];
        functionals.extend(more);
        party.decompose(Decomposition {
            count: numbers.len(),
            width,
            bits: Bits::Numbers(S::numbers(&numbers)),
            functionals,
        })
    }
}

impl<S: Party, const I: usize, const F: usize> Fixed<S, I, F> {
    /// Commits to numbers, given as integers `v`, and proves that each fits I + F bits.
    ///
    /// # Errors
    /// Those of [`Party::commit`] and [`Party::decompose`].
    pub fn commit(
        party: &mut S,
        count: usize,
        witness: impl FnOnce() -> Vec<i64>,
    ) -> Result<Vec<Self>, VoleError> {
        Self::commit_within(party, I + F, count, witness)
    }

    /// As [`Fixed::commit`], of another width.
    pub(crate) fn commit_within(
        party: &mut S,
        width: usize,
        count: usize,
        witness: impl FnOnce() -> Vec<i64>,
    ) -> Result<Vec<Self>, VoleError> {
        let values =
            party.commit::<Fp>(count, || witness().into_iter().map(Fp::from_signed).collect())?;
        let claim = Signed {
            numbers: values.iter().map(|v| signed(S::peek::<Fp>(v))).collect(),
            values: Targets::Linear(values.clone()),
            width,
        };
        claim.decompose(party, None)?;
        Ok(values.into_iter().map(|value| Self::bounded(value, 1 << (width - 1))).collect())
    }

    /// A value that is known to be at most `bound` in size.
    pub(crate) fn bounded(value: S::Linear<Fp>, bound: u64) -> Self {
        Self { value, bound }
    }

    /// A commitment to v, for other claims about it.
    pub fn value(&self) -> S::Linear<Fp> {
        self.value
    }

    /// B: |v| is not larger.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// v in the prover's hands; 0 at the verifier.
    fn number(&self) -> i64 {
        signed(S::peek::<Fp>(&self.value))
    }

    /// The sum.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] if it might not fit.
    pub fn add(&self, other: &Self) -> Result<Self, VoleError> {
        let bound = self.bound + other.bound;
        signed_width(bound.into(), 1)?;
        Ok(Self { value: S::plus::<Fp>(&self.value, &other.value), bound })
    }

    /// The difference.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] if it might not fit.
    pub fn sub(&self, other: &Self) -> Result<Self, VoleError> {
        let bound = self.bound + other.bound;
        signed_width(bound.into(), 1)?;
        Ok(Self { value: S::minus::<Fp>(&self.value, &other.value), bound })
    }

    /// Products, one for each pair, rounded down.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] if one might not fit, and those of [`Party::commit`].
    pub fn mul(party: &mut S, pairs: &[[Self; 2]]) -> Result<Vec<Self>, VoleError> {
        let rows: Vec<_> = pairs.iter().map(std::slice::from_ref).collect();
        Self::dot(party, &rows)
    }

    /// Sums of products, one for each row, each rounded down once.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] if one might not fit, and those of [`Party::commit`].
    pub fn dot(party: &mut S, rows: &[&[[Self; 2]]]) -> Result<Vec<Self>, VoleError> {
        Self::dot_scaled(party, F, rows)
    }

    /// As [`Fixed::dot`], divided by `2^fraction`.
    pub(crate) fn dot_scaled(
        party: &mut S,
        fraction: usize,
        rows: &[&[[Self; 2]]],
    ) -> Result<Vec<Self>, VoleError> {
        let product = |[x, y]: &[Self; 2]| u128::from(x.bound) * u128::from(y.bound);
        let bounds = rows.iter().map(|row| row.iter().map(product).fold(0, u128::saturating_add));
        let bound = bounds.max().unwrap_or(0);
        let width = signed_width(bound, fraction + 1)?;
        let sums: Vec<_> = rows
            .iter()
            .map(|row| {
                let terms: Vec<_> = row
                    .iter()
                    .map(|[x, y]| {
                        let (x, y) = (party.term::<Fp>(&x.value), party.term::<Fp>(&y.value));
                        party.mul::<Fp>(&x, &y)
                    })
                    .collect();
                party.sum::<Fp>(&terms.iter().collect::<Vec<_>>())
            })
            .collect();
        // A prover whose numbers are out of bounds fails its own claims.
        let product = |[x, y]: &[Self; 2]| x.number().wrapping_mul(y.number());
        let number = |row: &&[[Self; 2]]| row.iter().map(product).fold(0, i64::wrapping_add);
        let numbers: Vec<i64> = rows.iter().map(number).collect();
        let results = party.commit::<Fp>(rows.len(), || {
            numbers.iter().map(|v| Fp::from_signed(v >> fraction)).collect()
        })?;
        let offset = Fp::from(1u64 << (width - 1 - fraction));
        let shifted = results.iter().map(|v| party.shift::<Fp>(v, offset)).collect();
        let claim = Signed { values: Targets::Computed(sums), numbers, width };
        claim.decompose(
            party,
            Some(Functional::truncated(width, fraction, Targets::Linear(shifted))),
        )?;
        // floor(-1 / 2^F) = -1.
        let bound = bound.div_ceil(1 << fraction) as u64;
        Ok(results.into_iter().map(|value| Self { value, bound }).collect())
    }

    /// For each number, a commitment to 1 if it is not negative, else to 0.
    ///
    /// # Errors
    /// Those of [`Party::commit`] and [`Party::decompose`].
    pub fn is_non_negative(
        party: &mut S,
        numbers: &[Self],
    ) -> Result<Vec<S::Linear<Fp>>, VoleError> {
        let bound = numbers.iter().map(|x| x.bound).max().unwrap_or(0);
        let width = signed_width(bound.into(), 1)?;
        let tops = party.commit::<Fp>(numbers.len(), || {
            numbers.iter().map(|x| Fp::from(u64::from(x.number() >= 0))).collect()
        })?;
        let claim = Signed {
            values: Targets::Linear(numbers.iter().map(|x| x.value).collect()),
            numbers: numbers.iter().map(Self::number).collect(),
            width,
        };
        let top = Functional::bit(width, width - 1, Targets::Linear(tops.clone()));
        claim.decompose(party, Some(top))?;
        Ok(tops)
    }

    /// For each pair (x, y), a commitment to 1 if x < y, else to 0.
    ///
    /// # Errors
    /// Those of [`Fixed::sub`] and [`Fixed::is_non_negative`].
    pub fn less_than(party: &mut S, pairs: &[[Self; 2]]) -> Result<Vec<S::Linear<Fp>>, VoleError> {
        let differences: Vec<_> = pairs.iter().map(|[x, y]| x.sub(y)).collect::<Result<_, _>>()?;
        let at_least = Self::is_non_negative(party, &differences)?;
        let minus_one = -Fp::from(1);
        let opposite = |bit| party.shift::<Fp>(&S::scale::<Fp>(bit, minus_one), Fp::from(1));
        Ok(at_least.iter().map(opposite).collect())
    }

    /// `max(x, 0)` for each number.
    ///
    /// # Errors
    /// Those of [`Fixed::is_non_negative`].
    pub fn relu(party: &mut S, numbers: &[Self]) -> Result<Vec<Self>, VoleError> {
        let tops = Self::is_non_negative(party, numbers)?;
        let results = party.commit::<Fp>(numbers.len(), || {
            numbers.iter().map(|x| Fp::from_signed(x.number().max(0))).collect()
        })?;
        for ((number, top), result) in numbers.iter().zip(tops).zip(&results) {
            party.assert_product::<Fp>([number.value, top], *result)?;
        }
        let pairs = results.into_iter().zip(numbers);
        Ok(pairs.map(|(value, number)| Self { value, bound: number.bound }).collect())
    }

    /// Claims that `low <= v <= high` for each number, as integers.
    ///
    /// # Errors
    /// [`VoleError::TooMany`] for a range that does not fit, and those of [`Party::decompose`].
    pub fn assert_range(
        party: &mut S,
        numbers: &[Self],
        low: i64,
        high: i64,
    ) -> Result<(), VoleError> {
        // Both v - low and high - v lie in 0..2^m, and v is bounded, so that neither wraps.
        let span = u64::try_from(i128::from(high) - i128::from(low))
            .map_err(|_| VoleError::Shape { what: "range" })?;
        let width = (64 - span.leading_zeros() as usize).max(1);
        let reach = numbers.iter().map(|x| x.bound).max().unwrap_or(0);
        let ends = low.unsigned_abs().max(high.unsigned_abs());
        signed_width(u128::from(reach) + u128::from(ends) + (1 << width), 1)?;
        for (end, sign) in [(low, 1), (high, -1)] {
            let distance = |x: &Self| {
                let scaled = S::scale::<Fp>(&x.value, Fp::from_signed(sign));
                party.shift::<Fp>(&scaled, -Fp::from_signed(end * sign))
            };
            let values = numbers.iter().map(distance).collect();
            let plain: Vec<_> = numbers
                .iter()
                .map(|x| x.number().wrapping_sub(end).wrapping_mul(sign).cast_unsigned())
                .collect();
            party.decompose(Decomposition {
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
    pub fn argmax(
        party: &mut S,
        numbers: &[Self],
    ) -> Result<(Self, Vec<S::Linear<Fp>>), VoleError> {
        let largest = numbers.iter().enumerate().max_by_key(|(i, x)| (x.number(), usize::MAX - i));
        let (chosen, bound) = match largest {
            Some((chosen, _)) => (chosen, numbers.iter().map(|x| x.bound).max().unwrap_or(0)),
            None => return Err(VoleError::Shape { what: "maximum of no numbers" }),
        };
        let choice = party.commit::<Fp>(numbers.len(), || {
            (0..numbers.len()).map(|i| Fp::from(u64::from(i == chosen))).collect()
        })?;
        // One of the choices is 1, the others are 0.
        let mut sum = S::Linear::<Fp>::default();
        let mut product = party.constant::<Fp>(Fp::default());
        for (bit, number) in choice.iter().zip(numbers) {
            party.assert_product::<Fp>([*bit; 2], *bit)?;
            sum = S::plus::<Fp>(&sum, bit);
            let (bit, number) = (party.term::<Fp>(bit), party.term::<Fp>(&number.value));
            product = party.add::<Fp>(&product, &party.mul::<Fp>(&bit, &number));
        }
        let rest = party.term::<Fp>(&party.shift::<Fp>(&sum, -Fp::from(1)));
        party.assert_zero::<Fp>(rest)?;
        let value = party.commit::<Fp>(1, || {
            numbers.iter().map(|x| x.number()).max().map(Fp::from_signed).into_iter().collect()
        })?;
        let value = value.first().copied().unwrap_or_default();
        let difference = party.sub::<Fp>(&product, &party.term::<Fp>(&value));
        party.assert_zero::<Fp>(difference)?;
        // It is one of the numbers, and none is larger.
        let largest = Self { value, bound };
        let above: Vec<_> = numbers.iter().map(|x| largest.sub(x)).collect::<Result<_, _>>()?;
        let bound = above.iter().map(|x| x.bound).max().unwrap_or(0);
        let width = signed_width(bound.into(), 1)?;
        let plain: Vec<_> = above.iter().map(|x| x.number().cast_unsigned()).collect();
        let values = above.iter().map(|x| x.value).collect();
        party.decompose(Decomposition {
            count: numbers.len(),
            width,
            bits: Bits::Numbers(S::numbers(&plain)),
            functionals: vec![Functional::whole(width, Targets::Linear(values))],
        })?;
        Ok((largest, choice))
    }
}
