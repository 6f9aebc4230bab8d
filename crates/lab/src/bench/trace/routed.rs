//! The engine `routed`.

use std::sync::Arc;

use ::shuffle::{SecretKey, tw::Generators};
use ::trace::{
    By, Direction, Engine as _, IndexSet, MemoryJournal, Query, Question, TraceError,
    routed::{
        Agreed, AnswerRecord, Blinded, Inputs, KeyTranscript, Mixed, Outputs, Pass,
        PermutationMessage, Querier, QueryRecord, Routed, RoutedEngine, Rules, SealedShare, Server,
        ServerSecret, Session, SessionRecord, Submission, Turn,
    },
};
use algebra::{Embed as _, Group, Ristretto255 as G};
use board::Identity;
use cli::progress::Bars;
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use wire::{Decode as _, Encode as _};

use super::{
    params::Params,
    parties::{agreement, decode_all, encode_all, malformed, policy},
    report::{Report, Who},
};
use crate::bench::recorder::Recorder;

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
        let report = Report::new::<RoutedEngine<G>>(params, progress);
        Self { params, report, rng: ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng)) }
    }

    /// Runs everything.
    pub fn run(mut self) -> Result<(Recorder, Vec<String>), TraceError> {
        let mut parties = self.set_up()?;
        let submissions = self.prepare_inputs(&parties.session)?;
        let inputs = self.check_inputs(&parties.session, submissions)?;
        let outputs = self.mix(&mut parties, inputs)?;
        let outputs = self.check_session(&outputs)?;
        self.query(&mut parties, &outputs, Direction::In, "forward set membership")?;
        self.query(&mut parties, &outputs, Direction::Out, "reverse set membership")?;
        Ok(self.report.finish())
    }

    fn set_up(&mut self) -> Result<Parties, TraceError> {
        let rng = &mut self.rng;
        let (secrets, session) = establish(self.params.servers, rng)?;
        let session = Arc::new(session);
        let querier = Querier::new(Identity::generate(rng), SecretKey::generate(rng));
        let policy = policy(querier.id());
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
        let name = "creating proof of knowledge of permutation commitment opening time";
        let permutations =
            self.report.step_of_all(name, servers, journals, |server, journal| {
                server.commit(&inputs, &generators, journal)?;
                server.permutation(&generators, rng)
            })?;
        self.report.end_block("preprocessing");

        self.report.begin("mixing");
        self.report.begin("re-encryption and permutation");
        let mut turns = Vec::new();
        for (number, server) in servers.iter().enumerate() {
            let work = || server.mix(&inputs, &permutations, &turns, &generators, rng);
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
        let sign = |server: &mut Server<G>, journal: &mut _| server.sign_mix(&mixed, journal);
        let agreement = agreement(servers, journals, sign)?;
        let decrypt = |server: &mut Server<G>, _: &mut _| server.decrypt(&mixed, &agreement, rng);
        let name = "threshold decryption";
        let partials = self.report.step_of_all(name, servers, journals, decrypt)?;
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
        let Parties { servers, journals, querier, .. } = parties;
        let name = "obtain decryption shares";
        let shares = self.report.step_of_all(name, servers, journals, |server, journal| {
            server.share(&agreed, 0, journal, &mut self.rng)
        })?;
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
        let name = "blinding, creating proofs of knowledge of blinding factors";
        let blindings = self.report.step_of_all(name, servers, journals, |server, journal| {
            server.blind(&routed, journal, &mut self.rng)
        })?;
        let name = "verifying others' proofs of knowledge of blinding factors";
        let blinded = self.report.step(Who::Mixer, name, || Blinded::verify(routed, blindings))?;
        self.report.status("status_pk_bl");
        self.report.end();
        let sign = |server: &mut Server<G>, journal: &mut _| server.sign_query(&blinded, journal);
        let agreement = agreement(servers, journals, sign)?;
        self.report
            .step(Who::Mixer, "verifying others' agreement", || Agreed::verify(blinded, agreement))
    }
}

/// Servers, and the session of the key that they generate.
pub fn establish<C: Group>(
    servers: u16,
    rng: &mut ChaCha20Rng,
) -> Result<(Vec<ServerSecret>, Session<C>), TraceError> {
    let secrets: Vec<_> = (0..servers).map(|_| ServerSecret::generate(rng)).collect();
    let names = secrets.iter().map(|secret| secret.identity().id()).collect();
    let rules = Rules::new(b"bench", names, servers, 1, 1)?;
    let key = generate_key(&rules, &secrets)?;
    Ok((secrets, Session::establish(rules, key)?))
}

/// The three rounds of the key generation.
fn generate_key<C: Group>(
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
