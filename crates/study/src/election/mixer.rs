//! A mixer: checks everything so far, permutes and re-encrypts all ballots, proves it.

use board::Identity;
use shuffle::Mix;
use wire::Digest;

use super::{
    Election, Message, Participant, Party, PartySecret, Phase, Role, SessionError,
    trustee::number_of,
};

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
    pub fn new(secret: PartySecret, election: &Election) -> Result<Self, SessionError> {
        let identity = secret.identity();
        let number = number_of(&identity, Role::Mixer, "mixer", election)?;
        Ok(Self { secret, identity, number })
    }
}

impl Participant for Mixer {
    fn identity(&self) -> &Identity {
        &self.identity
    }

    fn act(&mut self, election: &Election) -> Result<Option<Message>, SessionError> {
        if !election.awaited().contains(&Party { role: Role::Mixer, number: self.number }) {
            return Ok(None);
        }
        let Some(booth) = election.booth() else { return Ok(None) };
        let inputs = election.columns();
        let context = election.mix_context(self.number);
        // Another key, other inputs or another place never meet the same permutation and masks.
        let mut state = context.position.to_le_bytes().to_vec();
        state.extend(algebra::Group::encode(&booth.key.point()));
        inputs.iter().for_each(|column| column.encode(&mut state));
        let state = Digest::of("subrosa/election/mix/v1", &state);
        let mut rng = self.secret.rng(&election.id(), "mix", state.as_bytes());
        let mix = Mix::new(&booth.key, inputs, election.generators(), &context, &mut rng);
        mix.map(|mix| Some(Message::Mix(mix)))
            .map_err(|error| SessionError::Party(error.to_string()))
    }

    fn is_done(&self, election: &Election) -> bool {
        match election.phase() {
            Phase::Mixing(turn) => turn > self.number,
            Phase::Decryption | Phase::Finished => true,
            _ => false,
        }
    }
}
