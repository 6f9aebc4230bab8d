//! What the elements of a set are.

use ::snark::set_membership::ElementKind;
use clap::ValueEnum;
use serde::Serialize;

/// What the elements of a set are.
#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum KindName {
    /// Any values below the order of BLS12-381's groups.
    Hashed,
    /// Primes of 252 bits.
    Prime,
}

impl KindName {
    /// The kind.
    pub fn kind(self) -> ElementKind {
        match self {
            Self::Hashed => ElementKind::Hashed,
            Self::Prime => ElementKind::Prime,
        }
    }
}
