//! Functions that are generic over curves, compiled once for each curve.
//!
//! Every crate that calls a generic function compiles it anew, and so does each of its tests. The functions behind this
//! trait are compiled here, and other crates only call them.
//!
//! `Curve`, whose supertrait this is, and the functions behind this trait import each other: a trait and its kernels.

use ark_ec::{
    CurveGroup as _,
    short_weierstrass::{Affine, Projective, SWCurveConfig},
};
use rand_core::CryptoRng;

use crate::{
    Domain, FftScalar, PointError,
    curve_form::{self, PointForm},
    kernels::{self, Stream},
    point_format,
    weierstrass::Curve,
};

/// Functions of [`Group`](crate::Group), [`AffineGroup`](crate::AffineGroup), [`CurveGroup`](crate::CurveGroup) and
/// [`MsmStream`](crate::MsmStream) that are large, under their names there where nothing is said.
pub trait Compiled: SWCurveConfig<ScalarField: FftScalar> {
    fn mul(point: &Projective<Self>, scalar: &Self::ScalarField) -> Projective<Self>;

    fn to_affine_all(points: &[Projective<Self>]) -> Vec<Affine<Self>>;

    fn encode(point: &Projective<Self>) -> Vec<u8>;

    /// A point of the curve, wherever it lies there.
    fn decode(bytes: &[u8]) -> Result<Affine<Self>, PointError>;

    fn encode_all(points: &[Projective<Self>]) -> Vec<u8>;

    /// Points of the curve up to the first encoding that is of none, and what is wrong with that.
    fn decode_all(bytes: &[u8]) -> (Vec<Affine<Self>>, Option<PointError>);

    fn write_form(points: &[Affine<Self>], form: PointForm, out: &mut Vec<u8>);

    fn read_form(bytes: &[u8], form: PointForm) -> Result<Vec<Affine<Self>>, PointError>;

    /// The lowest index of a point outside of the prime-order subgroup.
    fn first_outside(points: &[Affine<Self>]) -> Option<usize>;

    /// Whether random sums of the points lie in the prime-order subgroup.
    fn all_in_subgroup(points: &[Affine<Self>], rng: &mut dyn CryptoRng) -> bool;

    fn msm_affine(scalars: &[Self::ScalarField], points: &[Affine<Self>]) -> Projective<Self>;

    fn msm_short_affine(scalars: &[u128], points: &[Affine<Self>]) -> Projective<Self>;

    fn push(msm: &mut Stream<Self>, scalars: &[Self::ScalarField], points: &[Affine<Self>])
    where
        Self: Curve;

    fn push_short(msm: &mut Stream<Self>, scalars: &[u128], points: &[Affine<Self>])
    where
        Self: Curve;

    fn finish(msm: Stream<Self>) -> Projective<Self>
    where
        Self: Curve;

    fn scale_each(points: &mut [Affine<Self>], scalars: &[Self::ScalarField]);

    fn scale_all(points: &mut [Affine<Self>], scalar: &Self::ScalarField);

    fn fft(domain: &Domain<Self::ScalarField>, points: &mut [Affine<Self>]);

    fn ifft(domain: &Domain<Self::ScalarField>, points: &mut [Affine<Self>]);
}

macro_rules! compile {
    ($curve:ty, $scalar:ty) => {
        impl Compiled for $curve {
            fn mul(point: &Projective<Self>, scalar: &$scalar) -> Projective<Self> {
                *point * scalar
            }

            fn to_affine_all(points: &[Projective<Self>]) -> Vec<Affine<Self>> {
                Projective::normalize_batch(points)
            }

            fn encode(point: &Projective<Self>) -> Vec<u8> {
                let mut bytes = Vec::with_capacity(<Self as Curve>::ENCODED_LEN);
                point_format::encode(&point.into_affine(), &mut bytes);
                bytes
            }

            fn decode(bytes: &[u8]) -> Result<Affine<Self>, PointError> {
                point_format::decode(bytes)
            }

            fn encode_all(points: &[Projective<Self>]) -> Vec<u8> {
                point_format::encode_all(points)
            }

            fn decode_all(bytes: &[u8]) -> (Vec<Affine<Self>>, Option<PointError>) {
                point_format::decode_all(bytes)
            }

            fn write_form(points: &[Affine<Self>], form: PointForm, out: &mut Vec<u8>) {
                points.iter().for_each(|point| curve_form::encode(point, form, out));
            }

            fn read_form(bytes: &[u8], form: PointForm) -> Result<Vec<Affine<Self>>, PointError> {
                curve_form::read(bytes, form)
            }

            fn first_outside(points: &[Affine<Self>]) -> Option<usize> {
                kernels::first_outside(points)
            }

            fn all_in_subgroup(points: &[Affine<Self>], rng: &mut dyn CryptoRng) -> bool {
                kernels::all_in_subgroup(points, rng)
            }

            fn msm_affine(scalars: &[$scalar], points: &[Affine<Self>]) -> Projective<Self> {
                kernels::msm(scalars, points)
            }

            fn msm_short_affine(scalars: &[u128], points: &[Affine<Self>]) -> Projective<Self> {
                kernels::msm_short(scalars, points)
            }

            fn push(msm: &mut Stream<Self>, scalars: &[$scalar], points: &[Affine<Self>]) {
                msm.add(scalars, points);
            }

            fn push_short(msm: &mut Stream<Self>, scalars: &[u128], points: &[Affine<Self>]) {
                msm.add_short(scalars, points);
            }

            fn finish(msm: Stream<Self>) -> Projective<Self> {
                msm.sum()
            }

            fn scale_each(points: &mut [Affine<Self>], scalars: &[$scalar]) {
                kernels::scale_each(points, scalars);
            }

            fn scale_all(points: &mut [Affine<Self>], scalar: &$scalar) {
                kernels::scale_all(points, scalar);
            }

            fn fft(domain: &Domain<$scalar>, points: &mut [Affine<Self>]) {
                kernels::group_fft(domain, points);
            }

            fn ifft(domain: &Domain<$scalar>, points: &mut [Affine<Self>]) {
                kernels::group_ifft(domain, points);
            }
        }
    };
}

compile!(ark_bn254::g1::Config, ark_bn254::Fr);
compile!(ark_bn254::g2::Config, ark_bn254::Fr);
compile!(ark_bls12_381::g1::Config, ark_bls12_381::Fr);
compile!(ark_bls12_381::g2::Config, ark_bls12_381::Fr);
