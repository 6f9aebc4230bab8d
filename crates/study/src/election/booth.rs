//! What a voter's device needs, and what it makes of a vote: a sealed ballot.

use std::sync::Arc;

use algebra::{Embed, Group, Scalar as _};
use board::{AuthorId, Identity};
use rand_chacha::ChaCha20Rng;
use rand_core::{CryptoRng, SeedableRng};
use shuffle::{
    PublicKey,
    ballot::{EncryptedBallot, TrackingCode},
};
use wire::{Digest, DigestWriter, Encode};
use zeroize::{Zeroize, ZeroizeOnDrop, Zeroizing};

use super::{Rule, Scheme, SignedBallot, TereliusWikstrom};
use crate::preferences::{Ballot, BallotLayout, Cell};

const SIGNATURE_DOMAIN: &str = "subrosa/election/ballot/v1";
const CLASS_DOMAIN: &str = "subrosa/election/ballot/class/v1";
const REVISION_DOMAIN: &str = "subrosa/election/ballot/v2";
const SEAL_DOMAIN: &str = "subrosa/election/seal/v1";
const TRACKER_DOMAIN: &str = "subrosa/election/tracker/v1";

/// What a voter's device needs to know to seal a ballot.
#[derive(Clone, Debug)]
pub struct Booth<S: Scheme = TereliusWikstrom> {
    /// The election's name: the board's.
    pub election: Digest,
    /// Where voters may vote again and the greatest revision counts: the digest of the opening entry, which
    /// stands behind everything that was said before.
    pub opening: Option<Digest>,
    /// The election's key.
    pub key: PublicKey<S::Group>,
    /// How ballots are laid out.
    pub layout: BallotLayout,
    /// The class of every voter, by place on the roll; empty in an election without classes.
    pub classes: Arc<[u8]>,
}

/// Whose ballot it is, and which of the voter's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seat {
    /// The voter's place on the roll, counted from 0.
    pub voter: u32,
    /// The voter's key.
    pub credential: AuthorId,
    /// Which of the voter's ballots it is, counted from 1: the greatest counts.
    pub revision: u32,
}

/// What a ballot was sealed from: 32 bytes from the system's generator, for one ballot. Whoever knows them can
/// show what is in it. Erased when dropped.
#[derive(Clone, PartialEq, Eq, Zeroize, ZeroizeOnDrop)]
pub struct Seed([u8; 32]);

impl Seed {
    /// Draws a seed.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut seed = [0; 32];
        rng.fill_bytes(&mut seed);
        Self(seed)
    }

    /// A seed that was drawn before.
    pub fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl<S: Scheme> Booth<S> {
    /// What ballots are bound to: the opening entry, or the board if ballots have no revisions.
    pub fn context(&self) -> Digest {
        self.opening.unwrap_or(self.election)
    }

    /// Seals and signs a voter's first ballot on the voter's side, constant time.
    ///
    /// # Errors
    /// The reason, if the ballot is not one of this election.
    pub fn seal(
        &self,
        voter: u32,
        credential: &Identity,
        ballot: impl Into<Ballot>,
        rng: &mut impl CryptoRng,
    ) -> Result<SignedBallot<S>, String> {
        let cells = self.cells(&ballot.into())?;
        let name = credential.id();
        let (revision, ballot) = if self.opening.is_some() {
            let seat = Seat { voter, credential: name, revision: 1 };
            (Some(1), self.seal_from(&seat, &cells, &Seed::generate(rng))?)
        } else {
            let (columns, context) = (embed::<S>(&cells)?, self.election);
            let context = context.as_bytes();
            let ballot =
                EncryptedBallot::encrypt(&columns, &self.key, context, name.as_bytes(), rng);
            (None, ballot.map_err(|error| error.to_string())?)
        };
        Ok(self.sign(voter, revision, ballot, credential))
    }

    /// The ballot that a seat's seed makes of a vote, the same at every call, constant time. All of its
    /// randomness depends on all that is proven, so that a seed that serves twice gives away nothing but that.
    ///
    /// # Errors
    /// The reason, if the cells are not those of a ballot of this election.
    pub fn seal_from(
        &self,
        seat: &Seat,
        cells: &[Cell],
        seed: &Seed,
    ) -> Result<EncryptedBallot<S::Group>, String> {
        let columns = embed::<S>(cells)?;
        let mut rng = self.randomness(seat, cells, seed);
        let randomness =
            Zeroizing::new(<S::Group as Group>::Scalar::random_many(columns.len(), &mut rng));
        let mask = Zeroizing::new(<S::Group as Group>::Scalar::random(&mut rng));
        let (context, voter) = (self.context(), seat.credential);
        let sealed = EncryptedBallot::encrypt_from(
            &columns,
            &self.key,
            context.as_bytes(),
            voter.as_bytes(),
            (&randomness, &mask),
        );
        sealed.map_err(|error| error.to_string())
    }

    fn randomness(&self, seat: &Seat, cells: &[Cell], seed: &Seed) -> ChaCha20Rng {
        let mut writer = DigestWriter::new(SEAL_DOMAIN);
        writer.update(seed.as_bytes());
        writer.update(self.context().as_bytes());
        writer.update(&self.key.point().encode());
        writer.update(&seat.voter.to_le_bytes());
        writer.update(seat.credential.as_bytes());
        writer.update(&seat.revision.to_le_bytes());
        cells.iter().for_each(|cell| writer.update(cell));
        ChaCha20Rng::from_seed(*writer.finish().as_bytes())
    }

    /// What a ballot says, cell by cell.
    ///
    /// # Errors
    /// The reason, if it is not one of this election.
    pub fn cells(&self, ballot: &Ballot) -> Result<Vec<Cell>, String> {
        self.layout.encode(ballot).map_err(|reason| reason.to_string())
    }

    /// Signs a sealed ballot, as the voter does who casts it.
    pub fn sign(
        &self,
        voter: u32,
        revision: Option<u32>,
        ballot: EncryptedBallot<S::Group>,
        credential: &Identity,
    ) -> SignedBallot<S> {
        let (domain, signed) = self.signed(voter, revision, &ballot);
        let signature = credential.sign(domain, signed);
        SignedBallot { voter, revision, ballot, signature }
    }

    /// Whether a voter signed a ballot.
    pub fn is_signed(&self, credential: &AuthorId, ballot: &SignedBallot<S>) -> bool {
        let (domain, signed) = self.signed(ballot.voter, ballot.revision, &ballot.ballot);
        credential.verify(domain, signed, &ballot.signature)
    }

    /// By what a voter finds a ballot, and nobody else another: a digest of the opening entry, the voter, the
    /// voter's class, the revision and the sealed ballot.
    pub fn tracker(&self, voter: u32, revision: u32, ballot: &EncryptedBallot<S::Group>) -> Digest {
        let mut writer = DigestWriter::new(TRACKER_DOMAIN);
        writer.update(self.context().as_bytes());
        writer.update(&voter.to_le_bytes());
        // One more than the class, which numbers from 0.
        let class = self.class_of(voter).map_or(0, |class| u16::from(class) + 1);
        writer.update(&class.to_le_bytes());
        if Rule::TrackerOfRevision.is_kept() {
            writer.update(&revision.to_le_bytes());
        }
        if Rule::TrackerOfBallot.is_kept() {
            writer.update(&ballot.to_bytes());
        }
        writer.finish()
    }

    /// The code by which a person finds a ballot.
    pub fn code(&self, ballot: &SignedBallot<S>) -> TrackingCode {
        let SignedBallot { voter, revision, ballot, .. } = ballot;
        match revision {
            Some(revision) => TrackingCode::of_digest(&self.tracker(*voter, *revision, ballot)),
            None => ballot.tracking_code(),
        }
    }

    /// The class that the roll says is signed too: an operator who shows another roll beside the first one
    /// moves no ballot to another class.
    fn signed(
        &self,
        voter: u32,
        revision: Option<u32>,
        ballot: &EncryptedBallot<S::Group>,
    ) -> (&'static str, Digest) {
        if let Some(revision) = revision {
            return (REVISION_DOMAIN, self.tracker(voter, revision, ballot));
        }
        let class = self.class_of(voter);
        let domain = if class.is_some() { CLASS_DOMAIN } else { SIGNATURE_DOMAIN };
        let mut writer = DigestWriter::new(domain);
        writer.update(self.election.as_bytes());
        writer.update(&voter.to_le_bytes());
        class.iter().for_each(|class| writer.update(&[*class]));
        writer.update(&ballot.to_bytes());
        (domain, writer.finish())
    }

    /// The class of the voter at a place on the roll, numbered from 0.
    pub fn class_of(&self, voter: u32) -> Option<u8> {
        self.classes.get(voter as usize).copied()
    }
}

/// The points that carry cells.
fn embed<S: Scheme>(cells: &[Cell]) -> Result<Vec<S::Group>, String> {
    cells.iter().map(|cell| S::Group::embed(cell).map_err(|error| error.to_string())).collect()
}
