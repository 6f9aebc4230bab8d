//! One pass of DB-RSM.

use std::sync::Arc;

use ::trace::{Agreement, Direction, TraceError};
use trace_db::{
    BbsKey, Outputs, Proof, Reading, SealedResponse,
    rsm::{
        BbsOffer, RsmAgreed, RsmBlinded, RsmDealing, RsmFakes, RsmOpened, RsmPartial, RsmQuery,
        RsmRouted, RsmStart, RsmStatement, RsmTurn, deal,
    },
};
use wire::{Decode as _, Encode as _, Reader};

use super::{Bench, Crew, one, others, points, proof::QUASI_SIGNATURES, require_all_proven};
use crate::bench::trace::{
    parties::{decode_all, encode_all, malformed},
    report::Who,
};

impl Bench<'_> {
    /// DB-RSM.
    pub(super) fn reverse(
        &mut self,
        parties: &mut Crew,
        outputs: &Arc<Outputs>,
    ) -> Result<(), TraceError> {
        let pass = self.pass(parties, outputs, Direction::Out)?;
        self.report.begin("reverse set membership");
        let work = || outputs.inputs().verify_openings();
        self.report.step(Who::Verifier, "pkcommverifs", work)?;
        self.report.status("status_pkcomms");
        self.report.begin("get_verfsigs_rev");
        let (rng, identity) = (&mut self.rng, &parties.identity);
        let name = "creating BBS+ quasi-signatures and encryptions";
        let (key, offer) = self.report.step(Who::Verifier, name, || {
            let key = BbsKey::generate(rng);
            let offer = BbsOffer::new(&pass, &key, identity);
            (key, offer.map(|offer| offer.to_bytes()))
        });
        let offer = offer.ok_or(TraceError::Query("the key cannot sign"))?;
        self.report.end();
        self.report.begin("check_verfsigs_rev");
        let name = "checking verifier's signatures and encryptions";
        let work = || RsmQuery::verify(pass, one(&offer)?);
        let query = self.report.step(Who::Mixer, name, work)?;
        self.report.status("status_verfsigs_rev");
        self.report.end();
        let opened = self.reverse_signatures(parties, query.clone())?;
        let reading = self.reverse_proof(parties, query, &opened, &key)?;
        require_all_proven(&reading)?;
        self.report.status("status_dpk_bbsplussig");
        self.report.status("status_reverse_set_membership");
        self.report.end_block("reverse set membership");
        self.report.size("size of BBS+ signatures", "bbs_signature_bytes", offer.len());
        Ok(())
    }

    /// get_blsigs_rev.
    fn reverse_signatures(
        &mut self,
        parties: &mut Crew,
        query: RsmQuery,
    ) -> Result<RsmOpened, TraceError> {
        let rng = &mut self.rng;
        let Crew { session, servers, journals, dealer, .. } = parties;
        self.report.begin("get_blsigs_rev");
        self.report.begin("re-encrypt and permute BBS+ quasi-signatures");
        let name = "encrypting points outside I";
        let fakes = self.report.step_of_all(name, servers, journals, |server, journal| {
            server.hide_unsigned(&query, journal, rng)
        })?;
        let bytes = encode_all(&fakes);
        let name = "verifying points outside I, forming lists";
        let start = self.report.step(Who::Mixer, name, || {
            RsmStart::verify(query, &others(&bytes, &fakes, 0, RsmFakes::decode)?)
        })?;
        let mut turns = Vec::new();
        for (number, (server, journal)) in servers.iter_mut().zip(&*journals).enumerate() {
            let work = || server.pass_quasi_signatures_on(&start, &turns, journal, rng);
            let name = "reencrypting encrypted BBS+ signatures, creating proofs of shuffle";
            let turn = self.report.step_of(number, name, work)?;
            turns.push(turn);
        }
        let bytes = encode_all(&turns);
        let name = "verifying others' proofs of shuffle of encrypted BBS+ signatures";
        let routed = self.report.step(Who::Mixer, name, || {
            let read = |reader: &mut Reader<'_>| RsmTurn::decode(reader, session);
            RsmRouted::verify(start, others(&bytes, &turns, 0, read)?)
        })?;
        self.report.status("status_shuffle_blsigs_rev");
        self.report.end();

        self.report.begin("generate encrypted blinded BBS+ signatures");
        // In the place of the artifact's gen_beaver_triples, proofs about blindings, and z1.
        let work = || deal(&routed, dealer, rng);
        let dealing =
            self.report.step(Who::Senders, "dealing blindings and products time", work)?;
        let dealing = dealing.to_bytes();
        self.report.size("size of the dealing", "bbs_dealing_bytes", dealing.len());
        let name = "verifying the dealer's part, adding blinding factors";
        let blinded = self.report.step(Who::Mixer, name, || {
            let mut reader = Reader::new(&dealing);
            let dealing = RsmDealing::decode(&mut reader, session).map_err(malformed)?;
            reader.finish().map_err(malformed)?;
            RsmBlinded::verify(routed, &dealer.id(), dealing)
        })?;
        let name = "checking own share of the dealing, signing";
        let signatures = self.report.step_of_all(name, servers, journals, |server, journal| {
            server.sign_quasi_signatures(&blinded, journal)
        })?;
        self.report.status("status_dealing");
        self.report.end();

        self.report.begin("decrypt blinded signatures");
        let agreed = RsmAgreed::verify(blinded, &Agreement::new(signatures))?;
        let name = "obtain decryption shares";
        let partials = self.report.step_of_all(name, servers, journals, |server, journal| {
            server.decrypt_quasi_signatures(&agreed, journal, rng)
        })?;
        let bytes = encode_all(&partials);
        let name = "verifying others' decryption shares, combine decryption shares";
        let opened = self.report.step(Who::Mixer, name, || {
            let read = |reader: &mut Reader<'_>| RsmPartial::decode(reader, session);
            RsmOpened::open(agreed, others(&bytes, &partials, 0, read)?)
        })?;
        self.report.status("status_decshares_blsigs_rev");
        self.report.end();
        self.report.end();
        Ok(opened)
    }

    /// dpk_bbsplussig_nizkproofs, dpk_bbsplussig_nizkverifs.
    fn reverse_proof(
        &mut self,
        parties: &mut Crew,
        query: RsmQuery,
        opened: &RsmOpened,
        key: &BbsKey,
    ) -> Result<Reading, TraceError> {
        let sent = self.prove(parties, &QUASI_SIGNATURES, opened)?;
        self.report.size("size of DPK proofs of BBS+ signatures", "bbs_proof_bytes", sent.size());
        self.report.begin("dpk_bbsplussig_nizkverifs");
        let statement = opened.statement();
        let (tuples, z1) =
            (statement.tuples().to_bytes(), statement.commitments().encoding().to_vec());
        let size = tuples.len() + z1.len();
        let before = *statement.opened();
        let reading = self.report.step(Who::Verifier, "verifying dpk_bbsplussig proof", || {
            let statement = RsmStatement::new(query, before, one(&tuples)?, points(&z1)?)?;
            let responses = decode_all::<SealedResponse>(&sent.responses)?;
            let proof = Proof::open(statement, sent.prints, &parties.key, &responses)?;
            Ok::<_, TraceError>(proof.read(key))
        })?;
        self.report.end();
        self.report.size("size of blinded BBS+ signatures", "bbs_blinded_bytes", size);
        Ok(reading)
    }
}
