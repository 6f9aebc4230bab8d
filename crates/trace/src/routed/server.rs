//! A mix-server: its secret, and what it does in every step.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use algebra::Group;
use board::Identity;
use rand_core::CryptoRng;
use shuffle::{
    decrypt::{Decryption, PartialDecryption},
    dkg::{
        self, KeyShare, Round1Board, Round1Message, Round2Board, Round2Message, Round3Message,
        TrusteeSecrets,
    },
    tw::{CommittedPermutation, Generators, Permutation, prove_permutation},
};
use wire::{Digest, Encode};
use zeroize::Zeroizing;

use super::{
    Inputs, Member, Mixed, PermutationMessage, Rules, Session, Turn, member::last_lists, mix,
};
use crate::{
    Agreement, Journal, Policy, TraceError, agreement::Subject, parts::encode::digest_of,
    parts::fresh,
};

/// The one secret that a server keeps: 32 bytes from which its part of the key generation and its
/// permutation are derived, and its signing key. Whoever backs it up backs up everything.
#[derive(Clone)]
pub struct ServerSecret {
    seed: Zeroizing<[u8; 32]>,
    signing: Zeroizing<[u8; 32]>,
}

impl ServerSecret {
    /// Draws a secret.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut seed = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *seed);
        Self::from_seed(&seed)
    }

    /// The secret of these 32 bytes, with a signing key that is derived from them.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        let mut rng = fresh::repeatable(seed, "identity", &Digest::from([0; 32]));
        let signing = Identity::generate(&mut rng).to_seed();
        Self { seed: Zeroizing::new(*seed), signing }
    }

    /// The same with the signing key of the party that the server is.
    #[must_use]
    pub fn signing_as(self, identity: &Identity) -> Self {
        Self { signing: identity.to_seed(), ..self }
    }

    /// The secret bytes, to derive from.
    pub fn bytes(&self) -> &[u8; 32] {
        &self.seed
    }

    /// The signing key by which the rules name the server.
    pub fn identity(&self) -> Identity {
        Identity::from_seed(&self.signing)
    }

    /// The server's number in the rules, counted from 1.
    ///
    /// # Errors
    /// [`TraceError::NotAServer`].
    pub fn number(&self, rules: &Rules) -> Result<u16, TraceError> {
        let own = self.identity().id();
        let found = (1..).zip(rules.servers()).find(|(_, server)| **server == own);
        found.map(|(number, _)| number).ok_or(TraceError::NotAServer)
    }

    /// The message of round 1 of the key generation; after a restart the same again.
    ///
    /// # Errors
    /// [`TraceError::NotAServer`].
    pub fn key_round1<G: Group>(&self, rules: &Rules) -> Result<Round1Message<G>, TraceError> {
        Ok(self.commit_key(rules)?.1)
    }

    /// The message of round 2; after a restart the same again.
    ///
    /// # Errors
    /// [`TraceError::NotAServer`], [`TraceError::KeyGeneration`] if the board has another message
    /// of this server.
    pub fn key_round2<G: Group>(
        &self,
        rules: &Rules,
        board: &Round1Board<G>,
    ) -> Result<Round2Message<G>, TraceError> {
        let (secrets, _) = self.commit_key::<G>(rules)?;
        let mut rng = fresh::repeatable(&self.seed, "key/2", board.digest());
        dkg::deal(board, &secrets, &mut rng).map_err(TraceError::KeyGeneration)
    }

    /// The message of round 3; after a restart the same again.
    ///
    /// # Errors
    /// Those of [`ServerSecret::key_round2`].
    pub fn key_round3<G: Group>(
        &self,
        rules: &Rules,
        board: &Round2Board<G>,
    ) -> Result<Round3Message<G>, TraceError> {
        let (secrets, _) = self.commit_key::<G>(rules)?;
        let mut rng = fresh::repeatable(&self.seed, "key/3", board.digest());
        dkg::respond(board, &secrets, &mut rng).map_err(TraceError::KeyGeneration)
    }

    fn commit_key<G: Group>(
        &self,
        rules: &Rules,
    ) -> Result<(TrusteeSecrets<G>, Round1Message<G>), TraceError> {
        let params = rules.key_params()?;
        let statement = Digest::of("trace/rules", &rules.to_bytes());
        let mut rng = fresh::repeatable(&self.seed, "key/1", &statement);
        dkg::commit(&params, self.number(rules)?, &mut rng).map_err(TraceError::KeyGeneration)
    }

    /// This server's share of a session's key.
    pub fn key_share<G: Group>(&self, session: &Session<G>) -> Result<KeyShare<G>, TraceError> {
        let (secrets, _) = self.commit_key::<G>(session.rules())?;
        session.key_share(&secrets).map_err(TraceError::KeyGeneration)
    }
}

/// A server in a session. It does everything that is asked of it at most once, or the same again;
/// what must not be contradicted is in its [`Journal`] before it is returned.
pub struct Server<G: Group> {
    secret: ServerSecret,
    session: Arc<Session<G>>,
    member: Member<G>,
}

impl<G: Group> Server<G> {
    /// Takes up a server's work in a session whose key it helped to make.
    ///
    /// # Errors
    /// [`TraceError::NotAServer`], [`TraceError::KeyGeneration`].
    pub fn new(
        secret: ServerSecret,
        session: Arc<Session<G>>,
        policy: Policy,
    ) -> Result<Self, TraceError> {
        let share = secret.key_share(&session)?;
        let party = (secret.number(session.rules())?, secret.identity());
        let member = Member::new(secret.seed.clone(), party, *session.id(), policy);
        Ok(Self { secret, session, member: member.with_share(share) })
    }

    /// Derives the permutation for an input list, now or again after a restart. A server mixes one
    /// input list in a session and no other: a permutation that is used for two links them.
    ///
    /// # Errors
    /// [`TraceError::Committed`] for a second input list, [`TraceError::Journal`],
    /// [`TraceError::Shuffle`] if there are too few generators.
    pub fn commit(
        &mut self,
        inputs: &Inputs<G>,
        generators: &Generators<G>,
        journal: &mut impl Journal,
    ) -> Result<(), TraceError> {
        self.member.record_once(journal, "the inputs", self.session.id(), inputs.digest())?;
        let mut rng = fresh::repeatable(&self.secret.seed, "permutation", inputs.digest());
        let permutation = Permutation::random(inputs.rows(), &mut rng);
        let committed = CommittedPermutation::commit(permutation, generators, &mut rng);
        let committed =
            committed.map_err(|error| self.member.shuffle_error("permutation", error))?;
        self.member.commit(committed);
        Ok(())
    }

    /// The commitment to the permutation with its proof.
    ///
    /// # Errors
    /// [`TraceError::ForeignPermutation`] before [`Server::commit`].
    pub fn permutation(
        &self,
        generators: &Generators<G>,
        rng: &mut impl CryptoRng,
    ) -> Result<PermutationMessage<G>, TraceError> {
        let committed = self.member.committed()?;
        let commitment = committed.commitment().clone();
        let statement =
            digest_of("trace/permutation", &[self.session.id().as_bytes(), commitment.encoding()]);
        let mut fresh = fresh::hedged(&self.secret.seed, "permutation proof", &statement, rng);
        let context = self.session.mix_name().permutation(self.number());
        let proof = prove_permutation(committed, generators, &context, &mut fresh)
            .map_err(|error| self.member.shuffle_error("permutation", error))?;
        Ok(PermutationMessage { commitment, proof })
    }

    /// Mixes the ballots after the servers before this one, whose turns are `before`, when the
    /// permutations of all servers are there.
    ///
    /// # Errors
    /// [`TraceError::Missing`] out of turn, [`TraceError::Shuffle`].
    pub fn mix(
        &self,
        inputs: &Inputs<G>,
        permutations: &[PermutationMessage<G>],
        before: &[Turn<G>],
        generators: &Generators<G>,
        rng: &mut impl CryptoRng,
    ) -> Result<Turn<G>, TraceError> {
        let purpose = mix::purpose(inputs, permutations)?;
        let occasion = mix::occasion(inputs, generators, &purpose);
        let place = self.member.place(&occasion, before)?;
        let lists = last_lists(inputs.columns(), before);
        occasion.pass(
            self.member.committed()?,
            (self.number(), place),
            lists,
            &self.secret.seed,
            rng,
        )
    }

    /// Signs inputs and mix, once per session.
    ///
    /// # Errors
    /// [`TraceError::Committed`] if it signed another mix, [`TraceError::ForeignPermutation`],
    /// [`TraceError::Journal`].
    pub fn sign_mix(
        &self,
        mixed: &Mixed<G>,
        journal: &mut impl Journal,
    ) -> Result<[u8; 64], TraceError> {
        self.require_own(mixed)?;
        self.member.record_once(journal, "the mix", self.session.id(), mixed.digest())?;
        Ok(Subject::Mix.sign(self.identity(), *mixed.digest()))
    }

    /// Decrypts the outputs partially, for everybody.
    ///
    /// # Errors
    /// [`TraceError::Disagreement`] before all servers signed the mix,
    /// [`TraceError::Decryption`].
    pub fn decrypt(
        &self,
        mixed: &Mixed<G>,
        agreement: &Agreement,
        rng: &mut impl CryptoRng,
    ) -> Result<PartialDecryption<G>, TraceError> {
        self.require_own(mixed)?;
        agreement.verify(Subject::Mix, self.session.rules().servers(), *mixed.digest())?;
        let share = self.share_of_key();
        let share = share.ok_or(TraceError::NoShare { server: self.number() })?;
        let ciphertexts = mixed.ciphertexts();
        let context = mixed.decryption_context();
        let mut fresh = fresh::hedged(&self.secret.seed, "decryption", mixed.digest(), rng);
        Decryption::new(self.session.keys(), &ciphertexts, &context)
            .decrypt_partially(share, &mut fresh)
            .map(|partial| partial.message().clone())
            .map_err(TraceError::Decryption)
    }

    /// Requires that the mix has this server's permutation.
    fn require_own(&self, mixed: &Mixed<G>) -> Result<(), TraceError> {
        let own = usize::from(self.number()).saturating_sub(1);
        let published = mixed.messages().get(own).map(|message| &message.commitment);
        let foreign = TraceError::ForeignPermutation { server: self.number() };
        self.member.require_own(Some(published.ok_or(foreign)?))
    }
}

/// In queries, a server is a member as any other.
impl<G: Group> Deref for Server<G> {
    type Target = Member<G>;

    fn deref(&self) -> &Member<G> {
        &self.member
    }
}

impl<G: Group> DerefMut for Server<G> {
    fn deref_mut(&mut self) -> &mut Member<G> {
        &mut self.member
    }
}
