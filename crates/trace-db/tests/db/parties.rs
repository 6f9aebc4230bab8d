//! Parties that hear each other through encodings only, as processes do: keys, mix, a query through
//! [`Asked`], and the records that anybody verifies.

use std::sync::Arc;

use board::Identity;
use integer::{Integer, SecretInteger};
use rand_chacha::ChaCha20Rng;
use shuffle::{SecretKey, tw::Generators};
use trace::{
    routed::{self, KeyTranscript, ServerSecret},
    *,
};
use trace_db::{
    paillier::{ModulusSize, Parties as KeyParties, bcp::Parameters, dealt},
    *,
};
use wire::{Decode, Encode, Reader};

use super::support::{rng, secrets, set, value};

/// Safe primes of 1024 bits, for a dealer in tests: drawing them takes a while.
const PRIMES: &str = include_str!("primes.txt");

fn dealer_key(parties: u16) -> (paillier::PublicKey, Vec<paillier::KeyShare>) {
    let mut primes = PRIMES.lines().map(|prime| prime.parse::<Integer>().unwrap());
    let primes = [(); 2].map(|()| SecretInteger::new(primes.next().unwrap()));
    let (size, parties) = (ModulusSize::Bits2048, KeyParties::all(parties));
    dealt::deal_from_primes(&primes, size, parties, &mut rng(3)).unwrap()
}

/// Everybody in a session over RSA-2048 or under a dealer's key.
pub struct Parties {
    pub record: KeyRecord,
    pub outputs: Arc<Outputs>,
    pub workers: Vec<Worker>,
    pub journals: Vec<MemoryJournal>,
    pub querier: Querier,
    pub dealer: Identity,
    pub policy: Policy,
    pub rng: ChaCha20Rng,
}

#[derive(Clone, Copy, PartialEq)]
pub enum By {
    Servers,
    Dealer,
}

fn rules(servers: &[ServerSecret], by: By, dealer: &Identity) -> SessionRules {
    let keys = match by {
        By::Servers => KeyMaking::Servers(Box::new(Parameters::rsa_2048().unwrap())),
        By::Dealer => KeyMaking::Dealer(ModulusSize::Bits2048),
    };
    let names = servers.iter().map(|secret| secret.identity().id()).collect();
    SessionRules::new(b"test", names, keys, Some(dealer.id())).unwrap()
}

/// Keygen, as processes do it.
pub fn generate(
    servers: &[ServerSecret],
    by: By,
    dealer: &Identity,
    rng: &mut ChaCha20Rng,
) -> (KeyRecord, Vec<paillier::KeyShare>) {
    let rules = rules(servers, by, dealer);
    let base_rules = rules.base();
    let round1: Vec<_> = servers.iter().map(|s| s.key_round1(base_rules).unwrap()).collect();
    let board = KeyTranscript::board1(base_rules, round1.clone()).unwrap();
    let round2: Vec<_> =
        servers.iter().map(|s| s.key_round2(base_rules, &board).unwrap()).collect();
    let board = KeyTranscript::board2(board, round2.clone()).unwrap();
    let round3 = servers.iter().map(|s| s.key_round3(base_rules, &board).unwrap()).collect();
    let key = KeyTranscript { round1, round2, round3 };
    let base = routed::Session::establish(base_rules.clone(), key.clone()).unwrap();
    let sealing: Vec<_> =
        servers.iter().map(|secret| SealingKey::new(secret, &base).unwrap()).collect();
    let (paillier, shares) = match rules.keys() {
        KeyMaking::Servers(parameters) => {
            let made = servers.iter().map(|secret| contribute(secret, &base, parameters).unwrap());
            let (shares, contributions) = made.unzip();
            (PaillierMessages::Servers(contributions), shares)
        }
        KeyMaking::Dealer(_) => {
            let dealt = dealer_key(servers.len() as u16);
            let dealt = DealtKey::seal(dealt, &base, &sealing, dealer, rng).unwrap();
            let shares = servers.iter().map(|secret| dealt.open(secret, &base).unwrap()).collect();
            (PaillierMessages::Dealer(Box::new(dealt)), shares)
        }
    };
    (KeyRecord { rules, key, sealing, paillier }, shares)
}

impl Parties {
    pub fn new(servers: u16, values: &[u64], by: By) -> Self {
        let mut rng = rng(9);
        let secrets = secrets(servers);
        let [identity, dealer] = [(); 2].map(|()| Identity::generate(&mut rng));
        let (record, shares) = generate(&secrets, by, &dealer, &mut rng);
        let record = KeyRecord::from_bytes(&record.to_bytes()).unwrap();
        let session = Arc::new(record.establish().unwrap());
        let policy = Policy {
            queriers: vec![identity.id()],
            max_questions: 100,
            cut: Cut::Both,
            by_position: false,
        };
        let querier = Querier::new(identity, SecretKey::generate(&mut rng));
        let server =
            |(secret, share)| Server::new(secret, session.clone(), share, policy.clone()).unwrap();
        let mut servers: Vec<Server> = secrets.into_iter().zip(shares).map(server).collect();
        let mut journals = vec![MemoryJournal::default(); servers.len()];
        let mut inbox = InputBox::new(session.clone());
        let key = session.paillier().without_tables();
        for (sender, &v) in (1_u8..).zip(values) {
            inbox
                .admit(Submission::seal(&session, &key, &[sender], &value(v), &mut rng).unwrap())
                .unwrap();
        }
        let (inputs, refused) = inbox.close().unwrap();
        assert!(refused.is_empty());
        let inputs = Arc::new(inputs);
        let generators = Arc::new(Generators::derive(inputs.rows()));
        let mut permutations = vec![];
        for (server, journal) in servers.iter_mut().zip(&mut journals) {
            server.commit_permutation(&inputs, &generators, journal).unwrap();
            permutations.push(server.prove_permutation(&generators, &mut rng).unwrap());
        }
        let mut turns = vec![];
        for server in &servers {
            let turn = server.mix(&inputs, &permutations, &turns, &generators, &mut rng);
            turns.push(turn.unwrap());
        }
        let mixed = Arc::new(Mixed::verify(inputs, permutations, &turns, generators).unwrap());
        let signatures = servers
            .iter()
            .zip(&mut journals)
            .map(|(server, journal)| server.sign_mix(&mixed, journal).unwrap())
            .collect();
        let agreement = Agreement::new(signatures);
        let partials: Vec<_> = servers
            .iter()
            .map(|server| server.decrypt(&mixed, &agreement, &mut rng).unwrap())
            .collect();
        let outputs = Arc::new(Outputs::open(mixed, &agreement, &partials).unwrap());
        let workers = servers.into_iter().map(Worker::new).collect();
        Self { record, outputs, workers, journals, querier, dealer, policy, rng }
    }

    /// Kills a server and starts it again from its secret, the keys that were made, and its
    /// journal.
    pub fn restart(&mut self, index: usize) {
        let secret = || secrets(self.workers.len() as u16).swap_remove(index);
        let session = self.outputs.inputs().session().clone();
        let share = match (&self.record.paillier, self.record.rules.keys()) {
            (PaillierMessages::Dealer(dealt), _) => dealt.open(&secret(), session.base()).unwrap(),
            (_, KeyMaking::Servers(parameters)) => {
                contribute(&secret(), session.base(), parameters).unwrap().0
            }
            _ => unreachable!("a session has one kind of keys"),
        };
        let mut server = Server::new(secret(), session, share, self.policy.clone()).unwrap();
        let (mixed, journal) = (self.outputs.mixed(), &mut self.journals[index]);
        server.commit_permutation(mixed.inputs(), mixed.generators(), journal).unwrap();
        self.workers[index] = Worker::new(server);
    }

    pub fn ask(
        &mut self,
        direction: Direction,
        inputs: &[u32],
        outputs: &[u32],
    ) -> (Asked, PassKeys) {
        let question = Question { inputs: set(inputs), outputs: set(outputs) };
        let (query, offers, keys) =
            self.querier.ask(&self.outputs, direction, question, &mut self.rng).unwrap();
        let asked = Asked::new(&self.outputs, query, offers, self.record.rules.dealer()).unwrap();
        (asked, keys)
    }

    /// Takes a message as it comes over the wire.
    pub fn hear(&self, asked: Asked, party: u16, parts: &[Part; 2]) -> Result<Asked, TraceError> {
        let step = (asked.query().direction(), asked.step());
        let again = |part: &Part| {
            let bytes = part.to_bytes();
            let mut reader = Reader::new(&bytes);
            let read = Part::decode(&mut reader, step, self.outputs.session()).unwrap();
            reader.finish().unwrap();
            assert_eq!((&read, read.to_bytes()), (part, bytes));
            read
        };
        asked.take(Said { party, parts: parts.each_ref().map(again) })
    }

    /// What a party that is waited for says.
    pub fn say(&mut self, asked: &Asked, party: u16) -> Result<[Part; 2], TraceError> {
        if party == DEALER {
            return asked.deal(&self.dealer, &mut self.rng);
        }
        let index = usize::from(party) - 1;
        self.workers[index].answer(asked, &mut self.journals[index], &mut self.rng)
    }

    /// Who is waited for, the last server first.
    pub fn awaited(&self, asked: &Asked) -> Option<u16> {
        (DEALER..=self.workers.len() as u16).rev().find(|&party| asked.awaits(party))
    }

    /// Goes on until a step, or to the end.
    pub fn run(&mut self, mut asked: Asked, until: Option<Step>) -> Asked {
        while let Some(party) = self.awaited(&asked).filter(|_| Some(asked.step()) != until) {
            let parts = self.say(&asked, party).unwrap();
            asked = self.hear(asked, party, &parts).unwrap();
        }
        asked
    }

    pub fn answer(&mut self, direction: Direction, inputs: &[u32], outputs: &[u32]) -> Found {
        let (asked, keys) = self.ask(direction, inputs, outputs);
        assert!(!asked.is_answered());
        let asked = self.run(asked, None);
        assert!(asked.is_answered() && asked.is_agreed());
        self.querier.read(&asked, &keys).unwrap()
    }

    /// The rows of the outputs with a value.
    pub fn rows_of(&self, v: u64) -> Vec<u32> {
        let rows = (0_u32..).zip(self.outputs.values());
        rows.filter(|(_, got)| **got == value(v)).map(|(row, _)| row).collect()
    }
}
