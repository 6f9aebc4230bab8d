//! Which of the parties one is.

use super::error::{Error, MAX_PARTIES};

/// One of the parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Seat {
    pub(super) party: u16,
    pub(super) parties: u16,
}

impl Seat {
    /// Party `party` of `parties`, counted from 1.
    ///
    /// # Errors
    /// [`Error::Parties`].
    pub fn new(party: u16, parties: u16) -> Result<Self, Error> {
        let is_one = (1..=parties).contains(&party) && (2..=MAX_PARTIES).contains(&parties);
        if is_one { Ok(Self { party, parties }) } else { Err(Error::Parties { party, parties }) }
    }

    /// Which it is, from 1.
    pub fn party(self) -> u16 {
        self.party
    }

    /// How many there are.
    pub fn parties(self) -> u16 {
        self.parties
    }

    pub(super) fn is_first(self) -> bool {
        self.party == 1
    }

    pub(super) fn is_last(self) -> bool {
        self.party == self.parties
    }

    pub(super) fn require(self, messages: usize) -> Result<(), Error> {
        let expected = self.parties.into();
        if messages == expected { Ok(()) } else { Err(Error::Messages { expected, got: messages }) }
    }
}
