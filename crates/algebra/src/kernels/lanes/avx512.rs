//! [`Lanes`] by AVX-512.
//!
//! # Safety
//! Every intrinsic here needs instructions that not every processor has. [`Avx512`] is private to this
//! module, and generic code gets it as its `L` from [`run`] alone, which asks the processor first:
//! hence no method of it is ever called where the instructions are missing. Apart from that the
//! intrinsics are functions of their arguments; those that load and store take references to arrays of
//! exactly the bytes that they move, and need no alignment.
#![allow(unsafe_code, reason = "AVX-512 intrinsics, behind a check of the processor")]

use std::arch::x86_64::*;

use super::{Apart, Kernel, LIMB, Lanes};

#[derive(Clone, Copy)]
struct Avx512(__m512i);

/// Runs a kernel by AVX-512; `None` if the processor does not have it.
pub(super) fn run<K: Kernel>(kernel: K) -> Option<K::Output> {
    let supported = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512ifma");
    // SAFETY: the processor has all that the function is compiled for.
    supported.then(|| unsafe { run_supported(kernel) })
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
fn run_supported<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<Avx512>()
}

#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512ifma")]
#[inline(never)]
fn run_apart<W: Apart<Avx512>>(work: W) -> W::Output {
    work.run()
}

/// An intrinsic's result.
macro_rules! vector {
    ($call:expr) => {{
        // SAFETY: see the module's documentation.
        Self(unsafe { $call })
    }};
}

impl Lanes for Avx512 {
    #[inline(always)]
    fn splat(value: u64) -> Self {
        vector!(_mm512_set1_epi64(value.cast_signed()))
    }

    #[inline(always)]
    fn load(lanes: &[u64; 8]) -> Self {
        vector!(_mm512_loadu_si512(lanes.as_ptr().cast()))
    }

    #[inline(always)]
    fn store(self) -> [u64; 8] {
        let mut lanes = [0; 8];
        // SAFETY: see the module's documentation.
        unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), self.0) };
        lanes
    }

    #[inline(always)]
    fn add(self, other: Self) -> Self {
        vector!(_mm512_add_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn sub(self, other: Self) -> Self {
        vector!(_mm512_sub_epi64(self.0, other.0))
    }

    #[inline(always)]
    fn and(self, other: Self) -> Self {
        vector!(_mm512_and_si512(self.0, other.0))
    }

    #[inline(always)]
    fn or(self, other: Self) -> Self {
        vector!(_mm512_or_si512(self.0, other.0))
    }

    #[inline(always)]
    fn shl(self, bits: u32) -> Self {
        vector!(_mm512_sllv_epi64(self.0, _mm512_set1_epi64(bits.into())))
    }

    #[inline(always)]
    fn shr(self, bits: u32) -> Self {
        vector!(_mm512_srlv_epi64(self.0, _mm512_set1_epi64(bits.into())))
    }

    #[inline(always)]
    fn carry(self) -> Self {
        vector!(_mm512_srai_epi64::<LIMB>(self.0))
    }

    #[inline(always)]
    fn madd_low(self, left: Self, right: Self) -> Self {
        vector!(_mm512_madd52lo_epu64(self.0, left.0, right.0))
    }

    #[inline(always)]
    fn madd_high(self, left: Self, right: Self) -> Self {
        vector!(_mm512_madd52hi_epu64(self.0, left.0, right.0))
    }

    #[inline(always)]
    fn equal(self, other: Self) -> u8 {
        // SAFETY: see the module's documentation.
        unsafe { _mm512_cmpeq_epi64_mask(self.0, other.0) }
    }

    #[inline(always)]
    fn negative(self) -> u8 {
        // SAFETY: see the module's documentation.
        unsafe { _mm512_movepi64_mask(self.0) }
    }

    #[inline(always)]
    fn select(mask: u8, yes: Self, no: Self) -> Self {
        vector!(_mm512_mask_blend_epi64(mask, no.0, yes.0))
    }

    #[inline(always)]
    fn pick(indices: Self, low: Self, high: Self) -> Self {
        vector!(_mm512_permutex2var_epi64(low.0, indices.0, high.0))
    }

    #[inline(always)]
    fn load_rows4(rows: [&[u64; 4]; 8]) -> [Self; 4] {
        // SAFETY: see the module's documentation.
        unsafe {
            let pair = |low: &[u64; 4], high: &[u64; 4]| {
                let low = _mm512_castsi256_si512(_mm256_loadu_si256(low.as_ptr().cast()));
                _mm512_inserti64x4::<1>(low, _mm256_loadu_si256(high.as_ptr().cast()))
            };
            let (t0, t1) = (pair(rows[0], rows[2]), pair(rows[1], rows[3]));
            let (t2, t3) = (pair(rows[4], rows[6]), pair(rows[5], rows[7]));
            // Words 0 and 2 of two rows each, then words 1 and 3.
            let (even0, even1) = (_mm512_unpacklo_epi64(t0, t1), _mm512_unpacklo_epi64(t2, t3));
            let (odd0, odd1) = (_mm512_unpackhi_epi64(t0, t1), _mm512_unpackhi_epi64(t2, t3));
            [
                Self(_mm512_shuffle_i64x2::<0b10_00_10_00>(even0, even1)),
                Self(_mm512_shuffle_i64x2::<0b10_00_10_00>(odd0, odd1)),
                Self(_mm512_shuffle_i64x2::<0b11_01_11_01>(even0, even1)),
                Self(_mm512_shuffle_i64x2::<0b11_01_11_01>(odd0, odd1)),
            ]
        }
    }

    #[inline(always)]
    fn store_rows4([w0, w1, w2, w3]: [Self; 4]) -> [[u64; 4]; 8] {
        let mut rows = [[0; 4]; 8];
        // SAFETY: see the module's documentation; a row's pointer is good for its four words.
        unsafe {
            // Two words of the even rows, and of the odd.
            let (even0, even1) =
                (_mm512_unpacklo_epi64(w0.0, w1.0), _mm512_unpacklo_epi64(w2.0, w3.0));
            let (odd0, odd1) =
                (_mm512_unpackhi_epi64(w0.0, w1.0), _mm512_unpackhi_epi64(w2.0, w3.0));
            let first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            let pairs = [
                (0, _mm512_permutex2var_epi64(even0, first, even1)),
                (4, _mm512_permutex2var_epi64(even0, second, even1)),
                (1, _mm512_permutex2var_epi64(odd0, first, odd1)),
                (5, _mm512_permutex2var_epi64(odd0, second, odd1)),
            ];
            for (row, pair) in pairs {
                let (low, high) =
                    (_mm512_castsi512_si256(pair), _mm512_extracti64x4_epi64::<1>(pair));
                _mm256_storeu_si256(rows[row].as_mut_ptr().cast(), low);
                _mm256_storeu_si256(rows[row + 2].as_mut_ptr().cast(), high);
            }
        }
        rows
    }

    #[inline(always)]
    fn transpose(rows: [Self; 8]) -> [Self; 8] {
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        // SAFETY: see the module's documentation.
        unsafe {
            // Words of two rows, of four, of eight.
            let low = |a: Self, b: Self| _mm512_unpacklo_epi64(a.0, b.0);
            let high = |a: Self, b: Self| _mm512_unpackhi_epi64(a.0, b.0);
            let (a0, a1, a2, a3) = (low(r0, r1), low(r2, r3), low(r4, r5), low(r6, r7));
            let (b0, b1, b2, b3) = (high(r0, r1), high(r2, r3), high(r4, r5), high(r6, r7));
            let four = |x, y| {
                (
                    _mm512_shuffle_i64x2::<0b10_00_10_00>(x, y),
                    _mm512_shuffle_i64x2::<0b11_01_11_01>(x, y),
                )
            };
            let ((c0, c2), (c4, c6)) = (four(a0, a1), four(a2, a3));
            let ((c1, c3), (c5, c7)) = (four(b0, b1), four(b2, b3));
            let ((d0, d4), (d2, d6)) = (four(c0, c4), four(c2, c6));
            let ((d1, d5), (d3, d7)) = (four(c1, c5), four(c3, c7));
            [Self(d0), Self(d1), Self(d2), Self(d3), Self(d4), Self(d5), Self(d6), Self(d7)]
        }
    }

    #[inline(always)]
    fn prefetch<T>(value: &T) {
        let start = std::ptr::from_ref(value).cast::<i8>();
        for offset in (0..size_of::<T>()).step_by(64) {
            // SAFETY: the offset is within the value; a prefetch changes nothing that a program sees.
            unsafe { _mm_prefetch::<_MM_HINT_T0>(start.add(offset)) };
        }
    }

    #[inline(always)]
    fn apart<W: Apart<Self>>(work: W) -> W::Output {
        // SAFETY: see the module's documentation.
        unsafe { run_apart(work) }
    }
}
