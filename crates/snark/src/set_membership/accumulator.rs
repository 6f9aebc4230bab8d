//! Accumulators, and what proves that a prime is in one or not.

use std::collections::HashSet;

use algebra::Scalar as _;
use integer::Integer;
use rayon::prelude::*;

use super::{
    ElementKind, Error, Parameters,
    group::{Element, HiddenOrderGroup},
    params::Value,
};

/// Sets below this size are not split among threads.
const SPLIT_MIN: usize = 4;

/// `G_0^(Π e_i)` for the primes of a set, and of which kind its elements are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accumulator {
    pub(super) kind: ElementKind,
    pub(super) value: Element,
}

/// A set with its primes.
#[derive(Clone)]
pub struct ElementSet {
    kind: ElementKind,
    primes: Vec<Integer>,
}

/// `W` with `W^e = Acc`: the accumulator of all others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MembershipWitness(pub(super) Element);

/// `V` and `b` with `V^e · Acc^b = G_0`, which exist if and only if e is prime to all elements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AbsenceWitness {
    pub(super) power: Element,
    pub(super) cofactor: Integer,
}

impl ElementSet {
    /// The set of these values, on all threads. A hashed element takes 175 tests of primality, so
    /// values that are there twice are refused before any is hashed.
    ///
    /// # Errors
    /// [`Error::Element`] with the first value that is one before it, or else the first that has no
    /// prime.
    pub fn new(kind: ElementKind, values: &[Value]) -> Result<Self, Error> {
        let at =
            |index: usize| move |reason: Error| Error::Element { index, reason: Box::new(reason) };
        let mut seen = HashSet::with_capacity(values.len());
        if let Some(index) = values.iter().position(|value| !seen.insert(value.encode())) {
            return Err(at(index)(Error::Repeated));
        }
        let primes: Vec<_> = values.par_iter().map(|value| kind.prime(value)).collect();
        let primes = primes.into_iter().enumerate();
        let primes = primes.map(|(index, prime)| prime.map_err(at(index)));
        Ok(Self { kind, primes: primes.collect::<Result<_, _>>()? })
    }

    /// Elements.
    pub fn len(&self) -> usize {
        self.primes.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.primes.is_empty()
    }

    /// The accumulator: one power with an exponent of 252 bits an element.
    pub fn accumulate(&self, parameters: &Parameters) -> Accumulator {
        let value = parameters.group.pow(&parameters.start, &product(&self.primes));
        Accumulator { kind: self.kind, value }
    }

    /// The witness of element `index`, at the price of [`ElementSet::accumulate`]; `None` if there is
    /// no such element.
    pub fn witness(&self, parameters: &Parameters, index: usize) -> Option<MembershipWitness> {
        let (before, rest) = self.primes.split_at_checked(index)?;
        let (_, after) = rest.split_first()?;
        let others = product(before) * product(after);
        Some(MembershipWitness(parameters.group.pow(&parameters.start, &others)))
    }

    /// The witnesses of all elements in their order, by root factors (Sander, Ta-Shma, Yung, *Blind,
    /// auditable membership proofs*): the power for each half of a set is raised to the product of the
    /// other half, down to single elements. `n log₂ n` exponents of 252 bits, where one witness after
    /// the other takes `n²`.
    pub fn witnesses(&self, parameters: &Parameters) -> Vec<MembershipWitness> {
        root_factor(&parameters.group, parameters.start.clone(), &self.primes)
    }

    /// What proves that a value is not in the set.
    ///
    /// # Errors
    /// [`Error::HashedAbsence`]; [`Error::NotPrime`]; [`Error::Present`] if an element divides it.
    pub fn absence(&self, parameters: &Parameters, value: &Value) -> Result<AbsenceWitness, Error> {
        if self.kind == ElementKind::Hashed {
            return Err(Error::HashedAbsence);
        }
        let (_, integer) = super::circuit::ElementCircuit::of(self.kind, *value)?;
        let all = product(&self.primes);
        // b·all = 1 modulo e, so e divides 1 − b·all.
        let cofactor = all.invert_ref(&integer).map(Integer::from).ok_or(Error::Present)?;
        let rest = Integer::from(1) - Integer::from(&cofactor * &all);
        let exponent = rest.div_exact(&integer);
        Ok(AbsenceWitness { power: parameters.group.pow(&parameters.start, &exponent), cofactor })
    }
}

impl Accumulator {
    /// Of which kind its elements are.
    pub fn kind(&self) -> ElementKind {
        self.kind
    }

    /// The accumulator with one more element, without the others.
    ///
    /// # Errors
    /// Those of [`ElementKind::prime`]. That the value is not in the set already is for the caller to
    /// know.
    pub fn insert(&self, parameters: &Parameters, value: &Value) -> Result<Self, Error> {
        let prime = self.kind.prime(value)?;
        Ok(Self { kind: self.kind, value: parameters.group.pow(&self.value, &prime) })
    }
}

/// The product of all, by halves, so that factors have about the same length.
fn product(primes: &[Integer]) -> Integer {
    match primes {
        [] => Integer::from(1),
        [prime] => prime.clone(),
        _ => {
            let (left, right) = primes.split_at(primes.len() / 2);
            product(left) * product(right)
        }
    }
}

/// The powers of `base` to the product of all primes but each one.
fn root_factor(
    group: &HiddenOrderGroup,
    base: Element,
    primes: &[Integer],
) -> Vec<MembershipWitness> {
    if primes.len() <= 1 {
        return primes.iter().map(|_| MembershipWitness(base.clone())).collect();
    }
    let (left, right) = primes.split_at(primes.len() / 2);
    let half = |own: &[Integer], other: &[Integer]| {
        root_factor(group, group.pow(&base, &product(other)), own)
    };
    let (mut witnesses, rest) = match primes.len() < SPLIT_MIN {
        true => (half(left, right), half(right, left)),
        false => rayon::join(|| half(left, right), || half(right, left)),
    };
    witnesses.extend(rest);
    witnesses
}
