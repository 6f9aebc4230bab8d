//! A whole session in one process, step by step, so that tests can reach between the steps.

use std::sync::{Arc, OnceLock};

use algebra::Scalar;
use board::Identity;
use integer::SecretInteger;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::{SecretKey, decrypt::PartialDecryption, tw::Generators};
use trace::{
    routed::{self, KeyTranscript, Rules, ServerSecret, Turn},
    *,
};
use trace_db::{
    paillier::{self, Context, ModulusSize, Parties, bcp, dealt},
    rsm::*,
    sm::*,
    *,
};
use wire::{Decode, Digest, DigestWriter};

pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

pub fn set(indices: &[u32]) -> IndexSet {
    IndexSet::new(indices.iter().copied()).unwrap()
}

pub fn value(v: u64) -> F {
    F::from_u64(v)
}

/// Safe primes of 512 bits, drawn once a process.
pub fn primes() -> &'static [SecretInteger; 2] {
    static PRIMES: OnceLock<[SecretInteger; 2]> = OnceLock::new();
    PRIMES.get_or_init(|| {
        let mut rng = rng(77);
        [(); 2].map(|()| integer::safe_prime(512, &mut rng))
    })
}

#[derive(Clone, Copy)]
pub enum Keys {
    Dealt,
    Bcp,
}

pub struct World {
    pub session: Arc<Session>,
    pub servers: Vec<Server>,
    pub journals: Vec<MemoryJournal>,
    pub identity: Identity,
    pub dealer: Identity,
    pub key: SecretKey<G1>,
    pub outputs: Arc<Outputs>,
    pub rng: ChaCha20Rng,
}

pub fn secrets(servers: u16) -> Vec<ServerSecret> {
    (1..=servers).map(|server| ServerSecret::from_seed(&[server as u8; 32])).collect()
}

pub fn base_session(servers: u16) -> Arc<routed::Session<G1>> {
    let secrets = secrets(servers);
    let names = secrets.iter().map(|secret| secret.identity().id()).collect();
    let rules = Rules::new(b"test", names, servers, 1, 1).unwrap();
    let round1: Vec<_> = secrets.iter().map(|s| s.key_round1(&rules).unwrap()).collect();
    let board = KeyTranscript::board1(&rules, round1.clone()).unwrap();
    let round2: Vec<_> = secrets.iter().map(|s| s.key_round2(&rules, &board).unwrap()).collect();
    let board = KeyTranscript::board2(board, round2.clone()).unwrap();
    let round3 = secrets.iter().map(|s| s.key_round3(&rules, &board).unwrap()).collect();
    let key = KeyTranscript { round1, round2, round3 };
    Arc::new(routed::Session::establish(rules, key).unwrap())
}

pub fn session(servers: u16, keys: Keys) -> (Arc<Session>, Vec<paillier::KeyShare>) {
    let base = base_session(servers);
    let sealing: Vec<SealingKey> =
        secrets(servers).iter().map(|s| SealingKey::new(s, &base).unwrap()).collect();
    let mut rng = rng(5);
    let (setup, shares) = match keys {
        Keys::Dealt => {
            let parties = Parties::all(servers);
            let size = ModulusSize::InsecureTest;
            let (key, shares) = dealt::deal_from_primes(primes(), size, parties, &mut rng).unwrap();
            (PaillierSetup::Dealt(Box::new(key)), shares)
        }
        Keys::Bcp => {
            let size = ModulusSize::InsecureTest;
            let parameters = bcp::Parameters::from_primes(primes(), size).unwrap();
            let (shares, contributions) = (1..=servers)
                .map(|server| {
                    let id = base.id().as_bytes();
                    let context = Context { session: id, purpose: b"key", server };
                    parameters.contribute(&context, &mut rng)
                })
                .unzip();
            (PaillierSetup::Bcp { parameters: Box::new(parameters), contributions }, shares)
        }
    };
    (Arc::new(Session::establish(base, &sealing, setup).unwrap()), shares)
}

pub fn submit(session: &Session, values: &[u64], rng: &mut ChaCha20Rng) -> Vec<Submission> {
    (0_u8..)
        .zip(values)
        .map(|(sender, &v)| {
            Submission::seal(session, session.paillier(), &[sender], &value(v), rng).unwrap()
        })
        .collect()
}

impl World {
    pub fn new(servers: u16, values: &[u64], keys: Keys) -> Self {
        let (session, shares) = session(servers, keys);
        let mut rng = rng(u64::from(servers) * 100 + values.len() as u64);
        let submissions = submit(&session, values, &mut rng);
        Self::with_submissions(session, shares, submissions, rng)
    }

    pub fn with_submissions(
        session: Arc<Session>,
        shares: Vec<paillier::KeyShare>,
        submissions: Vec<Submission>,
        mut rng: ChaCha20Rng,
    ) -> Self {
        let (identity, dealer) = (Identity::generate(&mut rng), Identity::generate(&mut rng));
        let key = SecretKey::generate(&mut rng);
        let policy = policy(&identity);
        let mut servers: Vec<Server> = secrets(session.servers() as u16)
            .into_iter()
            .zip(shares)
            .map(|(secret, share)| {
                Server::new(secret, session.clone(), share, policy.clone()).unwrap()
            })
            .collect();
        let mut journals = vec![MemoryJournal::default(); servers.len()];
        let inputs = Arc::new(Inputs::collect(session.clone(), submissions).unwrap());
        let generators = Arc::new(Generators::derive(inputs.rows()));
        let (mut permutations, mut turns) = (Vec::new(), Vec::new());
        for (server, journal) in servers.iter_mut().zip(&mut journals) {
            server.commit_permutation(&inputs, &generators, journal).unwrap();
            permutations.push(server.prove_permutation(&generators, &mut rng).unwrap());
        }
        for server in &servers {
            let turn = server.mix(&inputs, &permutations, &turns, &generators, &mut rng).unwrap();
            turns.push(turn);
        }
        let mixed = Arc::new(Mixed::verify(inputs, permutations, &turns, generators).unwrap());
        let agreement = servers
            .iter()
            .zip(&mut journals)
            .map(|(server, journal)| server.sign_mix(&mixed, journal).unwrap());
        let agreement = Agreement::new(agreement.collect());
        let partials: Vec<_> = servers
            .iter()
            .map(|server| server.decrypt(&mixed, &agreement, &mut rng).unwrap())
            .collect();
        let outputs = Arc::new(Outputs::open(mixed, &agreement, &partials).unwrap());
        Self { session, servers, journals, identity, dealer, key, outputs, rng }
    }

    pub fn query(&mut self, direction: Direction, inputs: &[u32], outputs: &[u32]) -> Query<G1> {
        let request = Request {
            session: *self.session.id(),
            direction,
            by: By::Value,
            questions: vec![Question { inputs: set(inputs), outputs: set(outputs) }],
            key: self.key.public_key(),
            querier: self.identity.id(),
            nonce: [0; 32],
        };
        Query::new(vec![SignedRequest::sign(request, &self.identity, &mut self.rng)]).unwrap()
    }

    pub fn pass(&self, query: &Query<G1>, side: Side) -> Pass {
        Pass::new(self.outputs.clone(), query.clone(), side).unwrap()
    }

    /// The answer to a whole query.
    pub fn trace(&mut self, direction: Direction, inputs: &[u32], outputs: &[u32]) -> Verdict {
        let query = self.query(direction, inputs, outputs);
        let readings = Side::BOTH.map(|side| {
            let pass = self.pass(&query, side);
            match direction {
                Direction::In => self.sm(pass),
                Direction::Out => self.rsm(pass),
            }
        });
        Verdict::of(&self.pass(&query, Side::Asked), &readings[0], &readings[1]).unwrap()
    }

    // DB-SM, step by step.

    pub fn sm(&mut self, pass: Pass) -> Reading {
        let (query, key) = self.sm_query(pass);
        let opened = self.sm_open(query);
        self.sm_read(&opened, &key)
    }

    pub fn sm_query(&mut self, pass: Pass) -> (SmQuery, BbKey) {
        let values: Vec<F> =
            pass.signed().iter().map(|&row| self.outputs.values()[row as usize]).collect();
        let key = BbKey::generate(&values, &mut self.rng);
        let offer = BbOffer::new(&pass, &key, &self.identity);
        (SmQuery::verify(pass, offer).unwrap(), key)
    }

    pub fn sm_turns(&mut self, query: &SmQuery) -> Vec<Turn<G1>> {
        let mut turns = Vec::new();
        for (server, journal) in self.servers.iter_mut().zip(&self.journals).rev() {
            let turn = server.pass_signatures_on(query, &turns, journal, &mut self.rng).unwrap();
            turns.push(turn);
        }
        turns
    }

    pub fn sm_blindings(&mut self, routed: &SmRouted) -> (Vec<Digest>, Vec<SmBlinding>) {
        let (servers, rng) = (self.servers.iter_mut().zip(&mut self.journals), &mut self.rng);
        let committed: Vec<_> = servers
            .map(|(server, journal)| server.blind_signatures(routed, journal, rng).unwrap())
            .collect();
        reveal(committed)
    }

    pub fn sm_agree(&mut self, blinded: SmBlinded) -> SmAgreed {
        let signatures = self
            .servers
            .iter_mut()
            .zip(&mut self.journals)
            .map(|(server, journal)| server.sign_signatures(&blinded, journal).unwrap())
            .collect();
        SmAgreed::verify(blinded, &Agreement::new(signatures)).unwrap()
    }

    pub fn sm_partials(&mut self, agreed: &SmAgreed) -> Vec<PartialDecryption<G1>> {
        self.servers
            .iter()
            .zip(&self.journals)
            .map(|(server, journal)| {
                server.decrypt_signatures(agreed, journal, &mut self.rng).unwrap()
            })
            .collect()
    }

    pub fn sm_open(&mut self, query: SmQuery) -> SmOpened {
        let turns = self.sm_turns(&query);
        let routed = SmRouted::verify(query, &turns).unwrap();
        let (commitments, blindings) = self.sm_blindings(&routed);
        let blinded = SmBlinded::verify(routed, &commitments, &blindings).unwrap();
        let agreed = self.sm_agree(blinded);
        let partials = self.sm_partials(&agreed);
        SmOpened::open(agreed, partials).unwrap()
    }

    pub fn sm_announce(&mut self, opened: &SmOpened) -> (Vec<Digest>, Vec<Announcement>) {
        let (servers, rng) = (self.servers.iter().zip(&mut self.journals), &mut self.rng);
        let committed: Vec<_> = servers
            .map(|(server, journal)| server.announce_signatures(opened, journal, rng).unwrap())
            .collect();
        reveal(committed)
    }

    pub fn sm_respond(&mut self, opened: &SmOpened, announced: &Announced) -> Vec<SealedResponse> {
        self.servers
            .iter()
            .zip(&mut self.journals)
            .map(|(server, journal)| {
                server.respond_signatures(opened, announced, journal, &mut self.rng).unwrap()
            })
            .collect()
    }

    pub fn sm_proof(&mut self, opened: &SmOpened) -> (Announced, Proof<SmStatement>) {
        let (commitments, announcements) = self.sm_announce(opened);
        let announced = opened.challenge(&commitments, &announcements).unwrap();
        let responses = self.sm_respond(opened, &announced);
        let (statement, prints) = (opened.statement().clone(), announced.challenge().prints());
        let proof = Proof::open(statement, prints.to_vec(), &self.key, &responses).unwrap();
        (announced, proof)
    }

    pub fn sm_read(&mut self, opened: &SmOpened, key: &BbKey) -> Reading {
        let (announced, proof) = self.sm_proof(opened);
        let reading = proof.read(key);
        assert_eq!(proof.shown(&announced).read(&mut self.rng), reading);
        reading
    }
}

impl World {
    // DB-RSM, step by step.

    pub fn rsm(&mut self, pass: Pass) -> Reading {
        let (query, key) = self.rsm_query(pass);
        let opened = self.rsm_open(query);
        let (announced, proof) = self.rsm_proof(&opened);
        let reading = proof.read(&key);
        assert_eq!(proof.shown(&announced).read(&mut self.rng), reading);
        reading
    }

    pub fn rsm_query(&mut self, pass: Pass) -> (RsmQuery, BbsKey) {
        self.outputs.inputs().verify_openings().unwrap();
        let key = BbsKey::generate(&mut self.rng);
        let offer = BbsOffer::new(&pass, &key, &self.identity).unwrap();
        (RsmQuery::verify(pass, offer).unwrap(), key)
    }

    pub fn rsm_fakes(&mut self, query: &RsmQuery) -> Vec<RsmFakes> {
        let (servers, rng) = (self.servers.iter_mut().zip(&mut self.journals), &mut self.rng);
        servers
            .map(|(server, journal)| server.hide_unsigned(query, journal, rng).unwrap())
            .collect()
    }

    pub fn rsm_turns(&mut self, start: &RsmStart) -> Vec<RsmTurn> {
        let mut turns = Vec::new();
        for (server, journal) in self.servers.iter_mut().zip(&self.journals) {
            let rng = &mut self.rng;
            let turn = server.pass_quasi_signatures_on(start, &turns, journal, rng).unwrap();
            turns.push(turn);
        }
        turns
    }

    pub fn rsm_route(&mut self, query: RsmQuery) -> RsmRouted {
        let fakes = self.rsm_fakes(&query);
        let start = RsmStart::verify(query, &fakes).unwrap();
        let turns = self.rsm_turns(&start);
        RsmRouted::verify(start, turns).unwrap()
    }

    pub fn rsm_blind(&mut self, routed: RsmRouted) -> RsmBlinded {
        let dealing = deal(&routed, &self.dealer, &mut self.rng).unwrap();
        RsmBlinded::verify(routed, &self.dealer.id(), dealing).unwrap()
    }

    pub fn rsm_agree(&mut self, blinded: RsmBlinded) -> RsmAgreed {
        let servers = self.servers.iter_mut().zip(&mut self.journals);
        let signatures = servers
            .map(|(server, journal)| server.sign_quasi_signatures(&blinded, journal).unwrap())
            .collect();
        RsmAgreed::verify(blinded, &Agreement::new(signatures)).unwrap()
    }

    pub fn rsm_partials(&mut self, agreed: &RsmAgreed) -> Vec<RsmPartial> {
        let servers = self.servers.iter().zip(&self.journals);
        let rng = &mut self.rng;
        servers
            .map(|(server, journal)| server.decrypt_quasi_signatures(agreed, journal, rng).unwrap())
            .collect()
    }

    pub fn rsm_open(&mut self, query: RsmQuery) -> RsmOpened {
        let routed = self.rsm_route(query);
        let blinded = self.rsm_blind(routed);
        let agreed = self.rsm_agree(blinded);
        let partials = self.rsm_partials(&agreed);
        RsmOpened::open(agreed, partials).unwrap()
    }

    pub fn rsm_announce(&mut self, opened: &RsmOpened) -> (Vec<Digest>, Vec<Announcement>) {
        let (servers, rng) = (self.servers.iter().zip(&mut self.journals), &mut self.rng);
        let committed = servers
            .map(|(server, journal)| {
                server.announce_quasi_signatures(opened, journal, rng).unwrap()
            })
            .collect();
        reveal(committed)
    }

    pub fn rsm_respond(
        &mut self,
        opened: &RsmOpened,
        announced: &Announced,
    ) -> Vec<SealedResponse> {
        let servers = self.servers.iter().zip(&mut self.journals);
        let rng = &mut self.rng;
        servers
            .map(|(server, journal)| {
                server.respond_quasi_signatures(opened, announced, journal, rng).unwrap()
            })
            .collect()
    }

    pub fn rsm_proof(&mut self, opened: &RsmOpened) -> (Announced, Proof<RsmStatement>) {
        let (commitments, announcements) = self.rsm_announce(opened);
        let announced = opened.challenge(&commitments, &announcements).unwrap();
        let proof = self.rsm_prove(opened, &announced);
        (announced, proof)
    }

    pub fn rsm_prove(&mut self, opened: &RsmOpened, announced: &Announced) -> Proof<RsmStatement> {
        let responses = self.rsm_respond(opened, announced);
        let (statement, prints) = (opened.statement().clone(), announced.challenge().prints());
        Proof::open(statement, prints.to_vec(), &self.key, &responses).unwrap()
    }
}

fn policy(identity: &Identity) -> Policy {
    Policy { queriers: vec![identity.id()], max_questions: 100, ..nobody() }
}

/// Who only mixes.
pub fn nobody() -> Policy {
    Policy { queriers: vec![], max_questions: 0, cut: Cut::Both, by_position: false }
}

impl World {
    /// Kills a server of a session with this kind of keys, and starts it again from its secret,
    /// its Paillier share and its journal.
    pub fn restart(&mut self, number: usize, keys: Keys) {
        let servers = self.servers.len() as u16;
        let (again, shares) = session(servers, keys);
        assert_eq!(again.id(), self.session.id());
        let secret = secrets(servers).into_iter().nth(number).unwrap();
        let share = shares.into_iter().nth(number).unwrap();
        let mut server =
            Server::new(secret, self.session.clone(), share, policy(&self.identity)).unwrap();
        let generators = Generators::derive(self.outputs.rows());
        let journal = &mut self.journals[number];
        server.commit_permutation(self.outputs.inputs(), &generators, journal).unwrap();
        self.servers[number] = server;
    }
}

/// All commitments, then all messages.
pub fn reveal<M>(committed: Vec<Committed<M>>) -> (Vec<Digest>, Vec<M>) {
    let commitments: Vec<Digest> = committed.iter().map(|c| *c.commitment()).collect();
    let messages = committed.into_iter().map(|c| c.reveal(&commitments).unwrap()).collect();
    (commitments, messages)
}

/// The digest, in one domain, of parts that each carry their length.
pub fn digest_of(domain: &str, parts: &[&[u8]]) -> Digest {
    let mut writer = DigestWriter::new(domain);
    for part in parts {
        writer.update(&(part.len() as u64).to_le_bytes());
        writer.update(part);
    }
    writer.finish()
}

/// What a server's message becomes when a bit of it flips, at every `step`-th byte and the last;
/// what does not decode any more is left out.
pub fn mutants<T: Decode>(bytes: &[u8], step: usize) -> Vec<(usize, T)> {
    mutants_with(bytes, step, |bytes| T::from_bytes(bytes).ok())
}

pub fn mutants_with<T>(
    bytes: &[u8],
    step: usize,
    decode: impl Fn(&[u8]) -> Option<T>,
) -> Vec<(usize, T)> {
    let positions = (0..bytes.len()).step_by(step).chain([bytes.len() - 1]);
    let mutant = |position: usize| {
        let mut bytes = bytes.to_vec();
        bytes[position] ^= 1;
        Some((position, decode(&bytes)?))
    };
    positions.filter_map(mutant).collect()
}

/// The server that an error names.
pub fn culprit<T>(result: Result<T, TraceError>) -> Option<u16> {
    result.err().unwrap().culprit()
}
