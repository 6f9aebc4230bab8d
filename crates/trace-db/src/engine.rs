//! The engine `db` as those who verify published answers see it.

use std::sync::Arc;

use claim::Check;

use super::{Outputs, keys::KeyRecord, record};
use trace::{Answer, Engine, PublishedAnswer, SessionSummary, TraceError};

/// The engine `db`, for those who verify published answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct DbEngine;

/// A session that was verified.
pub struct VerifiedSession {
    key: KeyRecord,
    outputs: Arc<Outputs>,
}

impl VerifiedSession {
    /// A session that was verified step by step, with its keys.
    pub fn new(key: KeyRecord, outputs: Arc<Outputs>) -> Self {
        Self { key, outputs }
    }
}

impl Engine for DbEngine {
    const NAME: &'static str = "db";
    const NOTICE: &'static str = "the paper's protocol; its proofs in G1, the repair of its leak \
                                  outside I, and dealt blindings in DB-RSM, are ours; the \
                                  secrecy of DB-RSM needs an honest dealer; nothing proves how \
                                  large a number a sender encrypts, or that it is the one that \
                                  it committed to: such a row is unproven";

    type Session = VerifiedSession;

    fn verify_session(record: &[u8]) -> Result<VerifiedSession, TraceError> {
        let (key, outputs) = record::verify_session_record(record)?;
        Ok(VerifiedSession::new(key, outputs))
    }

    fn summarize(session: &VerifiedSession) -> SessionSummary {
        let outputs = &session.outputs;
        SessionSummary {
            study: session.key.rules.context().to_vec(),
            server_keys: session.key.rules.servers().to_vec(),
            session: *outputs.session().id(),
            mix: *outputs.digest(),
            rows: outputs.rows(),
            submissions: outputs.rows(),
            servers: outputs.session().servers(),
            threshold: outputs.session().rules().threshold(),
            modulus: Some(outputs.session().modulus()),
        }
    }

    fn verify_answer(
        session: &VerifiedSession,
        bytes: &[u8],
    ) -> Result<PublishedAnswer, TraceError> {
        let VerifiedSession { key, outputs } = session;
        let (asked, verdict) = record::verify_answer_record(key, outputs, bytes)?;
        let request =
            asked.query().requests().next().ok_or(TraceError::Query("it asks nothing"))?;
        let answer =
            Answer { direction: request.direction, by: request.by, yes: vec![verdict.yes] };
        Ok(PublishedAnswer {
            query: *asked.query().id(),
            querier: request.querier,
            questions: request.questions.clone(),
            answer,
            unproven: vec![verdict.unproven],
            shares: outputs.session().servers(),
        })
    }

    fn checks(session: &SessionSummary, answers: &[PublishedAnswer]) -> Vec<Check> {
        let (servers, queries) = (session.servers as u64, answers.len() as u64);
        let passes = 2 * queries;
        [
            ("servers' key contributions: ElGamal, sealing, Paillier", servers),
            (
                "submissions: proofs of knowledge of opening and plaintexts, none copied",
                session.submissions as u64,
            ),
            ("permutations, proven to be permutations", servers),
            ("mix turns, proven against the permutations", servers),
            ("signatures on inputs and mix", servers),
            ("outputs decrypted, every share proven", session.rows as u64),
            ("signed requests, with signatures for both passes", queries),
            ("turns of signatures, proven against the same permutations", passes * servers),
            (
                "signatures on lists and blindings, what is dealt proven to be known",
                passes * servers,
            ),
            ("decryption shares of blinded signatures, proven", passes * servers),
            ("distributed proofs of knowledge of a signature", passes),
        ]
        .into_iter()
        .map(|(what, count)| Check::new(what, count))
        .collect()
    }
}
