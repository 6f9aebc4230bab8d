//! Counting: the published result, ties, and what holds for any ballots.

use proptest::prelude::*;
use study::{
    count::{BallotBox, InstantRunoff, Outcome, Tally, Tie, TieBreak},
    description::{ElectionDescription, Question, Rule},
    preferences::{BallotFile, BallotShape, Ranking, Spoiled},
};
use wire::{Decode, Encode};

const BOTH: [Rule; 2] = [Rule::Plurality, Rule::Irv];

fn shape() -> BallotShape {
    BallotShape::new(5, 4).unwrap()
}

fn question(rules: &[Rule]) -> Question {
    Question::ranked("Who?", &["A", "B", "C", "D", "E"], 4, rules)
}

fn tally(ballots: &[Vec<u8>]) -> Tally {
    let rankings = ballots.iter().map(|choices| shape().ranking(choices.iter().copied()));
    rankings.collect::<BallotBox>().tally(&[question(&BOTH)])
}

fn repeated(groups: &[(usize, &[u8])]) -> Vec<Vec<u8>> {
    groups.iter().flat_map(|(count, choices)| vec![choices.to_vec(); *count]).collect()
}

fn burlington() -> Tally {
    let text = include_str!("../../../../examples/election/election.toml");
    let ballots = include_bytes!("../../../../examples/election/ballots.csv");
    let election = ElectionDescription::from_toml(text).unwrap();
    let file = BallotFile::open(&election, &ballots[..]).unwrap();
    let ballots: BallotBox = file.map(|ballot| ballot.unwrap().ballot).collect();
    ballots.tally(&election.questions)
}

#[test]
fn burlington_is_counted_as_published() {
    let [kiss, montroll, simpson, smith, wright, write_in] = [0, 1, 2, 3, 4, 5];
    let tally = burlington();
    assert_eq!((tally.ballots, tally.blank, tally.spoiled_total()), (8_980, 4, 0));

    let plurality = tally.plurality.unwrap();
    let firsts: Vec<_> = plurality.votes.iter().map(|votes| votes.ballots).collect();
    assert_eq!(firsts, [2_585, 2_063, 35, 1_306, 2_951, 36]);
    assert_eq!((plurality.winner, plurality.tied), (Some(wright), vec![]));

    let irv = tally.irv.unwrap();
    assert_eq!(irv.winner(), Some(kiss));
    let left = irv.rounds.iter().filter_map(|round| match round.outcome {
        Outcome::Eliminated { candidate, .. } => Some(candidate),
        _ => None,
    });
    assert_eq!(left.collect::<Vec<_>>(), [simpson, write_in, smith, montroll]);

    // The city let Simpson, the write-ins and Smith leave together: its second round is our fourth.
    let second = &irv.rounds[3];
    let of = |candidate| second.ballots_of(candidate).unwrap();
    assert_eq!([of(wright), of(kiss), of(montroll)], [3_294, 2_981, 2_554]);
    // One vote fewer for Wright than published: an overvote that the example's README explains.
    let last = irv.rounds.last().unwrap();
    assert_eq!((last.ballots_of(kiss), last.ballots_of(wright)), (Some(4_313), Some(4_060)));
    assert_eq!((last.exhausted, last.majority), (607, 4_187));
}

#[test]
fn a_first_round_majority_ends_the_count() {
    let irv = tally(&repeated(&[(3, &[2]), (2, &[0, 1])])).irv.unwrap();
    assert_eq!((irv.rounds.len(), irv.winner()), (1, Some(2)));
    // Half is no majority.
    let irv = tally(&repeated(&[(2, &[2]), (1, &[0]), (1, &[1, 2])])).irv.unwrap();
    assert!(irv.rounds.len() > 1);
    assert_eq!(irv.winner(), Some(2));
}

#[test]
fn nobody_wins_without_votes() {
    for ballots in [vec![], vec![vec![], vec![]]] {
        let tally = tally(&ballots);
        let irv = tally.irv.unwrap();
        assert_eq!((irv.rounds.len(), irv.winner()), (1, None));
        assert_eq!(irv.rounds[0].outcome, Outcome::NoVotes);
        assert_eq!(irv.rounds[0].exhausted, ballots.len() as u64);
        assert_eq!(tally.plurality.unwrap().winner, None);
    }
}

fn eliminated(irv: &InstantRunoff, round: usize) -> (u8, Option<Tie>) {
    match &irv.rounds[round].outcome {
        Outcome::Eliminated { candidate, tie, .. } => (*candidate, tie.clone()),
        other => panic!("{other:?}"),
    }
}

#[test]
fn ties_look_back_and_then_at_the_order() {
    // Nobody ranks 3 and 4. After 2 left, 0 and 1 have four each; 1 began with fewer.
    let groups: &[(usize, &[u8])] = &[(4, &[0]), (3, &[1]), (1, &[2, 1])];
    let irv = tally(&repeated(groups)).irv.unwrap();
    let by_order = |candidates: &[u8]| {
        Some(Tie { candidates: candidates.to_vec(), decided_by: TieBreak::CandidateOrder })
    };
    assert_eq!(eliminated(&irv, 0), (4, by_order(&[3, 4])));
    assert_eq!(eliminated(&irv, 1), (3, None));
    assert_eq!(eliminated(&irv, 2), (2, None));
    let decided_by = TieBreak::EarlierRound { round: 3 };
    assert_eq!(eliminated(&irv, 3), (1, Some(Tie { candidates: vec![0, 1], decided_by })));
    assert_eq!(irv.winner(), Some(0));

    let equal = tally(&repeated(&[(2, &[0]), (2, &[1])]));
    let irv = equal.irv.unwrap();
    assert_eq!(eliminated(&irv, 3), (1, by_order(&[0, 1])));
    let plurality = equal.plurality.unwrap();
    assert_eq!((plurality.winner, plurality.tied), (Some(0), vec![0, 1]));
}

#[test]
fn spoiled_ballots_are_listed_by_reason() {
    let mut ballots = BallotBox::default();
    ballots.extend([Err::<Ranking, _>(Spoiled::Gap), Err(Spoiled::Repeated), Err(Spoiled::Gap)]);
    ballots.add(shape().ranking([1]));
    ballots.add(Ok::<_, Spoiled>(Ranking::default()));
    let tally = ballots.tally(&[question(&[Rule::Irv])]);
    assert_eq!((tally.ballots, tally.blank, tally.spoiled_total()), (5, 1, 3));
    let reasons: Vec<_> = tally.spoiled.iter().map(|spoiled| spoiled.reason).collect();
    assert_eq!(reasons, [Spoiled::Repeated, Spoiled::Gap]);
    assert_eq!(tally.plurality, None);
}

#[test]
fn tallies_have_one_form() {
    let tally = burlington();
    let bytes = tally.to_bytes();
    assert_eq!(Tally::from_bytes(&bytes).unwrap(), tally);
    let json = serde_json::to_string(&tally).unwrap();
    assert_eq!(serde_json::from_str::<Tally>(&json).unwrap(), tally);
    for len in 0..bytes.len() {
        assert!(Tally::from_bytes(&bytes[..len]).is_err());
    }
}

fn ballot() -> impl Strategy<Value = Vec<u8>> {
    prop::sample::subsequence(vec![0_u8, 1, 2, 3, 4], 0..=4).prop_shuffle()
}

fn ballots() -> impl Strategy<Value = Vec<Vec<u8>>> {
    prop::collection::vec(ballot(), 0..60)
}

fn is_tied_by_order(irv: &InstantRunoff) -> bool {
    irv.rounds.iter().any(|round| match &round.outcome {
        Outcome::Eliminated { tie: Some(tie), .. } => tie.decided_by == TieBreak::CandidateOrder,
        _ => false,
    })
}

/// The count of the textbook, without piles: look at every ballot in every round.
fn naive_rounds(ballots: &[Vec<u8>], eliminated: &[u8]) -> Vec<[u64; 5]> {
    let round = |gone: &[u8]| {
        let mut votes = [0; 5];
        for ballot in ballots {
            if let Some(choice) = ballot.iter().find(|choice| !gone.contains(choice)) {
                votes[usize::from(*choice)] += 1;
            }
        }
        votes
    };
    (0..=eliminated.len()).map(|gone| round(&eliminated[..gone])).collect()
}

proptest! {
    #[test]
    fn rounds_conserve_ballots(ballots in ballots()) {
        let tally = tally(&ballots);
        let irv = tally.irv.unwrap();
        let mut gone = Vec::new();
        for pair in irv.rounds.windows(2) {
            let Outcome::Eliminated { candidate, transfers, exhausted, .. } = &pair[0].outcome else {
                panic!("an early end");
            };
            gone.push(*candidate);
            let moved: u64 = transfers.iter().map(|votes| votes.ballots).sum();
            prop_assert_eq!(pair[0].ballots_of(*candidate), Some(moved + exhausted));
            prop_assert_eq!(pair[0].exhausted + exhausted, pair[1].exhausted);
            for votes in &pair[1].standing {
                let gain = transfers.iter().find(|gain| gain.candidate == votes.candidate);
                let before = pair[0].ballots_of(votes.candidate).unwrap();
                prop_assert_eq!(votes.ballots, before + gain.map_or(0, |gain| gain.ballots));
            }
        }
        for (round, naive) in irv.rounds.iter().zip(naive_rounds(&ballots, &gone)) {
            let active: u64 = round.standing.iter().map(|votes| votes.ballots).sum();
            prop_assert_eq!(active + round.exhausted, tally.ballots);
            prop_assert_eq!(round.majority, active / 2 + 1);
            for votes in &round.standing {
                prop_assert_eq!(votes.ballots, naive[usize::from(votes.candidate)]);
            }
        }
        prop_assert_eq!(irv.winner().is_some(), ballots.iter().any(|ballot| !ballot.is_empty()));
    }

    #[test]
    fn the_order_of_ballots_is_nothing(
        (ballots, shuffled) in ballots().prop_flat_map(|b| (Just(b.clone()), Just(b).prop_shuffle()))
    ) {
        prop_assert_eq!(tally(&ballots).to_bytes(), tally(&shuffled).to_bytes());
    }

    #[test]
    fn boxes_merge(ballots in ballots(), at in any::<prop::sample::Index>()) {
        let at = at.index(ballots.len() + 1);
        let gather = |part: &[Vec<u8>]| -> BallotBox {
            part.iter().map(|choices| shape().ranking(choices.iter().copied())).collect()
        };
        let (left, right) = ballots.split_at(at);
        prop_assert_eq!(gather(left).merge(gather(right)), Ok(gather(&ballots)));
    }

    #[test]
    fn names_are_nothing(
        ballots in ballots(),
        names in Just(vec![0_u8, 1, 2, 3, 4]).prop_shuffle(),
    ) {
        let rename = |choice: &u8| names[usize::from(*choice)];
        let renamed: Vec<Vec<u8>> =
            ballots.iter().map(|ballot| ballot.iter().map(rename).collect()).collect();
        let (one, two) = (tally(&ballots).irv.unwrap(), tally(&renamed).irv.unwrap());
        prop_assume!(!is_tied_by_order(&one));
        prop_assert_eq!(one.winner().map(|winner| rename(&winner)), two.winner());
        prop_assert_eq!(one.rounds.len(), two.rounds.len());
        for (one, two) in one.rounds.iter().zip(&two.rounds) {
            for votes in &one.standing {
                prop_assert_eq!(Some(votes.ballots), two.ballots_of(rename(&votes.candidate)));
            }
        }
    }

    #[test]
    fn mutated_tallies_are_refused_or_canonical(
        ballots in ballots(),
        at in any::<prop::sample::Index>(),
        byte: u8,
    ) {
        let mut bytes = tally(&ballots).to_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(tally) = Tally::from_bytes(&bytes) {
            prop_assert_eq!(tally.to_bytes(), bytes);
        }
    }
}
