//! A traceable mix on a board, in one process: who may say what, what a cheat does to a query, and
//! that the next one is answered.

use algebra::{Embed, Group};
use board::MemoryStore;
use chacha20poly1305::{AeadInOut, ChaCha20Poly1305, KeyInit, Nonce};
use hkdf::Hkdf;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use sha2::Sha256;
use shuffle::{
    SecretKey,
    sigma::KnowledgeProof,
    tw::{CommittedPermutation, Generators, PermutationContext, prove_permutation},
};
use study::tracing::{
    DirectoryJournal, Follower, G, Message, Node, Setup, Stage, Step, Task, policy_from_toml,
};
use trace::{
    By, Cut, Direction, Floors, IndexSet, Journal, MemoryJournal, Policy, Query, Question,
    TraceError,
    policy::Side,
    routed::{PermutationMessage, SealedShare, Submission, Turn},
};
use transcript::{Transcript, TranscriptExt};
use wire::{Decode, Digest, Encode};

use crate::common::TraceKey;

pub struct Table {
    pub follower: Follower,
    pub operator: TraceKey,
    pub querier: TraceKey,
    pub senders: Vec<TraceKey>,
    pub nodes: Vec<Node<MemoryJournal>>,
    rng: ChaCha20Rng,
}

impl Table {
    pub fn new() -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(1);
        let mut keys =
            |count| -> Vec<TraceKey> { (0..count).map(|_| TraceKey::generate(&mut rng)).collect() };
        let (servers, senders, mut others) = (keys(2), keys(3), keys(2));
        let (operator, querier) = (others.remove(0), others.remove(0));
        let names = |keys: &[TraceKey]| keys.iter().map(|key| key.identity().id()).collect();
        let setup = Setup {
            title: "Lunch".into(),
            threshold: 2,
            blocks: 1,
            ballots: 1,
            servers: names(&servers),
            senders: names(&senders),
        };
        let store = Box::new(MemoryStore::new());
        let follower = Follower::create(store, &operator.identity(), setup).unwrap();
        let queriers = vec![querier.identity().id()];
        let policy = Policy { queriers, max_questions: 5, cut: Cut::Both, by_position: false };
        let node = |key: &TraceKey| {
            let journal = MemoryJournal::default();
            Node::new(&key.server(), follower.state(), policy.clone(), journal).unwrap()
        };
        let nodes = servers.iter().map(node).collect();
        Self { follower, operator, querier, senders, nodes, rng }
    }

    /// Does what the board waits for until `until` or nobody is waited for.
    pub fn run(&mut self, until: impl Fn(&Task) -> bool) {
        while let Some((server, task)) = (1..=2).find_map(|number| {
            self.follower.state().awaited(number).map(|task| (usize::from(number) - 1, task))
        }) {
            if until(&task) {
                return;
            }
            let node = &mut self.nodes[server];
            let message = node.perform(task, self.follower.state(), &mut self.rng).unwrap();
            assert!(self.follower.post(node.identity(), &message, |_| true).unwrap());
        }
    }

    fn say(&mut self, key: &board::Identity, message: &Message) -> Option<String> {
        let before = self.follower.state().faults().len();
        self.follower.post(key, message, |_| true).unwrap();
        self.follower.state().faults().get(before).map(|fault| fault.reason.clone())
    }

    fn submission(&mut self, sender: usize, text: &str) -> Message {
        let Stage::Open(inputs) = self.follower.state().stage() else { panic!("not open") };
        let block = G::embed(text.as_bytes()).unwrap();
        let name = self.senders[sender].identity().id();
        let sealed =
            Submission::seal(inputs.session(), name.as_bytes(), 1, &[block], &mut self.rng);
        Message::Submission(sealed.unwrap())
    }

    pub fn ready(mut self) -> Self {
        self.run(|_| false);
        for (sender, text) in ["a", "b", "a"].into_iter().enumerate() {
            let message = self.submission(sender, text);
            let key = self.senders[sender].identity();
            assert_eq!(self.say(&key, &message), None);
        }
        let operator = self.operator.identity();
        assert_eq!(self.say(&operator, &Message::Close), None);
        self.run(|_| false);
        assert_eq!(self.follower.state().outputs().unwrap().rows(), 3);
        self
    }

    pub fn ask(&mut self) -> Digest {
        let question = Question { inputs: IndexSet::all(3), outputs: IndexSet::all(3) };
        self.ask_about(Direction::Out, question)
    }

    pub fn ask_about(&mut self, direction: Direction, question: Question) -> Digest {
        let outputs = self.follower.state().outputs().unwrap().clone();
        let (querier, ground) = (self.querier.querier(), outputs.ground());
        let request = querier.request(ground, direction, By::Value, vec![question], &mut self.rng);
        let query = Query::new(vec![request]).unwrap();
        let (id, key) = (*query.id(), self.querier.identity());
        assert_eq!(self.say(&key, &Message::Query(query)), None);
        id
    }
}

#[test]
fn only_those_who_are_waited_for_are_heard() {
    let mut table = Table::new();
    let stranger = TraceKey::generate(&mut table.rng).identity();
    let refused = table.say(&stranger, &Message::Close).unwrap();
    assert!(refused.contains("only the operator"), "{refused}");
    let refused = table.say(&stranger, &Message::MixSignature([0; 64])).unwrap();
    assert!(refused.contains("no server of this session"), "{refused}");
    // Server 2 before server 1, and a message of a later phase.
    let second = table.nodes[1].perform(Task::Key(1), table.follower.state(), &mut table.rng);
    let key = board_key(&table, 1);
    let refused = table.say(&key, &second.unwrap()).unwrap();
    assert!(refused.contains("not waited for"), "{refused}");
    table.run(|_| false);

    // A ballot in another's name, a stranger's, a second one of the same sender.
    let ballot = table.submission(0, "a");
    let (own, other) = (table.senders[0].identity(), table.senders[1].identity());
    assert!(table.say(&other, &ballot).unwrap().contains("not the ballot"));
    assert_eq!(table.say(&own, &ballot), None);
    assert!(table.say(&own, &ballot).unwrap().contains("whose next is 2"));
    let operator = table.operator.identity();
    assert_eq!(table.say(&operator, &Message::Close), None);
    let late = table.say(&own, &ballot).unwrap();
    assert!(late.contains("not open"), "{late}");
    table.run(|_| false);
    assert_eq!(table.follower.state().outputs().unwrap().rows(), 1);
}

fn board_key(table: &Table, server: usize) -> board::Identity {
    // A node lends its key; the seed makes another handle of it.
    board::Identity::from_seed(&table.nodes[server].identity().to_seed())
}

#[test]
fn a_cheat_spoils_its_query_by_name_and_the_next_is_answered() {
    let mut table = Table::new().ready();
    let spoiled = table.ask();
    table.run(|task| matches!(task, Task::Pass(_)));
    // Server 1 passes on markers with one of them replaced.
    let task = Task::Pass(spoiled);
    let honest = table.nodes[0].perform(task, table.follower.state(), &mut table.rng);
    let Ok(Message::QueryTurn(id, mut turn)) = honest else { panic!("a turn") };
    let mut rows = turn.columns[0].ciphertexts();
    rows[0] = rows[1];
    turn.columns[0] = shuffle::Column::new(&rows);
    let key = board_key(&table, 0);
    assert_eq!(table.say(&key, &Message::QueryTurn(id, turn)), None);
    table.run(|_| false);
    let Step::Failed(reason) = &table.follower.state().docket().query(&spoiled).unwrap().step
    else {
        panic!("the query goes on")
    };
    assert!(reason.to_string().contains("server 1"), "{reason}");

    let id = table.ask();
    table.run(|_| false);
    let Step::Agreed(agreed, shares) = &table.follower.state().docket().query(&id).unwrap().step
    else {
        panic!("not agreed")
    };
    let shares: Vec<_> = shares.values().cloned().collect();
    let reading = table.querier.querier().read(agreed, 0, &shares).unwrap();
    assert_eq!(reading.answer.unwrap().yes, [IndexSet::all(3)]);
    assert_eq!(
        table.follower.state().docket().agreed().count(),
        1,
        "nothing was told of the other"
    );
}

/// The next mixer would end over such a turn and blame itself.
/// Of a mix with a false signature no server would decrypt anything.
#[test]
fn a_false_signature_on_the_mix_has_no_effect_and_names_its_server() {
    let mut table = Table::new();
    table.run(|_| false);
    let message = table.submission(0, "a");
    let (sender, operator) = (table.senders[0].identity(), table.operator.identity());
    assert_eq!(table.say(&sender, &message), None);
    assert_eq!(table.say(&operator, &Message::Close), None);
    table.run(|task| *task == Task::SignMix);
    let server = board_key(&table, 0);
    let refused = table.say(&server, &Message::MixSignature([1; 64])).unwrap();
    assert!(refused.contains("server 1"), "{refused}");
    table.run(|_| false);
    assert_eq!(table.follower.state().outputs().unwrap().rows(), 1);
}

#[test]
fn a_mix_of_another_shape_is_refused_by_name_and_the_others_go_on() {
    let mut table = Table::new();
    table.run(|_| false);
    for (sender, text) in ["a", "b", "a"].into_iter().enumerate() {
        let message = table.submission(sender, text);
        let key = table.senders[sender].identity();
        assert_eq!(table.say(&key, &message), None);
    }
    let operator = table.operator.identity();
    assert_eq!(table.say(&operator, &Message::Close), None);

    // A commitment to fewer rows.
    let key = board_key(&table, 0);
    let generators = Generators::derive(2);
    let two = CommittedPermutation::random(2, &generators, &mut table.rng).unwrap();
    let context = PermutationContext { study: b"any", mix: b"any", mixer: 1 };
    let proof = prove_permutation(&two, &generators, &context, &mut table.rng).unwrap();
    let short = PermutationMessage { commitment: two.commitment().clone(), proof };
    let refused = table.say(&key, &Message::Permutation(short)).unwrap();
    assert!(refused.contains("server 1"), "{refused}");
    table.run(|task| matches!(task, Task::Mix));

    // Fewer rows, more rows, one list more: server 1 is named and waited for.
    let honest = table.nodes[0].perform(Task::Mix, table.follower.state(), &mut table.rng);
    let Ok(Message::MixTurn(honest)) = honest else { panic!("a turn") };
    let misshapen = |change: &dyn Fn(&mut Turn<G>)| {
        let mut turn = honest.clone();
        change(&mut turn);
        turn
    };
    let turns = [
        misshapen(&|turn| {
            let mut rows = turn.columns[0].ciphertexts();
            rows.pop();
            turn.columns[0] = shuffle::Column::new(&rows);
            turn.proof.responses.challenges.pop();
        }),
        misshapen(&|turn| {
            let mut rows = turn.columns[0].ciphertexts();
            rows.push(rows[0]);
            turn.columns[0] = shuffle::Column::new(&rows);
            let first = turn.proof.responses.challenges[0];
            turn.proof.responses.challenges.push(first);
        }),
        misshapen(&|turn| {
            turn.columns.push(turn.columns[0].clone());
            turn.proof.columns.push(turn.proof.columns[0]);
            let first = turn.proof.responses.columns[0];
            turn.proof.responses.columns.push(first);
        }),
    ];
    for turn in turns {
        let refused = table.say(&key, &Message::MixTurn(turn)).unwrap();
        assert!(refused.contains("server 1"), "{refused}");
        let state = table.follower.state();
        assert_eq!((state.awaited(1), state.awaited(2)), (Some(Task::Mix), None));
    }
    let named = table.follower.state().faults().iter().all(|fault| fault.author == key.id());
    assert!(named, "nobody else is blamed");

    // The honest turn, and everybody goes on to the outputs.
    assert_eq!(table.say(&key, &Message::MixTurn(honest)), None);
    table.run(|_| false);
    assert_eq!(table.follower.state().outputs().unwrap().rows(), 3);
}

/// The next server could do nothing with such a turn, however often it was started.
#[test]
fn a_turn_of_another_shape_fails_its_query_at_once_by_its_senders_name() {
    let mut table = Table::new().ready();
    let spoiled = table.ask();
    let honest =
        table.nodes[0].perform(Task::Pass(spoiled), table.follower.state(), &mut table.rng);
    let Ok(Message::QueryTurn(id, mut turn)) = honest else { panic!("a turn") };
    let mut rows = turn.columns[0].ciphertexts();
    rows.pop();
    turn.columns[0] = shuffle::Column::new(&rows);
    turn.proof.responses.challenges.pop();
    let key = board_key(&table, 0);
    assert_eq!(table.say(&key, &Message::QueryTurn(id, turn)), None);
    let Step::Failed(reason) = &table.follower.state().docket().query(&spoiled).unwrap().step
    else {
        panic!("the query goes on")
    };
    assert!(reason.to_string().contains("server 1"), "{reason}");
    assert_eq!(table.follower.state().awaited(2), None);

    let id = table.ask();
    table.run(|_| false);
    let step = &table.follower.state().docket().query(&id).unwrap().step;
    assert!(matches!(step, Step::Agreed(..)), "the next query is answered");
}

#[test]
fn messages_survive_the_wire() {
    let table = Table::new().ready();
    let mut kinds = 0;
    for entry in table.follower.entries() {
        let message = Message::from_entry(entry.kind(), entry.payload()).unwrap();
        assert_eq!((message.kind(), message.to_bytes()), (entry.kind(), entry.payload().to_vec()));
        let mut longer = entry.payload().to_vec();
        longer.push(0);
        assert!(Message::from_entry(entry.kind(), &longer).is_err());
        kinds += 1;
    }
    assert!(kinds > 15);
    assert!(Message::from_entry("trace/other", &[]).is_err());
    assert!(Setup::from_bytes(&[0xff; 16]).is_err());
}

/// A server that signs and seals a false share: the querier's complaint opens it to everybody, and every
/// reader of the board judges it. Complaints about honest shares, about messages that nobody sent, and
/// twice the same are none.
#[test]
fn complaints_are_entries_that_everybody_judges() {
    let mut table = Table::new().ready();
    let id = table.ask();
    table.run(|task| matches!(task, Task::Share(..)));
    // Server 1 is honest; server 2 says its share of the outputs again.
    let task = Task::Share(id, 0);
    let honest = table.nodes[0].perform(task, table.follower.state(), &mut table.rng).unwrap();
    let server = [0, 1].map(|server| board_key(&table, server));
    assert_eq!(table.say(&server[0], &honest), None);
    let forged = false_share(&mut table, &id, &server[1]);
    let querier = table.querier.identity();
    let complain = |table: &mut Table, share: &SealedShare<G>| {
        let (state, rng) = (table.follower.state(), &mut table.rng);
        let Step::Agreed(agreed, _) = &state.docket().query(&id).unwrap().step else { panic!() };
        table.querier.querier().complain(agreed, 0, share, rng)
    };
    let complaint = complain(&mut table, &forged).unwrap();
    let message = Message::Complaint(id, Box::new(complaint));
    let early = table.say(&querier, &message).unwrap();
    assert!(early.contains("not on the board"), "{early}");
    assert_eq!(table.say(&server[1], &Message::Share(id, 0, forged)), None);
    assert_eq!(table.say(&querier, &message), None);
    let again = table.say(&querier, &message).unwrap();
    assert!(again.contains("before"), "{again}");

    let asked = table.follower.state().docket().query(&id).unwrap();
    let faults: Vec<_> = asked.complaints.iter().collect();
    let [((0, 2), fault)] = faults.as_slice() else { panic!("{faults:?}") };
    assert!(matches!(fault, TraceError::FalseShare { server: 2, .. }), "{fault}");
    // Of server 1's message there is no complaint, and one that is made up shows nothing.
    let Message::Share(_, _, honest) = honest else { panic!("a share") };
    let refused = complain(&mut table, &honest).err();
    assert!(matches!(refused, Some(TraceError::Complaint { server: 1, .. })), "{refused:?}");
    let mut bytes = message.to_bytes();
    let revealed = bytes.split_off(bytes.len() - 32 - 96);
    let made_up = [id.to_bytes(), 0_u32.to_bytes(), honest.to_bytes(), revealed].concat();
    let made_up = Message::from_entry(message.kind(), &made_up).unwrap();
    let refused = table.say(&querier, &made_up).unwrap();
    assert!(refused.contains("does not open"), "{refused}");
}

/// What server 2 signs and seals to the querier as its share: that of another list.
fn false_share(table: &mut Table, id: &Digest, server: &board::Identity) -> SealedShare<G> {
    let state = table.follower.state();
    let Step::Agreed(agreed, _) = &state.docket().query(id).unwrap().step else { panic!() };
    let partial = &state.outputs().unwrap().partials()[1];
    assert_eq!(partial.trustee(), 2);
    let mut bytes = 2_u16.to_bytes();
    id.encode(&mut bytes);
    agreed.digest().encode(&mut bytes);
    0_u32.encode(&mut bytes);
    partial.encode(&mut bytes);
    let domain = "subrosa/trace/share/v1";
    bytes.extend(server.sign(domain, Digest::of(domain, &bytes)));
    let session = agreed.pass().ground().id().as_bytes().as_slice();
    let (query, digest) = (id.as_bytes().as_slice(), agreed.digest().as_bytes().as_slice());
    let (request, number) = (0_u64.to_le_bytes(), 2_u16.to_le_bytes());
    let context =
        [b"trace/share".as_slice(), session, query, digest, &request, b"/sealed", &number].concat();
    let key = agreed.pass().query().requests().next().unwrap().key.point();
    seal(&key, &context, 2, &bytes, &mut table.rng)
}

/// Seals with the sealing of shares, rebuilt from its parts.
fn seal(
    key: &G,
    context: &[u8],
    server: u16,
    message: &[u8],
    rng: &mut ChaCha20Rng,
) -> SealedShare<G> {
    let secret = SecretKey::<G>::generate(rng);
    let ephemeral = secret.public_key().point();
    let (point, recipient) = (Group::encode(&ephemeral), Group::encode(key));
    let info = [b"subrosa/trace/seal/v1".as_slice(), &point, &recipient, context].concat();
    let mut cipher = [0; 32];
    let shared = Group::encode(&key.mul(secret.scalar()));
    Hkdf::<Sha256>::new(None, &shared).expand(&info, &mut cipher).unwrap();
    let mut body = message.to_vec();
    let tag = ChaCha20Poly1305::new(&cipher.into())
        .encrypt_inout_detached(&Nonce::default(), context, body.as_mut_slice().into())
        .unwrap();
    body.extend_from_slice(&tag);
    let mut transcript = Transcript::new(b"subrosa/trace/seal/v1");
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb(b"recipient", &recipient);
    transcript.absorb(b"context", context);
    transcript.absorb(b"body", &body);
    let proof = KnowledgeProof::prove(&mut transcript, &[ephemeral], &[*secret.scalar()], rng);
    let mut bytes = server.to_bytes();
    bytes.extend(point);
    proof.encode(&mut bytes);
    wire::put_bytes(&mut bytes, &body);
    SealedShare::from_bytes(&bytes).unwrap()
}

#[test]
fn a_journal_keeps_the_first_of_every_record() {
    let directory = tempfile::tempdir().unwrap();
    let server = TraceKey::generate(&mut ChaCha20Rng::seed_from_u64(9)).identity().id();
    let open = || DirectoryJournal::open(&directory.path().join("journal"), &server).unwrap();
    let key = Digest::from([1; 32]);
    let mut journal = open();
    assert_eq!(journal.load(&key).unwrap(), None);
    assert_eq!(journal.record(&key, b"first").unwrap(), b"first");
    drop(journal);
    assert_eq!(open().record(&key, b"second").unwrap(), b"first");
    assert_eq!(open().load(&key).unwrap().as_deref(), Some(b"first".as_slice()));
}

#[test]
fn a_journal_is_of_one_server_in_one_process() {
    let directory = tempfile::tempdir().unwrap();
    let mut rng = ChaCha20Rng::seed_from_u64(9);
    let [server, other] = [(); 2].map(|()| TraceKey::generate(&mut rng).identity().id());
    let open = |name: &str, server| DirectoryJournal::open(&directory.path().join(name), server);
    let refused = |result: std::io::Result<DirectoryJournal>| result.unwrap_err().to_string();
    let journal = open("journal", &server).unwrap();
    assert!(refused(open("journal", &server)).contains("another process"));
    drop(journal);
    assert!(refused(open("journal", &other)).contains("another server"));
    assert!(open("journal", &server).is_ok());
    // A directory of records that does not say whose they are.
    std::fs::create_dir(directory.path().join("old")).unwrap();
    std::fs::write(directory.path().join("old").join("00"), b"record").unwrap();
    assert!(refused(open("old", &server)).contains("does not say whose"));
}

#[test]
fn policies_say_what_is_wrong_with_them() {
    let refused = |text: &str| policy_from_toml(text).unwrap_err();
    assert!(refused("queriers = []").contains("max_questions"));
    assert!(refused("queriers = [\"x\"]\nmax_questions = 1").contains("querier `x`"));
    assert!(refused("queriers = []\nmax_questions = 1\nmax = 2").contains("unknown field"));
    let file = |lines: &[&str]| {
        ["queriers = []", "max_questions = 1"]
            .iter()
            .chain(lines)
            .copied()
            .collect::<Vec<_>>()
            .join("\n")
    };
    // Nothing that protects somebody has a default.
    let lines = ["cut = \"inputs\"", "min_rows = 5", "min_values = 2", "coalition = 3"];
    for missing in 0..lines.len() {
        let mut lines = lines.to_vec();
        let field = lines.remove(missing).split(' ').next().unwrap();
        let said = refused(&file(&lines));
        assert!(said.contains(&format!("`{field}` is missing: write `{field} = ")), "{said}");
    }
    // Nor does anything that protects nobody any more.
    for former in ["min_inputs = 1", "min_outputs = 1", "min_anonymity = 5"] {
        let said = refused(&file(&[&lines[..], &[former]].concat()));
        assert!(said.contains("`min_rows`, `min_values` and `coalition`"), "{said}");
    }
    assert!(
        refused(&file(&[lines[0], "min_rows = 1", lines[2], lines[3]])).contains("protects nobody")
    );
    assert!(refused(&file(&["cut = \"nothing\"", lines[1]])).contains("leave `min_rows`"));
    assert!(refused(&file(&["cut = \"both\""])).contains("unknown variant"));
    let nothing = policy_from_toml(&file(&["cut = \"nothing\""])).unwrap();
    assert_eq!((nothing.cut, nothing.by_position), (Cut::Nothing, false));
    let policy = policy_from_toml(&file(&lines)).unwrap();
    let floors = Floors { side: Side::Inputs, rows: 5, values: 2, coalition: 3 };
    assert_eq!(policy.cut, Cut::One(floors));
    let stranger = TraceKey::generate(&mut ChaCha20Rng::seed_from_u64(9));
    let table = Table::new();
    let node =
        Node::new(&stranger.server(), table.follower.state(), policy, MemoryJournal::default());
    assert_eq!(node.err(), Some(TraceError::NotAServer));
}
