//! Linear combinations of wires that know their values.

use std::{
    cmp::Ordering,
    ops::{Add, Mul, Neg, Sub},
};

use algebra::Scalar;

/// A wire, before it is known how many of each kind there are. The order is that of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Wire {
    /// The constant one.
    One,
    /// A public output.
    Output(u32),
    /// A public input.
    Input(u32),
    /// A private wire.
    Private(u32),
}

/// A linear combination of wires, with its value.
///
/// Each wire stands in it once and with a factor that is not zero, in ascending order. Where only a
/// witness is wanted, values are all that is kept. (No `Debug`: values are secret.)
#[derive(Clone)]
pub struct Linear<S> {
    terms: Vec<(Wire, S)>,
    value: S,
    /// Whether it was made of constants. That of a wire minus itself is false: it must not depend on
    /// the terms, which are not always there.
    is_constant: bool,
}

impl<S: Scalar> Linear<S> {
    /// A constant.
    pub fn constant(value: S) -> Self {
        let terms = if value == S::zero() { Vec::new() } else { vec![(Wire::One, value)] };
        Self { terms, value, is_constant: true }
    }

    /// Zero.
    pub fn zero() -> Self {
        Self::constant(S::zero())
    }

    /// One.
    pub fn one() -> Self {
        Self::constant(S::one())
    }

    /// A wire with its value; without the wire, only that the value is not constant.
    pub(super) fn wire(wire: Option<Wire>, value: S) -> Self {
        let terms = wire.map(|wire| (wire, S::one())).into_iter().collect();
        Self { terms, value, is_constant: false }
    }

    /// `Σ factor · combination`, sorted once however many there are.
    pub fn sum<'a>(parts: impl IntoIterator<Item = (S, &'a Self)>) -> Self {
        let (mut terms, mut value, mut is_constant) = (Vec::new(), S::zero(), true);
        for (factor, part) in parts {
            value += factor * part.value;
            is_constant &= part.is_constant;
            terms.extend(part.terms.iter().map(|&(wire, own)| (wire, own * factor)));
        }
        terms.sort_unstable_by_key(|(wire, _)| *wire);
        terms.dedup_by(|(wire, factor), (kept, sum)| {
            let same = wire == kept;
            if same {
                *sum += *factor;
            }
            same
        });
        terms.retain(|(_, factor)| *factor != S::zero());
        Self { terms, value, is_constant }
    }

    /// The number whose bits are given, the least significant first.
    pub fn from_bits<'a>(bits: impl IntoIterator<Item = &'a Self>) -> Self {
        let powers = std::iter::successors(Some(S::one()), |power| Some(*power + *power));
        Self::sum(powers.zip(bits))
    }

    /// The value.
    pub fn value(&self) -> S {
        self.value
    }

    /// The value, if it is the same in every witness.
    pub fn as_constant(&self) -> Option<S> {
        self.is_constant.then_some(self.value)
    }

    /// The terms, in the order of the wires.
    pub(super) fn terms(&self) -> &[(Wire, S)] {
        &self.terms
    }

    /// `self + factor · other`.
    fn merge(&self, factor: S, other: &Self) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            let order = match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((l, _)), Some((r, _))) => l.cmp(r),
            };
            let l = if order.is_le() { left.next() } else { None };
            let r = if order.is_ge() { right.next() } else { None };
            let wire = l.or(r).map_or(Wire::One, |(wire, _)| *wire);
            let sum = l.map_or(S::zero(), |(_, f)| *f) + r.map_or(S::zero(), |(_, f)| *f * factor);
            if sum != S::zero() {
                terms.push((wire, sum));
            }
        }
        let is_constant = self.is_constant && other.is_constant;
        Self { terms, value: self.value + factor * other.value, is_constant }
    }
}

impl<S: Scalar> Add for &Linear<S> {
    type Output = Linear<S>;

    fn add(self, other: Self) -> Linear<S> {
        self.merge(S::one(), other)
    }
}

impl<S: Scalar> Sub for &Linear<S> {
    type Output = Linear<S>;

    fn sub(self, other: Self) -> Linear<S> {
        self.merge(-S::one(), other)
    }
}

impl<S: Scalar> Mul<S> for &Linear<S> {
    type Output = Linear<S>;

    fn mul(self, factor: S) -> Linear<S> {
        Linear::sum([(factor, self)])
    }
}

impl<S: Scalar> Neg for &Linear<S> {
    type Output = Linear<S>;

    fn neg(self) -> Linear<S> {
        self * -S::one()
    }
}
