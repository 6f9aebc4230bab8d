//! Curves by the names that people use.

use circuit::Curve;
use clap::ValueEnum;

/// A curve by the name that people use.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum CurveName {
    /// BN254, also called bn128: what circom and snarkjs use by default.
    Bn254,
    /// BLS12-381.
    #[value(name = "bls12-381")]
    Bls12381,
}

impl CurveName {
    /// The curve.
    pub fn curve(self) -> Curve {
        match self {
            Self::Bn254 => Curve::Bn254,
            Self::Bls12381 => Curve::Bls12381,
        }
    }
}
