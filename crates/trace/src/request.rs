//! What a querier asks.

use algebra::Group;
use board::{AuthorId, Identity};
use rand_core::CryptoRng;
use shuffle::{MAX_COLUMNS, PublicKey};
use wire::{Decode, DecodeError, Digest, Encode, Reader};

use crate::{IndexSet, TraceError, parts::encode};

const SIGNATURE_DOMAIN: &str = "subrosa/trace/request/v1";
const QUERY_DOMAIN: &str = "subrosa/trace/query/v1";
/// The most requests, and the most questions, that one query answers in one pass.
pub const MAX_QUESTIONS: usize = MAX_COLUMNS;

/// Which way a query follows the mix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// TraceIn: which inputs of I are among the outputs J? One bit for every i in I.
    In,
    /// TraceOut: which outputs of J come from the inputs I? One bit for every j in J.
    Out,
}

/// What counts as the same where a plaintext occurs more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// The plaintext: "is the value of input i among the values of J?". The paper's question.
    Value,
    /// The place in the list: says more than the paper's question when plaintexts repeat.
    Position,
}

impl Direction {
    /// The name of the batched query, as the paper has it.
    pub fn name(self) -> &'static str {
        match self {
            Self::In => "BTraceIn",
            Self::Out => "BTraceOut",
        }
    }

    /// What a "no" says, for people: it is easily taken for something lost or added.
    pub fn no_means(self) -> &'static str {
        match self {
            Self::In => {
                "a no: the submission is none of the results asked about, but another one of the \
                 same mix; nothing is lost"
            }
            Self::Out => {
                "a no: the result comes from none of the submissions asked about, but from another \
                 one of the same mix; nothing was added"
            }
        }
    }
}

impl By {
    /// `value` or `position`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value => "value",
            Self::Position => "position",
        }
    }
}

/// One pair of sets. A request with several, such as the categories of senders, is answered in
/// one pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// I, rows of the inputs.
    pub inputs: IndexSet,
    /// J, rows of the outputs.
    pub outputs: IndexSet,
}

/// What one querier asks, sealed answers to whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request<G: Group> {
    /// The session, which fixes inputs, mix and outputs.
    pub session: Digest,
    /// Which way.
    pub direction: Direction,
    /// What counts as the same.
    pub by: By,
    /// At least one, at most [`MAX_QUESTIONS`].
    pub questions: Vec<Question>,
    /// The key that the answer is sealed to.
    pub key: PublicKey<G>,
    /// Who asks and signs.
    pub querier: AuthorId,
    /// Drawn at random: a retry is another request.
    pub nonce: [u8; 32],
}

/// A request with its querier's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedRequest<G: Group> {
    request: Request<G>,
    signature: [u8; 64],
}

impl<G: Group> SignedRequest<G> {
    /// Signs a request as its querier; draws the nonce.
    pub fn sign(
        mut request: Request<G>,
        identity: &Identity,
        rng: &mut impl CryptoRng,
    ) -> SignedRequest<G> {
        request.querier = identity.id();
        rng.fill_bytes(&mut request.nonce);
        let digest = Digest::of(SIGNATURE_DOMAIN, &request.to_bytes());
        let signature = identity.sign(SIGNATURE_DOMAIN, digest);
        Self { request, signature }
    }

    /// The request.
    pub fn request(&self) -> &Request<G> {
        &self.request
    }

    fn is_signed(&self) -> bool {
        let digest = Digest::of(SIGNATURE_DOMAIN, &self.request.to_bytes());
        self.request.querier.verify(SIGNATURE_DOMAIN, digest, &self.signature)
    }
}

/// Requests that ride in one pass through the mix. Its digest, the query's id, is entered on the
/// board before the first server acts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query<G: Group> {
    requests: Vec<SignedRequest<G>>,
    id: Digest,
}

impl<G: Group> Query<G> {
    /// Gathers requests for one pass: all the same way, all different, of 1 to [`MAX_QUESTIONS`]
    /// questions in total.
    ///
    /// # Errors
    /// [`TraceError::Query`].
    pub fn new(requests: Vec<SignedRequest<G>>) -> Result<Self, TraceError> {
        let first = requests.first().ok_or(TraceError::Query("there are no requests"))?;
        let direction = first.request.direction;
        if requests.iter().any(|signed| signed.request.direction != direction) {
            return Err(TraceError::Query("the requests go both ways"));
        }
        if requests.iter().any(|signed| signed.request.questions.is_empty()) {
            return Err(TraceError::Query("a request without questions"));
        }
        let questions: usize = requests.iter().map(|signed| signed.request.questions.len()).sum();
        if questions > MAX_QUESTIONS {
            return Err(TraceError::Query("too many questions for one pass"));
        }
        let mut nonces: Vec<_> = requests.iter().map(|signed| signed.request.nonce).collect();
        nonces.sort_unstable();
        nonces.dedup();
        if nonces.len() < requests.len() {
            return Err(TraceError::Query("a request occurs twice"));
        }
        let mut bytes = Vec::new();
        encode::put_list(&requests, &mut bytes);
        Ok(Self { id: Digest::of(QUERY_DOMAIN, &bytes), requests })
    }

    /// The digest of all the requests.
    pub fn id(&self) -> &Digest {
        &self.id
    }

    /// The requests, in order.
    pub fn requests(&self) -> impl ExactSizeIterator<Item = &Request<G>> {
        self.requests.iter().map(|signed| &signed.request)
    }

    /// Which way all of them go.
    pub fn direction(&self) -> Direction {
        self.requests.first().map_or(Direction::In, |signed| signed.request.direction)
    }

    /// Checks that every request is for this session of `rows` rows, and signed.
    pub fn check(&self, session: &Digest, rows: usize) -> Result<(), TraceError> {
        for (number, signed) in self.requests.iter().enumerate() {
            if signed.request.session != *session {
                return Err(TraceError::ForeignRequest { request: number });
            }
            for question in &signed.request.questions {
                question.inputs.require_below("I", rows)?;
                question.outputs.require_below("J", rows)?;
            }
            if !signed.is_signed() {
                return Err(TraceError::RequestSignature { request: number });
            }
        }
        Ok(())
    }
}

impl Encode for Question {
    fn encode(&self, out: &mut Vec<u8>) {
        self.inputs.encode(out);
        self.outputs.encode(out);
    }
}

impl Decode for Question {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { inputs: IndexSet::decode(reader)?, outputs: IndexSet::decode(reader)? })
    }
}

/// Session, direction (0 in, 1 out), by (0 value, 1 position), counted questions, key, querier,
/// nonce.
impl<G: Group> Encode for Request<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.session.encode(out);
        u8::from(self.direction == Direction::Out).encode(out);
        u8::from(self.by == By::Position).encode(out);
        encode::put_list(&self.questions, out);
        out.extend_from_slice(&self.key.point().encode());
        self.querier.encode(out);
        out.extend_from_slice(&self.nonce);
    }
}

impl<G: Group> Decode for Request<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let session = Digest::decode(reader)?;
        let direction = if flag(reader, "direction")? { Direction::Out } else { Direction::In };
        let by = if flag(reader, "by")? { By::Position } else { By::Value };
        let questions = encode::list(reader, "questions", MAX_QUESTIONS)?;
        let key = PublicKey::new(encode::point(reader, "querier's key")?)
            .ok_or_else(|| DecodeError::not_canonical("querier's key", "the neutral element"))?;
        let querier = AuthorId::decode(reader)?;
        Ok(Self { session, direction, by, questions, key, querier, nonce: reader.array()? })
    }
}

impl<G: Group> Encode for SignedRequest<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.request.encode(out);
        out.extend_from_slice(&self.signature);
    }
}

impl<G: Group> Decode for SignedRequest<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self { request: Request::decode(reader)?, signature: reader.array()? })
    }
}

/// The counted requests.
impl<G: Group> Encode for Query<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        encode::put_list(&self.requests, out);
    }
}

impl<G: Group> Decode for Query<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let requests = encode::list(reader, "requests", MAX_QUESTIONS)?;
        Self::new(requests).map_err(|error| DecodeError::invalid("query", error))
    }
}

fn flag(reader: &mut Reader<'_>, what: &'static str) -> Result<bool, DecodeError> {
    match reader.u8()? {
        0 => Ok(false),
        1 => Ok(true),
        got => Err(DecodeError::invalid(what, format!("{got} is neither 0 nor 1"))),
    }
}
