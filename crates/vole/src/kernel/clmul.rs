//! Products of polynomials over F_2 of degree below 64. Constant time on every path.

#![expect(unsafe_code, reason = "calls instructions after asking the processor for them")]

/// A way to multiply without carries. A kernel takes one, so that the whole of it is compiled for
/// the processor and no product is a call.
pub(crate) trait Clmul: Copy {
    /// `a · b` without carries.
    fn clmul(self, a: u64, b: u64) -> u128;
}

/// Work that multiplies often. Implementations mark `run` as `#[inline(always)]`.
pub(crate) trait Kernel {
    /// What it computes.
    type Output;

    /// Does the work.
    fn run<C: Clmul>(self, clmul: C) -> Self::Output;
}

/// Runs a kernel in the fastest way that the processor has.
#[inline]
pub(crate) fn dispatch<K: Kernel>(kernel: K) -> K::Output {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::is_x86_feature_detected as has;
        if has!("pclmulqdq") && has!("avx2") && has!("bmi2") {
            // SAFETY: `wide` has no requirement but the features that were just detected.
            return unsafe { x86::wide(kernel) };
        }
        if has!("pclmulqdq") {
            // SAFETY: as above.
            return unsafe { x86::narrow(kernel) };
        }
    }
    kernel.run(Portable)
}

/// `a · b` without carries.
#[inline]
pub(crate) fn clmul(a: u64, b: u64) -> u128 {
    struct One(u64, u64);

    impl Kernel for One {
        type Output = u128;

        #[inline(always)]
        fn run<C: Clmul>(self, clmul: C) -> u128 {
            clmul.clmul(self.0, self.1)
        }
    }

    dispatch(One(a, b))
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::{
        _mm_clmulepi64_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_unpackhi_epi64,
    };

    use super::{Clmul, Kernel};

    /// Exists only where the instruction does.
    #[derive(Clone, Copy)]
    struct Instruction(());

    impl Clmul for Instruction {
        #[inline(always)]
        fn clmul(self, a: u64, b: u64) -> u128 {
            let (a, b) = (a.cast_signed(), b.cast_signed());
            // SAFETY: only `wide` and `narrow` make an `Instruction`, and they have the feature.
            let (low, high) = unsafe {
                let product = _mm_clmulepi64_si128::<0>(_mm_cvtsi64_si128(a), _mm_cvtsi64_si128(b));
                let high = _mm_unpackhi_epi64(product, product);
                (_mm_cvtsi128_si64(product), _mm_cvtsi128_si64(high))
            };
            u128::from(high.cast_unsigned()) << 64 | u128::from(low.cast_unsigned())
        }
    }

    #[target_feature(enable = "pclmulqdq,avx2,bmi1,bmi2")]
    pub(super) fn wide<K: Kernel>(kernel: K) -> K::Output {
        kernel.run(Instruction(()))
    }

    #[target_feature(enable = "pclmulqdq")]
    pub(super) fn narrow<K: Kernel>(kernel: K) -> K::Output {
        kernel.run(Instruction(()))
    }
}

#[derive(Clone, Copy)]
struct Portable;

impl Clmul for Portable {
    #[inline(always)]
    fn clmul(self, a: u64, b: u64) -> u128 {
        portable(a, b)
    }
}

fn portable(a: u64, b: u64) -> u128 {
    let high = low_half(a.reverse_bits(), b.reverse_bits()).reverse_bits() >> 1;
    u128::from(high) << 64 | u128::from(low_half(a, b))
}

/// The low 64 coefficients, by integer products of numbers that have one bit in four: at most 15
/// terms meet in a place below the highest, so that no carry reaches the next place.
fn low_half(a: u64, b: u64) -> u64 {
    const MASKS: [u64; 4] = [
        0x1111_1111_1111_1111,
        0x2222_2222_2222_2222,
        0x4444_4444_4444_4444,
        0x8888_8888_8888_8888,
    ];
    let [a0, a1, a2, a3] = MASKS.map(|mask| a & mask);
    let [b0, b1, b2, b3] = MASKS.map(|mask| b & mask);
    let sum =
        |terms: [(u64, u64); 4]| terms.into_iter().fold(0, |sum, (x, y)| sum ^ x.wrapping_mul(y));
    let sums = [
        sum([(a0, b0), (a1, b3), (a2, b2), (a3, b1)]),
        sum([(a0, b1), (a1, b0), (a2, b3), (a3, b2)]),
        sum([(a0, b2), (a1, b1), (a2, b0), (a3, b3)]),
        sum([(a0, b3), (a1, b2), (a2, b1), (a3, b0)]),
    ];
    sums.into_iter().zip(MASKS).fold(0, |low, (sum, mask)| low | sum & mask)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn by_definition(a: u64, b: u64) -> u128 {
        (0..64).filter(|i| b >> i & 1 == 1).fold(0, |sum, i| sum ^ u128::from(a) << i)
    }

    #[test]
    fn extremes() {
        for (a, b) in [(0, 0), (u64::MAX, u64::MAX), (1 << 63, 1 << 63), (1, u64::MAX)] {
            assert_eq!(portable(a, b), by_definition(a, b));
            assert_eq!(clmul(a, b), by_definition(a, b));
        }
    }

    proptest! {
        #[test]
        fn every_path_agrees(a: u64, b: u64) {
            prop_assert_eq!(portable(a, b), by_definition(a, b));
            prop_assert_eq!(clmul(a, b), by_definition(a, b));
        }
    }
}
