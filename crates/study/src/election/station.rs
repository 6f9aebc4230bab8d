//! A station: collects sealed ballots and posts them.

use board::Identity;
use rayon::prelude::*;

use super::{Booth, Message, Phase, Role, Scheme, Session, SignedBallot, trustee::number_of};
use crate::replay::SessionError;

/// Ballots in one entry.
const BATCH: usize = 500;

/// Posts ballots in batches, each as soon as it is full. A ballot that is on the board already is
/// passed over, so that a station that was killed starts again from the beginning.
///
/// `seal` makes the ballot of a voter, on the voter's side; `report` learns how many are on the
/// board.
///
/// # Errors
/// [`SessionError::NotAParty`]; [`SessionError::Party`] if the polls are not open or a ballot
/// cannot be sealed; others of the board.
pub fn cast<S: Scheme, T: Sync>(
    session: &mut Session<S>,
    station: &Identity,
    ballots: &[(u32, T)],
    seal: impl Fn(&Booth<S>, u32, &T) -> Result<SignedBallot<S>, String> + Sync,
    mut report: impl FnMut(&[SignedBallot<S>]),
) -> Result<(), SessionError> {
    number_of(station, Role::Station, "station", session.election())?;
    while session.election().booth().is_none() {
        session.wait()?;
    }
    let mut voted = session.election().voted();
    voted.sort_unstable();
    let missing: Vec<_> =
        ballots.iter().filter(|(voter, _)| voted.binary_search(voter).is_err()).collect();
    for batch in missing.chunks(BATCH) {
        let booth = session.election().booth().cloned();
        let booth = booth.ok_or_else(|| SessionError::Party("the polls are not open".into()))?;
        let sealed: Vec<SignedBallot<S>> = batch
            .par_iter()
            .map(|(voter, ballot)| seal(&booth, *voter, ballot))
            .collect::<Result<_, _>>()
            .map_err(SessionError::Party)?;
        post_ballots(session, station, &sealed)?;
        report(&sealed);
    }
    Ok(())
}

/// Posts ballots in one entry.
///
/// # Errors
/// [`SessionError::Party`] if the polls are not open; others of the board.
pub fn post_ballots<S: Scheme>(
    session: &mut Session<S>,
    station: &Identity,
    ballots: &[SignedBallot<S>],
) -> Result<(), SessionError> {
    let message = Message::Ballots(ballots.to_vec());
    match session.post(station, &message, |election| election.phase() == Phase::Casting)? {
        true => Ok(()),
        false => Err(SessionError::Party("the polls are not open".into())),
    }
}
