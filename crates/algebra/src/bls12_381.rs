//! G1 and G2 of BLS12-381, by `ark-bls12-381`.
//!
//! Its subgroup checks and cofactor clearing go by endomorphisms (ePrint 2021/1130, 2017/419).

use std::sync::LazyLock;

use ark_bls12_381::{Config, Fq, Fq2, Fr, FrConfig, G1Affine, G2Affine, g1, g2};
use ark_ec::{
    AffineRepr,
    bls12::Bls12Config,
    hashing::{curve_maps::wb::WBMap, map_to_curve_hasher::MapToCurve},
    scalar_mul::{double_and_add, double_and_add_affine, glv::GLVConfig},
    short_weierstrass::Projective,
};
use ark_ff::{BigInteger, Field, MontFp, PrimeField};

#[cfg(feature = "blst")]
use crate::kernels;
use crate::{
    FixedBaseTable, Group,
    kernels::{
        BasisVector, Lattice, Membership, Term,
        lanes::{self, curve_kernels, scalar_kernels},
    },
    point_format::Format,
    weierstrass::{Curve, GroupOrder},
};

/// A point of G1 of BLS12-381.
pub type Bls12381G1 = Projective<g1::Config>;
/// A point of G2 of BLS12-381.
pub type Bls12381G2 = Projective<g2::Config>;

/// `(1 + i)^((1 − p)/3)`, which twists `x` after a Frobenius.
const PSI_X: Fq2 = Fq2::new(
    MontFp!("0"),
    MontFp!(
        "4002409555221667392624310435006688643935503118305586438271171395842971157480381377015405980053539358417135540939437"
    ),
);

/// `(1 + i)^((1 − p)/2)`, which twists `y` after a Frobenius.
const PSI_Y: Fq2 = Fq2::new(
    MontFp!(
        "2973677408986561043442465346520108879172042883009249989176415018091420807192182638567116318576472649347015917690530"
    ),
    MontFp!(
        "1028732146235106349975324479215795277384839936929757896155643118032610843298655225875571310552543014690878354869257"
    ),
);

impl GroupOrder for FrConfig {
    scalar_kernels!();
}

/// [`Curve::ys_from_x`] with blst's square root.
#[cfg(feature = "blst")]
fn ys_by_blst<P: Curve>(
    x: P::BaseField,
    sqrt: fn(P::BaseField) -> Option<P::BaseField>,
) -> Option<(P::BaseField, P::BaseField)> {
    let y = sqrt(x.square() * x + P::COEFF_B)?;
    Some(if y < -y { (y, -y) } else { (-y, y) })
}

impl Curve for g1::Config {
    const NAME: &'static str = "BLS12-381 G1";
    const ENCODED_LEN: usize = 48;
    const FORMAT: Format = Format::ZCASH;
    const HASH_DOMAIN: &'static [u8] = b"SUBROSA-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_";

    const LATTICE: Lattice = Lattice {
        bits: 127,
        basis: &[
            BasisVector {
                coefficient: [
                    0x80d3_ad2e_49eb_700a,
                    0x58fd_b948_bdb3_fb8b,
                    0x5f1a_fb3c_7807_eab7,
                    0x0000_0000_0000_0000,
                ],
                negative: false,
                vector: [-111_293_556_768_288_885_398_521_030_471_374_077_952, 1, 0, 0],
            },
            BasisVector {
                coefficient: [
                    0x8d54_253b_7fb7_8ddf,
                    0x0000_0000_0000_0000,
                    0x0000_0000_0000_0000,
                    0x0000_0000_0000_0000,
                ],
                negative: false,
                vector: [1, 111_293_556_768_288_885_398_521_030_471_374_077_953, 0, 0],
            },
        ],
    };

    /// `(βx, y)`, β a cube root of unity: multiplication by a cube root of unity.
    fn endomorphism(point: &G1Affine) -> G1Affine {
        <Self as GLVConfig>::endomorphism_affine(point)
    }

    fn eigenvalue() -> Fr {
        <Self as GLVConfig>::LAMBDA
    }

    #[cfg(feature = "blst")]
    fn ys_from_x(x: Fq) -> Option<(Fq, Fq)> {
        ys_by_blst::<Self>(x, kernels::blst::sqrt_fp)
    }

    fn map_to_curve(element: Fq) -> G1Affine {
        WBMap::map_to_curve(element).expect("the map is total")
    }

    /// That of [`Curve::is_in_subgroup`].
    const MEMBERSHIP: Option<Membership> = Some(Membership {
        factor: Membership::word(Config::X) * Membership::word(Config::X),
        terms: &[Term::Point(1), Term::Multiple(0)],
    });

    /// `[x²]P = −φ(P)` (ePrint 2021/1130), without the decomposition of x that arkworks makes.
    fn is_in_subgroup(point: &G1Affine) -> bool {
        let multiple = double_and_add_affine(point, Config::X);
        double_and_add(&multiple, Config::X) == -<Self as Curve>::endomorphism(point).into_group()
    }

    curve_kernels!();

    fn generator_table() -> &'static FixedBaseTable<Bls12381G1> {
        static TABLE: LazyLock<FixedBaseTable<Bls12381G1>> =
            LazyLock::new(|| FixedBaseTable::new(&Group::generator()));
        &TABLE
    }
}

impl Curve for g2::Config {
    const NAME: &'static str = "BLS12-381 G2";
    const ENCODED_LEN: usize = 96;
    const FORMAT: Format = Format::ZCASH;
    const HASH_DOMAIN: &'static [u8] = b"SUBROSA-V01-CS01-with-BLS12381G2_XMD:SHA-256_SSWU_RO_";

    const LATTICE: Lattice = Lattice {
        bits: 63,
        basis: &[
            BasisVector {
                coefficient: [
                    0x3ddf_3de2_8a50_b910,
                    0x2481_e297_a15c_eca7,
                    0x4cf3_f303_4f9d_bb0a,
                    0x4e04_8132_95b3_55ad,
                ],
                negative: false,
                vector: [15_132_376_222_941_642_752, 1, 0, 0],
            },
            BasisVector {
                coefficient: [
                    0x80d3_ad2e_49eb_700a,
                    0x58fd_b948_bdb3_fb8b,
                    0x5f1a_fb3c_7807_eab7,
                    0x0000_0000_0000_0000,
                ],
                negative: true,
                vector: [0, 15_132_376_222_941_642_752, 1, 0],
            },
            BasisVector {
                coefficient: [
                    0xacbb_d9a8_8e2a_5d70,
                    0x73ef_93de_f400_9f6c,
                    0x0000_0000_0000_0000,
                    0x0000_0000_0000_0000,
                ],
                negative: false,
                vector: [0, 0, 15_132_376_222_941_642_752, 1],
            },
            BasisVector {
                coefficient: [
                    0x8d54_253b_7fb7_8ddf,
                    0x0000_0000_0000_0000,
                    0x0000_0000_0000_0000,
                    0x0000_0000_0000_0000,
                ],
                negative: false,
                vector: [1, 0, -1, -15_132_376_222_941_642_752],
            },
        ],
    };

    /// ψ: untwist, Frobenius, twist, which multiplies by the characteristic of the field.
    fn endomorphism(point: &G2Affine) -> G2Affine {
        let mut image = *point;
        image.x.frobenius_map_in_place(1);
        image.y.frobenius_map_in_place(1);
        image.x *= PSI_X;
        image.y *= PSI_Y;
        image
    }

    /// The characteristic of the field.
    fn eigenvalue() -> Fr {
        Fr::from_le_bytes_mod_order(&Fq::MODULUS.to_bytes_le())
    }

    #[cfg(feature = "blst")]
    fn ys_from_x(x: Fq2) -> Option<(Fq2, Fq2)> {
        ys_by_blst::<Self>(x, kernels::blst::sqrt_fp2)
    }

    /// `[x]P = ψ(P)` (ePrint 2021/1130), x being negative.
    const MEMBERSHIP: Option<Membership> = Some(Membership {
        factor: Membership::word(Config::X),
        terms: &[Term::Point(1), Term::Multiple(0)],
    });

    fn map_to_curve(element: Fq2) -> G2Affine {
        WBMap::map_to_curve(element).expect("the map is total")
    }

    curve_kernels!();

    fn generator_table() -> &'static FixedBaseTable<Bls12381G2> {
        static TABLE: LazyLock<FixedBaseTable<Bls12381G2>> =
            LazyLock::new(|| FixedBaseTable::new(&Group::generator()));
        &TABLE
    }
}

#[cfg(test)]
mod tests {
    use ark_ec::short_weierstrass::Affine;

    use super::*;

    /// Both roots in arkworks' order, and none where it finds none.
    fn roots_are_those_of_arkworks<P: Curve>(xs: impl Iterator<Item = P::BaseField>) {
        let mut found = [0, 0];
        for x in xs {
            let expected = Affine::<P>::get_ys_from_x_unchecked(x);
            assert_eq!(P::ys_from_x(x), expected);
            found[usize::from(expected.is_some())] += 1;
        }
        assert!(found.iter().all(|&count| count > 30), "{found:?}");
    }

    #[test]
    fn square_roots_are_those_of_arkworks() {
        roots_are_those_of_arkworks::<g1::Config>((0_u64..150).map(Fq::from));
        let xs = (0_u64..150).map(|x| Fq2::new(Fq::from(x / 2), -Fq::from(x % 7)));
        roots_are_those_of_arkworks::<g2::Config>(xs);
    }
}
