//! Numbers over F_p that are shown to be small by digits of four bits (nibbles), for a product of
//! sixteen factors each: `Π (d - i) = 0` for i in 0..16.
//!
//! The prover commits to all digits but the lowest, which is what the others leave of the number. If
//! each is a digit, so that no sum of them wraps around, the number has no more bits than they. No
//! correlation over F_2 is taken, nothing is cut and chosen, and the only assumption is that of
//! the commitments.

use crate::{
    error::VoleError,
    field::Fp,
    session::{Exchange, Session},
};

/// Bits of a digit.
pub(crate) const BITS: usize = 4;
/// The degree of the claim that a digit is one.
pub(crate) const MAX_DEGREE: usize = 1 << BITS;

/// Digits that a number of so many bits commits to.
pub(crate) fn committed(width: usize) -> usize {
    width.div_ceil(BITS).saturating_sub(1)
}

/// Bits that a number of so many bits takes from the prover to the verifier.
pub(super) fn bits_sent(width: usize) -> usize {
    8 * Fp::BYTES * committed(width)
}

/// Claims of digits, until the check proves them: for each width up to [`BITS`], those that have it.
pub struct Ranges<S: Session>([Vec<S::Linear<Fp>>; BITS]);

impl<S: Session> Default for Ranges<S> {
    fn default() -> Self {
        Self(Default::default())
    }
}

impl<S: Session> Ranges<S> {
    /// Claims that a value lies in `0..2^bits`, for at most [`BITS`] bits.
    fn push(&mut self, bits: usize, value: S::Linear<Fp>) {
        if let Some(values) = self.0.get_mut(bits.saturating_sub(1)) {
            values.push(value);
        }
    }

    /// For each bound `2^bits`, the values below it.
    pub(crate) fn bounded(&self) -> impl Iterator<Item = (u64, &[S::Linear<Fp>])> {
        (1..).map(|bits| 1 << bits).zip(self.0.iter().map(Vec::as_slice))
    }

    /// The degree of their proof over F_p, 0 if there are none.
    pub(crate) fn degree(&self) -> usize {
        let bounds = self.bounded().filter(|(_, values)| !values.is_empty());
        bounds.map(|(bound, _)| bound as usize).max().unwrap_or(0)
    }
}

/// Claims that values have no more than `width` bits, with the prover's numbers.
pub(super) fn prove<S: Exchange>(
    session: &mut S,
    width: usize,
    values: &[S::Linear<Fp>],
    numbers: Option<&[u64]>,
) -> Result<(), VoleError> {
    let higher = committed(width);
    let digits = |number: &u64| {
        let number = *number;
        (1..=higher).map(move |place| Fp::from(number >> (BITS * place) & (MAX_DEGREE as u64 - 1)))
    };
    let own = session.commit::<Fp>(higher * values.len(), || {
        // The verifier has no numbers, and is never asked.
        numbers.unwrap_or_default().iter().flat_map(digits).collect()
    })?;
    let mut own = own.into_iter();
    let mut ranges = std::mem::take(&mut session.state_mut().ranges);
    for value in values {
        let mut lowest = *value;
        for (place, digit) in (1..=higher).zip(own.by_ref()) {
            let weight = Fp::from(1u64 << (BITS * place));
            lowest = S::minus::<Fp>(&lowest, &S::scale::<Fp>(&digit, weight));
            ranges.push((width - BITS * place).min(BITS), digit);
        }
        ranges.push(width.min(BITS), lowest);
    }
    session.state_mut().ranges = ranges;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::convert::testing::{Script, both};

    /// A value, and the digits that a prover commits to beside it.
    struct Digits {
        width: usize,
        value: Fp,
        number: u64,
    }

    impl Script for Digits {
        fn run<S: Exchange>(&self, session: &mut S) -> Result<(), VoleError> {
            let values = session.commit::<Fp>(1, || vec![self.value])?;
            prove(session, self.width, &values, Some(&[self.number]))?;
            session.check().map(|_| ())
        }
    }

    fn is_accepted(width: usize, value: Fp, number: u64) -> bool {
        match both(&Digits { width, value, number }) {
            (Ok(()), Ok(())) => true,
            (Err(VoleError::Refused), Err(VoleError::Cheating { check: "claims" })) => false,
            other => panic!("{width} {number}: {other:?}"),
        }
    }

    /// Every width of the highest digit, both ends.
    #[test]
    fn numbers_of_the_width_are_accepted() {
        for width in [1, 4, 5, 11, 12, 60] {
            for number in [0, 1, (1 << width) - 1] {
                assert!(is_accepted(width, Fp::from(number), number), "{width} {number}");
            }
        }
    }

    /// One more than fits, one less than zero, and what wraps around: half of an odd number. Whatever
    /// the digits are, one of them is none.
    #[test]
    fn other_values_are_refused() {
        for width in [1, 4, 5, 11, 60] {
            let most = (1u64 << width) - 1;
            let half = Fp::from(2).inverse();
            for value in [Fp::from(most + 1), -Fp::from(1), half, Fp::from(Fp::MODULUS - 1)] {
                for number in [0, most, value.to_u64(), value.to_u64() & most] {
                    assert!(!is_accepted(width, value, number), "{width} {value:?} {number}");
                }
            }
        }
    }
}
