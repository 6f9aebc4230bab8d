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

use super::{Message, Rule, Rules, Scheme};

/// The trustees' three rounds. A round ends when every trustee has answered or is declared absent; in version 2 the
/// third one ends with the opening of the polls.
pub(super) struct KeyGeneration<S: Scheme> {
    rules: Rules,
    round: Round<S::Group>,
    waiting: BTreeSet<u16>,
    /// In version 2: who was said to be absent in this round, and may still come.
    absent: BTreeSet<u16>,
}

/// A round with the messages it has so far, on top of what the rounds before came to.
enum Round<G: Group> {
    One(DkgParams, Vec<Round1Message<G>>),
    Two(Round1Board<G>, Vec<Round2Message<G>>),
    /// Each message with the place of its entry.
    Three(Round2Board<G>, Vec<(u64, Round3Message<G>)>),
}

/// The key as verdicts up to a place on the board have it.
pub(super) struct Confirmed<G: Group> {
    /// The trustees whose verdicts hold, ascending.
    pub(super) trustees: Vec<u16>,
    /// The dealt shares.
    pub(super) dealt: Round2Board<G>,
    /// The key.
    pub(super) keys: KeySet<G>,
    /// Who did wrong in the round.
    pub(super) faults: Vec<ThresholdError>,
}

/// What a round that ended leads to.
pub(super) enum Progress<S: Scheme> {
    /// The next round.
    Continues(KeyGeneration<S>),
    /// The key.
    Key(Round2Board<S::Group>, KeySet<S::Group>),
}

impl<S: Scheme> KeyGeneration<S> {
    pub(super) fn new(params: DkgParams, trustees: BTreeSet<u16>, rules: Rules) -> Self {
        let round = Round::One(params, Vec::new());
        Self { rules, round, waiting: trustees, absent: BTreeSet::new() }
    }

    /// The round, 1 to 3.
    pub(super) fn number(&self) -> u8 {
        match self.round {
            Round::One(..) => 1,
            Round::Two(..) => 2,
            Round::Three(..) => 3,
        }
    }

    /// The kind of the round's messages.
    pub(super) fn kind(&self) -> &'static str {
        match self.round {
            Round::One(..) => "key/commitments",
            Round::Two(..) => "key/shares",
            Round::Three(..) => "key/verdicts",
        }
    }

    pub(super) fn waiting(&self) -> &BTreeSet<u16> {
        &self.waiting
    }

    /// Whether a message of this trustee counts.
    pub(super) fn expects(&self, trustee: u16) -> bool {
        self.waiting.contains(&trustee) || self.absent.contains(&trustee)
    }

    /// Trustees whose messages of this round are there or may come without those who are absent.
    pub(super) fn present(&self) -> usize {
        let came = match &self.round {
            Round::One(_, messages) => messages.len(),
            Round::Two(_, messages) => messages.len(),
            Round::Three(_, messages) => messages.len(),
        };
        came + self.waiting.len()
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
    pub(super) fn take(
        &mut self,
        place: u64,
        trustee: u16,
        message: Message<S>,
    ) -> Result<(), String> {
        if !self.expects(trustee) {
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
                messages.push((place, message));
                messages.last().map(|(_, message)| message.trustee())
            }
            _ => return Err("a message of another round".to_owned()),
        };
        self.waiting.remove(&trustee);
        self.absent.remove(&trustee);
        if Rule::KeyAuthor.allows(claimed == Some(trustee)) {
            return Ok(());
        }
        self.drop_last();
        Err("a message in the name of another trustee".to_owned())
    }

    /// Waits no longer for a trustee in this round; in version 2 it may come as long as others are waited for.
    pub(super) fn declare_absent(&mut self, trustee: u16) {
        self.waiting.remove(&trustee);
        if self.rules != Rules::One && Rule::ComesBack.is_kept() {
            self.absent.insert(trustee);
        }
    }

    /// Whether all verdicts are among the first entries of the board, so many leaves of its log.
    pub(super) fn is_complete(&self, size: u64) -> bool {
        let Round::Three(_, messages) = &self.round else { return false };
        self.waiting.is_empty() && messages.iter().all(|(place, _)| *place < size)
    }

    /// The key by the verdicts on the first entries of the board, so many leaves of its log.
    ///
    /// # Errors
    /// [`ThresholdError`] if too few confirm it.
    pub(super) fn confirmed(&self, size: u64) -> Result<Confirmed<S::Group>, ThresholdError> {
        let params = self.params();
        let Round::Three(board, messages) = &self.round else {
            let needed = params.threshold().into();
            return Err(ThresholdError::TooFewTrustees { needed, got: 0 });
        };
        let by_then = messages.iter().filter(|(place, _)| *place < size);
        let messages: Vec<_> = by_then.map(|(_, message)| message.clone()).collect();
        let authors: BTreeSet<u16> = messages.iter().map(Round3Message::trustee).collect();
        let outcome = conclude(board, messages)?;
        let differs = |trustee: &u16| {
            let mismatch = ThresholdError::ViewMismatch { trustee: *trustee };
            outcome.faults.contains(&mismatch)
        };
        let trustees = authors.into_iter().filter(|trustee| !differs(trustee)).collect();
        Ok(Confirmed { trustees, dealt: board.clone(), keys: outcome.keys, faults: outcome.faults })
    }

    /// Moves on if nobody is waited for, naming who did wrong in the round that ended.
    pub(super) fn advance(
        self,
        faults: &mut Vec<ThresholdError>,
    ) -> Result<Progress<S>, ThresholdError> {
        if !self.waiting.is_empty() {
            return Ok(Progress::Continues(self));
        }
        if let (Rules::Two(_), Round::Three(..)) = (self.rules, &self.round) {
            // All verdicts are there: without a key now there will be none.
            self.confirmed(u64::MAX)?;
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
                let messages = messages.into_iter().map(|(_, message)| message).collect();
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
        let absent = BTreeSet::new();
        Ok(Progress::Continues(Self { round: next, waiting, absent, ..self }))
    }

    fn drop_last(&mut self) {
        match &mut self.round {
            Round::One(_, messages) => drop(messages.pop()),
            Round::Two(_, messages) => drop(messages.pop()),
            Round::Three(_, messages) => drop(messages.pop()),
        }
    }
}
