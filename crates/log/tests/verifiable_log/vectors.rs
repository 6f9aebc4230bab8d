//! Bytes of others: what Go's `golang.org/x/mod/sumdb` (`note`, `tlog`) and `filippo.io/torchwood` 0.9 make of
//! 1,000 records "record 0" and so on, with keys from seeds of 32 equal bytes (1: the log, 2 and 3:
//! witnesses).

use log::{
    Checkpoint, MemoryTiles, Quorum, SignedCheckpoint, TileStore as _, Tree,
    merkle::{self, Hash, leaf_hash},
    note::{Note, VerifierKey},
    tile::Tile,
};
use sha2::{Digest as _, Sha256};

use super::identity;

const VECTORS: &str = include_str!("../vectors/vectors.txt");
const CHECKPOINT: &[u8] = include_bytes!("../vectors/checkpoint.txt");
const EXTENDED: &[u8] = include_bytes!("../vectors/extended.txt");

fn values(name: &str) -> Vec<&'static str> {
    let of = |line: &&'static str| line.split_once(' ').is_some_and(|(key, _)| key == name);
    VECTORS.lines().filter(of).map(|line| line.split_once(' ').unwrap().1).collect()
}

fn value(name: &str) -> &'static str {
    values(name)[0]
}

fn log() -> Tree<MemoryTiles> {
    let hash = |at| leaf_hash(format!("record {at}").as_bytes());
    let mut tree = Tree::new(MemoryTiles::default());
    tree.append(&(0..1_000).map(hash).collect::<Vec<Hash>>()).unwrap();
    tree
}

fn hex(hash: Sha256) -> String {
    Hash::from(<[u8; 32]>::from(hash.finalize())).to_string()
}

#[test]
fn roots_and_proofs_are_those_of_go() {
    let tree = log();
    let [mut roots, mut inclusion, mut consistency] = [(); 3].map(|()| Sha256::new());
    let add = |hash: &mut Sha256, proof: Vec<Hash>| {
        proof.iter().for_each(|node| hash.update(node.as_bytes()));
    };
    for last in 0..1_000_u64 {
        let size = last + 1;
        roots.update(merkle::root_of(&tree, size).unwrap().as_bytes());
        if last % 37 == 0 || last > 990 {
            for index in (0..=last).step_by(5) {
                add(&mut inclusion, merkle::inclusion_proof(&tree, index, size).unwrap());
                add(&mut consistency, merkle::consistency_proof(&tree, index + 1, size).unwrap());
            }
        }
    }
    assert_eq!(hex(roots), value("roots"));
    assert_eq!(hex(inclusion), value("inclusion"));
    assert_eq!(hex(consistency), value("consistency"));
}

#[test]
fn tiles_and_their_names_are_those_of_go() {
    let tree = log();
    let mut tiles = Sha256::new();
    for tile in Tile::written(0, 1_000) {
        tiles.update(format!("{tile}\n"));
        let Ok(bytes) = tree.store().get(&tile);
        tiles.update(bytes.unwrap());
    }
    assert_eq!(hex(tiles), value("tiles"));
}

#[test]
fn a_checkpoint_of_go_with_its_cosignatures_is_accepted() {
    let signed = SignedCheckpoint::parse(CHECKPOINT).unwrap();
    assert_eq!(signed.to_text().as_bytes(), CHECKPOINT);
    let key: VerifierKey = value("key").parse().unwrap();
    assert_eq!((key.to_string().as_str(), key.key), (value("key"), identity(1).id()));
    signed.verify(&key).unwrap();
    let witnesses: Vec<VerifierKey> =
        values("witness").into_iter().map(|key| key.parse().unwrap()).collect();
    assert_eq!(witnesses[1].key, identity(3).id());
    let quorum = Quorum::new(witnesses, 2).unwrap();
    assert!(quorum.verify(&signed).unwrap().is_some());
    let checkpoint = signed.checkpoint();
    assert_eq!((checkpoint.size, checkpoint.root), (1_000, log().root().unwrap()));

    // Ed25519 is deterministic: we write the very same line.
    let origin = key.name.as_str().parse().unwrap();
    let own = Checkpoint::new(origin, 1_000, checkpoint.root).sign(&identity(1)).unwrap();
    assert_eq!(own.note().signatures()[0], signed.note().signatures()[0]);
    let lines = &signed.note().signatures()[1..];
    for (line, seed) in lines.iter().zip([2, 3]) {
        let time = u64::from_be_bytes(line.signature[..8].try_into().unwrap());
        let name = line.name.clone();
        assert_eq!(log::cosign(signed.note().text(), name, &identity(seed), time), *line);
    }
}

#[test]
fn a_checkpoint_of_go_with_an_extension_is_accepted() {
    let signed = SignedCheckpoint::parse(EXTENDED).unwrap();
    signed.verify(&value("key").parse().unwrap()).unwrap();
    assert_eq!(signed.checkpoint().extensions, ["an extension line"]);
    assert_eq!(signed.to_text().as_bytes(), EXTENDED);
}

/// The examples of `signed-note` and `tlog-cosignature`, of which no key is published: their form.
#[test]
fn the_examples_of_the_specifications_are_read() {
    let poem = "Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n\n\
        — quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n";
    let note = Note::parse(poem.as_bytes()).unwrap();
    assert!(note.text().ends_with("sole:\n\ned è subito sera.\n"));
    assert_eq!(note.signatures()[0].signature.len(), 64);
    assert_eq!(note.to_text(), poem);
    let sofa = "example.com/behind-the-sofa\n20852163\nCsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=\n\n\
        — example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=\n\
        — witness.example.com/w1 jWbPPwAAAABkGFDLEZMHwSRaJNiIDoe9DYn/zXcrtPHeolMI5OWXEhZCB9dlrDJsX3b2oyin1nPZqhf5nNo0xUe+mbIUBkBIfZ+qnA==\n";
    let signed = SignedCheckpoint::parse(sofa.as_bytes()).unwrap();
    assert_eq!((signed.checkpoint().size, signed.to_text().as_str()), (20_852_163, sofa));
    let time: [u8; 8] = signed.note().signatures()[1].signature[..8].try_into().unwrap();
    assert_eq!(u64::from_be_bytes(time), 1_679_315_147);
}
