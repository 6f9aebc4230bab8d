//! G1 and G2 of BLS12-381, by `ark-bls12-381`.
//!
//! Its subgroup checks and cofactor clearing go by endomorphisms (ePrint 2021/1130, 2017/419).

use std::sync::LazyLock;

use ark_bls12_381::{Fq, Fq2, FrConfig, G1Affine, G2Affine, g1, g2};
use ark_ec::{
    hashing::{curve_maps::wb::WBMap, map_to_curve_hasher::MapToCurve},
    short_weierstrass::Projective,
};

use crate::{
    FixedBaseTable, Group,
    point_format::Format,
    weierstrass::{Curve, GroupOrder},
};

/// A point of G1 of BLS12-381.
pub type Bls12381G1 = Projective<g1::Config>;
/// A point of G2 of BLS12-381.
pub type Bls12381G2 = Projective<g2::Config>;

impl GroupOrder for FrConfig {}

impl Curve for g1::Config {
    const NAME: &'static str = "BLS12-381 G1";
    const ENCODED_LEN: usize = 48;
    const FORMAT: Format = Format::ZCASH;
    const HASH_DOMAIN: &'static [u8] = b"SUBROSA-V01-CS01-with-BLS12381G1_XMD:SHA-256_SSWU_RO_";

    fn map_to_curve(element: Fq) -> G1Affine {
        WBMap::map_to_curve(element).expect("the map is total")
    }

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

    fn map_to_curve(element: Fq2) -> G2Affine {
        WBMap::map_to_curve(element).expect("the map is total")
    }

    fn generator_table() -> &'static FixedBaseTable<Bls12381G2> {
        static TABLE: LazyLock<FixedBaseTable<Bls12381G2>> =
            LazyLock::new(|| FixedBaseTable::new(&Group::generator()));
        &TABLE
    }
}
