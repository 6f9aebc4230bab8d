//! The engine `db`: one pass of DB-SM and one of DB-RSM, I = J = all, as the artifact runs them.
//! A full query takes two.

mod forward;
mod proof;
mod reverse;

use std::sync::Arc;

use ::shuffle::{SecretKey, tw::Generators};
use ::trace::{
    By, Direction, Engine as _, IndexSet, MemoryJournal, Query, Question, Request, SignedRequest,
    TraceError, routed::PermutationMessage,
};
use algebra::Scalar as _;
use board::Identity;
use cli::{
    names::{Keys, PaillierBits},
    progress::Bars,
};
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use trace_db::{
    Committed, DbEngine, F, G1, Inputs, Mixed, Outputs, PaillierSetup, PaillierTurn, Pass, Reading,
    SealingKey, Server, Session, Side, Submission,
    paillier::{self, Context, ModulusSize, Parties, bcp, dealt},
};
use wire::{Decode as _, DecodeError, Digest, Reader};

use super::{
    params::Params,
    parties::{agreement, encode_all, malformed, policy, seed},
    report::{Report, Who},
    routed::establish,
};
use crate::bench::recorder::Recorder;

/// How far the engine's security is proven.
pub const NOTICE: &str = DbEngine::NOTICE;

/// Which Paillier key.
#[derive(Clone, Copy)]
pub struct PaillierChoice {
    /// Bits of N.
    pub size: PaillierBits,
    /// Who makes it.
    pub keys: Keys,
}

/// All parties in one process, one after the other; only server 1 and the querier are timed.
pub struct Bench<'a> {
    params: &'a Params,
    choice: PaillierChoice,
    report: Report<'a>,
    rng: ChaCha20Rng,
}

/// The parties after the key generation.
struct Crew {
    session: Arc<Session>,
    servers: Vec<Server>,
    journals: Vec<MemoryJournal>,
    identity: Identity,
    dealer: Identity,
    key: SecretKey<G1>,
}

impl<'a> Bench<'a> {
    /// A bench with these parameters.
    pub fn new(params: &'a Params, choice: PaillierChoice, progress: &'a Bars) -> Self {
        let report = Report::new::<DbEngine>(params, progress);
        Self { params, choice, report, rng: ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng)) }
    }

    /// Runs everything.
    pub fn run(mut self) -> Result<(Recorder, Vec<String>), TraceError> {
        let mut parties = self.set_up()?;
        let submissions = self.prepare_inputs(&parties.session)?;
        let inputs = self.check_inputs(&parties.session, &submissions)?;
        let outputs = Arc::new(self.mix(&mut parties, inputs)?);
        self.forward(&mut parties, &outputs)?;
        self.reverse(&mut parties, &outputs)?;
        Ok(self.report.finish())
    }

    fn set_up(&mut self) -> Result<Crew, TraceError> {
        let servers = self.params.servers;
        let (secrets, base) = establish(servers, &mut self.rng)?;
        let base = Arc::new(base);
        self.report.begin("preprocessing");
        let (choice, rng) = (self.choice, &mut self.rng);
        let (setup, shares) = self.report.step(Who::Senders, "pai_th_keygen time", || {
            paillier_keys(choice, base.id(), servers, rng)
                .map_err(|error| TraceError::engine("key generation", error.culprit(), error))
        })?;
        let sealing: Vec<_> = secrets
            .iter()
            .map(|secret| SealingKey::new(secret, &base))
            .collect::<Result<_, _>>()?;
        let session = self.report.step(Who::Mixer, "precomputing, verifying keys", || {
            Session::establish(base, &sealing, setup)
        })?;
        self.report.end_block("preprocessing");
        let session = Arc::new(session);
        let (identity, dealer) =
            (Identity::generate(&mut self.rng), Identity::generate(&mut self.rng));
        let key = SecretKey::generate(&mut self.rng);
        let policy = policy(identity.id());
        let server = |(secret, share)| Server::new(secret, session.clone(), share, policy.clone());
        let servers: Vec<_> =
            secrets.into_iter().zip(shares).map(server).collect::<Result<_, _>>()?;
        let journals = vec![MemoryJournal::default(); servers.len()];
        Ok(Crew { session, servers, journals, identity, dealer, key })
    }

    fn prepare_inputs(&mut self, session: &Session) -> Result<Vec<Vec<u8>>, TraceError> {
        let (entries, values, rng) = (self.params.entries, self.params.values, &mut self.rng);
        self.report.begin("input preparation");
        let submissions = self.report.step(Who::Senders, "preparing inputs", || {
            let seal = |sender: u32| {
                let value = F::from_u64((sender % values).into());
                let key = session.paillier();
                Submission::seal(session, key, &sender.to_le_bytes(), &value, rng)
            };
            (0..entries).map(seal).collect::<Result<Vec<_>, _>>()
        })?;
        self.report.end();
        let submissions = encode_all(&submissions);
        let size = submissions.iter().map(Vec::len).sum();
        self.report.size("size of sender-uploaded input ciphertexts", "input_bytes", size);
        Ok(submissions)
    }

    fn check_inputs(
        &mut self,
        session: &Arc<Session>,
        submissions: &[Vec<u8>],
    ) -> Result<Arc<Inputs>, TraceError> {
        self.report.begin("checking inputs");
        let name = "checking proofs of knowledge of input ciphertexts";
        let inputs = self.report.step(Who::Mixer, name, || {
            let read = |reader: &mut Reader<'_>| Submission::decode(reader, session);
            Inputs::collect(session.clone(), decode_with(submissions, read)?)
        })?;
        self.report.status("status_encs");
        self.report.end_block("checking inputs");
        Ok(Arc::new(inputs))
    }

    fn mix(&mut self, parties: &mut Crew, inputs: Arc<Inputs>) -> Result<Outputs, TraceError> {
        let rng = &mut self.rng;
        let Crew { session, servers, journals, .. } = parties;
        self.report.begin("permutations");
        let generators = Arc::new(Generators::derive(inputs.rows()));
        let mut permutations = Vec::new();
        for (number, (server, journal)) in servers.iter_mut().zip(&mut *journals).enumerate() {
            let name = "decryption of individual message/randomness shares";
            let work = || server.commit_permutation(&inputs, &generators, journal);
            self.report.step_of(number, name, work)?;
            let name = "creating proof of knowledge of permutation commitment opening time";
            let work = || server.prove_permutation(&generators, rng);
            permutations.push(self.report.step_of(number, name, work)?);
        }
        self.report.end_block("permutations");

        self.report.begin("mixing");
        self.report.begin("re-encryption and permutation");
        let mut turns = Vec::new();
        for (number, server) in servers.iter().enumerate() {
            let work = || server.mix(&inputs, &permutations, &turns, &generators, rng);
            let name = "re-encryption, creating proof of correct shuffle";
            let turn = self.report.step_of(number, name, work)?;
            turns.push(turn);
        }
        let (permutation_bytes, turn_bytes) = (encode_all(&permutations), encode_all(&turns));
        let mixed = self.report.step(Who::Mixer, "verifying others' proofs of shuffle", || {
            let permutations =
                others(&permutation_bytes, &permutations, 0, PermutationMessage::decode)?;
            let read = |reader: &mut Reader<'_>| PaillierTurn::decode(reader, session);
            let turns = others(&turn_bytes, &turns, 0, read)?;
            Mixed::verify(inputs, permutations, &turns, generators)
        })?;
        self.report.status("status_permcomm");
        self.report.status("status_shuffle");
        self.report.end();

        self.report.begin("decryption of output messages");
        let mixed = Arc::new(mixed);
        let sign = |server: &mut Server, journal: &mut _| server.sign_mix(&mixed, journal);
        let agreement = agreement(servers, journals, sign)?;
        let decrypt = |server: &mut Server, _: &mut _| server.decrypt(&mixed, &agreement, rng);
        let name = "threshold decryption";
        let partials = self.report.step_of_all(name, servers, journals, decrypt)?;
        let bytes = encode_all(&partials);
        let name = "verifying others' decryption shares (batched), combining decryption shares";
        let outputs = self.report.step(Who::Mixer, name, || {
            let read = |reader: &mut Reader<'_>| {
                paillier::PartialDecryption::decode(reader, session.paillier())
            };
            Outputs::open(mixed, &agreement, &others(&bytes, &partials, 0, read)?)
        })?;
        self.report.status("status_decshares");
        self.report.end();
        self.report.end_block("mixing");
        Ok(outputs)
    }

    /// A pass about everything: all rows of the asked side are signed and opened.
    fn pass(
        &mut self,
        parties: &Crew,
        outputs: &Arc<Outputs>,
        direction: Direction,
    ) -> Result<Pass, TraceError> {
        let all = || IndexSet::all(self.params.entries);
        let request = Request {
            session: *parties.session.id(),
            direction,
            by: By::Value,
            questions: vec![Question { inputs: all(), outputs: all() }],
            key: parties.key.public_key(),
            querier: parties.identity.id(),
            nonce: [0; 32],
        };
        let request = SignedRequest::sign(request, &parties.identity, &mut self.rng);
        Pass::new(outputs.clone(), Query::new(vec![request])?, Side::Asked)
    }
}

/// The threshold Paillier key, and the servers' shares.
fn paillier_keys(
    choice: PaillierChoice,
    session: &Digest,
    servers: u16,
    rng: &mut ChaCha20Rng,
) -> Result<(PaillierSetup, Vec<paillier::KeyShare>), paillier::PaillierError> {
    let size = choice.size.size();
    if choice.keys == Keys::Dealer {
        let (key, shares) = dealt::deal(size, Parties::all(servers), rng)?;
        return Ok((PaillierSetup::Dealt(Box::new(key)), shares));
    }
    let parameters = match size {
        ModulusSize::Bits2048 => bcp::Parameters::rsa_2048()?,
        size => bcp::Parameters::generate(size, rng)?,
    };
    let contribute = |server| {
        let context = Context { session: session.as_bytes(), purpose: b"key", server };
        parameters.contribute(&context, rng)
    };
    let (shares, contributions) = (1..=servers).map(contribute).unzip();
    Ok((PaillierSetup::Bcp { parameters: Box::new(parameters), contributions }, shares))
}

/// All commitments, then all messages, and their bytes.
#[expect(clippy::type_complexity, reason = "three lists")]
fn reveal<M: wire::Encode>(
    committed: Vec<Committed<M>>,
) -> Result<(Vec<Digest>, Vec<M>, Vec<Vec<u8>>), TraceError> {
    let commitments: Vec<Digest> = committed.iter().map(|c| *c.commitment()).collect();
    let messages = committed
        .into_iter()
        .map(|committed| committed.reveal(&commitments))
        .collect::<Result<Vec<_>, _>>()?;
    let bytes = encode_all(&messages);
    Ok((commitments, messages, bytes))
}

fn require_all_proven(reading: &Reading) -> Result<(), TraceError> {
    match reading.proven.iter().all(|&proven| proven) {
        true => Ok(()),
        false => Err(TraceError::Query("not every row is found among all rows")),
    }
}

fn one<T: wire::Decode>(bytes: &[u8]) -> Result<T, TraceError> {
    T::from_bytes_seeded(bytes, seed()).map_err(malformed)
}

fn points(bytes: &[u8]) -> Result<::shuffle::PointList<G1>, TraceError> {
    ::shuffle::PointList::decode_batch(bytes, &mut UnwrapErr(SysRng))
        .map_err(|error| TraceError::Malformed { what: "points", reason: error.to_string() })
}

fn decode_with<T>(
    messages: &[Vec<u8>],
    decode: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
) -> Result<Vec<T>, TraceError> {
    let one = |bytes: &Vec<u8>| {
        let mut reader = Reader::with_seed(bytes, seed());
        let message = decode(&mut reader)?;
        reader.finish().map(|()| message)
    };
    messages.iter().map(|bytes| one(bytes).map_err(malformed)).collect()
}

/// What a server reads: the messages of the others, and its own as it is.
fn others<T: Clone>(
    bytes: &[Vec<u8>],
    messages: &[T],
    own: usize,
    decode: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
) -> Result<Vec<T>, TraceError> {
    let mut all = Vec::with_capacity(bytes.len());
    for (number, bytes) in bytes.iter().enumerate() {
        match messages.get(number).filter(|_| number == own) {
            Some(message) => all.push(message.clone()),
            None => all.extend(decode_with(std::slice::from_ref(bytes), &decode)?),
        }
    }
    Ok(all)
}
