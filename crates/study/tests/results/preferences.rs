//! Rankings in cells, and ballot files.

use proptest::prelude::*;
use study::{
    description::ElectionDescription,
    preferences::{
        BallotFile, BallotFileError, BallotShape, CELL_BYTES, CastBallot, MAX_ROW_BYTES, Spoiled,
    },
};

const ELECTION: &str = include_str!("../../../../examples/election/election.toml");
const BALLOTS: &str = include_str!("../../../../examples/election/ballots.csv");
const FIRST_100: &str = include_str!("../data/ballots-100.csv");
const HEADER: &str = "voter,rank1,rank2,rank3,rank4,rank5\n";

fn read(text: impl AsRef<[u8]>) -> Result<Vec<CastBallot>, BallotFileError> {
    let election = ElectionDescription::from_toml(ELECTION).unwrap();
    BallotFile::open(&election, text.as_ref())?.collect()
}

fn refusal(rows: &str) -> String {
    read(format!("{HEADER}{rows}")).unwrap_err().to_string()
}

#[test]
fn the_example_is_read() {
    let ballots = read(BALLOTS).unwrap();
    assert_eq!(ballots.len(), 8_980);
    assert_eq!(ballots.iter().filter(|ballot| ballot.overvoted).count(), 6);
    assert_eq!(read(FIRST_100).unwrap(), ballots[..100]);
}

#[test]
fn spreadsheets_are_tolerated() {
    let plain = read(FIRST_100).unwrap();
    assert_eq!(read(format!("\u{feff}{FIRST_100}")).unwrap(), plain);
    assert_eq!(read(FIRST_100.replace('\n', "\r\n")).unwrap(), plain);
    assert_eq!(read(FIRST_100.trim_end()).unwrap(), plain);
    assert_eq!(read(FIRST_100.replace(',', " , ")).unwrap(), plain);
    let quoted = read(format!("{HEADER}\"V1\",\"Bob Kiss\",,,,\n\n")).unwrap();
    assert_eq!(quoted[0].ballot.ranking().unwrap().choices(), [0]);
}

#[test]
fn marks_on_paper_are_read_as_documented() {
    let rows = "a,,,,,\nb,,Dan Smith,,Bob Kiss,\nc,Dan Smith,Bob Kiss=Write-in,Kurt Wright,,\n";
    let ballots = read(format!("{HEADER}{rows}")).unwrap();
    let choices: Vec<_> =
        ballots.iter().map(|cast| cast.ballot.ranking().unwrap().choices()).collect();
    assert_eq!(choices, [&[][..], &[3, 0], &[3]]);
    assert!(ballots[2].overvoted && !ballots[1].overvoted);
}

#[test]
fn refusals_name_line_and_remedy() {
    let cases = [
        (
            "V1,Bob Kiss,,,,\nV2,Bob Kis,,,,\n",
            "line 3, column rank1: no candidate is named `Bob Kis`; did you mean `Bob Kiss`?",
        ),
        (
            "V1,,kurt wright,,,\n",
            "line 2, column rank2: no candidate is named `kurt wright`; did you mean `Kurt Wright`?",
        ),
        (
            "V1,Somebody\u{7} Else,,,,\n",
            "line 2, column rank1: no candidate is named `Somebody\\u{7} Else`",
        ),
        (
            "V1,,,,,\nV2,,,,,\nV1,,,,,\n",
            "line 4: voter `V1` has already voted in line 2; remove one row",
        ),
        ("V1,Bob Kiss\n", "line 2: 2 cells instead of 6; write unused ranks as empty cells"),
        ("V1,Bob Kiss,Bob Kiss,,,\n", "line 2: voter `V1` ranks `Bob Kiss` twice; keep one"),
        (",Bob Kiss,,,,\n", "line 2: the voter's name is empty"),
    ];
    for (rows, message) in cases {
        let error = refusal(rows);
        assert!(error.starts_with(message), "{error}");
    }
    assert!(matches!(read("").unwrap_err(), BallotFileError::NoHeader { .. }));
    let error = read("voter,rank1\n").unwrap_err().to_string();
    assert!(
        error.ends_with("this election needs `voter,rank1,rank2,rank3,rank4,rank5`"),
        "{error}"
    );
    let error = read([HEADER.as_bytes(), b"V1,\xff,,,,\n"].concat()).unwrap_err();
    assert!(matches!(error, BallotFileError::NotUtf8 { line: 2 }), "{error}");
}

#[test]
fn memory_is_bounded() {
    let endless = "V1,\"".to_owned() + &"Bob\n".repeat(MAX_ROW_BYTES);
    assert!(refusal(&endless).starts_with("the row after line 1 is over 65536 bytes"));
    let long = format!("V1,{},,,,\n", "x".repeat(2_000));
    assert_eq!(refusal(&long), "line 2, column rank1: over 1024 bytes");
    let long = format!("V{},,,,,\n", "1".repeat(64));
    assert!(refusal(&long).contains("over 64 bytes"));
}

#[test]
fn an_error_ends_the_file() {
    let election = ElectionDescription::from_toml(ELECTION).unwrap();
    let text = format!("{HEADER}V1,x,,,,\nV2,,,,,\n");
    let mut file = BallotFile::open(&election, text.as_bytes()).unwrap();
    assert!(file.next().unwrap().is_err());
    assert!(file.next().is_none());
}

#[test]
fn shapes_are_bounded() {
    for (candidates, ranks) in [(0, 0), (1, 0), (3, 4), (65, 5), (256, 5), (usize::MAX, 1)] {
        assert_eq!(BallotShape::new(candidates, ranks), None);
    }
    assert_eq!(BallotShape::new(64, 64).unwrap().columns(), 4);
    assert_eq!(BallotShape::new(17, 17).unwrap().columns(), 2);
    assert_eq!(BallotShape::new(16, 16).unwrap().columns(), 1);
}

#[test]
fn spoiled_cells_are_named() {
    let shape = BallotShape::new(6, 5).unwrap();
    let decode = |head: &[u8]| {
        let mut cell = [0; CELL_BYTES];
        cell[..head.len()].copy_from_slice(head);
        shape.decode(&[cell])
    };
    assert!(decode(&[]).unwrap().is_blank());
    assert_eq!(decode(&[6, 1, 2, 3, 4]).unwrap().choices(), [5, 0, 1, 2, 3]);
    assert_eq!(decode(&[1, 7]), Err(Spoiled::UnknownCandidate));
    assert_eq!(decode(&[1, 255]), Err(Spoiled::UnknownCandidate));
    assert_eq!(decode(&[1, 2, 1]), Err(Spoiled::Repeated));
    assert_eq!(decode(&[1, 0, 2]), Err(Spoiled::Gap));
    assert_eq!(decode(&[0, 1]), Err(Spoiled::Gap));
    assert_eq!(decode(&[1, 2, 3, 4, 5, 6]), Err(Spoiled::TooManyRanks));
    assert_eq!(decode(&[1, 0, 0, 0, 0, 2]), Err(Spoiled::TooManyRanks));
    assert_eq!(shape.decode(&[[0; CELL_BYTES]; 0]), Err(Spoiled::WrongLength));
    assert_eq!(shape.decode(&[[0; CELL_BYTES]; 2]), Err(Spoiled::WrongLength));
    assert_eq!(shape.decode(&[[0; CELL_BYTES - 1]]), Err(Spoiled::WrongLength));
}

proptest! {
    #[test]
    fn rankings_survive_cells(
        cell in 1_usize..=20,
        (ranks, order) in (1_u8..=40).prop_flat_map(|ranks| {
            let indices: Vec<u8> = (0..40).collect();
            (Just(ranks), prop::sample::subsequence(indices, 0..=ranks.into()).prop_shuffle())
        })
    ) {
        let shape = BallotShape::new(40, ranks).unwrap().with_cells(cell);
        let ranking = shape.ranking(order).unwrap();
        let cells = shape.encode(&ranking).unwrap();
        prop_assert_eq!(cells.len(), shape.columns());
        prop_assert_eq!(shape.decode(&cells).unwrap(), ranking);
    }

    #[test]
    fn decoding_accepts_canonical_cells_only(cells: [[u8; 4]; 2], candidates in 1_usize..20) {
        let ranks = u8::try_from(candidates).unwrap();
        let shape = BallotShape::new(candidates, ranks).unwrap();
        let mut padded = vec![[0; CELL_BYTES]; shape.columns()];
        for (cell, head) in padded.iter_mut().zip(cells) {
            cell[..4].copy_from_slice(&head.map(|byte| byte % 24));
        }
        if let Ok(ranking) = shape.decode(&padded) {
            prop_assert_eq!(shape.encode(&ranking).unwrap(), padded);
        }
    }

    #[test]
    fn any_file_is_answered(text in "(voter|rank[1-5]|,|\"|\n|\r|=|Bob Kiss|V1|\\PC){0,60}") {
        let _ = read(&text);
        let _ = read(format!("{HEADER}{text}"));
    }
}
