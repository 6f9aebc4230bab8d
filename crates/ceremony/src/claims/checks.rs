//! Which check of `docs/spec/ceremony.md` an error fails.

use wire::{CheckName, DecodeError};

use crate::Error;

wire::check_names! {
    CE_1 = "CE-1",
    CE_2 = "CE-2",
    CE_3 = "CE-3",
    CE_4 = "CE-4",
    CE_5 = "CE-5",
    CE_6 = "CE-6",
    CE_7 = "CE-7",
    CE_8 = "CE-8",
    CE_9 = "CE-9",
    CE_10 = "CE-10",
    CE_11 = "CE-11",
    CE_12 = "CE-12",
    CE_13 = "CE-13",
    CE_14 = "CE-14",
    CE_15 = "CE-15",
    CE_23 = "CE-23",
    CE_24 = "CE-24",
    CE_25 = "CE-25",
    CE_26 = "CE-26",
    CE_27 = "CE-27",
    CE_28 = "CE-28",
    CV_6 = "CV-6",
}

/// The check that a file fails which cannot be read, or a point in it.
pub(super) fn of_file(error: &circuit::Error) -> CheckName {
    use circuit::Error::*;
    match error {
        Point { .. } | Infinity { .. } | Scalar { .. } => CE_1,
        Record { reason, .. } | Entry { reason, .. } => match reason {
            DecodeError::Invalid { check: CV_6, .. } => CE_1,
            DecodeError::Invalid { .. } => CE_28,
            other => other.check(),
        },
        _ => CE_28,
    }
}

/// The part of a ceremony that an error was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Phase1 { is_native: bool },
    Phase2 { is_native: bool },
    Record { is_native: bool },
}

impl Part {
    /// What must hold of each contribution.
    pub fn contributions(self) -> CheckName {
        match self {
            Self::Phase1 { is_native: false } => CE_2,
            Self::Phase1 { is_native: true } => CE_8,
            Self::Phase2 { is_native: false } | Self::Record { is_native: false } => CE_14,
            Self::Phase2 { is_native: true } | Self::Record { is_native: true } => CE_15,
        }
    }

    /// What must hold of contributions that are of beacons.
    pub fn beacons(self) -> CheckName {
        match self {
            Self::Phase1 { is_native: false } => CE_4,
            Self::Phase1 { is_native: true } => CE_9,
            later => later.contributions(),
        }
    }

    /// That somebody contributed, and that no secret is known to everybody.
    pub fn secrets(self) -> CheckName {
        match self {
            Self::Phase1 { .. } => CE_3,
            Self::Phase2 { .. } | Self::Record { .. } => CE_11,
        }
    }

    /// What a claim about this part requires as a whole.
    pub fn claim(self) -> CheckName {
        match self {
            Self::Phase1 { .. } => CE_24,
            Self::Phase2 { .. } => CE_25,
            Self::Record { .. } => CE_26,
        }
    }

    /// The check that an error fails. What no claim comes to is the part's as a whole.
    pub fn check(self, error: &Error) -> CheckName {
        match error {
            Error::File(error) => of_file(error),
            Error::NoContributions
            | Error::OnlyBeacons
            | Error::Idle { .. }
            | Error::NoSecret { .. }
            | Error::Forgeable => self.secrets(),
            Error::Beacon
            | Error::BeaconTooLong { .. }
            | Error::BeaconsTooLong { .. }
            | Error::BeaconKey { .. } => self.beacons(),
            Error::Contribution { .. } | Error::Transcript { .. } => self.contributions(),
            Error::Generator { .. } | Error::Singular { .. } | Error::Progression { .. } => CE_5,
            Error::Unrelated { .. } => match self {
                Self::Phase1 { .. } => CE_5,
                Self::Phase2 { .. } | Self::Record { .. } => CE_11,
            },
            Error::ResponseLen { .. }
            | Error::ResponseHash { .. }
            | Error::NextChallenge { .. }
            | Error::FirstChallenge
            | Error::OtherChallenge => CE_6,
            Error::LargestDomain { .. } | Error::Lagrange { .. } => CE_7,
            Error::Phase1 { .. }
            | Error::NotPrepared
            | Error::CustomGates
            | Error::CircuitTooLarge { .. }
            | Error::TooManyCoefficients { .. }
            | Error::Header { .. }
            | Error::CoefficientCount { .. }
            | Error::NotInitial { .. } => CE_10,
            Error::NotDivided { .. } => CE_12,
            Error::CircuitHash => CE_13,
            Error::KeyPoint { .. } => match self {
                Self::Record { .. } => CE_26,
                Self::Phase1 { .. } | Self::Phase2 { .. } => CE_11,
            },
            Error::Native
            | Error::NotNative
            | Error::TwoCeremonies
            | Error::Reduced { .. }
            | Error::CeremonyTooLarge { .. }
            | Error::OtherCeremony
            | Error::Dropped { .. }
            | Error::Replaced { .. }
            | Error::Added { .. }
            | Error::ChallengeLen { .. }
            | Error::Power { .. }
            | Error::Domain { .. }
            | Error::NoTopPower
            | Error::FirstKey { .. }
            | Error::NotFirst
            | Error::NoCeremony
            | Error::NotContinued { .. }
            | Error::ListLen { .. }
            | Error::Size { .. }
            | Error::Phase1TooSmall { .. }
            | Error::OtherPhase1
            | Error::NotPhase1 { .. }
            | Error::RoundOver
            | Error::RoundEmpty { .. } => self.claim(),
        }
    }
}
