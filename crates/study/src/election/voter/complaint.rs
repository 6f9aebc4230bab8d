//! A voter's complaint about a station, which everybody can judge.

use board::Entry;
use wire::{Decode, DecodeError, Encode, FileHeader, Reader};

use super::{
    super::{Election, Phase, Scheme, SignedBallot, TereliusWikstrom},
    Receipt, Standing, Submission, VoterError,
};

const COMPLAINT: FileHeader = FileHeader::new("dispute", 1);

/// A ballot, and a station's promise to post it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Complaint<S: Scheme = TereliusWikstrom> {
    /// The ballot, as the voter signed it.
    pub submission: Submission<S>,
    /// The promise.
    pub receipt: Receipt,
}

/// What a board says about a complaint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judgement {
    /// The station did not post the ballot, although its time is over.
    Broken {
        /// The station's number.
        station: u16,
    },
    /// The ballot was posted after the time that the station promised.
    Late {
        /// The station's number.
        station: u16,
        /// The entry that has the ballot.
        sequence: u64,
        /// When it was posted, in seconds since 1970.
        posted: u64,
    },
    /// The ballot was posted in time, or by another station.
    Kept {
        /// The entry that has the ballot.
        sequence: u64,
    },
    /// The polls are open, and the time is not over.
    Early {
        /// By when the ballot must be there, in seconds since 1970.
        post_by: u64,
    },
}

impl<S: Scheme> Complaint<S> {
    /// Judges the complaint by a board of which these are the entries.
    ///
    /// # Errors
    /// [`VoterError`] if it is no complaint: the ballot would not have held, or the station did not promise.
    pub fn judge(
        &self,
        election: &Election<S>,
        entries: &[Entry],
    ) -> Result<Judgement, VoterError> {
        let booth = election.booth().ok_or(VoterError::NotOpen)?;
        self.submission.verify(booth, election.roll())?;
        let tracker = self.submission.tracker(booth);
        let station = self.receipt.verify(election.id(), &election.setup().parties, tracker)?;
        let voter = self.submission.ballot.voter;
        let post_by = self.receipt.post_by;
        let sequence = match Standing::of(election, voter, &tracker) {
            Standing::Counts { sequence } | Standing::Superseded { sequence, .. } => sequence,
            Standing::Refused(refused) => refused.sequence,
            Standing::Missing { .. } => {
                let now = entries.iter().filter_map(Entry::time).max();
                let is_over = now.is_some_and(|now| now > post_by);
                return Ok(match is_over || election.phase() != Phase::Casting {
                    true => Judgement::Broken { station },
                    false => Judgement::Early { post_by },
                });
            }
        };
        let entry = entries.iter().find(|entry| entry.sequence() == sequence);
        let late = entry.and_then(Entry::time).filter(|posted| *posted > post_by);
        Ok(match late {
            Some(posted) => Judgement::Late { station, sequence, posted },
            None => Judgement::Kept { sequence },
        })
    }

    /// The ballot.
    pub fn ballot(&self) -> &SignedBallot<S> {
        &self.submission.ballot
    }
}

/// The two files, one after the other.
impl<S: Scheme> Encode for Complaint<S> {
    fn encode(&self, out: &mut Vec<u8>) {
        COMPLAINT.encode(out);
        self.submission.encode(out);
        self.receipt.encode(out);
    }
}

impl<S: Scheme> Decode for Complaint<S> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        COMPLAINT.expect(reader)?;
        let submission = Submission::decode(reader)?;
        Ok(Self { submission, receipt: Receipt::decode(reader)? })
    }
}
