//! Roll-ups: equal to plain computation, audited, and every lie of operators refused.

use wire::{Decode, Encode};

use super::{build::RolledRow, *};
use crate::{
    BuiltEpoch, EpochHeader, OrderProof, Schema, audit,
    audit::Report,
    log::{Attestation, LoggedEpoch},
    query::{self, Answer, Assurance, KeyBox, Outcome, Proof, Rank, Source, Statistic},
    support::{World, column, entries, rng, schema},
};

const MEDIAN: crate::Fraction = crate::Fraction { part: 1, whole: 2 };
const STATISTICS: [Statistic; 6] = [
    Statistic::Moments,
    Statistic::Order(Rank::Min),
    Statistic::Order(Rank::Max),
    Statistic::Order(Rank::Quantile(MEDIAN)),
    Statistic::Top(MEDIAN),
    Statistic::Histogram,
];

/// Two ordered columns and an extra one, no further powers: cheap to prove.
fn rolling() -> Schema {
    let mut schema = schema();
    schema.values[0].moments = 1;
    schema.values.push(column("height", 0, 250, 1, true));
    schema.policy.rollups = true;
    schema.policy.min_count = 0;
    schema
}

/// Epochs 10 to 12 with rows, and 13, with a few, which is to hold roll-ups.
struct Case {
    world: World,
    holder: BuiltEpoch,
}

impl Case {
    fn new(schema: Schema, rows: usize) -> Self {
        let epoch = |number: u64| entries(&schema, rows + number as usize, 40, number);
        let rows: Vec<_> = (0..3).map(epoch).collect();
        let world = World::new(schema, &rows);
        let holder = world.next(entries(world.setup.table.schema(), 4, 40, 9));
        Self { world, holder }
    }

    fn predicate(&self, column: u16, from: u32, to: u32) -> Predicate {
        Predicate { column, region: Region::all(self.world.setup.table.schema(), from, to) }
    }

    /// Puts roll-ups into the epoch.
    fn roll(&mut self, predicates: &[Predicate]) -> Result<(), Fault> {
        let World { setup, epochs, headers, .. } = &self.world;
        self.holder.roll_up(&setup.table, &setup.secrets, predicates, headers, epochs)
    }

    /// The epoch as it is, proven by an operator that believes in it; what an auditor says.
    fn audit(&self) -> Result<Report, Fault> {
        let setup = &self.world.setup;
        let bundle = audit::prove(&setup.table, &setup.secrets, &self.holder, &()).unwrap();
        let header = EpochHeader { core: self.holder.core.clone(), audit: audit::hash(&bundle) };
        audit::verify(&setup.table, &header, &bundle, &())
    }

    /// Puts the epoch into the log.
    fn log(&mut self) {
        self.world.log(self.holder.core.clone(), &[]);
    }

    fn epochs(&self, from: u32) -> Vec<LoggedEpoch> {
        let size = self.world.digests.len();
        (from as usize - 10..size).map(|index| self.world.logged(index, size)).collect()
    }

    fn ask(&self, query: Query) -> Result<Answer, Fault> {
        let (table, checkpoint) = (&self.world.setup.table, self.world.newest().checkpoint);
        let source = (self.epochs(query.region.from), &self.holder);
        query::answer_rolled_up(table, &checkpoint, query, source, vec![], &mut rng(3))
    }

    /// An answer without the roll-up.
    fn ask_keys(&self, query: Query) -> Answer {
        let size = self.world.digests.len();
        let (from, to) = (query.region.from as usize - 10, query.region.to as usize - 10);
        let logged = |index| self.world.logged(index, size);
        let source = |index| Source { logged: logged(index), built: &self.world.epochs[index] };
        let sources: Vec<_> = (from..=to).map(source).collect();
        let (table, checkpoint) = (&self.world.setup.table, self.world.newest().checkpoint);
        query::answer(table, &checkpoint, query, &sources, vec![], &mut rng(3)).unwrap()
    }

    /// Puts a roll-up over forged rows into the epoch, under the honest predicate and covers.
    fn forge(&mut self, predicate: &Predicate, change: &dyn Fn(&mut Vec<RolledRow>)) {
        self.roll(std::slice::from_ref(predicate)).unwrap();
        let honest = self.holder.rollups.list.pop().unwrap();
        let row = |rank: usize| RolledRow {
            source: honest.sources[rank],
            value: honest.values[rank],
            leaf: honest.tree.leaf(rank as u64).unwrap(),
            opening: honest.openings[rank].clone(),
        };
        let mut rows: Vec<_> = (0..honest.values.len()).map(row).collect();
        change(&mut rows);
        let (table, epoch) = (&self.world.setup.table, self.holder.core.epoch);
        let lie = BuiltRollup::over(table, epoch, predicate, honest.parts, rows).unwrap();
        self.holder.hold(vec![lie], &self.world.headers).unwrap();
    }
}

fn query(predicate: &Predicate, column: u16, statistic: Statistic) -> Query {
    Query { column, region: predicate.region.clone(), statistic }
}

#[test]
fn answers_are_those_of_the_keys() {
    let mut case = Case::new(rolling(), 20);
    let half =
        vec![KeyBox { ranges: vec![(1, 2), (0, 1)] }, KeyBox { ranges: vec![(3, 3), (1, 1)] }];
    let mut part = case.predicate(0, 11, 12);
    part.region.boxes = half;
    let predicates = [case.predicate(0, 10, 12), part, case.predicate(2, 10, 11)];
    case.roll(&predicates).unwrap();
    let report = case.audit().unwrap();
    assert_eq!((report.rollups, report.rows), (3, 4));
    case.log();
    for predicate in &predicates {
        for statistic in STATISTICS.into_iter().take(if predicate.column == 0 { 6 } else { 5 }) {
            let query = query(predicate, predicate.column, statistic);
            let answer = case.ask(query.clone()).unwrap();
            let answer = Answer::from_bytes(&answer.to_bytes()).unwrap();
            let verified = case.world.check(&answer).unwrap();
            assert_eq!(verified.outcome, case.ask_keys(query).outcome, "{statistic:?}");
            assert_eq!((verified.keys, answer.covers.len()), (1, 0));
        }
    }
    // The extra column stands in the trees of the first ordered one.
    let bill = query(&predicates[0], 1, Statistic::Moments);
    let answer = case.ask(bill.clone()).unwrap();
    assert_eq!(case.world.check(&answer).unwrap().outcome, case.ask_keys(bill).outcome);
    // A quantile over many keys is shorter.
    let median = query(&predicates[0], 0, STATISTICS[3]);
    let (short, long) = (case.ask(median.clone()).unwrap(), case.ask_keys(median));
    assert!(short.to_bytes().len() * 3 < long.to_bytes().len());
    // Built again, the same bytes.
    let mut again = Case::new(rolling(), 20);
    again.roll(&predicates).unwrap();
    assert_eq!(again.holder.core, case.holder.core);
}

#[test]
fn many_statements_are_proven_by_the_bit_matrix() {
    let mut schema = rolling();
    schema.values.drain(1..);
    schema.types.clear();
    schema.order_proof = OrderProof::Matrix;
    let mut case = Case::new(schema, 400);
    let predicate = case.predicate(0, 10, 12);
    case.roll(std::slice::from_ref(&predicate)).unwrap();
    let report = case.audit().unwrap();
    assert_eq!((report.order_proofs, report.statements), (1, 5 + 1204));
    // Two neighbours of different epochs, swapped: every key's own order is kept.
    case.forge(&predicate, &|rows| {
        let steps =
            |pair: &[RolledRow]| pair[0].value < pair[1].value && pair[0].source != pair[1].source;
        let at = rows.windows(2).position(steps).unwrap();
        rows.swap(at, at + 1);
        // What it proves is about the honest order.
        let (one, two) = (rows[at].opening.clone(), rows[at + 1].opening.clone());
        (rows[at].opening, rows[at + 1].opening) = (two, one);
        let (one, two) = (rows[at].value, rows[at + 1].value);
        (rows[at].value, rows[at + 1].value) = (two, one);
    });
    assert_eq!(case.audit(), Err(Fault::Equation { what: "bit matrix" }));
}

#[test]
fn every_row_is_there_once() {
    let mut case = Case::new(rolling(), 12);
    let predicate = case.predicate(0, 10, 12);
    case.forge(&predicate, &|_| ());
    assert!(case.audit().is_ok(), "the forger makes what it does not change");
    type Change<'a> = &'a dyn Fn(&mut Vec<RolledRow>);
    let twin = |rows: &[RolledRow], at: usize| RolledRow {
        source: rows[at].source,
        value: rows[at].value,
        leaf: rows[at].leaf.clone(),
        opening: rows[at].opening.clone(),
    };
    let dropped: Change<'_> = &|rows| drop(rows.remove(5));
    let repeated: Change<'_> = &|rows| {
        let row = twin(rows, 5);
        rows.insert(5, row);
    };
    let replaced: Change<'_> = &|rows| rows[6] = twin(rows, 5);
    let elsewhere: Change<'_> = &|rows| {
        let other = rows.iter().find(|row| row.source != rows[5].source).unwrap().source;
        rows[5].source = other;
    };
    let nowhere: Change<'_> = &|rows| rows[5].source = 1 << 20;
    for (what, change) in [
        ("dropped", dropped),
        ("repeated", repeated),
        ("replaced", replaced),
        ("of another key", elsewhere),
        ("of no key", nowhere),
    ] {
        case.forge(&predicate, change);
        assert!(case.audit().is_err(), "{what}");
    }
    // A key left out, with its rows: the cover shows it.
    case.forge(&predicate, &|rows| rows.retain(|row| row.source != 0));
    let rollup = &mut case.holder.rollups.list[0];
    rollup.parts[0].keys.remove(0);
    rollup.sources.iter_mut().for_each(|source| *source -= 1);
    let missing = Fault::Trie { reason: "a key of the region is missing or out of order" };
    assert_eq!(case.audit(), Err(missing));
    // The cover of another region.
    case.forge(&predicate, &|_| ());
    case.holder.rollups.list[0].parts.swap(0, 1);
    assert!(case.audit().is_err());
}

#[test]
fn audits_follow_the_links_between_epochs() {
    let mut case = Case::new(rolling(), 8);
    let predicate = case.predicate(0, 10, 11);
    case.roll(std::slice::from_ref(&predicate)).unwrap();
    assert!(case.audit().is_ok());
    let refused = |case: &mut Case, change: &dyn Fn(&mut Vec<EpochHeader>)| {
        let kept = case.holder.rollups.headers.clone();
        change(&mut case.holder.rollups.headers);
        let verdict = case.audit();
        case.holder.rollups.headers = kept;
        verdict.unwrap_err()
    };
    // Another history, relabelled epochs, a link that is not one.
    refused(&mut case, &|headers| headers[0].core.rows += 1);
    refused(&mut case, &|headers| headers[1].core.epoch = 10);
    refused(&mut case, &|headers| headers.swap(0, 1));
    refused(&mut case, &|headers| headers[2].audit = [7; 32].into());
    let mut others = case.world.headers.clone();
    others[2].core.previous = [7; 32].into();
    case.holder.rollups.headers = others;
    assert_eq!(case.audit(), Err(Fault::Mismatch { what: "the epoch before" }));
}

#[test]
fn no_byte_of_a_bundle_with_roll_ups_can_change() {
    let mut case = Case::new(rolling(), 5);
    case.roll(&[case.predicate(0, 10, 12), case.predicate(2, 12, 12)]).unwrap();
    let setup = &case.world.setup;
    let bundle = audit::prove(&setup.table, &setup.secrets, &case.holder, &()).unwrap();
    let judge = |bundle: &[u8], rollups: Hash| {
        let mut core = case.holder.core.clone();
        core.rollups = rollups;
        let header = EpochHeader { core, audit: audit::hash(bundle) };
        audit::verify(&setup.table, &header, bundle, &())
    };
    let rollups = case.holder.core.rollups;
    assert!(judge(&bundle, rollups).is_ok());
    for at in (0..bundle.len()).step_by(bundle.len() / 150) {
        let mut changed = bundle.clone();
        changed[at] ^= 1 << (at % 8);
        assert!(judge(&changed, rollups).is_err(), "byte {at}");
        assert!(judge(&bundle[..at], rollups).is_err());
    }
    assert!(judge(&bundle, [0; 32].into()).is_err());
    assert!(judge(&bundle, crate::trie::empty_root()).is_err());
}

#[test]
fn operators_cannot_show_another_roll_up() {
    let mut case = Case::new(rolling(), 12);
    let predicate = case.predicate(0, 10, 12);
    let narrow = case.predicate(0, 10, 11);
    case.roll(&[predicate.clone(), narrow.clone(), case.predicate(2, 10, 12)]).unwrap();
    case.log();
    let median = query(&predicate, 0, STATISTICS[3]);
    let answer = case.ask(median.clone()).unwrap();
    assert!(case.world.check(&answer).is_ok());
    let refused = |what: &str, change: &dyn Fn(&mut Answer)| {
        let mut lie = answer.clone();
        change(&mut lie);
        assert!(lie != answer && case.world.check(&lie).is_err(), "{what}");
    };
    let other = case.ask(query(&narrow, 0, STATISTICS[3])).unwrap();
    refused("another region", &|lie| lie.query.region.to = 11);
    refused("another predicate", &|lie| *lie = Answer { query: median.clone(), ..other.clone() });
    refused("another column", &|lie| lie.query.column = 2);
    refused("keys besides", &|lie| lie.covers = case.ask_keys(median.clone()).covers);
    refused("an epoch missing", &|lie| {
        lie.rolled_up.as_mut().unwrap().epochs.remove(1);
    });
    refused("no epochs", &|lie| lie.rolled_up.as_mut().unwrap().epochs.clear());
    refused("the epoch that holds it missing", &|lie| {
        lie.rolled_up.as_mut().unwrap().epochs.pop();
    });
    refused("a count off by one", &|lie| lie.rolled_up.as_mut().unwrap().root.count += 1);
    refused("no rows", &|lie| lie.rolled_up.as_mut().unwrap().root.count = 0);
    refused("a slot more", &|lie| {
        let doubles = &mut lie.rolled_up.as_mut().unwrap().root.doubles;
        doubles.push(doubles[0]);
    });
    refused("another value", &|lie| {
        let Outcome::Order { value, .. } = &mut lie.outcome else { panic!() };
        *value += 1;
    });
    refused("an inflated rank", &|lie| {
        let Proof::Order { order, .. } = &mut lie.proof else { panic!() };
        order.below.ranks[0] += 1;
    });
    let bytes = answer.to_bytes();
    for at in (0..bytes.len()).step_by(bytes.len() / 80) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        if let Ok(changed) = Answer::from_bytes(&changed) {
            assert!(case.world.check(&changed).is_err(), "byte {at}");
        }
    }
    // The same rows in a roll-up that the log does not hold.
    let mut unlogged = Case::new(rolling(), 12);
    unlogged.log();
    unlogged.roll(std::slice::from_ref(&predicate)).unwrap();
    let lie = unlogged.ask(median.clone()).unwrap();
    assert_eq!(unlogged.world.check(&lie), Err(Fault::Mismatch { what: "the trie path" }));
    let missing = unlogged.ask(query(&narrow, 0, STATISTICS[3]));
    let reason = "the epoch holds no roll-up of this region";
    assert_eq!(missing, Err(Fault::Query { reason }));
    // A log whose epochs are not linked: the auditor of the roll-up saw another epoch 12.
    let mut forked = Case::new(rolling(), 12);
    forked.roll(std::slice::from_ref(&predicate)).unwrap();
    forked.world.headers[2].audit = [7; 32].into();
    forked.world.digests[2] = forked.world.headers[2].digest(forked.world.setup.table.id());
    forked.log();
    let lie = forked.ask(median).unwrap();
    assert_eq!(forked.world.check(&lie), Err(Fault::Mismatch { what: "the epoch before" }));
}

#[test]
fn policies_and_earlier_epochs_bound_roll_ups() {
    let refused = |schema: Schema, predicate: &dyn Fn(&Case) -> Predicate| {
        let mut case = Case::new(schema, 12);
        let predicate = predicate(&case);
        case.roll(&[predicate]).unwrap_err()
    };
    let code = |fault| match fault {
        Fault::Policy { code, .. } => code,
        other => panic!("{other:?}"),
    };
    let mut closed = rolling();
    closed.policy.rollups = false;
    assert_eq!(code(refused(closed, &|case| case.predicate(0, 10, 12))), "rollups");
    let mut strict = rolling();
    strict.policy.min_count = 9;
    assert_eq!(code(refused(strict, &|case| case.predicate(0, 10, 12))), "min-count");
    assert_eq!(code(refused(rolling(), &|case| case.predicate(1, 10, 12))), "order");
    for (from, to) in [(10, 13), (13, 13), (12, 11), (9, 12)] {
        let fault = refused(rolling(), &|case| case.predicate(0, from, to));
        assert!(matches!(fault, Fault::Query { .. }), "{from} to {to}");
    }
    let empty = refused(rolling(), &|case| {
        let mut predicate = case.predicate(0, 10, 12);
        predicate.region.boxes = vec![KeyBox { ranges: vec![(77, 77), (0, 1)] }];
        predicate
    });
    assert_eq!(empty, Fault::Query { reason: "a roll-up has rows" });
    let mut twice = Case::new(rolling(), 12);
    let predicate = twice.predicate(0, 10, 12);
    let refused = twice.roll(&[predicate.clone(), predicate]);
    assert_eq!(refused, Err(Fault::Duplicate { what: "a roll-up" }));
    // An operator that does not keep to the policy: auditor and client do.
    let mut case = Case::new(rolling(), 12);
    let predicate = case.predicate(0, 10, 12);
    case.roll(std::slice::from_ref(&predicate)).unwrap();
    let setup = &case.world.setup;
    let bundle = audit::prove(&setup.table, &setup.secrets, &case.holder, &()).unwrap();
    let header = EpochHeader { core: case.holder.core.clone(), audit: audit::hash(&bundle) };
    let judge = |change: &dyn Fn(&mut Schema)| {
        let mut held_to = rolling();
        change(&mut held_to);
        let table = setup.table.pretending(held_to);
        code(audit::verify(&table, &header, &bundle, &()).unwrap_err())
    };
    assert_eq!(judge(&|schema| schema.policy.rollups = false), "rollups");
    assert_eq!(judge(&|schema| schema.policy.min_count = 9), "min-count");
    case.log();
    let answer = case.ask(query(&predicate, 0, STATISTICS[3])).unwrap();
    let mut held_to = rolling();
    held_to.policy.rollups = false;
    let table = case.world.setup.table.pretending(held_to);
    let verdict = query::verify(&table, &case.world.newest(), &answer, &[]);
    assert_eq!(code(verdict.unwrap_err()), "rollups");
}

/// The epoch that holds a roll-up, and all that it covers: nothing is audited without any of them.
#[test]
fn auditors_vouch_for_what_is_covered_and_for_the_roll_up() {
    let mut case = Case::new(rolling(), 8);
    let predicate = case.predicate(0, 10, 11);
    case.roll(std::slice::from_ref(&predicate)).unwrap();
    case.log();
    let mut answer = case.ask(query(&predicate, 0, STATISTICS[3])).unwrap();
    let (table, auditor) = (&case.world.setup.table, &case.world.setup.auditor);
    let attest = |epoch: u32| {
        Attestation::sign(auditor, table, epoch, case.world.digests[epoch as usize - 10])
    };
    let mut assurance = |epochs: &[u32]| {
        answer.attestations = epochs.iter().map(|epoch| attest(*epoch)).collect();
        let wanted = [crate::PublicKey::of(auditor)];
        query::verify(table, &case.world.newest(), &answer, &wanted).map(|seen| seen.assurance)
    };
    assert_eq!(assurance(&[10, 11, 13]), Ok(Assurance::Audited));
    for fewer in [&[10, 11][..], &[11, 13], &[13], &[]] {
        assert_eq!(assurance(fewer), Ok(Assurance::CommittedOnly), "{fewer:?}");
    }
    assert!(assurance(&[10, 11, 12, 13]).is_err(), "epoch 12 is not covered");
}
