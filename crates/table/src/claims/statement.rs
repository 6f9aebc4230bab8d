//! What claims about tables say, in JSON, with values as people read them.

use board::AuthorId;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use wire::{Digest, Encode as _};

use crate::{
    AbsenceProof, EpochHeader, Lookup, Schema, Table, TypeKind, ValueColumn,
    audit::Report,
    log::{Evidence, Rotation, Scope, SignedCheckpoint},
    query::{
        Answer, Assurance, Interval, KeyBox, Moments, Outcome, ROOT_DECIMALS, Rank, Statistic,
        Summary, Verified, value_to_decimal,
    },
};

/// Decimals of means and variances beyond those of the column.
const EXTRA_DECIMALS: u32 = 4;

/// How a statement names a key.
pub(super) fn named(key: &AuthorId) -> Value {
    json!(key.to_string())
}

/// How an answer is stated that nobody vouches for.
pub(super) const UNAUDITED: &str = "committed, not audited";

pub(super) fn log(table: &Table, signed: &SignedCheckpoint) -> Value {
    let witnesses: Vec<_> =
        signed.cosignatures.iter().map(|cosigned| named(&cosigned.witness.0)).collect();
    json!({
        "epochs": signed.checkpoint.size,
        "first": table.genesis().first_epoch,
        "root": signed.checkpoint.root.to_string(),
        "operator": named(&signed.signer.0),
        "witnesses": witnesses,
        "witnessed": signed.witnessed(table),
    })
}

pub(super) fn base(table: &Table) -> Value {
    json!({ "table": table.id().to_string(), "name": table.schema().table })
}

pub(super) fn with(mut base: Value, more: Value) -> Value {
    if let (Value::Object(base), Value::Object(more)) = (&mut base, more) {
        base.extend(more);
    }
    base
}

/// The statement of an answer.
pub(super) fn answer(
    table: &Table,
    signed: &SignedCheckpoint,
    answer: &Answer,
    verified: &Verified,
) -> Value {
    let query = &answer.query;
    let column = table.schema().value(query.column);
    let boxes: Vec<Value> = query.region.boxes.iter().map(|one| key_box(table, one)).collect();
    let assurance = match verified.assurance {
        Assurance::Audited => "audited",
        Assurance::AuditedInParts => "audited in parts, each by one of the auditors",
        Assurance::CommittedOnly => UNAUDITED,
    };
    let digests: Vec<String> = verified.epochs.iter().map(Digest::to_string).collect();
    let holder = answer.rolled_up.as_ref().and_then(|rolled_up| rolled_up.epochs.last());
    let rolled_up = holder.map(|logged| logged.header.core.epoch);
    with(
        base(table),
        json!({
            "log": log(table, signed),
            "column": column.map(|column| &column.name),
            "unit": column.map(|column| &column.unit),
            "epochs": [query.region.from, query.region.to],
            "keys": boxes,
            "digests": digests,
            "rolled_up": rolled_up,
            "statistic": statistic(query.statistic),
            "outcome": column.map(|column| outcome(table.schema(), column, &verified.outcome)),
            "assurance": assurance,
            "witnessed": verified.witnessed,
        }),
    )
}

/// A box by the names of its columns; `null` where a column is not restricted.
fn key_box(table: &Table, key_box: &KeyBox) -> Value {
    let types = table.schema().types.iter().zip(&key_box.ranges);
    let fields = types.map(|(column, (low, high))| {
        let shown = |code: &u64| match &column.kind {
            TypeKind::Bool => json!(*code == 1),
            TypeKind::U32 | TypeKind::U64 => json!(code),
            TypeKind::Enum(strings) => json!(strings.get(*code as usize)),
        };
        let range = match (*low, *high) {
            (0, high) if high == column.max() => Value::Null,
            (low, high) if low == high => shown(&low),
            // Names have no order: two of them must not stand for those between.
            (low, high) if matches!(column.kind, TypeKind::Enum(_)) => {
                (low..=high).map(|code| shown(&code)).collect()
            }
            (low, high) => json!([shown(&low), shown(&high)]),
        };
        (column.name.clone(), range)
    });
    Value::Object(fields.collect())
}

fn statistic(statistic: Statistic) -> String {
    let share = |p: crate::Fraction| format!("{}/{}", p.part, p.whole);
    match statistic {
        Statistic::Moments => "moments".to_owned(),
        Statistic::Order(Rank::Min) => "min".to_owned(),
        Statistic::Order(Rank::Max) => "max".to_owned(),
        Statistic::Order(Rank::Quantile(p)) => format!("quantile {}", share(p)),
        Statistic::Top(p) => format!("top {}", share(p)),
        Statistic::Histogram => "histogram".to_owned(),
    }
}

/// An outcome with values as people read them.
pub(crate) fn outcome(schema: &Schema, column: &ValueColumn, outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Rounded { count, sum } => {
            // Where the policy does not round, `verify` has refused a rounded outcome.
            let rounding = schema.policy.rounding.unwrap_or_default();
            let Interval { sum, mean } = Interval::of(column, rounding, *count, *sum);
            let scale = u32::from(column.scale);
            json!({
                "count": count,
                "sum": sum.map(|end| end.to_decimal(scale)),
                "mean": mean.map(|end| end.to_decimal(scale + EXTRA_DECIMALS)),
            })
        }
        Outcome::Empty => json!({ "count": 0 }),
        Outcome::Withheld(why) => json!({ "withheld": why.name() }),
        Outcome::Moments(moments) => summary(column, moments),
        Outcome::Order { count, value } => {
            json!({ "count": count, "value": value_to_decimal(column, *value) })
        }
        Outcome::Top { count, threshold, top } => json!({
            "count": count,
            "threshold": value_to_decimal(column, *threshold),
            "top": summary(column, top),
        }),
        Outcome::Histogram(parts) => {
            let cuts: Vec<String> =
                column.cuts.iter().map(|cut| cut_to_decimal(column, *cut)).collect();
            let parts: Vec<Value> = parts.iter().map(|part| summary(column, part)).collect();
            json!({ "cuts": cuts, "parts": parts })
        }
    }
}

fn cut_to_decimal(column: &ValueColumn, cut: i64) -> String {
    let scale = u32::from(column.scale);
    let exact = crate::query::Exact { numerator: cut.into(), denominator: 1.into(), scale };
    exact.to_decimal(scale)
}

fn summary(column: &ValueColumn, moments: &Moments) -> Value {
    let summary = Summary::of(column, moments);
    let scale = u32::from(column.scale);
    let rounded = |exact: &crate::query::Exact| exact.to_decimal(scale + EXTRA_DECIMALS);
    let mut shown = json!({
        "count": summary.count,
        "sum": summary.sum.to_decimal(scale),
        "mean": summary.mean.as_ref().map(rounded),
    });
    if column.moments > 1 {
        shown = with(shown, json!({ "variance": summary.variance.as_ref().map(rounded) }));
    }
    if column.moments > 2 {
        let skewness = summary.skewness.map(|root| root.to_decimal(ROOT_DECIMALS));
        shown = with(shown, json!({ "skewness": skewness }));
    }
    shown
}

/// The statement of a looked-up row.
pub(super) fn lookup(table: &Table, signed: &SignedCheckpoint, lookup: &Lookup) -> Value {
    let column = table.schema().value(lookup.column);
    with(
        base(table),
        json!({
            "log": log(table, signed),
            "epoch": lookup.epoch.header.core.epoch,
            "column": column.map(|column| &column.name),
            "pseudonym": lookup.pseudonym.to_string(),
            "leaf": lookup.leaf.hash().to_string(),
            "present": true,
        }),
    )
}

/// The statement of an absence.
pub(super) fn absence(table: &Table, signed: &SignedCheckpoint, absence: &AbsenceProof) -> Value {
    let column = table.schema().value(absence.column);
    with(
        base(table),
        json!({
            "log": log(table, signed),
            "epoch": absence.epoch.header.core.epoch,
            "column": column.map(|column| &column.name),
            "pseudonym": absence.pseudonym.to_string(),
            "present": false,
        }),
    )
}

/// The statement of an audit.
pub(super) fn audit(table: &Table, header: &EpochHeader, report: &Report) -> Value {
    with(
        base(table),
        json!({
            "epoch": header.core.epoch,
            "digest": header.digest(table.id()).to_string(),
            "rows": report.rows,
            "keys": report.keys,
            "rollups": report.rollups,
            "audited": true,
        }),
    )
}

/// The statement of a part of an audit.
pub(super) fn audit_part(table: &Table, header: &EpochHeader, scope: &Scope) -> Value {
    with(
        base(table),
        json!({
            "epoch": header.core.epoch,
            "digest": header.digest(table.id()).to_string(),
            "part": scope.name(),
            "scope": HEXLOWER.encode(&scope.to_bytes()),
        }),
    )
}

/// The statement of evidence: what the operator did, and under which key.
pub(super) fn evidence(table: &Table, evidence: &Evidence) -> Value {
    let log = |signed: &SignedCheckpoint| {
        json!({
            "epochs": signed.checkpoint.size,
            "root": signed.checkpoint.root.to_string(),
            "operator": named(&signed.signer.0),
        })
    };
    let handed_over = |rotation: &Rotation| json!({ "epoch": rotation.epoch, "successor": named(&rotation.new.0) });
    let more = match evidence {
        Evidence::Omission { receipt, checkpoint, .. }
        | Evidence::Alteration { receipt, checkpoint, .. }
        | Evidence::Withholding { receipt, checkpoint } => json!({
            "epoch": receipt.epoch,
            "pseudonym": receipt.pseudonym.to_string(),
            "logs": [log(checkpoint)],
        }),
        Evidence::TwoRoots { one, other } => json!({ "logs": [log(one), log(other)] }),
        Evidence::Fork { old, new, .. } => json!({ "logs": [log(old), log(new)] }),
        Evidence::TwoSuccessors { one, other } => json!({
            "operator": named(&one.old.0),
            "handed_over": [handed_over(one), handed_over(other)],
        }),
        Evidence::RetiredKey { rotation, checkpoint } => json!({
            "operator": named(&rotation.old.0),
            "handed_over": [handed_over(rotation)],
            "logs": [log(checkpoint)],
        }),
    };
    with(with(base(table), json!({ "offence": evidence.offence() })), more)
}

/// A statement in lines for people.
pub(super) fn describe(statement: &Value) -> Vec<String> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let line = |name: &str| {
        let value = statement.get(name).filter(|value| !value.is_null());
        value.map(|value| format!("{name}: {}", text(value)))
    };
    let fields = [
        "name",
        "table",
        "epoch",
        "part",
        "epochs",
        "column",
        "unit",
        "keys",
        "rolled_up",
        "statistic",
        "outcome",
        "offence",
        "operator",
        "handed_over",
        "logs",
        "pseudonym",
        "present",
        "erased",
        "recorded",
        "recorded_by",
        "erasures",
        "time",
        "question",
        "asker",
        "questions",
        "answers",
        "refused",
        "budgets_kept",
        "successor",
        "successor_name",
        "continues",
        "rows",
        "digest",
        "assurance",
    ];
    fields.into_iter().filter_map(line).collect()
}
