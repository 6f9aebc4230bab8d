//! Messages and records of traceable mixes.

use std::sync::LazyLock;

use algebra::Ristretto255 as G;
use board::Entry;
use study::{
    replay::{Begin as _, Protocol as _},
    tracing::{
        Message,
        db::{DbMessage, DbTracing, Known},
    },
};
use trace::{
    Agreement, Direction, IndexSet, Query, Question, Request, Revealed, Sealed, SignedRequest,
    routed::{
        AnswerRecord, Blinding, Complaint, KeyTranscript, PermutationMessage, QueryRecord, Rules,
        SealedShare, SessionRecord, ShareMessage, Submission, Turn,
    },
};
use trace_db::{
    Announcement, KeyMaking, KeyRecord, Offer, RepresentationProof, SealedResponse, SealingKey,
    SessionRules, decode_dealer,
    paillier::{ModulusSize, PublicKey},
    rsm::{BbsOffer, RsmFakes, RsmTuples},
    sm::{BbOffer, SmBlinding},
};
use wire::{Decode as _, Encode as _, Reader};

use crate::{
    pieces::{files_below, root},
    shuffles::sized,
    target::{Read, Target, canonical, is_read, readers, same},
};

/// Kinds of entries of the engine `routed`.
const KINDS: [&str; 17] = [
    "trace/setup",
    "trace/key/commitments",
    "trace/key/shares",
    "trace/key/verdicts",
    "trace/submission",
    "trace/close",
    "trace/permutation",
    "trace/mix",
    "trace/mix/signature",
    "trace/decryption",
    "trace/query",
    "trace/query/refusal",
    "trace/query/turn",
    "trace/query/blinding",
    "trace/query/signature",
    "trace/query/share",
    "trace/query/complaint",
];
/// Kinds of entries of the engine `db`, but for the steps of queries.
const DB_KINDS: [&str; 17] = [
    "trace/db/setup",
    "trace/db/key/commitments",
    "trace/db/key/shares",
    "trace/db/key/verdicts",
    "trace/db/key/sealing",
    "trace/db/key/paillier",
    "trace/db/key/dealt",
    "trace/db/key/confirmation",
    "trace/db/submission",
    "trace/db/close",
    "trace/db/permutation",
    "trace/db/mix",
    "trace/db/mix/signature",
    "trace/db/decryption",
    "trace/db/query/in",
    "trace/db/query/out",
    "trace/db/query/refusal",
];
/// Steps of queries.
const STEPS: [&str; 10] = [
    "fakes",
    "turn",
    "blinding-commitment",
    "blinding",
    "dealing",
    "signature",
    "share",
    "commitment",
    "announcement",
    "response",
];

/// A session of the engine `db` with its keys: that of the vectors.
static SESSION: LazyLock<DbTracing> = LazyLock::new(session);

pub fn targets() -> Vec<Target> {
    let message = |kind: &'static str| -> Read {
        Box::new(move |payload| {
            let read = Message::from_entry(kind, payload);
            read.iter().for_each(|message| same(&message.to_bytes(), payload));
            is_read(read)
        })
    };
    let steps = STEPS
        .iter()
        .flat_map(|step| ["in", "out"].map(|way| format!("trace/db/query/{way}/{step}")));
    let db_kinds = DB_KINDS.iter().map(|&kind| kind.to_owned()).chain(steps);
    vec![
        Target::new("trace-entries", KINDS.map(message).into()),
        Target::new(
            "trace-messages",
            readers![
                canonical::<IndexSet>,
                canonical::<Question>,
                canonical::<Request<G>>,
                canonical::<SignedRequest<G>>,
                canonical::<Query<G>>,
                canonical::<Sealed<G>>,
                canonical::<Revealed<G>>,
                canonical::<Agreement>,
                canonical::<Submission<G>>,
                canonical::<Complaint<G>>,
                canonical::<ShareMessage<G>>,
                canonical::<SealedShare<G>>,
                canonical::<Blinding<G>>,
                canonical::<Rules>,
                canonical::<KeyTranscript<G>>,
                canonical::<PermutationMessage<G>>,
                canonical::<Turn<G>>,
            ],
        ),
        Target::new(
            "trace-records",
            readers![
                canonical::<SessionRecord<G>>,
                canonical::<QueryRecord<G>>,
                canonical::<AnswerRecord<G>>,
            ],
        ),
        Target::new("trace-db-entries", db_kinds.map(db_message).collect()),
        Target::new(
            "trace-db-messages",
            readers![
                canonical::<KeyMaking>,
                canonical::<SessionRules>,
                canonical::<SealingKey>,
                canonical::<KeyRecord>,
                canonical::<Announcement>,
                canonical::<BbsOffer>,
                canonical::<BbOffer>,
                canonical::<SmBlinding>,
                canonical::<RsmFakes>,
                canonical::<RsmTuples>,
                canonical::<SealedResponse>,
                canonical::<RepresentationProof<3, 3>>,
                |bytes| is_read(decode_dealer(&mut Reader::new(bytes))),
                |bytes| sized(bytes, |reader| Ok(Offer::decode(reader, Direction::In)?.to_bytes())),
                |bytes| sized(
                    bytes,
                    |reader| Ok(Offer::decode(reader, Direction::Out)?.to_bytes())
                ),
                |bytes| sized(bytes, |reader| {
                    Ok(PublicKey::decode(reader, ModulusSize::Bits2048)?.to_bytes())
                }),
            ],
        ),
    ]
}

fn db_message(kind: String) -> Read {
    Box::new(move |payload| {
        let state = &*SESSION;
        let known = Known { rules: Some(state.rules()), session: state.session().map(|it| &**it) };
        let read = DbMessage::from_entry(&kind, payload, &known);
        read.iter().for_each(|message| same(&message.to_bytes(), payload));
        is_read(read)
    })
}

/// Replays the board of the vectors.
fn session() -> DbTracing {
    let files = files_below(&root().join("vectors/trace/db/objects/board"));
    let bytes = files.iter().map(|path| std::fs::read(path).expect("an entry is read"));
    let entries: Vec<Entry> = bytes.filter_map(|bytes| Entry::from_bytes(&bytes).ok()).collect();
    let (genesis, others) = entries.split_first().expect("a board has entries");
    let mut state = DbTracing::begin(genesis).expect("the vectors are of this engine");
    others.iter().for_each(|entry| state.apply(entry));
    assert!(state.session().is_some(), "the session has its keys");
    state
}
