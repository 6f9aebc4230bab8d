//! The traceable mixnet: after the event, it answers "is this submission among those results?"
//! (TraceIn) and "did this result come from one of those submissions?" (TraceOut), with a proof,
//! to one querier, and reveals nothing else.
//!
//! * [`Request`], [`Query`]: what is asked, signed, several questions in one pass.
//! * [`policy`]: what a server allows ([`Policy`]), what was asked ([`QueryLog`]), and what all
//!   answers together can have revealed ([`Exposure`]), with a theorem about what they have not.
//! * [`routed`]: the default engine. **Our construction, no published proof yet**; its
//!   documentation carries the security argument.
//! * The paper's own protocol is the crate `trace-db`, built of [`parts`].
//! * [`Engine`]: what those need who check published answers, such as claims about a board.
//!
//! Nothing here does input or output: servers and queriers turn messages into messages, and keep
//! what they must not forget in a [`Journal`].
//!
//! ```
//! use std::sync::Arc;
//! use algebra::{Embed, Ristretto255 as G};
//! use board::Identity;
//! use shuffle::{SecretKey, tw::Generators};
//! use trace::{*, routed::*};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! // Two servers make a key. Each keeps one secret and a journal.
//! let secrets = [(); 2].map(|()| ServerSecret::generate(&mut rng));
//! let mut journals = [(); 2].map(|()| MemoryJournal::default());
//! let names = secrets.iter().map(|secret| secret.identity().id()).collect();
//! let rules = Rules::new(b"docs", names, 2, 1, 1)?;
//! let round1: Vec<_> = secrets.iter().map(|s| s.key_round1(&rules)).collect::<Result<_, _>>()?;
//! let board1 = KeyTranscript::board1(&rules, round1.clone())?;
//! let round2: Vec<_> =
//!     secrets.iter().map(|s| s.key_round2(&rules, &board1)).collect::<Result<_, _>>()?;
//! let board2 = KeyTranscript::board2(board1, round2.clone())?;
//! let round3 = secrets.iter().map(|s| s.key_round3(&rules, &board2)).collect::<Result<_, _>>()?;
//! let key = KeyTranscript { round1, round2, round3 };
//! let session = Arc::new(Session::<G>::establish(rules, key)?);
//!
//! // A querier is allowed to ask two questions.
//! let querier = Querier::new(Identity::generate(&mut rng), SecretKey::generate(&mut rng));
//! let asks = |rng: &mut _, outputs: &Outputs<G>, direction, inputs, outputs_asked| {
//!     let question = Question { inputs, outputs: outputs_asked };
//!     Query::new(vec![querier.request(outputs.ground(), direction, By::Value, vec![question], rng)])
//! };
//! let policy = Policy {
//!     queriers: vec![querier.id()], max_questions: 2, cut: Cut::Both, by_position: false,
//! };
//! let mut servers: Vec<Server<G>> = secrets.into_iter()
//!     .map(|secret| Server::new(secret, session.clone(), policy.clone()))
//!     .collect::<Result<_, _>>()?;
//!
//! // Three senders submit, and the servers mix and decrypt.
//! let submissions = ["red", "green", "red"].iter().zip(1_u8..).map(|(text, sender)| {
//!     let block = G::embed(text.as_bytes()).expect("short");
//!     Submission::seal(&session, &[sender], 1, &[block], &mut rng)
//! }).collect::<Result<_, _>>()?;
//! let inputs = Arc::new(Inputs::collect(session.clone(), submissions)?);
//! let generators = Arc::new(Generators::derive(inputs.rows()));
//! let (mut permutations, mut turns) = (vec![], vec![]);
//! for (server, journal) in servers.iter_mut().zip(&mut journals) {
//!     server.commit(&inputs, &generators, journal)?;
//!     permutations.push(server.permutation(&generators, &mut rng)?);
//! }
//! for server in &servers {
//!     turns.push(server.mix(&inputs, &permutations, &turns, &generators, &mut rng)?);
//! }
//! let mixed = Arc::new(Mixed::verify(inputs, permutations, turns, generators)?);
//! let signatures = servers.iter().zip(&mut journals)
//!     .map(|(server, journal)| server.sign_mix(&mixed, journal)).collect::<Result<_, _>>()?;
//! let agreement = Agreement::new(signatures);
//! let partials = servers.iter()
//!     .map(|server| server.decrypt(&mixed, &agreement, &mut rng)).collect::<Result<_, _>>()?;
//! let outputs = Arc::new(Outputs::open(mixed, agreement, partials)?);
//!
//! // Which outputs come from senders 0 and 1? The answer is about values: every "red" and "green".
//! let all = IndexSet::all(3);
//! let query = asks(&mut rng, &outputs, Direction::Out, IndexSet::all(2), all)?;
//! let pass = || Pass::new(outputs.ground().clone(), query.clone());
//! let mut turns = vec![];
//! for (server, journal) in servers.iter_mut().zip(&journals) {
//!     turns.push(server.pass_on(&pass()?, &turns, journal, &mut rng)?);
//! }
//! let routed = Routed::verify(pass()?, turns)?;
//! let blindings = servers.iter_mut().zip(&journals)
//!     .map(|(server, journal)| server.blind(&routed, journal, &mut rng)).collect::<Result<_, _>>()?;
//! let blinded = Blinded::verify(routed, blindings)?;
//! let signatures = servers.iter_mut().zip(&mut journals)
//!     .map(|(server, journal)| server.sign_query(&blinded, journal)).collect::<Result<_, _>>()?;
//! let agreed = Agreed::verify(blinded, Agreement::new(signatures))?;
//! let shares: Vec<_> = servers.iter_mut().zip(&mut journals)
//!     .map(|(server, journal)| server.share(&agreed, 0, journal, &mut rng)).collect::<Result<_, _>>()?;
//! let answer = querier.read(&agreed, 0, &shares)?.answer?;
//! assert_eq!(answer.yes, [IndexSet::all(3)]);
//! # Ok::<(), TraceError>(())
//! ```
#![forbid(unsafe_code)]

mod agreement;
mod answer;
mod engine;
mod error;
mod exposure;
mod index_set;
mod journal;
pub mod parts;
pub mod policy;
mod request;
pub mod routed;
mod seal;

pub use agreement::Agreement;
pub use answer::Answer;
pub use engine::{Engine, ModulusSummary, PublishedAnswer, SessionSummary};
pub use error::TraceError;
pub use exposure::Exposure;
pub use index_set::IndexSet;
pub use journal::{Journal, MemoryJournal};
pub use policy::{Cut, Floors, MAX_REPEATS, Policy, QueryLog};
pub use request::{By, Direction, MAX_QUESTIONS, Query, Question, Request, SignedRequest};
pub use seal::{Revealed, Sealed};
