//! Claims about the bits of numbers.

use std::ops::Range;

use crate::{
    error::{VoleError, limit},
    field::{Fp, Gf64},
    session::{MAX_CLAIMS, Session},
};

/// The bits of a number that is taken apart: 2^60 < p, so that no two integers stand for one value.
pub const MAX_WIDTH: usize = 60;

/// What a linear function of a number's bits is claimed to be.
pub struct Functional<S: Session> {
    /// The factor of each bit, the lowest bit first.
    pub coefficients: Vec<Fp>,
    /// One value for each number.
    pub values: Targets<S>,
}

/// The highest degree of a computed target, which is less than that of any generator's claims: a
/// coefficient beyond the degree of the proof would go unchecked.
pub(crate) const MAX_TARGET_DEGREE: usize = 2;

/// Values of functionals.
pub enum Targets<S: Session> {
    /// Inputs, or sums of them.
    Linear(Vec<S::Linear<Fp>>),
    /// Results of computations, sums of products of two inputs at most.
    Computed(Vec<S::Commitment<Fp>>),
}

impl<S: Session> Targets<S> {
    fn len(&self) -> usize {
        match self {
            Self::Linear(values) => values.len(),
            Self::Computed(values) => values.len(),
        }
    }
}

impl<S: Session> Functional<S> {
    /// The number itself, of so many bits.
    pub fn whole(width: usize, values: Targets<S>) -> Self {
        Self { coefficients: (0..width).map(|place| Fp::from(1u64 << place)).collect(), values }
    }

    /// The number without its lowest bits: `floor(x / 2^dropped)`.
    pub fn truncated(width: usize, dropped: usize, values: Targets<S>) -> Self {
        let coefficient = |place| match place < dropped {
            true => Fp::default(),
            false => Fp::from(1u64 << (place - dropped)),
        };
        Self { coefficients: (0..width).map(coefficient).collect(), values }
    }

    /// One bit.
    pub fn bit(width: usize, chosen: usize, values: Targets<S>) -> Self {
        let coefficient = |place| Fp::from(u64::from(place == chosen));
        Self { coefficients: (0..width).map(coefficient).collect(), values }
    }
}

/// Where the bits are.
pub enum Bits<S: Session> {
    /// Committed over F_2, or sums of such: the bits of the first number, lowest first, then those of
    /// the next.
    Committed(Vec<S::Linear<Gf64>>),
    /// Nowhere but in the prover's numbers; the verifier has `None`.
    Numbers(Option<Vec<u64>>),
}

/// Claims about the bits of numbers, all of the same width. That a number has no more bits than that
/// is part of the claim if one functional is [`Functional::whole`].
pub struct Decomposition<S: Session> {
    /// How many numbers.
    pub count: usize,
    /// Bits of each.
    pub width: usize,
    /// The bits.
    pub bits: Bits<S>,
    /// What is claimed.
    pub functionals: Vec<Functional<S>>,
}

impl<S: Session> Decomposition<S> {
    /// Values that are claimed to be spelled by committed bits.
    pub fn conversion(
        width: usize,
        values: Vec<S::Linear<Fp>>,
        bits: Vec<S::Linear<Gf64>>,
    ) -> Self {
        Self {
            count: values.len(),
            width,
            bits: Bits::Committed(bits),
            functionals: vec![Functional::whole(width, Targets::Linear(values))],
        }
    }

    pub(crate) fn outputs(&self) -> usize {
        self.count * self.width
    }

    pub(crate) fn computed(&self) -> impl Iterator<Item = &S::Commitment<Fp>> {
        self.functionals.iter().flat_map(|functional| match &functional.values {
            Targets::Linear(_) => &[],
            Targets::Computed(values) => values.as_slice(),
        })
    }

    pub(crate) fn over_both(&self) -> bool {
        matches!(self.bits, Bits::Committed(_))
    }

    /// # Errors
    /// [`VoleError::TooMany`] for bits beyond the field, or parts that do not fit together.
    pub(crate) fn validate(&self) -> Result<(), VoleError> {
        limit("bits of a number", self.width, MAX_WIDTH)?;
        limit("numbers to take apart", self.count, MAX_CLAIMS / MAX_WIDTH)?;
        let mut fits = match &self.bits {
            Bits::Committed(bits) => bits.len() == self.outputs(),
            Bits::Numbers(numbers) => {
                numbers.as_ref().is_none_or(|numbers| numbers.len() == self.count)
            }
        };
        for functional in &self.functionals {
            fits &= functional.coefficients.len() == self.width
                && functional.values.len() == self.count;
        }
        match fits {
            true => Ok(()),
            false => Err(VoleError::Shape { what: "decomposition" }),
        }
    }

    /// Splits the numbers from this one on off.
    pub(super) fn split_off(&mut self, at: usize) -> Self {
        let bits = match &mut self.bits {
            Bits::Committed(bits) => Bits::Committed(bits.split_off(at * self.width)),
            Bits::Numbers(numbers) => {
                Bits::Numbers(numbers.as_mut().map(|numbers| numbers.split_off(at)))
            }
        };
        let functionals = self.functionals.iter_mut().map(|functional| Functional {
            coefficients: functional.coefficients.clone(),
            values: match &mut functional.values {
                Targets::Linear(values) => Targets::Linear(values.split_off(at)),
                Targets::Computed(values) => Targets::Computed(values.split_off(at)),
            },
        });
        let functionals = functionals.collect();
        let count = std::mem::replace(&mut self.count, at) - at;
        Self { count, width: self.width, bits, functionals }
    }

    /// What some of a number's bits spell, at the prover.
    pub(crate) fn spelled(&self, number: usize, places: &Range<usize>) -> u64 {
        spell(places.clone().map(|place| self.bit(number * self.width + place) == 1))
    }

    /// A bit, at the prover.
    pub(crate) fn bit(&self, index: usize) -> u8 {
        match &self.bits {
            Bits::Committed(bits) => {
                bits.get(index).map_or(0, |bit| u8::from(S::peek::<Gf64>(bit)))
            }
            Bits::Numbers(numbers) => {
                // Only a prover asks, who has a number for each that is claimed.
                let numbers = numbers.as_deref().unwrap_or_default();
                let number = numbers.get(index / self.width).copied().unwrap_or_default();
                (number >> (index % self.width) & 1) as u8
            }
        }
    }
}

/// Bits as an integer, the lowest first.
pub(super) fn spell(bits: impl DoubleEndedIterator<Item = bool>) -> u64 {
    bits.rev().fold(0, |number, bit| number << 1 | u64::from(bit))
}
