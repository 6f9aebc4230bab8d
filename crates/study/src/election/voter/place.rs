//! Whether a ballot has its voter's place on the roll of this election.

use board::AuthorId;
use wire::Digest;

use super::{
    super::{Booth, Scheme, Seat, Voter},
    VoterError,
};

/// Requires the board and the opening of a booth, and a voter's key at its place of the roll.
pub(super) fn check_place<S: Scheme>(
    booth: &Booth<S>,
    roll: &[Voter],
    (election, opening): (Digest, Digest),
    seat: &Seat,
) -> Result<AuthorId, VoterError> {
    let opened = booth.opening.ok_or(VoterError::NoRevisions)?;
    if election != booth.election {
        return Err(VoterError::OtherElection(election));
    }
    if opening != opened {
        return Err(VoterError::OtherOpening);
    }
    let voter = roll.get(seat.voter as usize).map(|voter| voter.credential);
    let missing = VoterError::NotOnRoll { place: seat.voter, key: seat.credential };
    voter.filter(|key| *key == seat.credential).ok_or(missing)
}
