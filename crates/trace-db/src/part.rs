//! What is said in a pass, step by step, and how it travels.

use std::fmt;

use shuffle::decrypt::PartialDecryption;
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use super::{
    Announcement, SealedResponse, Session,
    bases::G1,
    rsm::{RsmDealing, RsmFakes, RsmPartial, RsmTurn},
    sm::SmBlinding,
};
use trace::{Direction, routed::Turn};

/// A step of a pass. All parties do a step before any does the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Going out: every server hides what is not signed.
    Fakes,
    /// The servers pass the lists on, one after the other.
    Turn,
    /// Going in: every server commits to its blinding,
    BlindingCommitment,
    /// and shows it.
    Blinding,
    /// Going out: the dealer deals blindings.
    Dealing,
    /// Every server signs all this.
    Signature,
    /// Every server decrypts partially.
    Share,
    /// Every server commits to its announcement in the proof,
    Commitment,
    /// shows it,
    Announcement,
    /// and responds, to the querier alone.
    Response,
}

impl Step {
    /// The steps of a pass, in order.
    pub fn of(direction: Direction) -> &'static [Self] {
        use Step::*;
        match direction {
            Direction::In => &[
                Turn,
                BlindingCommitment,
                Blinding,
                Signature,
                Share,
                Commitment,
                Announcement,
                Response,
            ],
            Direction::Out => {
                &[Fakes, Turn, Dealing, Signature, Share, Commitment, Announcement, Response]
            }
        }
    }

    /// The name of the step in kinds of entries.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fakes => "fakes",
            Self::Turn => "turn",
            Self::BlindingCommitment => "blinding-commitment",
            Self::Blinding => "blinding",
            Self::Dealing => "dealing",
            Self::Signature => "signature",
            Self::Share => "share",
            Self::Commitment => "commitment",
            Self::Announcement => "announcement",
            Self::Response => "response",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fakes => "points outside I",
            Self::Turn => "turn",
            Self::BlindingCommitment => "commitment to a blinding",
            Self::Blinding => "blinding",
            Self::Dealing => "dealt blindings",
            Self::Signature => "signature",
            Self::Share => "decryption share",
            Self::Commitment => "commitment to an announcement",
            Self::Announcement => "announcement",
            Self::Response => "sealed response",
        })
    }
}

/// A message of one step of a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Encryptions of secret points.
    Fakes(RsmFakes),
    /// A turn going in.
    SmTurn(Turn<G1>),
    /// A turn going out.
    RsmTurn(RsmTurn),
    /// The hash of a blinding.
    BlindingCommitment(Digest),
    /// A blinding.
    Blinding(SmBlinding),
    /// Blindings of all servers.
    Dealing(RsmDealing),
    /// A signature on the pass.
    Signature([u8; 64]),
    /// Decryption shares going in.
    SmShare(PartialDecryption<G1>),
    /// Decryption shares going out.
    RsmShare(RsmPartial),
    /// The hash of an announcement.
    Commitment(Digest),
    /// An announcement.
    Announcement(Announcement),
    /// A response.
    Response(SealedResponse),
}

impl Part {
    /// In which step it is said.
    pub fn step(&self) -> Step {
        match self {
            Self::Fakes(_) => Step::Fakes,
            Self::SmTurn(_) | Self::RsmTurn(_) => Step::Turn,
            Self::BlindingCommitment(_) => Step::BlindingCommitment,
            Self::Blinding(_) => Step::Blinding,
            Self::Dealing(_) => Step::Dealing,
            Self::Signature(_) => Step::Signature,
            Self::SmShare(_) | Self::RsmShare(_) => Step::Share,
            Self::Commitment(_) => Step::Commitment,
            Self::Announcement(_) => Step::Announcement,
            Self::Response(_) => Step::Response,
        }
    }

    /// Reads a message of a step in a session.
    ///
    /// # Errors
    /// [`DecodeError`] on anything but a canonical encoding.
    pub fn decode(
        reader: &mut Reader<'_>,
        (direction, step): (Direction, Step),
        session: &Session,
    ) -> Result<Self, DecodeError> {
        Ok(match (step, direction) {
            (Step::Fakes, _) => Self::Fakes(RsmFakes::decode(reader)?),
            (Step::Turn, Direction::In) => Self::SmTurn(Turn::decode(reader)?),
            (Step::Turn, Direction::Out) => Self::RsmTurn(RsmTurn::decode(reader, session)?),
            (Step::BlindingCommitment, _) => Self::BlindingCommitment(Digest::decode(reader)?),
            (Step::Blinding, _) => Self::Blinding(SmBlinding::decode(reader)?),
            (Step::Dealing, _) => Self::Dealing(RsmDealing::decode(reader, session)?),
            (Step::Signature, _) => Self::Signature(reader.array()?),
            (Step::Share, Direction::In) => Self::SmShare(PartialDecryption::decode(reader)?),
            (Step::Share, Direction::Out) => Self::RsmShare(RsmPartial::decode(reader, session)?),
            (Step::Commitment, _) => Self::Commitment(Digest::decode(reader)?),
            (Step::Announcement, _) => Self::Announcement(Announcement::decode(reader)?),
            (Step::Response, _) => Self::Response(SealedResponse::decode(reader)?),
        })
    }
}

/// The message of the step, as its own type has it.
impl Encode for Part {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Fakes(message) => message.encode(out),
            Self::SmTurn(message) => message.encode(out),
            Self::RsmTurn(message) => message.encode(out),
            Self::Blinding(message) => message.encode(out),
            Self::Dealing(message) => message.encode(out),
            Self::Signature(signature) => out.extend_from_slice(signature),
            Self::SmShare(message) => message.encode(out),
            Self::RsmShare(message) => message.encode(out),
            Self::BlindingCommitment(digest) | Self::Commitment(digest) => digest.encode(out),
            Self::Announcement(message) => message.encode(out),
            Self::Response(message) => message.encode(out),
        }
    }
}
