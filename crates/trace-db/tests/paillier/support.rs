//! Keys, lists and proofs of honest parties.

use std::sync::OnceLock;

use algebra::{Bls12381G1, Group};
use integer::{Integer, SecretInteger, random_bits, safe_prime};
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng;
use shuffle::tw::{
    CommittedPermutation, Generators, Permutation, PermutationContext, VerifiedPermutation,
    prove_permutation, verify_permutation,
};
use trace_db::paillier::*;

pub type G = Bls12381G1;
pub type S = <G as Group>::Scalar;

/// 1024 bits: what a plaintext of two scalars fits into. For tests only.
pub const SIZE: ModulusSize = ModulusSize::InsecureTest;
pub const SESSION: &[u8] = b"test";

pub fn rng(seed: u64) -> ChaCha20Rng {
    ChaCha20Rng::seed_from_u64(seed)
}

/// The factors of the test modulus, which attackers in these tests may know.
pub fn primes() -> &'static [SecretInteger; 2] {
    static PRIMES: OnceLock<[SecretInteger; 2]> = OnceLock::new();
    PRIMES.get_or_init(|| [1, 2].map(|seed| safe_prime(SIZE.bits() / 2, &mut rng(seed))))
}

pub struct World {
    pub key: PublicKey,
    pub shares: Vec<KeyShare>,
}

pub fn dealt(servers: u16, needed: u16) -> World {
    let parties = Parties { servers, needed };
    let dealt = dealt::deal_from_primes(primes(), SIZE, parties, &mut rng(3));
    let (key, shares) = dealt.unwrap();
    World { key, shares }
}

pub fn parameters() -> bcp::Parameters {
    bcp::Parameters::from_primes(primes(), SIZE).unwrap()
}

pub fn bcp(servers: u16) -> World {
    let parameters = parameters();
    let contribute =
        |server| parameters.contribute(&context(server, b"key"), &mut rng(server.into()));
    let (shares, contributions): (Vec<_>, Vec<_>) = (1..=servers).map(contribute).unzip();
    World { key: parameters.assemble(SESSION, &contributions).unwrap(), shares }
}

/// A key of each scheme.
pub fn worlds(servers: u16) -> [World; 2] {
    [dealt(servers, servers), bcp(servers)]
}

pub fn context(server: u16, purpose: &[u8]) -> Context<'_> {
    Context { session: SESSION, purpose, server }
}

impl World {
    pub fn encrypt(&self, plaintexts: &[u64], seed: u64) -> (Ciphertexts, Openings) {
        let plaintexts = plaintexts.iter().map(|&m| SecretInteger::new(m.into())).collect();
        self.key.encrypt(plaintexts, &mut rng(seed)).unwrap()
    }

    pub fn partials(&self, list: &Ciphertexts, servers: &[u16]) -> Vec<PartialDecryption> {
        let decrypt = |&server: &u16| {
            let share = &self.shares[usize::from(server) - 1];
            share.decrypt(&self.key, &context(server, b"open"), list, &mut rng(server.into()))
        };
        servers.iter().map(decrypt).collect::<Result<_, _>>().unwrap()
    }

    /// What the first servers that suffice open.
    pub fn open(&self, list: &Ciphertexts) -> Vec<Integer> {
        let servers: Vec<u16> = (1..=self.key.parties().needed).collect();
        let partials = self.partials(list, &servers);
        self.key.open(SESSION, b"open", list, &partials).unwrap()
    }
}

pub fn integers(values: &[u64]) -> Vec<Integer> {
    values.iter().map(|&value| value.into()).collect()
}

/// A list that server 1 passed through its committed permutation.
pub struct Passage {
    pub generators: Generators<G>,
    pub permutation: VerifiedPermutation<G>,
    pub committed: CommittedPermutation<G>,
    pub before: Ciphertexts,
    pub after: Ciphertexts,
    pub proof: ShuffleProof<G>,
}

pub fn committed(
    generators: &Generators<G>,
    map: &[usize],
) -> (CommittedPermutation<G>, VerifiedPermutation<G>) {
    let permutation = Permutation::from_map(map.to_vec()).unwrap();
    let committed = CommittedPermutation::commit(permutation, generators, &mut rng(4)).unwrap();
    let context = PermutationContext { study: b"test", mix: b"1", mixer: 1 };
    let proof = prove_permutation(&committed, generators, &context, &mut rng(5)).unwrap();
    let commitment = committed.commitment().clone();
    let verified = verify_permutation(commitment, &proof, generators, &context).unwrap();
    (committed, verified)
}

/// The permutation is a rotation by one.
pub fn passage(world: &World, plaintexts: &[u64]) -> Passage {
    let n = plaintexts.len();
    let generators = Generators::<G>::derive(n);
    let map: Vec<usize> = (0..n).map(|i| (i + 1) % n).collect();
    let (committed, permutation) = committed(&generators, &map);
    let (before, _) = world.encrypt(plaintexts, 6);
    let key = &world.key;
    let shuffled = shuffle_ciphertexts(key, &committed, &before, &mut rng(7)).unwrap();
    let mix = context(1, b"mix");
    let proof =
        prove_shuffle(key, &mix, &generators, &committed, &before, &shuffled, &mut rng(8)).unwrap();
    Passage { generators, permutation, committed, before, after: shuffled.list, proof }
}

impl Passage {
    pub fn claim(&self) -> ShuffleClaim<'_, G> {
        ShuffleClaim {
            context: context(1, b"mix"),
            permutation: &self.permutation,
            before: &self.before,
            after: &self.after,
            proof: &self.proof,
        }
    }
}

/// Openings and proofs for a list of packed masks.
pub fn packed(world: &World, count: usize, seed: u64) -> (Ciphertexts, PlaintextProofs) {
    let mut rng = rng(seed);
    let plaintexts = (0..count).map(|_| random_bits(PACKED_BITS, &mut rng)).collect();
    let (list, openings) = world.key.encrypt(plaintexts, &mut rng).unwrap();
    let key = &world.key;
    let context = context(0, b"sender");
    let proofs =
        PlaintextProofs::prove(key, &context, &list, &openings, PACKED_BITS, &mut rng).unwrap();
    (list, proofs)
}

pub fn plaintext_claim<'a>(
    ciphertexts: &'a Ciphertexts,
    proofs: &'a PlaintextProofs,
) -> PlaintextClaim<'a> {
    PlaintextClaim { context: context(0, b"sender"), ciphertexts, bits: PACKED_BITS, proofs }
}
