//! Proofs, keys and messages of succinct proofs.

use std::{io::Cursor, sync::LazyLock};

use algebra::{Bls12381, Bn254, Engine};
use snark::{
    FileFormat,
    collaborative::{
        CheckShare, FirstMessage, MaskedShare, SecondMessage, TripleShare, WitnessShare,
    },
    gm17,
    groth16::{self, CommittedProof, ProvingKey, encoding::Encoding},
    pairing_of,
    set_membership::{
        AbsenceWitness, Accumulator, Curve, MembershipWitness, Opening, Parameters, SetFile,
        SetKey, SetProof,
    },
    sonic::{self, unhelped},
};
use wire::Encode;

use crate::target::{Read, Target, canonical, is_read, readers, same};

/// Rows of the proof whose messages are read.
const ROWS: usize = 4;

static PARAMETERS: LazyLock<Parameters> = LazyLock::new(Parameters::rsa_2048);

pub fn targets() -> Vec<Target> {
    let on_both = |of: fn() -> [Vec<Read>; 2]| of().into_iter().flatten().collect();
    vec![
        Target::new("snark-files", on_both(|| [files::<Bn254>(), files::<Bls12381>()])),
        Target::new("snark-encodings", on_both(|| [encodings::<Bn254>(), encodings::<Bls12381>()])),
        Target::new("snark-messages", on_both(|| [messages::<Bn254>(), messages::<Bls12381>()])),
        Target::new(
            "snark-sets",
            readers![
                set::<Accumulator>,
                set::<MembershipWitness>,
                set::<AbsenceWitness>,
                set::<Opening>,
                set::<Curve>,
                set::<SetKey>,
                set::<SetProof>,
            ],
        ),
    ]
}

fn files<E: Engine>() -> Vec<Read> {
    readers![
        file::<E, gm17::Proof<E>>,
        file::<E, gm17::VerifyingKey<E>>,
        file::<E, gm17::ProvingKey<E>>,
        file::<E, sonic::Proof<E>>,
        file::<E, sonic::VerifyingKey<E>>,
        file::<E, sonic::Advice<E>>,
        file::<E, sonic::Aggregate<E>>,
        file::<E, unhelped::Proof<E>>,
        file::<E, unhelped::VerifyingKey<E>>,
        file::<E, TripleShare<E>>,
        file::<E, WitnessShare<E>>,
        |bytes| is_read(ProvingKey::<E>::read_zkey(&mut Cursor::new(bytes))),
    ]
}

fn file<E: Engine, T: FileFormat<E>>(bytes: &[u8]) -> bool {
    let _ = is_read(pairing_of(bytes));
    let read = T::from_file(bytes);
    read.iter().for_each(|value| same(&value.to_file(), bytes));
    is_read(read)
}

fn encodings<E: Engine>() -> Vec<Read> {
    let of = |encoding: Encoding| -> Vec<Read> {
        readers![
            move |bytes| {
                let read = encoding.decode_proof::<E>(bytes);
                if let Ok(proof) = &read {
                    same(&encoding.encode_proof(proof).expect("of this curve"), bytes);
                }
                is_read(read)
            },
            move |bytes| {
                let read = encoding.decode_key::<E>(bytes);
                if let Ok(key) = &read {
                    same(&encoding.encode_key(key).expect("of this curve"), bytes);
                }
                is_read(read)
            },
        ]
    };
    Encoding::ALL.into_iter().flat_map(of).collect()
}

fn messages<E: Engine>() -> Vec<Read> {
    fn again<T: Encode>(read: Result<T, wire::DecodeError>, bytes: &[u8]) -> bool {
        read.iter().for_each(|message| same(&message.to_bytes(), bytes));
        is_read(read)
    }
    readers![
        |bytes| again(FirstMessage::<E>::decode(bytes, ROWS), bytes),
        |bytes| again(SecondMessage::<E>::decode(bytes), bytes),
        |bytes| again(CheckShare::<E>::decode(bytes), bytes),
        |bytes| again(MaskedShare::<E>::decode(bytes), bytes),
        canonical::<CommittedProof<E>>,
        canonical::<groth16::Proof<E>>,
    ]
}

fn set<T: SetFile>(bytes: &[u8]) -> bool {
    let read = T::from_file(&PARAMETERS, bytes);
    read.iter().for_each(|object| same(&object.to_file(&PARAMETERS), bytes));
    is_read(read)
}

/// A proof or a key in the JSON of snarkjs, in every encoding that has points of its curve.
pub fn spellings(json: &str) -> Vec<Vec<u8>> {
    [spellings_on::<Bn254>(json), spellings_on::<Bls12381>(json)].concat()
}

fn spellings_on<E: Engine>(json: &str) -> Vec<Vec<u8>> {
    let all = Encoding::ALL.into_iter();
    if let Ok(proof) = groth16::Proof::<E>::from_json(json) {
        let own = vec![proof.to_bytes()];
        return all.filter_map(|encoding| encoding.encode_proof(&proof).ok()).chain(own).collect();
    }
    match groth16::VerifyingKey::<E>::from_json(json) {
        Ok(key) => all.filter_map(|encoding| encoding.encode_key(&key).ok()).collect(),
        Err(_) => Vec::new(),
    }
}
