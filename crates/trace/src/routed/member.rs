//! A party of queries: what it does from the first marker to the sealed share.

use algebra::Group;
use board::Identity;
use rand_core::CryptoRng;
use shuffle::{
    Column, PointList,
    dkg::KeyShare,
    tw::{CommittedPermutation, VerifiedPermutation},
};
use wire::{Decode, Digest, Encode};
use zeroize::Zeroizing;

use super::{
    Agreed, Blinded, Blinding, Pass, Routed, SealedShare, ShareMessage, Turn, passage::Occasion,
    share::seal_context,
};
use crate::{
    Journal, Policy, QueryLog, Sealed, TraceError, agreement::Subject, parts::Admission,
    parts::Ledger, parts::encode::digest_of, parts::fresh,
};

/// A party of the queries about one mix: a mixer with its permutation, a trustee with its part of
/// the key, or both in one. What it must not contradict is in its [`Journal`] before it is
/// returned.
pub struct Member<G: Group> {
    secret: Zeroizing<[u8; 32]>,
    identity: Identity,
    number: u16,
    session: Digest,
    ledger: Ledger,
    share: Option<KeyShare<G>>,
    committed: Option<CommittedPermutation<G>>,
    admission: Admission<G>,
}

impl<G: Group> Member<G> {
    /// Takes up the work of signer `number`, counted from 1, in queries about `session`. All its
    /// fresh randomness is hedged with `secret`.
    pub fn new(
        secret: Zeroizing<[u8; 32]>,
        (number, identity): (u16, Identity),
        session: Digest,
        policy: Policy,
    ) -> Self {
        let admission = Admission::new(session, number, policy);
        let ledger = Ledger::new("trace/journal", session, number);
        Self { secret, identity, number, session, ledger, share: None, committed: None, admission }
    }

    /// Takes the part of the key that it decrypts with.
    pub fn with_share(self, share: KeyShare<G>) -> Self {
        Self { share: Some(share), ..self }
    }

    /// Takes the permutation with which it mixed, and no other: [`Member::pass_on`] refuses a mix
    /// with another commitment in its place.
    pub fn with_permutation(self, committed: CommittedPermutation<G>) -> Self {
        Self { committed: Some(committed), ..self }
    }

    pub(super) fn commit(&mut self, committed: CommittedPermutation<G>) {
        self.committed = Some(committed);
    }

    /// The party's number, counted from 1.
    pub fn number(&self) -> u16 {
        self.number
    }

    /// The key that it signs with.
    pub fn identity(&self) -> &Identity {
        &self.identity
    }

    /// The queries that it admitted and signed, now or before a restart, as of the last one that
    /// it worked on.
    pub fn log(&self) -> &QueryLog<G> {
        self.admission.log()
    }

    pub(super) fn share_of_key(&self) -> Option<&KeyShare<G>> {
        self.share.as_ref()
    }

    /// Passes a query's markers on, after the servers whose turns are `before`, if the policy
    /// admits it. After a crash the turn starts anew, with fresh randomness, until this party has
    /// signed the query.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Missing`] out of turn, [`TraceError::Committed`] for
    /// a query that it signed, [`TraceError::Journal`], [`TraceError::Shuffle`] naming a server
    /// that passed on lists of another shape.
    pub fn pass_on(
        &mut self,
        pass: &Pass<G>,
        before: &[Turn<G>],
        journal: &impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<Turn<G>, TraceError> {
        self.check(pass, journal)?;
        self.require_unsigned(pass.query().id(), journal)?;
        let occasion = pass.occasion();
        let place = self.place(&occasion, before)?;
        for (place, turn) in before.iter().enumerate() {
            turn.check_shape(pass.ground(), pass.query(), place)?;
        }
        let lists = last_lists(pass.markers(), before);
        occasion.pass(self.committed()?, (self.number, place), lists, &self.secret, rng)
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
        self.check(routed.pass(), journal)?;
        self.require_unsigned(routed.pass().query().id(), journal)?;
        Ok(Blinding::new(routed, self.number, &self.secret, rng))
    }

    /// Signs a query with its lists, proofs and blinded sums: one digest for each query id, stored
    /// before it is sent. From now on the query counts against the policy, answered or not.
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
        self.require_ground(pass)?;
        // Before the signature: whoever has it may let the query be agreed on at any later time.
        self.admission.enter(pass.query(), pass.ground().class_of(), journal)?;
        self.ledger.record_once(journal, "the query", pass.query().id(), blinded.digest())?;
        Ok(Subject::Query.sign(&self.identity, *blinded.digest()))
    }

    /// The share of a request's answer, sealed to its querier. Asked again, it is the same
    /// message.
    ///
    /// # Errors
    /// [`TraceError::NoShare`] if this party has no part of the key; [`TraceError::Policy`] or
    /// [`TraceError::Committed`] if this server signed another digest for the query, or none;
    /// [`TraceError::Journal`], [`TraceError::Decryption`].
    pub fn share(
        &mut self,
        agreed: &Agreed<G>,
        request: usize,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<SealedShare<G>, TraceError> {
        self.check(agreed.pass(), journal)?;
        let id = agreed.pass().query().id();
        self.ledger.require(journal, "the query", id, agreed.digest())?;
        let message_id = digest_of("trace/share/journal", &[id.as_bytes(), &request.to_le_bytes()]);
        if let Some(sent) = self.ledger.load(journal, "a share", &message_id)? {
            return self.decode_share(&sent);
        }
        let share = self.share.as_ref().ok_or(TraceError::NoShare { server: self.number })?;
        let statement = Digest::of("trace/share", &agreed.share_context(request));
        let mut fresh = fresh::hedged(&self.secret, "share", &statement, rng);
        let author = (self.number, &self.identity);
        let message = ShareMessage::new(agreed, request, author, share, &mut fresh)?;
        let context = seal_context(agreed, request, self.number);
        let key = agreed.pass().request(request)?.key;
        let message = Zeroizing::new(message.to_bytes());
        let sealed = Sealed::seal(&key, &context, &message, &mut fresh)?;
        let share = SealedShare { server: self.number, sealed };
        let stored = self.ledger.record(journal, "a share", &message_id, &share.to_bytes())?;
        self.decode_share(&stored)
    }

    fn decode_share(&self, bytes: &[u8]) -> Result<SealedShare<G>, TraceError> {
        SealedShare::from_bytes(bytes).map_err(|error| self.ledger.broken(error))
    }

    /// Judges a query of the session that this party belongs to.
    fn check(&mut self, pass: &Pass<G>, journal: &impl Journal) -> Result<(), TraceError> {
        self.require_ground(pass)?;
        self.admission.check(pass.query(), pass.ground().class_of(), journal)
    }

    fn require_ground(&self, pass: &Pass<G>) -> Result<(), TraceError> {
        let ground = pass.ground();
        let own = ground.signer(self.number).is_some_and(|signer| signer.id == self.identity.id());
        if *ground.id() != self.session || !own {
            return Err(TraceError::NotAServer);
        }
        self.require_own(
            ground.permutations().get(self.index()).map(VerifiedPermutation::commitment),
        )
    }

    /// A mixer requires that the mix has the permutation that it made: with another in its place,
    /// no honest mixer might have mixed at all.
    pub(super) fn require_own(&self, published: Option<&PointList<G>>) -> Result<(), TraceError> {
        match published {
            Some(published) if self.committed()?.commitment() != published => {
                Err(TraceError::ForeignPermutation { server: self.number })
            }
            _ => Ok(()),
        }
    }

    fn index(&self) -> usize {
        usize::from(self.number).saturating_sub(1)
    }

    pub(super) fn committed(&self) -> Result<&CommittedPermutation<G>, TraceError> {
        self.committed.as_ref().ok_or(TraceError::ForeignPermutation { server: self.number })
    }

    pub(super) fn place(
        &self,
        occasion: &Occasion<'_, G>,
        before: &[Turn<G>],
    ) -> Result<usize, TraceError> {
        let (place, servers) = (before.len(), occasion.name.mixers.len());
        let own = place < servers && occasion.server_at(place, servers) == self.number;
        let places = 0..servers;
        let expected =
            places.into_iter().find(|&place| occasion.server_at(place, servers) == self.number);
        match own {
            true => Ok(place),
            false => Err(TraceError::Missing {
                what: "turns",
                // A member without a place comes after all others.
                expected: expected.unwrap_or(servers),
                got: place,
            }),
        }
    }

    /// Stores a digest under a subject; refuses if there is another.
    pub(super) fn record_once(
        &self,
        journal: &mut impl Journal,
        what: &'static str,
        subject: &Digest,
        digest: &Digest,
    ) -> Result<(), TraceError> {
        self.ledger.record_once(journal, what, subject, digest)
    }

    fn require_unsigned(&self, query: &Digest, journal: &impl Journal) -> Result<(), TraceError> {
        self.ledger.require_none(journal, "the query", query)
    }

    pub(super) fn shuffle_error(
        &self,
        stage: &'static str,
        error: shuffle::ShuffleError,
    ) -> TraceError {
        TraceError::Shuffle { stage, server: self.number, error }
    }
}

pub(super) fn last_lists<'a, G: Group>(
    start: &'a [Column<G>],
    turns: &'a [Turn<G>],
) -> &'a [Column<G>] {
    turns.last().map_or(start, |turn| &turn.columns)
}
