//! A mixer: checks everything so far, permutes and re-encrypts all ballots, proves it.

use board::Identity;
use rand_core::CryptoRng;

use super::{BallotList, Election, Message, Party, Phase, Role, Scheme, Task, trustee::number_of};
use crate::{
    replay::{self, SessionError},
    secrets::RunSecrets,
};

/// A mixer at work. Its permutation is of this run: who has the mixer's key file when the run has ended links
/// nothing with it.
pub struct Mixer {
    secrets: RunSecrets,
    number: u16,
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
        Ok(Self { secrets, number })
    }
}

impl<S: Scheme> replay::Party<Election<S>> for Mixer {
    fn identity(&self) -> &Identity {
        self.secrets.identity()
    }

    fn awaited(&self, election: &Election<S>) -> Option<Task> {
        let me = Party { role: Role::Mixer, number: self.number };
        election.awaited().contains(&me).then_some(Task::Mix)
    }

    fn perform(
        &mut self,
        _task: Task,
        election: &Election<S>,
        rng: &mut impl CryptoRng,
    ) -> Result<Message<S>, SessionError> {
        self.secrets.begin(rng)?;
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

    fn is_done(&self, election: &Election<S>) -> bool {
        match election.phase() {
            Phase::Mixing(turn) => turn > self.number,
            Phase::Decryption | Phase::Finished => true,
            _ => false,
        }
    }
}
