//! [`Group`] and [`Scalar`] for the pairing curves, once for all of them, on arkworks types.

use ark_ec::short_weierstrass::{Affine, Projective, SWCurveConfig};
use ark_ff::{AdditiveGroup, FftField, Field, Fp, Fp2, Fp2Config, MontBackend, MontConfig, Zero};
use rand_core::CryptoRng;
use zeroize::Zeroizing;

use crate::{
    AffineGroup, Domain, FftScalar, FixedBaseTable, Group, PointError, Scalar, ScalarError,
    compiled::Compiled,
    hash_to_curve::hash_to_curve,
    kernels::{
        self, Lattice, Membership,
        lanes::{
            self, LanesOf, PointOf, PrimeLanes, QuadraticLanes, RootField, Transform, Twiddles,
            WideLanes,
        },
    },
    point_format::{self, Format},
};

/// A field of coordinates.
pub trait Coordinate: Field {
    /// Eight elements at a time.
    type Lanes: RootField<Scalar = Self>;
}

impl<C: MontConfig<4>> Coordinate for Fp<MontBackend<C, 4>, 4> {
    type Lanes = PrimeLanes<C>;
}

impl<C: MontConfig<6>> Coordinate for Fp<MontBackend<C, 6>, 6> {
    type Lanes = WideLanes<C>;
}

impl<C: Fp2Config<Fp: Coordinate>> Coordinate for Fp2<C>
where
    QuadraticLanes<C, <C::Fp as Coordinate>::Lanes>: RootField<Scalar = Self>,
{
    type Lanes = QuadraticLanes<C, <C::Fp as Coordinate>::Lanes>;
}

/// What a curve adds to arkworks' description of it.
pub trait Curve: Compiled + SWCurveConfig<ScalarField: FftScalar, BaseField: Coordinate> {
    /// [`Group::NAME`].
    const NAME: &'static str;

    /// [`Group::ENCODED_LEN`].
    const ENCODED_LEN: usize;

    /// How flags and bytes are laid out.
    const FORMAT: Format;

    /// Separates this project's hashes to this group from all others (RFC 9380, section 3.1).
    const HASH_DOMAIN: &'static [u8];

    /// What [`Curve::endomorphism`] multiplies by, as a lattice.
    const LATTICE: Lattice;

    /// An endomorphism that is cheap and multiplies points of the subgroup by a constant.
    fn endomorphism(point: &Affine<Self>) -> Affine<Self>;

    /// That constant.
    fn eigenvalue() -> Self::ScalarField;

    /// Both `y` of a point with this `x`, the smaller first; `None` if there is none.
    fn ys_from_x(x: Self::BaseField) -> Option<(Self::BaseField, Self::BaseField)> {
        Affine::<Self>::get_ys_from_x_unchecked(x)
    }

    /// RFC 9380's `map_to_curve`.
    fn map_to_curve(element: Self::BaseField) -> Affine<Self>;

    /// RFC 9380's `clear_cofactor`.
    fn to_subgroup(point: &Affine<Self>) -> Affine<Self> {
        Self::clear_cofactor(point)
    }

    /// What tells the prime-order subgroup from the rest of the curve, if there is any.
    const MEMBERSHIP: Option<Membership> = None;

    /// Whether a point of the curve lies in the prime-order subgroup.
    fn is_in_subgroup(point: &Affine<Self>) -> bool {
        Self::is_in_correct_subgroup_assuming_on_curve(point)
    }

    /// Sums of lists of points; like all of these, `None` where the vector kernels do not run.
    fn sum_lists(sums: lanes::Sums<'_, LanesOf<Self>>) -> Option<Vec<PointOf<Self>>>;

    /// Points times scalars.
    fn scale(ladders: lanes::Ladders<'_, LanesOf<Self>>) -> Option<lanes::Scaled<LanesOf<Self>>>;

    /// Square roots, each but for its sign; of elements that have none, and of few others, something else.
    fn roots(elements: &[Self::BaseField]) -> Option<Vec<Self::BaseField>>;

    /// Brings points to the vector kernels' form, as many as there is room for.
    fn pack_into(points: &[Affine<Self>], out: &mut [PointOf<Self>]) -> Option<()>;

    /// Points in the vector kernels' form.
    fn pack(points: &[Affine<Self>]) -> Option<Vec<PointOf<Self>>> {
        let mut packed = vec![PointOf::<Self>::NEUTRAL; points.len()];
        Self::pack_into(points, &mut packed)?;
        Some(packed)
    }

    /// Points of the vector kernels' form.
    fn unpack(points: &[PointOf<Self>]) -> Option<Vec<Affine<Self>>>;

    /// [`Curve::endomorphism`] of every point there is room for.
    fn map_into(points: &[PointOf<Self>], out: &mut [PointOf<Self>]) -> Option<()>;

    /// [`Curve::endomorphism`] of every point.
    fn images(points: &[PointOf<Self>]) -> Option<Vec<PointOf<Self>>> {
        let mut images = vec![PointOf::<Self>::NEUTRAL; points.len()];
        Self::map_into(points, &mut images)?;
        Some(images)
    }

    /// The multiples of the generator, computed at the first use.
    fn generator_table() -> &'static FixedBaseTable<Projective<Self>>;
}

impl<P: Curve> Group for Projective<P> {
    type Scalar = P::ScalarField;
    type Precomputed = Affine<P>;

    const NAME: &'static str = P::NAME;
    const ENCODED_LEN: usize = P::ENCODED_LEN;

    fn identity() -> Self {
        Self::ZERO
    }

    fn generator() -> Self {
        P::GENERATOR.into()
    }

    fn is_identity(&self) -> bool {
        Zero::is_zero(self)
    }

    fn double(&self) -> Self {
        AdditiveGroup::double(self)
    }

    fn mul(&self, scalar: &P::ScalarField) -> Self {
        P::mul(self, scalar)
    }

    fn mul_generator(scalar: &P::ScalarField) -> Self {
        P::generator_table().mul(scalar)
    }

    fn msm(scalars: &[P::ScalarField], points: &[Self]) -> Self {
        P::msm_affine(scalars, &P::to_affine_all(points))
    }

    fn msm_short(scalars: &[u128], points: &[Self]) -> Self {
        P::msm_short_affine(scalars, &P::to_affine_all(points))
    }

    fn hash_to_group(label: &[u8]) -> Self {
        hash_to_curve::<P>(P::HASH_DOMAIN, label).into()
    }

    fn encode(&self) -> Vec<u8> {
        P::encode(self)
    }

    fn encode_all(points: &[Self]) -> Vec<u8> {
        P::encode_all(points)
    }

    fn decode(bytes: &[u8]) -> Result<Self, PointError> {
        let point = P::decode(bytes)?;
        if P::is_in_subgroup(&point) {
            Ok(point.into())
        } else {
            Err(PointError::Subgroup { index: 0 })
        }
    }

    fn decode_all(bytes: &[u8]) -> Result<Vec<Self>, PointError> {
        let (points, error) = P::decode_all(bytes);
        // An index before that of the error.
        if let Some(index) = P::first_outside(&points) {
            return Err(PointError::Subgroup { index });
        }
        error.map_or_else(|| Ok(points.into_iter().map(Into::into).collect()), Err)
    }

    fn decode_batch(
        bytes: &[u8],
        mut rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<Vec<Self>, PointError> {
        match P::decode_all(bytes) {
            (points, None) if P::all_in_subgroup(&points, &mut rng) => {
                Ok(points.into_iter().map(Into::into).collect())
            }
            // Names the lowest index, whatever is wrong with it.
            _ => Self::decode_all(bytes),
        }
    }

    fn precompute(points: &[Self]) -> Vec<Affine<P>> {
        P::to_affine_all(points)
    }

    fn add_precomputed(&self, point: &Affine<P>) -> Self {
        *self + point
    }

    fn sub_precomputed(&self, point: &Affine<P>) -> Self {
        *self - point
    }

    fn sums_in_lanes() -> bool {
        lanes::available()
    }

    fn sum_precomputed(points: &[Affine<P>], terms: &[u32], starts: &[u32]) -> Option<Vec<Self>> {
        let points = P::pack(points)?;
        let sums = lanes::Sums { first: &points, second: &[], terms, starts, secret: true };
        let sums = Zeroizing::new(P::sum_lists(sums)?);
        let unpacked = Zeroizing::new(P::unpack(&sums)?);
        Some(unpacked.iter().map(|&sum| sum.into()).collect())
    }
}

impl<P: Curve> AffineGroup for Projective<P> {
    type Affine = Affine<P>;
    type Msm = kernels::Stream<P>;

    fn to_affine_all(points: &[Self]) -> Vec<Affine<P>> {
        P::to_affine_all(points)
    }

    fn from_affine(point: &Affine<P>) -> Self {
        (*point).into()
    }

    fn msm_affine(scalars: &[P::ScalarField], points: &[Affine<P>]) -> Self {
        P::msm_affine(scalars, points)
    }

    fn msm_short_affine(scalars: &[u128], points: &[Affine<P>]) -> Self {
        P::msm_short_affine(scalars, points)
    }

    fn scale_each(points: &mut [Affine<P>], scalars: &[P::ScalarField]) {
        P::scale_each(points, scalars);
    }

    fn scale_all(points: &mut [Affine<P>], scalar: &P::ScalarField) {
        P::scale_all(points, scalar);
    }

    fn random_weights(count: usize, rng: &mut (impl CryptoRng + ?Sized)) -> Vec<P::ScalarField> {
        kernels::random_weights::<P>(count, rng)
    }

    fn fft(domain: &Domain<P::ScalarField>, points: &mut [Affine<P>]) {
        P::fft(domain, points);
    }

    fn ifft(domain: &Domain<P::ScalarField>, points: &mut [Affine<P>]) {
        P::ifft(domain, points);
    }

    fn check_subgroup_all(points: &[Affine<P>]) -> Result<(), PointError> {
        P::first_outside(points).map_or(Ok(()), |index| Err(PointError::Subgroup { index }))
    }

    fn check_subgroup_batch(
        points: &[Affine<P>],
        mut rng: &mut (impl CryptoRng + ?Sized),
    ) -> Result<(), PointError> {
        match P::all_in_subgroup(points, &mut rng) {
            true => Ok(()),
            false => Self::check_subgroup_all(points),
        }
    }
}

/// Marks the fields of integers modulo a group order, as opposed to the fields below the curves.
pub trait GroupOrder: MontConfig<4> {
    /// The integer, in little-endian limbs.
    fn to_limbs(element: &Fp<MontBackend<Self, 4>, 4>) -> [u64; 4];

    /// [`FftScalar::twiddles`].
    fn twiddles(
        powers: &[Fp<MontBackend<Self, 4>, 4>],
        size_inverse: &Fp<MontBackend<Self, 4>, 4>,
    ) -> Option<Twiddles<PrimeLanes<Self>>>;

    /// [`FftScalar::transform`].
    fn transform(
        twiddles: &Twiddles<PrimeLanes<Self>>,
        values: &mut [Fp<MontBackend<Self, 4>, 4>],
        transform: Transform,
    );
}

impl<C: GroupOrder> Scalar for Fp<MontBackend<C, 4>, 4> {
    fn zero() -> Self {
        Self::ZERO
    }

    fn one() -> Self {
        Self::ONE
    }

    fn from_u128(value: u128) -> Self {
        value.into()
    }

    fn from_wide(bytes: &[u8; 64]) -> Self {
        let two_to_128 = Self::from(u128::MAX) + Self::ONE;
        let (digits, _) = bytes.as_chunks::<16>();
        let digits = digits.iter().rev().map(|&digit| Self::from(u128::from_le_bytes(digit)));
        digits.fold(Self::ZERO, |sum, digit| sum * two_to_128 + digit)
    }

    fn invert(&self) -> Option<Self> {
        self.inverse()
    }

    fn encode(&self) -> [u8; 32] {
        let mut bytes = [0; 32];
        let (words, _) = bytes.as_chunks_mut::<8>();
        for (word, limb) in words.iter_mut().zip(C::to_limbs(self)) {
            *word = limb.to_le_bytes();
        }
        bytes
    }

    fn decode(bytes: &[u8; 32]) -> Result<Self, ScalarError> {
        point_format::field_from_le_bytes(bytes).ok_or(ScalarError { index: 0 })
    }
}

impl<C: GroupOrder> FftScalar for Fp<MontBackend<C, 4>, 4> {
    type Lanes = PrimeLanes<C>;

    const TWO_ADICITY: u32 = <Self as FftField>::TWO_ADICITY;

    fn two_adic_root() -> Self {
        Self::TWO_ADIC_ROOT_OF_UNITY
    }

    fn twiddles(powers: &[Self], size_inverse: &Self) -> Option<Twiddles<PrimeLanes<C>>> {
        C::twiddles(powers, size_inverse)
    }

    fn transform(twiddles: &Twiddles<PrimeLanes<C>>, values: &mut [Self], transform: Transform) {
        C::transform(twiddles, values, transform);
    }
}
