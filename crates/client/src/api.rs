//! The messages of the service, as they travel in JSON. Proofs stand in them in their canonical
//! encoding, in base64. `/openapi.json` of a server documents all of them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Why a request is not answered: a problem of RFC 9457.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Problem {
    /// `urn:subrosa:problem:` and the reason.
    #[serde(rename = "type")]
    pub kind: String,
    /// What kind of problem it is, for people.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The reason, for machines: such as `unauthorized`, `json`, `idempotency-key`, or the code
    /// with which a query is refused, such as `min-count`.
    pub reason: String,
    /// What is wrong, and where.
    pub detail: String,
}

/// How the server is.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Health {
    /// `ok`.
    pub status: String,
    /// Tables that are served.
    pub tables: u64,
}

/// The tables of a server.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Tables {
    /// By name.
    pub tables: Vec<TableInfo>,
}

/// A table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct TableInfo {
    /// Its name for people.
    pub name: String,
    /// The name that clients pin, in hexadecimal.
    pub id: String,
    /// Its first epoch.
    pub first_epoch: u32,
    /// Epochs in the log that is shown.
    pub epochs: u64,
    /// The epoch that takes rows.
    pub next_epoch: u32,
}

/// A table to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct NewTable {
    /// Types, values and policy, as in a schema file.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub schema: Value,
    /// The number of the first epoch.
    #[serde(default = "one")]
    pub first_epoch: u32,
    /// Public keys of auditors.
    #[serde(default)]
    pub auditors: Vec<String>,
    /// Public keys of witnesses.
    #[serde(default)]
    pub witnesses: Vec<String>,
    /// Cosignatures without which no answer verifies.
    #[serde(default)]
    pub quorum: u32,
    /// Witnesses that may be dishonest.
    #[serde(default)]
    pub dishonest: u32,
}

fn one() -> u32 {
    1
}

/// An epoch, as far as it is public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct EpochInfo {
    /// The epoch.
    pub epoch: u32,
    /// `open`, `closing`, `built`, `proved`, `logged` or `sealed`.
    pub state: String,
    /// Rows, once it is sealed.
    pub rows: Option<u64>,
    /// Its digest in the log, once it is sealed.
    pub digest: Option<String>,
    /// Whether it is being sealed now.
    pub sealing: bool,
    /// Why the last attempt to seal it failed.
    pub failure: Option<String>,
}

/// A field of a row. A number with a fraction stands in quotes: JSON's numbers are not exact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Field {
    /// A boolean type.
    Bool(bool),
    /// A whole number.
    Number(i64),
    /// Anything, as a file of rows has it.
    Text(String),
}

/// `user` and every column of the schema, by name.
pub type RowFields = BTreeMap<String, Field>;

/// Rows to take in, all or none.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RowsRequest {
    /// The epoch.
    pub epoch: u32,
    /// The rows.
    pub rows: Vec<RowFields>,
}

/// Rows that are stored for good.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RowsAccepted {
    /// The epoch.
    pub epoch: u32,
    /// How many.
    pub rows: u64,
    /// One for each row and ordered column, in this order.
    pub receipts: Vec<ReceiptItem>,
}

/// Rows to be taken from a database that the server's configuration names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct PullRequest {
    /// The source's name.
    pub source: String,
    /// Begin with the first row, and not after the last one stored.
    #[serde(default)]
    pub replay: bool,
    /// Check every row and store none.
    #[serde(default)]
    pub dry_run: bool,
}

/// Rows that were taken from a database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RowsPulled {
    /// The epoch.
    pub epoch: u32,
    /// How many were checked.
    pub rows: u64,
    /// How many had been stored before, and were passed over.
    pub before: u64,
    /// Whether they are stored for good.
    pub stored: bool,
}

/// The operator's promise about a row and a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct ReceiptItem {
    /// Whose row.
    pub user: String,
    /// The ordered column.
    pub column: String,
    /// The receipt, in base64.
    pub receipt: String,
}

/// A user's own receipts.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Receipts {
    /// One for each ordered column.
    pub receipts: Vec<ReceiptItem>,
}

/// The log that an answer is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct LogView {
    /// The signed note.
    pub checkpoint: String,
    /// The changes of the operator's key that it records, in base64.
    pub rotations: Vec<String>,
}

/// A question.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct QueryRequest {
    /// In the subset of SQL that `docs/table.md` describes.
    pub sql: String,
}

/// An answer with its proofs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QueryAnswer {
    /// The log that it is about.
    pub log: LogView,
    /// Proofs, in the order of the question's plan, in base64.
    pub answers: Vec<String>,
    /// What they show: a row for each group.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>))]
    pub rows: Vec<Map<String, Value>>,
}

/// A user's row in an epoch, or its absence, with a proof for every ordered column.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct UserAnswer {
    /// The log that it is about.
    pub log: LogView,
    /// The epoch.
    pub epoch: u32,
    /// Proofs, by ordered column, in base64.
    pub proofs: Vec<String>,
}

/// A user's keys of a key period: secret.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Keys {
    /// The key period.
    pub period: u32,
    /// 64 bytes in hexadecimal.
    pub keys: String,
}

/// A token to be made.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct TokenRequest {
    /// Whose.
    pub user: String,
    /// Seconds for which it holds.
    pub seconds: u32,
}

/// A user's token.
#[derive(Clone, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Token {
    /// To be shown as `Authorization: Bearer ..`.
    pub token: String,
    /// When it ends, in seconds since 1970.
    pub expires: u64,
}

/// That a log continues an older one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Consistency {
    /// The size of the older.
    pub from: u64,
    /// The size of the newer.
    pub to: u64,
    /// Hashes in hexadecimal, as in RFC 6962.
    pub proof: Vec<String>,
}

/// What the server knows of a checkpoint that somebody saw.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Gossip {
    /// The newest log that is shown.
    pub log: LogView,
    /// From the checkpoint that was sent to it.
    pub consistency: Consistency,
}

/// A state that an epoch came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Cosigned {
    /// Epochs in the log that was cosigned.
    pub size: u64,
    /// The state of its last epoch.
    pub state: String,
}

/// An auditor's word that is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Attested {
    /// The epoch.
    pub epoch: u32,
    /// The auditor's public key.
    pub auditor: String,
}

/// The operator's next key.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Rotated {
    /// The epoch that records the change, the last that the old key seals.
    pub epoch: u32,
    /// The key until then.
    pub old: String,
    /// The key from then on.
    pub new: String,
}

/// Questions that were answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Questions {
    /// From the first that was asked for.
    pub questions: Vec<QuestionItem>,
    /// The number of the one after the last.
    pub next: u64,
}

/// A question that was answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QuestionItem {
    /// When, in seconds since 1970, by the operator's clock.
    pub time: u64,
    /// In SQL.
    pub query: String,
}
