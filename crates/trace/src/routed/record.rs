//! What is published, in the order in which it is verified.

use std::sync::Arc;

use algebra::Group;
use shuffle::{MAX_ROWS, decrypt::PartialDecryption, dkg::MAX_TRUSTEES, tw::Generators};
use wire::{Decode, DecodeError, Encode, FileHeader, Reader};

use super::{
    Agreed, Blinded, Blinding, Ground, Inputs, KeyTranscript, Mixed, Outputs, Pass,
    PermutationMessage, Reading, Routed, Rules, Session, ShareMessage, Submission, Turn,
    inputs::decode_submissions,
};
use crate::{Agreement, Query, TraceError, parts::encode};

const SESSION_FILE: FileHeader = FileHeader::new("trc-sess", 2);
const ANSWER_FILE: FileHeader = FileHeader::new("trc-answ", 2);

/// Everything that is published once per session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRecord<G: Group> {
    /// Who runs the session and how.
    pub rules: Rules,
    /// The key generation.
    pub key: KeyTranscript<G>,
    /// All submissions, in order, superseded ones included.
    pub submissions: Vec<Submission<G>>,
    /// The permutations of servers 1..=m.
    pub permutations: Vec<PermutationMessage<G>>,
    /// The mix turns of servers 1..=m.
    pub turns: Vec<Turn<G>>,
    /// The signatures of servers 1..=m on all this.
    pub agreement: Agreement,
    /// The partial decryptions of t servers or more.
    pub partials: Vec<PartialDecryption<G>>,
}

impl<G: Group> SessionRecord<G> {
    /// The record of a session that was verified step by step.
    pub fn of(outputs: &Outputs<G>) -> Self {
        let (mixed, session) = (outputs.mixed(), outputs.session());
        Self {
            rules: session.rules().clone(),
            key: session.transcript().clone(),
            submissions: mixed.inputs().submissions().to_vec(),
            permutations: mixed.messages().to_vec(),
            turns: mixed.turns().to_vec(),
            agreement: outputs.agreement().clone(),
            partials: outputs.partials().to_vec(),
        }
    }

    /// Verifies everything, from the key generation to the outputs, as a querier does with its own
    /// copy of the board: without the mix and the decryption an answer would be about positions of
    /// the permutations only, and say nothing of what the ballots hold.
    ///
    /// # Errors
    /// [`TraceError`] for the first step that fails.
    pub fn verify(self) -> Result<Outputs<G>, TraceError> {
        let session = Arc::new(Session::establish(self.rules, self.key)?);
        let inputs = Arc::new(Inputs::collect(session, self.submissions)?);
        let generators = Arc::new(Generators::derive(inputs.rows()));
        let mixed = Mixed::verify(inputs, self.permutations, self.turns, generators)?;
        Outputs::open(Arc::new(mixed), self.agreement, self.partials)
    }
}

/// Everything that is published on a query before its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryRecord<G: Group> {
    /// The signed requests.
    pub query: Query<G>,
    /// The turns of all servers, in the order of the pass.
    pub turns: Vec<Turn<G>>,
    /// The blindings of servers 1..=m.
    pub blindings: Vec<Blinding<G>>,
    /// The signatures of servers 1..=m on all this.
    pub agreement: Agreement,
}

impl<G: Group> QueryRecord<G> {
    /// The record of a query that was verified step by step.
    pub fn of(agreed: &Agreed<G>) -> Self {
        Self {
            query: agreed.pass().query().clone(),
            turns: agreed.turns().to_vec(),
            blindings: agreed.blindings().to_vec(),
            agreement: agreed.agreement().clone(),
        }
    }

    /// Verifies everything, from the request to the signatures, against a verified session.
    ///
    /// # Errors
    /// [`TraceError`] for the first step that fails.
    pub fn verify(self, ground: &Arc<Ground<G>>) -> Result<Agreed<G>, TraceError> {
        let pass = Pass::new(ground.clone(), self.query)?;
        let routed = Routed::verify(pass, self.turns)?;
        let blinded = Blinded::verify(routed, self.blindings)?;
        Agreed::verify(blinded, self.agreement)
    }
}

/// An answer that its querier passes on, with the shares that make it convincing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerRecord<G: Group> {
    /// The query.
    pub query: QueryRecord<G>,
    /// Which of its requests is answered.
    pub request: u32,
    /// The shares of t servers or more.
    pub shares: Vec<ShareMessage<G>>,
}

impl<G: Group> AnswerRecord<G> {
    /// Verifies the query and the shares against a verified session.
    ///
    /// # Errors
    /// [`TraceError`] for the first step that fails.
    pub fn verify(self, ground: &Arc<Ground<G>>) -> Result<(Agreed<G>, Reading<G>), TraceError> {
        let agreed = self.query.verify(ground)?;
        let reading = agreed.read(self.request as usize, &self.shares)?;
        match reading.faults.first() {
            Some(fault) => Err(fault.clone()),
            None => Ok((agreed, reading)),
        }
    }
}

fn servers<T: Decode>(reader: &mut Reader<'_>, what: &'static str) -> Result<Vec<T>, DecodeError> {
    encode::list(reader, what, MAX_TRUSTEES.into())
}

/// File header, then the fields in order.
impl<G: Group> Encode for SessionRecord<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        SESSION_FILE.encode(out);
        self.rules.encode(out);
        self.key.encode(out);
        encode::put_list(&self.submissions, out);
        encode::put_list(&self.permutations, out);
        encode::put_list(&self.turns, out);
        self.agreement.encode(out);
        encode::put_list(&self.partials, out);
    }
}

impl<G: Group> Decode for SessionRecord<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        SESSION_FILE.expect(reader)?;
        Ok(Self {
            rules: Rules::decode(reader)?,
            key: KeyTranscript::decode(reader)?,
            submissions: decode_submissions(reader)?,
            permutations: servers(reader, "permutations")?,
            turns: servers(reader, "turns")?,
            agreement: Agreement::decode(reader)?,
            partials: servers(reader, "partial decryptions")?,
        })
    }
}

/// The fields in order.
impl<G: Group> Encode for QueryRecord<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.query.encode(out);
        encode::put_list(&self.turns, out);
        encode::put_list(&self.blindings, out);
        self.agreement.encode(out);
    }
}

impl<G: Group> Decode for QueryRecord<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        Ok(Self {
            query: Query::decode(reader)?,
            turns: servers(reader, "turns")?,
            blindings: servers(reader, "blindings")?,
            agreement: Agreement::decode(reader)?,
        })
    }
}

/// File header, then the fields in order.
impl<G: Group> Encode for AnswerRecord<G> {
    fn encode(&self, out: &mut Vec<u8>) {
        ANSWER_FILE.encode(out);
        self.query.encode(out);
        self.request.encode(out);
        encode::put_list(&self.shares, out);
    }
}

impl<G: Group> Decode for AnswerRecord<G> {
    fn decode(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        ANSWER_FILE.expect(reader)?;
        let query = QueryRecord::decode(reader)?;
        let request = reader.count("requests", MAX_ROWS)? as u32;
        Ok(Self { query, request, shares: servers(reader, "shares")? })
    }
}
