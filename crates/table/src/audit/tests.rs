//! Honest epochs, and a server that lies with a consistent header.

use wire::Reader;

use super::{leaves::rebuild, *};
use crate::{
    BuiltEpoch, EpochCore, EpochHeader, Fault, Schema, Table,
    commitment::{BASES, Encoded, Point, decode, encode},
};

use crate::support::{Setup, build, column, entries, schema, setup};

/// One ordered column without further powers, and one more: cheap to prove.
fn plain() -> Schema {
    let mut schema = schema();
    schema.types.clear();
    schema.values = vec![column("age", 0, 120, 1, true)];
    schema
}

fn audited(setup: &Setup, rows: usize, distinct: u64) -> (BuiltEpoch, Vec<u8>, EpochHeader) {
    let entries = entries(setup.table.schema(), rows, distinct, 2);
    let built = build(setup, 10, entries, *setup.table.id());
    let bundle = prove(&setup.table, &setup.secrets, &built, &()).unwrap();
    let header = EpochHeader { core: built.core.clone(), audit: hash(&bundle) };
    (built, bundle, header)
}

/// Pseudonym and commitments.
type ForgedRow = (Vec<u8>, Vec<Encoded>);

/// A bundle with other leaves, and the header that goes with it: what a lying server publishes.
struct Forgery<'a> {
    table: &'a Table,
    core: EpochCore,
    /// Key by key: pseudonym and commitments of every row.
    keys: Vec<(Vec<u8>, Vec<ForgedRow>)>,
    proofs: Vec<u8>,
}

impl<'a> Forgery<'a> {
    fn of(table: &'a Table, header: &EpochHeader, bundle: &[u8]) -> Self {
        let mut reader = Reader::new(bundle);
        let columns = leaves::decode(&mut reader, table.schema()).unwrap();
        assert_eq!(columns.len(), 1, "the forger handles one column");
        let key = |key: &leaves::KeyLeaves| {
            let rows = key.pseudonyms.iter().zip(key.encodings.chunks(key.slots));
            let rows = rows.map(|(pid, row)| (pid.as_bytes().to_vec(), row.to_vec()));
            (key.key.clone(), rows.collect())
        };
        let keys = columns[0].keys.iter().map(key).collect();
        Self { table, core: header.core.clone(), keys, proofs: reader.take_rest().to_vec() }
    }

    fn bytes(&self) -> Vec<u8> {
        use wire::Encode as _;
        let mut out = Vec::new();
        (self.keys.len() as u32).encode(&mut out);
        for (key, rows) in &self.keys {
            wire::put_bytes(&mut out, key);
            (rows.len() as u64).encode(&mut out);
            for (pseudonym, commitments) in rows {
                out.extend_from_slice(pseudonym);
                out.extend_from_slice(commitments.as_flattened());
            }
        }
        out.extend_from_slice(&self.proofs);
        out
    }

    /// Makes the proofs that an honest server makes of `built`, for the forged epoch: its order by
    /// the true commitments, its powers by the forged ones.
    fn prove_anew(&mut self, built: &BuiltEpoch) {
        let (table, seed) = (self.table, [7; 32]);
        let mut honest = Vec::new();
        leaves::encode(built, &mut honest);
        let honest = leaves::decode(&mut Reader::new(&honest), table.schema()).unwrap();
        let forged = leaves::decode(&mut Reader::new(&self.bytes()), table.schema()).unwrap();
        let rebuilt = rebuild(table, self.core.epoch, &forged[0]).unwrap();
        self.core.columns[0] = rebuilt.roots;
        let core = self.core.hash(table.id());
        let openings = prove::openings(table, built);
        let runs = prove::opened_runs(table, built, (&honest, &[]), &openings).unwrap();
        let records = prove::records(table, built);
        self.proofs = order::prove(table.schema(), &core, &runs, &records, &seed).unwrap();
        for placed in verify::powers(table.schema(), &core, &forged, &[rebuilt.leaf_hashes]) {
            let rows = &openings[placed.tree][placed.index];
            self.proofs.extend(placed.proofs.prove(rows, &seed).unwrap());
        }
    }

    /// What the auditor says of the forgery, under a header with the roots of its own trees.
    fn judge(&mut self) -> Result<Report, Fault> {
        let bundle = self.bytes();
        let columns = leaves::decode(&mut Reader::new(&bundle), self.table.schema())?;
        self.core.columns[0] = rebuild(self.table, self.core.epoch, &columns[0])?.roots;
        let header = EpochHeader { core: self.core.clone(), audit: hash(&bundle) };
        verify(self.table, &header, &bundle, &())
    }

    fn shift(&mut self, key: usize, row: usize, slot: usize, by: Point) {
        let commitment = &mut self.keys[key].1[row].1[slot];
        *commitment = encode(&(decode("test", commitment).unwrap() + by));
    }
}

#[test]
fn honest_epochs_pass_and_are_made_the_same_again() {
    for rows in [0, 1, 2, 3, 4, 7, 23] {
        let setup = setup(schema());
        let (built, bundle, header) = audited(&setup, rows, 5);
        let report = verify(&setup.table, &header, &bundle, &()).unwrap();
        assert_eq!((report.rows, report.power_proofs), (rows as u64, rows as u64));
        // Per key n + 1 differences, and 2n bounds of the column without order.
        assert_eq!(report.statements, 3 * report.rows + report.keys);
        let again = prove(&setup.table, &setup.secrets, &built, &()).unwrap();
        assert_eq!(again, bundle);
    }
}

#[test]
fn several_ordered_columns_speak_of_the_same_rows() {
    let mut schema = plain();
    schema.values.push(column("height", 50, 250, 2, true));
    let setup = setup(schema);
    let (_, bundle, header) = audited(&setup, 9, 40);
    assert!(verify(&setup.table, &header, &bundle, &()).is_ok());
    // The second column's keys cannot differ: drop one of its rows. The column starts after the
    // first one's 9 rows of 64 bytes, one key of 5 and 8 bytes, and 4 bytes.
    let second = 4 + 13 + 9 * 64;
    let mut fewer = bundle.clone();
    fewer[second + 4 + 5] = 8;
    fewer.drain(second + 17..second + 17 + 96);
    let header = EpochHeader { audit: hash(&fewer), ..header };
    let refused = verify(&setup.table, &header, &fewer, &());
    assert_eq!(refused, Err(Fault::Mismatch { what: "the keys of another ordered column" }));
}

#[test]
fn no_byte_of_a_bundle_or_header_can_change() {
    let setup = setup(schema());
    let (_, bundle, header) = audited(&setup, 4, 5);
    let refused = |bundle: &[u8]| {
        let header = EpochHeader { audit: hash(bundle), ..header.clone() };
        assert!(verify(&setup.table, &header, bundle, &()).is_err());
    };
    for at in (0..bundle.len()).step_by(bundle.len() / 80) {
        let mut changed = bundle.clone();
        changed[at] ^= 1 << (at % 8);
        refused(&changed);
        refused(&bundle[..at]);
    }
    refused(&[&bundle[..], &[0]].concat());
    let refused = |change: &dyn Fn(&mut EpochHeader)| {
        let mut changed = header.clone();
        change(&mut changed);
        assert!(verify(&setup.table, &changed, &bundle, &()).is_err());
    };
    refused(&|header| header.audit = [0; 32].into());
    refused(&|header| header.core.epoch += 1);
    refused(&|header| header.core.rows += 1);
    refused(&|header| header.core.aux = [0; 32].into());
    refused(&|header| header.core.previous = [0; 32].into());
    refused(&|header| header.core.rollups = [0; 32].into());
    refused(&|header| header.core.columns[0].ids = [0; 32].into());
    refused(&|header| header.core.columns[0].types = [0; 32].into());
}

/// Attack G and its kin: values out of order, out of bounds, moved between rows.
#[test]
fn rows_are_sorted_and_in_bounds() {
    let setup = setup(plain());
    let (built, bundle, header) = audited(&setup, 9, 100);
    let forge = || Forgery::of(&setup.table, &header, &bundle);
    let mut unchanged = forge();
    unchanged.core.aux = [1; 32].into();
    unchanged.prove_anew(&built);
    assert!(unchanged.judge().is_ok(), "the forger makes what it does not change");
    let order = Err(Fault::Equation { what: "range proof" });
    let refused = |what: &str, change: &dyn Fn(&mut Forgery<'_>)| {
        let mut forgery = forge();
        change(&mut forgery);
        forgery.prove_anew(&built);
        assert_eq!(forgery.judge(), order, "{what}");
    };
    refused("two rows swapped", &|forgery| forgery.keys[0].1.swap(0, 8));
    refused("a negative first value", &|forgery| forgery.shift(0, 0, 0, -BASES.value));
    refused("a last value beyond MAX", &|forgery| {
        let by: Point = std::iter::repeat_n(BASES.value, 121).sum();
        forgery.shift(0, 8, 0, by);
    });
    refused("one more", &|forgery| forgery.shift(0, 4, 0, BASES.value));
    refused("another blinding", &|forgery| forgery.shift(0, 4, 0, BASES.blinding));
}

#[test]
fn rows_are_of_distinct_users_and_counted() {
    let setup = setup(plain());
    let (_, bundle, header) = audited(&setup, 9, 100);
    let mut twice = Forgery::of(&setup.table, &header, &bundle);
    twice.keys[0].1[3].0 = twice.keys[0].1[4].0.clone();
    assert_eq!(twice.judge(), Err(Fault::Duplicate { what: "a pseudonym" }));
    let mut fewer = Forgery::of(&setup.table, &header, &bundle);
    fewer.keys[0].1.pop();
    assert_eq!(fewer.judge(), Err(Fault::Number { what: "rows", got: 8, expected: 9 }));
    fewer.core.rows = 8;
    assert!(fewer.judge().is_err());
    let mut none = Forgery::of(&setup.table, &header, &bundle);
    none.keys[0].1.clear();
    assert!(none.judge().is_err());
}

#[test]
fn powers_are_those_of_the_value() {
    let mut schema = plain();
    schema.values = vec![column("age", 0, 120, 3, true)];
    let setup = setup(schema);
    let (built, bundle, header) = audited(&setup, 5, 100);
    for slot in 1..3 {
        for by in [BASES.value, BASES.blinding] {
            let mut forgery = Forgery::of(&setup.table, &header, &bundle);
            forgery.shift(0, 2, slot, by);
            forgery.prove_anew(&built);
            assert_eq!(forgery.judge(), Err(Fault::Equation { what: "powers" }));
        }
    }
    // The proofs of two rows, swapped: the last 5 of 224 bytes each.
    let mut forgery = Forgery::of(&setup.table, &header, &bundle);
    let start = forgery.proofs.len() - 5 * 224;
    let (one, two) = forgery.proofs[start..].split_at_mut(224);
    one.swap_with_slice(&mut two[..224]);
    assert_eq!(forgery.judge(), Err(Fault::Equation { what: "powers" }));
}

/// Two chunks of 64 and one of 3: swapped, missing, one more, one in another's place.
#[test]
fn chunks_are_all_there_in_order() {
    let setup = setup(plain());
    let (_, bundle, header) = audited(&setup, 130, 100);
    let chunk = crate::range::proof_len(8, 64);
    let last = crate::range::proof_len(8, 3);
    let proofs = Forgery::of(&setup.table, &header, &bundle).proofs;
    assert_eq!(proofs.len(), 2 * chunk + last);
    let (one, rest) = proofs.split_at(chunk);
    let (two, three) = rest.split_at(chunk);
    let judge = |parts: &[&[u8]]| {
        let mut forgery = Forgery::of(&setup.table, &header, &bundle);
        forgery.proofs = parts.concat();
        forgery.judge()
    };
    assert!(judge(&[one, two, three]).is_ok());
    for parts in [
        &[two, one, three][..],
        &[one, one, three],
        &[one, three],
        &[one, two],
        &[one, two, three, three],
        &[],
        &[one, two, &three[..last - 64]],
    ] {
        assert!(judge(parts).is_err());
    }
    // A proof that names another extension degree.
    let mut degree = one.to_vec();
    degree[0] = 2;
    assert!(judge(&[&degree, two, three]).is_err());
}

/// One less than a chunk, as many, one more.
#[test]
fn chunks_of_every_length() {
    let setup = setup(plain());
    for statements in [63, 64, 65, 128, 129] {
        let (_, bundle, header) = audited(&setup, statements - 1, 100);
        let report = verify(&setup.table, &header, &bundle, &()).unwrap();
        let expected = (statements as u64, statements.div_ceil(64) as u64);
        assert_eq!((report.statements, report.order_proofs), expected);
    }
}

/// From 1024 statements on, one bit matrix is in the place of all chunks.
#[test]
fn large_epochs_are_audited_by_the_bit_matrix() {
    let mut schema = schema();
    schema.order_proof = crate::OrderProof::Matrix;
    let setup = setup(schema);
    let (built, bundle, header) = audited(&setup, 360, 300);
    let report = verify(&setup.table, &header, &bundle, &()).unwrap();
    assert_eq!((report.rows, report.order_proofs), (360, 1));
    assert_eq!(prove(&setup.table, &setup.secrets, &built, &()).unwrap(), bundle);
    let mut swapped = Forgery::of(&setup.table, &header, &bundle);
    swapped.keys[0].1.swap(0, 20);
    swapped.prove_anew(&built);
    assert!(swapped.judge().is_err());
    let mut cut = Forgery::of(&setup.table, &header, &bundle);
    cut.proofs.remove(0);
    assert!(cut.judge().is_err());
}

/// The proofs of one epoch, table or predecessor fit no other.
#[test]
fn proofs_are_bound_to_their_epoch() {
    let setup = setup(plain());
    let (built, bundle, header) = audited(&setup, 5, 100);
    let other = build(&setup, 10, built.entries.clone(), [1; 32].into());
    let header = EpochHeader { core: other.core, ..header };
    let refused = verify(&setup.table, &header, &bundle, &());
    assert_eq!(refused, Err(Fault::Equation { what: "range proof" }));
}
