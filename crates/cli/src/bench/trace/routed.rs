//! The engine `routed`.

use std::sync::Arc;

use ::shuffle::{SecretKey, tw::Generators};
use ::trace::{
    Agreement, By, Direction, Engine as _, IndexSet, MemoryJournal, Policy, Query, Question,
    TraceError,
    routed::{
        Agreed, AnswerRecord, Blinded, Inputs, KeyTranscript, Mixed, Outputs, Pass,
        PermutationMessage, Querier, QueryRecord, Routed, RoutedEngine, Rules, SealedShare, Server,
        ServerSecret, Session, SessionRecord, Submission, Turn,
    },
};
use algebra::{Embed as _, Group, Ristretto255 as G};
use board::Identity;
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use wire::{Decode as _, Encode as _};

use super::{
    Params, decode_all, encode_all, malformed,
    report::{Report, Who},
};
use crate::{bench::recorder::Recorder, progress::Bars};

/// How far the engine's security is proven.
pub const NOTICE: &str = RoutedEngine::<G>::NOTICE;

/// All parties in one process, one after the other; only server 1 and the querier are timed.
pub struct Bench<'a> {
    params: &'a Params,
    report: Report<'a>,
    rng: ChaCha20Rng,
}

/// The parties after the key generation.
struct Parties {
    session: Arc<Session<G>>,
    servers: Vec<Server<G>>,
    journals: Vec<MemoryJournal>,
    querier: Querier<G>,
}

impl<'a> Bench<'a> {
    /// A bench with these parameters.
    pub fn new(params: &'a Params, progress: &'a Bars) -> Self {
        let report = Report::new(params.entries, progress);
        Self { params, report, rng: ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng)) }
    }

    /// Runs everything.
    pub fn run(mut self) -> Result<(Recorder, Vec<String>), TraceError> {
        self.report.line(&format!("engine: routed ({})", RoutedEngine::<G>::NOTICE));
        self.report.line(&format!("number of entries: {}", self.params.entries));
        self.report.line(&format!("number of mix-servers: {}", self.params.servers));
        let mut parties = self.set_up()?;
        let submissions = self.prepare_inputs(&parties.session)?;
        let inputs = self.check_inputs(&parties.session, submissions)?;
        let outputs = self.mix(&mut parties, inputs)?;
        let outputs = self.check_session(&outputs)?;
        self.query(&mut parties, &outputs, Direction::In, "forward set membership")?;
        self.query(&mut parties, &outputs, Direction::Out, "reverse set membership")?;
        let Report { recorder, mut lines, .. } = self.report;
        lines.push("times are CPU seconds of all threads; wall time is in --json".into());
        Ok((recorder, lines))
    }

    fn set_up(&mut self) -> Result<Parties, TraceError> {
        let rng = &mut self.rng;
        let secrets: Vec<_> =
            (0..self.params.servers).map(|_| ServerSecret::generate(rng)).collect();
        let names = secrets.iter().map(|secret| secret.identity().id()).collect();
        let rules = Rules::new(b"bench", names, self.params.servers, 1, 1)?;
        let session = Arc::new(Session::establish(rules.clone(), generate_key(&rules, &secrets)?)?);
        let querier = Querier::new(Identity::generate(rng), SecretKey::generate(rng));
        let policy = Policy {
            queriers: vec![querier.id()],
            max_questions: 2,
            min_inputs: 1,
            min_outputs: 1,
            min_anonymity: 1,
            by_position: false,
        };
        let server = |secret| Server::new(secret, session.clone(), policy.clone());
        let servers: Vec<_> = secrets.into_iter().map(server).collect::<Result<_, _>>()?;
        let journals = vec![MemoryJournal::default(); servers.len()];
        Ok(Parties { session, servers, journals, querier })
    }

    fn prepare_inputs(&mut self, session: &Session<G>) -> Result<Vec<Submission<G>>, TraceError> {
        let (entries, values, rng) = (self.params.entries, self.params.values, &mut self.rng);
        self.report.begin("input preparation");
        let submissions = self.report.step(Who::Senders, "preparing inputs", || {
            let seal = |sender: u32| {
                let block = G::embed(&(sender % values).to_le_bytes())
                    .map_err(|_| TraceError::Rules("a block carries four bytes"))?;
                Submission::seal(session, &sender.to_le_bytes(), 1, &[block], rng)
            };
            (0..entries).map(seal).collect::<Result<Vec<_>, _>>()
        })?;
        self.report.end();
        let size = submissions.iter().map(|submission| submission.to_bytes().len()).sum();
        self.report.size("size of sender-uploaded input ciphertexts", "input_bytes", size);
        Ok(submissions)
    }

    fn check_inputs(
        &mut self,
        session: &Arc<Session<G>>,
        submissions: Vec<Submission<G>>,
    ) -> Result<Arc<Inputs<G>>, TraceError> {
        self.report.begin("checking inputs");
        let name = "checking proofs of knowledge of input ciphertexts";
        let inputs =
            self.report.step(Who::Mixer, name, || Inputs::collect(session.clone(), submissions))?;
        self.report.status("status_encs");
        self.report.end_block("checking inputs");
        Ok(Arc::new(inputs))
    }

    /// Preprocessing and mixing: server 1 is timed, the others do the same beside it.
    fn mix(
        &mut self,
        parties: &mut Parties,
        inputs: Arc<Inputs<G>>,
    ) -> Result<Arc<Outputs<G>>, TraceError> {
        let rng = &mut self.rng;
        let Parties { servers, journals, .. } = parties;
        self.report.begin("preprocessing");
        let generators = self
            .report
            .step(Who::Mixer, "deriving generators", || Generators::derive(inputs.rows()));
        let generators = Arc::new(generators);
        let mut permutations = Vec::new();
        for (number, (server, journal)) in servers.iter_mut().zip(&mut *journals).enumerate() {
            let work = || {
                server.commit(&inputs, &generators, journal)?;
                server.permutation(&generators, rng)
            };
            let name = "creating proof of knowledge of permutation commitment opening time";
            permutations.push(self.report.step_of(number, name, work)?);
        }
        self.report.end_block("preprocessing");

        self.report.begin("mixing");
        self.report.begin("re-encryption and permutation");
        let mut turns = Vec::new();
        for (number, server) in servers.iter().enumerate() {
            let work = || server.mix(&inputs, &turns, &generators, rng);
            let name = "re-encryption, creating proof of correct shuffle";
            let turn = self.report.step_of(number, name, work)?;
            turns.push(turn);
        }
        let permutation_bytes = encode_all(&permutations);
        let turn_bytes = encode_all(&turns);
        let mixed = self.report.step(Who::Mixer, "verifying others' proofs of shuffle", || {
            let permutations = decode_all::<PermutationMessage<G>>(&permutation_bytes)?;
            Mixed::verify(inputs, permutations, decode_all::<Turn<G>>(&turn_bytes)?, generators)
        })?;
        self.report.status("status_permcomm");
        self.report.status("status_shuffle");
        self.report.end();

        self.report.begin("decryption of output messages");
        let mixed = Arc::new(mixed);
        let signatures = servers
            .iter()
            .zip(&mut *journals)
            .map(|(server, journal)| server.sign_mix(&mixed, journal))
            .collect::<Result<_, _>>()?;
        let agreement = Agreement::new(signatures);
        let mut partials = Vec::new();
        for (number, server) in servers.iter().enumerate() {
            let work = || server.decrypt(&mixed, &agreement, rng);
            partials.push(self.report.step_of(number, "threshold decryption", work)?);
        }
        let name = "verifying others' decryption shares (batched), combining decryption shares";
        let outputs =
            self.report.step(Who::Mixer, name, || Outputs::open(mixed, agreement, partials))?;
        self.report.status("status_decshares");
        self.report.end();
        self.report.end_block("mixing");
        Ok(Arc::new(outputs))
    }

    /// What a querier checks once per session, from the published bytes on.
    fn check_session(&mut self, outputs: &Outputs<G>) -> Result<Arc<Outputs<G>>, TraceError> {
        let bytes = SessionRecord::of(outputs).to_bytes();
        self.report.begin("checking the session");
        let name = "verifying inputs, permutations, mix and decryption";
        let outputs =
            self.report.step(Who::Verifier, name, || RoutedEngine::<G>::verify_session(&bytes))?;
        self.report.end_block("checking the session");
        self.report.size("size of the session's record", "session_bytes", bytes.len());
        Ok(outputs)
    }

    /// A full query, I = J = all: one bit for every row.
    fn query(
        &mut self,
        parties: &mut Parties,
        outputs: &Arc<Outputs<G>>,
        direction: Direction,
        block: &'static str,
    ) -> Result<(), TraceError> {
        let all = || IndexSet::all(self.params.entries);
        let question = Question { inputs: all(), outputs: all() };
        let request = parties.querier.request(
            outputs.ground(),
            direction,
            By::Value,
            vec![question],
            &mut self.rng,
        );
        let query = Query::new(vec![request])?;
        self.report.begin(block);
        let routed = self.route(parties, outputs, &query)?;
        let agreed = self.agree(parties, routed)?;
        let mut shares = Vec::new();
        let Parties { servers, journals, querier, .. } = parties;
        for (number, (server, journal)) in servers.iter_mut().zip(journals).enumerate() {
            let rng = &mut self.rng;
            let work = || server.share(&agreed, 0, journal, rng);
            shares.push(self.report.step_of(number, "obtain decryption shares", work)?);
        }
        let record = QueryRecord::of(&agreed).to_bytes();
        let share_bytes = encode_all(&shares);
        let name = "verifying proofs of shuffle and blinding";
        let agreed = self.report.step(Who::Verifier, name, || {
            QueryRecord::from_bytes(&record).map_err(malformed)?.verify(outputs.ground())
        })?;
        let name = "verifying decryption shares, combining decryption shares";
        let reading = self.report.step(Who::Verifier, name, || {
            querier.read(&agreed, 0, &decode_all::<SealedShare<G>>(&share_bytes)?)
        })?;
        let answer = reading.answer?;
        if answer.yes.first().map(IndexSet::len) != Some(outputs.rows()) {
            return Err(TraceError::Query("not every row is found among all rows"));
        }
        self.report.status(match direction {
            Direction::In => "status_forward_set_membership",
            Direction::Out => "status_reverse_set_membership",
        });
        self.report.end_block(block);
        self.report.size("size of the query's lists and proofs", "query_bytes", record.len());
        let share = share_bytes.first().map_or(0, Vec::len);
        self.report.size("size of a server's share", "share_bytes", share);
        let query = QueryRecord::of(&agreed);
        let answer = AnswerRecord { query, request: 0, shares: reading.shares }.to_bytes();
        self.report.size("size of a published answer", "answer_bytes", answer.len());
        Ok(())
    }

    fn route(
        &mut self,
        parties: &mut Parties,
        outputs: &Arc<Outputs<G>>,
        query: &Query<G>,
    ) -> Result<Routed<G>, TraceError> {
        self.report.begin(match query.direction() {
            Direction::In => "re-encrypt and reverse-permute markers",
            Direction::Out => "re-encrypt and permute markers",
        });
        let pass = self.report.step(Who::Mixer, "checking request, laying out markers", || {
            Pass::new(outputs.ground().clone(), query.clone())
        })?;
        let mut order: Vec<usize> = (0..parties.servers.len()).collect();
        if query.direction() == Direction::In {
            order.reverse();
        }
        let mut turns: Vec<Turn<G>> = Vec::new();
        for number in order {
            let parts = parties.servers.get_mut(number).zip(parties.journals.get(number));
            let Some((server, journal)) = parts else { continue };
            let rng = &mut self.rng;
            let work = || server.pass_on(&pass, &turns, journal, rng);
            let name = "reencrypting markers, creating proof of shuffle";
            let turn = self.report.step_of(number, name, work)?;
            turns.push(turn);
        }
        let bytes = encode_all(&turns);
        let name = "verifying others' proofs of shuffle of markers";
        let routed = self
            .report
            .step(Who::Mixer, name, || Routed::verify(pass, decode_all::<Turn<G>>(&bytes)?))?;
        self.report.status("status_shuffle");
        self.report.end();
        Ok(routed)
    }

    fn agree(&mut self, parties: &mut Parties, routed: Routed<G>) -> Result<Agreed<G>, TraceError> {
        let Parties { servers, journals, .. } = parties;
        self.report.begin("generate blinded sums of equal values");
        let mut blindings = Vec::new();
        for (number, (server, journal)) in servers.iter_mut().zip(&*journals).enumerate() {
            let rng = &mut self.rng;
            let work = || server.blind(&routed, journal, rng);
            let name = "blinding, creating proofs of knowledge of blinding factors";
            blindings.push(self.report.step_of(number, name, work)?);
        }
        let name = "verifying others' proofs of knowledge of blinding factors";
        let blinded = self.report.step(Who::Mixer, name, || Blinded::verify(routed, blindings))?;
        self.report.status("status_pk_bl");
        self.report.end();
        let signatures = servers
            .iter_mut()
            .zip(journals)
            .map(|(server, journal)| server.sign_query(&blinded, journal))
            .collect::<Result<_, _>>()?;
        self.report.step(Who::Mixer, "verifying others' agreement", || {
            Agreed::verify(blinded, Agreement::new(signatures))
        })
    }
}

/// The three rounds of the key generation.
pub fn generate_key<C: Group>(
    rules: &Rules,
    secrets: &[ServerSecret],
) -> Result<KeyTranscript<C>, TraceError> {
    let round1: Vec<_> =
        secrets.iter().map(|secret| secret.key_round1(rules)).collect::<Result<_, _>>()?;
    let board = KeyTranscript::board1(rules, round1.clone())?;
    let round2: Vec<_> =
        secrets.iter().map(|secret| secret.key_round2(rules, &board)).collect::<Result<_, _>>()?;
    let board = KeyTranscript::board2(board, round2.clone())?;
    let round3 =
        secrets.iter().map(|secret| secret.key_round3(rules, &board)).collect::<Result<_, _>>()?;
    Ok(KeyTranscript { round1, round2, round3 })
}
