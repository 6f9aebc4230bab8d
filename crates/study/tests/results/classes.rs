//! Classes of voters: descriptions (version 4 of the canonical form), ballot files, weighted tallies.

use std::time::Instant;

use ::count::BallotKind;
use proptest::prelude::*;
use rand_chacha::ChaCha20Rng;
use rand_core::SeedableRng as _;
use study::{
    count::{BallotBox, ClassBallots, Count, Rule, Tally, Unit, Weight, WeightError},
    description::{
        Class, DescriptionError, Draft, ElectionDescription, MAX_CLASSES, Marking, Place, Problem,
        Question,
    },
    preferences::{
        Ballot, BallotFile, BallotFileError, BallotShape, CastBallot, Choices, Grades, Marks,
        Ranking,
    },
    report::{self, Bundle, Participation, ReportData},
};
use wire::{Decode, Encode};

const SENATE: &str = r#"title = "Senate"
question = "Who shall preside?"
candidates = ["Ana", "Ben", "Cleo"]
max_ranks = 3
rules = ["plurality", "irv"]
trustees = 3
threshold = 2
mixers = 2
minimum_mixers = 1

[[classes]]
name = "Professors"
weight = 3
min_ballots = 5

[[classes]]
name = "Students"
weight = "2/3"
min_ballots = 20
"#;

fn senate() -> ElectionDescription {
    ElectionDescription::from_toml(SENATE).unwrap()
}

fn with(classes: Vec<Class>) -> Result<ElectionDescription, DescriptionError> {
    ElectionDescription::new(Draft { classes, ..(*senate()).clone() })
}

fn class(name: &str, weight: &str, min_ballots: u32) -> Class {
    Class { name: name.to_owned(), weight: weight.parse().unwrap(), min_ballots }
}

#[test]
fn classes_are_read_and_have_one_form() {
    let senate = senate();
    assert_eq!(senate.classes, [class("Professors", "3", 5), class("Students", "2/3", 20)]);
    assert_eq!(senate.plain(), None);
    let bytes = senate.to_bytes();
    assert_eq!(ElectionDescription::from_bytes(&bytes).unwrap(), senate);
    for len in 0..bytes.len() {
        assert!(ElectionDescription::from_bytes(&bytes[..len]).is_err());
    }
    // Every field is in the digest.
    type Edit<'a> = &'a dyn Fn(&mut Vec<Class>);
    let edits: [Edit<'_>; 5] = [
        &|classes| classes[0].name.push('s'),
        &|classes| classes[0].weight = Weight::ONE,
        &|classes| classes[1].min_ballots = 21,
        &|classes| classes.reverse(),
        &Vec::clear,
    ];
    for edit in edits {
        let mut classes = senate.classes.clone();
        edit(&mut classes);
        assert_ne!(with(classes).unwrap().digest(), senate.digest());
    }
    // Without classes it is in the version that it always had, and nothing in version 4 says none.
    let plain = with(vec![]).unwrap();
    let version = |bytes: &[u8]| bytes[16];
    assert_eq!((version(&plain.to_bytes()), version(&bytes)), (1, 4));
    let mut none = plain.to_bytes();
    none[16] = 4;
    assert!(ElectionDescription::from_bytes(&none).is_err());
    let mut other = bytes.clone();
    other[16] = 3;
    assert!(ElectionDescription::from_bytes(&other).is_err());
}

#[test]
fn classes_that_are_wrong_are_refused_where_they_stand() {
    let refused = |from: &str, to: &str| {
        assert!(SENATE.contains(from));
        ElectionDescription::from_toml(&SENATE.replacen(from, to, 1)).unwrap_err()
    };
    let cases = [
        ("min_ballots = 5", "min_ballots = 1", Place::Class(0), "a list of one names its voter"),
        ("\"2/3\"", "\"4/6\"", Place::Class(1), "lowest terms"),
        ("\"2/3\"", "\"0.5\"", Place::Class(1), "lowest terms"),
        ("weight = 3", "weight = 0", Place::Class(0), "positive"),
        ("weight = 3", "weight = -3", Place::Class(0), "positive"),
        ("weight = 3", "weight = 2000000", Place::Classes, "rounder weights"),
        ("\"2/3\"", "\"1/1048583\"", Place::Classes, "rounder weights"),
        ("Students", "professors", Place::Class(1), "is named like class 1"),
        ("Students", "", Place::Class(1), "is empty"),
        ("weight = 3", "weight = 2.5", Place::File, "fraction as text"),
    ];
    for (from, to, place, why) in cases {
        let error = refused(from, to);
        assert_eq!(error.place, place, "{error}");
        assert!(error.line.is_some() && error.to_string().contains(why), "{error}");
    }
    let many = (0..=MAX_CLASSES).map(|index| class(&format!("C{index}"), "1", 2)).collect();
    let error = with(many).unwrap_err();
    assert!(matches!(error.problem, Problem::Count { most: MAX_CLASSES, .. }), "{error}");
}

fn read(text: &str) -> Result<Vec<CastBallot>, BallotFileError> {
    BallotFile::open(&senate(), text.as_bytes())?.collect()
}

fn read_weighted(text: &str) -> Result<Vec<CastBallot>, BallotFileError> {
    BallotFile::open_weighted(&with(vec![]).unwrap(), text.as_bytes())?.collect()
}

#[test]
fn ballot_files_say_the_class_or_the_weight() {
    let ballots = read("voter,class,rank1,rank2,rank3\na,Students,Ana,,\nb,Professors,,,\n");
    let ballots = ballots.unwrap();
    let of = |ballot: &CastBallot| (ballot.class, ballot.weight.to_string());
    assert_eq!(of(&ballots[0]), (Some(1), "2/3".to_owned()));
    assert_eq!(of(&ballots[1]), (Some(0), "3".to_owned()));
    let unknown = read("voter,class,rank1,rank2,rank3\na,Guests,Ana,,\n").unwrap_err();
    assert!(unknown.to_string().contains("`Professors`, `Students`"), "{unknown}");
    assert!(read("voter,rank1,rank2,rank3\n").is_err());

    let ballots = read_weighted("voter,weight,rank1,rank2,rank3\na,5/2,Ana,,\nb,1,,,\n").unwrap();
    assert_eq!(of(&ballots[0]), (None, "5/2".to_owned()));
    assert_eq!(read_weighted("voter,rank1,rank2,rank3\na,Ana,,\n").unwrap()[0].weight, Weight::ONE);
    let wrong = read_weighted("voter,weight,rank1,rank2,rank3\na,0.5,Ana,,\n").unwrap_err();
    assert!(wrong.to_string().contains("line 2"), "{wrong}");
    // What is to be cast has no weights of its own.
    let cast = BallotFile::open(&with(vec![]).unwrap(), &b"voter,weight,rank1,rank2,rank3\n"[..]);
    assert!(cast.is_err());
}

#[test]
fn weights_have_one_form_and_a_unit() {
    for text in ["", "0", "01", "+1", "1/0", "2/4", "3/1", "1 /2", "-1", "1/2/3", "4294967296"] {
        assert_eq!(text.parse::<Weight>(), Err(WeightError::Form), "{text}");
    }
    let weights = ["3/4", "5/6", "2"].map(|text| text.parse::<Weight>().unwrap());
    let unit = Unit::of(&weights).unwrap();
    assert_eq!(
        (unit.parts(), weights.map(|weight| unit.votes(weight))),
        (12, [9, 10, 24].map(Some))
    );
    assert_eq!(unit.votes("1/5".parse().unwrap()), None);
    // Coprime denominators near 2^32, and many: no overflow, an error.
    let huge = [u32::MAX, u32::MAX - 1, u32::MAX - 4].map(|below| Weight::new(1, below).unwrap());
    assert_eq!(Unit::of(&huge), Err(WeightError::TooFine));
    assert_eq!(Unit::of(&[]).unwrap().parts(), 1);
}

fn ballots(votes: &[&[u8]]) -> BallotBox {
    let shape = BallotShape::new(3, 3).unwrap();
    votes.iter().map(|choices| shape.ranking(choices.iter().copied())).collect()
}

#[test]
fn a_tally_of_classes_counts_votes_and_numbers_ballots() {
    let senate = senate();
    let professors = ballots(&[&[0], &[0, 1], &[]]);
    let students = ballots(&[&[1], &[1], &[1, 2], &[2], &[7]]);
    let own = |opened: Option<BallotBox>, cast| ClassBallots { cast, opened };
    let both = [own(Some(professors), 3), own(Some(students.clone()), 5)];
    let tally = Tally::of_classes(&senate.classes, &both, &senate.questions).unwrap();
    assert_eq!((tally.ballots, tally.blank, tally.parts()), (8, 1, 3));
    let Some(Count::Plurality(count)) = tally.questions[0].by(Rule::Plurality) else { panic!() };
    // In thirds: nine a professor, two a student.
    let votes: Vec<u64> = count.votes.iter().map(|votes| votes.ballots).collect();
    assert_eq!(votes, [18, 6, 2]);
    assert_eq!(tally.questions[0].spoiled[0].ballots, 1);
    assert_eq!(Tally::from_bytes(&tally.to_bytes()).unwrap(), tally);
    let json = serde_json::to_string(&tally).unwrap();
    assert!(json.contains(r#""classes":[{"weight":"3","votes":9,"ballots":3,"opened":true"#));
    assert_eq!(serde_json::from_str::<Tally>(&json).unwrap(), tally);

    let one = [own(None, 4), own(Some(students), 5)];
    let tally = Tally::of_classes(&senate.classes, &one, &senate.questions).unwrap();
    assert_eq!((tally.ballots, tally.questions[0].counts[1].elected()), (5, vec![1]));
    assert_eq!((tally.classes[0].ballots, tally.classes[0].opened), (4, false));
}

proptest! {
    /// Equal weights change nobody's place but where quotas are made; whole weights are so many ballots.
    #[test]
    fn weights_are_so_many_ballots(
        one in prop::collection::vec(0_u8..15, 1..20),
        other in prop::collection::vec(0_u8..15, 1..20),
        heavy in 1_u64..5,
        rule in 0_usize..7,
    ) {
        let rule = Rule::ALL[rule];
        let all: [&[u8]; 15] = [
            &[], &[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 0], &[1, 2], &[2, 0], &[2, 1],
            &[0, 1, 2], &[0, 2, 1], &[1, 2, 0], &[2, 0, 1], &[2, 1, 0],
        ];
        let boxed = |votes: &[u8]| {
            ballots(&votes.iter().map(|vote| all[usize::from(*vote)]).collect::<Vec<_>>())
        };
        let mut question = senate().questions[0].clone();
        question.rules = vec![rule];
        let questions = [question];
        let (light, weighted) = (boxed(&one), boxed(&other));
        let repeated = other.repeat(heavy as usize);
        let expected = light.clone().merge(boxed(&repeated)).unwrap();
        let expected = BallotBox::tally_weighted(&[(&expected, 1)], &questions);
        let tally = BallotBox::tally_weighted(&[(&light, 1), (&weighted, heavy)], &questions);
        prop_assert_eq!(&tally.questions[0].counts, &expected.questions[0].counts);
        if !matches!(rule, Rule::ScottishStv | Rule::MeekStv) {
            let scaled = BallotBox::tally_weighted(&[(&light, 7), (&weighted, 7 * heavy)], &questions);
            let (one, other) = (&tally.questions[0].counts[0], &scaled.questions[0].counts[0]);
            prop_assert_eq!(one.elected(), other.elected());
        }
    }
}

/// 20 candidates, three classes, counted by these rules.
fn large(rules: &[Rule]) -> ElectionDescription {
    let names: Vec<String> = (1..=20).map(|number| format!("Candidate {number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut question = Question::ranked("Who?", &names, 20, rules);
    question.marking = match rules[0].kind() {
        BallotKind::Ranking => question.marking,
        BallotKind::Choices => Marking::Choices { max_choices: 20 },
        BallotKind::Grades => Marking::Grades { best: 5, names: vec![] },
    };
    question.seats = if rules[0].fills_seats() { 5 } else { 1 };
    let classes = ["3", "2/3", "1/5"].map(|weight| class(&format!("W {weight}"), weight, 2));
    let (questions, classes) = (vec![question], classes.to_vec());
    ElectionDescription::new(Draft { questions, classes, ..(*senate()).clone() }).unwrap()
}

/// Ballots of distinct voters who mostly disagree: hardly any two are equal.
fn crowd(kind: BallotKind, count: usize, rng: &mut ChaCha20Rng) -> BallotBox {
    let mut all: Vec<u8> = (0..20).collect();
    let marks = |_| match kind {
        BallotKind::Ranking => {
            // The lower the number, the more popular.
            all.sort_by_cached_key(|who| u32::from(*who) * 40 + rng.next_u32() % 1_000);
            let length = 5 + rng.next_u32() as usize % 16;
            Marks::Ranking(Ranking::new(all.iter().copied().take(length).collect()).unwrap())
        }
        BallotKind::Choices => Marks::Choices(Choices::from_bits(rng.next_u64() >> 44)),
        BallotKind::Grades => {
            let grades = (0..20).map(|_| Some((rng.next_u32() % 6) as u8)).collect();
            Marks::Grades(Grades::new(grades))
        }
    };
    (0..count).map(marks).map(|marks| Ballot(vec![marks])).collect()
}

#[test]
#[ignore = "figures: 100,000 weighted ballots of 20 candidates by every method"]
fn long_a_hundred_thousand_weighted_ballots_by_every_method() {
    for rule in Rule::ALL {
        let election = large(&[rule]);
        let mut rng = ChaCha20Rng::seed_from_u64(31);
        let sizes = [10_000, 30_000, 60_000];
        let boxes = sizes.map(|size| ClassBallots {
            cast: size as u64,
            opened: Some(crowd(rule.kind(), size, &mut rng)),
        });
        let start = Instant::now();
        let tally = Tally::of_classes(&election.classes, &boxes, &election.questions).unwrap();
        let took = start.elapsed();
        assert_eq!((tally.ballots, tally.parts()), (100_000, 15));
        let elected = tally.questions[0].counts[0].elected().len();
        assert_eq!(elected, usize::from(election.questions[0].seats), "{rule}");
        println!("| `{rule}` | {:.2} |", took.as_secs_f64());
        assert!(took.as_secs() < 10, "{rule}: {took:?}");
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    let kilobytes: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
    println!("peak memory of all: {} MB", kilobytes / 1_000);
    assert!(kilobytes < 500_000);
}

/// The page with classes, one of them sealed, and one question for each kind of chart; beside the others
/// in the folder for temporary files, to be looked at.
#[test]
fn the_page_tells_of_every_class() {
    let mut rng = ChaCha20Rng::seed_from_u64(31);
    for rules in [
        [Rule::Irv, Rule::Schulze].as_slice(),
        &[Rule::ScottishStv, Rule::MeekStv, Rule::Borda],
        &[Rule::Approval],
        &[Rule::Score],
        &[Rule::Star, Rule::MajorityJudgment],
    ] {
        let election = large(rules);
        let kind = rules[0].kind();
        let opened = |size, rng: &mut ChaCha20Rng| ClassBallots {
            cast: size as u64,
            opened: Some(crowd(kind, size, rng)),
        };
        let sealed = ClassBallots { cast: 1, opened: None };
        let boxes = [opened(120, &mut rng), opened(1_900, &mut rng), sealed];
        let tally = Tally::of_classes(&election.classes, &boxes, &election.questions).unwrap();
        let classes = election.classes.iter().zip(&tally.classes).map(|(class, counted)| {
            let (name, min_ballots) = (class.name.clone(), class.min_ballots.into());
            report::Class { name, min_ballots, registered: 2_000, counted: *counted }
        });
        let classes = classes.collect();
        let participation = Participation { registered: 6_000, cast: 2_021, refused: vec![] };
        let bundle = Bundle { path: "out/senate".to_owned(), digests: vec![], page: None };
        let data = ReportData::new(&election, tally, participation, bundle);
        let html = ReportData { classes, ..data }.to_html();
        let parts = ["units of 1/15 vote", "<td class=\"n\">2/3</td>", ">sealed<"];
        assert!(parts.iter().all(|part| html.contains(part)), "{rules:?}");
        let says = "W 1/5: not opened. </strong>1 ballot was cast, fewer than the 2";
        assert!(html.contains(says), "{rules:?}");
        let file = format!("report-{}.html", rules[0]);
        std::fs::write(std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(file), &html)
            .unwrap();
    }
}
