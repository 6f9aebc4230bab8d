//! Tracing in an election: both questions answered, verified and published; who cheats is named.

use std::{collections::BTreeSet, path::Path};

use board::Identity;
use claim::{Bundle, BundleWriter, Claim, Refusal, Registry, VerifyError};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde_json::{Value, json};
use shuffle::{
    Column, SecretKey,
    tw::{
        CommittedPermutation, Direction as Way, ListContext, ListMasks, ListStatement, Passage,
        PermutationContext, prove_lists, shuffle_column,
    },
};
use study::{
    election::{ElectionVerifier, Role, SessionError, write_bundle_with},
    inquiry::{
        Found, Inquiry, InquiryError, InquiryVerifier, MIN_BALLOTS, Plan, PublishError, member,
        policy_from_toml, write_claim,
    },
    tracing::{Docket, G, Message, Step, Task},
};
use trace::{
    By, Direction, IndexSet, MemoryJournal, Policy, Query, Question,
    routed::{AnswerRecord, Member, Pass, Querier, Turn},
};
use wire::{Decode, Encode};

use crate::common::{OPERATOR, World, draft, nobody_cheats, party, rankings};

const VOTERS: usize = 60;
const PLAN: &str = r#"
    [policy]
    max_questions = 4
    min_inputs = 10
    min_outputs = 5
    min_anonymity = 5

    [[district]]
    name = "North"
    first = "V10"
    last = "V29"

    [[query]]
    title = "Is every ballot of the North counted?"
    direction = "in"
    district = "North"

    [[query]]
    title = "Are the results for stew from eligible ballots?"
    direction = "out"
    candidate = "stew"

    [[query]]
    title = "Which ballots for salad are also cast in the North?"
    direction = "out"
    district = "North"
    candidate = "salad"
"#;

fn plan() -> Plan {
    Plan::from_toml(PLAN).unwrap()
}

/// A finished election of 60 ballots, its parties' journals, and a querier.
struct Hall {
    world: World,
    inquiry: Inquiry,
    journals: Vec<MemoryJournal>,
    querier: Querier<G>,
    policy: Policy,
    rng: ChaCha20Rng,
}

fn asker() -> Identity {
    Identity::from_seed(&[77; 32])
}

impl Hall {
    fn open() -> Self {
        Self::cast(|world| rankings(world, VOTERS))
    }

    fn cast(votes: impl Fn(&World) -> Vec<study::preferences::Ranking>) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(11);
        let world = World::new(draft(), VOTERS);
        let session = world.play(&votes(&world), nobody_cheats);
        let inquiry = Inquiry::open(session).unwrap();
        let querier = Querier::new(asker(), SecretKey::generate(&mut rng));
        let policy = plan().limits.policy(vec![querier.id()]);
        let parties = inquiry.counted().ground().signers().len();
        let journals = vec![MemoryJournal::default(); parties];
        Self { world, inquiry, journals, querier, policy, rng }
    }

    /// The key files of the signers, mixers first.
    fn party(&self, number: u16) -> study::election::Party {
        let mixers = self.inquiry.session().election().mixes();
        let index = usize::from(number) - 1;
        match mixers.get(index) {
            Some(mixer) => party(Role::Mixer, *mixer),
            None => {
                let trustees = self.inquiry.session().election().decrypted_by();
                party(Role::Trustee, trustees[index - mixers.len()])
            }
        }
    }

    /// A party that was started this moment.
    fn member(&self, number: u16) -> Member<G> {
        let secret = self.world.secret(self.party(number));
        let (election, counted) = (self.inquiry.session().election(), self.inquiry.counted());
        member(secret, election, counted, self.policy.clone()).unwrap()
    }

    /// What a party that was started this moment says when it is waited for.
    fn word(&mut self, number: u16, task: Task) -> Message {
        let mut member = self.member(number);
        let journal = &mut self.journals[usize::from(number) - 1];
        let (docket, ground) = (self.inquiry.docket(), self.inquiry.counted().ground());
        docket.answer(ground, task, &mut member, journal, &mut self.rng).unwrap()
    }

    /// Everybody does what is waited for; `edit` sees each word before it is said.
    fn run(&mut self, edit: impl FnMut(&Self, u16, Message) -> Message) {
        self.run_if(|_, _| true, edit);
    }

    /// Everybody does those of the tasks waited for that pass the filter.
    fn run_if(
        &mut self,
        filter: impl Fn(u16, Task) -> bool,
        mut edit: impl FnMut(&Self, u16, Message) -> Message,
    ) {
        let parties = self.journals.len() as u16;
        let next = |hall: &Self, number| {
            let task = hall.inquiry.awaited(number).filter(|task| filter(number, *task));
            task.map(|task| (number, task))
        };
        while let Some((number, task)) = (1..=parties).find_map(|number| next(self, number)) {
            let word = self.word(number, task);
            let word = edit(self, number, word);
            let identity = self.world.identity(self.party(number));
            assert!(self.inquiry.post(&identity, &word, |_| true).unwrap());
        }
    }

    fn ask_all(&mut self) -> Vec<wire::Digest> {
        let topics = plan().topics;
        let Self { inquiry, querier, rng, .. } = self;
        topics.iter().map(|topic| inquiry.ask(querier, &asker(), topic, rng).unwrap()).collect()
    }

    fn read_all(&self, ids: &[wire::Digest]) -> Vec<Found> {
        let read = |(topic, id)| self.inquiry.read(&self.querier, topic, id).unwrap().unwrap();
        plan().topics.iter().zip(ids).map(read).collect()
    }

    fn publish(&self, root: &Path, found: &[Found]) -> Result<(), PublishError> {
        let session = self.inquiry.session();
        let (entries, election) = (session.board().entries(), session.election());
        let counted = self.inquiry.counted();
        write_bundle_with(root, entries, election, |writer, board| {
            write_claim(writer, board.to_vec(), (election, counted), found)
        })
        .map(drop)
    }

    fn ask_about_all(&mut self) -> wire::Digest {
        let all = IndexSet::all(VOTERS as u32);
        self.ask(Direction::Out, all.clone(), all)
    }

    /// Asks any question; whether it is taken is for the board to judge.
    fn ask(&mut self, direction: Direction, inputs: IndexSet, outputs: IndexSet) -> wire::Digest {
        let ground = self.inquiry.counted().ground();
        let questions = vec![Question { inputs, outputs }];
        let request = self.querier.request(ground, direction, By::Value, questions, &mut self.rng);
        let query = Query::new(vec![request]).unwrap();
        let id = *query.id();
        assert!(self.inquiry.post(&asker(), &Message::Query(query), |_| true).unwrap());
        id
    }
}

fn verify(root: &Path) -> Result<usize, Refusal> {
    let registry = Registry::new().with(ElectionVerifier).with(InquiryVerifier);
    match claim::verify(&Bundle::open(root).unwrap(), &registry, &()) {
        Ok(verdicts) => Ok(verdicts.len()),
        Err(VerifyError::Refused(refusal)) => Err(refusal),
        Err(other) => panic!("{other}"),
    }
}

/// An honest inquiry with its bundle.
struct Published {
    hall: Hall,
    found: Vec<Found>,
    directory: tempfile::TempDir,
    statement: Value,
}

fn published() -> Published {
    let mut hall = Hall::open();
    let ids = hall.ask_all();
    hall.run(|_, _, word| word);
    let found = hall.read_all(&ids);
    let directory = tempfile::tempdir().unwrap();
    hall.publish(&directory.path().join("bundle"), &found).unwrap();
    let claim = directory.path().join("bundle/claims/election-trace.json");
    let claim: Claim = serde_json::from_slice(&std::fs::read(claim).unwrap()).unwrap();
    Published { hall, found, directory, statement: claim.statement }
}

#[test]
fn questions_about_the_counted_mix_are_answered_and_verify() {
    let Published { hall, found, directory, statement } = &published();
    assert_eq!(verify(&directory.path().join("bundle")).unwrap(), 2);
    assert!(hall.inquiry.faults().is_empty(), "{:?}", hall.inquiry.faults());

    // Against plain computation over what the voters cast.
    let votes = rankings(&hall.world, VOTERS);
    let first = |candidate: u8| {
        let votes = votes.iter().filter(move |vote| vote.choices().first() == Some(&candidate));
        votes.count()
    };
    let north: BTreeSet<_> = votes[10..=29].iter().map(|vote| vote.choices().to_vec()).collect();
    let also_north = votes.iter().filter(|vote| vote.choices().first() == Some(&1));
    let also_north = also_north.filter(|vote| north.contains(vote.choices())).count();
    let answers = statement["answers"].as_array().unwrap();
    let numbers = |answer: &Value| ["asked", "yes", "no"].map(|field| answer[field].as_u64());
    let expected = [(20, 20), (first(2), first(2)), (first(1), also_north)];
    for (answer, (asked, yes)) in answers.iter().zip(expected) {
        let (asked, yes) = (asked as u64, yes as u64);
        assert_eq!(numbers(answer), [asked, yes, asked - yes].map(Some), "{answer}");
    }
    assert_eq!(statement["routed_by"], json!([1, 2, 3]));

    // What was asked is no fault of the election's, and stands outside its bundle.
    let session = hall.world.session();
    assert!(session.election().faults().is_empty());
    assert!(session.board().entries().len() as u64 > session.election().end().unwrap() + 1);

    // Asked again, it is the same query; a party that has nothing to do with it takes no part.
    let counted = hall.inquiry.counted();
    let stranger = hall.world.secret(OPERATOR);
    let election = hall.inquiry.session().election();
    let refused = member(stranger, election, counted, hall.policy.clone()).err().unwrap();
    assert!(matches!(refused, SessionError::NotAParty { .. }));
    assert_eq!(found.len(), 3);
}

#[test]
fn values_that_no_voter_of_the_district_cast_are_told_apart() {
    // Salad is ranked first alone by the North, and before stew by everybody else.
    let votes = |world: &World| {
        let shape = world.description.shape();
        let vote = |voter| -> &[u8] {
            match voter {
                10..=29 if voter % 2 == 0 => &[1],
                10..=29 => &[0],
                _ => &[1, 2],
            }
        };
        (0..VOTERS).map(|voter| shape.ranking(vote(voter).iter().copied()).unwrap()).collect()
    };
    let mut hall = Hall::cast(votes);
    let topic = plan().topics.remove(2);
    let Hall { inquiry, querier, rng, .. } = &mut hall;
    let id = inquiry.ask(querier, &asker(), &topic, rng).unwrap();
    assert_eq!(inquiry.ask(querier, &asker(), &topic, rng).unwrap(), id);
    hall.run(|_, _, word| word);
    let found = hall.inquiry.read(&hall.querier, &topic, &id).unwrap().unwrap();
    let record = AnswerRecord::<G>::from_bytes(&found.record).unwrap();
    let (_, reading) = record.verify(hall.inquiry.counted().ground()).unwrap();
    let yes = reading.answer.unwrap().yes.remove(0);
    let outputs = hall.inquiry.counted().rankings();
    let alone = (0_u32..)
        .zip(outputs)
        .filter(|(_, vote)| vote.as_ref().is_some_and(|vote| vote.choices() == [1]));
    assert_eq!(yes, IndexSet::new(alone.map(|(row, _)| row)).unwrap());
    assert_eq!(yes.len(), 10);
}

#[test]
fn a_mixer_that_routes_with_another_permutation_is_named() {
    let mut hall = Hall::open();
    let topic = plan().topics.remove(0);
    let Hall { inquiry, querier, rng, .. } = &mut hall;
    let id = inquiry.ask(querier, &asker(), &topic, rng).unwrap();
    hall.run(|hall, number, word| match word {
        Message::QueryTurn(id, _) if number == 2 => Message::QueryTurn(id, other_turn(hall, &id)),
        word => word,
    });
    let Err(InquiryError::Failed(reason)) = hall.inquiry.read(&hall.querier, &topic, &id) else {
        panic!("the query was answered");
    };
    assert!(reason.contains("server 2"), "{reason}");
    // Nothing was told, and another query is answered.
    assert_eq!(hall.inquiry.docket().agreed().count(), 0);
    let Hall { inquiry, querier, rng, .. } = &mut hall;
    let id = inquiry.ask(querier, &asker(), &topic, rng).unwrap();
    hall.run(|_, _, word| word);
    assert!(hall.inquiry.read(&hall.querier, &topic, &id).unwrap().is_some());
}

/// Mixer 2's turn by a permutation that it did not mix with, proven as well as can be.
fn other_turn(hall: &Hall, id: &wire::Digest) -> Turn<G> {
    let mut rng = ChaCha20Rng::seed_from_u64(5);
    let ground = hall.inquiry.counted().ground();
    let asked = hall.inquiry.docket().query(id).unwrap();
    let Step::Routing(turns) = &asked.step else { panic!("not on its way") };
    let pass = Pass::new(ground.clone(), asked.query.clone()).unwrap();
    // Going in, the last mixer comes first: mixer 2 is at position 2 of 3.
    let before = turns.last().map_or(pass.markers(), |turn| &turn.columns);
    let other = CommittedPermutation::random(VOTERS, ground.generators(), &mut rng).unwrap();
    let key = *ground.keys().public_key();
    let moved: Vec<_> = before
        .iter()
        .map(|column| shuffle_column(&other, Way::Backward, &key, column, &mut rng).unwrap())
        .collect();
    let columns: Vec<Column<G>> = moved.iter().map(|moved| moved.column.clone()).collect();
    let election = hall.inquiry.session().election().id();
    let (study, mix) = (election.as_bytes(), b"ballots".as_slice());
    let passages: Vec<_> =
        before.iter().zip(&columns).map(|(before, after)| Passage { key, before, after }).collect();
    let context = ListContext { study, mix, purpose: id.as_bytes(), mixer: 2, position: 2 };
    let statement = ListStatement { context, direction: Way::Backward, passages: &passages };
    let permutation = PermutationContext { study, mix, mixer: 2 };
    let masks = ListMasks::prepare(VOTERS, ground.generators(), &mut rng).unwrap();
    let moved: Vec<_> = moved.iter().collect();
    let proof = prove_lists(&other, &permutation, &statement, &moved, masks, &mut rng).unwrap();
    Turn { columns, proof }
}

#[test]
fn what_an_election_must_not_tell_is_refused() {
    let mut hall = Hall::open();
    let rows = VOTERS as u32;
    // Which of these voters are among the first ten results: no party ever sees the query.
    let id = hall.ask(Direction::In, IndexSet::all(20), IndexSet::all(10));
    assert!(hall.inquiry.docket().query(&id).is_none());
    assert!(hall.inquiry.faults()[0].reason.contains("to all results or to none"));
    // Nor what a single voter said, or a few: neither directly nor by leaving them out.
    let few = MIN_BALLOTS as u32 - 1;
    for asked in [0, 1, few, rows - few, rows - 1] {
        let id = hall.ask(Direction::Out, IndexSet::all(asked), IndexSet::all(rows));
        assert!(hall.inquiry.docket().query(&id).is_none(), "{asked} ballots");
        let reason = &hall.inquiry.faults().last().unwrap().reason;
        assert!(reason.contains("at least 10"), "{reason}");
    }
    assert_eq!(hall.inquiry.faults().len(), 6);
    // Too few ballots, all but too few, and a stranger who asks: by the parties' policy.
    (hall.policy.min_inputs, hall.policy.min_anonymity) = (12, 12);
    for (inputs, least) in [(IndexSet::all(11), "11 inputs"), (IndexSet::all(49), "candidates")] {
        let id = hall.ask(Direction::Out, inputs, IndexSet::all(rows));
        hall.run(|_, _, word| word);
        let Step::Failed(reason) = &hall.inquiry.docket().query(&id).unwrap().step else {
            panic!("the query was answered");
        };
        assert!(reason.contains("refused by server 1") && reason.contains(least), "{reason}");
    }
    let mut topic = plan().topics.remove(0);
    topic.candidate = Some("stew".into());
    let counted = hall.inquiry.counted();
    let refused = topic.question(hall.inquiry.session().election(), counted).unwrap_err();
    assert!(refused.to_string().contains("how single voters voted"), "{refused}");
    hall.policy.queriers.clear();
    let id = hall.ask(Direction::Out, IndexSet::all(rows), IndexSet::all(rows));
    hall.run(|_, _, word| word);
    let step = &hall.inquiry.docket().query(&id).unwrap().step;
    assert!(matches!(step, Step::Failed(reason) if reason.contains("may not ask")));
}

/// The keeper of the board shows a mixer two copies of it: what it signed on one it does not go on
/// with on the other, and other queries are still answered.
#[test]
fn what_a_party_cannot_go_on_with_is_refused_by_it() {
    let mut hall = Hall::open();
    let id = hall.ask_about_all();
    let ground = hall.inquiry.counted().ground().clone();
    let mut copy = Docket::default();
    let query = hall.inquiry.docket().query(&id).unwrap().query.clone();
    copy.take(&ground, &ground.signers()[0].id, Message::Query(query)).unwrap();
    let is_signed = |copy: &Docket| matches!(&copy.query(&id).unwrap().step, Step::Signing(_, said) if !said.is_empty());
    while !is_signed(&copy) {
        let parties = 1..=hall.journals.len() as u16;
        let awaited = |number| copy.awaited(&ground, number).map(|task| (number, task));
        let (number, task) = parties.into_iter().find_map(awaited).unwrap();
        let (mut member, index) = (hall.member(number), usize::from(number) - 1);
        let journal = &mut hall.journals[index];
        let word = copy.answer(&ground, task, &mut member, journal, &mut hall.rng).unwrap();
        copy.take(&ground, &member.identity().id(), word).unwrap();
    }
    hall.run(|_, _, word| word);
    let Step::Failed(reason) = &hall.inquiry.docket().query(&id).unwrap().step else {
        panic!("the query goes on");
    };
    assert!(reason.contains("refused by server 1"), "{reason}");
    assert!(reason.contains("already answered for the query"), "{reason}");
    let id = hall.ask_about_all();
    hall.run(|_, _, word| word);
    assert!(matches!(hall.inquiry.docket().query(&id).unwrap().step, Step::Agreed(..)));
}

/// The last signer keeps its signature back, the others are started anew and asked again: had they
/// forgotten what they signed, it could let both queries be agreed on.
#[test]
fn what_was_signed_counts_after_a_restart_agreed_or_not() {
    let mut hall = Hall::open();
    hall.policy.max_questions = 1;
    let last = hall.journals.len() as u16;
    let first = hall.ask_about_all();
    hall.run_if(|number, _| number != last, |_, _, word| word);
    let step = |hall: &Hall, id| match &hall.inquiry.docket().query(id).unwrap().step {
        Step::Signing(..) => "signing".to_owned(),
        Step::Agreed(..) => "agreed".to_owned(),
        Step::Failed(reason) => reason.clone(),
        _ => "on its way".to_owned(),
    };
    assert_eq!(step(&hall, &first), "signing");
    let second = hall.ask(Direction::Out, IndexSet::all(20), IndexSet::all(VOTERS as u32));
    hall.run_if(|number, _| number != last, |_, _, word| word);
    let reason = step(&hall, &second);
    assert!(reason.contains("refused by server 1: over 1 questions"), "{reason}");
    hall.run(|_, _, word| word);
    assert_eq!(step(&hall, &first), "agreed");
    assert_eq!(hall.inquiry.docket().agreed().count(), 1);
}

/// A party that lost its journal, and would not admit the query any more, can neither give its
/// share nor refuse: it says nothing, and goes on.
#[test]
fn after_the_agreement_nothing_is_refused() {
    let mut hall = Hall::open();
    hall.ask_about_all();
    hall.run_if(|_, task| !matches!(task, Task::Share(..)), |_, _, word| word);
    let last = hall.journals.len();
    hall.journals[last - 1] = MemoryJournal::default();
    hall.policy.queriers.clear();
    let mut member = hall.member(last as u16);
    let said = hall.inquiry.session().board().entries().len();
    let Hall { inquiry, journals, rng, .. } = &mut hall;
    let mut tried = 0;
    let report = |task: Task, posted: bool| {
        tried += 1;
        assert!(matches!(task, Task::Share(..)) && !posted && tried == 1, "{task}");
    };
    inquiry.serve(&mut member, &mut journals[last - 1], rng, report, |_| true).unwrap();
    assert_eq!(inquiry.session().board().entries().len(), said);
}

#[test]
fn a_party_of_an_election_says_all_its_limits() {
    let lines = ["max_questions = 2", "min_inputs = 20", "min_outputs = 3", "min_anonymity = 4"];
    let file = |lines: &[&str]| format!("queriers = [\"{}\"]\n{}", asker().id(), lines.join("\n"));
    let policy = policy_from_toml(&file(&lines)).unwrap();
    assert_eq!((policy.queriers, policy.max_questions), (vec![asker().id()], 2));
    assert_eq!((policy.min_inputs, policy.min_outputs, policy.min_anonymity), (20, 3, 4));
    assert!(!policy.by_position);
    for missing in 0..lines.len() {
        let mut lines = lines.to_vec();
        let field = lines.remove(missing).split(' ').next().unwrap();
        let refused = policy_from_toml(&file(&lines)).unwrap_err();
        assert!(refused.contains(&format!("write `{field} = N`")), "{refused}");
    }
    let by_position = file(&[&lines[..], &["by_position = true"]].concat());
    assert!(policy_from_toml(&by_position).unwrap_err().contains("unknown field"));
    let nobody = file(&lines).replace(&asker().id().to_string(), "x");
    assert!(policy_from_toml(&nobody).unwrap_err().contains("querier `x`"));
}

#[test]
fn tampered_claims_are_refused() {
    let published = published();
    let records: Vec<Vec<u8>> = published.found.iter().map(|found| found.record.clone()).collect();
    published.rewrite(|_| (), &records).unwrap();
    type Edit = fn(&mut Value);
    let edits: [(&str, Edit); 16] = [
        ("election", |s| s["election"] = json!("another")),
        ("outcome", |s| s["outcome"] = json!("another")),
        ("engine", |s| s["engine"] = json!("db")),
        ("notice", |s| s["notice"] = json!("proven")),
        ("ballots", |s| s["ballots"] = json!(61)),
        ("routed_by", |s| s["routed_by"] = json!([1, 2])),
        ("decrypted_by", |s| s["decrypted_by"] = json!([1])),
        ("query", |s| s["answers"][0]["query"] = s["answers"][1]["query"].clone()),
        ("querier", |s| s["answers"][0]["querier"] = json!("somebody")),
        ("asked", |s| s["answers"][0]["asked"] = json!(21)),
        ("yes", |s| s["answers"][2]["yes"] = json!(0)),
        ("no", |s| s["answers"][0]["no"] = json!(1)),
        ("first", |s| s["answers"][0]["topic"]["district"]["first"] = json!("V11")),
        ("last", |s| s["answers"][0]["topic"]["district"]["last"] = json!("V59")),
        ("candidate", |s| s["answers"][1]["topic"]["candidate"] = json!("soup")),
        ("direction", |s| s["answers"][2]["topic"]["direction"] = json!("in")),
    ];
    for (what, edit) in edits {
        assert!(published.rewrite(edit, &records).is_err(), "{what}");
    }
    // An answer fewer, two in each other's place.
    assert!(published.rewrite(|_| (), &records[1..]).is_err());
    let mut swapped = records.clone();
    swapped.swap(0, 1);
    let refused = published.rewrite(|_| (), &swapped).unwrap_err();
    assert!(refused.reason.contains("another way"), "{refused}");
    // Any byte of a record.
    for at in (0..records[2].len()).step_by(2003) {
        let mut flipped = records.clone();
        flipped[2][at] ^= 1;
        assert!(published.rewrite(|_| (), &flipped).is_err(), "byte {at}");
    }
    // A record of the right form that its parties did not sign.
    let mut record = AnswerRecord::<G>::from_bytes(&records[0]).unwrap();
    let mut rows = record.query.turns[1].columns[0].ciphertexts();
    rows.swap(0, 1);
    record.query.turns[1].columns[0] = Column::new(&rows);
    let mut forged = records.clone();
    forged[0] = record.to_bytes();
    let refused = published.rewrite(|_| (), &forged).unwrap_err();
    assert_eq!(refused.party.as_deref(), Some("mixer 2"), "{refused}");
}

impl Published {
    /// The verdict on a bundle with an edited statement and these records, its digests right.
    fn rewrite(&self, edit: impl Fn(&mut Value), records: &[Vec<u8>]) -> Result<usize, Refusal> {
        let root = self.directory.path().join("copy");
        let mut writer = BundleWriter::create(&root).unwrap();
        let session = self.hall.inquiry.session();
        let end = session.election().end().unwrap();
        let entries = session.board().entries().iter();
        let board = entries.take_while(|entry| entry.sequence() <= end).map(|entry| {
            let path = format!("board/{:08}.entry", entry.sequence());
            writer.add_object(&path, &entry.to_bytes()).unwrap()
        });
        let board = board.collect();
        let answers = (0..).zip(records).map(|(number, record): (u32, _)| {
            writer.add_object(&format!("trace/{number:08}.answer"), record).unwrap()
        });
        let answers = answers.collect();
        let mut statement = self.statement.clone();
        edit(&mut statement);
        let roles = [("board", board), ("answer", answers)];
        let claim = Claim::new("election-trace", 1, roles, statement);
        writer.add_claim("election-trace", &claim).unwrap();
        writer.finish().unwrap();
        let verdict = verify(&root);
        std::fs::remove_dir_all(&root).unwrap();
        verdict
    }
}
