//! A ballot on its way to the board, and what its station says about it.

use board::{AuthorId, Identity};
use shuffle::ballot::TrackingCode;
use wire::{Decode, DecodeError, Digest, DigestWriter, Encode, FileHeader, Reader};

use super::{
    super::{Booth, Parties, Role, Scheme, Seat, SignedBallot, TereliusWikstrom, Voter},
    VoterError,
    place::check_place,
};

const BALLOT: FileHeader = FileHeader::new("ballot", 1);
const RECEIPT: FileHeader = FileHeader::new("receipt", 1);
const RECEIPT_DOMAIN: &str = "subrosa/election/receipt/v1";

/// What a voter hands to a station: a ballot that holds on the board, whoever posts it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission<S: Scheme = TereliusWikstrom> {
    /// The election's name: the board's.
    pub election: Digest,
    /// The digest of the entry that opened the polls.
    pub opening: Digest,
    /// The ballot.
    pub ballot: SignedBallot<S>,
}

impl<S: Scheme> Submission<S> {
    /// Checks all that the board will check, but whether there are other ballots.
    ///
    /// # Errors
    /// [`VoterError`].
    pub fn verify(&self, booth: &Booth<S>, roll: &[Voter]) -> Result<(), VoterError> {
        let SignedBallot { voter, revision, ballot, .. } = &self.ballot;
        let revision = revision.ok_or(VoterError::NoRevisions)?;
        let credential = roll.get(*voter as usize).map(|voter| voter.credential);
        // Whose place it is, the ballot does not say; who is on none has no key.
        let credential = credential.ok_or(VoterError::Signature)?;
        let seat = Seat { voter: *voter, credential, revision };
        check_place(booth, roll, (self.election, self.opening), &seat)?;
        if !booth.is_signed(&credential, &self.ballot) {
            return Err(VoterError::Signature);
        }
        let (columns, context) = (booth.layout.columns(), booth.context());
        Ok(ballot.verify(columns, &booth.key, context.as_bytes(), credential.as_bytes())?)
    }

    /// By what the voter finds the ballot on the board.
    pub fn tracker(&self, booth: &Booth<S>) -> Digest {
        let SignedBallot { voter, revision, ballot, .. } = &self.ballot;
        // `verify` refuses a submission without a revision.
        booth.tracker(*voter, revision.unwrap_or_default(), ballot)
    }

    /// The same for a person.
    pub fn code(&self, booth: &Booth<S>) -> TrackingCode {
        TrackingCode::of_digest(&self.tracker(booth))
    }
}

/// A station's promise that a ballot will stand on the board. The ballot was verified before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The election's name: the board's.
    pub election: Digest,
    /// The ballot.
    pub tracker: Digest,
    /// The station's key.
    pub station: AuthorId,
    /// When the ballot will be there, in seconds since 1970 by the clock of the log's keeper.
    pub post_by: u64,
    /// The station's signature over the other fields.
    pub signature: [u8; 64],
}

impl Receipt {
    /// Promises to post a ballot, which the station has verified and stored.
    pub fn sign(station: &Identity, election: Digest, tracker: Digest, post_by: u64) -> Self {
        let id = station.id();
        let receipt = Self { election, tracker, station: id, post_by, signature: [0; 64] };
        Self { signature: station.sign(RECEIPT_DOMAIN, receipt.signed()), ..receipt }
    }

    /// Checks that a station of this election promised to post this ballot; returns its number.
    ///
    /// # Errors
    /// [`VoterError::OtherElection`], [`VoterError::OtherReceipt`], [`VoterError::NotAStation`],
    /// [`VoterError::ReceiptSignature`].
    pub fn verify(
        &self,
        election: Digest,
        parties: &Parties,
        tracker: Digest,
    ) -> Result<u16, VoterError> {
        if self.election != election {
            return Err(VoterError::OtherElection(self.election));
        }
        if self.tracker != tracker {
            return Err(VoterError::OtherReceipt);
        }
        let station = parties.party(&self.station).filter(|party| party.role == Role::Station);
        let station = station.ok_or(VoterError::NotAStation(self.station))?;
        match self.station.verify(RECEIPT_DOMAIN, self.signed(), &self.signature) {
            true => Ok(station.number),
            false => Err(VoterError::ReceiptSignature),
        }
    }

    fn signed(&self) -> Digest {
        let mut writer = DigestWriter::new(RECEIPT_DOMAIN);
        writer.update(self.election.as_bytes());
        writer.update(self.tracker.as_bytes());
        writer.update(self.station.as_bytes());
        writer.update(&self.post_by.to_le_bytes());
        writer.finish()
    }
}

/// Board, opening entry, and the ballot as it stands on the board.
impl<S: Scheme> Encode for Submission<S> {
    fn encode(&self, out: &mut Vec<u8>) {
        BALLOT.encode(out);
        self.election.encode(out);
        self.opening.encode(out);
        self.ballot.encode(out);
    }
}

impl<S: Scheme> Decode for Submission<S> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        BALLOT.expect(reader)?;
        let (election, opening) = (Digest::decode(reader)?, Digest::decode(reader)?);
        Ok(Self { election, opening, ballot: SignedBallot::decode_revision(reader)? })
    }
}

/// Board, tracker, station, time, signature.
impl Encode for Receipt {
    fn encode(&self, out: &mut Vec<u8>) {
        RECEIPT.encode(out);
        self.election.encode(out);
        self.tracker.encode(out);
        self.station.encode(out);
        self.post_by.encode(out);
        out.extend_from_slice(&self.signature);
    }
}

impl Decode for Receipt {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        RECEIPT.expect(reader)?;
        let (election, tracker) = (Digest::decode(reader)?, Digest::decode(reader)?);
        let (station, post_by) = (AuthorId::decode(reader)?, reader.u64()?);
        Ok(Self { election, tracker, station, post_by, signature: reader.array()? })
    }
}
