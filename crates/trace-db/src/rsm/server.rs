//! What a server does in DB-RSM.

use rand_core::CryptoRng;

use super::{RsmAgreed, RsmBlinded, RsmFakes, RsmOpened, RsmPartial, RsmQuery, RsmStart, RsmTurn};
use crate::{
    Announced, Announcement, Committed, SealedResponse, Server, distributed::masks,
    relation::Relation,
};
use trace::{Journal, TraceError};

/// The steps whose randomness a journal keeps.
const FAKES: &str = "points outside I";
const MASKS: &str = "masks of p_BBS+";

impl Server {
    /// Encrypts secret random points for the rows outside I, if the policy admits the query.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Committed`] for a pass that it signed,
    /// [`TraceError::Journal`].
    pub fn hide_unsigned(
        &mut self,
        query: &RsmQuery,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<RsmFakes, TraceError> {
        let pass = query.pass();
        self.check(pass, journal)?;
        self.require_unsigned(pass.id(), journal)?;
        let mut drawn = self.draw((FAKES, pass), query.digest(), journal, rng)?;
        Ok(RsmFakes::new(query, self.number(), &mut drawn))
    }

    /// S4: passes both lists on, after the servers before this one, if their turns hold: a list
    /// that no honest server made could be marked.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Missing`] out of turn, [`TraceError::Committed`] for
    /// a pass that it signed, [`TraceError::Journal`]; [`TraceError::Shuffle`],
    /// [`TraceError::Engine`] or [`TraceError::Step`] naming the first server whose turn is false.
    pub fn pass_quasi_signatures_on(
        &mut self,
        start: &RsmStart,
        before: &[RsmTurn],
        journal: &impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<RsmTurn, TraceError> {
        let pass = start.query().pass();
        self.check(pass, journal)?;
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

    /// S5: signs a pass with its lists, proofs and blindings, if the share that was dealt to this
    /// server is that of its public part: one digest for each pass, stored before it is sent, so
    /// that a pass takes one dealing.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Dealing`], [`TraceError::Committed`] if it signed
    /// another digest, [`TraceError::Journal`], [`TraceError::Engine`].
    pub fn sign_quasi_signatures(
        &mut self,
        blinded: &RsmBlinded,
        journal: &mut impl Journal,
    ) -> Result<[u8; 64], TraceError> {
        let pass = blinded.routed().query().pass();
        blinded.check_own(self.number(), self.sealing())?;
        let key = blinded.routed().query().offer().key();
        self.sign_pass(pass, key, blinded.digest(), journal)
    }

    /// S6: decrypts the blinded tuples partially, for everybody.
    ///
    /// # Errors
    /// [`TraceError::Committed`] unless this server signed exactly this,
    /// [`TraceError::Journal`], [`TraceError::Decryption`], [`TraceError::Engine`].
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

    /// Announces this server's part of p_BBS+.
    ///
    /// # Errors
    /// [`TraceError::Committed`], [`TraceError::Journal`] as for
    /// [`Server::decrypt_quasi_signatures`].
    pub fn announce_quasi_signatures(
        &self,
        opened: &RsmOpened,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<Committed<Announcement>, TraceError> {
        let statement = opened.statement();
        let agreed = opened.agreed().blinded().digest();
        self.require_signed(statement.pass().id(), agreed, journal)?;
        let drawn = self.draw((MASKS, statement.pass()), statement.digest(), journal, rng)?;
        let announcement = Announcement::new(statement, &masks(statement, drawn));
        let commitment = announcement.commitment(statement.digest(), self.number());
        Ok(self.commit(announcement, commitment))
    }

    /// Answers the one challenge of the pass, to the querier alone, with the witness that was dealt
    /// to this server.
    ///
    /// # Errors
    /// [`TraceError::Committed`] if it answered another challenge in this pass,
    /// [`TraceError::Journal`].
    pub fn respond_quasi_signatures(
        &self,
        opened: &RsmOpened,
        announced: &Announced,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<SealedResponse, TraceError> {
        let (statement, blinded) = (opened.statement(), opened.agreed().blinded());
        let pass = statement.pass();
        self.require_signed(pass.id(), blinded.digest(), journal)?;
        self.record_challenge(pass.id(), announced.challenge().digest(), journal)?;
        let witness = blinded.share(self.number(), self.sealing())?.witness(blinded.routed());
        let masks = masks(statement, self.drawn((MASKS, pass), statement.digest(), journal)?);
        announced.challenge().respond(
            pass,
            (self.number(), self.identity()),
            &*masks,
            &*witness,
            rng,
        )
    }
}
