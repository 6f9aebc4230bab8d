//! What contributors and coordinators of ceremonies send: files are read to the end, as whoever verifies them does.

use std::{fs, io::Cursor, sync::LazyLock};

use algebra::{Bls12381, Bn254, Dialect, Engine};
use ceremony::{
    Error, Snapshot, Trust,
    drand::{Chain, Round},
    kzg,
    phase1::{self, Settings},
    phase2, sonic, tflsz,
};
use circuit::kzg::{BatchContribution, BatchTranscript};

use crate::{
    pieces::root,
    sessions::{join, rng, split},
    target::{Read, Target, is_read, readers},
};

/// Powers of the Ethereum ceremony's files that are fuzzed.
const SIZES: [(usize, usize); 1] = [(4, 2)];

/// Beacons of more than 2^10 hashes are refused.
fn settings() -> Settings {
    let mut settings = Settings::default();
    settings.max_iterations_exp = 10;
    settings
}

static CIRCUIT: LazyLock<Vec<u8>> = LazyLock::new(|| vector("snarkjs/objects/ceremony/circuit"));
static PHASE1: LazyLock<Vec<u8>> = LazyLock::new(|| vector("snarkjs/objects/ceremony/phase1"));
static KEY: LazyLock<Vec<u8>> = LazyLock::new(|| vector("snarkjs/objects/ceremony/parameters"));
static NATIVE_PHASE1: LazyLock<Vec<u8>> = LazyLock::new(|| vector("proof/objects/ceremony/phase1"));

fn vector(path: &str) -> Vec<u8> {
    fs::read(root().join("vectors/ceremony").join(path)).expect("a vector is read")
}

pub fn targets() -> Vec<Target> {
    vec![
        Target::new("ceremony-phase1", both(phase1::<Bn254>, phase1::<Bls12381>)),
        Target::new("ceremony-phase2", both(phase2, record::<Bls12381>)),
        Target::new("ceremony-response", readers![response]).with_seeds(responses),
        Target::new("ceremony-challenge", readers![challenge]).with_seeds(challenges),
        Target::new("ceremony-bellman", readers![bellman]).with_seeds(bellmans),
        Target::new("ceremony-sonic", both(sonic::<Bn254>, sonic::<Bls12381>)).with_seeds(sonics),
        Target::new("ceremony-tflsz", both(tflsz::<Bls12381>, tflsz::<Bn254>)),
        Target::new("ceremony-kzg", readers![transcript, contribution]),
        Target::new("ceremony-drand", readers![drand]).with_seeds(rounds),
    ]
}

fn both(one: fn(&[u8]) -> Result<(), Error>, other: fn(&[u8]) -> Result<(), Error>) -> Vec<Read> {
    readers![move |bytes| is_read(one(bytes)), move |bytes| is_read(other(bytes))]
}

fn phase1<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    let history = phase1::history::<E>(file)?;
    if history.is_native {
        phase1::native::records::<E>(file)?;
        phase1::native::verify::<E>(file, &settings(), &mut rng(1), &()).map(drop)
    } else {
        phase1::records::<E>(file)?;
        phase1::verify::<E>(file, &settings(), &mut rng(1), &()).map(drop)
    }
}

/// A key of the circuit of the vectors, or a record of one.
fn phase2(bytes: &[u8]) -> Result<(), Error> {
    let [circuit, phase1] = [&*CIRCUIT, &*PHASE1].map(Cursor::new);
    let (mut circuit, mut phase1, mut key) = (circuit, phase1, Cursor::new(bytes));
    if phase2::native::is_native::<Bn254>(&mut key).is_ok_and(|is_native| is_native) {
        phase2::native::records::<Bn254>(&mut key)?;
        let mut phase1 = Cursor::new(&*NATIVE_PHASE1);
        return phase2::native::verify::<Bn254>(
            &mut circuit,
            &mut phase1,
            &mut key,
            &settings(),
            &mut rng(1),
            &(),
        )
        .map(drop);
    }
    record::<Bn254>(bytes).or_else(|_| {
        phase2::info::<Bn254>(&mut key)?;
        phase2::export::<Bn254>(&mut key)?;
        phase2::verify::<Bn254>(&mut circuit, &mut phase1, &mut key, &settings(), &mut rng(1), &())
            .map(drop)
    })
}

fn record<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    phase2::verify_record::<E>(&mut Cursor::new(bytes), &settings(), &mut rng(1), &()).map(drop)
}

/// A response to the challenge of a phase 1 of power 2, which the coordinator takes in.
fn response(bytes: &[u8]) -> bool {
    is_read(phase1::import_response::<Bn254>(
        &mut Cursor::new(&*EMPTY),
        &mut Cursor::new(bytes),
        &mut Cursor::new(Vec::new()),
        None,
        &settings(),
        &mut rng(1),
        &(),
    ))
}

/// A phase 1 without contributions.
static EMPTY: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut file = Vec::new();
    phase1::new::<Bn254>(&mut file, 2, &()).expect("a phase 1 of power 2");
    file
});

fn challenges() -> Vec<Vec<u8>> {
    let mut challenge = Vec::new();
    phase1::export_challenge::<Bn254>(&mut Cursor::new(&*EMPTY), &mut challenge, &())
        .expect("a challenge");
    vec![challenge]
}

fn responses() -> Vec<Vec<u8>> {
    let answer = |dialect| answer(&challenges().concat(), dialect).expect("a response");
    [Dialect::Bellman, Dialect::Snarkjs].map(answer).into()
}

/// A challenge, which a contributor answers.
fn challenge(bytes: &[u8]) -> bool {
    let answers = [Dialect::Bellman, Dialect::Snarkjs].map(|dialect| answer(bytes, dialect));
    answers.map(is_read).contains(&true)
}

fn answer(challenge: &[u8], dialect: Dialect) -> Result<Vec<u8>, Error> {
    let mut file = Snapshot::take(Cursor::new(challenge), &())?;
    let (mut response, mut checks) = (Vec::new(), rng(2));
    let trust = Trust::verify((), &mut checks);
    phase1::answer::<Bn254>(&mut file, &mut response, dialect, trust, &mut rng(1), &())?;
    Ok(response)
}

/// Parameters of bellman that a contributor returns for the key of the vectors.
fn bellman(bytes: &[u8]) -> bool {
    let _ = is_read(phase2::bellman_transcript::<Bn254>(&mut Cursor::new(bytes), Dialect::Bellman));
    is_read(phase2::import_bellman::<Bn254>(
        phase2::Import {
            response: &mut Cursor::new(bytes),
            circuit: &mut Cursor::new(&*CIRCUIT),
            ptau: &mut Cursor::new(&*PHASE1),
            old: &mut Cursor::new(&*KEY),
        },
        &mut Cursor::new(Vec::new()),
        Dialect::Bellman,
        None,
        &settings(),
        &mut rng(1),
        &(),
    ))
}

/// Parameters in bellman's form, of the key of the vectors.
pub fn bellmans() -> Vec<Vec<u8>> {
    let mut parameters = Vec::new();
    phase2::export_bellman::<Bn254>(
        &mut Cursor::new(&*KEY),
        &mut parameters,
        Dialect::Bellman,
        &(),
    )
    .expect("parameters");
    vec![parameters]
}

fn sonic<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    if sonic::info::<E>(file).is_err() {
        return sonic::verify_srs::<E>(file, &mut rng(1), &());
    }
    sonic::records::<E>(file)?;
    sonic::verify::<E>(file, &mut rng(1), &()).map(drop)
}

/// A ceremony of a Sonic SRS, before and after a contribution.
pub fn sonics() -> Vec<Vec<u8>> {
    let (mut old, mut new) = (Vec::new(), Vec::new());
    sonic::new::<Bn254>(4, &mut old, &()).expect("a ceremony of degree 4");
    let mut file = Snapshot::take(Cursor::new(&old), &()).expect("a file in memory");
    let (name, mut rng) = (Some("Ana".to_owned()), rng(1));
    sonic::contribute::<Bn254>(&mut file, &mut new, name, Trust::Skip, &mut rng, &())
        .expect("a contribution");
    vec![old, new]
}

fn tflsz<E: Engine>(bytes: &[u8]) -> Result<(), Error> {
    let file = &mut Cursor::new(bytes);
    tflsz::info::<E>(file)?;
    tflsz::records::<E>(file)?;
    tflsz::finish::<E>(file, &mut Vec::new())
}

fn transcript(bytes: &[u8]) -> bool {
    let Ok(transcript) = BatchTranscript::read(bytes) else { return false };
    kzg::records(&transcript);
    is_read(kzg::verify_transcript(&transcript, &SIZES, &mut rng(1), &()))
}

fn contribution(bytes: &[u8]) -> bool {
    let parts = split(bytes);
    let [before, contribution] = parts.as_slice() else { return false };
    let Ok(before) = BatchTranscript::read(*before) else { return false };
    let Ok(contribution) = BatchContribution::read(*contribution) else { return false };
    is_read(kzg::verify_contribution(&before, &contribution, &SIZES, &mut rng(1), &()))
}

/// The number of a round, and its signature, the one before, and the randomness.
fn drand(bytes: &[u8]) -> bool {
    let parts = split(bytes);
    let [number, signature, previous, randomness] = parts.as_slice() else { return false };
    let number = number.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let [signature, previous_signature, randomness] =
        [signature, previous, randomness].map(|bytes| bytes.to_vec());
    let round = Round { number, signature, previous_signature, randomness };
    [Chain::Default, Chain::Quicknet].into_iter().any(|chain| is_read(round.verify(chain)))
}

fn rounds() -> Vec<Vec<u8>> {
    let number = 1000_u64.to_le_bytes().to_vec();
    let of =
        |len, previous| join(&[number.clone(), vec![0xc0; len], vec![1; previous], vec![0; 32]]);
    vec![of(48, 0), of(96, 96)]
}
