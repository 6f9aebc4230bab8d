//! Elections and surveys: entries, what voters hold and send, descriptions, files of ballots.

use std::{fs, sync::LazyLock};

use count::{read_blt, read_preflib};
use data_encoding::HEXLOWER;
use log::Identity;
use serde_json::Value;
use study::{
    count::Tally,
    description::ElectionDescription,
    election::{
        Message, Scheme, SignedBallot, TereliusWikstrom, Tflsz, TflszParameters,
        voter::{Audit, Complaint, Noted, Opening, Receipt, SealedBallot, Submission},
    },
    inquiry::{self, Plan},
    preferences::BallotFile,
    survey::{SurveyDescription, read_responses},
    tracing,
};
use wire::{Encode as _, FileHeader, put_bytes};

use crate::{
    pieces::root,
    shuffles::sized,
    target::{Read, Target, canonical, is_read, readers, same, text},
};

/// Kinds of entries of an election.
const KINDS: [&str; 25] = [
    "election/setup",
    "election/setup/2",
    "election/parameters",
    "election/roll",
    "election/roll/classes",
    "key/commitments",
    "key/shares",
    "key/verdicts",
    "election/absent",
    "election/open",
    "election/ready",
    "election/absent/2",
    "election/open/2",
    "election/close/2",
    "election/seen",
    "election/back",
    "mix/header",
    "mix/part",
    "ballots",
    "ballots/revisions",
    "election/close",
    "mix",
    "mix/classes",
    "decryption",
    "election/outcome",
];

static ELECTION: LazyLock<ElectionDescription> = LazyLock::new(|| {
    let text = fs::read_to_string(root().join("examples/election/election.toml"));
    ElectionDescription::from_toml(&text.expect("the example is read")).expect("an election")
});
static SURVEY: LazyLock<SurveyDescription> = LazyLock::new(|| {
    let text = fs::read_to_string(root().join("examples/pay-survey/survey.toml"));
    SurveyDescription::from_toml(&text.expect("the example is read")).expect("a survey")
});

pub fn targets() -> Vec<Target> {
    let voters = [voters::<TereliusWikstrom>(), voters::<Tflsz>(), receipts()];
    vec![
        Target::new("study-entries", KINDS.map(entry::<TereliusWikstrom>).into()),
        Target::new("study-entries-tflsz", KINDS.map(entry::<Tflsz>).into()),
        Target::new("study-voters", voters.into_iter().flatten().collect()),
        Target::new(
            "study-descriptions",
            readers![
                canonical::<ElectionDescription>,
                text(|text| is_read(ElectionDescription::from_toml(text))),
                text(|text| is_read(SurveyDescription::from_toml(text))),
                text(|text| is_read(Plan::from_toml(text))),
                text(|text| is_read(tracing::policy_from_toml(text))),
                text(|text| is_read(inquiry::policy_from_toml(text))),
            ],
        ),
        Target::new("study-tallies", readers![canonical::<Tally>, canonical::<TflszParameters>]),
        Target::new("study-ballots", readers![ballot_file, responses, cells]),
        Target::new(
            "count-files",
            readers![
                text(|text| is_read(read_blt(text))),
                text(|text| is_read(read_preflib(text))),
            ],
        ),
    ]
}

fn entry<S: Scheme>(kind: &'static str) -> Read {
    Box::new(move |payload| {
        let read = Message::<S>::from_entry(kind, payload);
        read.iter().for_each(|message| same(&message.to_bytes(), payload));
        is_read(read)
    })
}

fn voters<S: Scheme>() -> Vec<Read> {
    readers![
        canonical::<SealedBallot<S>>,
        canonical::<Audit<S>>,
        canonical::<Submission<S>>,
        canonical::<Complaint<S>>,
        |bytes| sized(bytes, |reader| Ok(SignedBallot::<S>::decode_revision(reader)?.to_bytes())),
    ]
}

fn receipts() -> Vec<Read> {
    readers![
        canonical::<Opening>,
        canonical::<Receipt>,
        text(|text| is_read(text.parse::<Noted>())),
    ]
}

/// Ballots in the clear, of the election in `examples`.
fn ballot_file(bytes: &[u8]) -> bool {
    let Ok(mut file) = BallotFile::open_weighted(&ELECTION, bytes) else { return false };
    file.all(is_read)
}

fn responses(bytes: &[u8]) -> bool {
    is_read(read_responses(&SURVEY, bytes, None))
}

/// The cells of an opened ballot.
fn cells(bytes: &[u8]) -> bool {
    let layout = ELECTION.layout();
    let cells: Vec<_> = bytes.chunks(bytes.len().div_ceil(layout.columns()).max(1)).collect();
    layout.decode(&cells) != layout.unreadable()
}

/// What voters hold and send, of the ballots in `vectors/election/seal.json`.
pub fn files_of_voters() -> Vec<Vec<u8>> {
    let text = fs::read(root().join("vectors/election/seal.json")).expect("the vectors are read");
    let ballots: Vec<Value> = serde_json::from_slice(&text).expect("JSON");
    ballots.iter().flat_map(files_of_voter).collect()
}

fn files_of_voter(of: &Value) -> [Vec<u8>; 5] {
    let bytes = |value: &Value| HEXLOWER.decode(value.as_str().unwrap_or_default().as_bytes());
    let field = |name: &str| bytes(&of[name]).expect("hexadecimal digits");
    let number = |name: &str| (of[name].as_u64().unwrap_or(1) as u32).to_bytes();
    let seed = field("credential").try_into().expect("a seed of 32 bytes");
    let key = Identity::from_seed(&seed).id().to_bytes();
    let header = |kind| FileHeader::new(kind, 1).to_bytes();
    let election = [field("board"), field("opening")].concat();
    let sealed = [header("sealed"), election.clone(), number("voter"), key.clone()].concat();
    let sealed = [sealed, number("revision"), field("ballot"), field("commitment")].concat();
    let cells = of["cells"].as_array().expect("cells");
    let mut opening = [header("opening"), field("seed"), (cells.len() as u32).to_bytes()].concat();
    for cell in cells {
        put_bytes(&mut opening, &bytes(cell).expect("hexadecimal digits"));
    }
    let audit = [header("audit"), sealed.clone(), opening.clone()].concat();
    let signed = [number("voter"), number("revision"), field("ballot"), field("signature")];
    let submission = [header("ballot"), election, signed.concat()].concat();
    let receipt = [header("receipt"), field("board"), field("tracker"), key].concat();
    let receipt = [receipt, 1_790_000_000_u64.to_bytes(), field("signature")].concat();
    [sealed, opening, audit, submission, receipt]
}
