//! blst's operations, on one thread: its C interface, since the Rust one starts threads. The bench
//! `kernels` includes this file.
#![allow(unsafe_code, reason = "blst is called through its C interface")]

use std::{hint::black_box, ptr};

use blst::*;

/// A group of BLS12-381 in blst, with points and scalars loaded.
pub(crate) trait Rival: Default {
    /// Takes compressed points and little-endian scalars.
    fn load(self, points: &[u8], scalars: &[u8]) -> Self;
    /// The first `count` points by their scalars, in affine form.
    fn scale(&self, count: usize);
    /// The sum of the first `count` points.
    #[allow(dead_code, reason = "the bench `kernels` does without")]
    fn add(&self, count: usize);
    /// The sum of the first `count` points by the low bits of their scalars.
    fn msm(&self, count: usize, bits: usize);
}

macro_rules! rival {
    ($name:ident, $point:ident, $affine:ident, $len:expr, $uncompress:ident, $from_affine:ident,
     $mult:ident, $add:ident, $to_affine:ident, $scratch:ident, $pippenger:ident) => {
        #[derive(Default)]
        pub(crate) struct $name {
            pub(crate) points: Vec<$affine>,
            scalars: Vec<u8>,
        }

        impl Rival for $name {
            fn load(mut self, points: &[u8], scalars: &[u8]) -> Self {
                for bytes in points.chunks_exact($len) {
                    let mut point = $affine::default();
                    // SAFETY: blst reads the length of a compressed point.
                    let error = unsafe { $uncompress(&mut point, bytes.as_ptr()) };
                    assert_eq!(error, BLST_ERROR::BLST_SUCCESS);
                    self.points.push(point);
                }
                self.scalars = scalars.to_vec();
                self
            }

            fn scale(&self, count: usize) {
                let mut scaled = vec![$point::default(); count];
                let mut affine = vec![$affine::default(); count];
                let scalars = self.scalars.chunks_exact(32);
                for ((scaled, point), scalar) in scaled.iter_mut().zip(&self.points).zip(scalars) {
                    let mut projective = $point::default();
                    // SAFETY: references to values of the right types, and 32 bytes of scalar.
                    unsafe {
                        $from_affine(&mut projective, point);
                        $mult(scaled, &projective, scalar.as_ptr(), 255);
                    }
                }
                // SAFETY: a null after the first pointer means that the points are contiguous.
                unsafe {
                    $to_affine(affine.as_mut_ptr(), &[scaled.as_ptr(), ptr::null()][0], count)
                };
            }

            fn add(&self, count: usize) {
                let mut sum = $point::default();
                for point in &self.points[..count] {
                    // SAFETY: pointers to values of the right types; blst allows the result to be
                    // one of the terms.
                    unsafe { $add(&mut sum, &sum, point) };
                }
                black_box(sum);
            }

            fn msm(&self, count: usize, bits: usize) {
                let scalars: Vec<u8> = match bits {
                    255 => self.scalars[..32 * count].to_vec(),
                    _ => {
                        self.scalars.chunks(32).take(count).flat_map(|s| s[..16].to_vec()).collect()
                    }
                };
                let mut sum = $point::default();
                // SAFETY: the scratch is as long as blst says, and as above.
                unsafe {
                    let mut scratch = vec![0_u64; $scratch(count) / 8];
                    $pippenger(
                        &mut sum,
                        &[self.points.as_ptr(), ptr::null()][0],
                        count,
                        &[scalars.as_ptr(), ptr::null()][0],
                        bits,
                        scratch.as_mut_ptr(),
                    );
                }
            }
        }
    };
}

rival!(
    G1,
    blst_p1,
    blst_p1_affine,
    48,
    blst_p1_uncompress,
    blst_p1_from_affine,
    blst_p1_mult,
    blst_p1_add_or_double_affine,
    blst_p1s_to_affine,
    blst_p1s_mult_pippenger_scratch_sizeof,
    blst_p1s_mult_pippenger
);
rival!(
    G2,
    blst_p2,
    blst_p2_affine,
    96,
    blst_p2_uncompress,
    blst_p2_from_affine,
    blst_p2_mult,
    blst_p2_add_or_double_affine,
    blst_p2s_to_affine,
    blst_p2s_mult_pippenger_scratch_sizeof,
    blst_p2s_mult_pippenger
);

/// Pairs of points in blst.
pub(crate) struct Pairs {
    left: G1,
    right: G2,
}

impl Pairs {
    pub(crate) fn load(left: &[u8], right: &[u8]) -> Self {
        Self { left: G1::default().load(left, &[]), right: G2::default().load(right, &[]) }
    }

    pub(crate) fn multi_pairing(&self, count: usize) -> blst_fp12 {
        let (mut product, mut result) = (blst_fp12::default(), blst_fp12::default());
        // SAFETY: both lists have at least `count` points, contiguous.
        unsafe {
            blst_miller_loop_n(
                &mut product,
                &[self.right.points.as_ptr(), ptr::null()][0],
                &[self.left.points.as_ptr(), ptr::null()][0],
                count,
            );
            blst_final_exp(&mut result, &product);
        }
        result
    }
}
