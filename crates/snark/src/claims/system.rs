//! The proof systems, and which checks are whose.

use wire::CheckName;

use super::checks::{SN_2, SN_3, SN_4, SN_5, SN_6, SN_7, SN_8, SN_10, SN_11};

/// A proof system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum System {
    Groth16,
    Gm17,
    Sonic,
    SonicUnhelped,
}

impl System {
    /// As `snark prove --system` calls it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Groth16 => "groth16",
            Self::Gm17 => "gm17",
            Self::Sonic => "sonic",
            Self::SonicUnhelped => "sonic-unhelped",
        }
    }

    /// What must hold of a key.
    pub fn keys(self) -> CheckName {
        match self {
            Self::Groth16 => SN_2,
            Self::Gm17 => SN_5,
            Self::Sonic => SN_7,
            Self::SonicUnhelped => SN_10,
        }
    }

    /// What must hold of the encoding of a proof.
    pub fn encodings(self) -> CheckName {
        match self {
            Self::Groth16 => SN_3,
            Self::Gm17 => SN_6,
            Self::Sonic | Self::SonicUnhelped => SN_11,
        }
    }

    /// The equation of a proof.
    pub fn equation(self) -> CheckName {
        match self {
            Self::Groth16 => SN_4,
            Self::Gm17 => SN_6,
            Self::Sonic => SN_8,
            Self::SonicUnhelped => SN_11,
        }
    }
}
