//! G1 and G2 of BN254, by `ark-bn254`.
//!
//! Hashing follows the suites `BN254G1_XMD:SHA-256_SVDW_RO_` and `BN254G2_XMD:SHA-256_SVDW_RO_`
//! of gnark-crypto: RFC 9380 with the Shallue-van de Woestijne map, `Z = 1`.

use std::sync::LazyLock;

use ark_bn254::{Config, Fq, Fq2, Fr, FrConfig, G1Affine, G2Affine, g1, g2};
use ark_ec::{
    AffineRepr,
    bn::BnConfig,
    scalar_mul::{double_and_add_affine, glv::GLVConfig},
    short_weierstrass::Projective,
};
use ark_ff::{BigInteger, Field, PrimeField};

use crate::{
    FixedBaseTable, Group,
    hash_to_curve::ShallueWoestijne,
    kernels::{
        BasisVector, Lattice, Membership, Term,
        lanes::{self, curve_kernels, scalar_kernels},
    },
    point_format::Format,
    weierstrass::{Curve, GroupOrder},
};

/// A point of G1 of BN254.
pub type Bn254G1 = Projective<g1::Config>;
/// A point of G2 of BN254.
pub type Bn254G2 = Projective<g2::Config>;

impl GroupOrder for FrConfig {
    scalar_kernels!();
}

impl Curve for g1::Config {
    const NAME: &'static str = "BN254 G1";
    const ENCODED_LEN: usize = 32;
    const FORMAT: Format = Format::ARKWORKS;
    const HASH_DOMAIN: &'static [u8] = b"SUBROSA-V01-CS01-with-BN254G1_XMD:SHA-256_SVDW_RO_";

    const LATTICE: Lattice = Lattice {
        bits: 126,
        basis: &[
            BasisVector {
                coefficient: [
                    0x4527_5503_f579_2573,
                    0x94e6_3f40_c03f_d959,
                    0x9333_bc05_29dc_f4b4,
                    0x0000_0000_0000_0000,
                ],
                negative: true,
                vector: [
                    -147_946_756_881_789_319_000_765_030_803_803_410_728,
                    9_931_322_734_385_697_763,
                    0,
                    0,
                ],
            },
            BasisVector {
                coefficient: [
                    0xdbae_71c5_1dce_9bbd,
                    0xb647_48cb_b1f8_2cf5,
                    0x0000_0000_0000_0000,
                    0x0000_0000_0000_0000,
                ],
                negative: true,
                vector: [
                    -9_931_322_734_385_697_763,
                    -147_946_756_881_789_319_010_696_353_538_189_108_491,
                    0,
                    0,
                ],
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

    fn map_to_curve(element: Fq) -> G1Affine {
        static MAP: LazyLock<ShallueWoestijne<g1::Config>> =
            LazyLock::new(|| ShallueWoestijne::new(Fq::ONE));
        MAP.map(element)
    }

    curve_kernels!();

    fn generator_table() -> &'static FixedBaseTable<Bn254G1> {
        static TABLE: LazyLock<FixedBaseTable<Bn254G1>> =
            LazyLock::new(|| FixedBaseTable::new(&Group::generator()));
        &TABLE
    }
}

impl Curve for g2::Config {
    const NAME: &'static str = "BN254 G2";
    const ENCODED_LEN: usize = 64;
    const FORMAT: Format = Format::ARKWORKS;
    const HASH_DOMAIN: &'static [u8] = b"SUBROSA-V01-CS01-with-BN254G2_XMD:SHA-256_SVDW_RO_";

    const LATTICE: Lattice = Lattice {
        bits: 64,
        basis: &[
            BasisVector {
                coefficient: [
                    0x5f47_ffcb_9738_638a,
                    0x91bd_2f6a_6575_46ec,
                    0xc239_7699_bf1c_612b,
                    0x27a0_0c62_ac36_4ae4,
                ],
                negative: false,
                vector: [
                    9_931_322_734_385_697_762,
                    4_965_661_367_192_848_882,
                    -4_965_661_367_192_848_881,
                    4_965_661_367_192_848_881,
                ],
            },
            BasisVector {
                coefficient: [
                    0x0d4f_3328_3956_31cf,
                    0xcb7f_ca45_4cb9_09ca,
                    0x556d_329e_e8f9_55df,
                    0x27a0_0c62_ac36_4ae5,
                ],
                negative: true,
                vector: [
                    -4_965_661_367_192_848_881,
                    4_965_661_367_192_848_881,
                    -4_965_661_367_192_848_881,
                    -9_931_322_734_385_697_763,
                ],
            },
            BasisVector {
                coefficient: [
                    0xe8fd_a4ed_5724_cd8c,
                    0x81c7_1310_feb1_36bf,
                    0x556d_329e_e8f9_55e0,
                    0x27a0_0c62_ac36_4ae5,
                ],
                negative: false,
                vector: [
                    4_965_661_367_192_848_882,
                    4_965_661_367_192_848_881,
                    4_965_661_367_192_848_881,
                    -9_931_322_734_385_697_762,
                ],
            },
            BasisVector {
                coefficient: [
                    0xc8c0_e30a_6ee2_ed40,
                    0x705c_25df_73bc_f34f,
                    0x556d_329e_e8f9_55df,
                    0x27a0_0c62_ac36_4ae5,
                ],
                negative: false,
                vector: [
                    9_931_322_734_385_697_763,
                    -4_965_661_367_192_848_881,
                    -4_965_661_367_192_848_882,
                    -4_965_661_367_192_848_881,
                ],
            },
        ],
    };

    /// ψ on affine coordinates.
    fn endomorphism(point: &G2Affine) -> G2Affine {
        let mut image = *point;
        image.x.frobenius_map_in_place(1);
        image.y.frobenius_map_in_place(1);
        image.x *= Config::TWIST_MUL_BY_Q_X;
        image.y *= Config::TWIST_MUL_BY_Q_Y;
        image
    }

    /// The characteristic of the field.
    fn eigenvalue() -> Fr {
        Fr::from_le_bytes_mod_order(&Fq::MODULUS.to_bytes_le())
    }

    fn map_to_curve(element: Fq2) -> G2Affine {
        static MAP: LazyLock<ShallueWoestijne<g2::Config>> =
            LazyLock::new(|| ShallueWoestijne::new(Fq2::ONE));
        MAP.map(element)
    }

    /// `[x]P + ψ([3x]P) + ψ²([x]P) + ψ³(P)` (Fuentes-Castañeda, Knapp, Rodríguez-Henríquez, 2011).
    fn to_subgroup(point: &G2Affine) -> G2Affine {
        let multiple = double_and_add_affine(point, Config::X);
        let inner = psi(multiple + psi(point.into_group()));
        (multiple + psi(Group::double(&multiple) + multiple + inner)).into()
    }

    /// That of [`Curve::is_in_subgroup`].
    const MEMBERSHIP: Option<Membership> = Some(Membership {
        factor: Membership::word(Config::X),
        terms: &[
            Term::Point(0),
            Term::Multiple(0),
            Term::Multiple(1),
            Term::Multiple(2),
            Term::MinusMultiple(3),
            Term::MinusMultiple(3),
        ],
    });

    /// `[x + 1]P + ψ([x]P) + ψ²([x]P) = ψ³([2x]P)` (ePrint 2022/348): half the doublings of
    /// arkworks' `[6x²]P = ψ(P)`.
    fn is_in_subgroup(point: &G2Affine) -> bool {
        let multiple = double_and_add_affine(point, Config::X);
        let right = psi(psi(psi(Group::double(&multiple))));
        multiple + point + psi(multiple + psi(multiple)) == right
    }

    curve_kernels!();

    fn generator_table() -> &'static FixedBaseTable<Bn254G2> {
        static TABLE: LazyLock<FixedBaseTable<Bn254G2>> =
            LazyLock::new(|| FixedBaseTable::new(&Group::generator()));
        &TABLE
    }
}

/// ψ: untwist, Frobenius, twist. On the subgroup it multiplies by the characteristic of the field.
fn psi(mut point: Bn254G2) -> Bn254G2 {
    point.x.frobenius_map_in_place(1);
    point.y.frobenius_map_in_place(1);
    point.z.frobenius_map_in_place(1);
    point.x *= Config::TWIST_MUL_BY_Q_X;
    point.y *= Config::TWIST_MUL_BY_Q_Y;
    point
}

#[cfg(test)]
mod tests {
    use ark_ec::CurveGroup;

    use super::*;

    /// Points of the curve over Fq2, hardly ever in the subgroup.
    fn curve_points() -> impl Iterator<Item = G2Affine> {
        (0_u64..).filter_map(|x| G2Affine::get_point_from_x_unchecked(Fq2::from(x), x % 3 == 0))
    }

    fn is_in_subgroup_by_order(point: &G2Affine) -> bool {
        double_and_add_affine(point, ark_bn254::Fr::MODULUS).is_identity()
    }

    #[test]
    fn subgroup_check_agrees_with_multiplication_by_the_order() {
        for point in curve_points().take(20) {
            assert!(!is_in_subgroup_by_order(&point));
            assert!(!g2::Config::is_in_subgroup(&point));
            // Of cofactor order: what the subgroup part leaves.
            let torsion = double_and_add_affine(&point, ark_bn254::Fr::MODULUS).into();
            assert!(!g2::Config::is_in_subgroup(&torsion));

            let cleared = g2::Config::to_subgroup(&point);
            assert!(is_in_subgroup_by_order(&cleared) && !cleared.is_zero());
            assert!(g2::Config::is_in_subgroup(&cleared));
            assert!(!g2::Config::is_in_subgroup(&(cleared + torsion).into()));
        }
        assert!(g2::Config::is_in_subgroup(&G2Affine::identity()));
    }

    /// The cofactor is `10069 · 5864401 · …`: points of its small orders are where a check by
    /// endomorphism could fail.
    #[test]
    fn subgroup_check_refuses_points_of_small_order() {
        for order in [10_069_u64, 5_864_401] {
            let mut remaining = [0; 4];
            let mut carry = 0_u128;
            let cofactor = <g2::Config as ark_ec::CurveConfig>::COFACTOR;
            for (quotient, limb) in remaining.iter_mut().zip(cofactor).rev() {
                carry = carry << 64 | u128::from(*limb);
                *quotient = (carry / u128::from(order)) as u64;
                carry %= u128::from(order);
            }
            assert_eq!(carry, 0);
            for point in curve_points().take(5) {
                let torsion = double_and_add_affine(&point, ark_bn254::Fr::MODULUS);
                let point = double_and_add_affine(&torsion.into_affine(), remaining).into_affine();
                assert!(!point.is_zero());
                assert!(double_and_add_affine(&point, [order]).is_identity());
                assert!(!g2::Config::is_in_subgroup(&point));
            }
        }
    }
}
