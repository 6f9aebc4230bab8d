//! Operators that do not keep to the policy or the bounds of their table: their own checks are gone,
//! and their proofs are genuine.

use super::{Answer, KeyBox, Outcome, Query, Rank, Region, Statistic, Verified};
use crate::{
    Entry, Fault, Fraction, Kind, Policy, Schema,
    support::{World, entries, entries_of, rng, schema},
};

const STATISTICS: [Statistic; 4] = [
    Statistic::Moments,
    Statistic::Order(Rank::Max),
    Statistic::Top(Fraction { part: 1, whole: 2 }),
    Statistic::Histogram,
];

/// An operator's world, and the schema that the verifier holds it to.
pub(super) struct Forger {
    pub(super) world: World,
    held_to: Schema,
}

impl Forger {
    pub(super) fn new(works_by: Schema, held_to: Schema, rows: Vec<Entry>) -> Self {
        Self { world: World::new(works_by, &[rows]), held_to }
    }

    fn all(&self, statistic: Statistic) -> Query {
        Query { column: 0, region: Region::all(&self.held_to, 10, 10), statistic }
    }

    pub(super) fn verify(&self, answer: &Answer) -> Result<Verified, Fault> {
        let table = self.world.setup.table.pretending(self.held_to.clone());
        super::verify(&table, &self.world.newest(), answer, &[])
    }
}

#[test]
fn a_forged_min_count_is_seen_by_the_verifier() {
    let mut lenient = schema();
    lenient.policy.min_count = 0;
    let rows = entries(&lenient, 30, 900, 4);
    for (min_count, holds) in [(0, true), (30, true), (31, false)] {
        let mut strict = schema();
        strict.policy.min_count = min_count;
        let forger = Forger::new(lenient.clone(), strict, rows.clone());
        for statistic in STATISTICS {
            let answer = forger.world.ask(forger.all(statistic)).unwrap();
            let verified = forger.verify(&answer);
            // Half of the rows are above the median, parts of the histogram have fewer still, and no key
            // has all of them.
            match (holds && (statistic == Statistic::Moments || min_count == 0), verified) {
                (true, verified) => assert!(verified.is_ok(), "{min_count} {statistic:?}"),
                (false, Err(Fault::Policy { code: "min-count" | "small-key", .. })) => {}
                (false, other) => panic!("{min_count} {statistic:?}: {other:?}"),
            }
        }
    }
    // A single person.
    let mut strict = schema();
    strict.policy.min_count = 2;
    let forger = Forger::new(lenient, strict, rows[..1].to_vec());
    let answer = forger.world.ask(forger.all(Statistic::Moments)).unwrap();
    assert!(matches!(forger.verify(&answer), Err(Fault::Policy { code: "min-count", .. })));
}

/// A value by rank shows on which side the one row of a key stands: genuine proofs of it are refused.
#[test]
fn ranks_of_small_keys_are_refused_by_the_verifier() {
    let mut lenient = schema();
    lenient.policy.min_count = 0;
    let mut strict = lenient.clone();
    strict.policy.min_count = 3;
    let forger =
        Forger::new(lenient, strict.clone(), entries_of(&strict, &[([0, 0], 1), ([1, 0], 9)], 1));
    let median = Statistic::Order(Rank::Quantile(Fraction { part: 1, whole: 2 }));
    for statistic in [median, Statistic::Order(Rank::Max), STATISTICS[2]] {
        let forged = forger.world.ask(forger.all(statistic)).unwrap();
        let refused = forger.verify(&forged);
        assert!(matches!(refused, Err(Fault::Policy { code: "small-key", .. })), "{refused:?}");
        // Of the larger key alone, and sums of both, they hold.
        let boxes = vec![KeyBox { ranges: vec![(1, 1), (0, 1)] }];
        let query = Query { column: 0, region: Region { from: 10, to: 10, boxes }, statistic };
        forger.verify(&forger.world.ask(query).unwrap()).unwrap();
    }
    forger.verify(&forger.world.ask(forger.all(Statistic::Moments)).unwrap()).unwrap();
    let honest = World::new(strict, &[entries_of(&schema(), &[([0, 0], 1), ([1, 0], 9)], 1)]);
    assert!(matches!(honest.ask(forger.all(median)), Err(Fault::Policy { code: "small-key", .. })));
}

/// Range proofs of one statement less than a chunk of 16, as many, and one more.
#[test]
fn range_proofs_of_every_number_of_statements() {
    let mut schema = schema();
    schema.policy.min_count = 0;
    for rows in (14..=18).chain(31..=33) {
        let rows = entries(&schema, rows, 900, 4);
        let forger = Forger::new(schema.clone(), schema.clone(), rows);
        for statistic in STATISTICS {
            let answer = forger.world.ask(forger.all(statistic)).unwrap();
            forger.verify(&answer).unwrap();
        }
    }
}

#[test]
fn what_the_policy_does_not_allow_is_refused_by_the_verifier() {
    let mut lenient = schema();
    lenient.policy.min_count = 0;
    let rows = entries(&lenient, 30, 900, 4);
    let refused = |statistic, change: &dyn Fn(&mut Policy)| {
        let mut strict = lenient.clone();
        change(&mut strict.policy);
        let forger = Forger::new(lenient.clone(), strict, rows.clone());
        let answer = forger.world.ask(forger.all(statistic)).unwrap();
        match forger.verify(&answer) {
            Err(Fault::Policy { code, .. }) => code,
            other => panic!("{other:?}"),
        }
    };
    for statistic in STATISTICS {
        let kind = statistic.kind();
        let code = refused(statistic, &|policy| {
            policy.allow.iter_mut().for_each(|kinds| kinds.retain(|allowed| *allowed != kind));
        });
        assert_eq!(code, "kind");
    }
    let extremes = refused(Statistic::Order(Rank::Min), &|policy| policy.extremes = false);
    assert_eq!(extremes, "extremes");
    for statistic in
        [STATISTICS[2], Statistic::Order(Rank::Quantile(Fraction { part: 1, whole: 2 }))]
    {
        assert_eq!(refused(statistic, &|policy| policy.quantiles.clear()), "fraction");
    }
    for statistic in [STATISTICS[1], STATISTICS[2]] {
        assert_eq!(refused(statistic, &|policy| policy.rank_gap = 2), "rank-gap");
    }
    let mut schema = lenient.clone();
    schema.policy.allow = Some(vec![Kind::Top, Kind::Moments]);
    assert!(schema.check().is_err(), "one spelling");
}

/// Rows beyond the bounds, which an audit would refuse: the sum is the true one, and too large.
#[test]
fn sums_above_what_rows_can_have_are_refused() {
    let wide = schema();
    let mut rows = entries(&wide, 8, 900, 4);
    rows.iter_mut().for_each(|entry| entry.row.values[0] = 1000);
    // The greatest value is 900, 1000 as an offset: 8 rows of it are the greatest sum.
    let mut narrow = wide.clone();
    narrow.values[0].max = 899;
    for (held_to, expected) in
        [(wide.clone(), Ok(())), (narrow, Err(Fault::Bounds { what: "a sum" }))]
    {
        let forger = Forger::new(wide.clone(), held_to, rows.clone());
        let answer = forger.world.ask(forger.all(Statistic::Moments)).unwrap();
        assert_eq!(forger.verify(&answer).map(|_| ()), expected);
    }
}

/// A part of a histogram, and the rows above a cut, are held to the same bound.
#[test]
fn values_beyond_the_bounds_have_no_rank() {
    let mut wide = schema();
    wide.policy.min_count = 0;
    let mut rows = entries(&wide, 8, 900, 4);
    rows.iter_mut().for_each(|entry| entry.row.values[0] = 1000);
    let mut narrow = wide.clone();
    narrow.values[0].max = 899;
    let forger = Forger::new(wide, narrow, rows);
    let answer = forger.world.ask(forger.all(Statistic::Order(Rank::Max))).unwrap();
    assert_eq!(forger.verify(&answer), Err(Fault::Bounds { what: "the value" }));
    let answer = forger.world.ask(forger.all(STATISTICS[2])).unwrap();
    assert!(forger.verify(&answer).is_err());
}

/// Everything but the openings of another table with the same rows: their challenges differ.
#[test]
fn openings_of_another_table_do_not_fit() {
    let mut lenient = schema();
    lenient.policy.min_count = 0;
    let rows = entries(&lenient, 9, 900, 4);
    let forger = Forger::new(lenient.clone(), lenient.clone(), rows.clone());
    let ask = |key_box: KeyBox| {
        let region = Region { from: 10, to: 10, boxes: vec![key_box] };
        let query = Query { column: 0, region, statistic: Statistic::Moments };
        forger.world.ask(query).unwrap()
    };
    let whole = ask(KeyBox::all(&lenient));
    let half = ask(KeyBox { ranges: vec![(0, u64::from(u32::MAX)), (0, 0)] });
    let mut mixed = whole.clone();
    mixed.proof = half.proof.clone();
    assert!(forger.verify(&whole).is_ok() && forger.verify(&mixed).is_err());
    mixed = whole.clone();
    mixed.outcome = half.outcome;
    assert!(forger.verify(&mixed).is_err());
    // The same question, asked again: the proofs are not the same, and fit each other's place.
    let again = super::answer(
        &forger.world.setup.table,
        &forger.world.newest().checkpoint,
        whole.query.clone(),
        &[super::Source { logged: forger.world.logged(0, 1), built: &forger.world.epochs[0] }],
        vec![],
        &mut rng(77),
    );
    let again = again.unwrap();
    assert_ne!(again.proof, whole.proof);
    mixed = Answer { proof: again.proof, ..whole };
    assert!(forger.verify(&mixed).is_ok());
    assert!(matches!(mixed.outcome, Outcome::Moments(_)));
}

/// A policy that rounds: the interval holds the sum, and every other claim is refused.
#[test]
fn rounded_sums_are_intervals_on_a_grid() {
    let mut rounding = schema();
    rounding.policy = Policy { rounding: Some(8), min_count: 0, ..rounding.policy };
    for (count, seed) in [(0, 1), (1, 2), (2, 3), (40, 4)] {
        let rows = entries(&rounding, count, 900, seed);
        let exact: u128 = rows.iter().map(|entry| u128::from(entry.row.values[0])).sum();
        let forger = Forger::new(rounding.clone(), rounding.clone(), rows);
        let answer = forger.world.ask(forger.all(Statistic::Moments)).unwrap();
        let answer =
            <Answer as wire::Decode>::from_bytes(&wire::Encode::to_bytes(&answer)).unwrap();
        let outcome = forger.verify(&answer).unwrap().outcome;
        let expected = match count {
            0 => Outcome::Empty,
            _ => Outcome::Rounded { count: count as u64, sum: exact / 256 * 256 },
        };
        assert_eq!(outcome, expected);
        if count == 0 {
            continue;
        }
        for claim in [exact, exact / 256 * 256 + 256, (exact / 256).wrapping_sub(1) * 256, 1 << 127]
        {
            let mut forged = answer.clone();
            forged.outcome = Outcome::Rounded { count: count as u64, sum: claim };
            assert!(forged == answer || forger.verify(&forged).is_err(), "{claim} for {exact}");
        }
        let mut fewer = answer.clone();
        fewer.outcome = Outcome::Rounded { count: count as u64 + 1, sum: exact / 256 * 256 };
        assert!(forger.verify(&fewer).is_err());
        let mut bare = answer.clone();
        bare.proof = super::Proof::Rounded { ranges: Vec::new() };
        assert!(forger.verify(&bare).is_err());
        for statistic in [STATISTICS[2], Statistic::Histogram] {
            let refused = forger.world.ask(forger.all(statistic));
            assert!(matches!(refused, Err(Fault::Policy { code: "rounding", .. })));
        }
    }
    // An operator that rounds where nobody asked it to, and one that does not where it must.
    let mut exact = rounding.clone();
    exact.policy.rounding = None;
    let rows = entries(&exact, 9, 900, 1);
    for (works_by, held_to) in [(&exact, &rounding), (&rounding, &exact)] {
        let forger = Forger::new(works_by.clone(), held_to.clone(), rows.clone());
        let answer = forger.world.ask(forger.all(Statistic::Moments)).unwrap();
        assert!(forger.verify(&answer).is_err());
    }
    // What is shown: wages from -100 on, 9 rows.
    let interval = super::Interval::of(&exact.values[0], 8, 9, 512);
    let shown = |ends: [super::Exact; 2]| ends.map(|end| end.to_decimal(2));
    assert_eq!(shown(interval.sum), ["-388.00", "-133.00"]);
    assert_eq!(shown(interval.mean), ["-43.11", "-14.78"]);
}
