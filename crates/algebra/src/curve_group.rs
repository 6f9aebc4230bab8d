//! Groups of curve points as other tools see them: affine coordinates in foreign byte forms.

use std::fmt::Debug;

use ark_ec::{
    AffineRepr,
    short_weierstrass::{Affine as ArkAffine, Projective},
};

use crate::{
    AffineGroup, ChaChaSampler, Group, PointError,
    curve_form::{self, PointForm},
    hash_to_curve::hash_to_curve,
    montgomery::{FieldBelow, MontgomeryField},
    sampler::sample_point,
    weierstrass::Curve,
};

/// A prime-order group of points of a short Weierstrass curve.
///
/// [`Group::Precomputed`] is the affine form that files hold and kernels work on; [`Affine`] names
/// it.
pub trait CurveGroup:
    Group<Precomputed: Debug + Eq + Into<Self>> + AffineGroup<Affine = <Self as Group>::Precomputed>
{
    /// Bytes of one coordinate.
    const COORDINATE_LEN: usize;

    /// Bytes of a point in a form.
    fn form_len(form: PointForm) -> usize {
        form.point_len(Self::COORDINATE_LEN)
    }

    /// The neutral element in affine form.
    fn affine_identity() -> Self::Precomputed;

    /// The generator in affine form.
    fn affine_generator() -> Self::Precomputed;

    /// Whether an affine point is the neutral element.
    fn is_affine_identity(point: &Self::Precomputed) -> bool {
        *point == Self::affine_identity()
    }

    /// Appends points in a form.
    fn write_form(points: &[Self::Precomputed], form: PointForm, out: &mut Vec<u8>);

    /// Points of the curve from `bytes.len() / form_len(form)` encodings, on all threads. The
    /// subgroup is [`CurveGroup::check_subgroup`]'s business, so that it can be checked in bulk.
    ///
    /// # Errors
    /// [`PointError::Encoding`] with the lowest index that is not the canonical encoding of a point
    /// of the curve; [`PointError::Length`] if the last point is cut short.
    fn read_form(bytes: &[u8], form: PointForm) -> Result<Vec<Self::Precomputed>, PointError>;

    /// Requires that points of the curve lie in the prime-order subgroup.
    ///
    /// # Errors
    /// [`PointError::Subgroup`] with the lowest index outside.
    fn check_subgroup(points: &[Self::Precomputed]) -> Result<(), PointError>;

    /// RFC 9380's `hash_to_curve` in its random-oracle form with SHA-256, for protocols that name a
    /// domain of their own: a constant of at most 255 bytes.
    fn hash_to_curve(domain: &'static str, message: &[u8]) -> Self;

    /// A point as snarkjs and bellman draw it: try `x` until it is on the curve, then multiply by
    /// the cofactor.
    fn sample(sampler: &mut ChaChaSampler) -> Self;
}

/// The affine form of a group's points.
pub type Affine<G> = <G as Group>::Precomputed;

impl<P: Curve> CurveGroup for Projective<P>
where
    FieldBelow<P>: MontgomeryField,
{
    const COORDINATE_LEN: usize = curve_form::coordinate_len::<P>();

    fn affine_identity() -> ArkAffine<P> {
        ArkAffine::identity()
    }

    fn affine_generator() -> ArkAffine<P> {
        P::GENERATOR
    }

    fn is_affine_identity(point: &ArkAffine<P>) -> bool {
        point.is_zero()
    }

    fn write_form(points: &[ArkAffine<P>], form: PointForm, out: &mut Vec<u8>) {
        out.reserve(points.len() * Self::form_len(form));
        P::write_form(points, form, out);
    }

    fn read_form(bytes: &[u8], form: PointForm) -> Result<Vec<ArkAffine<P>>, PointError> {
        P::read_form(bytes, form)
    }

    fn hash_to_curve(domain: &'static str, message: &[u8]) -> Self {
        hash_to_curve::<P>(domain.as_bytes(), message).into()
    }

    fn check_subgroup(points: &[ArkAffine<P>]) -> Result<(), PointError> {
        match P::first_outside(points) {
            None => Ok(()),
            Some(index) => Err(PointError::Subgroup { index }),
        }
    }

    fn sample(sampler: &mut ChaChaSampler) -> Self {
        sample_point(sampler)
    }
}
