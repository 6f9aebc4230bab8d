//! BLS12-381's pairing and square roots by blst, whose assembly and addition chain take about 0.6 of
//! the time of the portable code.
//!
//! Both libraries keep field elements as six little-endian limbs in Montgomery form with
//! R = 2^384, and build Fp12 as `Fp2[v][w]` with `v³ = 1 + i` and `w² = v`, so that limbs are copied
//! as they are; both final exponentiations raise to three times the least exponent.
#![allow(unsafe_code, reason = "blst is called through its C interface")]

use std::ptr;

use ark_bls12_381::{Fq, Fq2, Fq6, Fq12, G1Affine, G2Affine};
use ark_ec::AffineRepr;
use ark_ff::{BigInt, Field};
use blst::{
    blst_final_exp, blst_fp, blst_fp_sqrt, blst_fp2, blst_fp2_sqrt, blst_fp6, blst_fp12,
    blst_miller_loop_n, blst_p1_affine, blst_p2_affine,
};
use rayon::prelude::*;

/// Pairs that one thread takes, at the least.
const CHUNK_MIN: usize = 4;

/// The product of the pairs' Miller loops.
pub(crate) fn miller_loop(left: &[G1Affine], right: &[G2Affine]) -> Fq12 {
    // blst wants no neutral points, which leave the product as it is.
    let (left, right): (Vec<_>, Vec<_>) = left
        .iter()
        .zip(right)
        .filter(|(left, right)| !left.is_zero() && !right.is_zero())
        .map(|(left, right)| {
            let left = blst_p1_affine { x: to_fp(left.x), y: to_fp(left.y) };
            (left, blst_p2_affine { x: to_fp2(right.x), y: to_fp2(right.y) })
        })
        .unzip();
    let chunk = left.len().div_ceil(rayon::current_num_threads()).max(CHUNK_MIN);
    let products = left.par_chunks(chunk).zip(right.par_chunks(chunk)).map(|(left, right)| {
        let mut product = blst_fp12::default();
        let lefts = [left.as_ptr(), ptr::null()];
        let rights = [right.as_ptr(), ptr::null()];
        // SAFETY: a null pointer after the first one means that the points are contiguous; both
        // slices have `left.len()` of them, at least one, and outlive the call, which only reads
        // them.
        unsafe {
            blst_miller_loop_n(&mut product, rights.as_ptr(), lefts.as_ptr(), left.len());
        }
        from_fp12(&product)
    });
    products.reduce(|| Fq12::ONE, |left, right| left * right)
}

pub(crate) fn final_exponentiation(product: Fq12) -> Fq12 {
    let product = to_fp12(product);
    let mut result = blst_fp12::default();
    // SAFETY: both pointers are to values of this frame.
    unsafe { blst_final_exp(&mut result, &product) };
    from_fp12(&result)
}

/// A square root, if there is one.
pub(crate) fn sqrt_fp(element: Fq) -> Option<Fq> {
    let mut root = blst_fp::default();
    // SAFETY: both pointers are to values of this frame.
    let is_square = unsafe { blst_fp_sqrt(&mut root, &to_fp(element)) };
    is_square.then(|| from_fp(root))
}

/// A square root, if there is one.
pub(crate) fn sqrt_fp2(element: Fq2) -> Option<Fq2> {
    let mut root = blst_fp2::default();
    // SAFETY: both pointers are to values of this frame.
    let is_square = unsafe { blst_fp2_sqrt(&mut root, &to_fp2(element)) };
    is_square.then(|| from_fp2(root))
}

fn from_fp(element: blst_fp) -> Fq {
    Fq::new_unchecked(BigInt(element.l))
}

fn from_fp2(element: blst_fp2) -> Fq2 {
    let [c0, c1] = element.fp;
    Fq2::new(from_fp(c0), from_fp(c1))
}

fn to_fp(element: Fq) -> blst_fp {
    blst_fp { l: element.0.0 }
}

fn to_fp2(element: Fq2) -> blst_fp2 {
    blst_fp2 { fp: [to_fp(element.c0), to_fp(element.c1)] }
}

fn to_fp12(element: Fq12) -> blst_fp12 {
    let to_fp6 = |e: Fq6| blst_fp6 { fp2: [to_fp2(e.c0), to_fp2(e.c1), to_fp2(e.c2)] };
    blst_fp12 { fp6: [to_fp6(element.c0), to_fp6(element.c1)] }
}

fn from_fp12(element: &blst_fp12) -> Fq12 {
    let fp6 = |e: blst_fp6| {
        let [c0, c1, c2] = e.fp2.map(from_fp2);
        Fq6::new(c0, c1, c2)
    };
    Fq12::new(fp6(element.fp6[0]), fp6(element.fp6[1]))
}
