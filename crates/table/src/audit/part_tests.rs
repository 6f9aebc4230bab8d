//! Audits in parts: together they are the whole, and no part says more than it saw.

use super::*;
use crate::{
    BuiltEpoch, EpochHeader, Fault, Hash, OrderProof, PublicKey, Schema,
    log::{Attestation, KeyRange, Scope},
    query::{self, Assurance, Query, Region, Statistic},
    support::{Setup, World, column, entries, rng, schema, setup},
};

fn two_columns() -> Schema {
    let mut schema = schema();
    schema.values[0].moments = 2;
    schema.values.push(column("height", 0, 250, 1, true));
    schema
}

struct Case {
    setup: Setup,
    header: EpochHeader,
    bundle: Vec<u8>,
}

impl Case {
    fn new(schema: Schema, rows: usize) -> Self {
        let setup = setup(schema);
        let entries = entries(setup.table.schema(), rows, 40, 2);
        let built = crate::support::build(&setup, 10, entries, *setup.table.id());
        Self::of(setup, &built)
    }

    fn of(setup: Setup, built: &BuiltEpoch) -> Self {
        let bundle = prove(&setup.table, &setup.secrets, built, &()).unwrap();
        let header = EpochHeader { core: built.core.clone(), audit: hash(&bundle) };
        Self { setup, header, bundle }
    }

    fn split(&self, count: usize) -> Result<Vec<Vec<u8>>, Fault> {
        split(&self.setup.table, &self.header, &self.bundle, count)
    }

    fn judge(&self, part: &[u8]) -> Result<Scope, Fault> {
        verify_part(&self.setup.table, &self.header, part)
    }
}

#[test]
fn parts_make_up_the_whole() {
    let case = Case::new(two_columns(), 40);
    for count in [1, 2, 3, 8] {
        let parts = case.split(count).unwrap();
        assert_eq!(parts.len(), count + 1);
        let scopes: Vec<Scope> = parts.iter().map(|part| case.judge(part).unwrap()).collect();
        let Scope::Users { parts: named } = &scopes[count] else { panic!() };
        for (scope, (range, links)) in scopes.iter().zip(named) {
            assert_eq!(*scope, Scope::Keys { range: range.clone(), links: *links });
        }
        // What one auditor of keys reads is about its share.
        let whole = case.bundle.len();
        assert!(count < 2 || parts[..count].iter().all(|part| part.len() < whole * 3 / 4));
    }
    assert!(case.split(0).is_err() && case.split(9).is_err(), "8 keys");
    // No part can be cut out of a bit matrix, or where there are roll-ups.
    let mut matrix = two_columns();
    matrix.order_proof = OrderProof::Matrix;
    let large = Case::new(matrix, 360).split(2);
    assert_eq!(large, Err(Fault::Query { reason: "a bit matrix cannot be cut by keys" }));
    let mut rolled = Case::new(two_columns(), 8);
    rolled.header.core.rollups = [1; 32].into();
    let reason = "an epoch with roll-ups is audited as a whole";
    assert_eq!(rolled.split(2), Err(Fault::Query { reason }));
    assert_eq!(rolled.judge(&[0]), Err(Fault::Query { reason }));
}

#[test]
fn no_byte_of_a_part_can_change() {
    let case = Case::new(two_columns(), 12);
    let parts = case.split(2).unwrap();
    let honest: Vec<Scope> = parts.iter().map(|part| case.judge(part).unwrap()).collect();
    for (part, honest) in parts.iter().zip(&honest) {
        for at in (0..part.len()).step_by(part.len() / 70) {
            let mut changed = part.clone();
            changed[at] ^= 1 << (at % 8);
            // A range may be named differently where no key is; then the links differ, too.
            if let Ok(scope) = case.judge(&changed) {
                assert_ne!(scope, *honest, "byte {at}");
            }
            assert!(case.judge(&part[..at]).is_err());
        }
        assert!(case.judge(&[&part[..], &[0]].concat()).is_err());
    }
    let mut other = Case::new(two_columns(), 12);
    other.header.core.aux = [9; 32].into();
    // The keys' proofs are bound to the epoch; users are listed by its roots.
    assert!(other.judge(&parts[0]).is_err());
    other.header.core.columns[0].ids = [9; 32].into();
    assert_eq!(
        other.judge(&parts[2]),
        Err(Fault::Mismatch { what: "the pseudonyms of the epoch" })
    );
    other = Case::new(two_columns(), 12);
    other.header.core.rows += 1;
    assert_eq!(other.judge(&parts[2]), Err(Fault::Number { what: "rows", got: 12, expected: 13 }));
}

/// A key that no part of keys covers; parts of different cuts; the wrong hash; another's words.
#[test]
fn words_about_parts_count_only_together() {
    let mut cheap = schema();
    cheap.values = vec![column("power", -100, 900, 1, true)];
    let world = World::audited(cheap.clone(), &[entries(&cheap, 24, 40, 2)]);
    let (table, second) = (&world.setup.table, &world.setup.witnesses[0]);
    let (first, stranger) = (&world.setup.auditor, &world.setup.witnesses[1]);
    let words = |count: usize| -> Vec<Scope> {
        let parts = split(table, &world.headers[0], &world.bundles[0], count).unwrap();
        parts.iter().map(|part| verify_part(table, &world.headers[0], part).unwrap()).collect()
    };
    let (two, three) = (words(2), words(3));
    let query = Query {
        column: 0,
        region: Region::all(table.schema(), 10, 10),
        statistic: Statistic::Moments,
    };
    let mut answer = world.ask(query).unwrap();
    let mut assurance = |words: &[(&board::Identity, &Scope)], wanted: &[&board::Identity]| {
        let sign = |(auditor, scope): &(&board::Identity, &Scope)| {
            Attestation::sign_scope(auditor, table, 10, world.digests[0], (*scope).clone())
        };
        answer.attestations = words.iter().map(sign).collect();
        let bytes = wire::Encode::to_bytes(&answer);
        let answer = <query::Answer as wire::Decode>::from_bytes(&bytes).unwrap();
        let wanted: Vec<PublicKey> = wanted.iter().map(|auditor| PublicKey::of(auditor)).collect();
        query::verify(table, &world.newest(), &answer, &wanted).unwrap().assurance
    };
    use Assurance::{Audited, AuditedInParts, CommittedOnly};
    let all = [(first, &two[0]), (first, &two[1]), (first, &two[2])];
    assert_eq!(assurance(&all, &[first]), Audited);
    assert_eq!(assurance(&all, &[]), CommittedOnly);
    assert_eq!(assurance(&all[..2], &[first]), CommittedOnly, "no users");
    assert_eq!(assurance(&all[1..], &[first]), CommittedOnly, "keys missing");
    let shared = [(first, &two[0]), (second, &two[1]), (second, &two[2])];
    assert_eq!(assurance(&shared, &[first, second]), AuditedInParts);
    assert_eq!(assurance(&shared, &[first]), CommittedOnly);
    let strange = [(first, &two[0]), (stranger, &two[1]), (second, &two[2])];
    assert_eq!(assurance(&strange, &[first, second]), CommittedOnly);
    // A whole word of one is not both auditors' word.
    assert_eq!(assurance(&[(first, &Scope::Whole)], &[first, second]), CommittedOnly);
    let mixed = [(first, &three[0]), (first, &two[1]), (first, &two[2])];
    assert_eq!(assurance(&mixed, &[first]), CommittedOnly, "two cuts");
    // A list of users that is not that of the keys.
    let Scope::Users { mut parts } = two[2].clone() else { panic!() };
    parts[0].1 = Hash::from([7; 32]);
    let lie = Scope::Users { parts: parts.clone() };
    assert_eq!(assurance(&[all[0], all[1], (first, &lie)], &[first]), CommittedOnly);
    // Ranges that leave keys out.
    parts.remove(0);
    let lie = Scope::Users { parts };
    assert_eq!(assurance(&[all[0], all[1], (first, &lie)], &[first]), CommittedOnly);
}

#[test]
fn ranges_hold_every_key_once() {
    let range = |from: &[u8], until: Option<&[u8]>| KeyRange {
        from: from.to_vec(),
        until: until.map(<[u8]>::to_vec),
    };
    let all = [range(&[], Some(&[3, 0])), range(&[3, 0], Some(&[3, 9])), range(&[3, 9], None)];
    assert!(KeyRange::make_up_all(&all) && KeyRange::make_up_all(&[range(&[], None)]));
    assert!(!KeyRange::make_up_all(&all[1..]) && !KeyRange::make_up_all(&all[..2]));
    assert!(!KeyRange::make_up_all(&[]));
    assert!(!KeyRange::make_up_all(&[all[0].clone(), all[2].clone()]));
    assert!(!KeyRange::make_up_all(&[range(&[], Some(&[])), range(&[], None)]));
    // By brute force: a prefix overlaps where one of its keys is contained.
    let rng = &mut rng(4);
    for _ in 0..300 {
        use rand_core::Rng as _;
        let mut key = || [(rng.next_u32() % 8) as u8, (rng.next_u32() % 256) as u8];
        let (from, until, prefix) = (key(), key(), key());
        if from >= until {
            continue;
        }
        let range = range(&from, Some(&until));
        for bits in 0..=16_u16 {
            let mask = u16::MAX.checked_shl(16 - u32::from(bits)).unwrap_or(0);
            let shared = |key: u16| (key ^ u16::from_be_bytes(prefix)) & mask == 0;
            let inside = (0..=u16::MAX).filter(|key| shared(*key));
            let expected = inside.into_iter().any(|key| range.contains(&key.to_be_bytes()));
            assert_eq!(range.overlaps(&prefix, bits), expected, "{prefix:?} {bits} {range:?}");
        }
    }
}
