//! What parties say on the board of a traceable mix.

use algebra::Ristretto255;
use board::AuthorId;
use shuffle::{
    decrypt::PartialDecryption,
    dkg::{Round1Message, Round2Message, Round3Message},
};
use trace::{
    Query, TraceError,
    routed::{Blinding, Complaint, PermutationMessage, Rules, SealedShare, Submission, Turn},
};
use wire::{Decode, DecodeError, Digest, Encode, Reader, put_bytes};

/// The group of the session: no trusted setup, and points that carry text.
pub type G = Ristretto255;

/// The most senders.
pub const MAX_SENDERS: usize = 1_000_000;
/// The domain of the names of complaints.
const COMPLAINT: &str = "subrosa/trace/complaint/v1";
pub(super) const MAX_TITLE: usize = 1000;
pub(super) const MAX_REASON: usize = 1000;
pub(super) const MAX_SERVERS: usize = 255;

/// The genesis entry: who runs the session, and who may submit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// What the session is about.
    pub title: String,
    /// How many servers decrypt.
    pub threshold: u16,
    /// Group elements of a ballot.
    pub blocks: u16,
    /// Ballots that a sender may submit, of which the last counts.
    pub ballots: u32,
    /// The signing keys of servers 1..=m.
    pub servers: Vec<AuthorId>,
    /// Who may submit.
    pub senders: Vec<AuthorId>,
}

impl Setup {
    /// The rules of the session on the board of this name.
    ///
    /// # Errors
    /// [`TraceError::Rules`].
    pub fn rules(&self, board: &Digest) -> Result<Rules, TraceError> {
        let context = board.as_bytes();
        Rules::new(context, self.servers.clone(), self.threshold, self.blocks, self.ballots)
    }
}

/// Everything that is said on the board of a traceable mix.
#[derive(Clone, Debug, PartialEq)]
pub enum Message {
    /// The operator sets the session up; the genesis entry.
    Setup(Setup),
    /// A server commits to its contribution to the key.
    KeyRound1(Round1Message<G>),
    /// A server deals shares.
    KeyRound2(Round2Message<G>),
    /// A server confirms.
    KeyRound3(Round3Message<G>),
    /// A sender submits a ballot.
    Submission(Submission<G>),
    /// The operator closes the submissions.
    Close,
    /// A server commits to its permutation.
    Permutation(PermutationMessage<G>),
    /// A server mixes.
    MixTurn(Turn<G>),
    /// A server signs inputs and mix.
    MixSignature([u8; 64]),
    /// A server decrypts the outputs.
    Decryption(PartialDecryption<G>),
    /// A querier asks.
    Query(Query<G>),
    /// A server refuses a query.
    Refusal(Digest, String),
    /// A server passes a query's markers on.
    QueryTurn(Digest, Turn<G>),
    /// A server blinds a query's sums.
    Blinding(Digest, Blinding<G>),
    /// A server signs a query.
    QuerySignature(Digest, [u8; 64]),
    /// A server sends the querier its share of a request, sealed.
    Share(Digest, u32, SealedShare<G>),
    /// A querier shows everybody a false share.
    Complaint(Digest, Box<Complaint<G>>),
}

impl Message {
    /// The kind of entry that carries the message.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Setup(_) => "trace/setup",
            Self::KeyRound1(_) => "trace/key/commitments",
            Self::KeyRound2(_) => "trace/key/shares",
            Self::KeyRound3(_) => "trace/key/verdicts",
            Self::Submission(_) => "trace/submission",
            Self::Close => "trace/close",
            Self::Permutation(_) => "trace/permutation",
            Self::MixTurn(_) => "trace/mix",
            Self::MixSignature(_) => "trace/mix/signature",
            Self::Decryption(_) => "trace/decryption",
            Self::Query(_) => "trace/query",
            Self::Refusal(..) => "trace/query/refusal",
            Self::QueryTurn(..) => "trace/query/turn",
            Self::Blinding(..) => "trace/query/blinding",
            Self::QuerySignature(..) => "trace/query/signature",
            Self::Share(..) => "trace/query/share",
            Self::Complaint(..) => "trace/query/complaint",
        }
    }

    /// What of its kind the message is: a sender's first or second ballot, what is said about which query.
    pub fn subject(&self) -> Vec<u8> {
        let query = |id: &Digest| id.as_bytes().to_vec();
        match self {
            Self::Submission(submission) => submission.number().to_string().into_bytes(),
            Self::Query(asked) => query(asked.id()),
            Self::Refusal(id, _)
            | Self::QueryTurn(id, _)
            | Self::Blinding(id, _)
            | Self::QuerySignature(id, _) => query(id),
            Self::Share(id, request, _) => [&query(id)[..], &request.to_le_bytes()].concat(),
            Self::Complaint(id, _) => {
                let complaint = Digest::of(COMPLAINT, &self.to_bytes());
                [query(id), complaint.as_bytes().to_vec()].concat()
            }
            _ => Vec::new(),
        }
    }

    /// Decodes what an entry carries.
    ///
    /// # Errors
    /// [`DecodeError`] for an unknown kind and for anything but a canonical encoding.
    pub fn from_entry(kind: &str, payload: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(payload);
        let r = &mut reader;
        let message = match kind {
            "trace/setup" => Self::Setup(Setup::decode(r)?),
            "trace/key/commitments" => Self::KeyRound1(Round1Message::decode(r)?),
            "trace/key/shares" => Self::KeyRound2(Round2Message::decode(r)?),
            "trace/key/verdicts" => Self::KeyRound3(Round3Message::decode(r)?),
            "trace/submission" => Self::Submission(Submission::decode(r)?),
            "trace/close" => Self::Close,
            "trace/permutation" => Self::Permutation(PermutationMessage::decode(r)?),
            "trace/mix" => Self::MixTurn(Turn::decode(r)?),
            "trace/mix/signature" => Self::MixSignature(r.array()?),
            "trace/decryption" => Self::Decryption(PartialDecryption::decode(r)?),
            "trace/query" => Self::Query(Query::decode(r)?),
            "trace/query/refusal" => {
                Self::Refusal(Digest::decode(r)?, r.text("reason", MAX_REASON)?.to_owned())
            }
            "trace/query/turn" => Self::QueryTurn(Digest::decode(r)?, Turn::decode(r)?),
            "trace/query/blinding" => Self::Blinding(Digest::decode(r)?, Blinding::decode(r)?),
            "trace/query/signature" => Self::QuerySignature(Digest::decode(r)?, r.array()?),
            "trace/query/share" => {
                Self::Share(Digest::decode(r)?, r.u32()?, SealedShare::decode(r)?)
            }
            "trace/query/complaint" => {
                Self::Complaint(Digest::decode(r)?, Box::new(Complaint::decode(r)?))
            }
            other => {
                return Err(DecodeError::invalid("kind", format!("`{other}` is not known here")));
            }
        };
        reader.finish()?;
        Ok(message)
    }
}

/// The fields of the message, in order.
impl Encode for Message {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::Setup(setup) => setup.encode(out),
            Self::KeyRound1(message) => message.encode(out),
            Self::KeyRound2(message) => message.encode(out),
            Self::KeyRound3(message) => message.encode(out),
            Self::Submission(submission) => submission.encode(out),
            Self::Close => {}
            Self::Permutation(message) => message.encode(out),
            Self::MixTurn(turn) => turn.encode(out),
            Self::MixSignature(signature) => out.extend_from_slice(signature),
            Self::Decryption(partial) => partial.encode(out),
            Self::Query(query) => query.encode(out),
            Self::Refusal(id, reason) => {
                id.encode(out);
                put_bytes(out, reason.as_bytes());
            }
            Self::QueryTurn(id, turn) => {
                id.encode(out);
                turn.encode(out);
            }
            Self::Blinding(id, blinding) => {
                id.encode(out);
                blinding.encode(out);
            }
            Self::QuerySignature(id, signature) => {
                id.encode(out);
                out.extend_from_slice(signature);
            }
            Self::Share(id, request, share) => {
                id.encode(out);
                request.encode(out);
                share.encode(out);
            }
            Self::Complaint(id, complaint) => {
                id.encode(out);
                complaint.encode(out);
            }
        }
    }
}

/// Title, threshold, blocks, ballots, counted servers, counted senders.
impl Encode for Setup {
    fn encode(&self, out: &mut Vec<u8>) {
        put_bytes(out, self.title.as_bytes());
        self.threshold.encode(out);
        self.blocks.encode(out);
        self.ballots.encode(out);
        put_keys(&self.servers, out);
        put_keys(&self.senders, out);
    }
}

impl Decode for Setup {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let title = reader.text("title", MAX_TITLE)?.to_owned();
        let (threshold, blocks, ballots) = (reader.u16()?, reader.u16()?, reader.u32()?);
        let servers = keys(reader, "servers", MAX_SERVERS)?;
        let senders = keys(reader, "senders", MAX_SENDERS)?;
        Ok(Self { title, threshold, blocks, ballots, servers, senders })
    }
}

/// Appends a 32-bit count and public keys.
pub(super) fn put_keys(keys: &[AuthorId], out: &mut Vec<u8>) {
    (keys.len() as u32).encode(out);
    keys.iter().for_each(|key| key.encode(out));
}

/// Reads what [`put_keys`] writes, at most `limit` keys.
pub(super) fn keys(
    reader: &mut Reader<'_>,
    what: &'static str,
    limit: usize,
) -> Result<Vec<AuthorId>, DecodeError> {
    let count = reader.count(what, limit)?;
    (0..count).map(|_| AuthorId::decode(reader)).collect()
}
