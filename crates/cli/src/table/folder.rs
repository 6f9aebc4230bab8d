//! A table's folder, as commands use it.

use ::table::store::{Custodian, EpochState, RedbStore};
use services::folder::FolderError;
pub use services::folder::{Folder, Plan};

use crate::failure::Failure;

impl From<FolderError> for Failure {
    fn from(error: FolderError) -> Self {
        match error {
            FolderError::File { path, reason, hint } => {
                let failure = Self::file(&path, reason);
                match hint {
                    Some(hint) => failure.hint(hint),
                    None => failure,
                }
            }
            FolderError::Custody(error) => error.into(),
        }
    }
}

/// Requires that an epoch is in the log, so that it can be audited.
pub fn require_logged(custodian: &Custodian<RedbStore>, epoch: u32) -> Result<(), Failure> {
    match custodian.state(epoch)? {
        EpochState::Logged => Ok(()),
        _ => require_sealed(custodian, epoch),
    }
}

/// Requires that an epoch is sealed, so that it can be answered from.
pub fn require_sealed(custodian: &Custodian<RedbStore>, epoch: u32) -> Result<(), Failure> {
    match custodian.state(epoch)? {
        EpochState::Witnessed => Ok(()),
        EpochState::Logged => Err(Failure::input(format!(
            "epoch {epoch} is not sealed: too few witnesses have cosigned it"
        ))
        .hint(
            "show the log to more witnesses: `subrosa table log DIR --out FILE`, then `table \
             cosign add`",
        )),
        state => Err(Failure::input(format!("epoch {epoch} is not sealed: it is {state}"))
            .hint(format!("seal it first: `subrosa table seal DIR --epoch {epoch}`"))),
    }
}
