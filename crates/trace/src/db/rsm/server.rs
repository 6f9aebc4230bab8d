//! What a server does in DB-RSM.

use rand_core::CryptoRng;
use zeroize::Zeroizing;

use super::{
    RsmAgreed, RsmBlinded, RsmBlinding, RsmFactors, RsmFakes, RsmMultiplied, RsmOpened, RsmPartial,
    RsmQuery, RsmRouted, RsmStart, RsmTurn, TripleShares, factors::witnesses,
};
use crate::{
    Journal, TraceError,
    db::{Announced, Announcement, Committed, SealedResponse, Server, distributed::Relation},
    encode::digest_of,
};

impl Server {
    /// Encrypts secret random points for the rows outside I, if the policy admits the query.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Committed`] for a pass that it signed,
    /// [`TraceError::Journal`].
    pub fn hide_unsigned(
        &mut self,
        query: &RsmQuery,
        journal: &impl Journal,
    ) -> Result<RsmFakes, TraceError> {
        self.admit(query.pass())?;
        self.require_unsigned(query.pass().id(), journal)?;
        Ok(RsmFakes::new(query, self.number(), self.secret()))
    }

    /// S4: passes both lists on, after the servers before this one, if their turns hold: a list
    /// that no honest server made could be marked.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Missing`] out of turn, [`TraceError::Committed`] for
    /// a pass that it signed, [`TraceError::Journal`]; [`TraceError::Shuffle`],
    /// [`TraceError::Paillier`] or [`TraceError::Step`] naming the first server whose turn is false.
    pub fn pass_quasi_signatures_on(
        &mut self,
        start: &RsmStart,
        before: &[RsmTurn],
        journal: &impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<RsmTurn, TraceError> {
        let pass = start.query().pass();
        self.admit(pass)?;
        self.require_unsigned(pass.id(), journal)?;
        let place = self.place(&start.point_occasion(), before.len())?;
        start.verify_turns(before)?;
        let (number, secret, permutation) = (self.number(), self.secret(), self.permutation()?);
        let points = before.last().map_or(start.points(), |turn| &turn.points.columns);
        let points =
            start.point_occasion().pass(permutation, (number, place), points, secret, rng)?;
        let integers = before.last().map_or(start.integers(), |turn| turn.integers.list());
        let integers = start.integer_occasion().pass(permutation, number, integers, secret, rng)?;
        Ok(RsmTurn { points, integers })
    }

    /// S5: blinds what was routed, if every server's turn holds.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Committed`] for a pass that it signed,
    /// [`TraceError::Journal`], [`TraceError::Paillier`].
    pub fn blind_quasi_signatures(
        &mut self,
        routed: &RsmRouted,
        journal: &impl Journal,
    ) -> Result<Committed<RsmBlinding>, TraceError> {
        let pass = routed.query().pass();
        self.admit(pass)?;
        self.require_unsigned(pass.id(), journal)?;
        let blinding = RsmBlinding::new(routed, self.number(), self.secret())?;
        let commitment = blinding.commitment(routed.digest(), self.number());
        Ok(self.commit(blinding, commitment))
    }

    /// Signs a pass with its lists, proofs and blindings: one digest for each pass, stored before
    /// it is sent.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Committed`] if it signed another digest,
    /// [`TraceError::Journal`].
    pub fn sign_quasi_signatures(
        &mut self,
        blinded: &RsmBlinded,
        journal: &mut impl Journal,
    ) -> Result<[u8; 64], TraceError> {
        let pass = blinded.routed().query().pass();
        self.admit(pass)?;
        let key = blinded.routed().query().offer().key();
        self.sign_pass(pass, key, blinded.digest(), journal)
    }

    /// S6: decrypts the blinded tuples partially, for everybody.
    ///
    /// # Errors
    /// [`TraceError::Committed`] unless this server signed exactly this,
    /// [`TraceError::Journal`], [`TraceError::Decryption`], [`TraceError::Paillier`].
    pub fn decrypt_quasi_signatures(
        &self,
        agreed: &RsmAgreed,
        journal: &impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<RsmPartial, TraceError> {
        let blinded = agreed.blinded();
        let digest = blinded.digest();
        self.require_signed(blinded.routed().query().pass().id(), digest, journal)?;
        let points = self.decrypt_points(&agreed.decryption(), digest, rng)?;
        let step = "decryption of numbers";
        let integers = self.decrypt_integers(step, digest, blinded.integers(), rng)?;
        Ok(RsmPartial { points, integers })
    }

    /// Sends this server's part of the products, with triples that serve this pass only.
    ///
    /// # Errors
    /// [`TraceError::Query`] for triples of another pass, [`TraceError::Committed`] for a second
    /// deal or a pass that it did not sign, [`TraceError::Journal`].
    pub fn multiply_blindings(
        &self,
        opened: &RsmOpened,
        triples: &TripleShares,
        journal: &mut impl Journal,
    ) -> Result<Committed<RsmFactors>, TraceError> {
        let pass = opened.query().pass();
        self.require_signed(pass.id(), opened.agreed().blinded().digest(), journal)?;
        if !triples.fits(pass) {
            return Err(TraceError::Query("the triples are for another pass"));
        }
        let factors = RsmFactors::new(opened, triples, self.number(), self.secret());
        let commitment = factors.commitment(opened.digest(), self.number());
        self.record_once(journal, "the products", pass.id(), &commitment)?;
        Ok(self.commit(factors, commitment))
    }

    /// Announces this server's part of p_BBS+.
    ///
    /// # Errors
    /// [`TraceError::Committed`], [`TraceError::Journal`] as for
    /// [`Server::decrypt_quasi_signatures`].
    pub fn announce_quasi_signatures(
        &self,
        multiplied: &RsmMultiplied,
        journal: &impl Journal,
    ) -> Result<Committed<Announcement>, TraceError> {
        let (opened, statement) = (multiplied.opened(), multiplied.statement());
        let agreed = opened.agreed().blinded().digest();
        self.require_signed(statement.pass().id(), agreed, journal)?;
        let announcement = Announcement::new(statement, &self.masks("masks of p_BBS+", statement));
        let commitment = announcement.commitment(statement.digest(), self.number());
        Ok(self.commit(announcement, commitment))
    }

    /// Answers the one challenge of the pass, to the querier alone.
    ///
    /// # Errors
    /// [`TraceError::Committed`] if it answered another challenge in this pass or sent other
    /// products, [`TraceError::Journal`].
    pub fn respond_quasi_signatures(
        &self,
        multiplied: &RsmMultiplied,
        triples: &TripleShares,
        announced: &Announced,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<SealedResponse, TraceError> {
        let (opened, statement) = (multiplied.opened(), multiplied.statement());
        let pass = statement.pass();
        self.require_signed(pass.id(), opened.agreed().blinded().digest(), journal)?;
        let asked = digest_of(
            "trace/db/rsm/asked",
            &[multiplied.statement().multiplied().as_bytes(), announced.digest().as_bytes()],
        );
        self.record_once(journal, "the challenge", pass.id(), &asked)?;
        let [point, c, r, delta] = witnesses(opened, self.secret());
        let [product, second] = multiplied.products(triples, self.number());
        let witnesses = Zeroizing::new(
            [point, c, r, delta, product, second].map(|list| list.to_vec()).to_vec(),
        );
        let masks = self.masks("masks of p_BBS+", statement);
        announced.respond(pass, (self.number(), self.identity()), &masks, &witnesses, rng)
    }
}
