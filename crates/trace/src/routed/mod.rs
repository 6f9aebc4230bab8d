//! Routed tracing: the shuffle answers the query. **Our construction, no published proof yet.**
//!
//! The servers' committed permutations already define which input became which output. A query is
//! a public list of markers pushed through the same permutations, of which only the asked
//! positions are opened, to the querier alone.
//!
//! | step | once per | types |
//! |---|---|---|
//! | key generation, all m servers; any t decrypt | session | [`Rules`], [`KeyTranscript`], [`Session`] |
//! | ballots with proofs of knowledge of all blocks | session | [`Submission`], [`Inputs`] |
//! | `a^(k)`: every server commits to its permutation | session | [`PermutationMessage`] |
//! | the ballots pass all servers, proven against `a^(k)` | session | [`Turn`], [`Mixed`] |
//! | all servers sign inputs and mix; t decrypt | session | [`Agreement`](crate::Agreement), [`Outputs`] |
//! | a signed request; markers `(0, G)` and `(0, 0)` | query | [`Query`](crate::Query), [`Pass`] |
//! | the markers pass all servers, proven against `a^(k)` | query | [`Turn`], [`Routed`] |
//! | sums over equal plaintexts are blinded | query | [`Blinding`], [`Blinded`] |
//! | all servers sign request, lists, proofs, sums | query | [`Agreed`] |
//! | t servers send the querier shares, each with its proof | request | [`SealedShare`], [`Reading`] |
//!
//! Every type in the last column, except the messages, is made only by its verification, and the next step takes it. So
//! a share cannot be computed from lists that are not proven and agreed on. Servers, querier and auditors run the same
//! verifications. [`SessionRecord`] and [`AnswerRecord`] replay them from bytes.
//!
//! A query needs only a part of a session: a [`Ground`], which any mix by committed permutations can be, and
//! [`Member`]s, who are its mixers and those who decrypt. An election's mixers and trustees are such members. There
//! mixers and trustees are different parties, t of the trustees decrypt, and all members sign.
//!
//! # Security argument in brief
//! *Soundness, even if all servers collude* (discrete logarithms, random oracle). The proof of
//! `a^(k)` extracts an opening to a permutation matrix; every later list proof extracts the image
//! of its challenges under the same matrix, or a relation among hashed generators. Re-encryption
//! keeps plaintexts for everybody, also for those who know the key. So outputs and markers moved
//! by the same permutations. A share's proof has two equations, `X_k = x_k·G` and
//! `Σ δ_j D_j = x_k·Σ δ_j c1_j`: folded into one it would prove nothing to colluding servers, who
//! know the logarithms of the `c1_j`. A blinded sum keeps zero and non-zero because `Σ C ≠ 0`.
//!
//! *Secrecy against fewer than t servers, with or without the querier* (DDH, random oracle): the
//! querier learns the bits that it asked for, nobody else anything. The querier chooses no group
//! element, so it cannot tag; shares follow only verified, agreed lists, so they are no decryption
//! oracle; all masks are fresh (`fresh.rs`).
//!
//! List proofs are bound to the finished permutation proofs of all servers. The whole argument, with its
//! union bounds and what it lacks: [`argument`].
//!
//! Not claimed: adaptive corruption, universal composability, guaranteed output (each server can
//! stop a session or a query).
//!
//! # Constant time
//! Sealing ballots, key shares and blindings take constant time on ristretto255. Permutations,
//! re-encryption randomness and masks are used once and variable time.

#[doc = include_str!("argument.md")]
pub mod argument {}
mod ground;
mod inputs;
mod member;
mod mix;
mod outputs;
mod pass;
pub mod passage;
mod querier;
mod record;
mod route;
mod server;
mod session;
mod share;

pub use ground::{Foundation, Ground, MixName, Signer};
pub use inputs::{InputBox, Inputs, MAX_SENDER, Submission};
pub use member::Member;
pub use mix::Mixed;
pub use outputs::Outputs;
pub use pass::Pass;
pub use passage::{PermutationMessage, Turn};
pub use querier::{Complaint, Querier};
pub use record::{AnswerRecord, QueryRecord, SessionRecord};
pub use route::{Agreed, Blinded, Blinding, Routed};
pub use server::{Server, ServerSecret};
pub use session::{KeyTranscript, MAX_CONTEXT, Rules, Session};
pub use share::{Reading, SealedShare, ShareMessage};

use std::{marker::PhantomData, sync::Arc};

use algebra::Group;
use claim::Check;
use wire::Decode as _;

use crate::{Engine, PublishedAnswer, SessionSummary, TraceError};

/// The routed engine over a group, for those who verify published answers.
#[derive(Clone, Copy, Debug, Default)]
pub struct RoutedEngine<G>(PhantomData<G>);

impl<G: Group> Engine for RoutedEngine<G> {
    const NAME: &'static str = "routed";
    const NOTICE: &'static str = "our construction, no published proof yet";

    type Session = Arc<Outputs<G>>;

    fn verify_session(record: &[u8]) -> Result<Self::Session, TraceError> {
        let record = SessionRecord::from_bytes(record)
            .map_err(|error| TraceError::malformed("session record", error))?;
        record.verify().map(Arc::new)
    }

    fn summarize(session: &Self::Session) -> SessionSummary {
        let rules = session.session().rules();
        SessionSummary {
            study: rules.context().to_vec(),
            server_keys: rules.servers().to_vec(),
            session: *session.session().id(),
            mix: *session.digest(),
            rows: session.rows(),
            submissions: session.mixed().inputs().submissions().len(),
            servers: rules.servers().len(),
            threshold: rules.threshold(),
            modulus: None,
        }
    }

    fn verify_answer(
        session: &Self::Session,
        record: &[u8],
    ) -> Result<PublishedAnswer, TraceError> {
        let record = AnswerRecord::<G>::from_bytes(record)
            .map_err(|error| TraceError::malformed("answer record", error))?;
        let number = record.request as usize;
        let (agreed, reading) = record.verify(session.ground())?;
        let request = agreed.pass().request(number)?;
        Ok(PublishedAnswer {
            query: *agreed.pass().query().id(),
            querier: request.querier,
            questions: request.questions.clone(),
            answer: reading.answer?,
            unproven: Vec::new(),
            shares: reading.shares.len(),
        })
    }

    fn checks(session: &SessionSummary, answers: &[PublishedAnswer]) -> Vec<Check> {
        let (servers, queries) = (session.servers as u64, answers.len() as u64);
        let shares = answers.iter().map(|answer| answer.shares as u64).sum();
        [
            ("servers' key contributions, three rounds", servers),
            ("ballots: proof of plaintext knowledge, none copied", session.submissions as u64),
            ("permutations, proven to be permutations", servers),
            ("mix turns, proven against the permutations", servers),
            ("signatures on inputs and mix", servers),
            ("outputs decrypted, every share proven", session.rows as u64),
            ("signed requests", queries),
            ("marker turns, proven against the same permutations", queries * servers),
            ("signatures on lists and blinded sums", queries * servers),
            ("shares of answers, each proven in two equations", shares),
        ]
        .into_iter()
        .map(|(what, count)| Check::new(what, count))
        .collect()
    }
}
