//! A whole session in one process, and the tools of dishonest servers.

#![allow(unreachable_pub, reason = "helpers of tests")]

use std::sync::Arc;

use algebra::{Embed, Group, Ristretto255};
use board::Identity;
use hkdf::Hkdf;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use sha2::Sha256;
use shuffle::{
    SecretKey,
    decrypt::PartialDecryption,
    dkg::{self, KeyShare, TrusteeSecrets},
    tw::{CommittedPermutation, Generators, Permutation},
};
use trace::{routed::*, *};
use wire::{Decode, Digest, DigestWriter, Encode};

pub type G = Ristretto255;
pub type S = <G as Group>::Scalar;

pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

pub fn set(indices: &[u32]) -> IndexSet {
    IndexSet::new(indices.iter().copied()).unwrap()
}

pub fn question(inputs: &[u32], outputs: &[u32]) -> Question {
    Question { inputs: set(inputs), outputs: set(outputs) }
}

/// What a test needs to know of a session.
#[derive(Clone, Copy)]
pub struct Shape<'a> {
    pub servers: u8,
    pub threshold: u16,
    pub messages: &'a [&'a str],
    pub seed: u8,
}

pub struct World {
    pub seeds: Vec<[u8; 32]>,
    pub servers: Vec<Server<G>>,
    pub journals: Vec<MemoryJournal>,
    pub querier: Querier<G>,
    pub querier_key: SecretKey<G>,
    pub policy: Policy,
    pub outputs: Arc<Outputs<G>>,
    pub generators: Arc<Generators<G>>,
    pub rng: ChaCha20Rng,
}

pub fn seeds(servers: u8, seed: u8) -> Vec<[u8; 32]> {
    (0..servers).map(|server| [server ^ seed.wrapping_mul(16); 32]).collect()
}

/// The key generation of honest servers.
pub fn key_transcript(rules: &Rules, seeds: &[[u8; 32]]) -> KeyTranscript<G> {
    let secrets: Vec<_> = seeds.iter().map(ServerSecret::from_seed).collect();
    let round1: Vec<_> = secrets.iter().map(|s| s.key_round1(rules).unwrap()).collect();
    let board = KeyTranscript::board1(rules, round1.clone()).unwrap();
    let round2: Vec<_> = secrets.iter().map(|s| s.key_round2(rules, &board).unwrap()).collect();
    let board = KeyTranscript::board2(board, round2.clone()).unwrap();
    let round3 = secrets.iter().map(|s| s.key_round3(rules, &board).unwrap()).collect();
    KeyTranscript { round1, round2, round3 }
}

pub fn rules(seeds: &[[u8; 32]], threshold: u16, blocks: u16, ballots: u32) -> Rules {
    let names = seeds.iter().map(|seed| ServerSecret::from_seed(seed).identity().id()).collect();
    Rules::new(b"test", names, threshold, blocks, ballots).unwrap()
}

pub fn session(seeds: &[[u8; 32]], threshold: u16, blocks: u16, ballots: u32) -> Arc<Session<G>> {
    let rules = rules(seeds, threshold, blocks, ballots);
    let key = key_transcript(&rules, seeds);
    Arc::new(Session::establish(rules, key).unwrap())
}

pub fn submit(
    session: &Session<G>,
    messages: &[&str],
    rng: &mut ChaCha20Rng,
) -> Vec<Submission<G>> {
    let seal = |(sender, text): (u32, &&str)| {
        let block = G::embed(text.as_bytes()).unwrap();
        Submission::seal(session, &sender.to_le_bytes(), 1, &[block], rng).unwrap()
    };
    (0..).zip(messages).map(seal).collect()
}

impl World {
    pub fn new(shape: Shape<'_>) -> Self {
        let mut rng = rng(shape.seed.into());
        let seeds = seeds(shape.servers, shape.seed);
        let session = session(&seeds, shape.threshold, 1, 1);
        let querier_seed = [77; 32];
        let querier_key = SecretKey::<G>::generate(&mut rng);
        let querier = Querier::new(Identity::from_seed(&querier_seed), querier_key.clone());
        let policy = Policy {
            queriers: vec![querier.id()],
            max_questions: 1000,
            cut: Cut::Both,
            by_position: true,
        };
        let mut servers: Vec<_> = seeds
            .iter()
            .map(|seed| {
                let secret = ServerSecret::from_seed(seed);
                Server::new(secret, session.clone(), policy.clone()).unwrap()
            })
            .collect();
        let mut journals = vec![MemoryJournal::default(); servers.len()];
        let submissions = submit(&session, shape.messages, &mut rng);
        let inputs = Arc::new(Inputs::collect(session, submissions).unwrap());
        let generators = Arc::new(Generators::derive(inputs.rows()));
        let (mut permutations, mut turns) = (Vec::new(), Vec::new());
        for (server, journal) in servers.iter_mut().zip(&mut journals) {
            server.commit(&inputs, &generators, journal).unwrap();
            permutations.push(server.permutation(&generators, &mut rng).unwrap());
        }
        for server in &servers {
            let turn = server.mix(&inputs, &permutations, &turns, &generators, &mut rng);
            turns.push(turn.unwrap());
        }
        let mixed = Mixed::verify(inputs, permutations, turns, generators.clone()).unwrap();
        let mixed = Arc::new(mixed);
        let signatures =
            servers.iter().zip(&mut journals).map(|(s, j)| s.sign_mix(&mixed, j).unwrap());
        let agreement = Agreement::new(signatures.collect());
        let decrypt = |s: &Server<G>| s.decrypt(&mixed, &agreement, &mut rng).unwrap();
        let partials = servers.iter().map(decrypt).collect();
        let outputs = Arc::new(Outputs::open(mixed, agreement, partials).unwrap());
        Self { seeds, servers, journals, querier, querier_key, policy, outputs, generators, rng }
    }

    pub fn ask(&mut self, direction: Direction, by: By, questions: Vec<Question>) -> Query<G> {
        let request =
            self.querier.request(self.outputs.ground(), direction, by, questions, &mut self.rng);
        Query::new(vec![request]).unwrap()
    }

    pub fn pass(&self, query: &Query<G>) -> Pass<G> {
        Pass::new(self.outputs.ground().clone(), query.clone()).unwrap()
    }

    /// The honest turns of a query.
    pub fn turns(&mut self, query: &Query<G>) -> Vec<Turn<G>> {
        let pass = self.pass(query);
        let mut order: Vec<usize> = (0..self.servers.len()).collect();
        if query.direction() == Direction::In {
            order.reverse();
        }
        let mut turns = Vec::new();
        for server in order {
            let journal = &self.journals[server];
            let turn = self.servers[server].pass_on(&pass, &turns, journal, &mut self.rng);
            turns.push(turn.unwrap());
        }
        turns
    }

    pub fn routed(&mut self, query: &Query<G>) -> Routed<G> {
        let turns = self.turns(query);
        Routed::verify(self.pass(query), turns).unwrap()
    }

    pub fn blindings(&mut self, routed: &Routed<G>) -> Vec<Blinding<G>> {
        let Self { servers, journals, rng, .. } = self;
        let blind = |(s, j): (&mut Server<G>, &MemoryJournal)| s.blind(routed, j, rng).unwrap();
        servers.iter_mut().zip(&*journals).map(blind).collect()
    }

    pub fn blinded(&mut self, query: &Query<G>) -> Blinded<G> {
        let routed = self.routed(query);
        let blindings = self.blindings(&routed);
        Blinded::verify(routed, blindings).unwrap()
    }

    pub fn agree(&mut self, blinded: Blinded<G>) -> Agreed<G> {
        let Self { servers, journals, .. } = self;
        let sign =
            |(s, j): (&mut Server<G>, &mut MemoryJournal)| s.sign_query(&blinded, j).unwrap();
        let signatures = servers.iter_mut().zip(journals).map(sign).collect();
        Agreed::verify(blinded, Agreement::new(signatures)).unwrap()
    }

    pub fn agreed(&mut self, query: &Query<G>) -> Agreed<G> {
        let blinded = self.blinded(query);
        self.agree(blinded)
    }

    pub fn shares(&mut self, agreed: &Agreed<G>, request: usize) -> Vec<SealedShare<G>> {
        let Self { servers, journals, rng, .. } = self;
        let share = |(s, j): (&mut Server<G>, &mut MemoryJournal)| {
            s.share(agreed, request, j, rng).unwrap()
        };
        servers.iter_mut().zip(journals).map(share).collect()
    }

    pub fn answer(&mut self, query: &Query<G>) -> Answer {
        let agreed = self.agreed(query);
        let shares = self.shares(&agreed, 0);
        let reading = self.querier.read(&agreed, 0, &shares).unwrap();
        assert_eq!(reading.faults, []);
        reading.answer.unwrap()
    }

    /// A request with one question, answered.
    pub fn trace(
        &mut self,
        direction: Direction,
        by: By,
        inputs: &[u32],
        outputs: &[u32],
    ) -> IndexSet {
        let query = self.ask(direction, by, vec![question(inputs, outputs)]);
        self.answer(&query).yes.remove(0)
    }

    /// `pi(j)` for every output: from all servers' secrets together.
    pub fn routes(&self) -> Vec<u32> {
        let rows = self.outputs.rows();
        let mut routes: Vec<u32> = (0..rows as u32).collect();
        for seed in &self.seeds {
            routes = permutation_of(seed, self.outputs.mixed().inputs()).apply(&routes);
        }
        routes
    }

    pub fn committed(&self, server: u16) -> CommittedPermutation<G> {
        let inputs = self.outputs.mixed().inputs();
        let seed = &self.seeds[usize::from(server) - 1];
        let mut rng = derived(seed, "permutation", inputs.digest());
        let permutation = Permutation::random(inputs.rows(), &mut rng);
        CommittedPermutation::commit(permutation, &self.generators, &mut rng).unwrap()
    }

    pub fn identity(&self, server: u16) -> Identity {
        ServerSecret::from_seed(&self.seeds[usize::from(server) - 1]).identity()
    }

    /// A server's share of the key, as a dishonest server has it at hand.
    pub fn key_share(&self, server: u16) -> KeyShare<G> {
        let (session, seed) = (self.outputs.session(), &self.seeds[usize::from(server) - 1]);
        let secrets = trustee_secrets(session.rules(), seed, server);
        let transcript = session.transcript().clone();
        let board = KeyTranscript::board1(session.rules(), transcript.round1).unwrap();
        let board = KeyTranscript::board2(board, transcript.round2).unwrap();
        KeyShare::derive(session.keys(), &board, &secrets).unwrap()
    }

    /// A message that a server signs whatever is in it, sealed as its own.
    pub fn forge(
        &mut self,
        agreed: &Agreed<G>,
        server: u16,
        partial: &PartialDecryption<G>,
    ) -> SealedShare<G> {
        let message = self.forge_message(agreed, server, *agreed.digest(), partial);
        let context = seal_context(agreed, 0, server);
        seal(&self.querier_key, &context, server, &message.to_bytes(), &mut self.rng)
    }

    pub fn forge_message(
        &self,
        agreed: &Agreed<G>,
        server: u16,
        digest: Digest,
        partial: &PartialDecryption<G>,
    ) -> ShareMessage<G> {
        let mut bytes = server.to_bytes();
        agreed.pass().query().id().encode(&mut bytes);
        digest.encode(&mut bytes);
        0_u32.encode(&mut bytes);
        partial.encode(&mut bytes);
        let domain = "subrosa/trace/share/v1";
        bytes.extend(self.identity(server).sign(domain, Digest::of(domain, &bytes)));
        ShareMessage::from_bytes(&bytes).unwrap()
    }
}

/// The partial decryption inside a sealed share.
pub fn partial_of(world: &World, agreed: &Agreed<G>, share: &SealedShare<G>) -> Vec<u8> {
    let context = seal_context(agreed, 0, share.server);
    open(&world.querier_key, &context, share)
}

/// What messages are sealed with, as the documentation has it.
pub fn seal_context(agreed: &Agreed<G>, request: u64, server: u16) -> Vec<u8> {
    let mut context = share_context(agreed, request);
    context.extend_from_slice(b"/sealed");
    server.encode(&mut context);
    context
}

pub fn share_context(agreed: &Agreed<G>, request: u64) -> Vec<u8> {
    let session = agreed.pass().ground().id().as_bytes().as_slice();
    let query = agreed.pass().query().id().as_bytes().as_slice();
    let request = request.to_le_bytes();
    [b"trace/share".as_slice(), session, query, agreed.digest().as_bytes(), &request].concat()
}

/// Seals with the sealing of the crate, rebuilt from its parts.
pub fn seal(
    recipient: &SecretKey<G>,
    context: &[u8],
    server: u16,
    message: &[u8],
    rng: &mut ChaCha20Rng,
) -> SealedShare<G> {
    use chacha20poly1305::{AeadInOut, KeyInit, Nonce};
    use shuffle::sigma::KnowledgeProof;
    let secret = SecretKey::<G>::generate(rng);
    let (ephemeral, key) = (secret.public_key().point(), recipient.public_key().point());
    let cipher = chacha20poly1305::ChaCha20Poly1305::new(&cipher_key(
        context,
        &ephemeral,
        &key,
        &key.mul(secret.scalar()),
    ));
    let mut body = message.to_vec();
    let tag = cipher
        .encrypt_inout_detached(&Nonce::default(), context, body.as_mut_slice().into())
        .unwrap();
    body.extend_from_slice(&tag);
    let mut transcript = seal_transcript(context, &key, &body);
    let proof = KnowledgeProof::prove(&mut transcript, &[ephemeral], &[*secret.scalar()], rng);
    let mut bytes = server.to_bytes();
    bytes.extend(Group::encode(&ephemeral));
    proof.encode(&mut bytes);
    wire::put_bytes(&mut bytes, &body);
    SealedShare::from_bytes(&bytes).unwrap()
}

pub fn open(recipient: &SecretKey<G>, context: &[u8], share: &SealedShare<G>) -> Vec<u8> {
    use chacha20poly1305::{AeadInOut, KeyInit, Nonce, Tag};
    let bytes = share.sealed.to_bytes();
    let ephemeral = <G as Group>::decode(&bytes[..32]).unwrap();
    let key = recipient.public_key().point();
    let cipher = chacha20poly1305::ChaCha20Poly1305::new(&cipher_key(
        context,
        &ephemeral,
        &key,
        &ephemeral.mul(recipient.scalar()),
    ));
    let body = &bytes[32 + 64 + 4..];
    let (body, tag) = body.split_at(body.len() - 16);
    let mut message = body.to_vec();
    cipher
        .decrypt_inout_detached(
            &Nonce::default(),
            context,
            message.as_mut_slice().into(),
            &Tag::try_from(tag).unwrap(),
        )
        .unwrap();
    message
}

fn cipher_key(context: &[u8], ephemeral: &G, key: &G, shared: &G) -> chacha20poly1305::Key {
    let mut out = [0; 32];
    let info = [
        b"subrosa/trace/seal/v1".to_vec(),
        Group::encode(ephemeral),
        Group::encode(key),
        context.to_vec(),
    ]
    .concat();
    Hkdf::<Sha256>::new(None, &Group::encode(shared)).expand(&info, &mut out).unwrap();
    out.into()
}

fn seal_transcript(context: &[u8], key: &G, body: &[u8]) -> transcript::Transcript {
    use transcript::TranscriptExt;
    let mut transcript = transcript::Transcript::new(b"subrosa/trace/seal/v1");
    transcript.absorb(b"group", G::NAME.as_bytes());
    transcript.absorb(b"recipient", &Group::encode(key));
    transcript.absorb(b"context", context);
    transcript.absorb(b"body", body);
    transcript
}

/// The generator that a server derives from its seed for ever.
pub fn derived(seed: &[u8; 32], purpose: &str, statement: &Digest) -> ChaCha20Rng {
    let mut out = [0; 32];
    let info = [b"subrosa/trace/", purpose.as_bytes(), statement.as_bytes()].concat();
    Hkdf::<Sha256>::new(None, seed).expand(&info, &mut out).unwrap();
    ChaCha20Rng::from_seed(out)
}

pub fn permutation_of(seed: &[u8; 32], inputs: &Inputs<G>) -> Permutation {
    Permutation::random(inputs.rows(), &mut derived(seed, "permutation", inputs.digest()))
}

pub fn trustee_secrets(rules: &Rules, seed: &[u8; 32], server: u16) -> TrusteeSecrets<G> {
    let statement = Digest::of("trace/rules", &rules.to_bytes());
    let params = rules.key_params().unwrap();
    dkg::commit(&params, server, &mut derived(seed, "key/1", &statement)).unwrap().0
}

/// The crate's digest of parts that each carry their length.
/// What list proofs of a mix are bound to.
pub fn mix_purpose(inputs: &Inputs<G>, messages: &[PermutationMessage<G>]) -> Digest {
    let messages: Vec<Vec<u8>> = messages.iter().map(Encode::to_bytes).collect();
    let head = [b"mix".as_slice(), inputs.digest().as_bytes()];
    let parts: Vec<&[u8]> = head.into_iter().chain(messages.iter().map(Vec::as_slice)).collect();
    digest_of("trace/purpose", &parts)
}

/// What list proofs of a query are bound to.
pub fn query_purpose(world: &World, query: &Query<G>) -> Digest {
    let mix = world.outputs.mixed().digest();
    digest_of("trace/purpose", &[b"query", mix.as_bytes(), query.id().as_bytes()])
}

pub fn digest_of(domain: &str, parts: &[&[u8]]) -> Digest {
    let mut writer = DigestWriter::new(domain);
    for part in parts {
        writer.update(&(part.len() as u64).to_le_bytes());
        writer.update(part);
    }
    writer.finish()
}
