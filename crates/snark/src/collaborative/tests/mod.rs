//! Proofs by several parties, and parties that fail.

mod deviations;

use std::{collections::HashSet, thread};

use algebra::{Bls12381, Bn254, Engine, Group, Pairing, Scalar, ScalarOf};
use circuit::synthesis::{Circuit, ConstraintSystem, Synthesizer};
use transcript::Transcript;
use wire::{Channel, Encode as _};

use super::{
    run::{agreed, hello},
    *,
};
use crate::{
    FileFormat,
    groth16::{PreparedVerifyingKey, Proof, ProvingKey, insecure_dealer},
    test_circuit::rng,
};

type S = ScalarOf<Bn254>;
type G1 = <Bn254 as Pairing>::G1;
type G2 = <Bn254 as Pairing>::G2;

/// "I know x with x^(2^8) = this", and a public tag.
struct Power {
    x: u64,
}

impl<F: Scalar> Circuit<F> for Power {
    fn synthesize(&self, cs: &mut Synthesizer<F>) {
        cs.input(F::from_u64(9));
        let x = cs.private(F::from_u64(self.x));
        let power = (0..8).fold(x, |power, _| cs.product(&power, &power));
        cs.expose(&power);
    }
}

struct World<E: Engine> {
    system: ConstraintSystem<ScalarOf<E>>,
    key: ProvingKey<E>,
    public: Vec<ScalarOf<E>>,
    witness: Vec<ScalarOf<E>>,
}

impl<E: Engine> World<E> {
    fn new() -> Self {
        let system = Power { x: 0 }.constraint_system();
        let key = insecure_dealer::<E>(&system, &mut rng(1)).unwrap();
        let witness = Power { x: 3 }.witness().to_vec();
        Self { public: witness[1..3].to_vec(), system, key, witness }
    }

    fn shares(&self, parties: u16, seed: u8) -> Vec<(WitnessShare<E>, TripleShare<E>)> {
        let rng = &mut rng(seed);
        let shares = share_witness(&self.witness, 2, parties, rng).unwrap();
        shares.into_iter().zip(deal(self.key.domain_size() as u32, parties, rng).unwrap()).collect()
    }

    /// All parties' first rounds.
    fn start(&self, parties: u16, seed: u8) -> (Vec<Prover<'_, E>>, Vec<FirstMessage<E>>) {
        let shares = self.shares(parties, seed);
        let start = |(seat, (share, triples)): (usize, &(WitnessShare<E>, TripleShare<E>))| {
            let rng = &mut rng(seed + 100 + seat as u8);
            Prover::start(&self.key, &self.system, share, triples, rng).unwrap()
        };
        shares.iter().enumerate().map(start).unzip()
    }

    /// All rounds, with messages changed on the way to everybody.
    fn prove(
        &self,
        parties: u16,
        seed: u8,
        change: impl Fn(&mut [FirstMessage<E>]),
        change_second: impl Fn(&mut [SecondMessage<E>]),
    ) -> Vec<Result<Proof<E>, Error>> {
        let (provers, mut first) = self.start(parties, seed);
        change(&mut first);
        let (checking, masked) = mask(provers, &first);
        let (revealed, shares) = reveal(checking, &masked);
        finish(revealed, &shares, change_second)
    }

    fn verify(&self, proof: &Proof<E>) {
        let verifier = PreparedVerifyingKey::new(self.key.verifying_key()).unwrap();
        verifier.verify(&self.public, proof).unwrap();
    }
}

fn honest<T>(_: &mut [T]) {}

fn mask<E: Engine>(
    provers: Vec<Prover<'_, E>>,
    first: &[FirstMessage<E>],
) -> (Vec<Checking<E>>, Vec<MaskedShare<E>>) {
    provers.into_iter().map(|prover| prover.mask(first).unwrap()).unzip()
}

fn reveal<E: Engine>(
    checking: Vec<Checking<E>>,
    masked: &[MaskedShare<E>],
) -> (Vec<Revealed<E>>, Vec<CheckShare<E>>) {
    let commit = |party: Checking<E>| party.commit(masked, &mut rng(7)).unwrap();
    let (committed, commitments): (Vec<_>, Vec<_>) = checking.into_iter().map(commit).unzip();
    committed.into_iter().map(|party| party.reveal(&commitments).unwrap()).unzip()
}

/// The check, and if all parties open C, the proofs.
fn finish<E: Engine>(
    revealed: Vec<Revealed<E>>,
    shares: &[CheckShare<E>],
    change: impl Fn(&mut [SecondMessage<E>]),
) -> Vec<Result<Proof<E>, Error>> {
    let (mut finishing, mut second, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for result in revealed.into_iter().map(|party| party.second(shares)) {
        match result {
            Ok((party, message)) => {
                finishing.push(party);
                second.push(message);
            }
            Err(error) => refused.push(Err(error)),
        }
    }
    assert!(refused.is_empty() || finishing.is_empty());
    change(&mut second);
    refused.extend(finishing.into_iter().map(|party| party.finish(&second)));
    refused
}

fn all_parties_get_the_same_proof<E: Engine>() {
    let world = World::<E>::new();
    for parties in 2..=5 {
        let proofs = world.prove(parties, parties as u8, honest, honest);
        let proofs: Vec<_> = proofs.into_iter().map(Result::unwrap).collect();
        world.verify(&proofs[0]);
        assert!(proofs.iter().all(|proof| *proof == proofs[0]));
    }
}

#[test]
fn all_parties_get_the_same_proof_on_both_curves() {
    all_parties_get_the_same_proof::<Bn254>();
    all_parties_get_the_same_proof::<Bls12381>();
}

/// The single prover's code with the sums of the parties' r and s makes the same proof: the
/// distributions are equal if these sums are uniform, and they are if one party draws its own.
fn the_proof_is_that_of_a_single_prover<E: Engine>() {
    let world = World::<E>::new();
    for parties in 2..=4 {
        let (provers, _) = world.start(parties, 20);
        let [r, s] = [0, 1].map(|which| {
            let share = |prover: &Prover<'_, E>| *prover.blindings()[which];
            provers.iter().map(share).sum::<ScalarOf<E>>()
        });
        let together = world.prove(parties, 20, honest, honest).remove(0).unwrap();
        let alone = world.key.prove_with(&world.witness, &r, &s);
        assert_eq!(together.to_bytes(), alone.to_bytes());
    }
}

#[test]
fn the_proof_is_that_of_a_single_prover_with_the_summed_blindings() {
    the_proof_is_that_of_a_single_prover::<Bn254>();
    the_proof_is_that_of_a_single_prover::<Bls12381>();
}

#[test]
fn one_honest_party_makes_another_proof_each_time() {
    let world = World::<Bn254>::new();
    let shares = world.shares(2, 30);
    // The second party, the shares and the triples are the same; the first party draws anew.
    let proof = |seed| {
        let start = |index: usize, seed| {
            let (share, triples) = &shares[index];
            Prover::start(&world.key, &world.system, share, triples, &mut rng(seed)).unwrap()
        };
        let ((one, first_one), (two, first_two)) = (start(0, seed), start(1, 99));
        let (checking, masked) = mask(vec![one, two], &[first_one, first_two]);
        let (revealed, shares) = reveal(checking, &masked);
        finish(revealed, &shares, honest).remove(0).unwrap()
    };
    let (one, two) = (proof(31), proof(32));
    world.verify(&one);
    world.verify(&two);
    assert!(one.a != two.a && one.b != two.b && one.c != two.c);
}

#[test]
fn a_wrong_share_of_anything_fails_for_everybody() {
    let world = World::<Bn254>::new();
    let one = <S as Scalar>::one();
    let changes: [fn(&mut FirstMessage<Bn254>); 6] = [
        |m| m.masked[0][0] += <S as Scalar>::one(),
        |m| m.masked[1][3] += <S as Scalar>::one(),
        |m| *m.masked[0].last_mut().unwrap() += <S as Scalar>::one(),
        |m| m.a += G1::generator(),
        |m| m.b += G2::generator(),
        |m| m.b_g1 += G1::generator(),
    ];
    for change in changes {
        let results = world.prove(3, 40, |messages| change(&mut messages[1]), honest);
        assert!(results.iter().all(|result| matches!(result, Err(Error::Unsatisfied))));
    }
    let results = world.prove(3, 41, honest, |messages| messages[2].c += G1::generator());
    assert!(results.iter().all(|result| matches!(result, Err(Error::Unsatisfied))));

    // A share of a private wire, and a witness that does not satisfy the circuit.
    let mut shares = world.shares(2, 42);
    shares[1].0.private[0] += one;
    let start = |(index, (share, triples)): (usize, &(WitnessShare<Bn254>, TripleShare<Bn254>))| {
        Prover::start(&world.key, &world.system, share, triples, &mut rng(index as u8)).unwrap()
    };
    let (provers, first): (Vec<_>, Vec<_>) = shares.iter().enumerate().map(start).unzip();
    let (checking, masked) = mask(provers, &first);
    let (revealed, shares) = reveal(checking, &masked);
    let results = finish(revealed, &shares, honest);
    assert!(results.iter().all(|result| matches!(result, Err(Error::Unsatisfied))));
}

#[test]
fn shares_that_do_not_fit_are_named() {
    let world = World::<Bn254>::new();
    let (two, three) = (world.shares(2, 50), world.shares(3, 51));
    let start = |share, triples| {
        Prover::start(&world.key, &world.system, share, triples, &mut rng(1)).err()
    };
    let refused = start(&two[0].0, &two[1].1);
    assert!(matches!(refused, Some(Error::OtherParty { party: 1, parties: 2 })));
    assert!(matches!(start(&two[0].0, &three[0].1), Some(Error::OtherParty { .. })));
    let mut short = world.shares(2, 52).remove(0);
    short.0.private.pop();
    assert!(matches!(start(&short.0, &short.1), Some(Error::Length { what: "wires", .. })));
    let mut few = world.shares(2, 53).remove(0);
    few.1.count -= 1;
    assert!(matches!(start(&few.0, &few.1), Some(Error::Length { what: "triples", .. })));
    assert!(matches!(Seat::new(3, 2), Err(Error::Parties { .. })));
    assert!(matches!(Seat::new(1, 1), Err(Error::Parties { .. })));
    let (prover, message) =
        world.start(2, 54).0.into_iter().zip(world.start(2, 54).1).next().unwrap();
    assert!(matches!(prover.mask(&[message]), Err(Error::Messages { expected: 2, got: 1 })));
}

#[test]
fn fewer_than_all_shares_are_uniform() {
    let world = World::<Bn254>::new();
    let sum = |shares: &[WitnessShare<Bn254>]| {
        let private = |index: usize| shares.iter().map(|share| share.private[index]).sum();
        (0..shares[0].private.len()).map(private).collect::<Vec<ScalarOf<Bn254>>>()
    };
    let shares = share_witness::<Bn254>(&world.witness, 2, 3, &mut rng(60)).unwrap();
    assert_eq!(sum(&shares), world.witness[3..]);
    let other = share_witness::<Bn254>(&world.witness, 2, 3, &mut rng(61)).unwrap();
    for subset in [0..1, 1..2, 2..3, 0..2, 1..3] {
        let (one, two) = (sum(&shares[subset.clone()]), sum(&other[subset]));
        assert!(one.iter().zip(&two).all(|(one, two)| one != two));
    }
}

#[test]
fn files_are_read_as_they_were_written() {
    let world = World::<Bn254>::new();
    for (share, triples) in world.shares(3, 70) {
        let (one, two) = (share.to_file(), triples.to_file());
        assert_eq!(WitnessShare::<Bn254>::from_file(&one).unwrap().to_file(), one);
        assert_eq!(TripleShare::<Bn254>::from_file(&two).unwrap().to_file(), two);
        for len in 0..two.len() {
            assert!(TripleShare::<Bn254>::from_file(&two[..len]).is_err());
            assert!(WitnessShare::<Bn254>::from_file(&one[..len.min(one.len() - 1)]).is_err());
        }
    }
}

/// Channels between all parties.
fn mesh(parties: u16) -> Vec<Vec<Peer>> {
    let mut peers: Vec<Vec<Peer>> = (0..parties).map(|_| Vec::new()).collect();
    for low in 1..=parties {
        for high in low + 1..=parties {
            let (left, right) = Channel::pair();
            peers[usize::from(low) - 1].push(Peer { party: high, channel: left });
            peers[usize::from(high) - 1].push(Peer { party: low, channel: right });
        }
    }
    peers
}

#[test]
fn parties_prove_over_channels() {
    let world = &World::<Bn254>::new();
    for parties in 2..=4 {
        let inputs = world.shares(parties, 80).into_iter().zip(mesh(parties));
        let proofs: Vec<_> = thread::scope(|scope| {
            let mut threads = Vec::new();
            for ((share, triples), mut peers) in inputs {
                threads.push(scope.spawn(move || {
                    let rng = &mut rng(share.seat().party() as u8);
                    let (key, system) = (&world.key, &world.system);
                    prove_with_peers(key, system, &share, triples, &mut peers, rng).unwrap()
                }));
            }
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        world.verify(&proofs[0]);
        assert!(proofs.iter().all(|proof| *proof == proofs[0]));
    }
}

/// "I know this number", in two rows.
struct Nothing;

impl<F: Scalar> Circuit<F> for Nothing {
    fn synthesize(&self, cs: &mut Synthesizer<F>) {
        cs.private(F::from_u64(3));
    }
}

/// The longest message is then that of the check.
#[test]
fn the_smallest_circuit_is_proven_over_channels() {
    let system: ConstraintSystem<ScalarOf<Bls12381>> = Nothing.constraint_system();
    let key = &insecure_dealer::<Bls12381>(&system, &mut rng(1)).unwrap();
    assert!(
        FirstMessage::<Bls12381>::encoded_len(key.domain_size())
            < CheckShare::<Bls12381>::encoded_len()
    );
    let witness = Circuit::<ScalarOf<Bls12381>>::witness(&Nothing);
    let shares = share_witness::<Bls12381>(&witness, 0, 2, &mut rng(2)).unwrap();
    let triples = deal::<Bls12381>(key.domain_size() as u32, 2, &mut rng(3)).unwrap();
    let system = &system;
    thread::scope(|scope| {
        for ((share, triples), mut peers) in shares.into_iter().zip(triples).zip(mesh(2)) {
            scope.spawn(move || {
                let rng = &mut rng(share.seat().party() as u8);
                prove_with_peers(key, system, &share, triples, &mut peers, rng).unwrap();
            });
        }
    });
}

/// What a party 2 can send: it has its share of the triples, and what party 1 said to it.
struct Hostile<'a> {
    world: &'a World<Bn254>,
    /// What it is to say first.
    greeting: Vec<u8>,
    /// What party 1 said first.
    heard: Vec<u8>,
}

/// What party 1 says of a party 2 that sends these frames.
fn against(frames: impl Fn(&Hostile<'_>) -> Vec<Vec<u8>>) -> Error {
    let world = &World::<Bn254>::new();
    let mut peers = mesh(2);
    let mut hostile = peers.remove(1).remove(0).channel;
    let (mut own, (share, triples)) = (peers.remove(0), world.shares(2, 90).remove(0));
    let greeting = hello(&agreed(&world.key, &share, &triples), 2, 1);
    thread::scope(|scope| {
        // Its end of the channel closes when it gives up.
        let honest = scope.spawn(move || {
            let (key, system, rng) = (&world.key, &world.system, &mut rng(91));
            prove_with_peers(key, system, &share, triples, &mut own, rng).unwrap_err()
        });
        let heard = hostile.receive().unwrap();
        for frame in frames(&Hostile { world, greeting, heard }) {
            // The honest party answers, or is gone by then.
            hostile.send(&frame).ok();
            hostile.receive().ok();
        }
        drop(hostile);
        honest.join().unwrap()
    })
}

#[test]
fn hostile_peers_are_named() {
    let session = |error| matches!(error, Error::Session { party: 2, .. });
    let message = |error| matches!(error, Error::Message { party: 2, .. });
    let channel = |error| matches!(error, Error::Channel { party: 2, .. });
    let honest = |party: &Hostile<'_>| party.world.start(2, 92).1.remove(1).to_bytes();

    assert!(channel(against(|_| vec![])));
    assert!(session(against(|_| vec![vec![]])));
    // Its own greeting back.
    assert!(session(against(|party| vec![party.heard.clone()])));
    assert!(session(against(|party| vec![[&party.greeting[..], &[0]].concat()])));
    assert!(channel(against(|party| vec![party.greeting.clone()])));
    assert!(message(against(|party| vec![party.greeting.clone(), vec![0; 10]])));
    assert!(channel(against(|party| vec![party.greeting.clone(), vec![0; 1 << 20]])));
    assert!(message(against(|party| {
        let mut bytes = honest(party);
        bytes[31] = 0xff;
        vec![party.greeting.clone(), bytes]
    })));
    assert!(message(against(|party| {
        let mut bytes = honest(party);
        bytes.pop();
        vec![party.greeting.clone(), bytes]
    })));
    assert!(message(against(|party| vec![party.greeting.clone(), honest(party), vec![7; 31]])));
    let masked = MaskedShare::<Bn254> { c: G1::generator(), rho: <S as Scalar>::one() }.to_bytes();
    let share = CheckShare::<Bn254> { share: Default::default(), nonce: [7; 32] };
    let commitment = share.commitment(2).to_bytes();
    let up_to_commitment = |party: &Hostile<'_>, commitment: &[u8]| {
        let (greeting, first) = (party.greeting.clone(), honest(party));
        vec![greeting, first, masked.clone(), commitment.to_vec()]
    };
    assert!(message(against(|party| up_to_commitment(party, &commitment[1..]))));
    // Whoever goes now has heard what it wanted to know.
    let told = |error| match error {
        Error::Told(error) => *error,
        error => panic!("{error}"),
    };
    let gone = against(|party| up_to_commitment(party, &commitment));
    assert!(gone.tells() && channel(told(gone)));
    let with_share = |bytes: Vec<u8>| {
        told(against(|party| {
            let mut frames = up_to_commitment(party, &commitment);
            frames.push(bytes.clone());
            frames
        }))
    };
    // Well formed and wrong, another than it committed to, not reduced, too long.
    assert!(matches!(with_share(share.to_bytes()), Error::Unsatisfied));
    let other = CheckShare::<Bn254> { nonce: [8; 32], ..share.clone() };
    assert!(matches!(with_share(other.to_bytes()), Error::Commitment { party: 2 }));
    assert!(message(with_share([vec![0xff; 12 * 32], vec![7; 32]].concat())));
    assert!(message(with_share([share.to_bytes(), vec![0]].concat())));
}

/// A stranger, who does not know the dealing, sends what party 1 said back as if party 2 had said it.
#[test]
fn a_reflected_greeting_is_refused() {
    let refused = against(|stranger| {
        assert_eq!(stranger.greeting.len(), stranger.heard.len());
        vec![[&2_u16.to_le_bytes()[..], &stranger.heard[2..]].concat()]
    });
    assert!(matches!(refused, Error::Session { party: 2, .. }), "{refused}");
    // Nor does what a third party was told do for another.
    let agreed = Transcript::new(b"test");
    let said = [(1, 2), (2, 1), (1, 3), (3, 1), (2, 3), (3, 2)];
    let said: HashSet<_> = said.map(|(from, to)| hello(&agreed, from, to)[2..].to_vec()).into();
    assert_eq!(said.len(), 6);
}
