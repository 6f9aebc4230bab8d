//! The page: complete, escaped, self-contained, the same every time.

use std::{fs, path::Path};

use proptest::prelude::*;
use study::{
    count::{BallotBox, Tally},
    description::{ElectionDescription, Question, Rule},
    preferences::{BallotFile, BallotShape, Ranking, Spoiled},
    report::{Answer, Bundle, Check, NamedDigest, Participation, Phase, Refused, ReportData, Step},
};

const ELECTION: &str = include_str!("../../../../examples/election/election.toml");
const BALLOTS: &[u8] = include_bytes!("../../../../examples/election/ballots.csv");

fn step(party: &str, entries: u64, bytes: u64, milliseconds: Option<u64>) -> Step {
    Step { party: party.to_owned(), entries, bytes, milliseconds }
}

fn phase(name: &str, summary: &str, steps: Vec<Step>) -> Phase {
    Phase { name: name.to_owned(), summary: summary.to_owned(), steps }
}

fn check(claim: &str, detail: &str, passed: bool) -> Check {
    Check { claim: claim.to_owned(), detail: detail.to_owned(), passed }
}

fn burlington() -> ReportData {
    let election = ElectionDescription::from_toml(ELECTION).unwrap();
    let file = BallotFile::open(&election, BALLOTS).unwrap();
    let mut ballots: BallotBox = file.map(|ballot| ballot.unwrap().ballot).collect();
    ballots.extend([
        Err::<Ranking, _>(Spoiled::Repeated),
        Err(Spoiled::Repeated),
        Err(Spoiled::Gap),
    ]);
    let tally = ballots.tally(&election.questions);
    let refused =
        vec![Refused { reason: "the proof of knowledge is not valid".to_owned(), ballots: 2 }];
    let participation = Participation { registered: 12_400, cast: 8_985, refused };
    let digest =
        |name: &str| NamedDigest { name: name.to_owned(), digest: election.digest().to_string() };
    let digests = vec![digest("Election description"), digest("Board head"), digest("Tally")];
    let bundle =
        Bundle { path: "out/election".to_owned(), digests, page: Some("verify.html".to_owned()) };
    let mut data = ReportData::new(&election, tally, participation, bundle);
    let trustee = |number: u16| step(&format!("Trustee {number}"), 2, 1_432, Some(3));
    let mixer = |number: u16| step(&format!("Mixer {number}"), 1, 1_532_000, Some(1_840));
    data.timeline = vec![
        phase(
            "Key generation",
            "The trustees make a key that none of them holds.",
            (1..=5).map(trustee).collect(),
        ),
        phase(
            "Casting",
            "Voters encrypt their rankings and sign them.",
            vec![step("Ballot box", 8_985, 2_310_000, Some(65_200))],
        ),
        phase(
            "Mixing",
            "Each mixer shuffles all ballots and proves that none was changed.",
            (1..=3).map(mixer).collect(),
        ),
        phase(
            "Decryption",
            "Enough trustees open the mixed ballots and prove that they did it right.",
            (1..=3).map(trustee).collect(),
        ),
        phase("Result", "The ballots are counted.", vec![step("Board", 1, 812, None)]),
    ];
    data.answers = vec![Answer {
        question: "Is every ballot of the North counted?".to_owned(),
        about: "For each of the ballots of the North (V0001 to V0500): is it counted?".to_owned(),
        asked: 1_500,
        yes: 1_499,
        claim: "bundle/claims/election-trace.json".to_owned(),
    }];
    data.checks = vec![
        check(
            "The board is complete",
            "8,999 entries, each signed and chained to the one before",
            true,
        ),
        check("Every ballot is its voter's", "8,983 proofs of knowledge and signatures", true),
        check("Every mix is a shuffle", "3 proofs over 8,983 ballots", true),
        check(
            "The ballots are opened correctly",
            "3 of 5 trustees, 26,949 decryption shares",
            true,
        ),
        check("The count is right", "counted again from the opened ballots", true),
    ];
    data
}

#[test]
fn the_page_is_complete_and_stable() {
    let data = burlington();
    let html = data.to_html();
    assert_eq!(html, data.to_html());
    // Left there for people to look at.
    fs::write(Path::new(env!("CARGO_TARGET_TMPDIR")).join("report.html"), &html).unwrap();
    for text in [
        "Bob Kiss<span class=\"verb\"> is elected</span>",
        "<strong>4,313</strong> of the 8,373",
        "Kurt Wright had the most first preferences",
        "72.5\u{a0}% turnout",
        "Spoiled: it ranks a candidate twice",
        "subrosa verify out/election",
        "<a href=\"verify.html\">the page that verifies it</a>",
        "1.8\u{a0}s",
        "James Simpson leaves</strong> with 35 ballots",
        "Asked after the count",
        "<a href=\"bundle/claims/election-trace.json\">1,499</a>",
    ] {
        assert!(html.contains(text), "{text}");
    }
    assert!(!html.contains("Do not rely"));
    let twice = |tag: &&str| tag.split('>').next().unwrap().matches(" class=").count() > 1;
    assert_eq!(html.split('<').find(twice), None);
    let json = serde_json::to_string(&data).unwrap();
    assert_eq!(serde_json::from_str::<ReportData>(&json).unwrap(), data);
}

#[test]
fn a_failed_check_comes_first() {
    let mut data = burlington();
    data.checks.push(check("The tally is signed", "the signature is wrong", false));
    let html = data.to_html();
    let warning = html.find("Do not rely on this result.").unwrap();
    assert!(warning < html.find("is elected").unwrap());
    assert!(html.contains("The tally is signed."));
}

#[test]
fn nothing_is_loaded_or_run() {
    let html = burlington().to_html();
    for text in ["<script", "src=", "url(", "@import", "<link", "<iframe", "<img"] {
        assert!(!html.contains(text), "{text}");
    }
}

#[test]
fn hostile_text_is_escaped() {
    let hostile = "<script>alert(1)</script>\"' onload=x </style></title>&amp;";
    let mut data = burlington();
    data.title = hostile.to_owned();
    data.questions[0].text = hostile.to_owned();
    data.notes = Some(hostile.to_owned());
    data.link = Some(format!("javascript:{hostile}"));
    data.questions[0].candidates.iter_mut().for_each(|name| *name = hostile.to_owned());
    data.software = hostile.to_owned();
    data.bundle.path = format!("a b;{hostile}");
    data.bundle.page = Some(format!("javascript:{hostile}"));
    data.bundle.digests.iter_mut().for_each(|digest| digest.name = hostile.to_owned());
    data.participation.refused.iter_mut().for_each(|refused| refused.reason = hostile.to_owned());
    data.timeline.iter_mut().for_each(|phase| phase.name = hostile.to_owned());
    data.checks.iter_mut().for_each(|check| check.claim = hostile.to_owned());
    data.answers.iter_mut().for_each(|answer| {
        answer.question = hostile.to_owned();
        answer.about = hostile.to_owned();
        answer.claim = format!("javascript:{hostile}");
    });
    let html = data.to_html();
    assert!(!html.contains("<script"));
    assert_eq!(html.matches("</style>").count(), 1);
    assert_eq!(
        html.matches("</title>").count(),
        burlington().to_html().matches("</title>").count()
    );
    assert!(!html.contains("href="));
    assert!(html.contains("subrosa verify 'a b;"));
}

#[test]
fn every_result_has_a_page() {
    let election = ElectionDescription::from_toml(ELECTION).unwrap();
    let page = |ballots: BallotBox, rules: &[Rule]| {
        let mut data = burlington();
        data.tally =
            ballots.tally(&[Question { rules: rules.to_vec(), ..election.questions[0].clone() }]);
        data.questions[0].decides = rules.last().copied();
        data.to_html()
    };
    let none = page(BallotBox::default(), &[Rule::Plurality, Rule::Irv]);
    assert!(none.contains("Nobody is elected") && !none.contains("class=\"flow\""));
    assert!(page(BallotBox::default(), &[]).contains("No result"));
    let tied: BallotBox = [0, 1]
        .map(|choice| election.layout().ranking(0).unwrap().ranking([choice]))
        .into_iter()
        .collect();
    let html = page(tied.clone(), &[Rule::Plurality]);
    assert!(html.contains("Bob Kiss and Andy Montroll have the same number of votes"));
    assert!(page(tied, &[Rule::Irv]).contains("equal in every round"));
}

#[test]
fn figures_that_do_not_fit_together_are_shown_as_they_are() {
    let mut data = burlington();
    data.questions[0].candidates.truncate(1);
    data.participation = Participation { registered: 0, cast: u64::MAX, refused: vec![] };
    let json = serde_json::to_string(&data.tally).unwrap();
    let json =
        json.replace("2585", &u64::MAX.to_string()).replace("\"candidate\":3", "\"candidate\":250");
    data.tally = serde_json::from_str::<Tally>(&json).unwrap();
    assert!(data.to_html().contains("Candidate 251"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_count_has_a_page(
        ballots in prop::collection::vec(
            prop::sample::subsequence((0..12).collect::<Vec<u8>>(), 0..12).prop_shuffle(), 0..40),
    ) {
        let shape = BallotShape::new(12, 12).unwrap();
        let ballots: BallotBox = ballots.into_iter().map(|choices| shape.ranking(choices)).collect();
        let mut data = burlington();
        let names: Vec<String> = (0..12).map(|index| format!("N{index}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let question = Question::ranked("?", &names, 12, &[Rule::Plurality, Rule::Irv]);
        data.tally = ballots.tally(&[question]);
        let html = data.to_html();
        prop_assert_eq!(html.matches("<svg").count(), html.matches("</svg>").count());
    }
}
