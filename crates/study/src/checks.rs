//! The checks of boards, elections and traces by name (`docs/spec/election.md`, `docs/spec/trace.md`), and which
//! of them an entry fails that breaks the protocol.

use wire::CheckName;

wire::check_names! {
    CB_9 = "CB-9",
    BD_1 = "BD-1",
    BD_2 = "BD-2",
    BD_3 = "BD-3",
    BD_4 = "BD-4",
    BD_5 = "BD-5",
    DB_32 = "DB-32",
    EL_1 = "EL-1",
    EL_2 = "EL-2",
    EL_3 = "EL-3",
    EL_4 = "EL-4",
    EL_5 = "EL-5",
    EL_6 = "EL-6",
    EL_7 = "EL-7",
    EL_8 = "EL-8",
    EL_9 = "EL-9",
    EL_10 = "EL-10",
    EL_11 = "EL-11",
    EL_12 = "EL-12",
    EL_13 = "EL-13",
    EL_14 = "EL-14",
    EL_16 = "EL-16",
    EL_18 = "EL-18",
    EL_21 = "EL-21",
    EL_22 = "EL-22",
    EL_23 = "EL-23",
    EL_24 = "EL-24",
    EL_25 = "EL-25",
    EL_26 = "EL-26",
    TR_13 = "TR-13",
    VO_1 = "VO-1",
    VO_3 = "VO-3",
}

/// What must hold of an entry that its phase waits for, by its kind.
pub(crate) fn of_kind(kind: &str) -> CheckName {
    match kind {
        "election/parameters" => EL_3,
        "election/roll" => EL_5,
        "election/roll/classes" => EL_16,
        "key/commitments" | "key/shares" | "key/verdicts" => EL_6,
        "election/ready" => EL_22,
        "election/absent" | "election/absent/2" => EL_7,
        "election/open" | "election/open/2" => EL_8,
        "ballots" | "ballots/revisions" => EL_9,
        "election/close" | "election/close/2" => EL_10,
        "election/seen" => EL_23,
        "election/back" => EL_24,
        "mix/header" | "mix/part" => EL_25,
        "mix" => EL_11,
        "mix/classes" => EL_18,
        "decryption" => EL_12,
        "election/outcome" => EL_13,
        _ => EL_4,
    }
}
