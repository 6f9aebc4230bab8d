//! The election as everybody computes it from the board.

mod view;

use board::{Entry, MAX_PAYLOAD};
use shuffle::{
    Column, ShuffleError,
    decrypt::{Decryption, VerifiedPartial},
    dkg::{DkgParams, KeySet, Round2Board},
};
use thiserror::Error;
use wire::{DecodeError, Digest};

use super::{
    Booth, Close, Fault, Message, Outcome, Party, RefusedBallot, Role, Scheme, Setup,
    TereliusWikstrom, Voter,
    casting::BallotBox,
    counting,
    keygen::{KeyGeneration, Progress},
    lists::{BallotList, decryption_context},
    parameters::digest_of,
    roll::check_roll,
};
use crate::{
    count::Tally,
    preferences::{Opened, Ranking},
    replay::check_slot,
};

/// Why a board is not that of an election.
#[derive(Debug, Error)]
#[error("the board does not begin with the set-up of an election: {0}")]
pub struct NotAnElection(#[from] DecodeError);

/// What an election waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Phase {
    /// The shuffle's parameters, by the operator.
    Parameters,
    /// The roll, by the operator.
    Registration,
    /// Messages of one round, 1 to 3, by the trustees.
    KeyGeneration(u8),
    /// The opening of the polls, by the operator.
    Opening,
    /// Ballots, by the stations, and the closing, by the operator.
    Casting,
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
            Self::KeyGeneration(_) => "key generation",
            Self::Opening => "opening",
            Self::Casting => "casting",
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
    stage: Stage<S>,
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
    KeyGeneration(Box<KeyGeneration<S>>),
    Opening,
    Casting,
    Mixing(u16),
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
            return Err(DecodeError::invalid("parties", reason).into());
        }
        if !S::is(description.shuffle) {
            let shuffle = description.shuffle.name();
            return Err(DecodeError::invalid("shuffle", format!("`{shuffle}`")).into());
        }
        let parameters = S::own_parameters();
        let stage = if parameters.is_some() { Stage::Registration } else { Stage::Parameters };
        Ok(Self {
            id: genesis.digest(),
            setup,
            stage,
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
        let phase = self.phase().name();
        let party = self.setup.parties.party(&entry.author());
        let sequence = entry.sequence();
        let known = party.ok_or("the author is not a party of this election".to_owned());
        let taken = known.and_then(|party| {
            // Before anything is decoded: who is not in turn costs nobody any work.
            if !self.is_in_turn(party, entry.kind()) {
                return Err(format!("`{}` is out of turn", entry.kind()));
            }
            let message = Message::from_entry(entry.kind(), entry.payload());
            let message = message.map_err(|error| error.to_string())?;
            check_slot(self, entry, &message)?;
            self.take(sequence, party, message)
        });
        if let Err(reason) = taken {
            self.faults.push(Fault::new(sequence, phase, party, &reason));
        }
    }

    /// Whether the phase waits for this kind of entry by this party.
    fn is_in_turn(&self, party: Party, kind: &str) -> bool {
        match (&self.stage, party.role) {
            (Stage::Parameters, Role::Operator) => kind == "election/parameters",
            (Stage::Registration, Role::Operator) => match self.has_classes() {
                false => kind == "election/roll",
                true => kind == "election/roll/classes",
            },
            (Stage::KeyGeneration(keygen), Role::Trustee) => {
                keygen.waiting().contains(&party.number)
            }
            (Stage::KeyGeneration(_) | Stage::Mixing(_), Role::Operator) => {
                kind == "election/absent"
            }
            (Stage::Opening, Role::Operator) => kind == "election/open",
            (Stage::Casting, Role::Station) => kind == self.kind_of_ballots(),
            (Stage::Casting, Role::Operator) => kind == "election/close",
            (Stage::Mixing(turn), Role::Mixer) => {
                let own = if self.has_classes() { "mix/classes" } else { "mix" };
                *turn == party.number && kind == own
            }
            (Stage::Decryption, Role::Trustee) => {
                kind == "decryption" && !self.answered.contains(&party.number)
            }
            (Stage::Decryption, Role::Operator) => kind == "election/outcome",
            _ => false,
        }
    }

    /// Hands a message to the phase that it belongs to.
    fn take(&mut self, sequence: u64, party: Party, message: Message<S>) -> Result<(), String> {
        let number = party.number;
        match (&mut self.stage, party.role, message) {
            (Stage::Parameters, Role::Operator, Message::Parameters(file)) => {
                self.take_parameters(&file)
            }
            (Stage::Registration, Role::Operator, Message::Roll(roll)) => self.register(roll),
            (Stage::KeyGeneration(keygen), Role::Trustee, message) => {
                let taken = keygen.take(number, message);
                self.advance_key_generation(sequence);
                taken
            }
            (_, Role::Operator, Message::Absent(absent)) => self.absent(sequence, absent),
            (Stage::Opening, Role::Operator, Message::Open(key)) => self.open(&key),
            (Stage::Casting, Role::Station, Message::Ballots(ballots)) => {
                let ballot_box = self.ballots.as_mut().ok_or("the polls are not open")?;
                ballot_box.take(sequence, &self.roll, &ballots);
                Ok(())
            }
            (Stage::Casting, Role::Operator, Message::Close(close)) => self.close(&close),
            (Stage::Mixing(turn), Role::Mixer, Message::Mix(mix)) if *turn == number => {
                self.take_mixes(number, vec![mix])
            }
            (Stage::Mixing(turn), Role::Mixer, Message::ClassMixes(mixes)) if *turn == number => {
                self.take_mixes(number, mixes)
            }
            (Stage::Decryption, Role::Trustee, Message::Decryption(partial)) => {
                self.take_partial(number, partial)
            }
            (Stage::Decryption, Role::Operator, Message::Outcome(outcome)) => {
                self.finish(sequence, &outcome)
            }
            (_, _, message) => Err(format!("`{}` is out of turn", message.kind())),
        }
    }

    fn take_parameters(&mut self, file: &[u8]) -> Result<(), String> {
        let digest = digest_of(file);
        if self.setup.description.shuffle.parameters() != Some(digest) {
            return Err(format!("the description names other parameters than {digest}"));
        }
        self.parameters = Some(S::read_parameters(file)?);
        self.stage = Stage::Registration;
        Ok(())
    }

    fn register(&mut self, roll: Vec<Voter>) -> Result<(), String> {
        let description = &self.setup.description;
        let columns = description.layout().columns();
        let (voters, limit) = (roll.len(), MAX_PAYLOAD / S::mix_row_len(columns) - 1);
        if voters > limit {
            return Err(format!(
                "{voters} voters: a mix of so wide ballots carries {limit} at most"
            ));
        }
        let capacity = self.parameters.as_ref().map_or(0, S::capacity);
        if voters > capacity {
            return Err(format!("{voters} voters: the parameters are for {capacity} at most"));
        }
        check_roll(&roll, &description.classes)?;
        let params =
            DkgParams::new(description.threshold, description.trustees, self.id.as_bytes());
        let params = params.map_err(|error| error.to_string())?;
        self.roll = roll;
        self.stage = Stage::KeyGeneration(Box::new(KeyGeneration::new(params)));
        Ok(())
    }

    fn advance_key_generation(&mut self, sequence: u64) {
        let Stage::KeyGeneration(keygen) = std::mem::replace(&mut self.stage, Stage::Opening)
        else {
            return;
        };
        let mut faults = Vec::new();
        let advanced = keygen.advance(&mut faults);
        self.faults.extend(faults.into_iter().map(|error| {
            let party = error.culprit().map(|number| Party { role: Role::Trustee, number });
            Fault::new(sequence, "key generation", party, &error.to_string())
        }));
        self.stage = match advanced {
            Ok(Progress::Continues(keygen)) => Stage::KeyGeneration(Box::new(keygen)),
            Ok(Progress::Key(board, keys)) => {
                self.keys = Some((board, keys));
                Stage::Opening
            }
            Err(error) => Stage::Failed(format!("key generation: {error}")),
        };
    }

    /// Waits no longer for a party.
    fn absent(&mut self, sequence: u64, party: Party) -> Result<(), String> {
        let phase = self.phase().name();
        if !self.awaited().contains(&party) {
            return Err(format!("{party} is not waited for"));
        }
        match &mut self.stage {
            Stage::KeyGeneration(keygen) => {
                keygen.declare_absent(party.number);
                self.advance_key_generation(sequence);
            }
            Stage::Mixing(_) => self.next_turn(),
            _ => return Err("nobody can be declared absent in this phase".to_owned()),
        }
        let reason = "does not answer, says the operator";
        self.faults.push(Fault::new(sequence, phase, Some(party), reason));
        Ok(())
    }

    fn open(&mut self, key: &shuffle::PublicKey<S::Group>) -> Result<(), String> {
        let (_, keys) = self.keys.as_ref().ok_or("there is no key yet")?;
        if key != keys.public_key() {
            return Err("this is not the key that the trustees generated".to_owned());
        }
        let layout = self.setup.description.layout();
        let classes = self.roll.iter().filter_map(|voter| voter.class).collect();
        let booth = Booth { election: self.id, opening: None, key: *key, layout, classes };
        self.ballots = Some(BallotBox::new(booth));
        self.stage = Stage::Casting;
        Ok(())
    }

    fn close(&mut self, close: &Close) -> Result<(), String> {
        let ballots = self.ballots.as_ref().ok_or("the polls are not open")?;
        let found = ballots.close();
        if found != *close {
            let Close { accepted, refused, .. } = close;
            if (found.accepted, found.refused) == (*accepted, *refused) {
                let reason = "the closing is about other ballots, or another order, than the board";
                return Err(reason.to_owned());
            }
            let refusal = ballots.refused().first().map(|refused| {
                let RefusedBallot { sequence, index, voter, reason, .. } = refused;
                format!("; first refused: ballot {index} of entry {sequence}, {voter}: {reason}")
            });
            return Err(format!(
                "the closing says {accepted} ballots accepted and {refused} refused, the board \
                 has {} and {}{}",
                found.accepted,
                found.refused,
                refusal.unwrap_or_default()
            ));
        }
        self.lists = ballots.lists(&self.setup.description.classes);
        let longest = self.lists.iter().map(BallotList::rows).max().unwrap_or(0);
        if let Some(parameters) = &mut self.parameters {
            S::extend(parameters, longest);
        }
        self.stage = Stage::Mixing(0);
        self.next_turn();
        Ok(())
    }

    /// The next mixer's turn, or the trustees' if there is none.
    fn next_turn(&mut self) {
        let Stage::Mixing(turn) = self.stage else { return };
        let description = &self.setup.description;
        let (valid, minimum) = (self.mixes.len(), usize::from(description.minimum_mixers));
        self.stage = if turn < description.mixers {
            Stage::Mixing(turn + 1)
        } else if valid >= minimum {
            Stage::Decryption
        } else {
            Stage::Failed(format!("mixing: {valid} valid mixes, {minimum} are needed"))
        };
    }

    /// Takes one mix a list: all of them, or none.
    fn take_mixes(&mut self, mixer: u16, mixes: Vec<S::Mix>) -> Result<(), String> {
        let verified = self.verify_mixes(mixer, &mixes).map(|lists| {
            self.mixes.push(VerifiedMix { mixer, lists });
            let outputs = mixes.into_iter().map(S::into_outputs);
            let mixed = self.lists.iter().zip(outputs).map(|(list, columns)| list.mixed(columns));
            self.lists = mixed.collect();
        });
        self.next_turn();
        verified
    }

    fn verify_mixes(&self, mixer: u16, mixes: &[S::Mix]) -> Result<Vec<VerifiedList<S>>, String> {
        if mixes.len() != self.lists.len() {
            let (got, lists) = (mixes.len(), self.lists.len());
            return Err(format!("{got} mixes of {lists} lists"));
        }
        let verify = |(list, mix)| {
            self.verify_mix(mixer, list, mix).map_err(|error| {
                let reason = match error {
                    // The fault names the mixer.
                    ShuffleError::Equation { equation, .. } => equation.to_string(),
                    other => other.to_string(),
                };
                let class = list.class().and_then(|class| self.class(class));
                class.map_or(reason.clone(), |class| format!("class `{}`: {reason}", class.name))
            })
        };
        self.lists.iter().zip(mixes).map(verify).collect()
    }

    fn verify_mix(
        &self,
        mixer: u16,
        list: &BallotList<S::Group>,
        mix: &S::Mix,
    ) -> Result<VerifiedList<S>, ShuffleError> {
        let (Some(ballots), Some(parameters)) = (&self.ballots, &self.parameters) else {
            return Err(ShuffleError::Empty);
        };
        let (key, context) = (&ballots.booth().key, self.mix_context(list, mixer));
        let verified = S::verify(parameters, key, list.columns(), &context, mix)?;
        let state = list.mix_state(context.position, key);
        Ok(VerifiedList { state, verified })
    }

    fn take_partial(
        &mut self,
        trustee: u16,
        partial: shuffle::decrypt::PartialDecryption<S::Group>,
    ) -> Result<(), String> {
        self.answered.push(trustee);
        let verified = self.verify_partial(trustee, partial).map(|partial| {
            self.partials.push(partial);
        });
        let (possible, needed) =
            (self.partials.len() + self.awaited().len(), self.setup.description.threshold);
        if possible < usize::from(needed) {
            let reason = format!("{possible} trustees can still decrypt, {needed} are needed");
            self.stage = Stage::Failed(format!("decryption: {reason}"));
        }
        verified
    }

    fn verify_partial(
        &self,
        trustee: u16,
        partial: shuffle::decrypt::PartialDecryption<S::Group>,
    ) -> Result<VerifiedPartial<S::Group>, String> {
        if partial.trustee() != trustee {
            return Err("a partial decryption in the name of another trustee".to_owned());
        }
        let verified = self.with_decryption(|decryption| decryption.verify_partial(partial));
        verified.ok_or("there is no key yet")?.map_err(|error| error.to_string())
    }

    fn finish(&mut self, sequence: u64, outcome: &Outcome) -> Result<(), String> {
        let faults = self.fault_sequences();
        if outcome.faults != faults {
            let same = outcome.faults.iter().zip(&faults).take_while(|(a, b)| a == b).count();
            return Err(format!(
                "the outcome lists other refused entries than the board has: at place {same}, \
                 {:?} and not {:?}",
                outcome.faults.get(same),
                faults.get(same)
            ));
        }
        let tally = self.count()?;
        if outcome.tally != encode_tally(&tally)? {
            return Err("the ballots do not count to this tally".to_owned());
        }
        self.tally = Some(tally);
        self.end = Some(sequence);
        self.stage = Stage::Finished;
        Ok(())
    }

    /// Decrypts and counts, from t partial decryptions or more.
    fn count(&self) -> Result<Tally, String> {
        let (description, points) = (&self.setup.description, self.opened()?);
        if !self.has_classes() {
            return Ok(counting::count(description, &points));
        }
        let (columns, mut rest) = (description.layout().columns(), points.as_slice());
        let mut lists = Vec::new();
        for list in &self.lists {
            let (own, others) = rest.split_at_checked(list.rows() * columns).unwrap_or((rest, &[]));
            lists.extend(list.class().map(|class| (class, own)));
            rest = others;
        }
        let counted = counting::count_classes(description, &self.cast_by_class(), &lists);
        counted.map_err(|error| error.to_string())
    }

    /// The opened ballots, list after list and column after column, from t partial decryptions or more.
    ///
    /// # Errors
    /// The reason, if there are not enough partial decryptions yet.
    pub(crate) fn opened(&self) -> Result<Vec<S::Group>, String> {
        let points = self.with_decryption(|decryption| decryption.combine(&self.partials));
        points.ok_or("there is no key yet")?.map_err(|error| error.to_string())
    }

    /// The opened ballots' rankings of the first question, in their order; `None` where there is none.
    pub(crate) fn rankings(&self, points: &[S::Group]) -> Vec<Option<Ranking>> {
        let opened = counting::decode(&self.setup.description, points).into_iter();
        let first = |Opened(answers): Opened| answers.into_iter().next()?.ok()?.ranking().cloned();
        opened.map(first).collect()
    }

    /// What the operator has to publish now.
    ///
    /// # Errors
    /// The reason, if there are not enough partial decryptions yet.
    pub fn outcome(&self) -> Result<Outcome, String> {
        Ok(Outcome { tally: encode_tally(&self.count()?)?, faults: self.fault_sequences() })
    }

    fn fault_sequences(&self) -> Vec<u64> {
        let mut sequences: Vec<u64> = self.faults.iter().map(|fault| fault.sequence).collect();
        sequences.dedup();
        sequences
    }

    /// Gives access to the decryption of the mixed ballots, list after list and column after column.
    pub(super) fn with_decryption<T>(
        &self,
        f: impl FnOnce(&Decryption<'_, S::Group>) -> T,
    ) -> Option<T> {
        let (_, keys) = self.keys.as_ref()?;
        let columns = self.lists.iter().flat_map(BallotList::columns);
        let ciphertexts: Vec<_> = columns.flat_map(Column::ciphertexts).collect();
        let context = decryption_context(&self.id, &self.lists);
        Some(f(&Decryption::new(keys, &ciphertexts, &context)))
    }
}

fn encode_tally(tally: &Tally) -> Result<Vec<u8>, String> {
    serde_json::to_vec(tally).map_err(|error| error.to_string())
}
