//! Tracing in an election: both questions answered, verified and published (`answers`); what parties and
//! queriers try (`parties`); what claims can say (`claims`).

mod answers;
mod claims;
mod parties;

use std::path::Path;

use board::Identity;
use claim::{Bundle, Claim, Refusal, Registry, VerifyError};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use serde_json::Value;
use shuffle::SecretKey;
use study::{
    election::{ElectionVerifier, Replays, Role, Session, write_bundle_with},
    inquiry::{Follower, Found, InquiryVerifier, Plan, PublishError, member, write_claim},
    tracing::{G, Message, Task},
};
use trace::{
    By, Direction, IndexSet, MemoryJournal, Policy, Query, Question,
    routed::{Member, Querier},
};

use crate::common::{World, draft, nobody_cheats, party, rankings};

const VOTERS: usize = 60;
const PLAN: &str = r#"
    [policy]
    max_questions = 4

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
    title = "Is every result from an eligible ballot?"
    direction = "out"
"#;

fn plan() -> Plan {
    Plan::from_toml(PLAN).unwrap()
}

/// A finished election, its parties' journals, a querier, and what it asks.
pub struct Hall {
    world: World,
    pub inquiry: Follower,
    plan: Plan,
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
        let world = World::new(draft(), VOTERS);
        let session = world.play(&votes(&world), nobody_cheats);
        Self::about(world, session, plan())
    }

    pub fn about(world: World, session: Session, plan: Plan) -> Self {
        let mut rng = ChaCha20Rng::seed_from_u64(11);
        let inquiry = Follower::take_up(session).unwrap();
        let querier = Querier::new(asker(), SecretKey::generate(&mut rng));
        let policy = plan.limits.policy(vec![querier.id()]);
        let parties = inquiry.state().counted().ground().signers().len();
        let journals = vec![MemoryJournal::default(); parties];
        Self { world, inquiry, plan, journals, querier, policy, rng }
    }

    /// The signers, mixers first.
    fn party(&self, number: u16) -> study::election::Party {
        let mixers = self.inquiry.state().election().mixes();
        let index = usize::from(number) - 1;
        match mixers.get(index) {
            Some(mixer) => party(Role::Mixer, *mixer),
            None => {
                let trustees = self.inquiry.state().election().decrypted_by();
                party(Role::Trustee, trustees[index - mixers.len()])
            }
        }
    }

    /// A party that was started this moment.
    fn member(&self, number: u16) -> Member<G> {
        let secrets = self.world.secrets(self.party(number), self.inquiry.id());
        let (election, counted) = (self.inquiry.state().election(), self.inquiry.state().counted());
        member(&secrets, election, counted, self.policy.clone()).unwrap()
    }

    /// What a party that was started this moment says when it is waited for.
    fn word(&mut self, number: u16, task: Task) -> Message {
        let mut member = self.member(number);
        let journal = &mut self.journals[usize::from(number) - 1];
        let (docket, ground) =
            (self.inquiry.state().docket(), self.inquiry.state().counted().ground());
        docket.answer(ground, task, &mut member, journal, &mut self.rng).unwrap()
    }

    /// Everybody does what is waited for; `edit` sees each word before it is said.
    pub fn run(&mut self, edit: impl FnMut(&Self, u16, Message) -> Message) {
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
            let task = hall.inquiry.state().awaited(number).filter(|task| filter(number, *task));
            task.map(|task| (number, task))
        };
        while let Some((number, task)) = (1..=parties).find_map(|number| next(self, number)) {
            let word = self.word(number, task);
            let word = edit(self, number, word);
            let identity = self.world.identity(self.party(number));
            assert!(self.inquiry.post(&identity, &word, |_| true).unwrap());
        }
    }

    pub fn ask_all(&mut self) -> Vec<wire::Digest> {
        let Self { inquiry, querier, plan, rng, .. } = self;
        plan.topics
            .iter()
            .map(|topic| inquiry.ask(querier, &asker(), topic, rng).unwrap())
            .collect()
    }

    pub fn read_all(&self, ids: &[wire::Digest]) -> Vec<Found> {
        let read =
            |(topic, id)| self.inquiry.state().read(&self.querier, topic, id).unwrap().unwrap();
        self.plan.topics.iter().zip(ids).map(read).collect()
    }

    pub fn publish(&self, root: &Path, found: &[Found]) -> Result<(), PublishError> {
        let (board, inquiry) = (self.inquiry.board(), self.inquiry.state());
        let (election, counted) = (inquiry.election(), inquiry.counted());
        write_bundle_with(root, board, election, |writer, board| {
            write_claim(writer, board, (election, counted), found)
        })
        .map(drop)
    }

    fn ask_about_all(&mut self) -> wire::Digest {
        let all = IndexSet::all(VOTERS as u32);
        self.ask(Direction::Out, all.clone(), all)
    }

    /// Asks any question; whether it is taken is for the board to judge.
    fn ask(&mut self, direction: Direction, inputs: IndexSet, outputs: IndexSet) -> wire::Digest {
        let ground = self.inquiry.state().counted().ground();
        let questions = vec![Question { inputs, outputs }];
        let request = self.querier.request(ground, direction, By::Value, questions, &mut self.rng);
        let query = Query::new(vec![request]).unwrap();
        let id = *query.id();
        assert!(self.inquiry.post(&asker(), &Message::Query(query), |_| true).unwrap());
        id
    }
}

fn verify(root: &Path) -> Result<usize, Refusal> {
    let replays = Replays::default();
    let registry = Registry::new()
        .with(ElectionVerifier::sharing(&replays))
        .with(InquiryVerifier::sharing(&replays));
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
