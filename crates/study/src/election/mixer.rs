//! A mixer: checks everything so far, permutes and re-encrypts all ballots, proves it.

use board::Identity;
use rand_core::CryptoRng;

use super::{
    BallotList, Election, Message, Party, PartySecret, Phase, Role, Scheme, Task,
    trustee::number_of,
};
use crate::replay::{self, SessionError};

/// A mixer at work.
pub struct Mixer {
    secret: PartySecret,
    identity: Identity,
    number: u16,
}

impl Mixer {
    /// Takes up the work of the mixer whose key this is.
    ///
    /// # Errors
    /// [`SessionError::NotAParty`].
    pub fn new<S: Scheme>(
        secret: PartySecret,
        election: &Election<S>,
    ) -> Result<Self, SessionError> {
        let identity = secret.identity();
        let number = number_of(&identity, Role::Mixer, "mixer", election)?;
        Ok(Self { secret, identity, number })
    }
}

impl<S: Scheme> replay::Party<Election<S>> for Mixer {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn awaited(&self, election: &Election<S>) -> Option<Task> {
        let me = Party { role: Role::Mixer, number: self.number };
        election.awaited().contains(&me).then_some(Task::Mix)
    }

    fn perform(
        &mut self,
        _task: Task,
        election: &Election<S>,
        _rng: &mut impl CryptoRng,
    ) -> Result<Message<S>, SessionError> {
        let ready = election.booth().zip(election.parameters());
        let (booth, parameters) =
            ready.ok_or_else(|| SessionError::Party("there is nothing to mix".to_owned()))?;
        let mix = |list: &BallotList<S::Group>| {
            let context = election.mix_context(list, self.number);
            let state = list.mix_state(context.position, &booth.key);
            let mut rng = self.secret.rng(&election.id(), "mix", state.as_bytes());
            let mix = S::mix(parameters, &booth.key, list.columns(), &context, &mut rng);
            mix.map_err(|error| SessionError::Party(error.to_string()))
        };
        let mixes = election.lists().iter().map(mix).collect::<Result<Vec<_>, _>>()?;
        Ok(Message::of_mixes(mixes, election.has_classes()))
    }

    fn is_done(&self, election: &Election<S>) -> bool {
        match election.phase() {
            Phase::Mixing(turn) => turn > self.number,
            Phase::Decryption | Phase::Finished => true,
            _ => false,
        }
    }
}
