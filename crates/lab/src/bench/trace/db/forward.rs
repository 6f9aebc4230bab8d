//! One pass of DB-SM.

use std::sync::Arc;

use ::shuffle::decrypt::PartialDecryption;
use ::trace::{Direction, TraceError, routed::Turn};
use trace_db::{
    BbKey, G1, Outputs, Proof, Reading, SealedResponse,
    sm::{BbOffer, SmAgreed, SmBlinded, SmBlinding, SmOpened, SmQuery, SmRouted, SmStatement},
};
use wire::{Decode as _, Encode as _};

use super::{Bench, Crew, one, others, points, proof::SIGNATURES, require_all_proven, reveal};
use crate::bench::trace::{
    parties::{agreement, decode_all, encode_all},
    report::Who,
};

impl Bench<'_> {
    /// DB-SM.
    pub(super) fn forward(
        &mut self,
        parties: &mut Crew,
        outputs: &Arc<Outputs>,
    ) -> Result<(), TraceError> {
        let pass = self.pass(parties, outputs, Direction::In)?;
        self.report.begin("forward set membership");
        self.report.begin("get_verfsigs");
        let (rng, identity) = (&mut self.rng, &parties.identity);
        let name = "creating BB signatures and encryptions";
        let (key, offer) = self.report.step(Who::Verifier, name, || {
            let key = BbKey::generate(outputs.values(), rng);
            let offer = BbOffer::new(&pass, &key, identity);
            (key, offer.to_bytes())
        });
        self.report.end();
        self.report.begin("check_verfsigs");
        let name = "checking verifier's signatures and encryptions";
        let query = self.report.step(Who::Mixer, name, || SmQuery::verify(pass, one(&offer)?))?;
        self.report.status("status_verfsigs");
        self.report.end();
        let opened = self.forward_signatures(parties, query.clone())?;
        let (statement, reading) = self.forward_proof(parties, query, &opened, &key)?;
        require_all_proven(&reading)?;
        self.report.status("status_dpk_bbsig");
        self.report.status("status_forward_set_membership");
        self.report.end_block("forward set membership");
        self.report.size("size of BB signatures", "bb_signature_bytes", offer.len());
        let blinded = statement.blinded().encoding().len();
        self.report.size("size of blinded signatures", "bb_blinded_bytes", blinded);
        Ok(())
    }

    /// get_blsigs.
    fn forward_signatures(
        &mut self,
        parties: &mut Crew,
        query: SmQuery,
    ) -> Result<SmOpened, TraceError> {
        let rng = &mut self.rng;
        let Crew { servers, journals, .. } = parties;
        self.report.begin("get_blsigs");
        self.report.begin("re-encrypt and reverse-permute BB signatures");
        let mut turns: Vec<Turn<G1>> = Vec::new();
        for (number, (server, journal)) in servers.iter_mut().zip(&*journals).enumerate().rev() {
            let work = || server.pass_signatures_on(&query, &turns, journal, rng);
            let name = "reencrypting encrypted BB signatures, creating proof of shuffle";
            let turn = self.report.step_of(number, name, work)?;
            turns.push(turn);
        }
        let bytes = encode_all(&turns);
        let name = "verifying others' proofs of shuffle of encrypted BB signatures";
        let routed = self.report.step(Who::Mixer, name, || {
            SmRouted::verify(query, &others(&bytes, &turns, turns.len() - 1, Turn::decode)?)
        })?;
        self.report.status("status_shuffle_blsigs");
        self.report.end();

        self.report.begin("generate encrypted blinded BB signatures");
        let name = "blinding, creating proofs of knowledge of blinding factors";
        let committed = self.report.step_of_all(name, servers, journals, |server, journal| {
            server.blind_signatures(&routed, journal, rng)
        })?;
        let (commitments, messages, bytes) = reveal(committed)?;
        let name = "verifying others' proofs of knowledge of blinding factors";
        let blinded = self.report.step(Who::Mixer, name, || {
            let blindings = others(&bytes, &messages, 0, SmBlinding::decode)?;
            SmBlinded::verify(routed, &commitments, &blindings)
        })?;
        self.report.status("status_pk_bl");
        self.report.end();

        self.report.begin("decrypt blinded signatures");
        let agreement = agreement(servers, journals, |server, journal| {
            server.sign_signatures(&blinded, journal)
        })?;
        let agreed = SmAgreed::verify(blinded, &agreement)?;
        let name = "obtain decryption shares";
        let partials = self.report.step_of_all(name, servers, journals, |server, journal| {
            server.decrypt_signatures(&agreed, journal, rng)
        })?;
        let bytes = encode_all(&partials);
        let name = "verifying others' decryption shares, combine decryption shares";
        let opened = self.report.step(Who::Mixer, name, || {
            SmOpened::open(agreed, others(&bytes, &partials, 0, PartialDecryption::decode)?)
        })?;
        self.report.status("status_decshares_blsigs");
        self.report.end();
        self.report.end();
        Ok(opened)
    }

    /// dpk_bbsig_nizkproofs, dpk_bbsig_nizkverifs.
    fn forward_proof(
        &mut self,
        parties: &mut Crew,
        query: SmQuery,
        opened: &SmOpened,
        key: &BbKey,
    ) -> Result<(SmStatement, Reading), TraceError> {
        let sent = self.prove(parties, &SIGNATURES, opened)?;
        self.report.size("size of DPK proofs of BB signatures", "bb_proof_bytes", sent.size());
        self.report.begin("dpk_bbsig_nizkverifs");
        let statement = opened.statement();
        let (blinded, agreed) = (statement.blinded().encoding().to_vec(), *statement.agreed());
        let reading = self.report.step(Who::Verifier, "verifying dpk_bbsig proof", || {
            let statement = SmStatement::new(query, agreed, points(&blinded)?)?;
            let responses = decode_all::<SealedResponse>(&sent.responses)?;
            let proof = Proof::open(statement, sent.prints, &parties.key, &responses)?;
            Ok::<_, TraceError>(proof.read(key))
        })?;
        self.report.end();
        Ok((statement.clone(), reading))
    }
}
