//! Multiples of ristretto255's points by one secret scalar, eight points to a vector.
//!
//! The scalar's digits are the same in all lanes, from −8 to 7. For every digit, all eight entries of the points'
//! tables are read, and masks select one: no branch and no address depends on the scalar.

use subtle::{Choice, ConstantTimeEq};

use super::{
    Kernel, Lanes, WINDOWS,
    edwards::{Added, Extended, NEUTRAL_ADDEND},
    ristretto::Coordinates,
    run,
};

/// A scalar's digits to the base 16, the lowest first.
pub(crate) type Digits = [i8; 64];

/// The multiples of points by a scalar; `None` where the kernels do not run. Constant time in the scalar.
pub(crate) fn multiples(points: &[Coordinates], digits: &Digits) -> Option<Vec<Coordinates>> {
    run(Multiples { points, digits })
}

/// The digits of a scalar below `2^255`: from −8 to 7, the highest from 0 to 8. Constant time.
pub(crate) fn digits(scalar: &[u8; 32]) -> Digits {
    let mut digits = [0; 64];
    for (index, byte) in scalar.iter().enumerate() {
        digits[2 * index] = (byte & 15).cast_signed();
        digits[2 * index + 1] = (byte >> 4).cast_signed();
    }
    for index in 0..63 {
        let carry = (digits[index] + 8) >> 4;
        digits[index] -= carry << 4;
        digits[index + 1] += carry;
    }
    digits
}

/// See [`multiples`].
pub(super) struct Multiples<'a> {
    pub(super) points: &'a [Coordinates],
    pub(super) digits: &'a Digits,
}

impl Kernel for Multiples<'_> {
    type Output = Vec<Coordinates>;

    #[inline(always)]
    fn run<L: Lanes>(self) -> Self::Output {
        let mut multiples = Vec::with_capacity(self.points.len());
        for block in self.points.chunks(WINDOWS) {
            let mut points = [[[0; 5]; 4]; WINDOWS];
            points[..block.len()].copy_from_slice(block);
            let table = table(Extended::<L>::enter(&points));
            let mut sum = Extended::neutral();
            for &digit in self.digits.iter().rev() {
                sum = sum.double().double().double().double();
                sum = sum.add(&look_up(&table, digit), mask(is_negative(digit)));
            }
            multiples.extend_from_slice(&sum.coordinates()[..block.len()]);
        }
        multiples
    }
}

/// The points once, twice, … eight times.
#[inline(always)]
fn table<L: Lanes>(points: Extended<L>) -> [Added<L>; 8] {
    let once = points.added();
    let (mut table, mut multiple) = ([once; 8], points);
    for entry in &mut table[1..] {
        multiple = multiple.add(&once, 0);
        *entry = multiple.added();
    }
    table
}

/// The entry of a digit's magnitude; the neutral element for 0.
#[inline(always)]
fn look_up<L: Lanes>(table: &[Added<L>; 8], digit: i8) -> Added<L> {
    let sign = digit >> 7;
    let magnitude = (digit ^ sign) - sign;
    let mut found = Added::splat(&NEUTRAL_ADDEND);
    for (entry, number) in table.iter().zip(1..) {
        found = Added::select(mask(magnitude.ct_eq(&number)), entry, &found);
    }
    found
}

#[inline(always)]
fn is_negative(digit: i8) -> Choice {
    Choice::from(digit.cast_unsigned() >> 7)
}

/// All lanes, or none. A [`Choice`] hides from the compiler that there are only these two, so that it makes no branch.
#[inline(always)]
fn mask(choice: Choice) -> u8 {
    choice.unwrap_u8().wrapping_neg()
}
