//! The election as everybody computes it from the board.

mod decrypting;
mod mixing;
mod polls;
mod preparing;
mod readiness;
mod view;

use std::collections::{BTreeMap, BTreeSet};

use board::{Entry, Head};
use log::merkle::Hash;
use shuffle::{
    decrypt::VerifiedPartial,
    dkg::{KeySet, Round2Board},
};
use thiserror::Error;
use wire::{CheckName, DecodeError, Digest};

pub use self::preparing::require_room;
use self::readiness::Readiness;
use super::{
    Fault, Message, Party, Role, Rule, Rules, Scheme, Seen, Setup, TereliusWikstrom, Voter,
    casting::BallotBox, keygen::KeyGeneration, lists::BallotList, turns::Turns,
};
use crate::{
    checks::{self, EL_1, EL_2, EL_4, EL_6, EL_11, EL_18, EL_21, EL_26},
    count::Tally,
    replay::check_slot,
};

/// Why a board is not that of an election.
#[derive(Debug, Error)]
#[error("the board does not begin with the set-up of an election: {0}")]
pub struct NotAnElection(#[from] DecodeError);

impl NotAnElection {
    /// The check that the first entry fails.
    pub fn check(&self) -> CheckName {
        self.0.check()
    }
}

/// What an election waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The shuffle's parameters, by the operator.
    Parameters,
    /// The roll, by the operator.
    Registration,
    /// That trustees and mixers are there, in version 2.
    Readiness,
    /// Messages of one round, 1 to 3, by the trustees.
    KeyGeneration(u8),
    /// The opening of the polls, by the operator.
    Opening,
    /// Ballots, by the stations, and the closing, by the operator.
    Casting,
    /// That a quorum saw the closing, in version 2.
    Certification,
    /// The mix of one mixer.
    Mixing(u16),
    /// Partial decryptions, by the trustees, and the outcome, by the operator.
    Decryption,
    /// Nothing more.
    Finished,
    /// Nothing that could still come: too many parties failed.
    Failed(String),
}

impl Phase {
    /// The phase in a word.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Parameters => "parameters",
            Self::Registration => "registration",
            Self::Readiness => "readiness",
            Self::KeyGeneration(_) => "key generation",
            Self::Opening => "opening",
            Self::Casting => "casting",
            Self::Certification => "certification",
            Self::Mixing(_) => "mixing",
            Self::Decryption => "decryption",
            Self::Finished => "end",
            Self::Failed(_) => "failure",
        }
    }
}

/// The state of an election: a function of the entries of its board, in which every entry has been
/// verified or refused. Parties act on it, and the auditor's verdict is the same computation.
pub struct Election<S: Scheme = TereliusWikstrom> {
    id: Digest,
    setup: Setup,
    rules: Rules,
    stage: Stage<S>,
    wait: Wait,
    /// The log up to each entry: its root, by its size.
    heads: BTreeMap<u64, Hash>,
    /// The context of the key generation.
    session: Digest,
    /// What ballots, mixes and decryptions are bound to.
    context: Option<Digest>,
    confirmed: Vec<u16>,
    certificate: Option<Certificate>,
    /// The last entry with ballots that were taken.
    last_ballots: u64,
    roll: Vec<Voter>,
    keys: Option<Keys<S::Group>>,
    ballots: Option<BallotBox<S>>,
    parameters: Option<S::Parameters>,
    lists: Vec<BallotList<S::Group>>,
    mixes: Vec<VerifiedMix<S>>,
    partials: Vec<VerifiedPartial<S::Group>>,
    answered: Vec<u16>,
    tally: Option<Tally>,
    end: Option<u64>,
    faults: Vec<Fault>,
}

/// Since when the election waits for what it waits for.
#[derive(Clone, Copy)]
struct Wait {
    /// The time of the leaf with which that began.
    since: u64,
    /// Its place.
    place: u64,
}

/// Who saw the closing that everybody has to see alike.
struct Certificate {
    seen: Seen,
    signers: BTreeSet<Party>,
}

/// A mix that counts.
pub(crate) struct VerifiedMix<S: Scheme> {
    /// Whose mix it is.
    pub(crate) mixer: u16,
    /// The mixes of the lists, in their order.
    pub(crate) lists: Vec<VerifiedList<S>>,
}

/// One list of a mix that counts.
pub(crate) struct VerifiedList<S: Scheme> {
    /// What its mixer derived its randomness from.
    pub(crate) state: Digest,
    /// What was verified, for proofs about the same permutation.
    pub(crate) verified: S::Verified,
}

/// The dealt shares, and the key that they amount to.
type Keys<G> = (Round2Board<G>, KeySet<G>);

/// The phase, with what only this phase knows.
enum Stage<S: Scheme> {
    Parameters,
    Registration,
    Readiness(Readiness),
    KeyGeneration(Box<KeyGeneration<S>>),
    Opening,
    Casting,
    Certification,
    Mixing(Turns),
    Decryption,
    Finished,
    Failed(String),
}

impl<S: Scheme> Election<S> {
    /// Begins with the genesis entry of a board.
    ///
    /// # Errors
    /// [`NotAnElection`] if it does not set up an election.
    pub fn new(genesis: &Entry) -> Result<Self, NotAnElection> {
        let setup = Setup::from_genesis(genesis)?;
        let Setup { description, parties } = &setup;
        let expected = [(Role::Trustee, description.trustees), (Role::Mixer, description.mixers)];
        let operator = Party { role: Role::Operator, number: 1 };
        if expected.iter().any(|&(role, count)| parties.count(role) != count)
            || parties.party(&genesis.author()) != Some(operator)
        {
            let reason = "they are not those of the description";
            return Err(DecodeError::invalid("parties", reason).under(EL_2).into());
        }
        if !S::is(description.shuffle) {
            let shuffle = description.shuffle.name();
            return Err(DecodeError::invalid("shuffle", format!("`{shuffle}`")).under(EL_1).into());
        }
        let rules = setup.rules();
        if rules.schedule().is_some() && genesis.leaf().is_none() {
            let reason = "an election with times stands on a log";
            return Err(DecodeError::invalid("first entry", reason).under(EL_26).into());
        }
        let parameters = S::own_parameters();
        let stage = if parameters.is_some() { Stage::Registration } else { Stage::Parameters };
        Ok(Self {
            id: genesis.digest(),
            setup,
            rules,
            stage,
            // Entries of a chain have no time: on one nobody is waited for by the clock.
            wait: Wait { since: genesis.time().unwrap_or(0), place: genesis.sequence() },
            heads: genesis.head().map(|head| (head.size, head.root)).into_iter().collect(),
            session: genesis.digest(),
            context: (rules == Rules::One).then(|| genesis.digest()),
            confirmed: Vec::new(),
            certificate: None,
            last_ballots: 0,
            roll: Vec::new(),
            keys: None,
            ballots: None,
            parameters,
            lists: Vec::new(),
            mixes: Vec::new(),
            partials: Vec::new(),
            answered: Vec::new(),
            tally: None,
            end: None,
            faults: Vec::new(),
        })
    }

    /// Takes the next entry: verifies it and moves on, or records it as a fault.
    pub fn apply(&mut self, entry: &Entry) {
        // What is asked about the finished election is for the inquiry to judge.
        if self.end.is_some() && entry.kind().starts_with("trace/query") {
            return;
        }
        self.heads.extend(entry.head().map(|head| (head.size, head.root)));
        let occasion = self.occasion();
        // The entry's time alone may end the election, whatever the entry says.
        self.fail_if_not_opened_in_time(entry);
        let phase = self.phase().name();
        let party = self.setup.parties.party(&entry.author());
        let stranger = || (EL_4, "the author is not a party of this election".to_owned());
        let taken = party.ok_or_else(stranger).and_then(|party| {
            // Before anything is decoded: who is not in turn costs nobody any work.
            if !self.is_in_turn(party, entry.kind()) {
                return Err((EL_4, format!("`{}` is out of turn", entry.kind())));
            }
            let message = Message::from_entry(entry.kind(), entry.payload());
            let message = message.map_err(|error| (error.check(), error.to_string()))?;
            check_slot(self, entry, &message)?;
            message
                .head()
                .map_or(Ok(()), |head| self.require_head(head))
                .map_err(|reason| (EL_21, reason))?;
            let taken = self.take(entry, party, message);
            taken.map_err(|reason| (self.check_of(entry.kind(), occasion), reason))
        });
        if let Err((check, reason)) = taken {
            self.faults.push(Fault::new(entry.sequence(), phase, party, (check, &reason)));
        }
        if self.occasion() != occasion {
            // As in `new`: entries of a chain have no time, and nobody is waited for by the clock.
            let since = entry.time().unwrap_or(0);
            self.wait = Wait { since, place: entry.sequence() };
        }
    }

    /// The check that a refused entry fails. A refused part that ended its turn had completed a mix, so the check is
    /// that of mixes.
    fn check_of(&self, kind: &str, before: (&str, u32)) -> CheckName {
        match (kind, self.has_classes()) {
            ("mix/part", false) if self.occasion() != before => EL_11,
            ("mix/part", true) if self.occasion() != before => EL_18,
            _ => checks::of_kind(kind),
        }
    }

    /// The step that is waited for: when it changes, the wait and its patience begin anew.
    fn occasion(&self) -> (&'static str, u32) {
        match &self.stage {
            Stage::KeyGeneration(keygen) => ("key generation", keygen.number().into()),
            Stage::Mixing(turns) => ("mixing", turns.number()),
            _ => (self.phase().name(), 0),
        }
    }

    /// Whether the phase waits for this kind of entry by this party.
    fn is_in_turn(&self, party: Party, kind: &str) -> bool {
        let of_rules = |one: &str, two: &str| match self.rules {
            Rules::One => kind == one,
            Rules::Two(_) => kind == two,
        };
        match (&self.stage, party.role) {
            (Stage::Parameters, Role::Operator) => kind == "election/parameters",
            (Stage::Registration, Role::Operator) => match self.has_classes() {
                false => kind == "election/roll",
                true => kind == "election/roll/classes",
            },
            (Stage::Readiness(readiness), Role::Trustee | Role::Mixer) => {
                kind == "election/ready" && readiness.expects(party)
            }
            // A trustee who says anything else, such as another roll, is not heard.
            (Stage::KeyGeneration(keygen), Role::Trustee) => {
                kind.starts_with("key/") && keygen.expects(party.number)
            }
            // In version 2 nobody is declared absent in round 3: the opening ends it.
            (Stage::KeyGeneration(keygen), Role::Operator) if keygen.number() == 3 => {
                of_rules("election/absent", "election/open/2")
            }
            (Stage::Readiness(_) | Stage::KeyGeneration(_) | Stage::Mixing(_), Role::Operator) => {
                of_rules("election/absent", "election/absent/2")
            }
            (Stage::Opening, Role::Operator) => kind == "election/open",
            (Stage::Casting, Role::Station) => kind == self.kind_of_ballots(),
            (Stage::Casting, Role::Operator) => of_rules("election/close", "election/close/2"),
            (Stage::Certification, Role::Trustee | Role::Mixer) => self.may_sign(party, kind),
            (Stage::Mixing(turns), Role::Mixer) => {
                self.may_mix(turns, party.number, kind) || self.may_sign(party, kind)
            }
            (Stage::Decryption, Role::Trustee) if kind == "decryption" => {
                self.may_decrypt(party.number)
            }
            (Stage::Mixing(_) | Stage::Decryption, Role::Trustee | Role::Mixer) => {
                self.may_sign(party, kind)
            }
            (Stage::Decryption, Role::Operator) => kind == "election/outcome",
            _ => false,
        }
    }

    /// Whether a trustee has shares of the key, and has not opened rows yet.
    fn may_decrypt(&self, trustee: u16) -> bool {
        let (mut keys, answered) = (self.keys.iter(), self.answered.contains(&trustee));
        !answered && keys.any(|(board, _)| board.round1().participants().contains(&trustee))
    }

    /// Hands a message to the phase that it belongs to.
    fn take(&mut self, entry: &Entry, party: Party, message: Message<S>) -> Result<(), String> {
        let (sequence, number) = (entry.sequence(), party.number);
        // Of a trustee the key generation takes its rounds' messages only.
        if let (Stage::KeyGeneration(_), Role::Trustee) = (&self.stage, party.role) {
            return self.take_key_message(sequence, number, message);
        }
        match message {
            Message::Parameters(file) => self.take_parameters(&file),
            Message::Roll(roll) => self.register(roll),
            Message::Ready(ready) => self.take_ready(party, &ready),
            Message::Absent(absent) => self.absent(sequence, absent),
            Message::Absence(absence) => self.absence(entry, &absence),
            Message::Open(key) => self.open(&key),
            Message::Opening(opening) => self.open_when_confirmed(entry, &opening),
            Message::Ballots(ballots) => self.take_ballots(entry, &ballots),
            Message::Close(close) => self.close(&close),
            Message::Closing(closing) => self.close_in_time(entry, &closing),
            Message::Seen(seen) => self.take_seen(party, &seen),
            Message::Back => self.take_back(number),
            Message::MixHeader(header) => self.announce_mix(header),
            Message::MixPart(part) => self.take_part(number, &part),
            Message::Mix(mix) => self.take_mixes(number, vec![mix]),
            Message::ClassMixes(mixes) => self.take_mixes(number, mixes),
            Message::Decryption(partial) => self.take_partial(number, partial),
            Message::Outcome(outcome) => self.finish(sequence, &outcome),
            message => Err(format!("`{}` is out of turn", message.kind())),
        }
    }

    /// The beginning of the log that a message speaks of is that of this one.
    fn require_head(&self, head: &Head) -> Result<(), String> {
        match self.heads.get(&head.size) {
            Some(root) if *root == head.root => Ok(()),
            _ if !Rule::ThisBoard.is_kept() => Ok(()),
            _ => Err(format!(
                "it is about another board: this one has no entry that ends {} leaves with the root {}",
                head.size, head.root
            )),
        }
    }

    /// Notes what was done wrong in the rounds of the key generation.
    fn blame(&mut self, sequence: u64, errors: Vec<shuffle::ThresholdError>) {
        self.faults.extend(errors.into_iter().map(|error| {
            let party = error.culprit().map(|number| Party { role: Role::Trustee, number });
            Fault::new(sequence, "key generation", party, (EL_6, &error.to_string()))
        }));
    }
}
