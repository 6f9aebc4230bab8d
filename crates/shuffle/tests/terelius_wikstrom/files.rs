//! `vectors/mix`: a chain of two mixers in the files of `docs/formats/mix-files.md`, made from a seed.

use std::{
    fs,
    path::{Path, PathBuf},
};

use algebra::{Embed, Group, Ristretto255 as G};
use shuffle::{
    Column, Mix, MixClaim, MixContext, PublicKey, SecretKey, encode_columns, tw::Generators,
    verify_mixes,
};
use wire::{Encode as _, FileHeader, put_bytes};

use super::common::rng;

/// Up to 32 bytes each, hence two columns.
const VOTES: [&str; 5] =
    ["Bob Kiss", "Andy Montroll", "Bob Kiss", "Kurt Wright", "Dan Smith of the Old North End"];
const COLUMNS: usize = 2;
/// The second mixer failed: who comes second is the third.
const TURNS: [MixContext<'static>; 2] = [turn(1, 1), turn(3, 2)];

const fn turn(mixer: u32, position: u32) -> MixContext<'static> {
    MixContext { study: b"burlington", mix: b"1", mixer, position }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../vectors/mix")
}

/// What every file begins with.
fn head(kind: &'static str, key: &PublicKey<G>) -> Vec<u8> {
    let mut out = Vec::new();
    FileHeader::new(kind, 1).encode(&mut out);
    put_bytes(&mut out, G::NAME.as_bytes());
    out.extend_from_slice(&Group::encode(&key.point()));
    out
}

/// The names and the bytes of all files.
fn files() -> [(&'static str, Vec<u8>); 4] {
    let mut rng = rng(27);
    let key = SecretKey::<G>::generate(&mut rng).public_key();
    let mut columns = Vec::new();
    for column in 0..COLUMNS {
        let part = |vote: &'static str| vote.as_bytes().chunks(G::CAPACITY).nth(column);
        let encrypt = |vote| {
            let message = G::embed(part(vote).unwrap_or_default()).unwrap();
            key.encrypt(&message, &<G as Group>::Scalar::random(&mut rng))
        };
        columns.push(Column::new(&VOTES.map(encrypt)));
    }
    let mut list = head("mixlist", &key);
    encode_columns(&columns, &mut list);

    let generators = Generators::derive(VOTES.len());
    let mut mixes = Vec::new();
    for turn in TURNS {
        let input = mixes.last().map_or(&columns[..], |mix: &Mix<G>| &mix.outputs[..]);
        mixes.push(Mix::new(&key, input, &generators, &turn, &mut rng).unwrap());
    }
    let claims = [0, 1].map(|at| MixClaim { context: TURNS[at], mix: &mixes[at] });
    verify_mixes(&key, &columns, &claims, &generators).unwrap();
    let [first, second] = claims.map(|MixClaim { context, mix }| {
        let mut out = head("mix", &key);
        put_bytes(&mut out, context.study);
        put_bytes(&mut out, context.mix);
        context.mixer.encode(&mut out);
        context.position.encode(&mut out);
        mix.encode(&mut out);
        out
    });
    [("public.key", head("mixkey", &key)), ("votes", list), ("1.mix", first), ("2.mix", second)]
}

#[test]
fn the_vectors_of_mixes_are_made_again() {
    for (name, bytes) in files() {
        assert!(fs::read(folder().join(name)).unwrap() == bytes, "{name}: `scripts/vectors`");
    }
}

/// Writes the vectors. `scripts/vectors` runs it.
#[test]
#[ignore = "it writes files of the repository"]
fn vectors_of_mixes_are_made() {
    for (name, bytes) in files() {
        fs::write(folder().join(name), bytes).unwrap();
    }
}
