//! Containers of sections, entries, checkpoints, proofs.

use std::io::Cursor;

use board::{Entry, Head, logged::Contradiction, logged::Record};
use log::{
    AddCheckpoint, AuthorId, Checkpoint, Evidence, Header, Leaf, Origin, Promise, SignedCheckpoint,
    Standing, Stretch, merkle,
    note::{KeyName, Note, NoteSignature, VerifierKey},
    tile::{self, Tile},
};
use wire::{Address, Blake2b, Decode as _, Digest, Reader, SectionTable};

use crate::target::{Target, canonical, is_read, parsed, readers, same, text};

pub fn targets() -> Vec<Target> {
    vec![
        Target::new("wire-sections", readers![sections]),
        Target::new(
            "wire-texts",
            readers![parsed::<Digest>, text(|text| is_read(text.parse::<Address>())), state],
        ),
        Target::new(
            "log-messages",
            readers![
                canonical::<Header>,
                canonical::<AuthorId>,
                canonical::<Standing>,
                canonical::<Promise>,
                canonical::<Leaf>,
                canonical::<Stretch>,
                evidence,
                proof,
                range_proof,
            ],
        ),
        Target::new(
            "log-notes",
            readers![
                note,
                signed_checkpoint,
                add_checkpoint,
                text(checkpoint),
                text(signature),
                parsed::<VerifierKey>,
                parsed::<KeyName>,
                parsed::<Origin>,
            ],
        ),
        Target::new("log-tiles", readers![tile, parsed::<Tile>]).with_seeds(tiles),
        Target::new(
            "board-entries",
            readers![
                canonical::<Entry>,
                canonical::<Record>,
                canonical::<Contradiction>,
                canonical::<Head>,
            ],
        ),
    ]
}

/// The stored state of a hash.
fn state(bytes: &[u8]) -> bool {
    bytes.first_chunk().is_some_and(|bytes| is_read(Blake2b::from_state(bytes)))
}

fn sections(bytes: &[u8]) -> bool {
    [(*b"r1cs", 1), (*b"wtns", 2), (*b"ptau", 1), (*b"zkey", 1)].into_iter().any(
        |(magic, version)| {
            let table = SectionTable::read(&mut Cursor::new(bytes), magic, version);
            for section in table.iter().flat_map(SectionTable::sections) {
                assert!(section.offset + section.len <= bytes.len() as u64, "inside of the file");
            }
            is_read(table)
        },
    )
}

fn evidence(bytes: &[u8]) -> bool {
    if let Ok(evidence) = Evidence::from_bytes(bytes) {
        let _ = is_read(evidence.verify());
    }
    canonical::<Evidence>(bytes)
}

fn proof(bytes: &[u8]) -> bool {
    let mut reader = Reader::new(bytes);
    let Ok(proof) = merkle::decode_proof(&mut reader) else { return false };
    let mut written = Vec::new();
    merkle::encode_proof(&proof, &mut written);
    written.extend_from_slice(reader.take_rest());
    same(&written, bytes);
    true
}

fn range_proof(bytes: &[u8]) -> bool {
    is_read(merkle::decode_range_proof(&mut Reader::new(bytes)))
}

fn note(bytes: &[u8]) -> bool {
    let read = Note::parse(bytes);
    read.iter().for_each(|note| same(note.to_text().as_bytes(), bytes));
    is_read(read)
}

fn signed_checkpoint(bytes: &[u8]) -> bool {
    let read = SignedCheckpoint::parse(bytes);
    read.iter().for_each(|signed| same(signed.to_text().as_bytes(), bytes));
    is_read(read)
}

fn add_checkpoint(bytes: &[u8]) -> bool {
    let read = AddCheckpoint::parse(bytes);
    read.iter().for_each(|request| same(request.to_text().as_bytes(), bytes));
    is_read(read)
}

fn checkpoint(text: &str) -> bool {
    let read = Checkpoint::from_text(text);
    read.iter().for_each(|checkpoint| same(checkpoint.to_text().as_bytes(), text.as_bytes()));
    is_read(read)
}

fn signature(text: &str) -> bool {
    let read = NoteSignature::from_line(text);
    read.iter()
        .for_each(|line| same(line.to_line().trim_end_matches('\n').as_bytes(), text.as_bytes()));
    is_read(read)
}

/// A tile's path, a zero, and its bytes.
fn tile(bytes: &[u8]) -> bool {
    let Some(end) = bytes.iter().position(|byte| *byte == 0) else { return false };
    let (path, rest) = bytes.split_at(end);
    let Some(tile) = str::from_utf8(path).ok().and_then(|path| path.parse::<Tile>().ok()) else {
        return false;
    };
    is_read(tile::unbundle(&tile, &rest[1..]))
}

fn tiles() -> Vec<Vec<u8>> {
    let of = |name: &str, entries: &[u8]| [name.as_bytes(), &[0], entries].concat();
    vec![
        of("entries/000.p/2", b"\0\x03abc\0\0"),
        of("entries/x001/x234/067.p/1", b"\0\x01a"),
        of("2/x001/256", b""),
    ]
}
