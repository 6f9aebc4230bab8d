//! What a server does in DB-SM.

use rand_core::CryptoRng;
use shuffle::decrypt::PartialDecryption;
use zeroize::Zeroizing;

use super::{SmAgreed, SmBlinded, SmBlinding, SmOpened, SmQuery, SmRouted, blind::occasion};
use crate::{
    Announced, Announcement, Committed, SealedResponse, Server, bases::G1, distributed::masks,
    relation::Relation,
};
use trace::{Journal, TraceError, routed::Turn};

/// The steps whose randomness a journal keeps.
const BLINDING: &str = "blinding of signatures";
const MASKS: &str = "masks of p_BB";

impl Server {
    /// S3: passes the signatures on, after the servers whose turns are `before`, if these hold and
    /// the policy admits the query. After a crash the turn starts anew, until this server has signed.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Missing`] out of turn, [`TraceError::Committed`] for
    /// a pass that it signed, [`TraceError::Journal`], [`TraceError::Shuffle`] naming a server whose
    /// turn is false.
    pub fn pass_signatures_on(
        &mut self,
        query: &SmQuery,
        before: &[Turn<G1>],
        journal: &impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<Turn<G1>, TraceError> {
        self.check(query.pass(), journal)?;
        self.require_unsigned(query.pass().id(), journal)?;
        let place = self.place(&occasion(query), before.len())?;
        query.verify_turns(before)?;
        let lists = before.last().map_or(query.list(), |turn| &turn.columns);
        let (number, secret) = (self.number(), self.secret());
        occasion(query).pass(self.permutation()?, (number, place), lists, secret, rng)
    }

    /// S4: blinds what was routed, if every server's turn holds.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Committed`] for a pass that it signed,
    /// [`TraceError::Journal`].
    pub fn blind_signatures(
        &mut self,
        routed: &SmRouted,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<Committed<SmBlinding>, TraceError> {
        let pass = routed.query().pass();
        self.check(pass, journal)?;
        self.require_unsigned(pass.id(), journal)?;
        let mut drawn = self.draw((BLINDING, pass), routed.digest(), journal, rng)?;
        let blinding = SmBlinding::new(routed, self.number(), &mut drawn);
        let commitment = blinding.commitment(routed.digest(), self.number());
        Ok(self.commit(blinding, commitment))
    }

    /// Signs a pass with its lists, proofs and blindings: one digest for each pass, stored before
    /// it is sent.
    ///
    /// # Errors
    /// [`TraceError::Policy`], [`TraceError::Committed`] if it signed another digest,
    /// [`TraceError::Journal`].
    pub fn sign_signatures(
        &mut self,
        blinded: &SmBlinded,
        journal: &mut impl Journal,
    ) -> Result<[u8; 64], TraceError> {
        let pass = blinded.routed().query().pass();
        let key = blinded.routed().query().offer().key();
        self.sign_pass(pass, key, blinded.digest(), journal)
    }

    /// S5: decrypts the blinded signatures partially, for everybody.
    ///
    /// # Errors
    /// [`TraceError::Committed`] unless this server signed exactly this,
    /// [`TraceError::Journal`], [`TraceError::Decryption`].
    pub fn decrypt_signatures(
        &self,
        agreed: &SmAgreed,
        journal: &impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<PartialDecryption<G1>, TraceError> {
        let blinded = agreed.blinded();
        self.require_signed(blinded.routed().query().pass().id(), blinded.digest(), journal)?;
        self.decrypt_points(&agreed.decryption(), blinded.digest(), rng)
    }

    /// Announces this server's part of p_BB.
    ///
    /// # Errors
    /// [`TraceError::Committed`], [`TraceError::Journal`] as for [`Server::decrypt_signatures`].
    pub fn announce_signatures(
        &self,
        opened: &SmOpened,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<Committed<Announcement>, TraceError> {
        let statement = opened.statement();
        self.require_signed(statement.pass().id(), statement.agreed(), journal)?;
        let drawn = self.draw((MASKS, statement.pass()), statement.digest(), journal, rng)?;
        let masks = masks(statement, drawn);
        let announcement = Announcement::new(statement, &masks);
        let commitment = announcement.commitment(statement.digest(), self.number());
        Ok(self.commit(announcement, commitment))
    }

    /// Answers the one challenge of the pass, to the querier alone.
    ///
    /// # Errors
    /// [`TraceError::Committed`] if it answered another challenge in this pass,
    /// [`TraceError::Journal`].
    pub fn respond_signatures(
        &self,
        opened: &SmOpened,
        announced: &Announced,
        journal: &mut impl Journal,
        rng: &mut impl CryptoRng,
    ) -> Result<SealedResponse, TraceError> {
        let statement = opened.statement();
        let pass = statement.pass();
        self.require_signed(pass.id(), statement.agreed(), journal)?;
        self.record_challenge(pass.id(), announced.challenge().digest(), journal)?;
        let (values, blindings) = self.own_shares()?;
        let routed = opened.agreed().blinded().routed();
        let factors =
            routed.factors(&mut self.drawn((BLINDING, pass), routed.digest(), journal)?);
        let witnesses = Zeroizing::new([pass.pick(values), pass.pick(blindings), factors]);
        let drawn = self.drawn((MASKS, pass), statement.digest(), journal)?;
        let masks = masks(statement, drawn);
        announced.challenge().respond(
            pass,
            (self.number(), self.identity()),
            &*masks,
            &*witnesses,
            rng,
        )
    }
}
