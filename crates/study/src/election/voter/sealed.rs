//! A ballot between sealing and the voter's choice: to be cast, or audited.

use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use shuffle::ballot::{EncryptedBallot, TrackingCode};
use wire::{Decode, DecodeError, Digest, Encode, FileHeader, Reader, put_bytes};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{
    super::{Booth, Scheme, Seat, Seed, SignedBallot, TereliusWikstrom, Voter},
    Submission, VoterError,
    place::check_place,
};
use crate::preferences::{Ballot, Cell, Opened};

const SEALED: FileHeader = FileHeader::new("sealed", 1);
const OPENING: FileHeader = FileHeader::new("opening", 1);
const AUDIT: FileHeader = FileHeader::new("audit", 1);
const COMMITMENT_DOMAIN: &str = "subrosa/election/commitment/v1";
/// A point of any group carries fewer bytes.
const MAX_CELL: usize = 64;

/// A sealed ballot to which its voter's key is committed. It can be cast only with the voter's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SealedBallot<S: Scheme = TereliusWikstrom> {
    /// The election's name: the board's.
    pub election: Digest,
    /// The digest of the entry that opened the polls.
    pub opening: Digest,
    /// Whose ballot it is, and which of the voter's.
    pub seat: Seat,
    /// The sealed ballot.
    pub ballot: EncryptedBallot<S::Group>,
    /// The voter's signature over the tracker, which fits no station's entry.
    pub commitment: [u8; 64],
}

/// What a ballot was sealed from: who has it knows the vote. Erased when dropped.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Opening {
    /// The seed.
    pub seed: Seed,
    /// The vote, cell by cell.
    pub cells: Vec<Cell>,
}

/// What a device gives away of a ballot that is audited, and never cast.
#[derive(Clone, PartialEq, Eq)]
pub struct Audit<S: Scheme = TereliusWikstrom> {
    /// The ballot.
    pub sealed: SealedBallot<S>,
    /// What it was sealed from.
    pub opening: Opening,
}

impl<S: Scheme> SealedBallot<S> {
    /// Seals a vote from a fresh seed, and commits to it.
    ///
    /// # Errors
    /// [`VoterError::NoRevisions`], [`VoterError::OtherKey`], [`VoterError::Vote`].
    pub fn seal(
        booth: &Booth<S>,
        seat: Seat,
        credential: &Identity,
        vote: &Ballot,
        rng: &mut impl CryptoRng,
    ) -> Result<(Self, Opening), VoterError> {
        let opening = booth.opening.ok_or(VoterError::NoRevisions)?;
        if credential.id() != seat.credential {
            return Err(VoterError::OtherKey);
        }
        let cells = booth.cells(vote).map_err(VoterError::Vote)?;
        let seed = Seed::generate(rng);
        let ballot = booth.seal_from(&seat, &cells, &seed).map_err(VoterError::Vote)?;
        let tracker = booth.tracker(seat.voter, seat.revision, &ballot);
        let commitment = credential.sign(COMMITMENT_DOMAIN, tracker);
        let sealed = Self { election: booth.election, opening, seat, ballot, commitment };
        Ok((sealed, Opening { seed, cells }))
    }

    /// By what the voter finds the ballot on the board.
    pub fn tracker(&self, booth: &Booth<S>) -> Digest {
        booth.tracker(self.seat.voter, self.seat.revision, &self.ballot)
    }

    /// The code that a person notes down before saying what is to become of the ballot.
    pub fn code(&self, booth: &Booth<S>) -> TrackingCode {
        TrackingCode::of_digest(&self.tracker(booth))
    }

    /// Checks that this is a ballot of a voter on this roll to which the voter's key is committed.
    ///
    /// # Errors
    /// [`VoterError`].
    pub fn verify(&self, booth: &Booth<S>, roll: &[Voter]) -> Result<(), VoterError> {
        check_place(booth, roll, (self.election, self.opening), &self.seat)?;
        let (columns, context) = (booth.layout.columns(), booth.context());
        let voter = self.seat.credential;
        self.ballot.verify(columns, &booth.key, context.as_bytes(), voter.as_bytes())?;
        let tracker = self.tracker(booth);
        match voter.verify(COMMITMENT_DOMAIN, tracker, &self.commitment) {
            true => Ok(()),
            false => Err(VoterError::Commitment),
        }
    }

    /// Signs the ballot so that it counts.
    ///
    /// # Errors
    /// [`VoterError`], also if it is not the voter's key.
    pub fn cast(
        &self,
        booth: &Booth<S>,
        roll: &[Voter],
        credential: &Identity,
    ) -> Result<Submission<S>, VoterError> {
        self.verify(booth, roll)?;
        if credential.id() != self.seat.credential {
            return Err(VoterError::OtherKey);
        }
        let Seat { voter, revision, .. } = self.seat;
        let ballot = booth.sign(voter, Some(revision), self.ballot.clone(), credential);
        Ok(Submission { election: self.election, opening: self.opening, ballot })
    }

    /// Seals the vote of an opening again, and says what it is if that makes this very ballot.
    ///
    /// # Errors
    /// [`VoterError::Unlike`] if it makes another; others of [`SealedBallot::verify`].
    pub fn audit(
        &self,
        booth: &Booth<S>,
        roll: &[Voter],
        opening: &Opening,
    ) -> Result<Opened, VoterError> {
        self.verify(booth, roll)?;
        let again = booth.seal_from(&self.seat, &opening.cells, &opening.seed);
        match again.map_err(VoterError::Vote)? == self.ballot {
            true => Ok(booth.layout.decode(&opening.cells)),
            false => Err(VoterError::Unlike),
        }
    }
}

/// Board, opening entry, place, key, revision, ballot, commitment.
impl<S: Scheme> Encode for SealedBallot<S> {
    fn encode(&self, out: &mut Vec<u8>) {
        SEALED.encode(out);
        self.election.encode(out);
        self.opening.encode(out);
        let Seat { voter, credential, revision } = &self.seat;
        voter.encode(out);
        credential.encode(out);
        revision.encode(out);
        self.ballot.encode(out);
        out.extend_from_slice(&self.commitment);
    }
}

impl<S: Scheme> Decode for SealedBallot<S> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        SEALED.expect(reader)?;
        let (election, opening) = (Digest::decode(reader)?, Digest::decode(reader)?);
        let (voter, credential) = (reader.u32()?, AuthorId::decode(reader)?);
        let seat = Seat { voter, credential, revision: SignedBallot::<S>::revision(reader)? };
        let ballot = EncryptedBallot::decode(reader)?;
        Ok(Self { election, opening, seat, ballot, commitment: reader.array()? })
    }
}

/// The seed, and the cells.
impl Encode for Opening {
    fn encode(&self, out: &mut Vec<u8>) {
        OPENING.encode(out);
        out.extend_from_slice(self.seed.as_bytes());
        // A ballot has a few cells.
        u32::try_from(self.cells.len()).unwrap_or(u32::MAX).encode(out);
        self.cells.iter().for_each(|cell| put_bytes(out, cell));
    }
}

impl Decode for Opening {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        OPENING.expect(reader)?;
        let seed = Seed::from_bytes(reader.array()?);
        let count = reader.count("cells", shuffle::ballot::MAX_COLUMNS)?;
        let cell = |reader: &mut Reader<'_>| reader.bytes("cell", MAX_CELL).map(<[u8]>::to_vec);
        let cells = (0..count).map(|_| cell(reader)).collect::<Result<_, _>>()?;
        Ok(Self { seed, cells })
    }
}

/// The two files, one after the other.
impl<S: Scheme> Encode for Audit<S> {
    fn encode(&self, out: &mut Vec<u8>) {
        AUDIT.encode(out);
        self.sealed.encode(out);
        self.opening.encode(out);
    }
}

impl<S: Scheme> Decode for Audit<S> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        AUDIT.expect(reader)?;
        Ok(Self { sealed: SealedBallot::decode(reader)?, opening: Opening::decode(reader)? })
    }
}
