//! What parties say on the board.

use algebra::Group;
use board::{AuthorId, Entry, Head};
use shuffle::{
    PublicKey,
    ballot::{EncryptedBallot, UndecodedBallot, decode_all},
    decrypt::PartialDecryption,
    dkg::{Round1Message, Round2Message, Round3Message},
};
use wire::{Decode, DecodeError, Encode, Reader, put_bytes};

use super::{
    Absence, Close, Closing, MixHeader, MixPart, Opening, Parties, Party, Ready, Rules, Scheme,
    Seen, TereliusWikstrom, key::Key,
};
use crate::description::{ElectionDescription, MAX_CLASSES};

/// The most voters.
pub const MAX_VOTERS: usize = 1_000_000;
/// The most ballots in one entry.
pub const MAX_BATCH: usize = 10_000;
const MAX_NAME: usize = 200;
/// More than a party has the patience to write; a payload holds as many.
const MAX_SEQUENCES: usize = 1 << 24;

/// The genesis entry: what is voted on, and who runs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// What is voted on.
    pub description: ElectionDescription,
    /// Who may write.
    pub parties: Parties,
}

impl Setup {
    /// The rules of the election.
    pub fn rules(&self) -> Rules {
        Rules::of(&self.description)
    }

    /// Reads the genesis entry of an election's board.
    ///
    /// # Errors
    /// [`DecodeError`] if it is of another kind or not canonical, or its description belongs to other rules.
    pub fn from_genesis(entry: &Entry) -> Result<Self, DecodeError> {
        Self::of_kind(entry.kind(), entry.payload())
    }

    fn of_kind(kind: &str, payload: &[u8]) -> Result<Self, DecodeError> {
        let other = || DecodeError::invalid("kind of entry", format!("`{kind}`"));
        if !kind.starts_with("election/setup") {
            return Err(other());
        }
        let setup = Self::from_bytes(payload)?;
        if setup.rules().setup() == kind { Ok(setup) } else { Err(other()) }
    }
}

/// A registered voter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Voter {
    /// Name or pseudonym on the roll.
    pub name: String,
    /// The key under which the voter signs a ballot.
    pub credential: AuthorId,
    /// The voter's class, numbered from 0; `None` in an election without classes.
    pub class: Option<u8>,
}

/// A ballot as a voter hands it to a station.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedBallot<S: Scheme = TereliusWikstrom> {
    /// The voter's place on the roll, counted from 0.
    pub voter: u32,
    /// Which of the voter's ballots it is, counted from 1; `None` where a voter has one only.
    pub revision: Option<u32>,
    /// The sealed ballot.
    pub ballot: EncryptedBallot<S::Group>,
    /// The voter's signature over all that it is bound to, place, revision and ballot.
    pub signature: [u8; 64],
}

/// The operator's last word, which everybody checks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The tally, as JSON.
    pub tally: Vec<u8>,
    /// The entries that were refused on the way, in order.
    pub faults: Vec<u64>,
}

/// Everything that is said on the board of an election.
#[derive(Clone, Debug, PartialEq)]
pub enum Message<S: Scheme = TereliusWikstrom> {
    /// The operator sets the election up; the genesis entry.
    Setup(Setup),
    /// The operator publishes the shuffle's parameters, a file.
    Parameters(Vec<u8>),
    /// The operator publishes the roll.
    Roll(Vec<Voter>),
    /// A trustee commits to its contribution to the key.
    KeyRound1(Round1Message<S::Group>),
    /// A trustee deals shares.
    KeyRound2(Round2Message<S::Group>),
    /// A trustee confirms or complains.
    KeyRound3(Round3Message<S::Group>),
    /// The operator declares that a party does not answer, in version 1.
    Absent(Party),
    /// The operator opens the polls under a key, in version 1.
    Open(PublicKey<S::Group>),
    /// A trustee or a mixer is there.
    Ready(Ready),
    /// The operator says that a party was waited for in vain.
    Absence(Absence),
    /// The operator opens the polls.
    Opening(Opening<S::Group>),
    /// A station posts ballots.
    Ballots(Vec<SignedBallot<S>>),
    /// The operator closes the polls, in version 1.
    Close(Close),
    /// The operator closes the polls.
    Closing(Closing),
    /// A trustee or a mixer saw the closing.
    Seen(Seen),
    /// A mixer that was said to be absent asks for a turn again.
    Back,
    /// A mixer announces a mix.
    MixHeader(MixHeader),
    /// A mixer publishes a part of a mix.
    MixPart(MixPart),
    /// A mixer mixes, in version 1.
    Mix(S::Mix),
    /// A mixer mixes the lists of the classes, each with a mix.
    ClassMixes(Vec<S::Mix>),
    /// A trustee decrypts.
    Decryption(PartialDecryption<S::Group>),
    /// The operator publishes the result.
    Outcome(Outcome),
}

impl<S: Scheme> Message<S> {
    /// A mixer's mixes, one a list.
    pub(super) fn of_mixes(mut mixes: Vec<S::Mix>, has_classes: bool) -> Self {
        match mixes.pop() {
            Some(only) if !has_classes => Self::Mix(only),
            last => {
                mixes.extend(last);
                Self::ClassMixes(mixes)
            }
        }
    }

    /// The board as its author saw it, if the message says it.
    pub fn head(&self) -> Option<&Head> {
        match self {
            Self::Ready(ready) => Some(&ready.head),
            Self::Absence(absence) => Some(&absence.head),
            Self::Opening(opening) => Some(&opening.head),
            Self::Closing(closing) => Some(&closing.head),
            _ => None,
        }
    }

    /// The kind of entry that carries the message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Setup(setup) => setup.rules().setup(),
            Self::Parameters(_) => "election/parameters",
            Self::Roll(roll) if has_classes(roll) => "election/roll/classes",
            Self::Roll(_) => "election/roll",
            Self::KeyRound1(_) => "key/commitments",
            Self::KeyRound2(_) => "key/shares",
            Self::KeyRound3(_) => "key/verdicts",
            Self::Absent(_) => "election/absent",
            Self::Open(_) => "election/open",
            Self::Ballots(ballots) if has_revisions(ballots) => "ballots/revisions",
            Self::Ready(_) => "election/ready",
            Self::Absence(_) => "election/absent/2",
            Self::Opening(_) => "election/open/2",
            Self::Closing(_) => "election/close/2",
            Self::Seen(_) => "election/seen",
            Self::Back => "election/back",
            Self::MixHeader(_) => "mix/header",
            Self::MixPart(_) => "mix/part",
            Self::Ballots(_) => "ballots",
            Self::Close(_) => "election/close",
            Self::Mix(_) => "mix",
            Self::ClassMixes(_) => "mix/classes",
            Self::Decryption(_) => "decryption",
            Self::Outcome(_) => "election/outcome",
        }
    }

    /// Reads the payload of an entry of some kind.
    ///
    /// # Errors
    /// [`DecodeError`] for an unknown kind and for anything but a canonical payload.
    pub fn from_entry(kind: &str, payload: &[u8]) -> Result<Self, DecodeError> {
        Ok(match kind {
            "election/setup" | "election/setup/2" => Self::Setup(Setup::of_kind(kind, payload)?),
            "election/parameters" => Self::Parameters(payload.to_vec()),
            "election/roll" => Self::Roll(Roll::from_bytes(payload)?.0),
            "election/roll/classes" => Self::Roll(ClassRoll::from_bytes(payload)?.0),
            "key/commitments" => Self::KeyRound1(Round1Message::from_bytes(payload)?),
            "key/shares" => Self::KeyRound2(Round2Message::from_bytes(payload)?),
            "key/verdicts" => Self::KeyRound3(Round3Message::from_bytes(payload)?),
            "election/absent" => Self::Absent(Party::from_bytes(payload)?),
            "election/open" => Self::Open(Key::from_bytes(payload)?.0),
            "election/ready" => Self::Ready(Ready::from_bytes(payload)?),
            "election/absent/2" => Self::Absence(Absence::from_bytes(payload)?),
            "election/open/2" => Self::Opening(Opening::from_bytes(payload)?),
            "election/close/2" => Self::Closing(Closing::from_bytes(payload)?),
            "election/seen" => Self::Seen(Seen::from_bytes(payload)?),
            "election/back" => Reader::new(payload).finish().map(|()| Self::Back)?,
            "mix/header" => Self::MixHeader(MixHeader::from_bytes(payload)?),
            "mix/part" => Self::MixPart(MixPart::from_bytes(payload)?),
            "ballots" => Self::Ballots(Batch::from_bytes(payload)?.0),
            "ballots/revisions" => Self::Ballots(Revisions::from_bytes(payload)?.0),
            "election/close" => Self::Close(Close::from_bytes(payload)?),
            "mix" => Self::Mix(S::Mix::from_bytes(payload)?),
            "mix/classes" => Self::ClassMixes(Mixes::<S>::from_bytes(payload)?.0),
            "decryption" => Self::Decryption(PartialDecryption::from_bytes(payload)?),
            "election/outcome" => Self::Outcome(Outcome::from_bytes(payload)?),
            other => return Err(DecodeError::invalid("kind of entry", format!("`{other}`"))),
        })
    }
}

impl<S: Scheme> Encode for Message<S> {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Setup(setup) => setup.encode(out),
            Self::Parameters(file) => out.extend_from_slice(file),
            Self::Roll(voters) => encode_list(voters, out),
            Self::KeyRound1(message) => message.encode(out),
            Self::KeyRound2(message) => message.encode(out),
            Self::KeyRound3(message) => message.encode(out),
            Self::Absent(party) => party.encode(out),
            Self::Open(key) => out.extend(key.point().encode()),
            Self::Ready(ready) => ready.encode(out),
            Self::Absence(absence) => absence.encode(out),
            Self::Opening(opening) => opening.encode(out),
            Self::Closing(closing) => closing.encode(out),
            Self::Seen(seen) => seen.encode(out),
            Self::Back => {}
            Self::MixHeader(header) => header.encode(out),
            Self::MixPart(part) => part.encode(out),
            Self::Ballots(ballots) => encode_list(ballots, out),
            Self::Close(close) => close.encode(out),
            Self::Mix(mix) => mix.encode(out),
            Self::ClassMixes(mixes) => encode_list(mixes, out),
            Self::Decryption(partial) => partial.encode(out),
            Self::Outcome(outcome) => outcome.encode(out),
        }
    }
}

fn encode_list(items: &[impl Encode], out: &mut Vec<u8>) {
    // No entry is large enough for more.
    u32::try_from(items.len()).unwrap_or(u32::MAX).encode(out);
    items.iter().for_each(|item| item.encode(out));
}

fn decode_list<T: Decode>(
    reader: &mut Reader<'_>,
    what: &'static str,
    limit: usize,
) -> Result<Vec<T>, DecodeError> {
    let count = reader.count(what, limit)?;
    (0..count).map(|_| T::decode(reader)).collect()
}

struct Roll(Vec<Voter>);

impl Decode for Roll {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        decode_list(reader, "voters", MAX_VOTERS).map(Self)
    }
}

/// Voters with their classes; at least one, or there would be two forms of an empty roll.
struct ClassRoll(Vec<Voter>);

impl Decode for ClassRoll {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.count("voters", MAX_VOTERS)?;
        if count == 0 {
            return Err(DecodeError::invalid("voters", "there are none"));
        }
        let voter = |reader: &mut Reader<'_>| {
            let voter = Voter::decode(reader)?;
            Ok(Voter { class: Some(reader.u8()?), ..voter })
        };
        (0..count).map(|_| voter(reader)).collect::<Result<_, _>>().map(Self)
    }
}

/// Whether the roll says in which classes the voters are.
fn has_classes(roll: &[Voter]) -> bool {
    roll.iter().any(|voter| voter.class.is_some())
}

pub(super) struct Mixes<S: Scheme>(pub(super) Vec<S::Mix>);

impl<S: Scheme> Decode for Mixes<S> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        decode_list(reader, "mixes", MAX_CLASSES).map(Self)
    }
}

struct Batch<S: Scheme>(Vec<SignedBallot<S>>);

impl<S: Scheme> Decode for Batch<S> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.count("ballots", MAX_BATCH)?;
        SignedBallot::decode_list(reader, count, |_| Ok(None)).map(Self)
    }
}

/// Ballots with their revisions; at least one, or there would be two forms of an empty batch.
struct Revisions<S: Scheme>(Vec<SignedBallot<S>>);

impl<S: Scheme> Decode for Revisions<S> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let count = reader.count("ballots", MAX_BATCH)?;
        if count == 0 {
            return Err(DecodeError::invalid("ballots", "there are none"));
        }
        let revision = |reader: &mut Reader<'_>| SignedBallot::<S>::revision(reader).map(Some);
        SignedBallot::decode_list(reader, count, revision).map(Self)
    }
}

/// Whether voters may vote again.
fn has_revisions<S: Scheme>(ballots: &[SignedBallot<S>]) -> bool {
    ballots.iter().any(|ballot| ballot.revision.is_some())
}

impl Encode for Setup {
    fn encode(&self, out: &mut Vec<u8>) {
        self.description.encode(out);
        self.parties.encode(out);
    }
}

impl Decode for Setup {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let description = ElectionDescription::decode(reader)?;
        Ok(Self { description, parties: Parties::decode(reader)? })
    }
}

/// With the class behind it, if there is one.
impl Encode for Voter {
    fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.name.as_bytes());
        self.credential.encode(out);
        out.extend(self.class);
    }
}

impl Decode for Voter {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let name = reader.text("voter's name", MAX_NAME)?.to_owned();
        if name.is_empty() || name.chars().any(char::is_control) {
            return Err(DecodeError::invalid("voter's name", "empty, or with control characters"));
        }
        Ok(Self { name, credential: AuthorId::decode(reader)?, class: None })
    }
}

/// With the revision behind the voter, if there is one.
impl<S: Scheme> Encode for SignedBallot<S> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.voter.encode(out);
        self.revision.iter().for_each(|revision| revision.encode(out));
        self.ballot.encode(out);
        out.extend_from_slice(&self.signature);
    }
}

impl<S: Scheme> SignedBallot<S> {
    /// Reads a ballot of a voter who may vote again.
    ///
    /// # Errors
    /// [`DecodeError`] for anything but its canonical encoding.
    pub fn decode_revision(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let (voter, revision) = (reader.u32()?, Some(Self::revision(reader)?));
        let ballot = EncryptedBallot::decode(reader)?;
        Ok(Self { voter, revision, ballot, signature: reader.array()? })
    }

    /// Reads so many ballots, whose points are decoded together.
    fn decode_list(
        reader: &mut Reader<'_>,
        count: usize,
        revision: impl Fn(&mut Reader<'_>) -> Result<Option<u32>, DecodeError>,
    ) -> Result<Vec<Self>, DecodeError> {
        let (mut seats, mut undecoded) = (Vec::new(), Vec::new());
        for _ in 0..count {
            let (voter, revision) = (reader.u32()?, revision(reader)?);
            undecoded.push(UndecodedBallot::read(reader)?);
            seats.push((voter, revision, reader.array()?));
        }
        let signed =
            |((voter, revision, signature), ballot)| Self { voter, revision, ballot, signature };
        Ok(seats.into_iter().zip(decode_all(&undecoded)?).map(signed).collect())
    }

    pub(super) fn revision(reader: &mut Reader<'_>) -> Result<u32, DecodeError> {
        match reader.u32()? {
            0 => Err(DecodeError::invalid("revision", "they count from 1")),
            revision => Ok(revision),
        }
    }
}

impl Encode for Outcome {
    fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, &self.tally);
        encode_list(&self.faults, out);
    }
}

impl Decode for Outcome {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let tally = reader.bytes("tally", 1 << 20)?.to_vec();
        let count = reader.count("refused entries", MAX_SEQUENCES)?;
        let faults = (0..count).map(|_| reader.u64()).collect::<Result<_, _>>()?;
        Ok(Self { tally, faults })
    }
}
