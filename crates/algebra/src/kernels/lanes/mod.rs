//! Eight field elements side by side, in the 52-bit multiply-add units of AVX-512.
//!
//! An element is cut into limbs of 52 bits, and limb i of eight elements makes one vector ([`Lanes`]).
//! Products are Montgomery's with `R = 2^(52 N)` for N limbs. Sums and differences are not reduced: a
//! value's type ([`Eight`]) says below which multiple of the modulus it is, and what may be multiplied
//! is checked when the code is compiled.
//!
//! Everything above [`Lanes`] is generic over it. The only other implementation is `Portable`, eight
//! integers in an array, with which the tests follow every step; without AVX-512 the kernels beside
//! this module do the work instead.
//!
//! [`run`] decides once: the processor must have the instructions, a few results must agree with
//! arkworks' ([`known_answers`]), and `SUBROSA_KERNELS` must not be `portable`.
//!
//! Variable time, like everything in [`kernels`](super), where points are added; products, sums and
//! differences of elements take the same time for all values.
#![allow(clippy::needless_range_loop, reason = "limbs and lanes go by their numbers")]

use std::sync::atomic::{AtomicU8, Ordering};

mod additions;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod buckets;
mod columns;
mod curve25519;
mod edwards;
mod eight;
mod fourier;
mod inversion;
mod jacobian;
mod known_answers;
mod limbs;
mod modulus;
mod multiples;
mod pairing;
mod points;
#[cfg(test)]
mod portable;
mod prime;
mod quadratic;
mod ristretto;
mod roots;
mod scaling;
mod script;
#[cfg(test)]
mod tests;
mod tower;
mod walk;

pub use additions::Sums;
pub(crate) use additions::{NEGATIVE, SECOND, sum_lists};
pub(crate) use buckets::Buckets;
pub(crate) use columns::{Columns, miller_loops};
pub(crate) use edwards::{Addend, WINDOWS, addends, list_sums, window_sums};
pub(crate) use eight::Eight;
pub use eight::{FourierField, LaneField, TowerField};
pub use fourier::{Transform, Twiddles};
pub(crate) use multiples::{digits, multiples};
pub(crate) use pairing::{
    Factors, Lines, coefficients, final_exponentiation, from_coefficients, miller_loop,
};
pub use points::{LanesOf, PointOf};
pub(crate) use points::{map_into, pack_into, unpack};
pub use prime::{PrimeLanes, WideLanes};
pub use quadratic::QuadraticLanes;
pub(crate) use ristretto::{Coordinates, decode as decode_ristretto, encode as encode_ristretto};
pub(crate) use roots::roots;
pub use roots::{QuarterField, RootField};
pub(crate) use scaling::scale;
pub use scaling::{Ladders, Scaled};
pub use script::{Plan, Register, Script};
pub use tower::{Coefficient, Nonresidue, Tower};
pub(crate) use walk::{Walk, walk};

/// Bits of a limb.
const LIMB: u32 = 52;
/// What a limb is at most.
const MASK: u64 = (1 << LIMB) - 1;

/// A vector of eight 64-bit integers. Arithmetic wraps.
pub trait Lanes: Copy + Send + Sync + 'static {
    /// The same integer in all lanes.
    fn splat(value: u64) -> Self;
    /// Lane by lane.
    fn load(lanes: &[u64; 8]) -> Self;
    /// Lane by lane.
    fn store(self) -> [u64; 8];
    /// The sum.
    fn add(self, other: Self) -> Self;
    /// The difference.
    fn sub(self, other: Self) -> Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise or.
    fn or(self, other: Self) -> Self;
    /// Shifts left by fewer than 64 bits.
    fn shl(self, bits: u32) -> Self;
    /// Shifts right by fewer than 64 bits.
    fn shr(self, bits: u32) -> Self;
    /// A limb's carry: what is above its 52 bits, with the sign.
    fn carry(self) -> Self;
    /// Adds the low 52 bits of the product of the low 52 bits of two.
    fn madd_low(self, left: Self, right: Self) -> Self;
    /// Adds the next 52 bits of that product.
    fn madd_high(self, left: Self, right: Self) -> Self;
    /// The lanes in which two are equal; bit l stands for lane l.
    fn equal(self, other: Self) -> u8;
    /// The lanes that are negative as two's complement.
    fn negative(self) -> u8;
    /// Lanes of `yes` where the mask has ones, of `no` elsewhere.
    fn select(mask: u8, yes: Self, no: Self) -> Self;
    /// Lane l is lane `indices[l]` of `low`, or from 8 on of `high`.
    fn pick(indices: Self, low: Self, high: Self) -> Self;
    /// Lane l of vector w is word w of row l.
    fn load_rows4(rows: [&[u64; 4]; 8]) -> [Self; 4];
    /// The rows of [`Lanes::load_rows4`].
    fn store_rows4(words: [Self; 4]) -> [[u64; 4]; 8];
    /// Lane l of vector w is lane w of vector l.
    fn transpose(rows: [Self; 8]) -> [Self; 8];
    /// Has the processor fetch a value to its cache meanwhile.
    fn prefetch<T>(value: &T);
    /// Does the work in a function of its own, which all callers share.
    fn apart<W: Apart<Self>>(work: W) -> W::Output;
}

/// Work so long that a call is little beside it, while the copies of it in every caller would be most of the code.
/// [`Apart::run`] must be `#[inline(always)]`, like a [`Kernel`]'s.
pub trait Apart<L> {
    /// What it makes.
    type Output;
    /// Does the work.
    fn run(self) -> Self::Output;
}

/// Work on lanes of any implementation. [`Kernel::run`] and all that it calls with lanes must be
/// `#[inline(always)]`, to be compiled for the instructions that the caller's are.
pub trait Kernel {
    /// What it makes.
    type Output;
    /// Does the work.
    fn run<L: Lanes>(self) -> Self::Output;
}

/// A curve's kernels, in functions without parameters: these are compiled in this crate, once, and not
/// wherever a generic function needs them.
macro_rules! curve_kernels {
    () => {
        fn sum_lists(
            sums: lanes::Sums<'_, lanes::LanesOf<Self>>,
        ) -> Option<Vec<lanes::PointOf<Self>>> {
            lanes::sum_lists(sums)
        }

        fn scale(
            ladders: lanes::Ladders<'_, lanes::LanesOf<Self>>,
        ) -> Option<lanes::Scaled<lanes::LanesOf<Self>>> {
            lanes::scale(ladders)
        }

        fn pack_into(
            points: &[ark_ec::short_weierstrass::Affine<Self>],
            out: &mut [lanes::PointOf<Self>],
        ) -> Option<()> {
            lanes::pack_into::<Self>(points, out)
        }

        fn unpack(
            points: &[lanes::PointOf<Self>],
        ) -> Option<Vec<ark_ec::short_weierstrass::Affine<Self>>> {
            lanes::unpack::<Self>(points)
        }

        fn roots(elements: &[Self::BaseField]) -> Option<Vec<Self::BaseField>> {
            lanes::roots::<lanes::LanesOf<Self>>(elements)
        }

        fn map_into(
            points: &[lanes::PointOf<Self>],
            out: &mut [lanes::PointOf<Self>],
        ) -> Option<()> {
            lanes::map_into::<Self>(points, out)
        }
    };
}
pub(crate) use curve_kernels;

/// A scalar field's kernels, likewise.
macro_rules! scalar_kernels {
    () => {
        fn to_limbs(element: &Fr) -> [u64; 4] {
            ark_ff::PrimeField::into_bigint(*element).0
        }

        fn twiddles(
            powers: &[Fr],
            size_inverse: &Fr,
        ) -> Option<lanes::Twiddles<lanes::PrimeLanes<Self>>> {
            lanes::Twiddles::new(powers, size_inverse)
        }

        fn transform(
            twiddles: &lanes::Twiddles<lanes::PrimeLanes<Self>>,
            values: &mut [Fr],
            transform: lanes::Transform,
        ) {
            twiddles.transform(values, transform);
        }
    };
}
pub(crate) use scalar_kernels;

/// What [`run`] does.
static CHOICE: AtomicU8 = AtomicU8::new(UNKNOWN);
const UNKNOWN: u8 = 0;
const VECTOR: u8 = 1;
const PORTABLE: u8 = 2;

/// Runs a kernel, or gives `None` where the portable code is to do the work.
#[inline]
pub(crate) fn run<K: Kernel>(kernel: K) -> Option<K::Output> {
    if available() { run_vector(kernel) } else { None }
}

/// Whether [`run`] runs kernels.
pub(crate) fn available() -> bool {
    match CHOICE.load(Ordering::Relaxed) {
        UNKNOWN => {
            let portable = std::env::var_os("SUBROSA_KERNELS").is_some_and(|v| v == "portable");
            let vector = !portable && known_answers::agree();
            CHOICE.store(if vector { VECTOR } else { PORTABLE }, Ordering::Relaxed);
            vector
        }
        choice => choice == VECTOR,
    }
}

/// Makes [`run`] run kernels, where [`available`] said that it may, or not: to measure both.
#[cfg(feature = "operations")]
pub(crate) fn choose(vector: bool) {
    CHOICE.store(if vector { VECTOR } else { PORTABLE }, Ordering::Relaxed);
}

#[cfg(target_arch = "x86_64")]
fn run_vector<K: Kernel>(kernel: K) -> Option<K::Output> {
    avx512::run(kernel)
}

#[cfg(not(target_arch = "x86_64"))]
fn run_vector<K: Kernel>(_: K) -> Option<K::Output> {
    None
}
