//! Election descriptions: TOML, its refusals, the canonical form.

use proptest::prelude::*;
use study::description::{
    DescriptionError, ElectionDescription, MAX_FILE_BYTES, MAX_NAME_BYTES, Place, Problem, Rule,
};
use wire::{Decode, Encode};

const EXAMPLE: &str = include_str!("../../../../examples/election/election.toml");

fn small() -> String {
    let lines = [
        "title = \"Dinner\"",
        "question = \"Where?\"",
        "candidates = [",
        "  \"Alpha\",",
        "  \"Beta\",",
        "]",
        "max_ranks = 2",
        "rules = [\"plurality\"]",
        "trustees = 3",
        "threshold = 2",
        "mixers = 2",
        "minimum_mixers = 1",
    ];
    lines.join("\n")
}

fn refusal(from: &str, to: &str) -> DescriptionError {
    let text = small();
    assert!(text.contains(from));
    ElectionDescription::from_toml(&text.replacen(from, to, 1)).unwrap_err()
}

#[test]
fn the_example_is_read() {
    let election = ElectionDescription::from_toml(EXAMPLE).unwrap();
    assert_eq!(election.questions[0].candidates.len(), 6);
    assert_eq!(election.questions[0].rules, [Rule::Plurality, Rule::Irv]);
    assert!(election.questions[0].uses(Rule::Irv));
    assert_eq!((election.layout().questions(), election.layout().columns()), (1, 1));
    assert!((election.trustees, election.threshold) == (3, 2));
}

#[test]
fn refusals_name_line_field_and_remedy() {
    let long = "x".repeat(MAX_NAME_BYTES + 1);
    let cases = [
        ("\"Dinner\"", "\"\"", 1, "`title` is empty; write something"),
        ("Where?", " Where?", 2, "`question` begins or ends with a space"),
        ("\"Beta\"", "\"alpha\"", 5, "candidate 2 is named like candidate 1 (`alpha`)"),
        ("Beta", "A=B", 5, "candidate 2 contains `=`"),
        ("Beta", "Be\\u202Eta", 5, "candidate 2 contains the invisible character U+202E"),
        ("Beta", "Be\\u0007ta", 5, "candidate 2 contains the invisible character U+0007"),
        ("Beta", "Be  ta", 5, "candidate 2 begins or ends with a space, or has two in a row"),
        ("Beta", &long, 5, "candidate 2 is 121 bytes long; shorten it to 120"),
        ("max_ranks = 2", "max_ranks = 3", 7, "`max_ranks` is 3; choose 1 to 2 (there are no"),
        ("max_ranks = 2", "max_ranks = 0", 7, "`max_ranks` is 0; choose 1 to 2"),
        ("[\"plurality\"]", "[]", 8, "`rules` lists 0; list 1 to 12"),
        ("[\"plurality\"]", "[\"irv\", \"irv\"]", 8, "rule 2 is listed twice"),
        (
            "[\"plurality\"]",
            "[\"lottery\"]",
            8,
            "unknown variant `lottery`, expected one of `plurality`",
        ),
        ("threshold = 2", "threshold = 4", 10, "`threshold` is 4; choose 1 to 3 (there are"),
        ("threshold = 2", "threshold = -1", 10, "integer `-1`"),
        ("minimum_mixers = 1", "minimum_mixers = 3", 12, "`minimum_mixers` is 3; choose 1 to 2"),
        ("trustees = 3", "trustees = 3\nshuffle = \"neff\"", 10, "expected `tw` or `tflsz`"),
        ("trustees = 3", "trustees = 3\nshuffle = \"tflsz\"", 10, "`parameters` is missing"),
        (
            "trustees = 3",
            "trustees = 3\nshuffle = \"tflsz\"\nparameters = \"12\"",
            11,
            "`parameters` is not a digest",
        ),
        (
            "trustees = 3",
            "trustees = 3\nparameters = \"12\"",
            10,
            "`parameters` has no use: the shuffle `tw`",
        ),
        ("trustees = 3", "trustees = 3\nsecret = 1", 10, "unknown field `secret`"),
        ("title = ", "link = \"javascript:x\"\ntitle = ", 1, "`link` is not a web address"),
    ];
    for (from, to, line, message) in cases {
        let error = refusal(from, to);
        assert_eq!(error.line, Some(line), "{error}");
        assert!(error.to_string().contains(message), "{error}");
    }
    let missing = refusal("title = \"Dinner\"", "");
    assert!(missing.to_string().contains("missing field `title`"), "{missing}");
}

#[test]
fn files_and_lists_are_bounded() {
    let text = small() + &" ".repeat(MAX_FILE_BYTES);
    let error = ElectionDescription::from_toml(&text).unwrap_err();
    assert_eq!(error.place, Place::File);
    let names: Vec<_> = (0..65).map(|i| format!("\"N{i}\"")).collect();
    let error = refusal("\"Beta\",", &names.join(","));
    assert_eq!(error.problem, Problem::Count { got: 66, least: 1, most: 64 });
    assert_eq!(error.line, Some(3));
}

#[test]
fn the_canonical_form_is_stable() {
    let election = ElectionDescription::from_toml(EXAMPLE).unwrap();
    let bytes = election.to_bytes();
    assert_eq!(ElectionDescription::from_bytes(&bytes).unwrap(), election);
    // Comments and layout of the TOML file are not part of the election.
    let again = EXAMPLE.replace("trustees = 3", "  trustees   =  3 # as agreed");
    assert_eq!(ElectionDescription::from_toml(&again).unwrap().digest(), election.digest());
    let other = EXAMPLE.replace("threshold = 2", "threshold = 3");
    assert_ne!(ElectionDescription::from_toml(&other).unwrap().digest(), election.digest());
    let small = ElectionDescription::from_toml(&small()).unwrap();
    assert_eq!(
        small.digest().to_string(),
        "739ab629874d36566610393149ea6a51e4644ac4ec58cc72624a206d177d2a98"
    );
}

#[test]
fn a_shuffle_and_its_parameters_are_part_of_the_election() {
    let digest = "0f".repeat(32);
    let named = format!("trustees = 3\nshuffle = \"tflsz\"\nparameters = \"{digest}\"");
    let text = EXAMPLE.replace("trustees = 3", &named);
    let election = ElectionDescription::from_toml(&text).unwrap();
    assert_eq!(election.shuffle.parameters(), Some(digest.parse().unwrap()));
    // Two bytes a cell.
    assert_eq!((election.layout().bytes(), election.layout().columns()), (5, 3));
    let bytes = election.to_bytes();
    assert_eq!(ElectionDescription::from_bytes(&bytes).unwrap(), election);

    let plain = EXAMPLE.replace("trustees = 3", "trustees = 3\nshuffle = \"tw\"");
    let plain = ElectionDescription::from_toml(&plain).unwrap();
    assert_eq!(plain, ElectionDescription::from_toml(EXAMPLE).unwrap());
    assert_ne!(plain.digest(), election.digest());
}

proptest! {
    #[test]
    fn mutated_bytes_are_refused_or_canonical(at in any::<prop::sample::Index>(), byte: u8) {
        let mut bytes = ElectionDescription::from_toml(EXAMPLE).unwrap().to_bytes();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(election) = ElectionDescription::from_bytes(&bytes) {
            prop_assert_eq!(election.to_bytes(), bytes);
        }
    }

    #[test]
    fn any_text_is_answered(text in "\\PC{0,200}") {
        let _ = ElectionDescription::from_toml(&text);
        let _ = ElectionDescription::from_bytes(text.as_bytes());
    }
}
