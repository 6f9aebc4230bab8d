//! From the set-up to the opening of the polls.

use std::collections::BTreeSet;

use algebra::Group as _;
use board::{Entry, MAX_PAYLOAD};
use shuffle::dkg::DkgParams;

use super::{
    super::{
        Absence, Booth, Fault, MAX_PARTS, Message, Opening, PART_BYTES, Party, Ready, Role, Rule,
        Rules, Scheme, Voter,
        casting::BallotBox,
        keygen::{KeyGeneration, Progress},
        notices::session_of,
        parameters::digest_of,
        roll::check_roll,
    },
    Election, Stage,
    readiness::Readiness,
};
use crate::{checks::EL_7, description::ElectionDescription};

/// What a mix, or the decryptions, have beside their rows, at most, for each list.
pub(super) const OVERHEAD: usize = 1 << 12;

impl<S: Scheme> Election<S> {
    pub(super) fn take_parameters(&mut self, file: &[u8]) -> Result<(), String> {
        let digest = digest_of(file);
        if self.setup.description.shuffle.parameters() != Some(digest) {
            return Err(format!("the description names other parameters than {digest}"));
        }
        self.parameters = Some(S::read_parameters(file)?);
        self.stage = Stage::Registration;
        Ok(())
    }

    pub(super) fn register(&mut self, roll: Vec<Voter>) -> Result<(), String> {
        let description = &self.setup.description;
        require_room::<S>(description, roll.len())?;
        self.require_capacity(roll.len())?;
        check_roll(&roll, &description.classes)?;
        self.roll = roll;
        let (trustees, mixers) = (description.trustees, description.mixers);
        match self.rules {
            Rules::One => self.begin_key_generation((1..=trustees).collect()),
            Rules::Two(_) => {
                self.stage = Stage::Readiness(Readiness::new(trustees, mixers));
                Ok(())
            }
        }
    }

    fn require_capacity(&self, voters: usize) -> Result<(), String> {
        let capacity = self.parameters.as_ref().map_or(0, S::capacity);
        match voters <= capacity {
            true => Ok(()),
            false => Err(format!("{voters} voters: the parameters are for {capacity} at most")),
        }
    }

    fn begin_key_generation(&mut self, trustees: BTreeSet<u16>) -> Result<(), String> {
        let description = &self.setup.description;
        let context = self.session.as_bytes();
        let params = DkgParams::new(description.threshold, description.trustees, context);
        let params = params.map_err(|error| error.to_string())?;
        let keygen = KeyGeneration::new(params, trustees, self.rules);
        self.stage = Stage::KeyGeneration(Box::new(keygen));
        Ok(())
    }

    pub(super) fn take_ready(&mut self, party: Party, ready: &Ready) -> Result<(), String> {
        if !Rule::ReadyForRoll.allows(ready.head.size > self.wait.place) {
            return Err("it is about a board without its roll".to_owned());
        }
        let Stage::Readiness(readiness) = &mut self.stage else { return Ok(()) };
        readiness.waiting.remove(&party);
        readiness.absent.remove(&party);
        readiness.nonces.insert(party, ready.nonce);
        self.end_readiness()
    }

    /// Goes on when nobody is waited for any more, with those who are there.
    fn end_readiness(&mut self) -> Result<(), String> {
        let Stage::Readiness(readiness) = &self.stage else { return Ok(()) };
        if !readiness.waiting.is_empty() {
            return Ok(());
        }
        if Rule::Nonces.is_kept() {
            self.session = session_of(&self.id, &readiness.nonces);
        }
        let trustees = readiness.nonces.keys().filter(|party| party.role == Role::Trustee);
        self.begin_key_generation(trustees.map(|party| party.number).collect())
    }

    pub(super) fn take_key_message(
        &mut self,
        sequence: u64,
        trustee: u16,
        message: Message<S>,
    ) -> Result<(), String> {
        let Stage::KeyGeneration(keygen) = &mut self.stage else {
            return Err(format!("`{}` is out of turn", message.kind()));
        };
        let taken = keygen.take(sequence, trustee, message);
        self.advance_key_generation(sequence);
        taken
    }

    fn advance_key_generation(&mut self, sequence: u64) {
        let Stage::KeyGeneration(keygen) = std::mem::replace(&mut self.stage, Stage::Opening)
        else {
            return;
        };
        let mut faults = Vec::new();
        let advanced = keygen.advance(&mut faults);
        self.blame(sequence, faults);
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
    pub(super) fn absent(&mut self, sequence: u64, party: Party) -> Result<(), String> {
        let phase = self.phase().name();
        if !self.awaited().contains(&party) {
            return Err(format!("{party} is not waited for"));
        }
        match &mut self.stage {
            Stage::KeyGeneration(keygen) => {
                keygen.declare_absent(party.number);
                self.advance_key_generation(sequence);
            }
            Stage::Mixing(turns) => {
                turns.passed();
                self.settle_turns();
            }
            _ => return Err("nobody can be declared absent in this phase".to_owned()),
        }
        let reason = "does not answer, says the operator";
        self.faults.push(Fault::new(sequence, phase, Some(party), (EL_7, reason)));
        Ok(())
    }

    /// Goes on without a party that was waited for longer than the description says, as the log's times show. It
    /// may still come while the phase lasts, and nobody is absent without whom the phase cannot end.
    pub(super) fn absence(&mut self, entry: &Entry, absence: &Absence) -> Result<(), String> {
        let (Absence { party, head }, phase) = (absence, self.phase().name());
        if !Rule::AbsentIfAwaited.allows(self.awaited().contains(party)) {
            return Err(format!("{party} is not waited for"));
        }
        if !Rule::AbsentNow.allows(head.size > self.wait.place) {
            return Err(format!("it is about a board that did not wait for {party} yet"));
        }
        self.require_patience(entry, || party.to_string())?;
        self.require_enough_without(*party)?;
        match &mut self.stage {
            Stage::Readiness(readiness) => {
                readiness.waiting.remove(party);
                readiness.absent.extend(Rule::ComesBack.is_kept().then_some(*party));
                self.end_readiness()?;
            }
            Stage::KeyGeneration(keygen) => {
                keygen.declare_absent(party.number);
                self.advance_key_generation(entry.sequence());
            }
            Stage::Mixing(turns) => {
                turns.passed();
                self.settle_turns();
            }
            _ => return Err("nobody can be declared absent in this phase".to_owned()),
        }
        let reason = "did not answer in time";
        self.faults.push(Fault::new(entry.sequence(), phase, Some(*party), (EL_7, reason)));
        Ok(())
    }

    /// By the log's times, the wait has lasted for longer than the description says.
    fn require_patience(&self, entry: &Entry, who: impl Fn() -> String) -> Result<(), String> {
        let patience = self.rules.schedule().map_or(0, |schedule| schedule.patience.into());
        // Patience is asked of version 2 only, which stands on a log, whose entries have times.
        let waited = entry.time().unwrap_or(0).saturating_sub(self.wait.since);
        match Rule::Patience.allows(waited > patience) {
            true => Ok(()),
            false => Err(format!("{} was waited for {waited} s, and may take {patience} s", who())),
        }
    }

    /// Whether the phase can go on without a party.
    pub(in crate::election) fn can_do_without(&self, party: Party) -> bool {
        self.require_enough_without(party).is_ok()
    }

    fn require_enough_without(&self, party: Party) -> Result<(), String> {
        let description = &self.setup.description;
        let (present, needed) = match (&self.stage, party.role) {
            (Stage::Readiness(readiness), Role::Mixer) => {
                (readiness.present(Role::Mixer), description.minimum_mixers)
            }
            (Stage::Readiness(readiness), _) => {
                (readiness.present(Role::Trustee), description.threshold)
            }
            (Stage::KeyGeneration(keygen), _) => (keygen.present(), description.threshold),
            _ => return Ok(()),
        };
        match Rule::EnoughWithout.allows(present > usize::from(needed)) {
            true => Ok(()),
            false => Err(format!("without {party} fewer than {needed} are left: it is waited for")),
        }
    }

    /// Opens the polls under the key that the named trustees confirmed: all of them, or those who did it in time.
    pub(super) fn open_when_confirmed(
        &mut self,
        entry: &Entry,
        opening: &Opening<S::Group>,
    ) -> Result<(), String> {
        let Stage::KeyGeneration(keygen) = &self.stage else {
            return Err("there is no key yet".to_owned());
        };
        if !keygen.is_complete(opening.head.size) {
            self.require_patience(entry, || "the last trustee".to_owned())?;
        }
        let found = keygen.confirmed(opening.head.size).map_err(|error| error.to_string())?;
        if !Rule::OpeningKey.allows(opening.key == *found.keys.public_key()) {
            return Err("this is not the key that the trustees generated".to_owned());
        }
        if !Rule::Confirmed.allows(opening.confirmed == found.trustees) {
            return Err(format!(
                "the key is confirmed by the trustees {:?}, and not by {:?}",
                found.trustees, opening.confirmed
            ));
        }
        self.blame(entry.sequence(), found.faults);
        self.keys = Some((found.dealt, found.keys));
        self.confirmed = found.trustees;
        let is_bound = Rule::BoundToOpening.is_kept();
        self.context = Some(if is_bound { entry.digest() } else { self.id });
        self.open_polls(opening.key);
        Ok(())
    }

    pub(super) fn open(&mut self, key: &shuffle::PublicKey<S::Group>) -> Result<(), String> {
        let (_, keys) = self.keys.as_ref().ok_or("there is no key yet")?;
        if key != keys.public_key() {
            return Err("this is not the key that the trustees generated".to_owned());
        }
        self.open_polls(*key);
        Ok(())
    }

    fn open_polls(&mut self, key: shuffle::PublicKey<S::Group>) {
        let layout = self.setup.description.layout();
        let classes = self.roll.iter().filter_map(|voter| voter.class).collect();
        let (election, opening) = (self.id, self.rules.schedule().and(self.context));
        self.ballots = Some(BallotBox::new(Booth { election, opening, key, layout, classes }));
        self.stage = Stage::Casting;
    }

    /// In version 2 polls open before the time at which they close, or never.
    pub(super) fn fail_if_not_opened_in_time(&mut self, entry: &Entry) {
        let Some(schedule) = self.rules.schedule() else { return };
        let is_before = matches!(
            self.stage,
            Stage::Parameters | Stage::Registration | Stage::Readiness(_) | Stage::KeyGeneration(_)
        );
        let is_late = entry.time().is_some_and(|time| time >= schedule.closes);
        if is_before && !Rule::OpensInTime.allows(!is_late) {
            let phase = self.phase().name();
            self.stage = Stage::Failed(format!("{phase}: the polls did not open in time"));
        }
    }
}

/// Refuses more voters than an election can mix and open.
///
/// # Errors
/// The reason, with the most voters that there is room for.
pub fn require_room<S: Scheme>(
    description: &ElectionDescription,
    voters: usize,
) -> Result<(), String> {
    let columns = description.layout().columns();
    let row = S::mix_row_len(columns);
    let limit = match Rules::of(description) {
        Rules::One => MAX_PAYLOAD / row - 1,
        Rules::Two(_) => {
            let overhead = OVERHEAD * description.classes.len().max(1);
            let opened = MAX_PAYLOAD / (columns * S::Group::ENCODED_LEN).max(1);
            let mixed = (MAX_PARTS * PART_BYTES).saturating_sub(overhead) / row;
            mixed.min(opened.saturating_sub(overhead))
        }
    };
    match voters <= limit {
        true => Ok(()),
        false => Err(format!("{voters} voters: a mix of so wide ballots carries {limit} at most")),
    }
}
