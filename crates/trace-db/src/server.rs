//! A mix-server: its secrets, and what it does in key generation and mix. What it does in queries
//! stands with DB-SM and DB-RSM.

use std::sync::Arc;

use algebra::Group as _;
use board::Identity;
use rand_chacha::ChaCha20Rng;
use rand_core::CryptoRng;
use shuffle::{
    SecretKey,
    decrypt::{Decryption, PartialDecryption},
    dkg::KeyShare,
    tw::{CommittedPermutation, Generators, Permutation, prove_permutation},
};
use wire::Digest;
use zeroize::Zeroizing;

use super::{
    Committed, Inputs, Mixed, PaillierTurn, Pass, Session,
    bases::{F, G1, G2},
    mix::{occasion, purpose, verify_turns},
    paillier,
    session::sealing_key,
};
use trace::{
    Agreement, Journal, Policy, QueryLog, TraceError,
    parts::{Admission, Ledger, Subject, encode::digest_of, fresh},
    routed::{PermutationMessage, ServerSecret, passage::Occasion},
};

/// A server in a session. Whatever it must not contradict is in its [`Journal`] before it is
/// returned. Keys and permutation are derived from its secret and what they are for; what hides it in
/// a pass, from seeds that the journal keeps, too.
pub struct Server {
    secret: ServerSecret,
    identity: Identity,
    number: u16,
    session: Arc<Session>,
    share: KeyShare<G1>,
    paillier: paillier::KeyShare,
    sealing: SecretKey<G1>,
    admission: Admission<G1>,
    ledger: Ledger,
    committed: Option<CommittedPermutation<G1>>,
    own: Option<OwnShares>,
}

/// A server's shares of v and r, in input order.
struct OwnShares {
    values: Zeroizing<Vec<F>>,
    blindings: Zeroizing<Vec<F>>,
}

impl Server {
    /// Takes up a server's work in a session whose keys it helped to make. Its share of the
    /// Paillier key comes from the dealer, or from its contribution.
    ///
    /// # Errors
    /// [`TraceError::NotAServer`], [`TraceError::KeyGeneration`].
    pub fn new(
        secret: ServerSecret,
        session: Arc<Session>,
        paillier: paillier::KeyShare,
        policy: Policy,
    ) -> Result<Self, TraceError> {
        let share = secret.key_share(session.base())?;
        let (number, identity) = (secret.number(session.rules())?, secret.identity());
        if paillier.server() != number {
            return Err(TraceError::NotAServer);
        }
        let sealing = sealing_key(&secret, session.base());
        let admission = Admission::new(*session.id(), number, policy);
        let ledger = Ledger::new("trace/db/journal", *session.id(), number);
        Ok(Self {
            secret,
            identity,
            number,
            session,
            share,
            paillier,
            sealing,
            admission,
            ledger,
            committed: None,
            own: None,
        })
    }

    /// The server's number, counted from 1.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The queries that it admitted and signed, now or before a restart, as of the last one that
    /// it worked on.
    pub fn log(&self) -> &QueryLog<G1> {
        self.admission.log()
    }

    /// Derives the permutation for an input list, now or again after a restart, and opens this
    /// server's shares of all values. The rows are returned whose shares were not sealed to it: it
    /// goes on with zeros there, and proofs about them will fail.
    ///
    /// # Errors
    /// [`TraceError::Committed`] for a second input list, [`TraceError::Journal`],
    /// [`TraceError::Shuffle`] if there are too few generators.
    pub fn commit_permutation(
        &mut self,
        inputs: &Inputs,
        generators: &Generators<G1>,
        journal: &mut impl Journal,
    ) -> Result<Vec<u32>, TraceError> {
        self.ledger.record_once(journal, "the inputs", self.session.id(), inputs.digest())?;
        let mut rng = fresh::repeatable(self.secret(), "permutation", inputs.digest());
        let permutation = Permutation::random(inputs.rows(), &mut rng);
        let committed = CommittedPermutation::commit(permutation, generators, &mut rng);
        self.committed = Some(committed.map_err(|error| self.shuffle_error("permutation", error))?);
        Ok(self.open_shares(inputs))
    }

    fn open_shares(&mut self, inputs: &Inputs) -> Vec<u32> {
        let mut own = OwnShares {
            values: Zeroizing::new(Vec::with_capacity(inputs.rows())),
            blindings: Zeroizing::new(Vec::with_capacity(inputs.rows())),
        };
        let mut unopened = Vec::new();
        for (row, submission) in (0..).zip(inputs.submissions()) {
            let shares = submission.open_shares(&self.session, self.number, &self.sealing);
            if shares.is_none() {
                unopened.push(row);
            }
            // Zeros keep the rows in step. They are not the shares of the row's commitment: nothing is proven of it,
            // and whoever asked is told that it is unopened.
            let [value, blinding] = *shares.unwrap_or_default();
            own.values.push(value);
            own.blindings.push(blinding);
        }
        self.own = Some(own);
        unopened
    }

    /// The commitment to the permutation with its proof.
    ///
    /// # Errors
    /// [`TraceError::ForeignPermutation`] before [`Server::commit_permutation`].
    pub fn prove_permutation(
        &self,
        generators: &Generators<G1>,
        rng: &mut impl CryptoRng,
    ) -> Result<PermutationMessage<G1>, TraceError> {
        let committed = self.permutation()?;
        let commitment = committed.commitment().clone();
        let parts = [self.session.id().as_bytes(), commitment.encoding()];
        let statement = digest_of("trace/db/permutation", &parts);
        let mut fresh = fresh::hedged(self.secret(), "permutation proof", &statement, rng);
        let context = self.session.base().mix_name().permutation(self.number);
        let proof = prove_permutation(committed, generators, &context, &mut fresh)
            .map_err(|error| self.shuffle_error("permutation", error))?;
        Ok(PermutationMessage { commitment, proof })
    }

    /// Mixes the submissions after the servers before this one, whose turns are `before`, if these
    /// hold: a list that no honest server made could be marked. `permutations` are the messages of all
    /// servers.
    ///
    /// # Errors
    /// [`TraceError::Missing`] out of turn; [`TraceError::Shuffle`], [`TraceError::Engine`] or
    /// [`TraceError::Step`] naming the first server before whose permutation or turn is false.
    pub fn mix(
        &self,
        inputs: &Inputs,
        permutations: &[PermutationMessage<G1>],
        before: &[PaillierTurn],
        generators: &Generators<G1>,
        rng: &mut impl CryptoRng,
    ) -> Result<PaillierTurn, TraceError> {
        self.require_turn(before.len())?;
        verify_turns(inputs, permutations, before, generators)?;
        let list = before.last().map_or(inputs.values(), PaillierTurn::list);
        let (committed, secret) = (self.permutation()?, self.secret());
        let purpose = purpose(inputs, permutations)?;
        occasion(&self.session, generators, &purpose).pass(
            committed,
            self.number,
            list,
            secret,
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
        mixed: &Mixed,
        journal: &mut impl Journal,
    ) -> Result<[u8; 64], TraceError> {
        self.require_own(mixed)?;
        self.ledger.record_once(journal, "the mix", self.session.id(), mixed.digest())?;
        Ok(Subject::Mix.sign(&self.identity, *mixed.digest()))
    }

    /// Decrypts the outputs partially, for everybody.
    ///
    /// # Errors
    /// [`TraceError::Disagreement`] before all servers signed the mix, [`TraceError::Engine`].
    pub fn decrypt(
        &self,
        mixed: &Mixed,
        agreement: &Agreement,
        rng: &mut impl CryptoRng,
    ) -> Result<paillier::PartialDecryption, TraceError> {
        self.require_own(mixed)?;
        agreement.verify(Subject::Mix, self.session.rules().servers(), *mixed.digest())?;
        self.decrypt_integers("decryption of outputs", mixed.digest(), mixed.last(), rng)
    }

    pub(super) fn decrypt_integers(
        &self,
        step: &'static str,
        statement: &Digest,
        ciphertexts: &paillier::Ciphertexts,
        rng: &mut impl CryptoRng,
    ) -> Result<paillier::PartialDecryption, TraceError> {
        let context = paillier::Context {
            session: self.session.id().as_bytes(),
            purpose: statement.as_bytes(),
            server: self.number,
        };
        let mut fresh = fresh::hedged(self.secret(), "paillier decryption", statement, rng);
        self.paillier
            .decrypt(self.session.paillier(), &context, ciphertexts, &mut fresh)
            .map_err(|error| TraceError::engine(step, error.culprit(), error))
    }

    pub(super) fn decrypt_points(
        &self,
        decryption: &Decryption<'_, G1>,
        statement: &Digest,
        rng: &mut impl CryptoRng,
    ) -> Result<PartialDecryption<G1>, TraceError> {
        let mut fresh = fresh::hedged(self.secret(), "decryption", statement, rng);
        decryption
            .decrypt_partially(&self.share, &mut fresh)
            .map(|partial| partial.message().clone())
            .map_err(TraceError::Decryption)
    }

    /// Judges a pass over a mix in which this server has its part.
    pub(super) fn check(&mut self, pass: &Pass, journal: &impl Journal) -> Result<(), TraceError> {
        self.require_own(pass.outputs().mixed())?;
        self.admission.check(pass.query(), pass.outputs().class_of(), journal)
    }

    pub(super) fn secret(&self) -> &[u8; 32] {
        self.secret.bytes()
    }

    /// A generator for a step of a pass, drawn when the step is first done and kept in the journal
    /// from before anything of it is sent: neither a restored journal nor a stuck system generator
    /// answers two statements with one nonce.
    pub(super) fn draw(
        &self,
        (step, pass): (&'static str, &Pass),
        statement: &Digest,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<ChaCha20Rng, TraceError> {
        let seed = self.ledger.seed(journal, step, pass.id(), rng)?;
        Ok(fresh::kept(self.secret(), step, statement, &seed))
    }

    /// The generator that [`Server::draw`] gave, from the journal.
    pub(super) fn drawn(
        &self,
        (step, pass): (&'static str, &Pass),
        statement: &Digest,
        journal: &impl Journal,
    ) -> Result<ChaCha20Rng, TraceError> {
        let seed = self.ledger.drawn_seed(journal, step, pass.id())?;
        Ok(fresh::kept(self.secret(), step, statement, &seed))
    }

    pub(super) fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The key that opens what is sealed to this server.
    pub(super) fn sealing(&self) -> &SecretKey<G1> {
        &self.sealing
    }

    /// This server's shares of v and r, in input order.
    pub(super) fn own_shares(&self) -> Result<(&[F], &[F]), TraceError> {
        let own = self.own.as_ref();
        let own = own.ok_or(TraceError::ForeignPermutation { server: self.number })?;
        Ok((&own.values, &own.blindings))
    }

    pub(super) fn permutation(&self) -> Result<&CommittedPermutation<G1>, TraceError> {
        self.committed.as_ref().ok_or(TraceError::ForeignPermutation { server: self.number })
    }

    /// A message that is revealed when all servers have committed to theirs.
    pub(super) fn commit<M>(&self, message: M, commitment: Digest) -> Committed<M> {
        Committed::new(message, commitment, self.number, self.session.servers())
    }

    /// Requires that the mix has the permutation that this server made.
    fn require_own(&self, mixed: &Mixed) -> Result<(), TraceError> {
        let number = usize::from(self.number).saturating_sub(1);
        let published = mixed.messages().get(number).map(|message| &message.commitment);
        match published == Some(self.permutation()?.commitment()) {
            true => Ok(()),
            false => Err(TraceError::ForeignPermutation { server: self.number }),
        }
    }

    /// This server's place in a chain that goes forwards.
    pub(super) fn require_turn(&self, place: usize) -> Result<(), TraceError> {
        let expected = usize::from(self.number).saturating_sub(1);
        match place == expected {
            true => Ok(()),
            false => Err(TraceError::Missing { what: "turns", expected, got: place }),
        }
    }

    pub(super) fn place(
        &self,
        occasion: &Occasion<'_, G1>,
        before: usize,
    ) -> Result<usize, TraceError> {
        let servers = self.session.servers();
        let mut places = 0..servers;
        let own = places.find(|&place| occasion.server_at(place, servers) == self.number);
        match own == Some(before) {
            true => Ok(before),
            false => {
                // A server of the session has a place; one that has none comes after all others.
                let expected = own.unwrap_or(servers);
                Err(TraceError::Missing { what: "turns", expected, got: before })
            }
        }
    }

    /// Signs the digest of a pass, once, stored before it is sent; and no second pass under the
    /// same key y of its querier. From now on its query counts against the policy, answered or not.
    pub(super) fn sign_pass(
        &mut self,
        pass: &Pass,
        key: &G2,
        digest: &Digest,
        journal: &mut impl Journal,
    ) -> Result<[u8; 64], TraceError> {
        self.require_own(pass.outputs().mixed())?;
        self.admission.enter(pass.query(), pass.outputs().class_of(), journal)?;
        let key = key.encode();
        let used = digest_of("trace/db/key", &[pass.request().querier.as_bytes(), &key]);
        self.ledger.record_once(journal, "the key of a pass", &used, pass.id())?;
        self.ledger.record_once(journal, "the pass", pass.id(), digest)?;
        Ok(Subject::Query.sign(&self.identity, *digest))
    }

    pub(super) fn require_unsigned(
        &self,
        pass: &Digest,
        journal: &impl Journal,
    ) -> Result<(), TraceError> {
        self.ledger.require_none(journal, "the pass", pass)
    }

    pub(super) fn require_signed(
        &self,
        pass: &Digest,
        digest: &Digest,
        journal: &impl Journal,
    ) -> Result<(), TraceError> {
        self.ledger.require(journal, "the pass", pass, digest)
    }

    /// Answers one challenge in a pass, and no other.
    pub(super) fn record_challenge(
        &self,
        pass: &Digest,
        announced: &Digest,
        journal: &mut impl Journal,
    ) -> Result<(), TraceError> {
        self.ledger.record_once(journal, "the challenge", pass, announced)
    }

    pub(super) fn shuffle_error(
        &self,
        stage: &'static str,
        error: shuffle::ShuffleError,
    ) -> TraceError {
        TraceError::Shuffle { stage, server: self.number, error }
    }
}
