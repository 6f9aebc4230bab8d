//! The checks of claims that hold, by name and with counts.

use claim::Explanation;

use crate::{
    EpochHeader, Table,
    audit::Report,
    checks::{
        TA_1, TA_2, TA_3, TA_4, TA_5, TA_6, TA_7, TA_8, TA_9, TA_10, TA_11, TA_12, TA_13, TA_14,
        TA_15, TA_16, TA_17, TA_18, TA_19, TA_20, TA_21, TB_1, TB_2, TB_3, TB_4, TB_5, TB_6, TB_7,
        TB_8, TB_10, TB_11, TB_12, TB_14, TB_15, TB_18, TB_19, TC_1, TC_2, TC_3, TC_4, TC_6, TC_8,
        TC_9, TC_10,
    },
    log::{Evidence, Scope, SignedCheckpoint},
    query::{Answer, Outcome, Proof, Verified},
};

/// What all claims about a log share: genesis, rotations, checkpoint.
pub(super) fn logged(table: &Table, signed: &SignedCheckpoint) -> Explanation {
    Explanation::new()
        .with(TB_1, "genesis", 1)
        .with(TB_8, "changes of the operator's key, recorded in the log", table.rotations().len())
        .with(TB_5, "checkpoint, in its one form and of this table", 1)
        .with(TB_6, "signature of the operator", 1)
        .with(TB_7, "cosignatures, as many as the genesis wants", signed.cosignatures.len())
}

pub(super) fn lookup(table: &Table, signed: &SignedCheckpoint) -> Explanation {
    logged(table, signed)
        .with(TB_4, "epoch, at its place in the log", 1)
        .with(TB_10, "leaf, of this pseudonym and column", 1)
        .with(TB_11, "path of the leaf, to a key in the trie of keys", 1)
        .with(TB_12, "leaf under the pseudonym in the trie of pseudonyms", 1)
}

pub(super) fn absence(table: &Table, signed: &SignedCheckpoint) -> Explanation {
    logged(table, signed)
        .with(TB_4, "epoch, at its place in the log", 1)
        .with(TB_14, "ordered column", 1)
        .with(TB_3, "pseudonym that the trie of pseudonyms does not have", 1)
}

pub(super) fn answer(
    table: &Table,
    signed: &SignedCheckpoint,
    answer: &Answer,
    verified: &Verified,
) -> Explanation {
    let policy = &table.schema().policy;
    let hierarchical = usize::from(policy.hierarchy.is_some());
    let mut held = logged(table, signed)
        .with(TA_1, "boxes of the region", answer.query.region.boxes.len())
        .with(TA_2, "question, as schema and policy allow it", 1)
        .with(TA_18, "box of the policy's hierarchy", hierarchical)
        .with(TA_3, "epochs of the interval, in order", answer.covers.len())
        .with(TB_4, "epochs, at their places in the log", verified.epochs.len());
    match answer.rolled_up {
        Some(_) => held.put(TA_20, "roll-up of the region, in its epoch", 1),
        None => {
            held.put(TA_4, "keys with as many slots as the tree has", verified.keys);
            held.put(TA_5, "covers of the region, no key left out", answer.covers.len());
        }
    }
    held.put(TA_6, "number of rows", 1);
    held.put(TA_19, "outcome that the hierarchy does or does not withhold", hierarchical);
    outcome(&mut held, answer);
    held.put(TA_17, "numbers of rows, as the policy allows them", verified.keys);
    held.put(TA_21, "attestations of auditors", answer.attestations.len());
    held
}

/// The checks of an outcome and its proof.
fn outcome(held: &mut Explanation, answer: &Answer) {
    let name = match &answer.outcome {
        Outcome::Empty => Some((TA_11, "outcome about no rows")),
        Outcome::Moments(_) => Some((TA_12, "count and sums")),
        Outcome::Rounded { .. } => Some((TA_13, "rounded sum")),
        Outcome::Order { .. } => Some((TA_14, "value by rank")),
        Outcome::Top { .. } => Some((TA_15, "top share")),
        Outcome::Histogram(_) => Some((TA_16, "histogram")),
        Outcome::Withheld(_) => None,
    };
    let sums = match &answer.outcome {
        Outcome::Moments(moments) | Outcome::Top { top: moments, .. } => moments.sums.len(),
        Outcome::Histogram(parts) => parts.iter().map(|part| part.sums.len()).sum(),
        _ => 0,
    };
    let (cuts, ranges) = match &answer.proof {
        Proof::Empty | Proof::Moments(_) => (0, 0),
        Proof::Rounded { ranges } => (0, ranges.len()),
        Proof::Order { order, ranges } => (order.shown(), ranges.len()),
        Proof::Top { order, cut, ranges, .. } => (order.shown() + cut.shown(), ranges.len()),
        Proof::Histogram { cuts, ranges, .. } => {
            (cuts.iter().map(crate::query::Cut::shown).sum(), ranges.len())
        }
    };
    held.put(TA_8, "sums within their bounds", sums);
    held.put(TA_7, "openings of sums", sums);
    held.put(TA_9, "leaves beside cuts, with their paths", cuts);
    held.put(TA_10, "range proofs", ranges);
    if let Some((check, what)) = name {
        held.put(check, what, 1);
    }
}

pub(super) fn audit(header: &EpochHeader, report: &Report) -> Explanation {
    // For people: what was counted is, or was, in memory.
    let rows = usize::try_from(report.rows).unwrap_or(usize::MAX);
    let number = |count: u64| usize::try_from(count).unwrap_or(usize::MAX);
    Explanation::new()
        .with(TB_1, "genesis", 1)
        .with(TC_1, "audit bundle, by its hash", 1)
        .with(TC_2, "keys, the same in each ordered column", number(report.keys))
        .with(TC_3, "trees and tries, built again", 2 * header.core.columns.len())
        .with(TC_3, "rows, of distinct pseudonyms", rows)
        .with(TC_8, "roll-ups", number(report.rollups))
        .with(TC_4, "statements about order and bounds", number(report.statements))
        .with(TC_6, "proofs of powers", number(report.power_proofs))
}

pub(super) fn part(table: &Table, scope: &Scope) -> Explanation {
    let (check, what) = match scope {
        Scope::Users { .. } => (TC_10, "part of users: every pseudonym once, as in the tries"),
        _ => (TC_9, "part of keys: rows, order and powers, no key left out"),
    };
    let columns = table.schema().ordered().count();
    Explanation::new().with(TB_1, "genesis", 1).with(check, what, 1).with(
        check,
        "ordered columns of the part",
        columns,
    )
}

pub(super) fn evidence(table: &Table, evidence: &Evidence) -> Explanation {
    let mut held = Explanation::new().with(TB_1, "genesis", 1).with(
        TB_8,
        "changes of the operator's key",
        table.rotations().len(),
    );
    let (receipts, notes) = match evidence {
        Evidence::Omission { .. } | Evidence::Alteration { .. } | Evidence::Withholding { .. } => {
            (1, 1)
        }
        Evidence::TwoRoots { .. } | Evidence::Fork { .. } => (0, 2),
        Evidence::TwoSuccessors { .. } => (0, 0),
        Evidence::RetiredKey { .. } => (0, 1),
    };
    held.put(TB_15, "receipts", receipts);
    held.put(TB_5, "checkpoints, in their one form and of this table", notes);
    held.put(TB_6, "signatures of the operator under checkpoints", notes);
    match evidence {
        Evidence::Withholding { checkpoint, .. } => {
            held.put(TB_7, "cosignatures", checkpoint.cosignatures.len());
        }
        Evidence::Omission { .. } => {
            held.put(TB_4, "epoch, at its place in the log", 1);
            held.put(TB_3, "pseudonym that the trie of pseudonyms does not have", 1);
        }
        Evidence::Alteration { .. } => {
            held.put(TB_4, "epoch, at its place in the log", 1);
            held.put(TB_2, "pseudonym in the trie of pseudonyms", 1);
        }
        Evidence::TwoSuccessors { .. } => held.put(TB_18, "rotations, signed by both keys", 2),
        Evidence::RetiredKey { .. } => held.put(TB_18, "rotations, signed by both keys", 1),
        Evidence::TwoRoots { .. } | Evidence::Fork { .. } => {}
    }
    held.put(TB_19, "offence", 1);
    held
}
