//! Descriptions of several questions, with choices, grades and seats: version 3 of the canonical form.

use proptest::prelude::*;
use study::description::{
    DescriptionError, Draft, ElectionDescription, MAX_QUESTIONS, Marking, Place, Problem, Question,
    Rule, Shuffle,
};
use wire::{Decode, Digest, Encode};

const CLUB: &str = r#"title = "Club evening"
trustees = 3
threshold = 2
mixers = 2
minimum_mixers = 1

[[questions]]
question = "Who shall chair the club?"
candidates = ["Ana", "Ben", "Cleo"]
max_ranks = 3
rules = ["schulze", "plurality"]

[[questions]]
question = "Which plays shall we read?"
candidates = [
  "Faust",
  "Hamlet",
  "Medea",
]
seats = 2
rules = ["at-large"]

[[questions]]
question = "How good was the soup?"
candidates = ["Leek", "Pea"]
grades = ["poor", "fair", "good"]
rules = ["majority-judgment", "star", "score"]
"#;

fn club() -> ElectionDescription {
    ElectionDescription::from_toml(CLUB).unwrap()
}

fn graded(candidates: usize) -> Question {
    Question {
        text: "How good?".to_owned(),
        candidates: (0..candidates).map(|index| format!("N{index}")).collect(),
        marking: Marking::Grades { best: 5, names: vec![] },
        seats: 1,
        rules: vec![Rule::Score],
    }
}

fn asking(questions: Vec<Question>) -> Result<ElectionDescription, DescriptionError> {
    ElectionDescription::new(Draft { questions, ..(*club()).clone() })
}

fn tflsz() -> Shuffle {
    Shuffle::Tflsz { parameters: Digest::of("study/test", b"parameters") }
}

#[test]
fn several_questions_are_read() {
    let club = club();
    let markings: Vec<&Marking> = club.questions.iter().map(|asked| &asked.marking).collect();
    let names = ["poor", "fair", "good"].map(str::to_owned).to_vec();
    assert_eq!(
        markings,
        [
            &Marking::Ranking { max_ranks: 3 },
            &Marking::Choices { max_choices: 2 },
            &Marking::Grades { best: 2, names },
        ]
    );
    assert_eq!(club.questions.iter().map(|asked| asked.seats).collect::<Vec<_>>(), [1, 2, 1]);
    assert_eq!(club.plain(), None);
    let layout = club.layout();
    assert_eq!((layout.questions(), layout.bytes(), layout.columns()), (3, 6, 1));
}

#[test]
fn refusals_name_the_question_and_the_line() {
    let grades = "grades = [\"poor\", \"fair\", \"good\"]";
    let cases = [
        ("max_ranks = 3", "max_ranks = 4", 10, 1, "`max_ranks` is 4; choose 1 to 3"),
        ("max_ranks = 3", "max_ranks = 3\nseats = 2", 12, 1, "rule 1 (`schulze`) elects one"),
        ("max_ranks = 3", "max_ranks = 3\nmax_score = 5", 12, 1, "`rules` count other marks"),
        ("Hamlet", "faust", 17, 2, "candidate 2 is named like candidate 1"),
        ("seats = 2", "seats = 0", 20, 2, "`seats` is 0; choose 1 to 3"),
        ("seats = 2", "seats = 4", 20, 2, "`seats` is 4; choose 1 to 3"),
        ("seats = 2", "max_choices = 4", 20, 2, "`max_choices` is 4; choose 1 to 3"),
        ("seats = 2", "max_ranks = 1", 21, 2, "`rules` count other marks"),
        ("\"fair\"", "\"Poor\"", 26, 3, "has `Poor` twice, first as grade 1"),
        ("\"fair\"", "\"fa  ir\"", 26, 3, "has two in a row"),
        (grades, "max_score = 0", 26, 3, "is 0; choose 1 to 100"),
        (grades, "max_score = 101", 26, 3, "is 101; choose 1 to 100"),
        ("grades = [", "max_score = 3\ngrades = [", 26, 3, "lists 3; list 4 to 4"),
        ("\"star\"", "\"borda\"", 27, 3, "rule 2 (`borda`) does not count such ballots"),
    ];
    for (from, to, line, question, message) in cases {
        assert!(CLUB.contains(from));
        let error = ElectionDescription::from_toml(&CLUB.replacen(from, to, 1)).unwrap_err();
        assert_eq!((error.line, error.question), (Some(line), Some(question - 1)), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    let unread = [
        ("seats = 2", "seats = 256", 20, "256"),
        ("grades = [", "marks = [", 26, "unknown field `marks`"),
    ];
    for (from, to, line, message) in unread {
        let error = ElectionDescription::from_toml(&CLUB.replacen(from, to, 1)).unwrap_err();
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    let two = CLUB.replacen("trustees = 3", "trustees = 3\nseats = 2", 1);
    let error = ElectionDescription::from_toml(&two).unwrap_err();
    assert_eq!((error.line, error.problem), (Some(8), Problem::TwoForms));
    let none = CLUB.replacen(grades, "", 1);
    let error = ElectionDescription::from_toml(&none).unwrap_err();
    assert_eq!((error.question, error.problem), (Some(2), Problem::MissingGrades));
}

#[test]
fn ballots_are_bounded() {
    let refused = |questions: Vec<Question>| {
        let error = asking(questions).unwrap_err();
        assert_eq!(error.place, Place::Questions, "{error}");
        error.problem
    };
    let most = MAX_QUESTIONS;
    assert!(asking(vec![graded(2); most]).is_ok());
    assert_eq!(
        refused(vec![graded(1); most + 1]),
        Problem::Count { got: most + 1, least: 1, most }
    );
    assert_eq!(refused(vec![]), Problem::Count { got: 0, least: 1, most });
    let (got, least, most) = (129, 1, 128);
    assert_eq!(refused(vec![graded(43); 3]), Problem::Count { got, least, most });
    // A grade takes a byte, and sixteen cells of two bytes are the most.
    let under_tflsz = |questions| asking(questions).unwrap().with_shuffle(tflsz());
    assert!(under_tflsz(vec![graded(16); 2]).is_ok());
    let error = under_tflsz(vec![graded(17); 2]).unwrap_err();
    assert_eq!(error.problem, Problem::BallotTooLong { got: 34, limit: 32 });
}

#[test]
fn the_canonical_form_survives_and_ends() {
    let tflsz = club().with_shuffle(tflsz()).unwrap();
    assert_ne!(tflsz.digest(), club().digest());
    for election in [club(), tflsz] {
        let bytes = election.to_bytes();
        assert_eq!(ElectionDescription::from_bytes(&bytes).unwrap(), election);
        for len in 0..bytes.len() {
            assert!(ElectionDescription::from_bytes(&bytes[..len]).is_err(), "{len}");
        }
        assert!(ElectionDescription::from_bytes(&[&bytes[..], &[0]].concat()).is_err());
    }
}

#[test]
fn every_flipped_bit_is_refused_or_another_election() {
    let bytes = club().to_bytes();
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut flipped = bytes.clone();
            flipped[at] ^= 1 << bit;
            if let Ok(election) = ElectionDescription::from_bytes(&flipped) {
                assert_ne!(election, club(), "byte {at}, bit {bit}");
                assert_eq!(election.to_bytes(), flipped, "byte {at}, bit {bit}");
            }
        }
    }
}

/// What the first version can say is not said in the third one too.
#[test]
fn a_plain_election_has_one_form() {
    let by = |rule: Rule| {
        let names = ["Ana", "Ben"];
        asking(vec![Question::ranked("Who?", &names, 2, &[rule])]).unwrap().to_bytes()
    };
    let (mut bytes, other) = (by(Rule::Schulze), by(Rule::Borda));
    let differ: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != other[*at]).collect();
    let [code] = differ[..] else { panic!("{differ:?}") };
    bytes[code] = 2;
    let error = ElectionDescription::from_bytes(&bytes).unwrap_err().to_string();
    assert!(error.contains("not in the version that belongs to it"), "{error}");
    assert!(by(Rule::Irv).len() < bytes.len());
}

proptest! {
    #[test]
    fn mutated_bytes_are_refused_or_canonical(at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = club().to_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(election) = ElectionDescription::from_bytes(&bytes) {
            prop_assert_eq!(election.to_bytes(), bytes);
        }
    }
}
