//! What parties say on the board.

use board::AuthorId;
use shuffle::dkg::{Round1Message, Round2Message, Round3Message};
use trace::{Direction, Query, TraceError, routed::PermutationMessage};
use trace_db::{
    DealtKey, G1, KeyMaking, Offer, PaillierTurn, Part, SealingKey, Session, SessionRules, Step,
    Submission, decode_dealer,
    paillier::{PartialDecryption, bcp::Contribution},
};
use wire::{Decode, DecodeError, Digest, Encode, Reader, put_bytes};

use super::GENESIS;
use crate::tracing::messages::{MAX_REASON, MAX_SENDERS, MAX_SERVERS, MAX_TITLE, keys, put_keys};

/// The genesis entry: who runs the session, who deals, and who may submit.
#[derive(Clone)]
pub struct DbSetup {
    /// What the session is about.
    pub title: String,
    /// Who makes the Paillier key.
    pub keys: KeyMaking,
    /// Who deals, if somebody does.
    pub dealer: Option<AuthorId>,
    /// The signing keys of servers 1..=m.
    pub servers: Vec<AuthorId>,
    /// Who may submit.
    pub senders: Vec<AuthorId>,
}

impl DbSetup {
    /// The rules of the session on the board of this name.
    ///
    /// # Errors
    /// [`TraceError::Rules`].
    pub fn rules(&self, board: &Digest) -> Result<SessionRules, TraceError> {
        let (servers, keys) = (self.servers.clone(), self.keys.clone());
        SessionRules::new(board.as_bytes(), servers, keys, self.dealer)
    }
}

/// Everything that is said on the board.
pub enum DbMessage {
    /// The operator sets the session up; the genesis entry.
    Setup(DbSetup),
    /// A server commits to its contribution to the ElGamal key.
    KeyRound1(Round1Message<G1>),
    /// A server deals shares.
    KeyRound2(Round2Message<G1>),
    /// A server confirms.
    KeyRound3(Round3Message<G1>),
    /// A server's key for what is sealed to it.
    SealingKey(SealingKey),
    /// A server's contribution to the Paillier key.
    Contribution(Contribution),
    /// The dealer's Paillier key.
    DealtKey(Box<DealtKey>),
    /// Whether a server's share is one of the dealer's key.
    Confirmation(bool),
    /// A sender submits.
    Submission(Box<Submission>),
    /// The operator closes the submissions.
    Close,
    /// A server commits to its permutation.
    Permutation(PermutationMessage<G1>),
    /// A server mixes.
    MixTurn(PaillierTurn),
    /// A server signs inputs and mix.
    MixSignature([u8; 64]),
    /// A server decrypts the outputs.
    Decryption(PartialDecryption),
    /// A querier asks, with its signatures for both passes.
    Query(Query<G1>, Box<[Offer; 2]>),
    /// A server refuses a query.
    Refusal(Digest, String),
    /// A step of both passes of a query, which goes in or out.
    Said(Digest, Direction, Box<[Part; 2]>),
}

/// What some messages cannot be read without.
pub struct Known<'a> {
    /// The rules, but for the genesis entry.
    pub rules: Option<&'a SessionRules>,
    /// The session, once it has its keys.
    pub session: Option<&'a Session>,
}

impl Known<'_> {
    fn session(&self) -> Result<&Session, DecodeError> {
        self.session.ok_or_else(|| DecodeError::invalid("entry", "the session has no keys yet"))
    }

    fn keys(&self) -> Result<&KeyMaking, DecodeError> {
        let rules =
            self.rules.ok_or_else(|| DecodeError::invalid("entry", "it comes too early"))?;
        Ok(rules.keys())
    }
}

/// `trace/db/query/in/turn` and the like.
fn step_kind(direction: Direction, step: Step) -> String {
    let way = if direction == Direction::In { "in" } else { "out" };
    format!("trace/db/query/{way}/{}", step.name())
}

fn step_of(kind: &str) -> Option<(Direction, Step)> {
    [Direction::In, Direction::Out]
        .into_iter()
        .flat_map(|direction| Step::of(direction).iter().map(move |&step| (direction, step)))
        .find(|&(direction, step)| step_kind(direction, step) == kind)
}

impl DbMessage {
    /// The kind of entry that carries the message.
    pub fn kind(&self) -> String {
        let kind = match self {
            Self::Setup(_) => GENESIS,
            Self::KeyRound1(_) => "trace/db/key/commitments",
            Self::KeyRound2(_) => "trace/db/key/shares",
            Self::KeyRound3(_) => "trace/db/key/verdicts",
            Self::SealingKey(_) => "trace/db/key/sealing",
            Self::Contribution(_) => "trace/db/key/paillier",
            Self::DealtKey(_) => "trace/db/key/dealt",
            Self::Confirmation(_) => "trace/db/key/confirmation",
            Self::Submission(_) => "trace/db/submission",
            Self::Close => "trace/db/close",
            Self::Permutation(_) => "trace/db/permutation",
            Self::MixTurn(_) => "trace/db/mix",
            Self::MixSignature(_) => "trace/db/mix/signature",
            Self::Decryption(_) => "trace/db/decryption",
            Self::Query(query, _) => match query.direction() {
                Direction::In => "trace/db/query/in",
                Direction::Out => "trace/db/query/out",
            },
            Self::Refusal(..) => "trace/db/query/refusal",
            Self::Said(_, direction, parts) => {
                let [first, _] = parts.as_ref();
                return step_kind(*direction, first.step());
            }
        };
        kind.to_owned()
    }

    /// What of its kind the message is: what is said about which query.
    pub fn subject(&self) -> Vec<u8> {
        match self {
            Self::Query(query, _) => query.id().as_bytes().to_vec(),
            Self::Refusal(id, _) | Self::Said(id, ..) => id.as_bytes().to_vec(),
            _ => Vec::new(),
        }
    }

    /// Decodes what an entry carries.
    ///
    /// # Errors
    /// [`DecodeError`] for an unknown kind, for what comes before it can be read, and for anything
    /// but a canonical encoding.
    pub fn from_entry(kind: &str, payload: &[u8], known: &Known<'_>) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(payload);
        let r = &mut reader;
        let message = match kind {
            GENESIS => Self::Setup(DbSetup::decode(r)?),
            "trace/db/key/commitments" => Self::KeyRound1(Round1Message::decode(r)?),
            "trace/db/key/shares" => Self::KeyRound2(Round2Message::decode(r)?),
            "trace/db/key/verdicts" => Self::KeyRound3(Round3Message::decode(r)?),
            "trace/db/key/sealing" => Self::SealingKey(SealingKey::decode(r)?),
            "trace/db/key/paillier" | "trace/db/key/dealt" => Self::decode_key(kind, r, known)?,
            "trace/db/key/confirmation" => match r.u8()? {
                0 => Self::Confirmation(false),
                1 => Self::Confirmation(true),
                _ => return Err(DecodeError::invalid("confirmation", "neither 0 nor 1")),
            },
            "trace/db/submission" => {
                Self::Submission(Box::new(Submission::decode(r, known.session()?)?))
            }
            "trace/db/close" => Self::Close,
            "trace/db/permutation" => Self::Permutation(PermutationMessage::decode(r)?),
            "trace/db/mix" => Self::MixTurn(PaillierTurn::decode(r, known.session()?)?),
            "trace/db/mix/signature" => Self::MixSignature(r.array()?),
            "trace/db/decryption" => {
                Self::Decryption(PartialDecryption::decode(r, known.session()?.paillier())?)
            }
            "trace/db/query/in" => Self::decode_query(r, Direction::In)?,
            "trace/db/query/out" => Self::decode_query(r, Direction::Out)?,
            "trace/db/query/refusal" => {
                Self::Refusal(Digest::decode(r)?, r.text("reason", MAX_REASON)?.to_owned())
            }
            other => {
                let unknown =
                    || DecodeError::invalid("kind", format!("`{other}` is not known here"));
                let step = step_of(other).ok_or_else(unknown)?;
                let (id, session) = (Digest::decode(r)?, known.session()?);
                let parts = [Part::decode(r, step, session)?, Part::decode(r, step, session)?];
                Self::Said(id, step.0, Box::new(parts))
            }
        };
        reader.finish()?;
        Ok(message)
    }

    fn decode_key(kind: &str, r: &mut Reader<'_>, known: &Known<'_>) -> Result<Self, DecodeError> {
        match (kind, known.keys()?) {
            ("trace/db/key/paillier", KeyMaking::Servers(parameters)) => {
                Ok(Self::Contribution(parameters.decode_contribution(r)?))
            }
            ("trace/db/key/dealt", KeyMaking::Dealer(size)) => {
                Ok(Self::DealtKey(Box::new(DealtKey::decode(r, *size)?)))
            }
            _ => Err(DecodeError::invalid("Paillier key", "it is made in another way")),
        }
    }

    fn decode_query(r: &mut Reader<'_>, direction: Direction) -> Result<Self, DecodeError> {
        let query = Query::decode(r)?;
        if query.direction() != direction {
            return Err(DecodeError::invalid("query", "it goes the other way"));
        }
        let offers = [Offer::decode(r, direction)?, Offer::decode(r, direction)?];
        Ok(Self::Query(query, Box::new(offers)))
    }
}

/// The fields of the message, in order.
impl Encode for DbMessage {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Setup(setup) => setup.encode(out),
            Self::KeyRound1(message) => message.encode(out),
            Self::KeyRound2(message) => message.encode(out),
            Self::KeyRound3(message) => message.encode(out),
            Self::SealingKey(message) => message.encode(out),
            Self::Contribution(message) => message.encode(out),
            Self::DealtKey(message) => message.encode(out),
            Self::Confirmation(holds) => u8::from(*holds).encode(out),
            Self::Submission(submission) => submission.encode(out),
            Self::Close => {}
            Self::Permutation(message) => message.encode(out),
            Self::MixTurn(turn) => turn.encode(out),
            Self::MixSignature(signature) => out.extend_from_slice(signature),
            Self::Decryption(partial) => partial.encode(out),
            Self::Query(query, offers) => {
                query.encode(out);
                offers.iter().for_each(|offer| offer.encode(out));
            }
            Self::Refusal(id, reason) => {
                id.encode(out);
                put_bytes(out, reason.as_bytes());
            }
            Self::Said(id, _, parts) => {
                id.encode(out);
                parts.iter().for_each(|part| part.encode(out));
            }
        }
    }
}

/// Title, who makes the Paillier key, whether there is a dealer, the dealer, counted servers,
/// counted senders.
impl Encode for DbSetup {
    fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.title.as_bytes());
        self.keys.encode(out);
        u8::from(self.dealer.is_some()).encode(out);
        if let Some(dealer) = &self.dealer {
            dealer.encode(out);
        }
        put_keys(&self.servers, out);
        put_keys(&self.senders, out);
    }
}

impl Decode for DbSetup {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let title = reader.text("title", MAX_TITLE)?.to_owned();
        let (making, dealer) = (KeyMaking::decode(reader)?, decode_dealer(reader)?);
        let servers = keys(reader, "servers", MAX_SERVERS)?;
        let senders = keys(reader, "senders", MAX_SENDERS)?;
        Ok(Self { title, keys: making, dealer, servers, senders })
    }
}
