//! Messages of mixers and trustees.

use algebra::{Bls12381, Bls12381G1, Group, Ristretto255};
use shuffle::{
    Column, Mix, PointList,
    ballot::{EncryptedBallot, TrackingCode, UndecodedBallot, decode_all},
    decode_columns,
    decrypt::PartialDecryption,
    dkg::{Round1Message, Round2Message, Round3Message},
    encode_columns,
    pairing::{Crs, PairingMix, Scheme, ShuffleProof, ac16},
    sigma::{EqualityProof, ExponentProof, KnowledgeProof},
    tw::{ListProof, PermutationProof},
};
use wire::{DecodeError, Encode as _, Reader};

use crate::{
    sessions::rng,
    target::{Read, Target, canonical, is_read, readers, same, text},
};

/// Rows and columns of proofs whose sizes the reader knows beforehand.
const ROWS: usize = 5;
const COLUMNS: usize = 2;

pub fn targets() -> Vec<Target> {
    let tracking: Read = Box::new(text(|text| is_read(text.parse::<TrackingCode>())));
    let messages = [messages::<Ristretto255>(), messages::<Bls12381G1>(), vec![tracking]];
    vec![
        Target::new("shuffle-messages", messages.into_iter().flatten().collect()),
        Target::new(
            "shuffle-proofs",
            [proofs::<Ristretto255>(), proofs::<Bls12381G1>()].into_iter().flatten().collect(),
        ),
        Target::new(
            "shuffle-pairing",
            readers![
                canonical::<Crs<Bls12381>>,
                canonical::<PairingMix<Bls12381>>,
                canonical::<ac16::Mix<Bls12381>>,
                canonical::<ac16::Column<Bls12381>>,
                |bytes| sized(bytes, |reader| {
                    let read =
                        ShuffleProof::<Bls12381>::decode(reader, Scheme::Tflsz, ROWS, COLUMNS)?;
                    Ok(read.to_bytes())
                }),
            ],
        ),
    ]
}

fn messages<G: Group>() -> Vec<Read> {
    readers![
        canonical::<KnowledgeProof<G>>,
        canonical::<EqualityProof<G>>,
        canonical::<ExponentProof<G, 2>>,
        canonical::<PartialDecryption<G>>,
        canonical::<Round1Message<G>>,
        canonical::<Round2Message<G>>,
        canonical::<Round3Message<G>>,
        canonical::<EncryptedBallot<G>>,
        ballots::<G>,
    ]
}

fn proofs<G: Group>() -> Vec<Read> {
    readers![
        canonical::<Mix<G>>,
        |bytes| sized(bytes, |reader| {
            let columns = decode_columns::<G>(reader)?;
            let mut out = Vec::new();
            encode_columns(&columns, &mut out);
            Ok(out)
        }),
        |bytes| sized(
            bytes,
            |reader| Ok(ListProof::<G>::decode(reader, ROWS, COLUMNS)?.to_bytes())
        ),
        |bytes| sized(bytes, |reader| Ok(PermutationProof::<G>::decode(reader, ROWS)?.to_bytes())),
        points::<G>,
        |bytes| is_read(Column::<G>::decode(bytes)),
    ]
}

/// Reads with a decoder that knows some sizes, and requires the same bytes again.
pub fn sized(
    bytes: &[u8],
    read: impl FnOnce(&mut Reader<'_>) -> Result<Vec<u8>, DecodeError>,
) -> bool {
    let mut reader = Reader::new(bytes);
    let written = read(&mut reader);
    if let Ok(written) = &written {
        same(&[written.as_slice(), reader.take_rest()].concat(), bytes);
    }
    is_read(written)
}

/// Ballots one after the other, whose points are decoded together.
fn ballots<G: Group>(bytes: &[u8]) -> bool {
    let mut reader = Reader::new(bytes);
    let mut undecoded = Vec::new();
    while reader.remaining() > 0 {
        let Ok(ballot) = UndecodedBallot::<G>::read(&mut reader) else { return false };
        undecoded.push(ballot);
    }
    let read = decode_all(&undecoded);
    if let Ok(ballots) = &read {
        let written: Vec<u8> = ballots.iter().flat_map(EncryptedBallot::to_bytes).collect();
        same(&written, bytes);
    }
    is_read(read)
}

fn points<G: Group>(bytes: &[u8]) -> bool {
    let alone = PointList::<G>::decode(bytes);
    let together = PointList::<G>::decode_batch(bytes, &mut rng(1));
    assert_eq!(alone.is_ok(), together.is_ok(), "points alone and together");
    is_read(alone)
}
