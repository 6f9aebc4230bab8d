//! Counts by programs of others: pref-voting, pyrankvote, STVPoll and VoteKit in Python, stv-rs,
//! Debian's belenios-tool.
//!
//! Where their rule is ours, they must elect the same; a tie they break in another way, so a peer
//! that names all possible winners must name ours, and one that does not is asked about counts without
//! ties. STVPoll transfers the surpluses of all who are elected at once, to each other too, and rounds
//! values to the nearest; the Scottish rules transfer one after the other, to continuing candidates
//! alone, and cut values off. So with several seats it may elect others, and seldom does. VoteKit and
//! belenios-tool cut nothing off, and VoteKit transfers to candidates who have a quota and are not elected yet.
//! VoteKit compares pairs by margins, which is the order of winning votes where all rank all. It counts
//! ballots of rational weights.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Stdio},
};

use count::{
    BallotKind, Choices, Contest, Count, Grades, Marks, MeekOutcome, MeekStv, Names, OpenElection,
    Profile, Ranking, Rule, read_blt,
};
use serde_json::{Value, json};
use test_support::{install, python};

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/peers.py");
const PARK_BOARD: &str = include_str!("../../../examples/park-board/ballots.blt");

/// Xorshift: the same profiles every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % sides
    }
}

/// A profile of 3 to 7 candidates, whose popularity differs.
struct Random {
    contest: Contest,
    rule: Rule,
    ballots: Vec<(Vec<u8>, u64)>,
    /// How many of the units in which ballots are numbered make one.
    parts: u64,
}

impl Random {
    fn new(rule: Rule, dice: &mut Dice) -> Self {
        let candidates = 3 + dice.roll(5) as usize;
        let seats = if rule.fills_seats() { 1 + dice.roll(3) as u8 } else { 1 };
        let seats = seats.min(candidates as u8 - 1);
        let ballots = (0..2 + dice.roll(30))
            .map(|_| {
                let marks = match rule.kind() {
                    BallotKind::Ranking => ranking(candidates, dice),
                    BallotKind::Choices => (0..candidates).map(|_| dice.roll(2) as u8).collect(),
                    BallotKind::Grades => (0..candidates).map(|_| dice.roll(6) as u8).collect(),
                };
                (marks, 1 + dice.roll(40))
            })
            .collect();
        let best_grade = if rule.kind() == BallotKind::Choices { 1 } else { 5 };
        Self { contest: Contest { candidates, seats, best_grade }, rule, ballots, parts: 1 }
    }

    /// The same with everybody ranked: who was not, in the order of the candidates.
    fn completed(mut self) -> Self {
        for (marks, _) in &mut self.ballots {
            let missing: Vec<u8> =
                (0..self.contest.candidates as u8).filter(|who| !marks.contains(who)).collect();
            marks.extend(missing);
        }
        self
    }

    /// The best grade for the worst, and so on.
    fn mirrored(mut self) -> Self {
        let grades = self.ballots.iter_mut().flat_map(|(marks, _)| marks);
        grades.for_each(|grade| *grade = self.contest.best_grade - *grade);
        self
    }

    fn profile(&self) -> Profile {
        let mut profile = Profile::default();
        for (marks, number) in &self.ballots {
            let marks = match self.rule.kind() {
                BallotKind::Ranking => Marks::Ranking(Ranking::new(marks.clone()).unwrap()),
                BallotKind::Choices => {
                    let chosen = (0_u8..).zip(marks).filter(|(_, mark)| **mark == 1);
                    Marks::Choices(chosen.map(|(candidate, _)| candidate).collect::<Choices>())
                }
                BallotKind::Grades => {
                    Marks::Grades(Grades::new(marks.iter().copied().map(Some).collect()))
                }
            };
            profile.add(marks, *number).unwrap();
        }
        profile
    }

    fn weight(&self, number: u64) -> Value {
        match self.parts {
            1 => number.into(),
            parts => format!("{number}/{parts}").into(),
        }
    }

    fn count(&self) -> Count {
        self.profile().count(self.rule, &self.contest)
    }

    fn job(&self) -> String {
        let ballots: Vec<_> = self
            .ballots
            .iter()
            .map(|(marks, number)| json!([self.weight(*number), marks]))
            .collect();
        json!({
            "rule": self.rule,
            "candidates": self.contest.candidates,
            "seats": self.contest.seats,
            "best": self.contest.best_grade,
            "ballots": ballots,
        })
        .to_string()
    }
}

fn ranking(candidates: usize, dice: &mut Dice) -> Vec<u8> {
    let mut left: Vec<u8> = (0..candidates as u8).collect();
    let length = 1 + dice.roll(candidates as u64) as usize;
    // Of two candidates that are rolled the one listed first is a little more popular.
    let mut pick = || {
        let (one, other) = (dice.roll(left.len() as u64), dice.roll(left.len() as u64));
        left.remove(if dice.roll(3) == 0 { one } else { one.min(other) } as usize)
    };
    (0..length).map(|_| pick()).collect()
}

/// What a peer says about each profile.
fn ask(python: &Path, peer: &str, profiles: &[Random]) -> Vec<Value> {
    let mut child = Command::new(python)
        .args([SCRIPT, peer])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let jobs: Vec<String> = profiles.iter().map(Random::job).collect();
    let writer = std::thread::spawn(move || {
        jobs.iter().for_each(|job| writeln!(input, "{job}").unwrap());
    });
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let answers: Vec<Value> =
        lines.map(|line| serde_json::from_str(&line.unwrap()).unwrap()).collect();
    writer.join().unwrap();
    assert!(child.wait().unwrap().success());
    assert_eq!(answers.len(), profiles.len());
    answers
}

fn candidates(value: &Value) -> Vec<u8> {
    let mut list: Vec<u8> = serde_json::from_value(value.clone()).unwrap();
    list.sort_unstable();
    list
}

fn profiles(rule: Rule, count: usize, seed: u64) -> Vec<Random> {
    let mut dice = Dice(seed);
    (0..count).map(|_| Random::new(rule, &mut dice)).collect()
}

/// Instant runoff and the Scottish rules, by the two peers that are installed in seconds.
fn light(count: usize) {
    let python = python::with("count-peers-1", &["pyrankvote==2.0.6", "stvpoll==0.5.6"]);
    for (rule, peer) in [(Rule::Irv, "pyrankvote"), (Rule::ScottishStv, "stvpoll")] {
        let profiles = profiles(rule, count, 0x5eed_0000 + rule as u64);
        let answers = ask(&python, peer, &profiles);
        let (mut equal, mut other, mut tied) = (0, 0, 0);
        for (profile, answer) in profiles.iter().zip(&answers) {
            let ours = profile.count();
            let mut elected = ours.elected();
            let theirs = answer.get("elected").map_or(Vec::new(), candidates);
            // A peer that leaves a tie open elects fewer.
            if !ours.ties().is_empty() || theirs.len() < elected.len() {
                tied += 1;
                continue;
            }
            elected.sort_unstable();
            // Another rule, not another count: see above.
            let may_differ = rule == Rule::ScottishStv && profile.contest.seats > 1;
            assert!(may_differ || elected == theirs, "{rule}: {}", profile.job());
            if elected == theirs { equal += 1 } else { other += 1 }
        }
        println!("{rule}: {peer} elects the same in {equal}, others in {other}, {tied} with ties");
        assert!(equal * 2 > count && other * 10 < count, "{rule}: {equal}, {other} of {count}");
    }
}

#[test]
fn peers_elect_the_same() {
    light(60);
}

#[test]
#[ignore = "a thousand profiles by each method"]
fn long_a_thousand_profiles_by_light_peers() {
    light(2_000);
}

#[test]
#[ignore = "installs pref-voting, which needs a gigabyte"]
fn long_a_thousand_profiles_by_pref_voting() {
    let python = python::with("count-peers-2", &["pref-voting==1.18.2"]);
    let rules = [
        Rule::Plurality,
        Rule::Irv,
        Rule::Borda,
        Rule::Schulze,
        Rule::RankedPairs,
        Rule::Approval,
        Rule::Score,
        Rule::Star,
        Rule::MajorityJudgment,
    ];
    for rule in rules {
        let mut profiles = profiles(rule, 4_000, 0xabcd_0000 + rule as u64);
        // The peer tries every order of equally strong pairs, which takes it for ever.
        profiles.retain(|profile| match profile.count() {
            Count::RankedPairs(count) => {
                count.pairs.windows(2).all(|next| next[0].ballots != next[1].ballots)
            }
            _ => true,
        });
        profiles.truncate(1_000);
        assert_eq!(profiles.len(), 1_000);
        // One seat: the peer names winners.
        profiles.iter_mut().for_each(|profile| profile.contest.seats = 1);
        let answers = ask(&python, "pref-voting", &profiles);
        let mut single = 0;
        for (profile, answer) in profiles.iter().zip(&answers) {
            let winners = candidates(&answer["winners"]);
            let ours = profile.count().elected();
            assert!(
                ours.len() == 1 && winners.contains(&ours[0]),
                "{ours:?}: {answer} {}",
                profile.job()
            );
            single += usize::from(winners.len() == 1);
        }
        println!(
            "{rule}: the winner of 1000 profiles is pref-voting's, who is the only one in {single}"
        );
        assert!(single > 700, "{rule}: {single}");
    }
}

/// How a peer's winners compare with ours in counts without ties.
#[derive(Debug, Default)]
struct Compared {
    equal: usize,
    other: usize,
    tied: usize,
}

impl Compared {
    fn of(profiles: &[Random], answers: &[Value]) -> Self {
        let mut compared = Self::default();
        for (profile, answer) in profiles.iter().zip(answers) {
            let ours = profile.count();
            let mut elected = ours.elected();
            elected.sort_unstable();
            let theirs = answer.get("elected").map(candidates);
            // Of equally strong pairs the peer locks another one first.
            let has_equal_pairs = match &ours {
                Count::RankedPairs(count) => {
                    count.pairs.windows(2).any(|next| next[0].ballots == next[1].ballots)
                }
                _ => false,
            };
            let is_tied = !ours.ties().is_empty() || has_equal_pairs || answer["ties"] == true;
            match theirs {
                // Nobody without a vote takes a seat here, and pairs may be equally strong.
                Some(theirs) if theirs == elected => compared.equal += 1,
                Some(theirs) if !is_tied && theirs.len() == elected.len() => {
                    let may_differ = profile.rule == Rule::ScottishStv;
                    assert!(may_differ, "{elected:?}: {answer} {}", profile.job());
                    compared.other += 1;
                }
                _ => compared.tied += 1,
            }
        }
        compared
    }
}

#[test]
#[ignore = "installs VoteKit, which needs half a gigabyte"]
fn long_a_thousand_weighted_profiles_by_votekit() {
    let python = python::with("count-peers-3", &["votekit==3.5.0"]);
    let rules = [
        Rule::Plurality,
        Rule::Irv,
        Rule::Borda,
        Rule::Schulze,
        Rule::RankedPairs,
        Rule::ScottishStv,
        Rule::Approval,
        Rule::Score,
    ];
    for rule in rules {
        let mut profiles = profiles(rule, 1_300, 0x7071_0000 + rule as u64);
        if matches!(rule, Rule::Schulze | Rule::RankedPairs) {
            profiles = profiles.into_iter().map(Random::completed).collect();
        }
        // The peer makes quotas of whole votes, whatever the weights are.
        if rule != Rule::ScottishStv {
            (1..=6).cycle().zip(&mut profiles).for_each(|(parts, profile)| profile.parts = parts);
        }
        let answers = ask(&python, "votekit", &profiles);
        let compared = Compared::of(&profiles, &answers);
        println!("{rule}: votekit: {compared:?}");
        assert!(compared.equal >= 1_000 && compared.other * 10 < compared.equal, "{compared:?}");
    }
}

#[test]
#[ignore = "needs Debian's package belenios-tool"]
fn long_a_thousand_profiles_by_belenios_tool() {
    let python = Path::new("python3");
    let places = |answer: &Value| -> Vec<Vec<u8>> {
        answer["places"].as_array().unwrap().iter().map(candidates).collect()
    };
    for rule in [Rule::Schulze, Rule::MajorityJudgment] {
        let profiles = profiles(rule, 1_100, 0xbe1e_0000 + rule as u64);
        let answers = ask(python, "belenios", &profiles);
        let profiles: Vec<Random> = match rule {
            Rule::MajorityJudgment => profiles.into_iter().map(Random::mirrored).collect(),
            _ => profiles,
        };
        let (mut equal, mut tied) = (0, 0);
        for (profile, answer) in profiles.iter().zip(&answers) {
            let count = profile.count();
            let order: Vec<u8> = match &count {
                Count::Schulze(count) => count.order.clone(),
                // Of an even number of grades the peer takes the better one in the middle, where we take the worse:
                // upside down the rules are the same.
                Count::MajorityJudgment(count) => {
                    count.order.iter().rev().map(|judged| judged.candidate).collect()
                }
                _ => unreachable!(),
            };
            // Place by place: who are equal there stand together here.
            let (mut at, mut is_equal) = (0, true);
            for place in places(answer) {
                let mut own = order[at..at + place.len()].to_vec();
                own.sort_unstable();
                is_equal &= own == place;
                at += place.len();
            }
            assert_eq!(at, order.len());
            // Of paths with equal winning votes the peer takes that with fewer votes against it.
            let may_differ = rule == Rule::Schulze && !count.ties().is_empty();
            assert!(is_equal || may_differ, "{order:?}: {answer} {}", profile.job());
            if is_equal { equal += 1 } else { tied += 1 }
        }
        println!(
            "{rule}: belenios-tool gives the same places in {equal}, others in {tied} with ties"
        );
        assert!(equal >= 1_000, "{rule}: {equal}");
    }
    let profiles: Vec<Random> = profiles(Rule::ScottishStv, 1_300, 0xbe1e_57f0)
        .into_iter()
        .map(Random::completed)
        .collect();
    let compared = Compared::of(&profiles, &ask(python, "belenios", &profiles));
    println!("scottish-stv: belenios-tool: {compared:?}");
    assert!(compared.equal >= 1_000 && compared.other * 10 < compared.equal, "{compared:?}");
}

/// A round as stv-rs tells it: whom it elects or defeats, and all votes.
#[derive(Debug, Default)]
struct Told {
    elected: Vec<String>,
    defeated: Option<String>,
    votes: BTreeMap<String, String>,
}

fn told(report: &str) -> Vec<Told> {
    let mut rounds: Vec<Told> = Vec::new();
    for line in report.lines().map(str::trim) {
        let (head, rest) = line.split_once(": ").unwrap_or((line, ""));
        if head.starts_with("Round ") {
            rounds.push(Told::default());
        }
        let Some(round) = rounds.last_mut() else { continue };
        match head {
            "Action" if rest.starts_with("Elect: ") => round.elected.push(rest[7..].to_owned()),
            "Action" if rest.starts_with("Defeat (") => {
                round.defeated = rest.rsplit(": ").next().map(str::to_owned);
            }
            // The last lines of a round that goes on to its end are those of its last action.
            "Elected" | "Hopeful" | "Defeated" => {
                let (name, votes) = rest.trim().rsplit_once(' ').unwrap();
                let votes = votes.trim_matches(['(', ')']).to_owned();
                round.votes.entry(name.to_owned()).or_insert(votes);
            }
            _ => {}
        }
    }
    rounds
}

fn stv_rs(program: &Path, election: &OpenElection, seats: u8, file: &Path) -> Vec<Told> {
    let names: Vec<String> =
        (0..election.candidates.len()).map(|index| format!("n{index}")).collect();
    let mut text = format!("{} {seats}\n[nick {}]\n", names.len(), names.join(" "));
    for (marks, number) in election.profile.sorted() {
        let choices =
            marks.ranking().unwrap().choices().iter().map(|choice| &names[usize::from(*choice)]);
        let choices: Vec<&str> = choices.map(String::as_str).collect();
        if !choices.is_empty() {
            writeln!(text, "{number} {} 0", choices.join(" ")).unwrap();
        }
    }
    text += "0\n";
    names.iter().for_each(|name| writeln!(text, "\"{name}\"").unwrap());
    text += "\"title\"\n";
    std::fs::write(file, text).unwrap();
    let run = Command::new(program)
        .args(["--arithmetic", "bigfixed9", "--input"])
        .arg(file)
        .arg("meek")
        .output()
        .unwrap();
    told(&String::from_utf8(run.stdout).unwrap())
}

/// Round by round: who is elected or leaves, and every vote but for what rounding makes; the peer
/// rounds shares of ballots elsewhere.
fn compare_meek(ours: &MeekStv, theirs: &[Told], what: &str) {
    let theirs =
        theirs.iter().filter(|round| !round.elected.is_empty() || round.defeated.is_some());
    let name = |candidate: &u8| format!("n{candidate}");
    let rounds =
        ours.rounds.iter().filter(|round| !matches!(round.outcome, MeekOutcome::Remaining { .. }));
    for (own, other) in rounds.zip(theirs) {
        match &own.outcome {
            MeekOutcome::Elected { candidates } => {
                let mut elected: Vec<String> = candidates.iter().map(name).collect();
                let mut others = other.elected.clone();
                elected.sort_unstable();
                others.sort_unstable();
                assert_eq!(elected, others, "{what}");
            }
            MeekOutcome::Defeated { candidate, .. } => {
                assert_eq!(Some(name(candidate)), other.defeated, "{what}");
            }
            MeekOutcome::Remaining { .. } => {}
        }
        for (candidate, votes) in (0_u8..).zip(&own.votes).filter(|(_, votes)| votes.units() > 0) {
            let told: count::Decimal9 = other.votes[&name(&candidate)].parse().unwrap();
            // A unit a ballot, and more where ballots are few and iterations many.
            let tolerance = u128::from(ours.valid).max(10_000);
            assert!(told.units().abs_diff(votes.units()) < tolerance, "{votes} {told}: {what}");
        }
    }
}

#[test]
#[ignore = "builds stv-rs"]
fn long_a_thousand_profiles_by_stv_rs() {
    let program = install::cargo_installed("stv-rs", "0.5.1");
    let file = program.parent().unwrap().join("profile.blt");
    let (mut equal, mut tied) = (0, 0);
    for profile in profiles(Rule::MeekStv, 1_500, 0x4ee4) {
        let Count::MeekStv(ours) = profile.count() else { panic!() };
        if ours.ties().next().is_some() {
            tied += 1;
            continue;
        }
        let candidates = vec![String::new(); profile.contest.candidates];
        let election =
            OpenElection { title: None, candidates, seats: None, profile: profile.profile() };
        let theirs = stv_rs(&program, &election, profile.contest.seats, &file);
        compare_meek(&ours, &theirs, &profile.job());
        equal += 1;
    }
    println!("meek-stv: stv-rs has the same rounds in {equal}, {tied} with ties");
    assert!(equal >= 1_000);

    let election = read_blt(PARK_BOARD).unwrap();
    let contest = Contest { candidates: election.candidates.len(), seats: 3, best_grade: 0 };
    let count = election.profile.count(Rule::MeekStv, &contest);
    let Count::MeekStv(ours) = &count else { panic!() };
    compare_meek(ours, &stv_rs(&program, &election, 3, &file), "park board");
    println!("{:#?}", count.story(&Names(&election.candidates)));
}
