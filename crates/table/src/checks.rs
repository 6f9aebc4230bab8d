//! The checks of tables by name (`docs/spec/table.md`, `table-answers.md`, `table-audit.md`), and which of them
//! a fault fails.

use thiserror::Error;
use wire::CheckName;

use crate::Fault;

wire::check_names! {
    CV_6 = "CV-6",
    TB_1 = "TB-1",
    TB_2 = "TB-2",
    TB_3 = "TB-3",
    TB_4 = "TB-4",
    TB_5 = "TB-5",
    TB_6 = "TB-6",
    TB_7 = "TB-7",
    TB_8 = "TB-8",
    TB_10 = "TB-10",
    TB_11 = "TB-11",
    TB_12 = "TB-12",
    TB_14 = "TB-14",
    TB_15 = "TB-15",
    TB_18 = "TB-18",
    TB_19 = "TB-19",
    TB_20 = "TB-20",
    TB_21 = "TB-21",
    TB_22 = "TB-22",
    TB_23 = "TB-23",
    TB_24 = "TB-24",
    TA_1 = "TA-1",
    TA_2 = "TA-2",
    TA_3 = "TA-3",
    TA_4 = "TA-4",
    TA_5 = "TA-5",
    TA_6 = "TA-6",
    TA_7 = "TA-7",
    TA_8 = "TA-8",
    TA_9 = "TA-9",
    TA_10 = "TA-10",
    TA_11 = "TA-11",
    TA_12 = "TA-12",
    TA_13 = "TA-13",
    TA_14 = "TA-14",
    TA_15 = "TA-15",
    TA_16 = "TA-16",
    TA_17 = "TA-17",
    TA_18 = "TA-18",
    TA_19 = "TA-19",
    TA_20 = "TA-20",
    TA_21 = "TA-21",
    TC_1 = "TC-1",
    TC_2 = "TC-2",
    TC_3 = "TC-3",
    TC_4 = "TC-4",
    TC_6 = "TC-6",
    TC_8 = "TC-8",
    TC_9 = "TC-9",
    TC_10 = "TC-10",
}

/// A fault, and the check that it fails.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{fault}")]
pub struct Refused {
    /// The check, by its name in `docs/spec`.
    pub check: CheckName,
    /// What is wrong.
    pub fault: Fault,
}

impl From<Refused> for Fault {
    fn from(refused: Refused) -> Self {
        refused.fault
    }
}

impl Fault {
    /// The check that a fault of this kind fails wherever it is found.
    fn check(&self) -> Option<CheckName> {
        match self {
            Self::Decode(error) => Some(error.check()),
            Self::Encoding { .. } => Some(CV_6),
            Self::Schema(_) => Some(TB_1),
            Self::Note { .. } => Some(TB_5),
            Self::Hierarchy { .. } => Some(TA_18),
            Self::Row { .. }
            | Self::PathShape
            | Self::Trie { .. }
            | Self::Mismatch { .. }
            | Self::Query { .. }
            | Self::Policy { .. }
            | Self::Signature { .. }
            | Self::Equation { .. }
            | Self::Bounds { .. }
            | Self::Number { .. }
            | Self::Duplicate { .. }
            | Self::NoOffence { .. } => None,
        }
    }
}

/// Says which check is being made where a fault is found.
pub(crate) trait Under<T> {
    /// The fault fails this check, unless its kind says another.
    fn under(self, check: CheckName) -> Result<T, Refused>;
}

impl<T, E: Into<Fault>> Under<T> for Result<T, E> {
    fn under(self, check: CheckName) -> Result<T, Refused> {
        self.map_err(|error| {
            let fault = error.into();
            Refused { check: fault.check().unwrap_or(check), fault }
        })
    }
}
