//! A trustee: takes part in the key generation, checks everything, decrypts.

use board::Identity;
use rand_core::CryptoRng;
use shuffle::{
    ThresholdError,
    dkg::{self, KeyShare, TrusteeSecrets},
};
use wire::Digest;

use super::{
    BallotList, Election, Message, Party, PartyPolicy, Phase, Role, Scheme, Task,
    keygen::KeyGeneration, lists::decryption_context,
};
use crate::{
    replay::{self, SessionError},
    secrets::RunSecrets,
};

/// A trustee at work. Its polynomial and its transport key are of this run: who has the trustee's key file when the
/// run has ended decrypts nothing with it.
pub struct Trustee {
    secrets: RunSecrets,
    number: u16,
    policy: PartyPolicy,
}

impl Trustee {
    /// Takes up the work of the trustee whose secrets these are.
    ///
    /// # Errors
    /// [`SessionError::NotAParty`].
    pub fn new<S: Scheme>(
        secrets: RunSecrets,
        election: &Election<S>,
    ) -> Result<Self, SessionError> {
        let number = number_of(secrets.identity(), Role::Trustee, "trustee", election)?;
        Ok(Self { secrets, number, policy: PartyPolicy::default() })
    }

    /// The same trustee, who agrees to what its policy says only.
    #[must_use]
    pub fn with_policy(self, policy: PartyPolicy) -> Self {
        Self { policy, ..self }
    }

    /// The polynomial and transport key, the same at every call.
    fn secrets<S: Scheme>(
        &self,
        election: &Election<S>,
        params: &dkg::DkgParams,
    ) -> Result<Committed<S::Group>, SessionError> {
        let mut rng = self.secrets.rng("key/commitments", election.session().as_bytes())?;
        dkg::commit(params, self.number, &mut rng).map_err(failed)
    }

    fn generate_key<S: Scheme>(
        &self,
        election: &Election<S>,
        keygen: &KeyGeneration<S>,
    ) -> Result<Message<S>, SessionError> {
        let (secrets, message) = self.secrets(election, keygen.params())?;
        let rng = |round, seen: &Digest| self.secrets.rng(round, seen.as_bytes());
        if let Some(board) = keygen.round1() {
            let mut rng = rng("key/shares", board.digest())?;
            return dkg::deal(board, &secrets, &mut rng).map(Message::KeyRound2).map_err(failed);
        }
        if let Some(board) = keygen.round2() {
            let mut rng = rng("key/verdicts", board.digest())?;
            return dkg::respond(board, &secrets, &mut rng).map(Message::KeyRound3).map_err(failed);
        }
        Ok(Message::KeyRound1(message))
    }

    /// The part of the key that is this trustee's.
    ///
    /// # Errors
    /// [`SessionError::Party`] before the trustees have a key, and if none was dealt to this one.
    pub(crate) fn key_share<S: Scheme>(
        &self,
        election: &Election<S>,
    ) -> Result<KeyShare<S::Group>, SessionError> {
        let keys = election.dealt().zip(election.keys());
        let (dealt, keys) = keys.ok_or_else(no_key)?;
        let (secrets, _) = self.secrets(election, dealt.round1().params())?;
        KeyShare::derive(keys, dealt, &secrets).map_err(failed)
    }

    fn decrypt<S: Scheme>(&self, election: &Election<S>) -> Result<Message<S>, SessionError> {
        let share = self.key_share(election)?;
        let mut state = Vec::new();
        let columns = election.lists().iter().flat_map(BallotList::columns);
        columns.for_each(|column| column.encode(&mut state));
        if election.has_classes() {
            // Whose the ciphertexts are is part of what is proven.
            let context = election.context().ok_or_else(no_key)?;
            state.extend(decryption_context(&context, election.lists()));
        }
        let state = Digest::of("subrosa/election/decryption/v1", &state);
        let mut rng = self.secrets.rng("decryption", state.as_bytes())?;
        let partial = election.with_decryption(|list| list.decrypt_partially(&share, &mut rng));
        let partial = partial.ok_or_else(no_key)?.map_err(failed)?;
        Ok(Message::Decryption(partial.message().clone()))
    }
}

type Committed<G> = (TrusteeSecrets<G>, dkg::Round1Message<G>);

impl<S: Scheme> replay::Party<Election<S>> for Trustee {
    fn identity(&self) -> &Identity {
        self.secrets.identity()
    }

    fn awaited(&self, election: &Election<S>) -> Option<Task> {
        election.task_of(Party { role: Role::Trustee, number: self.number })
    }

    fn perform(
        &mut self,
        task: Task,
        election: &Election<S>,
        rng: &mut impl CryptoRng,
    ) -> Result<Message<S>, SessionError> {
        if task == Task::Key(1) {
            self.secrets.begin(rng)?;
        }
        match (task, election.key_generation()) {
            (Task::Ready, _) => self.policy.ready(election, rng),
            (Task::Seen, _) => self.policy.seen(election),
            (_, Some(keygen)) => self.generate_key(election, keygen),
            (_, None) => self.decrypt(election),
        }
    }

    fn is_done(&self, election: &Election<S>) -> bool {
        match election.phase() {
            Phase::Finished => true,
            Phase::Decryption => {
                let me = Party { role: Role::Trustee, number: self.number };
                !election.awaited().contains(&me)
            }
            _ => false,
        }
    }
}

/// The number of the party of a role that signs with this key.
pub(super) fn number_of<S: Scheme>(
    identity: &Identity,
    role: Role,
    name: &'static str,
    election: &Election<S>,
) -> Result<u16, SessionError> {
    let key = identity.id();
    match election.setup().parties.party(&key) {
        Some(party) if party.role == role => Ok(party.number),
        _ => Err(SessionError::NotAParty { key, role: name }),
    }
}

fn no_key() -> SessionError {
    SessionError::Party("there is no key yet".to_owned())
}

fn failed(error: ThresholdError) -> SessionError {
    SessionError::Party(error.to_string())
}
