//! Every lie about an answer is refused.

use algebra::{Group as _, Ristretto255 as Point, Scalar as _};
use proptest::prelude::*;
use table::{
    log::Attestation,
    query::{Answer, Assurance, KeyBox, Outcome, Proof, Query, Rank, Region, Statistic},
    *,
};
use wire::{Decode, Encode};

use super::{MEDIAN, STATISTICS, TWENTIETH, all, world};
use crate::support::*;

type Scalar = <Point as algebra::Group>::Scalar;

#[test]
fn queries_outside_of_schema_policy_and_log_are_refused() {
    let world = world(&[20, 20], 5);
    let reason = |query: Query| match world.ask(query) {
        Err(Fault::Query { reason } | Fault::Policy { reason, .. }) => reason,
        other => panic!("{other:?}"),
    };
    let base = all(&world, Statistic::Moments);
    let region = |change: &dyn Fn(&mut Region)| {
        let mut query = base.clone();
        change(&mut query.region);
        reason(query)
    };
    let epochs = "the interval of epochs is empty or not in the log";
    assert_eq!(region(&|region| region.to = 12), epochs);
    assert_eq!(region(&|region| region.from = 9), epochs);
    assert_eq!(region(&|region| region.from = 12), epochs);
    let key_box = KeyBox { ranges: vec![(1, 1), (0, 1)] };
    let twice = vec![key_box.clone(), key_box.clone()];
    assert_eq!(region(&|region| region.boxes = twice.clone()), "boxes must ascend");
    let overlapping = vec![key_box.clone(), KeyBox { ranges: vec![(1, 2), (0, 0)] }];
    assert_eq!(region(&|region| region.boxes = overlapping.clone()), "two boxes overlap");
    let outside = "a box is empty or outside of the schema";
    for ranges in [vec![(2, 1), (0, 1)], vec![(0, 1), (0, 2)], vec![(0, 1)]] {
        assert_eq!(
            region(&|region| region.boxes = vec![KeyBox { ranges: ranges.clone() }]),
            outside
        );
    }
    let mut query = all(&world, Statistic::Order(Rank::Quantile(Fraction { part: 1, whole: 3 })));
    assert_eq!(reason(query.clone()), "the fraction is not one of the policy");
    query.statistic = Statistic::Order(Rank::Max);
    query.column = 1;
    assert_eq!(reason(query.clone()), "the column is not ordered");
    // Over tied rows an operator could pick those with more of an extra column.
    query.statistic = Statistic::Top(MEDIAN);
    assert_eq!(reason(query.clone()), "the column is not ordered");
    query.column = 2;
    assert_eq!(reason(query), "there is no such value column");
    let mut schema = schema();
    schema.policy.extremes = false;
    schema.policy.min_count = 21;
    let strict = World::new(schema.clone(), &[entries(&schema, 20, 5, 0)]);
    let refused = strict.ask(all(&strict, Statistic::Order(Rank::Max)));
    assert_eq!(
        refused,
        Err(Fault::Policy { code: "extremes", reason: "the policy does not allow MIN and MAX" })
    );
    let refused = strict.ask(all(&strict, Statistic::Moments));
    assert_eq!(
        refused,
        Err(Fault::Policy { code: "min-count", reason: "fewer rows than the policy's min_count" })
    );
}

/// An honest answer with one thing changed.
fn refused(world: &World, answer: &Answer, what: &str, change: &dyn Fn(&mut Answer)) {
    let mut changed = answer.clone();
    change(&mut changed);
    assert!(changed != *answer, "{what}: nothing was changed");
    assert!(world.check(&changed).is_err(), "{what}");
}

#[test]
fn no_byte_of_an_answer_can_change() {
    let world = world(&[12, 9], 4);
    for statistic in STATISTICS {
        let answer = world.ask(all(&world, statistic)).unwrap();
        let bytes = answer.to_bytes();
        assert!(world.check(&answer).is_ok());
        let step = bytes.len() / 60 + 1;
        for at in (0..bytes.len()).step_by(step).chain(bytes.len().saturating_sub(8)..bytes.len()) {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << (at % 8);
            if let Ok(changed) = Answer::from_bytes(&bytes) {
                assert!(world.check(&changed).is_err(), "{statistic:?}: byte {at}");
            }
        }
        for len in (0..bytes.len()).step_by(step) {
            assert!(Answer::from_bytes(&bytes[..len]).is_err());
        }
    }
}

/// Attack A, the forgotten factor 2, `V + l` (no canonical scalar), and sums beyond `N·MAX`.
#[test]
fn sums_are_the_sums() {
    let world = world(&[20], 5);
    let answer = world.ask(all(&world, Statistic::Moments)).unwrap();
    let claim = |answer: &mut Answer, at: usize, change: &dyn Fn(&mut [u8])| {
        // Outcome: kind, count, number of sums, sums of 32 bytes.
        let mut bytes = answer.outcome.to_bytes();
        change(&mut bytes[10 + 32 * at..42 + 32 * at]);
        answer.outcome = Outcome::from_bytes(&bytes).unwrap();
    };
    for at in 0..3 {
        refused(&world, &answer, "another sum", &|answer| claim(answer, at, &|sum| sum[0] ^= 1));
        refused(&world, &answer, "half the sum", &|answer| {
            claim(answer, at, &|sum| {
                let value = Scalar::decode(&sum.try_into().unwrap()).unwrap();
                let half = value * Scalar::from_u64(2).invert();
                sum.copy_from_slice(&half.encode());
            });
        });
        refused(&world, &answer, "twice the sum", &|answer| {
            claim(answer, at, &|sum| {
                let value = Scalar::decode(&sum.try_into().unwrap()).unwrap();
                sum.copy_from_slice(&(value + value).encode());
            });
        });
        refused(&world, &answer, "minus the sum", &|answer| {
            claim(answer, at, &|sum| {
                let value = Scalar::decode(&sum.try_into().unwrap()).unwrap();
                sum.copy_from_slice(&(-value).encode());
            });
        });
    }
    // `V + l`: congruent to the sum, and no canonical scalar.
    let mut bytes = answer.outcome.to_bytes();
    let order = (-Scalar::from_u64(1)).encode();
    let mut carry = 1_u16;
    for (byte, order) in bytes[10..42].iter_mut().zip(order.iter()) {
        let sum = u16::from(*byte) + u16::from(*order) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
    assert!(carry == 0 && Outcome::from_bytes(&bytes).is_err());
    // A root whose sums were replaced.
    refused(&world, &answer, "another commitment", &|answer| {
        let double = &mut answer.covers[0].keys[0].1.doubles[0];
        let moved = Point::decode(double).unwrap() + Point::generator();
        *double = moved.encode().try_into().unwrap();
    });
    refused(&world, &answer, "a count off by one", &|answer| answer.covers[0].keys[0].1.count += 1);
    refused(&world, &answer, "a key without rows", &|answer| answer.covers[0].keys[0].1.count = 0);
    refused(&world, &answer, "an omitted key", &|answer| {
        answer.covers[0].keys.remove(1);
    });
    refused(&world, &answer, "no epochs", &|answer| answer.covers.clear());
    refused(&world, &answer, "an epoch twice", &|answer| {
        answer.covers.push(answer.covers[0].clone());
    });
    refused(&world, &answer, "no openings", &|answer| {
        answer.proof = world.ask(Query { column: 1, ..answer.query.clone() }).unwrap().proof;
    });
}

/// Attack F: the median for the 5th percentile, and any other wrong value of a rank.
#[test]
fn values_have_their_rank() {
    let world = world(&[30], 900);
    let ask = |rank| world.ask(all(&world, Statistic::Order(rank))).unwrap();
    let ranks = [Rank::Min, Rank::Max, Rank::Quantile(MEDIAN), Rank::Quantile(TWENTIETH)];
    for rank in ranks {
        for other in ranks {
            let mut answer = ask(rank);
            answer.query.statistic = Statistic::Order(other);
            assert_eq!(world.check(&answer).is_ok(), rank == other, "{rank:?} for {other:?}");
        }
        let answer = ask(rank);
        for delta in [1, u64::MAX, 2000] {
            refused(&world, &answer, "another value", &|answer| {
                let Outcome::Order { value, .. } = &mut answer.outcome else { panic!() };
                *value = value.wrapping_add(delta);
            });
        }
        refused(&world, &answer, "an inflated rank", &|answer| {
            let Proof::Order { order, .. } = &mut answer.proof else { panic!() };
            order.below.ranks[0] += 1;
        });
        refused(&world, &answer, "missing range proofs", &|answer| {
            let Proof::Order { ranges, .. } = &mut answer.proof else { panic!() };
            ranges.clear();
        });
        refused(&world, &answer, "surplus range proofs", &|answer| {
            let Proof::Order { ranges, .. } = &mut answer.proof else { panic!() };
            ranges.push(ranges[0].clone());
        });
        refused(&world, &answer, "a shorter range proof", &|answer| {
            let Proof::Order { ranges, .. } = &mut answer.proof else { panic!() };
            let len = ranges[0].len() - 64;
            ranges[0].truncate(len);
        });
    }
}

#[test]
fn cuts_cannot_move() {
    let world = world(&[30], 900);
    let answer = world.ask(all(&world, Statistic::Top(MEDIAN))).unwrap();
    // One more row here and one less there: the count stays.
    refused(&world, &answer, "a moved cut", &|answer| {
        let Proof::Top { cut, .. } = &mut answer.proof else { panic!() };
        let keys = cut.ranks.len();
        let from = (0..keys).find(|key| cut.ranks[*key] > 1).unwrap();
        let to = (0..keys).rfind(|key| *key != from && cut.ranks[*key] > 0).unwrap();
        cut.ranks[from] -= 1;
        cut.ranks[to] += 1;
    });
    let histogram = world.ask(all(&world, Statistic::Histogram)).unwrap();
    for side in 0..2 {
        refused(&world, &histogram, "an edge shown on one side", &|answer| {
            let Proof::Histogram { cuts, .. } = &mut answer.proof else { panic!() };
            let cut = &mut cuts[3];
            [&mut cut.below, &mut cut.above][side].clear();
        });
    }
    refused(&world, &histogram, "cuts swapped", &|answer| {
        let Proof::Histogram { cuts, .. } = &mut answer.proof else { panic!() };
        cuts.swap(2, 3);
    });
    refused(&world, &histogram, "a missing cut", &|answer| {
        let Proof::Histogram { cuts, .. } = &mut answer.proof else { panic!() };
        cuts.pop();
    });
}

/// Proofs are bound to table, log and epoch.
#[test]
fn answers_of_another_table_or_log_are_refused() {
    let world = world(&[20, 20], 5);
    let mut query = all(&world, Statistic::Moments);
    query.region.to = 10;
    let answer = world.ask(query).unwrap();
    assert!(world.check(&answer).is_ok());
    let verify =
        |table: &Table, size| table::query::verify(table, &world.checkpoint(size), &answer, &[]);
    assert!(verify(&world.setup.table, 1).is_err(), "an older log");
    let genesis = Genesis { nonce: [9; 32].into(), ..world.setup.table.genesis().clone() };
    assert!(verify(&Table::new(genesis).unwrap(), 2).is_err(), "another table");
    refused(&world, &answer, "another epoch", &|answer| {
        answer.query.region.from = 11;
        answer.query.region.to = 11;
        answer.covers[0].epoch = world.logged(1, 2);
    });
}

#[test]
fn only_the_wanted_auditors_make_an_answer_verified() {
    let world = world(&[20, 20], 5);
    let mut answer = world.ask(all(&world, Statistic::Order(Rank::Min))).unwrap();
    let wanted = PublicKey::of(&world.setup.auditor);
    let table = &world.setup.table;
    let verify = |answer: &Answer| table::query::verify(table, &world.newest(), answer, &[wanted]);
    let attest = |epoch: u32| {
        let digest = world.digests[epoch as usize - 10];
        Attestation::sign(&world.setup.auditor, table, epoch, digest)
    };
    assert_eq!(verify(&answer).unwrap().assurance, Assurance::CommittedOnly);
    answer.attestations = vec![attest(10)];
    assert_eq!(verify(&answer).unwrap().assurance, Assurance::CommittedOnly);
    answer.attestations.push(attest(11));
    assert_eq!(verify(&answer).unwrap().assurance, Assurance::Audited);
    answer.attestations[0].digest = world.digests[1];
    assert!(verify(&answer).is_err());
}

/// Attack D: nothing but the statement is the same in two proofs of it.
#[test]
fn two_proofs_of_one_statement_share_no_mask() {
    let world = world(&[20], 5);
    let size = world.digests.len();
    let source = || [query::Source { logged: world.logged(0, size), built: &world.epochs[0] }];
    let ask = |seed| {
        let query = all(&world, Statistic::Order(Rank::Quantile(MEDIAN)));
        let checkpoint = world.newest().checkpoint;
        let table = &world.setup.table;
        query::answer(table, &checkpoint, query, &source(), vec![], &mut rng(seed)).unwrap()
    };
    let (Proof::Order { ranges: one, .. }, Proof::Order { ranges: two, .. }) =
        (ask(1).proof, ask(2).proof)
    else {
        panic!()
    };
    let (one, _) = one[0][1..].as_chunks::<32>();
    let (two, _) = two[0][1..].as_chunks::<32>();
    assert!(one.iter().zip(two).all(|(one, two)| one != two));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn arbitrary_bytes_are_no_answer(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let world = std::sync::LazyLock::force(&SMALL);
        if let Ok(answer) = Answer::from_bytes(&bytes) {
            prop_assert!(world.check(&answer).is_err());
        }
    }
}

static SMALL: std::sync::LazyLock<World> = std::sync::LazyLock::new(|| world(&[3], 5));
