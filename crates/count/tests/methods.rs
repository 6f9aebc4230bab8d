//! Every method: textbook examples, ties, and what holds for any ballots.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

use count::{
    Choices, Contest, Count, Decimal5, Grades, MAX_BALLOTS, Marks, MeekOutcome, Names, Profile,
    Ranking, Rule, Tie, TieBreak, TooManyBallots, Transfer, read_blt, read_preflib,
};
use proptest::prelude::*;

fn rankings(groups: &[(u64, &[u8])]) -> Profile {
    let mut profile = Profile::default();
    for (number, choices) in groups {
        let ranking = Ranking::new(choices.to_vec()).unwrap();
        profile.add(Marks::Ranking(ranking), *number).unwrap();
    }
    profile
}

fn graded(groups: &[(u64, &[u8])]) -> Profile {
    let mut profile = Profile::default();
    for (number, grades) in groups {
        let grades = Grades::new(grades.iter().map(|grade| Some(*grade)).collect());
        profile.add(Marks::Grades(grades), *number).unwrap();
    }
    profile
}

fn contest(candidates: usize, seats: u8) -> Contest {
    Contest { candidates, seats, best_grade: 5 }
}

fn by_order(candidates: &[u8]) -> Tie {
    Tie { candidates: candidates.to_vec(), decided_by: TieBreak::CandidateOrder }
}

/// The capital of Tennessee: Memphis, Nashville, Chattanooga, Knoxville.
fn tennessee() -> Profile {
    rankings(&[(42, &[0, 1, 2, 3]), (26, &[1, 2, 3, 0]), (15, &[2, 3, 1, 0]), (17, &[3, 2, 1, 0])])
}

#[test]
fn profiles_hold_so_many_ballots_and_lose_none() {
    let of = |first, second| rankings(&[(first, &[0]), (second, &[1])]);
    let (half, more) = (MAX_BALLOTS / 2, MAX_BALLOTS / 2 - 1);
    let full = of(more, 2).merge(of(1, more - 1)).unwrap();
    assert_eq!((full.total(), &full), (MAX_BALLOTS, &of(half, half)));
    assert_eq!(full.clone().merge(Profile::default()).as_ref(), Ok(&full));
    assert_eq!(full.clone().merge(of(0, 1)), Err(TooManyBallots));
    assert_eq!(of(0, 1).merge(full.clone()), Err(TooManyBallots));
    let mut again = full.clone();
    assert_eq!(again.add_all(&of(1, 0), 1), Err(TooManyBallots));
    assert_eq!(again, full);
}

#[test]
fn one_ballot_is_told_in_the_singular() {
    let told = |profile: &Profile, rule, contest: &Contest| {
        profile.count(rule, contest).story(&Names(&["A".to_owned(), "B".to_owned()]))
    };
    let (one, two) = (rankings(&[(1, &[0])]), rankings(&[(2, &[0, 1])]));
    let first = |profile, rule, contest| told(profile, rule, contest)[0].clone();
    let alone = contest(2, 1);
    assert_eq!(first(&one, Rule::Plurality, &alone), "A: 1 vote");
    assert_eq!(first(&two, Rule::Plurality, &alone), "A: 2 votes");
    let runoff = "Round 1: A is elected with 1 ballot; 1 was needed";
    assert_eq!(first(&one, Rule::Irv, &alone), runoff);
    let runoff = "Round 1: A is elected with 2 ballots; 2 were needed";
    assert_eq!(first(&two, Rule::Irv, &alone), runoff);
    assert_eq!(first(&one, Rule::MeekStv, &alone), "1 valid ballot");
    let stars = graded(&[(1, &[5, 0]), (2, &[0, 4])]);
    let runoff = "Runoff: 2 ballots grade B higher, 1 grades A higher, 0 grade them alike";
    assert!(told(&stars, Rule::Star, &alone).contains(&runoff.to_owned()));
}

#[test]
fn tennessee_is_counted_as_in_the_textbooks() {
    let winner = |rule| tennessee().count(rule, &contest(4, 1)).elected();
    assert_eq!(winner(Rule::Plurality), [0]);
    assert_eq!(winner(Rule::Irv), [3]);
    for rule in [Rule::Borda, Rule::Schulze, Rule::RankedPairs] {
        assert_eq!(winner(rule), [1], "{rule}");
    }
    let Count::Borda(borda) = tennessee().count(Rule::Borda, &contest(4, 1)) else { panic!() };
    let points: Vec<_> = borda.totals.iter().map(|votes| votes.ballots).collect();
    assert_eq!(points, [126, 194, 173, 107]);
}

/// The example of Schulze's paper, whose strongest paths are printed there.
#[test]
fn schulzes_own_example() {
    let [a, b, c, d, e] = [0, 1, 2, 3, 4];
    let profile = rankings(&[
        (5, &[a, c, b, e, d]),
        (5, &[a, d, e, c, b]),
        (8, &[b, e, d, a, c]),
        (3, &[c, a, b, e, d]),
        (7, &[c, a, e, b, d]),
        (2, &[c, b, a, d, e]),
        (7, &[d, c, e, b, a]),
        (8, &[e, b, a, d, c]),
    ]);
    let Count::Schulze(count) = profile.count(Rule::Schulze, &contest(5, 1)) else { panic!() };
    let paths = [
        [0, 28, 28, 30, 24],
        [25, 0, 28, 33, 24],
        [25, 29, 0, 29, 24],
        [25, 28, 28, 0, 24],
        [25, 28, 28, 31, 0],
    ];
    for (row, numbers) in (0..).zip(paths) {
        for (column, number) in (0..).zip(numbers) {
            assert_eq!(count.paths.get(row, column), number, "{row} to {column}");
        }
    }
    assert_eq!(count.order, [e, a, c, b, d]);
    assert_eq!(count.ties, []);
}

#[test]
fn ranked_pairs_pass_over_what_closes_a_circle() {
    // A over B by 7, B over C by 6, C over A by 5: the last one closes the circle.
    let profile = rankings(&[(4, &[0, 1, 2]), (2, &[1, 2, 0]), (3, &[2, 0, 1])]);
    let Count::RankedPairs(count) = profile.count(Rule::RankedPairs, &contest(3, 1)) else {
        panic!()
    };
    let locked: Vec<_> = count
        .pairs
        .iter()
        .map(|pair| (pair.winner, pair.loser, pair.ballots, pair.locked))
        .collect();
    assert_eq!(locked, [(0, 1, 7, true), (1, 2, 6, true), (2, 0, 5, false)]);
    assert_eq!(count.order, [0, 1, 2]);
}

#[test]
fn scottish_surpluses_go_on_at_five_places() {
    // 60 ballots, two seats, quota 21. A has 30: each ballot goes on at 9 / 30.
    let profile = rankings(&[(20, &[0, 1]), (10, &[0, 2]), (14, &[1]), (16, &[2])]);
    let Count::ScottishStv(count) = profile.count(Rule::ScottishStv, &contest(3, 2)) else {
        panic!()
    };
    assert_eq!((count.valid, count.quota), (60, 21));
    let votes = |stage: usize| -> Vec<String> {
        count.stages[stage].votes.iter().map(Decimal5::to_string).collect()
    };
    assert_eq!(votes(0), ["30.00000", "14.00000", "16.00000"]);
    assert_eq!(votes(1), ["21.00000", "20.00000", "19.00000"]);
    assert_eq!(votes(2), ["21.00000", "20.00000", "0.00000"]);
    assert_eq!(count.stages[2].exhausted.to_string(), "19.00000");
    assert_eq!((count.elected, count.stages[2].remaining.clone()), (vec![0, 1], vec![1]));

    // A third has no end in decimals; what is cut off is lost to nobody's votes.
    let profile = rankings(&[(5, &[0, 1]), (2, &[0, 2]), (1, &[2])]);
    let Count::ScottishStv(count) = profile.count(Rule::ScottishStv, &contest(3, 2)) else {
        panic!()
    };
    let Transfer::Surplus { surplus, .. } = &count.stages[1].transfer else { panic!() };
    assert_eq!((count.quota, surplus.to_string().as_str()), (3, "4.00000"));
    assert_eq!(count.stages[1].votes[1].to_string(), "2.85710");
    assert_eq!(count.stages[1].votes[2].to_string(), "2.14284");
    assert_eq!(count.stages[1].exhausted.to_string(), "0.00006");
}

#[test]
fn scottish_ties_look_back() {
    // B and C have 6 each after the surplus of A, and began with 6 and 5.
    let groups: &[(u64, &[u8])] = &[(12, &[0]), (2, &[0, 2]), (6, &[1]), (5, &[2]), (6, &[3])];
    let Count::ScottishStv(count) = rankings(groups).count(Rule::ScottishStv, &contest(4, 2))
    else {
        panic!()
    };
    assert_eq!((count.quota, count.stages[0].elected.clone()), (11, vec![0]));
    let excluded: Vec<_> = count
        .stages
        .iter()
        .filter_map(|stage| match &stage.transfer {
            Transfer::Exclusion { candidate, tie } => Some((*candidate, tie.clone())),
            _ => None,
        })
        .collect();
    // C has 5 and a part of the surplus; then B and D are equal, always were, and D is listed last.
    assert_eq!(excluded, [(2, None), (3, Some(by_order(&[1, 3])))]);
}

/// What the city published of 7 November 2017: first choices, threshold and who is elected.
#[test]
fn minneapolis_is_counted_as_published() {
    let count = |text: &str| {
        let election = read_blt(text).unwrap();
        let seats = election.seats.unwrap();
        assert_eq!(election.profile.total(), 105_928);
        let contest = contest(election.candidates.len(), seats);
        let elected = |rule| {
            Names(&election.candidates).list(&election.profile.count(rule, &contest).elected())
        };
        let both = [elected(Rule::ScottishStv), elected(Rule::MeekStv)];
        let Count::ScottishStv(stv) = election.profile.count(Rule::ScottishStv, &contest) else {
            panic!()
        };
        (stv, both)
    };
    let firsts = |stv: &count::ScottishStv| -> Vec<u64> {
        stv.stages[0].votes.iter().map(|votes| votes.floor()).collect()
    };
    let (estimate, elected) =
        count(include_str!("../../../examples/minneapolis/estimate-board.blt"));
    assert_eq!(firsts(&estimate), [48_163, 19_312, 1_539, 680]);
    assert_eq!((estimate.valid, estimate.quota), (69_694, 23_232));
    assert_eq!(elected, ["Carol Becker and David B. Wheeler"; 2]);

    let (park, elected) = count(include_str!("../../../examples/park-board/ballots.blt"));
    // Published in percent: 23, 22 and 15, none of them the threshold.
    let percent = |candidate: usize| (firsts(&park)[candidate] * 1_000 / park.valid + 5) / 10;
    assert_eq!([percent(6), percent(4), percent(5)], [23, 22, 15]);
    assert!(park.stages[0].elected.is_empty());
    assert_eq!(elected[0], "Latrisha Vetaw, Meg Forney and Londel French");
    let mut sorted = park.elected.clone();
    sorted.sort_unstable();
    assert_eq!(sorted, [4, 5, 6]);
}

/// Meek 1969 as the reference rule has it: what A keeps of each ballot gives A just a quota.
#[test]
fn meek_finds_the_shares() {
    let profile = rankings(&[(20, &[0, 1]), (10, &[0, 2]), (14, &[1]), (16, &[2])]);
    let Count::MeekStv(count) = profile.count(Rule::MeekStv, &contest(3, 2)) else { panic!() };
    assert!(
        matches!(&count.rounds[0].outcome, MeekOutcome::Elected { candidates } if candidates == &[0])
    );
    let share = count.rounds[1].keep[0].units();
    assert!(share.abs_diff(666_666_667) <= 100, "{share}");
    assert_eq!(count.elected, [0, 1]);
}

#[test]
fn star_differs_from_score() {
    // A has most points, but more ballots grade B higher.
    let profile = graded(&[(3, &[5, 4, 0]), (4, &[3, 4, 5]), (2, &[5, 4, 0])]);
    assert_eq!(profile.count(Rule::Score, &contest(3, 1)).elected(), [0]);
    let profile = graded(&[(4, &[5, 0, 0]), (5, &[2, 3, 0])]);
    assert_eq!(profile.count(Rule::Score, &contest(3, 1)).elected(), [0]);
    let Count::Star(star) = profile.count(Rule::Star, &contest(3, 1)) else { panic!() };
    assert_eq!(star.scores.elected, [0, 1]);
    assert_eq!((star.runoff[0].ballots, star.runoff[1].ballots, star.equal), (4, 5, 0));
    assert_eq!(star.winner, Some(1));
    // As many prefer the one as the other: the points decide, which is the first round.
    let Count::Star(tied) = graded(&[(1, &[0, 5]), (1, &[4, 3])]).count(Rule::Star, &contest(2, 1))
    else {
        panic!()
    };
    assert_eq!(tied.winner, Some(1));
    let decided_by = TieBreak::EarlierRound { round: 1 };
    assert_eq!(tied.tie, Some(Tie { candidates: vec![0, 1], decided_by }));
}

#[test]
fn majority_judgment_takes_medians_away() {
    let profile = graded(&[(2, &[5, 4, 3]), (2, &[3, 3, 3]), (1, &[0, 3, 5])]);
    let Count::MajorityJudgment(count) = profile.count(Rule::MajorityJudgment, &contest(3, 1))
    else {
        panic!()
    };
    // All have median 3, and 3 again without it; then it is 5, 4 and 3.
    assert!(count.order.iter().all(|judged| judged.median == 3));
    let order: Vec<_> = count.order.iter().map(|judged| judged.candidate).collect();
    assert_eq!(order, [0, 1, 2]);
    assert_eq!(count.order[0].removed, Some(2));
}

#[test]
fn seats_at_large_and_their_ties() {
    let mut profile = Profile::default();
    for (number, choices) in [(3, vec![0, 1]), (2, vec![2]), (1, vec![3, 2]), (1, vec![])] {
        profile.add(Marks::Choices(choices.into_iter().collect::<Choices>()), number).unwrap();
    }
    let Count::AtLarge(count) = profile.count(Rule::AtLarge, &contest(4, 2)) else { panic!() };
    assert_eq!((count.elected, count.tie), (vec![0, 1], Some(by_order(&[0, 1, 2]))));
    let Count::Approval(count) = profile.count(Rule::Approval, &contest(4, 4)) else { panic!() };
    assert_eq!((count.elected, count.tie), (vec![0, 1, 2, 3], None));
}

#[test]
fn nobody_wins_without_marks() {
    for rule in Rule::ALL {
        for blank in [0, 3] {
            let mut profile = Profile::default();
            let marks = match rule.kind() {
                count::BallotKind::Ranking => Marks::Ranking(Ranking::default()),
                count::BallotKind::Choices => Marks::Choices(Choices::default()),
                count::BallotKind::Grades => Marks::Grades(Grades::new(vec![None; 3])),
            };
            profile.add(marks, blank).unwrap();
            let count = profile.count(rule, &contest(3, 1));
            assert!(count.elected().is_empty(), "{rule}");
            count.story(&Names(&[]));
        }
    }
}

#[test]
fn blt_and_preflib_files_say_the_same() {
    let blt = "\u{feff}4 2 # Lunch\n-2\n3 1 3 4 0\n4 2 3 - 4 0\n2 3=4 1 0\n1 4 1=3 0\n1 0\n0\n\
               \"Soup\"\n\"Salad\"\n\"Stew # 1\"\n\"Cake\"\n\"Lunch\"\n";
    let election = read_blt(blt).unwrap();
    assert_eq!(election.candidates, ["Soup", "Stew # 1", "Cake"]);
    assert_eq!((election.title.as_deref(), election.seats), (Some("Lunch"), Some(2)));
    // Two overvoted ballots and an empty one are blank.
    assert_eq!(election.profile, rankings(&[(3, &[0, 1, 2]), (4, &[1, 2]), (3, &[]), (1, &[2])]));

    let preflib = "# TITLE: Lunch\n# NUMBER ALTERNATIVES: 4\n# ALTERNATIVE NAME 1: Soup\n\
                   # ALTERNATIVE NAME 3: Stew\n3: 1,3,4\n4: {3},4\n2: {3,4},1\n1: 4,{1,3}\n1: {1, 2}\n";
    let election = read_preflib(preflib).unwrap();
    // The same, if nobody withdraws.
    let expected = rankings(&[(3, &[0, 2, 3]), (4, &[2, 3]), (3, &[]), (1, &[3])]);
    assert_eq!(election.profile, expected);
    assert_eq!(election.candidates, ["Soup", "Candidate 2", "Stew", "Candidate 4"]);
}

/// Ben is listed before Cleo, and nobody ranks either: of the two the order would let Ben stay.
#[test]
fn who_withdrew_is_not_elected() {
    let names = "0\n\"Ana\"\n\"Ben\"\n\"Cleo\"\n";
    let election = read_blt(&format!("3 2\n-2\n5 1 0\n1 2=3 1 0\n{names}")).unwrap();
    assert_eq!(election.candidates, ["Ana", "Cleo"]);
    // A rank that Ben shares with another is that one's.
    assert_eq!(election.profile, rankings(&[(5, &[0]), (1, &[1, 0])]));
    let election = read_blt(&format!("3 2\n-2\n5 1 0\n{names}")).unwrap();
    for rule in [Rule::ScottishStv, Rule::MeekStv] {
        let contest = contest(election.candidates.len(), 2);
        let elected = election.profile.count(rule, &contest).elected();
        assert_eq!(Names(&election.candidates).list(&elected), "Ana and Cleo", "{rule}");
    }
}

#[test]
fn malformed_files_are_refused_by_line() {
    let cases = [
        ("", 1, "empty"),
        ("2\n", 1, "candidates and seats"),
        ("65 1\n", 1, "candidates and seats"),
        ("2 1\n1 3 0\n0\n", 2, "`3` is no candidate; there are 2"),
        ("2 1\n1 1 1 0\n0\n", 2, "ranked twice"),
        ("2 1\n1 1\n0\n", 2, "does not end with 0"),
        ("2 1\n1 1 0 2\n0\n", 2, "something follows"),
        ("2 1\n1 1 0\n", 2, "has no end"),
        ("2 1\n99999999999999 1 0\n0\n", 2, "more than"),
        ("2 1\n1 2 0\n-2\n0\n", 3, "before the ballots"),
        ("2 1\n-3\n0\n", 2, "`-3` is no candidate"),
        ("1 1\n-1\n0\n\"A\"\n", 4, "all candidates withdrew"),
        ("2 1\n0\n\"A\"\n", 3, "1 names for 2"),
        ("2 1\n0\n\"A\"\nB\n", 4, "not in quotes"),
        ("2 1\n0\n\"A\"\n\"\u{7}\"\n", 4, "control characters"),
    ];
    for (text, line, message) in cases {
        let error = read_blt(text).unwrap_err();
        assert_eq!(error.line, line, "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    for text in ["", "1: 2\n", "# NUMBER ALTERNATIVES: 70\n", "# NUMBER ALTERNATIVES: 2\n1: 3\n"] {
        assert!(read_preflib(text).is_err());
    }
    // Ballots rank three candidates, and two of them are left.
    let twice = "# NUMBER ALTERNATIVES: 3\n1: 3\n# NUMBER ALTERNATIVES: 2\n";
    assert!(read_preflib(twice).unwrap_err().to_string().contains("stands twice"));
}

fn ranked() -> impl Strategy<Value = Vec<Vec<u8>>> {
    let ballot = prop::sample::subsequence(vec![0_u8, 1, 2, 3, 4, 5], 0..=6).prop_shuffle();
    prop::collection::vec(ballot, 0..60)
}

fn profile_of(ballots: &[Vec<u8>]) -> Profile {
    let mut profile = Profile::default();
    for choices in ballots {
        profile.add(Marks::Ranking(Ranking::new(choices.clone()).unwrap()), 1).unwrap();
    }
    profile
}

/// Grades and choices of the same ballots: who is ranked earlier is graded higher.
fn any_profile(rule: Rule, ballots: &[Vec<u8>]) -> Profile {
    let mut profile = Profile::default();
    for choices in ballots {
        let marks = match rule.kind() {
            count::BallotKind::Ranking => Marks::Ranking(Ranking::new(choices.clone()).unwrap()),
            count::BallotKind::Choices => Marks::Choices(choices.iter().copied().collect()),
            count::BallotKind::Grades => {
                let grade = |candidate: u8| {
                    let place = choices.iter().position(|choice| *choice == candidate);
                    place.map(|place| 5 - place as u8)
                };
                Marks::Grades(Grades::new((0..6).map(grade).collect()))
            }
        };
        profile.add(marks, 1).unwrap();
    }
    profile
}

proptest! {
    #[test]
    fn any_count_has_one_form(
        (ballots, shuffled) in ranked().prop_flat_map(|b| (Just(b.clone()), Just(b).prop_shuffle())),
        seats in 1_u8..=4,
    ) {
        for rule in Rule::ALL {
            let seats = if rule.fills_seats() { seats } else { 1 };
            let count = any_profile(rule, &ballots).count(rule, &contest(6, seats));
            let again = any_profile(rule, &shuffled).count(rule, &contest(6, seats));
            let json = serde_json::to_string(&count).unwrap();
            prop_assert_eq!(&json, &serde_json::to_string(&again).unwrap());
            prop_assert_eq!(&serde_json::from_str::<Count>(&json).unwrap(), &count);
            let mut elected = count.elected();
            elected.sort_unstable();
            elected.dedup();
            prop_assert_eq!(elected.len(), count.elected().len());
            prop_assert!(elected.len() <= usize::from(seats));
            if ballots.iter().any(|ballot| !ballot.is_empty()) && rule.kind() == count::BallotKind::Ranking {
                prop_assert!(!elected.is_empty() || rule == Rule::Borda);
            }
            prop_assert!(!count.story(&Names(&[])).is_empty());
        }
    }

    #[test]
    fn transferable_votes_are_conserved(ballots in ranked(), seats in 1_u8..=4) {
        let profile = profile_of(&ballots);
        let Count::ScottishStv(scottish) = profile.count(Rule::ScottishStv, &contest(6, seats)) else { panic!() };
        for stage in &scottish.stages {
            let all: u128 = stage.votes.iter().map(|votes| votes.units()).sum();
            prop_assert_eq!(all + stage.exhausted.units(), Decimal5::whole(scottish.valid).units());
        }
        if scottish.valid > 0 {
            prop_assert_eq!(scottish.elected.len(), usize::from(seats));
        }
        let Count::MeekStv(meek) = profile.count(Rule::MeekStv, &contest(6, seats)) else { panic!() };
        for round in &meek.rounds {
            let all: u128 = round.votes.iter().map(|votes| votes.units()).sum();
            prop_assert_eq!(all + round.exhausted.units(), u128::from(meek.valid) * 1_000_000_000);
        }
        if meek.valid > 0 {
            prop_assert_eq!(meek.elected.len(), usize::from(seats));
        }
    }

    /// One seat by the Scottish rules is instant runoff but for ties, and so is Meek's method.
    #[test]
    fn one_seat_is_instant_runoff(ballots in ranked()) {
        let profile = profile_of(&ballots);
        let count = |rule| profile.count(rule, &contest(6, 1));
        let (irv, scottish) = (count(Rule::Irv), count(Rule::ScottishStv));
        prop_assume!(irv.ties().is_empty() && scottish.ties().is_empty());
        prop_assert_eq!(irv.elected(), scottish.elected());
    }

    /// A candidate who beats everybody wins by either method of pairs.
    #[test]
    fn condorcets_winner_wins(ballots in ranked()) {
        let Count::Schulze(schulze) = profile_of(&ballots).count(Rule::Schulze, &contest(6, 1)) else { panic!() };
        let prefer = &schulze.prefer;
        let beats_all = |one: &u8| (0..6).all(|other| *one == other || prefer.get(*one, other) > prefer.get(other, *one));
        if let Some(winner) = (0..6_u8).find(beats_all) {
            prop_assert_eq!(schulze.order.first(), Some(&winner));
            let pairs = profile_of(&ballots).count(Rule::RankedPairs, &contest(6, 1));
            prop_assert_eq!(pairs.elected(), vec![winner]);
        }
    }

    /// Majority judgment by its definition: one ballot after the other is taken away.
    #[test]
    fn medians_are_those_of_the_definition(
        ballots in prop::collection::vec(prop::collection::vec(0_u8..4, 4), 1..12)
    ) {
        let groups: Vec<(u64, &[u8])> = ballots.iter().map(|ballot| (1, ballot.as_slice())).collect();
        let Count::MajorityJudgment(count) = graded(&groups).count(Rule::MajorityJudgment, &contest(4, 1)) else { panic!() };
        let value = |candidate: u8| {
            let mut grades: Vec<u8> = ballots.iter().map(|ballot| ballot[usize::from(candidate)]).collect();
            grades.sort_unstable();
            std::iter::from_fn(|| (!grades.is_empty()).then(|| grades.remove((grades.len() - 1) / 2))).collect::<Vec<u8>>()
        };
        for pair in count.order.windows(2) {
            let (one, next) = (value(pair[0].candidate), value(pair[1].candidate));
            prop_assert!(one >= next, "{:?} {:?}", one, next);
            let removed = one.iter().zip(&next).position(|(one, next)| one != next);
            prop_assert_eq!(pair[0].removed, removed.map(|removed| removed as u64));
            prop_assert_eq!(pair[0].median, one[0]);
        }
    }

    #[test]
    fn any_text_is_answered(text in "[0-9 =\\-\"A\n#:,{}]{0,80}") {
        let _ = read_blt(&text);
        let _ = read_blt(&format!("3 2\n{text}"));
        let _ = read_preflib(&format!("# NUMBER ALTERNATIVES: 3\n{text}"));
    }
}
