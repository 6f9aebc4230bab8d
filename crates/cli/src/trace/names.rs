//! Engines and keys of tracing, by the names that people use.

use clap::ValueEnum;
use serde::Serialize;

/// A way to answer trace queries.
#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum EngineName {
    /// Markers through the mix's permutations: our construction, no published proof yet.
    Routed,
    /// The paper's own protocol, DB-SM and DB-RSM, with our accelerations.
    Db,
}

/// Who makes the threshold Paillier key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Keys {
    /// A trusted dealer, as in the paper's reference code.
    Dealer,
    /// The servers, over a modulus whose factors nobody keeps.
    Bcp,
}

/// Bits of the Paillier modulus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ValueEnum)]
pub enum PaillierBits {
    /// About 112 bits of security, the paper's size.
    #[value(name = "2048")]
    #[serde(rename = "2048")]
    Bits2048,
    /// About 128 bits of security.
    #[value(name = "3072")]
    #[serde(rename = "3072")]
    Bits3072,
}

impl PaillierBits {
    /// The modulus of these bits.
    pub fn size(self) -> trace_db::paillier::ModulusSize {
        match self {
            Self::Bits2048 => trace_db::paillier::ModulusSize::Bits2048,
            Self::Bits3072 => trace_db::paillier::ModulusSize::Bits3072,
        }
    }
}
