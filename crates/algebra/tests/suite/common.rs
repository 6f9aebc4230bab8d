//! The five groups and what is not a point of each.

use algebra::{Bls12381G1, Bls12381G2, Bn254G1, Bn254G2, Group, PointError, Ristretto255, Scalar};
use ark_ec::{
    CurveConfig,
    short_weierstrass::{Affine, SWCurveConfig},
};
use ark_ff::{AdditiveGroup, BigInteger, Field, PrimeField, Zero};
use rand_chacha::{ChaCha20Rng, rand_core::SeedableRng};

pub(crate) const ENCODING: PointError = PointError::Encoding { index: 0 };
pub(crate) const LENGTH: PointError = PointError::Length { index: 0 };
pub(crate) const SUBGROUP: PointError = PointError::Subgroup { index: 0 };

/// Instantiates generic test functions for every group.
macro_rules! for_all_groups {
    ($($test:ident),+ $(,)?) => {
        for_all_groups!(@ ristretto255, algebra::Ristretto255, $($test),+);
        for_all_groups!(@ bls12_381_g1, algebra::Bls12381G1, $($test),+);
        for_all_groups!(@ bls12_381_g2, algebra::Bls12381G2, $($test),+);
        for_all_groups!(@ bn254_g1, algebra::Bn254G1, $($test),+);
        for_all_groups!(@ bn254_g2, algebra::Bn254G2, $($test),+);
    };
    (@ $module:ident, $group:ty, $($test:ident),+) => {
        mod $module {
            $(#[test]
            fn $test() {
                super::$test::<$group>();
            })+
        }
    };
}

pub(crate) fn rng(seed: u8) -> ChaCha20Rng {
    ChaCha20Rng::from_seed([seed; 32])
}

/// `count` points with scalars between them.
pub(crate) fn random_points<G: Group>(count: usize, seed: u8) -> Vec<G> {
    let scalars = G::Scalar::random_many(count, &mut rng(seed));
    scalars.iter().map(G::mul_generator).collect()
}

/// A group and byte strings that must not decode, with the reason.
pub(crate) trait Hostile: Group {
    /// Encodings of the full length.
    fn invalid_points() -> Vec<(Vec<u8>, PointError)>;

    /// The group order, little-endian.
    fn order() -> [u8; 32];
}

impl Hostile for Ristretto255 {
    fn invalid_points() -> Vec<(Vec<u8>, PointError)> {
        // p, p + 2, a negative element, 2^255, a non-square, and s = −1: see the known answers for
        // the whole list of RFC 9496.
        let mut p = [0xff; 32];
        (p[0], p[31]) = (0xed, 0x7f);
        let mut p_plus_2 = p;
        p_plus_2[0] = 0xef;
        let mut one = [0; 32];
        one[0] = 1;
        let mut top = [0; 32];
        top[31] = 0x80;
        let mut minus_one = p;
        minus_one[0] = 0xec;
        [p, p_plus_2, one, top, minus_one, [0xff; 32]]
            .map(|bytes| (bytes.to_vec(), ENCODING))
            .to_vec()
    }

    fn order() -> [u8; 32] {
        let minus_one = -Self::Scalar::one();
        add_one(Scalar::encode(&minus_one))
    }
}

macro_rules! hostile {
    ($group:ty, $config:ty, $zcash:expr) => {
        impl Hostile for $group {
            fn invalid_points() -> Vec<(Vec<u8>, PointError)> {
                invalid_weierstrass::<$config>($zcash)
            }

            fn order() -> [u8; 32] {
                let order = <$config as CurveConfig>::ScalarField::MODULUS.to_bytes_le();
                order.try_into().unwrap()
            }
        }
    };
}

hostile!(Bls12381G1, ark_bls12_381::g1::Config, true);
hostile!(Bls12381G2, ark_bls12_381::g2::Config, true);
hostile!(Bn254G1, ark_bn254::g1::Config, false);
hostile!(Bn254G2, ark_bn254::g2::Config, false);

/// One more, as a 32-byte little-endian integer.
pub(crate) fn add_one(mut bytes: [u8; 32]) -> [u8; 32] {
    for byte in &mut bytes {
        *byte = byte.wrapping_add(1);
        if *byte != 0 {
            break;
        }
    }
    bytes
}

fn invalid_weierstrass<P: SWCurveConfig>(zcash: bool) -> Vec<(Vec<u8>, PointError)> {
    let (always, infinity, larger) = if zcash { (0x80, 0x40, 0x20) } else { (0, 0x40, 0x80) };
    // `coefficients` of the x coordinate, little-endian and perhaps not reduced, into the format.
    let encode = |coefficients: &[Vec<u8>], flags: u8| {
        let mut bytes = coefficients.concat();
        *bytes.last_mut().unwrap() |= flags;
        if zcash {
            bytes.reverse();
        }
        bytes
    };
    let degree = P::BaseField::extension_degree() as usize;
    let coefficients = |x: &P::BaseField| -> Vec<Vec<u8>> {
        x.to_base_prime_field_elements().map(|c| c.into_bigint().to_bytes_le()).collect()
    };
    let small = |x: u64| P::BaseField::from(x);
    let on_curve = |x: &P::BaseField| Affine::<P>::get_point_from_x_unchecked(*x, false);
    let mut invalid = Vec::new();

    // Off the curve.
    let off_curve = (0..).map(small).filter(|x| on_curve(x).is_none()).take(3);
    invalid.extend(off_curve.map(|x| (encode(&coefficients(&x), always), ENCODING)));

    // Off the subgroup, unless the cofactor is one.
    let off_subgroup = (0..).map(small).take(50).filter(|x| {
        on_curve(x).is_some_and(|p| {
            !ark_ec::scalar_mul::double_and_add_affine(&p, P::ScalarField::MODULUS).is_zero()
        })
    });
    let off_subgroup: Vec<_> = off_subgroup.collect();
    assert_eq!(off_subgroup.is_empty(), P::cofactor_is_one());
    for x in off_subgroup.iter().take(3) {
        invalid.push((encode(&coefficients(x), always), SUBGROUP));
        invalid.push((encode(&coefficients(x), always | larger), SUBGROUP));
    }

    // A point whose x has a coefficient that is not reduced; p itself for zero.
    let point: Affine<P> = (0..).map(small).find_map(|x| on_curve(&x)).unwrap();
    let modulus = <P::BaseField as Field>::BasePrimeField::MODULUS;
    for index in 0..degree {
        let mut integers: Vec<_> =
            point.x.to_base_prime_field_elements().map(|c| c.into_bigint()).collect();
        integers[index].add_with_carry(&modulus);
        let bytes: Vec<_> = integers.iter().map(|i| i.to_bytes_le()).collect();
        invalid.push((encode(&bytes, always), ENCODING));
    }
    invalid.push((vec![0xff; degree * modulus.to_bytes_le().len()], ENCODING));

    // Infinity with anything else set.
    let zero = coefficients(&P::BaseField::ZERO);
    for index in 0..degree {
        for byte in [0, zero[0].len() / 2, zero[0].len() - 1] {
            let mut bytes = zero.clone();
            bytes[index][byte] |= 1;
            invalid.push((encode(&bytes, always | infinity), ENCODING));
        }
    }
    invalid.push((encode(&zero, always | infinity | larger), ENCODING));
    let generator = coefficients(&P::GENERATOR.x);
    invalid.push((encode(&generator, always | infinity), ENCODING));
    invalid.push((encode(&generator, always | infinity | larger), ENCODING));
    if zcash {
        // The flag of compressed points missing.
        for flags in [0, infinity, larger, infinity | larger] {
            invalid.push((encode(&zero, flags), ENCODING));
            invalid.push((encode(&generator, flags), ENCODING));
        }
    }
    invalid
}
