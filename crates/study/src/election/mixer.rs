//! A mixer: checks everything so far, permutes and re-encrypts all ballots, proves it.

use board::Identity;
use rand_core::CryptoRng;
use wire::Encode as _;

use super::{
    BallotList, Election, Message, MixHeader, MixPart, PART_BYTES, Party, PartyPolicy, Phase, Role,
    Rules, Scheme, Task, trustee::number_of,
};
use crate::{
    replay::{self, SessionError},
    secrets::RunSecrets,
};

/// A mixer at work. Its permutation is of this run: who has the mixer's key file when the run has ended links
/// nothing with it.
pub struct Mixer {
    secrets: RunSecrets,
    number: u16,
    policy: PartyPolicy,
    part_bytes: usize,
    /// The mix of a turn, while its parts are handed in.
    whole: Option<(u32, Vec<u8>)>,
}

impl Mixer {
    /// Takes up the work of the mixer whose secrets these are.
    ///
    /// # Errors
    /// [`SessionError::NotAParty`].
    pub fn new<S: Scheme>(
        secrets: RunSecrets,
        election: &Election<S>,
    ) -> Result<Self, SessionError> {
        let number = number_of(secrets.identity(), Role::Mixer, "mixer", election)?;
        Ok(Self {
            secrets,
            number,
            policy: PartyPolicy::default(),
            part_bytes: PART_BYTES,
            whole: None,
        })
    }

    /// The same mixer, who agrees to what its policy says only.
    #[must_use]
    pub fn with_policy(self, policy: PartyPolicy) -> Self {
        Self { policy, ..self }
    }

    /// The same mixer, who hands in a mix in parts of so many bytes, [`PART_BYTES`] at most.
    #[must_use]
    pub fn with_parts(self, bytes: usize) -> Self {
        Self { part_bytes: bytes.clamp(1, PART_BYTES), ..self }
    }

    /// Mixes every list. Killed and started again, it mixes in the same way.
    fn mix<S: Scheme>(&self, election: &Election<S>) -> Result<Message<S>, SessionError> {
        let ready = election.booth().zip(election.parameters());
        let (booth, parameters) =
            ready.ok_or_else(|| SessionError::Party("there is nothing to mix".to_owned()))?;
        let mix = |list: &BallotList<S::Group>| {
            let context = election.mix_context(list, self.number);
            let state = list.mix_state(context.position, &booth.key);
            let mut rng = self.secrets.rng("mix", state.as_bytes())?;
            let mix = S::mix(parameters, &booth.key, list.columns(), &context, &mut rng);
            mix.map_err(|error| SessionError::Party(error.to_string()))
        };
        let mixes = election.lists().iter().map(mix).collect::<Result<Vec<_>, _>>()?;
        Ok(Message::of_mixes(mixes, election.has_classes()))
    }

    /// The bytes of the mix of a turn.
    fn whole<S: Scheme>(
        &mut self,
        turn: u32,
        election: &Election<S>,
    ) -> Result<&[u8], SessionError> {
        let whole = match self.whole.take() {
            Some((of, whole)) if of == turn => whole,
            _ => self.mix(election)?.to_bytes(),
        };
        Ok(&self.whole.insert((turn, whole)).1)
    }
}

impl<S: Scheme> replay::Party<Election<S>> for Mixer {
    fn identity(&self) -> &Identity {
        self.secrets.identity()
    }

    fn awaited(&self, election: &Election<S>) -> Option<Task> {
        election.task_of(Party { role: Role::Mixer, number: self.number })
    }

    fn perform(
        &mut self,
        task: Task,
        election: &Election<S>,
        rng: &mut impl CryptoRng,
    ) -> Result<Message<S>, SessionError> {
        self.secrets.begin(rng)?;
        match task {
            Task::Ready => self.policy.ready(election, rng),
            Task::Seen => self.policy.seen(election),
            Task::Back => Ok(Message::Back),
            Task::Announce { turn } => {
                Ok(Message::MixHeader(MixHeader::of(turn, self.whole(turn, election)?)))
            }
            Task::Part { turn, index } => {
                let (from, size) = (election.gathered(), self.part_bytes);
                // What the board has of a mix is never longer than it.
                let left = self.whole(turn, election)?.get(from..).unwrap_or_default();
                let bytes = left.iter().take(size).copied().collect();
                Ok(Message::MixPart(MixPart { turn, index, bytes }))
            }
            _ => self.mix(election),
        }
    }

    fn is_done(&self, election: &Election<S>) -> bool {
        match election.phase() {
            Phase::Mixing(turn) => election.rules() == Rules::One && turn > self.number,
            Phase::Decryption | Phase::Finished => true,
            _ => false,
        }
    }
}
