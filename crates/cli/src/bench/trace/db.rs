//! The engine `db`: one pass of DB-SM and one of DB-RSM, I = J = all, as the artifact runs them.
//! A full query takes two.

use std::sync::Arc;

use ::shuffle::{SecretKey, decrypt::PartialDecryption, tw::Generators};
use ::trace::{
    Agreement, By, Direction, IndexSet, MemoryJournal, Policy, Query, Question, Request,
    SignedRequest, TraceError,
    db::{
        Announcement, BbKey, BbsKey, Committed, F, G1, Inputs, Mixed, Outputs, PaillierSetup,
        PaillierTurn, Pass, Proof, Reading, SealedResponse, SealingKey, Server, Session, Side,
        Submission,
        paillier::{self, Context, ModulusSize, Parties, bcp, dealt},
        rsm::{
            BbsOffer, RsmAgreed, RsmBlinded, RsmBlinding, RsmFactors, RsmFakes, RsmMultiplied,
            RsmOpened, RsmPartial, RsmQuery, RsmRouted, RsmStart, RsmStatement, RsmTurn, deal,
        },
        sm::{BbOffer, SmAgreed, SmBlinded, SmBlinding, SmOpened, SmQuery, SmRouted, SmStatement},
    },
    routed::{self, PermutationMessage, Rules, ServerSecret, Turn},
};
use algebra::Scalar as _;
use board::Identity;
use getrandom::SysRng;
use rand_chacha::ChaCha20Rng;
use rand_core::{SeedableRng, UnwrapErr};
use wire::{Decode as _, DecodeError, Digest, Encode as _, Reader};

use super::{
    Keys, PaillierBits, Params, decode_all, encode_all, malformed,
    report::{Report, Who},
    routed::generate_key,
};
use crate::{bench::recorder::Recorder, progress::Bars};

/// How far the engine's security is proven.
pub const NOTICE: &str = "the paper's protocol; its proofs in G1, and the repair of its leak \
                          outside I, are ours";

/// Which Paillier key.
#[derive(Clone, Copy)]
pub struct PaillierChoice {
    /// Bits of N.
    pub size: PaillierBits,
    /// Who makes it.
    pub keys: Keys,
}

/// All parties in one process, one after the other; only server 1 and the querier are timed.
pub struct Bench<'a> {
    params: &'a Params,
    choice: PaillierChoice,
    report: Report<'a>,
    rng: ChaCha20Rng,
}

/// The parties after the key generation.
struct Crew {
    session: Arc<Session>,
    servers: Vec<Server>,
    journals: Vec<MemoryJournal>,
    identity: Identity,
    key: SecretKey<G1>,
}

impl<'a> Bench<'a> {
    /// A bench with these parameters.
    pub fn new(params: &'a Params, choice: PaillierChoice, progress: &'a Bars) -> Self {
        let report = Report::new(params.entries, progress);
        Self { params, choice, report, rng: ChaCha20Rng::from_rng(&mut UnwrapErr(SysRng)) }
    }

    /// Runs everything.
    pub fn run(mut self) -> Result<(Recorder, Vec<String>), TraceError> {
        self.report.line(&format!("engine: db ({NOTICE})"));
        self.report.line(&format!("number of entries: {}", self.params.entries));
        self.report.line(&format!("number of mix-servers: {}", self.params.servers));
        let mut parties = self.set_up()?;
        let submissions = self.prepare_inputs(&parties.session)?;
        let inputs = self.check_inputs(&parties.session, &submissions)?;
        let outputs = Arc::new(self.mix(&mut parties, inputs)?);
        self.forward(&mut parties, &outputs)?;
        self.reverse(&mut parties, &outputs)?;
        let Report { recorder, mut lines, .. } = self.report;
        lines.push("times are CPU seconds of all threads; wall time is in --json".into());
        Ok((recorder, lines))
    }

    fn set_up(&mut self) -> Result<Crew, TraceError> {
        let servers = self.params.servers;
        let secrets: Vec<_> = (0..servers).map(|_| ServerSecret::generate(&mut self.rng)).collect();
        let names = secrets.iter().map(|secret| secret.identity().id()).collect();
        let rules = Rules::new(b"bench", names, servers, 1, 1)?;
        let base = routed::Session::establish(rules.clone(), generate_key(&rules, &secrets)?)?;
        let base = Arc::new(base);
        self.report.begin("preprocessing");
        let (choice, rng) = (self.choice, &mut self.rng);
        let (setup, shares) = self.report.step(Who::Senders, "pai_th_keygen time", || {
            paillier_keys(choice, base.id(), servers, rng)
                .map_err(|error| TraceError::Paillier { step: "key generation", error })
        })?;
        let sealing: Vec<_> = secrets
            .iter()
            .map(|secret| SealingKey::new(secret, &base))
            .collect::<Result<_, _>>()?;
        let session = self.report.step(Who::Mixer, "precomputing, verifying keys", || {
            Session::establish(base, &sealing, setup)
        })?;
        self.report.end_block("preprocessing");
        let session = Arc::new(session);
        let (identity, key) =
            (Identity::generate(&mut self.rng), SecretKey::generate(&mut self.rng));
        let policy = Policy {
            queriers: vec![identity.id()],
            max_questions: 2,
            min_inputs: 1,
            min_outputs: 1,
            min_anonymity: 1,
            by_position: false,
        };
        let server = |(secret, share)| Server::new(secret, session.clone(), share, policy.clone());
        let servers: Vec<_> =
            secrets.into_iter().zip(shares).map(server).collect::<Result<_, _>>()?;
        let journals = vec![MemoryJournal::default(); servers.len()];
        Ok(Crew { session, servers, journals, identity, key })
    }

    fn prepare_inputs(&mut self, session: &Session) -> Result<Vec<Vec<u8>>, TraceError> {
        let (entries, values, rng) = (self.params.entries, self.params.values, &mut self.rng);
        self.report.begin("input preparation");
        let submissions = self.report.step(Who::Senders, "preparing inputs", || {
            let seal = |sender: u32| {
                let value = F::from_u64((sender % values).into());
                let key = session.paillier();
                Submission::seal(session, key, &sender.to_le_bytes(), &value, rng)
            };
            (0..entries).map(seal).collect::<Result<Vec<_>, _>>()
        })?;
        self.report.end();
        let submissions = encode_all(&submissions);
        let size = submissions.iter().map(Vec::len).sum();
        self.report.size("size of sender-uploaded input ciphertexts", "input_bytes", size);
        Ok(submissions)
    }

    fn check_inputs(
        &mut self,
        session: &Arc<Session>,
        submissions: &[Vec<u8>],
    ) -> Result<Arc<Inputs>, TraceError> {
        self.report.begin("checking inputs");
        let name = "checking proofs of knowledge of input ciphertexts";
        let inputs = self.report.step(Who::Mixer, name, || {
            let read = |reader: &mut Reader<'_>| Submission::decode(reader, session);
            Inputs::collect(session.clone(), decode_with(submissions, read)?)
        })?;
        self.report.status("status_encs");
        self.report.end_block("checking inputs");
        Ok(Arc::new(inputs))
    }

    fn mix(&mut self, parties: &mut Crew, inputs: Arc<Inputs>) -> Result<Outputs, TraceError> {
        let rng = &mut self.rng;
        let Crew { session, servers, journals, .. } = parties;
        self.report.begin("permutations");
        let generators = Arc::new(Generators::derive(inputs.rows()));
        let mut permutations = Vec::new();
        for (number, (server, journal)) in servers.iter_mut().zip(&mut *journals).enumerate() {
            let name = "decryption of individual message/randomness shares";
            let work = || server.commit_permutation(&inputs, &generators, journal);
            self.report.step_of(number, name, work)?;
            let name = "creating proof of knowledge of permutation commitment opening time";
            let work = || server.prove_permutation(&generators, rng);
            permutations.push(self.report.step_of(number, name, work)?);
        }
        self.report.end_block("permutations");

        self.report.begin("mixing");
        self.report.begin("re-encryption and permutation");
        let mut turns = Vec::new();
        for (number, server) in servers.iter().enumerate() {
            let work = || server.mix(&inputs, &permutations, &turns, &generators, rng);
            let name = "re-encryption, creating proof of correct shuffle";
            let turn = self.report.step_of(number, name, work)?;
            turns.push(turn);
        }
        let (permutation_bytes, turn_bytes) = (encode_all(&permutations), encode_all(&turns));
        let mixed = self.report.step(Who::Mixer, "verifying others' proofs of shuffle", || {
            let permutations =
                others(&permutation_bytes, &permutations, 0, PermutationMessage::decode)?;
            let read = |reader: &mut Reader<'_>| PaillierTurn::decode(reader, session);
            let turns = others(&turn_bytes, &turns, 0, read)?;
            Mixed::verify(inputs, permutations, &turns, generators)
        })?;
        self.report.status("status_permcomm");
        self.report.status("status_shuffle");
        self.report.end();

        self.report.begin("decryption of output messages");
        let mixed = Arc::new(mixed);
        let signatures = servers
            .iter()
            .zip(&mut *journals)
            .map(|(server, journal)| server.sign_mix(&mixed, journal))
            .collect::<Result<_, _>>()?;
        let agreement = Agreement::new(signatures);
        let mut partials = Vec::new();
        for (number, server) in servers.iter().enumerate() {
            let work = || server.decrypt(&mixed, &agreement, rng);
            partials.push(self.report.step_of(number, "threshold decryption", work)?);
        }
        let bytes = encode_all(&partials);
        let name = "verifying others' decryption shares (batched), combining decryption shares";
        let outputs = self.report.step(Who::Mixer, name, || {
            let read = |reader: &mut Reader<'_>| {
                paillier::PartialDecryption::decode(reader, session.paillier())
            };
            Outputs::open(mixed, &agreement, &others(&bytes, &partials, 0, read)?)
        })?;
        self.report.status("status_decshares");
        self.report.end();
        self.report.end_block("mixing");
        Ok(outputs)
    }

    /// A pass about everything: all rows of the asked side are signed and opened.
    fn pass(
        &mut self,
        parties: &Crew,
        outputs: &Arc<Outputs>,
        direction: Direction,
    ) -> Result<Pass, TraceError> {
        let all = || IndexSet::all(self.params.entries);
        let request = Request {
            session: *parties.session.id(),
            direction,
            by: By::Value,
            questions: vec![Question { inputs: all(), outputs: all() }],
            key: parties.key.public_key(),
            querier: parties.identity.id(),
            nonce: [0; 32],
        };
        let request = SignedRequest::sign(request, &parties.identity, &mut self.rng);
        Pass::new(outputs.clone(), Query::new(vec![request])?, Side::Asked)
    }

    /// DB-SM.
    fn forward(&mut self, parties: &mut Crew, outputs: &Arc<Outputs>) -> Result<(), TraceError> {
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
        let mut committed = Vec::new();
        for (number, (server, journal)) in servers.iter_mut().zip(&*journals).enumerate() {
            let work = || server.blind_signatures(&routed, journal);
            let name = "blinding, creating proofs of knowledge of blinding factors";
            committed.push(self.report.step_of(number, name, work)?);
        }
        let (commitments, messages, bytes) = reveal(committed)?;
        let name = "verifying others' proofs of knowledge of blinding factors";
        let blinded = self.report.step(Who::Mixer, name, || {
            let blindings = others(&bytes, &messages, 0, SmBlinding::decode)?;
            SmBlinded::verify(routed, &commitments, &blindings)
        })?;
        self.report.status("status_pk_bl");
        self.report.end();

        self.report.begin("decrypt blinded signatures");
        let signatures = servers
            .iter_mut()
            .zip(&mut *journals)
            .map(|(server, journal)| server.sign_signatures(&blinded, journal))
            .collect::<Result<_, _>>()?;
        let agreed = SmAgreed::verify(blinded, &Agreement::new(signatures))?;
        let mut partials = Vec::new();
        for (number, (server, journal)) in servers.iter().zip(&*journals).enumerate() {
            let work = || server.decrypt_signatures(&agreed, journal, rng);
            partials.push(self.report.step_of(number, "obtain decryption shares", work)?);
        }
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
        let rng = &mut self.rng;
        let Crew { servers, journals, .. } = parties;
        self.report.begin("dpk_bbsig_nizkproofs");
        let mut committed = Vec::new();
        for (number, (server, journal)) in servers.iter().zip(&*journals).enumerate() {
            let work = || server.announce_signatures(opened, journal);
            committed.push(self.report.step_of(number, "commit message", work)?);
        }
        let (commitments, messages, bytes) = reveal(committed)?;
        let announced = self.report.step(Who::Mixer, "challenge", || {
            let announcements = others(&bytes, &messages, 0, Announcement::decode)?;
            opened.challenge(&commitments, &announcements)
        })?;
        let mut responses = Vec::new();
        for (number, (server, journal)) in servers.iter().zip(journals).enumerate() {
            let work = || server.respond_signatures(opened, &announced, journal, rng);
            responses.push(self.report.step_of(number, "response message", work)?);
        }
        self.report.end();
        self.report.begin("dpk_bbsig_nizkverifs");
        let (sums, responses) = (announced.sums().encoding().to_vec(), encode_all(&responses));
        let statement = opened.statement();
        let (blinded, agreed) = (statement.blinded().encoding().to_vec(), *statement.agreed());
        let reading = self.report.step(Who::Verifier, "verifying dpk_bbsig proof", || {
            let statement = SmStatement::new(query, agreed, points(&blinded)?)?;
            let responses = decode_all::<SealedResponse>(&responses)?;
            let proof = Proof::open(statement, points(&sums)?, &parties.key, &responses)?;
            Ok::<_, TraceError>(proof.read(key, rng))
        })?;
        self.report.end();
        let size = sums.len() + responses.iter().map(Vec::len).sum::<usize>();
        self.report.size("size of DPK proofs of BB signatures", "bb_proof_bytes", size);
        Ok((statement.clone(), reading))
    }

    /// DB-RSM.
    fn reverse(&mut self, parties: &mut Crew, outputs: &Arc<Outputs>) -> Result<(), TraceError> {
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
        let reading = self.reverse_proof(parties, query, opened, &key)?;
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
        let Crew { session, servers, journals, .. } = parties;
        self.report.begin("get_blsigs_rev");
        self.report.begin("re-encrypt and permute BBS+ quasi-signatures");
        let mut fakes = Vec::new();
        for (number, (server, journal)) in servers.iter_mut().zip(&*journals).enumerate() {
            let work = || server.hide_unsigned(&query, journal);
            fakes.push(self.report.step_of(number, "encrypting points outside I", work)?);
        }
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
        let mut committed = Vec::new();
        for (number, (server, journal)) in servers.iter_mut().zip(&*journals).enumerate() {
            let work = || server.blind_quasi_signatures(&routed, journal);
            let name = "blinding, creating proofs of knowledge of blinding factors";
            committed.push(self.report.step_of(number, name, work)?);
        }
        let (commitments, messages, bytes) = reveal(committed)?;
        let name = "verifying others' proofs of knowledge of blinding factors";
        let blinded = self.report.step(Who::Mixer, name, || {
            let read = |reader: &mut Reader<'_>| RsmBlinding::decode(reader, session);
            let blindings = others(&bytes, &messages, 0, read)?;
            RsmBlinded::verify(routed, &commitments, &blindings)
        })?;
        self.report.status("status_pk_blrev");
        self.report.end();

        self.report.begin("decrypt blinded signatures");
        let signatures = servers
            .iter_mut()
            .zip(&mut *journals)
            .map(|(server, journal)| server.sign_quasi_signatures(&blinded, journal))
            .collect::<Result<_, _>>()?;
        let agreed = RsmAgreed::verify(blinded, &Agreement::new(signatures))?;
        let mut partials = Vec::new();
        for (number, (server, journal)) in servers.iter().zip(&*journals).enumerate() {
            let work = || server.decrypt_quasi_signatures(&agreed, journal, rng);
            partials.push(self.report.step_of(number, "obtain decryption shares", work)?);
        }
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
        opened: RsmOpened,
        key: &BbsKey,
    ) -> Result<Reading, TraceError> {
        let rng = &mut self.rng;
        let Crew { servers, journals, .. } = parties;
        self.report.begin("dpk_bbsplussig_nizkproofs");
        let pass = opened.query().pass();
        let work = || deal(pass, rng);
        let triples = self.report.step(Who::Senders, "gen_beaver_triples time", work);
        let mut committed = Vec::new();
        let parts = servers.iter().zip(&triples).zip(&mut *journals);
        for (number, ((server, triples), journal)) in parts.enumerate() {
            let work = || server.multiply_blindings(&opened, triples, journal);
            let name = "shares of z1, proof of knowledge, multiplicative shares step 1";
            committed.push(self.report.step_of(number, name, work)?);
        }
        let (commitments, messages, bytes) = reveal(committed)?;
        let name = "verifying others' z1, multiplicative shares step 2";
        let multiplied = self.report.step(Who::Mixer, name, || {
            let factors = others(&bytes, &messages, 0, RsmFactors::decode)?;
            RsmMultiplied::verify(opened, &commitments, &factors)
        })?;
        self.report.status("status_pk_z1");
        let mut committed = Vec::new();
        for (number, (server, journal)) in servers.iter().zip(&*journals).enumerate() {
            let work = || server.announce_quasi_signatures(&multiplied, journal);
            committed.push(self.report.step_of(number, "commit message", work)?);
        }
        let (commitments, messages, bytes) = reveal(committed)?;
        let announced = self.report.step(Who::Mixer, "challenge", || {
            let announcements = others(&bytes, &messages, 0, Announcement::decode)?;
            multiplied.challenge(&commitments, &announcements)
        })?;
        let mut responses = Vec::new();
        let parts = servers.iter().zip(&triples).zip(journals);
        for (number, ((server, triples), journal)) in parts.enumerate() {
            let work =
                || server.respond_quasi_signatures(&multiplied, triples, &announced, journal, rng);
            responses.push(self.report.step_of(number, "response message", work)?);
        }
        self.report.end();

        self.report.begin("dpk_bbsplussig_nizkverifs");
        let statement = multiplied.statement();
        let (sums, responses) = (announced.sums().encoding().to_vec(), encode_all(&responses));
        let (tuples, z1) =
            (statement.tuples().to_bytes(), statement.commitments().encoding().to_vec());
        let before = *statement.multiplied();
        let reading = self.report.step(Who::Verifier, "verifying dpk_bbsplussig proof", || {
            let statement = RsmStatement::new(query, before, one(&tuples)?, points(&z1)?)?;
            let responses = decode_all::<SealedResponse>(&responses)?;
            let proof = Proof::open(statement, points(&sums)?, &parties.key, &responses)?;
            Ok::<_, TraceError>(proof.read(key, rng))
        })?;
        self.report.end();
        let size = sums.len() + responses.iter().map(Vec::len).sum::<usize>();
        self.report.size("size of DPK proofs of BBS+ signatures", "bbs_proof_bytes", size);
        let size = tuples.len() + z1.len();
        self.report.size("size of blinded BBS+ signatures", "bbs_blinded_bytes", size);
        Ok(reading)
    }
}

/// The threshold Paillier key, and the servers' shares.
fn paillier_keys(
    choice: PaillierChoice,
    session: &Digest,
    servers: u16,
    rng: &mut ChaCha20Rng,
) -> Result<(PaillierSetup, Vec<paillier::KeyShare>), paillier::PaillierError> {
    let size = match choice.size {
        PaillierBits::Bits2048 => ModulusSize::Bits2048,
        PaillierBits::Bits3072 => ModulusSize::Bits3072,
    };
    if choice.keys == Keys::Dealer {
        let (key, shares) = dealt::deal(size, Parties::all(servers), rng)?;
        return Ok((PaillierSetup::Dealt(Box::new(key)), shares));
    }
    let parameters = match size {
        ModulusSize::Bits2048 => bcp::Parameters::rsa_2048()?,
        size => bcp::Parameters::generate(size, rng)?,
    };
    let contribute = |server| {
        let context = Context { session: session.as_bytes(), purpose: b"key", server };
        parameters.contribute(&context, rng)
    };
    let (shares, contributions) = (1..=servers).map(contribute).unzip();
    Ok((PaillierSetup::Bcp { parameters: Box::new(parameters), contributions }, shares))
}

/// All commitments, then all messages, and their bytes.
#[expect(clippy::type_complexity, reason = "three lists")]
fn reveal<M: wire::Encode>(
    committed: Vec<Committed<M>>,
) -> Result<(Vec<Digest>, Vec<M>, Vec<Vec<u8>>), TraceError> {
    let commitments: Vec<Digest> = committed.iter().map(|c| *c.commitment()).collect();
    let messages = committed
        .into_iter()
        .map(|committed| committed.reveal(&commitments))
        .collect::<Result<Vec<_>, _>>()?;
    let bytes = encode_all(&messages);
    Ok((commitments, messages, bytes))
}

fn require_all_proven(reading: &Reading) -> Result<(), TraceError> {
    match reading.inconsistent.is_empty() && reading.proven.iter().all(|&proven| proven) {
        true => Ok(()),
        false => Err(TraceError::Query("not every row is found among all rows")),
    }
}

fn one<T: wire::Decode>(bytes: &[u8]) -> Result<T, TraceError> {
    T::from_bytes(bytes).map_err(malformed)
}

fn points(bytes: &[u8]) -> Result<::shuffle::PointList<G1>, TraceError> {
    ::shuffle::PointList::decode(bytes)
        .map_err(|error| TraceError::Malformed { what: "points", reason: error.to_string() })
}

fn decode_with<T>(
    messages: &[Vec<u8>],
    decode: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
) -> Result<Vec<T>, TraceError> {
    let one = |bytes: &Vec<u8>| {
        let mut reader = Reader::new(bytes);
        let message = decode(&mut reader)?;
        reader.finish().map(|()| message)
    };
    messages.iter().map(|bytes| one(bytes).map_err(malformed)).collect()
}

/// What a server reads: the messages of the others, and its own as it is.
fn others<T: Clone>(
    bytes: &[Vec<u8>],
    messages: &[T],
    own: usize,
    decode: impl Fn(&mut Reader<'_>) -> Result<T, DecodeError>,
) -> Result<Vec<T>, TraceError> {
    let mut all = Vec::with_capacity(bytes.len());
    for (number, bytes) in bytes.iter().enumerate() {
        match messages.get(number).filter(|_| number == own) {
            Some(message) => all.push(message.clone()),
            None => all.extend(decode_with(std::slice::from_ref(bytes), &decode)?),
        }
    }
    Ok(all)
}
