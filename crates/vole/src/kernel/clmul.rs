//! The product of two polynomials over F_2 of degree below 64. Constant time on every path.

#![expect(unsafe_code, reason = "calls an instruction after asking the processor for it")]

/// `a · b` without carries.
#[inline]
pub(crate) fn clmul(a: u64, b: u64) -> u128 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("pclmulqdq") {
        // SAFETY: `by_instruction` has no requirement but the feature that was just detected.
        return unsafe { by_instruction(a, b) };
    }
    portable(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "pclmulqdq")]
fn by_instruction(a: u64, b: u64) -> u128 {
    use std::arch::x86_64::{
        _mm_clmulepi64_si128, _mm_cvtsi64_si128, _mm_cvtsi128_si64, _mm_unpackhi_epi64,
    };
    let (a, b) = (_mm_cvtsi64_si128(a.cast_signed()), _mm_cvtsi64_si128(b.cast_signed()));
    let product = _mm_clmulepi64_si128::<0>(a, b);
    let low = _mm_cvtsi128_si64(product).cast_unsigned();
    let high = _mm_cvtsi128_si64(_mm_unpackhi_epi64(product, product)).cast_unsigned();
    u128::from(high) << 64 | u128::from(low)
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
