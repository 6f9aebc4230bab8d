//! A mix-server: its secret, and what it does in every step.

use std::sync::Arc;

use algebra::Group;
use board::Identity;
use rand_core::CryptoRng;
use shuffle::{
    Column,
    decrypt::{Decryption, PartialDecryption},
    dkg::{
        self, KeyShare, Round1Board, Round1Message, Round2Board, Round2Message, Round3Message,
        TrusteeSecrets,
    },
    tw::{CommittedPermutation, Generators, Permutation, prove_permutation},
};
use wire::{Decode, Digest, Encode};
use zeroize::Zeroizing;

use super::{
    Agreed, Blinded, Blinding, Inputs, Mixed, Pass, PermutationMessage, Routed, Rules, SealedShare,
    Session, ShareMessage, Turn, mix, passage::permutation_context, share::seal_context,
};
use crate::{
    Agreement, Journal, Policy, QueryLog, Sealed, TraceError, agreement::Subject,
    encode::digest_of, fresh,
};

/// The one secret that a server keeps: 32 bytes from which its signing key, its part of the key
/// generation and its permutation are derived. Whoever backs it up backs up everything.
pub struct ServerSecret(Zeroizing<[u8; 32]>);

impl ServerSecret {
    /// Draws a secret.
    pub fn generate(rng: &mut impl CryptoRng) -> Self {
        let mut seed = Zeroizing::new([0; 32]);
        rng.fill_bytes(&mut *seed);
        Self(seed)
    }

    /// The secret of a key file, as [`ServerSecret::to_seed`] gives it.
    pub fn from_seed(seed: &[u8; 32]) -> Self {
        Self(Zeroizing::new(*seed))
    }

    /// The 32 secret bytes, for a key file (see [`wire::write_secret`]).
    pub fn to_seed(&self) -> Zeroizing<[u8; 32]> {
        self.0.clone()
    }

    /// The secret bytes, to derive from.
    #[cfg(feature = "gmp")]
    pub(crate) fn bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The signing key by which the rules name the server.
    pub fn identity(&self) -> Identity {
        Identity::generate(&mut fresh::repeatable(&self.0, "identity", &Digest::from([0; 32])))
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
        let mut rng = fresh::repeatable(&self.0, "key/2", board.digest());
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
        let mut rng = fresh::repeatable(&self.0, "key/3", board.digest());
        dkg::respond(board, &secrets, &mut rng).map_err(TraceError::KeyGeneration)
    }

    fn commit_key<G: Group>(
        &self,
        rules: &Rules,
    ) -> Result<(TrusteeSecrets<G>, Round1Message<G>), TraceError> {
        let params = rules.key_params()?;
        let statement = Digest::of("trace/rules", &rules.to_bytes());
        let mut rng = fresh::repeatable(&self.0, "key/1", &statement);
        dkg::commit(&params, self.number(rules)?, &mut rng).map_err(TraceError::KeyGeneration)
    }

    /// This server's share of a session's key.
    pub(crate) fn key_share<G: Group>(
        &self,
        session: &Session<G>,
    ) -> Result<KeyShare<G>, TraceError> {
        let (secrets, _) = self.commit_key::<G>(session.rules())?;
        session.key_share(&secrets).map_err(TraceError::KeyGeneration)
    }
}

/// A server in a session. It does everything that is asked of it at most once, or the same again;
/// what must not be contradicted is in its [`Journal`] before it is returned.
pub struct Server<G: Group> {
    secret: ServerSecret,
    identity: Identity,
    number: u16,
    session: Arc<Session<G>>,
    share: KeyShare<G>,
    policy: Policy,
    log: QueryLog<G>,
    committed: Option<CommittedPermutation<G>>,
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
        let (number, identity) = (secret.number(session.rules())?, secret.identity());
        let log = QueryLog::default();
        Ok(Self { secret, identity, number, session, share, policy, log, committed: None })
    }

    /// The server's number, counted from 1.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The queries that it admitted.
    pub fn log(&self) -> &QueryLog<G> {
        &self.log
    }

    /// Takes up the log of the queries that were agreed on before a restart.
    pub fn resume(&mut self, log: QueryLog<G>) {
        self.log = log;
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
        self.record_once(journal, "the inputs", self.session.id(), inputs.digest())?;
        let mut rng = fresh::repeatable(&self.secret.0, "permutation", inputs.digest());
        let permutation = Permutation::random(inputs.rows(), &mut rng);
        let committed = CommittedPermutation::commit(permutation, generators, &mut rng);
        self.committed = Some(committed.map_err(|error| self.shuffle_error("permutation", error))?);
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
        let committed = self.committed()?;
        let commitment = committed.commitment().clone();
        let statement =
            digest_of("trace/permutation", &[self.session.id().as_bytes(), commitment.encoding()]);
        let mut fresh = fresh::hedged(&self.secret.0, "permutation proof", &statement, rng);
        let context = permutation_context(self.session.id(), self.number);
        let proof = prove_permutation(committed, generators, &context, &mut fresh)
            .map_err(|error| self.shuffle_error("permutation", error))?;
        Ok(PermutationMessage { commitment, proof })
    }

    /// Mixes the ballots after the servers before this one, whose turns are `before`.
    ///
    /// # Errors
    /// [`TraceError::Missing`] out of turn, [`TraceError::Shuffle`].
    pub fn mix(
        &self,
        inputs: &Inputs<G>,
        before: &[Turn<G>],
        generators: &Generators<G>,
        rng: &mut impl CryptoRng,
    ) -> Result<Turn<G>, TraceError> {
        let occasion = mix::occasion(inputs, generators);
        let place = self.place(&occasion, before)?;
        let lists = last_lists(inputs.columns(), before);
        occasion.pass(self.committed()?, (self.number, place), lists, &self.secret.0, rng)
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
        self.record_once(journal, "the mix", self.session.id(), mixed.digest())?;
        Ok(Subject::Mix.sign(&self.identity, *mixed.digest()))
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
        let ciphertexts = mixed.ciphertexts();
        let context = mixed.decryption_context();
        let mut fresh = fresh::hedged(&self.secret.0, "decryption", mixed.digest(), rng);
        Decryption::new(self.session.keys(), &ciphertexts, &context)
            .decrypt_partially(&self.share, &mut fresh)
            .map(|partial| partial.message().clone())
            .map_err(TraceError::Decryption)
    }

    /// Passes a query's markers on, after the servers whose turns are `before`, if the policy
    /// admits it. After a crash the turn starts anew, with fresh randomness, until this server has
    /// signed the query.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Missing`] out of turn, [`TraceError::Committed`] for
    /// a query that it signed, [`TraceError::Journal`], [`TraceError::Shuffle`].
    pub fn pass_on(
        &mut self,
        pass: &Pass<G>,
        before: &[Turn<G>],
        journal: &impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<Turn<G>, TraceError> {
        self.admit(pass)?;
        self.require_unsigned(pass.query().id(), journal)?;
        let occasion = pass.occasion();
        let place = self.place(&occasion, before)?;
        let lists = last_lists(pass.markers(), before);
        occasion.pass(self.committed()?, (self.number, place), lists, &self.secret.0, rng)
    }

    /// Blinds the sums of a query whose lists are all verified. Fresh for every attempt.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Committed`] for a query that it signed,
    /// [`TraceError::Journal`].
    pub fn blind(
        &mut self,
        routed: &Routed<G>,
        journal: &impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<Blinding<G>, TraceError> {
        self.admit(routed.pass())?;
        self.require_unsigned(routed.pass().query().id(), journal)?;
        Ok(Blinding::new(routed, self.number, &self.secret.0, rng))
    }

    /// Signs a query with its lists, proofs and blinded sums: one digest for each query id, stored
    /// before it is sent.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Committed`] if it signed another digest,
    /// [`TraceError::Journal`].
    pub fn sign_query(
        &mut self,
        blinded: &Blinded<G>,
        journal: &mut impl Journal,
    ) -> Result<[u8; 64], TraceError> {
        let pass = blinded.routed().pass();
        self.admit(pass)?;
        self.record_once(journal, "the query", pass.query().id(), blinded.digest())?;
        Ok(Subject::Query.sign(&self.identity, *blinded.digest()))
    }

    /// The share of a request's answer, sealed to its querier. Asked again, it is the same
    /// message.
    ///
    /// # Errors
    /// [`TraceError::Committed`] if this server signed another digest for the query, or none;
    /// [`TraceError::Journal`], [`TraceError::Decryption`].
    pub fn share(
        &mut self,
        agreed: &Agreed<G>,
        request: usize,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<SealedShare<G>, TraceError> {
        self.admit(agreed.pass())?;
        let id = agreed.pass().query().id();
        let signed = self.load(journal, "the query", id)?;
        if signed.as_deref() != Some(agreed.digest().as_bytes().as_slice()) {
            return Err(self.committed_error("the query"));
        }
        let message_id = digest_of("trace/share/journal", &[id.as_bytes(), &request.to_le_bytes()]);
        if let Some(sent) = self.load(journal, "a share", &message_id)? {
            return self.decode_share(&sent);
        }
        let statement = Digest::of("trace/share", &agreed.share_context(request));
        let mut fresh = fresh::hedged(&self.secret.0, "share", &statement, rng);
        let author = (self.number, &self.identity);
        let message = ShareMessage::new(agreed, request, author, &self.share, &mut fresh)?;
        let context = seal_context(agreed, request, self.number);
        let key = agreed.pass().request(request)?.key;
        let message = Zeroizing::new(message.to_bytes());
        let sealed = Sealed::seal(&key, &context, &message, &mut fresh)?;
        let share = SealedShare { server: self.number, sealed };
        let key = self.journal_key("a share", &message_id);
        let stored = journal.record(&key, &share.to_bytes());
        self.decode_share(&stored.map_err(|error| self.journal_error(error))?)
    }

    fn decode_share(&self, bytes: &[u8]) -> Result<SealedShare<G>, TraceError> {
        SealedShare::from_bytes(bytes).map_err(|error| self.journal_error(error))
    }

    /// Admits a query of a session that this server mixed.
    fn admit(&mut self, pass: &Pass<G>) -> Result<(), TraceError> {
        self.require_own(pass.outputs().mixed())?;
        self.log.admit(&self.policy, pass.query(), pass.outputs().class_of())
    }

    fn committed(&self) -> Result<&CommittedPermutation<G>, TraceError> {
        self.committed.as_ref().ok_or(TraceError::ForeignPermutation { server: self.number })
    }

    /// Requires that the mix has the permutation that this server made: with another in its place,
    /// no honest server might have mixed at all.
    fn require_own(&self, mixed: &Mixed<G>) -> Result<(), TraceError> {
        let number = usize::from(self.number).saturating_sub(1);
        let published = mixed.messages().get(number).map(|message| &message.commitment);
        match published == Some(self.committed()?.commitment()) {
            true => Ok(()),
            false => Err(TraceError::ForeignPermutation { server: self.number }),
        }
    }

    fn place(
        &self,
        occasion: &super::passage::Occasion<'_, G>,
        before: &[Turn<G>],
    ) -> Result<usize, TraceError> {
        let (place, servers) = (before.len(), self.session.servers());
        let own = place < servers && occasion.server_at(place, servers) == self.number;
        let places = 0..servers;
        let expected =
            places.into_iter().find(|&place| occasion.server_at(place, servers) == self.number);
        match own {
            true => Ok(place),
            false => Err(TraceError::Missing {
                what: "turns",
                expected: expected.unwrap_or(servers),
                got: place,
            }),
        }
    }

    /// Stores a digest under a subject; refuses if there is another.
    fn record_once(
        &self,
        journal: &mut impl Journal,
        what: &'static str,
        subject: &Digest,
        digest: &Digest,
    ) -> Result<(), TraceError> {
        let key = self.journal_key(what, subject);
        let stored = journal.record(&key, digest.as_bytes());
        match stored.map_err(|error| self.journal_error(error))? == digest.as_bytes() {
            true => Ok(()),
            false => Err(self.committed_error(what)),
        }
    }

    fn require_unsigned(&self, query: &Digest, journal: &impl Journal) -> Result<(), TraceError> {
        match self.load(journal, "the query", query)? {
            None => Ok(()),
            Some(_) => Err(self.committed_error("the query")),
        }
    }

    fn load(
        &self,
        journal: &impl Journal,
        what: &'static str,
        subject: &Digest,
    ) -> Result<Option<Vec<u8>>, TraceError> {
        journal.load(&self.journal_key(what, subject)).map_err(|error| self.journal_error(error))
    }

    fn journal_key(&self, what: &str, subject: &Digest) -> Digest {
        let session = self.session.id().as_bytes();
        digest_of("trace/journal", &[session, what.as_bytes(), subject.as_bytes()])
    }

    fn journal_error(&self, error: impl ToString) -> TraceError {
        TraceError::Journal { server: self.number, reason: error.to_string() }
    }

    fn committed_error(&self, what: &'static str) -> TraceError {
        TraceError::Committed { server: self.number, what }
    }

    fn shuffle_error(&self, stage: &'static str, error: shuffle::ShuffleError) -> TraceError {
        TraceError::Shuffle { stage, server: self.number, error }
    }
}

fn last_lists<'a, G: Group>(start: &'a [Column<G>], turns: &'a [Turn<G>]) -> &'a [Column<G>] {
    turns.last().map_or(start, |turn| &turn.columns)
}
