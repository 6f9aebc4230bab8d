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
/// Each wire stands in it once and with a factor that is not zero, in ascending order. (No `Debug`:
/// values are secret.)
#[derive(Clone)]
pub struct Linear<S> {
    terms: Vec<(Wire, S)>,
    value: S,
}

impl<S: Scalar> Linear<S> {
    /// A constant.
    pub fn constant(value: S) -> Self {
        Self::term(Wire::One, value, S::one())
    }

    /// Zero.
    pub fn zero() -> Self {
        Self { terms: Vec::new(), value: S::zero() }
    }

    /// One.
    pub fn one() -> Self {
        Self::constant(S::one())
    }

    /// A wire with its value.
    pub(super) fn wire(wire: Wire, value: S) -> Self {
        Self::term(wire, S::one(), value)
    }

    fn term(wire: Wire, factor: S, value: S) -> Self {
        let terms = if factor == S::zero() { Vec::new() } else { vec![(wire, factor)] };
        Self { terms, value: factor * value }
    }

    /// `Σ factor · combination`, sorted once however many there are.
    pub fn sum<'a>(parts: impl IntoIterator<Item = (S, &'a Self)>) -> Self {
        let (mut terms, mut value) = (Vec::new(), S::zero());
        for (factor, part) in parts {
            value += factor * part.value;
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
        Self { terms, value }
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
        let constant = self.terms.iter().all(|(wire, _)| *wire == Wire::One);
        constant.then_some(self.value)
    }

    /// The terms, in the order of the wires.
    pub fn terms(&self) -> &[(Wire, S)] {
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
        Self { terms, value: self.value + factor * other.value }
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
