//! What parties, auditors and reports ask of an election.

use board::Head;
use shuffle::{
    MixContext,
    ballot::TrackingCode,
    dkg::{KeySet, Round2Board},
};
use wire::Digest;

use super::{
    super::{
        BallotList, Booth, Close, Closing, Fault, Opening, Party, RefusedBallot, Revision, Role,
        Rules, Scheme, Seen, Setup, Task, Voter, casting::BallotBox, keygen::KeyGeneration,
        voter::Standing, words,
    },
    Election, Phase, Stage, VerifiedMix,
};
use crate::{count::Tally, description::Class};

impl<S: Scheme> Election<S> {
    /// The election's name: that of its board.
    pub fn id(&self) -> Digest {
        self.id
    }

    /// What is voted on, and who runs it.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Board and description in eight words that people compare by telephone: who looks for two elections of the same
    /// words tries 2^64 of them.
    pub fn in_words(&self) -> String {
        words::in_words(&self.id, &self.setup.description.digest())
    }

    /// The rules that its board is replayed by.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// The registered voters.
    pub fn roll(&self) -> &[Voter] {
        &self.roll
    }

    /// What the election waits for.
    pub fn phase(&self) -> Phase {
        match &self.stage {
            Stage::Parameters => Phase::Parameters,
            Stage::Registration => Phase::Registration,
            Stage::Readiness(_) => Phase::Readiness,
            // Only the operator is waited for.
            Stage::KeyGeneration(keygen) if keygen.waiting().is_empty() => Phase::Opening,
            Stage::KeyGeneration(keygen) => Phase::KeyGeneration(keygen.number()),
            Stage::Opening => Phase::Opening,
            Stage::Casting => Phase::Casting,
            Stage::Certification => Phase::Certification,
            // `settle_turns` ends the stage when nobody is to mix.
            Stage::Mixing(turns) => Phase::Mixing(turns.mixer().unwrap_or(0)),
            Stage::Decryption => Phase::Decryption,
            Stage::Finished => Phase::Finished,
            Stage::Failed(reason) => Phase::Failed(reason.clone()),
        }
    }

    /// The parties that the election waits for.
    pub fn awaited(&self) -> Vec<Party> {
        let trustees = |numbers: Vec<u16>| {
            numbers.into_iter().map(|number| Party { role: Role::Trustee, number }).collect()
        };
        match &self.stage {
            Stage::Parameters | Stage::Registration | Stage::Opening | Stage::Casting => {
                vec![Party { role: Role::Operator, number: 1 }]
            }
            Stage::Readiness(readiness) => readiness.waiting().collect(),
            Stage::KeyGeneration(keygen) if keygen.waiting().is_empty() => {
                vec![Party { role: Role::Operator, number: 1 }]
            }
            Stage::KeyGeneration(keygen) => trustees(keygen.waiting().iter().copied().collect()),
            Stage::Certification => self.may_certify().collect(),
            Stage::Mixing(turns) => {
                let mixer = turns.mixer().into_iter();
                mixer.map(|number| Party { role: Role::Mixer, number }).collect()
            }
            Stage::Decryption => {
                // Who was not there when the shares were dealt has none.
                let all = self.keys.iter().flat_map(|(board, _)| board.round1().participants());
                trustees(all.filter(|number| !self.answered.contains(number)).collect())
            }
            Stage::Finished | Stage::Failed(_) => Vec::new(),
        }
    }

    /// What a trustee or a mixer can say now that counts: also when it is not waited for any more, and before
    /// everything else that it saw the closing.
    pub fn task_of(&self, party: Party) -> Option<Task> {
        if self.may_sign(party, "election/seen") {
            return Some(Task::Seen);
        }
        match (&self.stage, party.role) {
            (Stage::Readiness(readiness), _) => readiness.expects(party).then_some(Task::Ready),
            (Stage::KeyGeneration(keygen), Role::Trustee) => {
                keygen.expects(party.number).then(|| Task::Key(keygen.number()))
            }
            (Stage::Mixing(turns), Role::Mixer) => {
                let is_in_turn = turns.mixer() == Some(party.number);
                match (self.rules, turns.due()) {
                    (Rules::One, _) => is_in_turn.then_some(Task::Mix),
                    (Rules::Two(_), _) if turns.is_absent(party.number) => Some(Task::Back),
                    (Rules::Two(_), None) => {
                        is_in_turn.then(|| Task::Announce { turn: turns.number() })
                    }
                    (Rules::Two(_), Some(index)) => {
                        is_in_turn.then(|| Task::Part { turn: turns.number(), index })
                    }
                }
            }
            (Stage::Decryption, Role::Trustee) => {
                self.awaited().contains(&party).then_some(Task::Decrypt)
            }
            _ => None,
        }
    }

    /// Bytes of the mix that is being handed in which are there.
    pub(in crate::election) fn gathered(&self) -> usize {
        match &self.stage {
            Stage::Mixing(turns) => turns.gathered(),
            _ => 0,
        }
    }

    /// Trustees and mixers who did not sign the closing yet.
    fn may_certify(&self) -> impl Iterator<Item = Party> {
        let parties = &self.setup.parties;
        let of = |role| (1..=parties.count(role)).map(move |number| Party { role, number });
        let all = of(Role::Trustee).chain(of(Role::Mixer));
        all.filter(|party| self.may_sign(*party, "election/seen"))
    }

    /// The time of the log since when the election waits for what it waits for.
    pub fn waiting_since(&self) -> u64 {
        self.wait.since
    }

    /// The log up to the last entry that was read; `None` on a chain.
    pub fn head(&self) -> Option<Head> {
        let (&size, &root) = self.heads.last_key_value()?;
        Some(Head { size, root })
    }

    /// What ballots are bound to: the digest of the entry that opened the polls; in version 1 the board's name.
    pub fn ballot_context(&self) -> Option<Digest> {
        self.context
    }

    /// What mixes and decryptions are bound to: the same.
    pub(in crate::election) fn context(&self) -> Option<Digest> {
        self.context
    }

    /// What the key generation is bound to: what every party that is ready drew; in version 1 the board's name.
    pub(in crate::election) fn session(&self) -> &Digest {
        &self.session
    }

    /// How the operator opens the polls now, in version 2.
    ///
    /// # Errors
    /// The reason, if the key is not confirmed.
    pub fn opening(&self) -> Result<Opening<S::Group>, String> {
        let none = || "there is no key yet".to_owned();
        let (Stage::KeyGeneration(keygen), Some(head)) = (&self.stage, self.head()) else {
            return Err(none());
        };
        let found = keygen.confirmed(head.size).map_err(|error| error.to_string())?;
        Ok(Opening { key: *found.keys.public_key(), confirmed: found.trustees, head })
    }

    /// How the operator closes the polls now, in version 2; `None` unless they are open.
    pub fn closing_now(&self) -> Option<Closing> {
        Some(Closing { close: self.closing()?, head: self.head()? })
    }

    /// What a trustee or a mixer signs who saw the closing; `None` before it, and in version 1.
    pub fn seen(&self) -> Option<Seen> {
        self.certificate.as_ref().map(|certificate| certificate.seen)
    }

    /// The parties that signed the closing.
    pub fn certified_by(&self) -> Vec<Party> {
        let signers = self.certificate.iter().flat_map(|certificate| &certificate.signers);
        signers.copied().collect()
    }

    /// The trustees who confirmed the key, in version 2.
    pub fn confirmed_by(&self) -> &[u16] {
        &self.confirmed
    }

    /// What a voter's device needs, once the polls are open.
    pub fn booth(&self) -> Option<&Booth<S>> {
        self.ballots.as_ref().map(BallotBox::booth)
    }

    /// What the operator has to say when the polls close now; `None` unless they are open.
    pub fn closing(&self) -> Option<Close> {
        self.ballots.as_ref().map(BallotBox::close)
    }

    /// The number of accepted ballots.
    pub fn accepted(&self) -> usize {
        self.ballots.as_ref().map_or(0, BallotBox::len)
    }

    /// The voters whose ballots were accepted, by their places on the roll.
    pub fn voted(&self) -> Vec<u32> {
        self.ballots.iter().flat_map(BallotBox::voters).collect()
    }

    /// The tracking code of every accepted ballot, with its voter.
    pub fn tracking_codes(&self) -> impl Iterator<Item = (&Voter, TrackingCode)> {
        let codes = self.ballots.iter().flat_map(BallotBox::codes);
        codes.filter_map(|(voter, code)| Some((self.roll.get(voter as usize)?, code)))
    }

    /// A voter's ballots that hold, by their revisions; the last counts. None where a voter has one only.
    pub fn revisions_of(&self, voter: u32) -> Vec<Revision> {
        self.ballots.iter().flat_map(|ballots| ballots.revisions_of(voter)).copied().collect()
    }

    /// Whether a voter's ballot was posted, whatever became of it.
    pub fn has_ballot(&self, voter: u32, tracker: &Digest) -> bool {
        !matches!(Standing::of(self, voter, tracker), Standing::Missing { .. })
    }

    /// The kind of entry in which stations post ballots.
    pub(super) fn kind_of_ballots(&self) -> &'static str {
        match self.booth().is_some_and(|booth| booth.opening.is_some()) {
            true => "ballots/revisions",
            false => "ballots",
        }
    }

    /// The ballots that were refused.
    pub fn refused(&self) -> &[RefusedBallot] {
        self.ballots.as_ref().map_or(&[], BallotBox::refused)
    }

    /// The entry that carries the accepted ballot with this code, and its voter.
    pub fn find(&self, code: TrackingCode) -> Option<(u64, &Voter)> {
        let (sequence, voter) = self.ballots.as_ref()?.find(code)?;
        Some((sequence, self.roll.get(voter as usize)?))
    }

    /// The key that the trustees generated.
    pub fn keys(&self) -> Option<&KeySet<S::Group>> {
        self.keys.as_ref().map(|(_, keys)| keys)
    }

    /// The dealt shares, from which a trustee derives its own.
    pub(in crate::election) fn dealt(&self) -> Option<&Round2Board<S::Group>> {
        self.keys.as_ref().map(|(board, _)| board)
    }

    pub(in crate::election) fn key_generation(&self) -> Option<&KeyGeneration<S>> {
        match &self.stage {
            Stage::KeyGeneration(keygen) => Some(keygen),
            _ => None,
        }
    }

    /// The ballots as the last valid mix left them: one list, or one for each class that is opened.
    pub fn lists(&self) -> &[BallotList<S::Group>] {
        &self.lists
    }

    /// Whether voters are in classes.
    pub fn has_classes(&self) -> bool {
        !self.setup.description.classes.is_empty()
    }

    /// A class by its number, from 0.
    pub fn class(&self, number: u8) -> Option<&Class> {
        self.setup.description.classes.get(usize::from(number))
    }

    /// How many ballots of each class were accepted.
    pub fn cast_by_class(&self) -> Vec<usize> {
        let classes = self.setup.description.classes.len();
        self.ballots.as_ref().map_or(vec![0; classes], |ballots| ballots.cast_by_class(classes))
    }

    /// How many voters of each class are on the roll.
    pub fn registered_by_class(&self) -> Vec<usize> {
        let classes = 0..self.setup.description.classes.len();
        let own = |class: usize| {
            self.roll.iter().filter(|voter| voter.class.map(usize::from) == Some(class)).count()
        };
        classes.map(own).collect()
    }

    /// Who made the shuffle's parameters, and in which ceremony.
    pub fn contributors(&self) -> &[String] {
        self.parameters.as_ref().map_or(&[], S::contributors)
    }

    /// What mixes are proven under; `None` while the board does not have it.
    pub fn parameters(&self) -> Option<&S::Parameters> {
        self.parameters.as_ref()
    }

    /// The mixers whose mixes are valid, in order.
    pub fn mixes(&self) -> Vec<u16> {
        self.mixes.iter().map(|mix| mix.mixer).collect()
    }

    /// What was verified of these mixes.
    pub(crate) fn verified_mixes(&self) -> &[VerifiedMix<S>] {
        &self.mixes
    }

    /// The statement that a mixer proves about a list when it mixes now.
    pub fn mix_context<'a>(&'a self, list: &'a BallotList<S::Group>, mixer: u16) -> MixContext<'a> {
        // Mixers are numbered by a `u16`. Who mixes does so after the polls, whose opening sets the context.
        let position = u32::try_from(self.mixes.len() + 1).unwrap_or(u32::MAX);
        let study = self.context.as_ref().unwrap_or(&self.id).as_bytes();
        MixContext { study, mix: list.mix(), mixer: mixer.into(), position }
    }

    /// The trustees whose partial decryptions are valid.
    pub fn decrypted_by(&self) -> Vec<u16> {
        self.partials.iter().map(|partial| partial.message().trustee()).collect()
    }

    /// The result, once it is published.
    pub fn tally(&self) -> Option<&Tally> {
        self.tally.as_ref()
    }

    /// The entry that finished the election; nothing behind it counts.
    pub fn end(&self) -> Option<u64> {
        self.end
    }

    /// The entries that were refused so far.
    pub fn faults(&self) -> &[Fault] {
        &self.faults
    }
}
