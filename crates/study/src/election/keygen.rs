//! The key generation as it stands on the board.

use std::collections::BTreeSet;

use algebra::Group;
use shuffle::{
    ThresholdError,
    dkg::{
        DkgParams, KeySet, Round1Board, Round1Message, Round2Board, Round2Message, Round3Message,
        conclude,
    },
};

use super::{Message, Scheme};

/// The trustees' three rounds. A round ends when every trustee has answered or is declared absent.
pub(super) struct KeyGeneration<S: Scheme> {
    round: Round<S::Group>,
    waiting: BTreeSet<u16>,
}

/// A round with the messages it has so far, on top of what the rounds before came to.
enum Round<G: Group> {
    One(DkgParams, Vec<Round1Message<G>>),
    Two(Round1Board<G>, Vec<Round2Message<G>>),
    Three(Round2Board<G>, Vec<Round3Message<G>>),
}

/// What a round that ended leads to.
pub(super) enum Progress<S: Scheme> {
    /// The next round.
    Continues(KeyGeneration<S>),
    /// The key.
    Key(Round2Board<S::Group>, KeySet<S::Group>),
}

impl<S: Scheme> KeyGeneration<S> {
    pub(super) fn new(params: DkgParams) -> Self {
        let waiting = (1..=params.trustees()).collect();
        Self { round: Round::One(params, Vec::new()), waiting }
    }

    /// The round, 1 to 3.
    pub(super) fn number(&self) -> u8 {
        match self.round {
            Round::One(..) => 1,
            Round::Two(..) => 2,
            Round::Three(..) => 3,
        }
    }

    pub(super) fn waiting(&self) -> &BTreeSet<u16> {
        &self.waiting
    }

    pub(super) fn params(&self) -> &DkgParams {
        match &self.round {
            Round::One(params, _) => params,
            Round::Two(board, _) => board.params(),
            Round::Three(board, _) => board.round1().params(),
        }
    }

    /// What a trustee needs to answer in round 2.
    pub(super) fn round1(&self) -> Option<&Round1Board<S::Group>> {
        match &self.round {
            Round::Two(board, _) => Some(board),
            _ => None,
        }
    }

    /// What a trustee needs to answer in round 3.
    pub(super) fn round2(&self) -> Option<&Round2Board<S::Group>> {
        match &self.round {
            Round::Three(board, _) => Some(board),
            _ => None,
        }
    }

    /// Takes a trustee's message of the current round.
    pub(super) fn take(&mut self, trustee: u16, message: Message<S>) -> Result<(), String> {
        if !self.waiting.contains(&trustee) {
            return Err("a message of a trustee that is not waited for in this round".to_owned());
        }
        let claimed = match (&mut self.round, message) {
            (Round::One(_, messages), Message::KeyRound1(message)) => {
                messages.push(message);
                messages.last().map(Round1Message::trustee)
            }
            (Round::Two(_, messages), Message::KeyRound2(message)) => {
                messages.push(message);
                messages.last().map(Round2Message::dealer)
            }
            (Round::Three(_, messages), Message::KeyRound3(message)) => {
                messages.push(message);
                messages.last().map(Round3Message::trustee)
            }
            _ => return Err("a message of another round".to_owned()),
        };
        self.waiting.remove(&trustee);
        if claimed == Some(trustee) {
            return Ok(());
        }
        self.drop_last();
        Err("a message in the name of another trustee".to_owned())
    }

    /// Waits no longer for a trustee in this round.
    pub(super) fn declare_absent(&mut self, trustee: u16) {
        self.waiting.remove(&trustee);
    }

    /// Moves on if nobody is waited for, naming who did wrong in the round that ended.
    pub(super) fn advance(
        self,
        faults: &mut Vec<ThresholdError>,
    ) -> Result<Progress<S>, ThresholdError> {
        if !self.waiting.is_empty() {
            return Ok(Progress::Continues(self));
        }
        let next = match self.round {
            Round::One(params, messages) => {
                let board =
                    Round1Board::new(params.clone(), messages.clone()).inspect_err(|_| {
                        faults.extend(messages.iter().filter_map(|m| m.verify(&params).err()));
                    })?;
                faults.extend_from_slice(board.faults());
                Round::Two(board, Vec::new())
            }
            Round::Two(board, messages) => {
                let board =
                    Round2Board::new(board.clone(), messages.clone()).inspect_err(|_| {
                        faults.extend(messages.iter().filter_map(|m| m.verify(&board).err()));
                    })?;
                faults.extend_from_slice(board.faults());
                Round::Three(board, Vec::new())
            }
            Round::Three(board, messages) => {
                let outcome = conclude(&board, messages)?;
                faults.extend(outcome.faults);
                return Ok(Progress::Key(board, outcome.keys));
            }
        };
        let waiting = match &next {
            Round::One(params, _) => (1..=params.trustees()).collect(),
            Round::Two(board, _) => board.participants().into_iter().collect(),
            Round::Three(board, _) => board.round1().participants().into_iter().collect(),
        };
        Ok(Progress::Continues(Self { round: next, waiting }))
    }

    fn drop_last(&mut self) {
        match &mut self.round {
            Round::One(_, messages) => drop(messages.pop()),
            Round::Two(_, messages) => drop(messages.pop()),
            Round::Three(_, messages) => drop(messages.pop()),
        }
    }
}
