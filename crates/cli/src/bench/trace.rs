//! `subrosa bench trace`: the report of the published artifact on traceable mixnets, for our
//! engines. Section and row names are the artifact's, as far as the steps exist.

use std::{sync::Arc, time::Duration};

use ::board::Identity;
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
use algebra::{Embed as _, Ristretto255 as G};
use clap::ValueEnum;
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use serde::Serialize;
use wire::{Decode as _, Encode as _, Progress as _};

use super::{
    recorder::{Recorder, Sample},
    threads::ThreadsArgs,
};
use crate::{failure::Failure, output::Output, progress::Bars};

/// A way to answer trace queries.
#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "lowercase")]
enum EngineName {
    /// Markers through the mix's permutations: our construction, no published proof yet.
    Routed,
}

/// Options of `trace`.
#[derive(clap::Args)]
pub struct Args {
    /// How queries are answered.
    #[arg(long, value_enum, default_value = "routed")]
    engine: EngineName,
    /// How many submissions are mixed.
    #[arg(value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1 << 20))]
    entries: u32,
    /// How many servers mix.
    #[arg(value_name = "M", value_parser = clap::value_parser!(u16).range(1..=64))]
    servers: u16,
    /// How many different values are submitted [default: all are different].
    #[arg(long, value_name = "V", value_parser = clap::value_parser!(u32).range(1..))]
    values: Option<u32>,
    #[command(flatten)]
    threads: ThreadsArgs,
}

/// What the bench ran with.
#[derive(Debug, Serialize)]
struct Params {
    engine: EngineName,
    notice: &'static str,
    entries: u32,
    servers: u16,
    values: u32,
    threads: usize,
}

/// Runs the command.
pub fn run(args: &Args, output: &Output) -> Result<(), Failure> {
    let pool = args.threads.pool()?;
    let params = Params {
        engine: args.engine,
        notice: RoutedEngine::<G>::NOTICE,
        entries: args.entries,
        servers: args.servers,
        values: args.values.map_or(args.entries, |values| values.min(args.entries)),
        threads: pool.current_num_threads(),
    };
    let bars = Bars::new();
    let report = pool.install(|| Bench::new(&params, &bars).run());
    bars.finish();
    let (recorder, lines) = report.map_err(Failure::refused)?;
    recorder.report_as("trace", params, lines, output);
    Ok(())
}

/// Whose time a step takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Who {
    /// Server 1, which stands for all: they all do the same.
    Mixer,
    /// The querier.
    Verifier,
    /// All senders together.
    Senders,
}

/// The nested report: four spaces a level, CPU seconds.
struct Report<'a> {
    recorder: Recorder,
    lines: Vec<String>,
    path: Vec<&'static str>,
    mixer: Duration,
    verifier: Duration,
    entries: u64,
    progress: &'a Bars,
}

impl Report<'_> {
    fn line(&mut self, text: &str) {
        self.lines.push(format!("{:width$}{text}", "", width = 4 * self.path.len()));
    }

    fn begin(&mut self, name: &'static str) {
        self.line(name);
        self.path.push(name);
    }

    fn end(&mut self) {
        self.path.pop();
    }

    /// Ends a block with the totals of the parties that worked in it.
    fn end_block(&mut self, name: &str) {
        let (mixer, verifier) =
            (std::mem::take(&mut self.mixer), std::mem::take(&mut self.verifier));
        self.line(&format!("mixer 0 total time: {}", seconds(mixer)));
        if !verifier.is_zero() {
            self.line(&format!("verifier total time: {}", seconds(verifier)));
        }
        self.end();
        self.line(&format!("{name} time: {}", seconds(mixer + verifier)));
    }

    fn status(&mut self, name: &str) {
        // A step that does not hold has ended the bench.
        self.line(&format!("{name}: True"));
    }

    /// A step that all servers take; the first is timed.
    fn step_of<T>(&mut self, server: usize, name: &'static str, work: impl FnOnce() -> T) -> T {
        match server {
            0 => self.step(Who::Mixer, name, work),
            _ => work(),
        }
    }

    fn step<T>(&mut self, who: Who, name: &'static str, work: impl FnOnce() -> T) -> T {
        self.progress.begin(name, 1);
        let (result, sample) = Sample::of(work);
        let party = match who {
            Who::Mixer => "mixer 0: ",
            Who::Verifier => "verifier: ",
            Who::Senders => "",
        };
        match who {
            Who::Mixer => self.mixer += sample.cpu(),
            Who::Verifier => self.verifier += sample.cpu(),
            Who::Senders => {}
        }
        self.line(&format!("{party}{name}: {}", seconds(sample.cpu())));
        let block = self.path.first().copied().unwrap_or("main");
        self.recorder.row(format!("{block}/{party}{name}"), self.entries, &[sample]);
        result
    }
}

/// Two significant digits, as the artifact prints them.
fn seconds(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let digits = if seconds > 0.0 { 1 - seconds.log10().floor() as i32 } else { 1 };
    format!("{seconds:.*} s", usize::try_from(digits).unwrap_or(0))
}

/// All parties in one process, one after the other; only server 1 and the querier are timed.
struct Bench<'a> {
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
    fn new(params: &'a Params, progress: &'a Bars) -> Self {
        let report = Report {
            recorder: Recorder::new(),
            lines: Vec::new(),
            path: Vec::new(),
            mixer: Duration::ZERO,
            verifier: Duration::ZERO,
            entries: params.entries.into(),
            progress,
        };
        Self { params, report, rng: ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng)) }
    }

    fn run(mut self) -> Result<(Recorder, Vec<String>), TraceError> {
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
        self.size("size of sender-uploaded input ciphertexts", "input_bytes", size);
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
        self.size("size of the session's record", "session_bytes", bytes.len());
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
        self.size("size of the query's lists and proofs", "query_bytes", record.len());
        let share = share_bytes.first().map_or(0, Vec::len);
        self.size("size of a server's share", "share_bytes", share);
        let query = QueryRecord::of(&agreed);
        let answer = AnswerRecord { query, request: 0, shares: reading.shares }.to_bytes();
        self.size("size of a published answer", "answer_bytes", answer.len());
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

    fn size(&mut self, label: &str, name: &'static str, bytes: usize) {
        self.report.line(&format!("{label}: {:.3} MB", bytes as f64 / 1e6));
        self.report.recorder.size(name, bytes);
    }
}

/// The three rounds of the key generation.
fn generate_key(rules: &Rules, secrets: &[ServerSecret]) -> Result<KeyTranscript<G>, TraceError> {
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

fn encode_all<T: wire::Encode>(messages: &[T]) -> Vec<Vec<u8>> {
    messages.iter().map(wire::Encode::to_bytes).collect()
}

fn decode_all<T: wire::Decode>(messages: &[Vec<u8>]) -> Result<Vec<T>, TraceError> {
    messages.iter().map(|bytes| T::from_bytes(bytes).map_err(malformed)).collect()
}

fn malformed(error: wire::DecodeError) -> TraceError {
    TraceError::Malformed { what: "message", reason: error.to_string() }
}
