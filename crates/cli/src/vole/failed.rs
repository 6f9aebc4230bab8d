//! What an error of a session means.

use ::vole::VoleError;

use crate::failure::Failure;

/// A false claim, or anything else: then nothing is known of the claim.
pub fn failure(error: VoleError) -> Failure {
    match error {
        VoleError::Cheating { .. }
        | VoleError::Refused
        | VoleError::False { .. }
        | VoleError::Unburnt { .. } => Failure::refused(error),
        VoleError::Mismatch { .. } => Failure::input(error).hint(
            "both parties must give the same circuit and public values, and the same converter, \
             parameters and soundness",
        ),
        VoleError::Stranger { .. } => Failure::input(error)
            .hint("each party gives its own key with --key, and the other party's with --peer"),
        VoleError::Channel(error) => Failure::channel("the other party", &error),
        other => Failure::input(other),
    }
}
