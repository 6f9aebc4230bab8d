//! A traceable mix of the engine `db` on a board, in one process: a dealer's key, restarts, who may say
//! what, and bytes of hostile origin.

use algebra::Scalar;
use board::{Identity, MemoryStore};
use integer::{Integer, SecretInteger};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use study::{
    replay::{Begin, Party, Protocol},
    tracing::{db::*, write_bundle},
};
use trace::{Cut, Direction, IndexSet, MemoryJournal, Policy, Question};
use trace_db::{
    DEALER, F, KeyMaking, Part, Step, Submission,
    paillier::{KeyShare, ModulusSize, Parties, PublicKey, dealt},
};
use wire::{Digest, Encode};

use super::tracing_claims::verify;
use crate::common::TraceKey;

/// Safe primes of 1024 bits: drawing them takes a while.
const PRIMES: &str = include_str!("../../../trace-db/tests/db/primes.txt");

pub fn dealt_key() -> (PublicKey, Vec<KeyShare>) {
    let mut primes = PRIMES.lines().map(|prime| prime.parse::<Integer>().unwrap());
    let primes = [(); 2].map(|()| SecretInteger::new(primes.next().unwrap()));
    let mut rng = ChaCha20Rng::seed_from_u64(2);
    dealt::deal_from_primes(&primes, ModulusSize::Bits2048, Parties::all(2), &mut rng).unwrap()
}

pub struct Table {
    pub follower: DbFollower,
    pub operator: TraceKey,
    pub querier: TraceKey,
    pub servers: Vec<TraceKey>,
    pub senders: Vec<TraceKey>,
    pub dealer: DealerNode,
    nodes: Vec<DbNode<MemoryJournal>>,
    rng: ChaCha20Rng,
}

impl Table {
    pub fn new(key: (PublicKey, Vec<KeyShare>)) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let mut keys =
            |count| -> Vec<TraceKey> { (0..count).map(|_| TraceKey::generate(&mut rng)).collect() };
        let (servers, senders, mut others) = (keys(2), keys(3), keys(3));
        let [operator, querier, dealer] = [(); 3].map(|()| others.remove(0));
        let names = |keys: &[TraceKey]| keys.iter().map(|key| key.identity().id()).collect();
        let setup = DbSetup {
            title: "Lunch".into(),
            keys: KeyMaking::Dealer(ModulusSize::Bits2048),
            dealer: Some(dealer.identity().id()),
            servers: names(&servers),
            senders: names(&senders),
        };
        let (store, genesis) = (Box::new(MemoryStore::new()), DbMessage::Setup(setup));
        let follower = DbFollower::begin(store, &operator.identity(), &genesis).unwrap();
        let stranger = DealerNode::new(operator.identity(), follower.state());
        assert!(stranger.is_err());
        let dealer = DealerNode::new(dealer.identity(), follower.state()).unwrap().with_key(key);
        let mut table =
            Self { follower, operator, querier, servers, senders, dealer, nodes: vec![], rng };
        table.nodes = (0..2).map(|index| table.node(index, MemoryJournal::default())).collect();
        table
    }

    fn node(&self, index: usize, journal: MemoryJournal) -> DbNode<MemoryJournal> {
        let queriers = vec![self.querier.identity().id()];
        let policy = Policy { queriers, max_questions: 5, cut: Cut::Both, by_position: false };
        let secret = self.servers[index].server();
        DbNode::new(&secret, self.follower.state(), policy, journal).unwrap()
    }

    fn perform(&mut self, party: u16, task: DbTask) -> (Identity, DbMessage) {
        let (state, rng) = (self.follower.state(), &mut self.rng);
        if party == DEALER {
            let message = self.dealer.perform(task, state, rng).unwrap();
            return (copy(self.dealer.identity()), message);
        }
        let node = &mut self.nodes[usize::from(party) - 1];
        let message = node.perform(task, state, rng).unwrap();
        (copy(node.identity()), message)
    }

    fn awaited(&self) -> Option<(u16, DbTask)> {
        (DEALER..=2)
            .find_map(|party| self.follower.state().awaited(party).map(|task| (party, task)))
    }

    /// Does what the board waits for until `until` or nobody is waited for.
    pub fn run(&mut self, until: impl Fn(&DbTask) -> bool) {
        while let Some((party, task)) = self.awaited().filter(|(_, task)| !until(task)) {
            let (identity, message) = self.perform(party, task);
            assert_eq!(self.say(&identity, &message), None, "{task}");
        }
    }

    fn say(&mut self, key: &Identity, message: &DbMessage) -> Option<String> {
        let before = self.follower.state().faults().len();
        self.follower.post(key, message, |_| true).unwrap();
        self.follower.state().faults().get(before).map(|fault| fault.reason.clone())
    }

    fn submission(&mut self, sender: usize, text: &str) -> DbMessage {
        let session = self.follower.state().session().unwrap();
        let name = self.senders[sender].identity().id();
        let (key, value) = (session.paillier().without_tables(), value_of(text).unwrap());
        let sealed = Submission::seal(session, &key, name.as_bytes(), &value, &mut self.rng);
        DbMessage::Submission(Box::new(sealed.unwrap()))
    }

    pub fn ready(mut self) -> Self {
        self.run(|_| false);
        let (own, other) = (self.senders[0].identity(), self.senders[1].identity());
        let (first, second) = (self.submission(0, "soup"), self.submission(1, "stew"));
        assert!(self.say(&other, &first).unwrap().contains("not the submission"));
        assert_eq!(self.say(&own, &first), None);
        assert!(self.say(&own, &first).unwrap().contains("submitted before"));
        assert_eq!(self.say(&other, &second), None);
        assert!(self.say(&own, &DbMessage::Close).unwrap().contains("only the operator"));
        let operator = self.operator.identity();
        assert_eq!(self.say(&operator, &DbMessage::Close), None);
        assert!(self.say(&own, &first).unwrap().contains("not open"));
        self.run(|_| false);
        let texts: Vec<_> =
            self.follower.state().outputs().unwrap().values().iter().filter_map(text_of).collect();
        assert!(texts == ["soup", "stew"] || texts == ["stew", "soup"], "{texts:?}");
        self
    }

    pub fn ask(&mut self, direction: Direction) -> (Digest, trace_db::PassKeys) {
        let outputs = self.follower.state().outputs().unwrap().clone();
        let question = Question { inputs: IndexSet::all(1), outputs: IndexSet::all(2) };
        let querier = self.querier.db_querier();
        let (query, offers, keys) =
            querier.ask(&outputs, direction, question, &mut self.rng).unwrap();
        let (id, key) = (*query.id(), self.querier.identity());
        let message = DbMessage::Query(query, Box::new(offers));
        assert_eq!(self.say(&key, &message), None);
        assert!(self.say(&key, &message).unwrap().contains("asked before"));
        (id, keys)
    }
}

fn copy(identity: &Identity) -> Identity {
    Identity::from_seed(&identity.to_seed())
}

fn at(step: Step) -> impl Fn(&DbTask) -> bool {
    move |task| matches!(task, DbTask::Query(_, reached) if *reached == step)
}

/// Of a mix with a false signature no server would decrypt anything.
#[test]
fn a_false_signature_on_the_mix_has_no_effect_and_names_its_server() {
    let mut table = Table::new(dealt_key());
    table.run(|_| false);
    let message = table.submission(0, "soup");
    let (sender, operator) = (table.senders[0].identity(), table.operator.identity());
    assert_eq!(table.say(&sender, &message), None);
    assert_eq!(table.say(&operator, &DbMessage::Close), None);
    table.run(|task| *task == DbTask::SignMix);
    let server = copy(table.nodes[0].identity());
    let refused = table.say(&server, &DbMessage::MixSignature([1; 64])).unwrap();
    assert!(refused.contains("the signature of server 1 is false"), "{refused}");
    table.run(|_| false);
    assert_eq!(table.follower.state().outputs().unwrap().values().len(), 1);
}

#[test]
fn a_dealt_session_answers_both_ways_and_survives_restarts() {
    let mut table = Table::new(dealt_key()).ready();
    let (inward, in_keys) = table.ask(Direction::In);
    table.run(at(Step::Blinding));

    // A server out of its step, a stranger, the dealer in a server's place.
    let task = DbTask::Query(inward, Step::Blinding);
    let (own, blinding) = table.perform(1, task);
    let signature = || Box::new([0, 1].map(|_| Part::Signature([0; 64])));
    let early = DbMessage::Said(inward, Direction::In, signature());
    assert!(table.say(&own, &early).unwrap().contains("not waited for"));
    let (stranger, dealer) = (table.querier.identity(), copy(table.dealer.identity()));
    assert!(table.say(&stranger, &blinding).unwrap().contains("no server of this session"));
    assert!(table.say(&dealer, &blinding).unwrap().contains("not waited for"));
    assert!(table.say(&own, &DbMessage::MixSignature([0; 64])).unwrap().contains("not waited for"));

    // Both servers are started again from their secrets and journals, between commitment and
    // blinding, and then once the other query is agreed on.
    let restart = |table: &mut Table| {
        for index in 0..2 {
            let journal = table.nodes[index].journal().clone();
            table.nodes[index] = table.node(index, journal);
        }
    };
    restart(&mut table);
    table.run(|_| false);
    let (outward, out_keys) = table.ask(Direction::Out);
    table.run(at(Step::Commitment));
    restart(&mut table);
    let refusal = DbMessage::Refusal(outward, "late".into());
    assert!(table.say(&own, &refusal).unwrap().contains("too late"));
    table.run(|_| false);
    let querier = table.querier.db_querier();
    let state = table.follower.state();
    assert_eq!(state.agreed().count(), 2);
    let soup =
        state.outputs().unwrap().values().iter().position(|v| *v == value_of("soup").unwrap());
    let mut records = Vec::new();
    for (id, keys, yes) in [(inward, in_keys, 0), (outward, out_keys, soup.unwrap() as u32)] {
        let asked = state.query(&id).unwrap().asked.as_ref().unwrap();
        let found = querier.read(asked, &keys).unwrap();
        assert_eq!(found.verdict.yes, IndexSet::new([yes]).unwrap());
        assert!(found.verdict.unproven.is_empty());
        records.push(found.record);
    }
    // Published, with the board.
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().join("bundle");
    let entries = table.follower.entries();
    let board = table.follower.board();
    write_bundle(&root, board, state, &records).unwrap();
    let summary = verify(&root).unwrap();
    assert!(summary.contains("engine db: the paper's protocol"), "{summary}");
    assert!(summary.contains(&format!("board {}", table.follower.id())), "{summary}");
    assert!(summary.contains("1 no; a no: the result comes from none"), "{summary}");
    let sender = table.senders[0].identity().id();
    assert!(summary.contains(&format!("input 0: {sender}")), "{summary}");
    // Before the second query was asked, its answer is none.
    let mut early = DbTracing::begin(&entries[0]).unwrap();
    let asked = entries.iter().rposition(|entry| entry.author() == querier.id()).unwrap();
    entries[1..asked].iter().for_each(|entry| early.apply(entry));
    let refused = write_bundle(&root, board, &early, &records).err().unwrap();
    assert!(refused.to_string().contains("its query is not on the board"), "{refused}");
    hostile_bytes(&table);
}

/// Every entry is the canonical encoding of its message; nothing else is read, and nothing panics.
fn hostile_bytes(table: &Table) {
    let state = table.follower.state();
    let known =
        || Known { rules: Some(state.rules()), session: state.session().map(AsRef::as_ref) };
    let nothing = || Known { rules: None, session: None };
    for entry in table.follower.entries() {
        let (kind, payload) = (entry.kind(), entry.payload());
        let read = |bytes: &[u8]| DbMessage::from_entry(kind, bytes, &known()).ok();
        let message = read(payload).unwrap();
        assert_eq!((message.kind().as_str(), message.to_bytes().as_slice()), (kind, payload));
        assert!(read(&[payload, &[0]].concat()).is_none(), "{kind}");
        for length in (0..payload.len()).step_by(payload.len() / 8 + 1) {
            assert!(read(&payload[..length]).is_none(), "{kind}: {length} bytes");
        }
        for position in (0..payload.len().saturating_sub(4)).step_by(payload.len() / 8 + 1) {
            let mut bytes = payload.to_vec();
            bytes[position..position + 4].fill(0xff);
            if let Some(changed) = read(&bytes) {
                assert_eq!(changed.to_bytes(), bytes, "{kind}: byte {position}");
            }
        }
        // Without the rules or the session, what needs them is refused.
        let _ = DbMessage::from_entry(kind, payload, &nothing());
        assert!(DbMessage::from_entry("trace/db/query/in/fakes", payload, &known()).is_err());
    }
}

/// It has no effect; the server is named and waited for, and the next turn is of the lists before.
#[test]
fn a_mix_turn_that_does_not_hold_is_named_and_the_mix_goes_on() {
    let mut table = Table::new(dealt_key());
    table.run(|_| false);
    for (sender, text) in ["soup", "stew"].into_iter().enumerate() {
        let (key, message) = (table.senders[sender].identity(), table.submission(sender, text));
        assert_eq!(table.say(&key, &message), None);
    }
    let operator = table.operator.identity();
    assert_eq!(table.say(&operator, &DbMessage::Close), None);
    for server in [1_u16, 2] {
        let is_next = |table: &Table| table.awaited() == Some((server, DbTask::Mix));
        while !is_next(&table) {
            let (party, task) = table.awaited().unwrap();
            let (identity, message) = table.perform(party, task);
            assert_eq!(table.say(&identity, &message), None);
        }
        let (identity, honest) = table.perform(server, DbTask::Mix);
        let (kind, bytes) = (honest.kind().as_str().to_owned(), honest.to_bytes());
        // One bit, in lists and proofs: where the message still reads, it does not hold.
        let read = |position: usize| {
            let mut bytes = bytes.clone();
            bytes[position] ^= 1;
            let state = table.follower.state();
            let known =
                Known { rules: Some(state.rules()), session: state.session().map(AsRef::as_ref) };
            DbMessage::from_entry(&kind, &bytes, &known).ok()
        };
        let places = (0..bytes.len()).step_by(bytes.len() / 24);
        let changed: Vec<DbMessage> = places.filter_map(read).collect();
        assert!(changed.len() > 3, "{} messages that read", changed.len());
        for message in changed.iter().take(6) {
            let refused = table.say(&identity, message).unwrap();
            assert!(refused.contains(&format!("server {server}")), "{refused}");
            assert!(is_next(&table));
        }
        assert_eq!(table.say(&identity, &honest), None);
    }
    table.run(|_| false);
    assert_eq!(table.follower.state().outputs().unwrap().rows(), 2);
}

#[test]
fn a_server_without_its_share_ends_the_session() {
    let (key, mut shares) = dealt_key();
    shares.reverse();
    let mut table = Table::new((key, shares));
    table.run(|task| *task == DbTask::Confirm);
    let (identity, message) = table.perform(1, DbTask::Confirm);
    assert_eq!(table.say(&identity, &message), None);
    let reason = table.follower.state().failure().unwrap();
    assert!(reason.contains("server 1"), "{reason}");
}

#[test]
fn a_refused_query_is_refused_by_name_and_the_next_is_answered() {
    let mut table = Table::new(dealt_key()).ready();
    // Not of the policy: the operator asks.
    std::mem::swap(&mut table.querier, &mut table.operator);
    let (refused, _) = table.ask(Direction::In);
    std::mem::swap(&mut table.querier, &mut table.operator);
    table.run(|_| false);
    let reason = table.follower.state().query(&refused).unwrap().asked.as_ref().err().unwrap();
    let reason = reason.to_string();
    assert!(reason.contains("refused by server 2") && reason.contains("may not ask"), "{reason}");
    let (answered, _) = table.ask(Direction::In);
    table.run(|_| false);
    let state = table.follower.state();
    assert!(state.query(&answered).unwrap().asked.as_ref().is_ok_and(|asked| asked.is_answered()));
    assert_eq!(state.agreed().count(), 1);
}

#[test]
fn texts_are_values_and_back() {
    for text in ["", "soup", "Käse", "exactly thirty-one bytes long!!"] {
        assert_eq!(value_of(text).as_ref().and_then(text_of).as_deref(), Some(text));
    }
    assert!(value_of("exactly thirty-two bytes long!!!").is_none());
    assert!(value_of("a\0").is_none());
    assert!(text_of(&-F::one()).is_none());
}
