//! The messages of the service, as they travel in JSON. Proofs stand in them in their canonical
//! encoding, in base64. `/openapi.json` of a server documents all of them.

use std::{
    collections::{BTreeMap, HashMap},
    fmt,
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use table::{Row, Schema, USER_COLUMN, query::value_to_decimal};
use zeroize::Zeroize as _;

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
    /// `ok`; `failing` if at least one table cannot be read or written.
    pub status: String,
    /// Tables that are served.
    pub tables: u64,
    /// The names of those that fail; folders of tables that cannot be opened.
    #[serde(default)]
    pub failing: Vec<String>,
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
    /// Why the last attempt to seal it failed: `storage`, `rows`, `order`, `key` or `internal`; for
    /// custodians followed by all that is known.
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

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => number.fmt(f),
            Self::Bool(value) => value.fmt(f),
        }
    }
}

/// `user` and every column of the schema, by name.
pub type RowFields = BTreeMap<String, Field>;

/// Reads a row.
///
/// # Errors
/// What is wrong with it.
pub fn row_of(schema: &Schema, fields: &RowFields) -> Result<Row, String> {
    let texts: HashMap<&str, String> =
        fields.iter().map(|(name, field)| (name.as_str(), field.to_string())).collect();
    let row = schema.row_of(|name| texts.get(name).map(String::as_str));
    let row = row.map_err(|error| error.to_string())?;
    match texts.len() == schema.fields() {
        true => Ok(row),
        false => Err(format!("a field is neither `{USER_COLUMN}` nor a column of the schema")),
    }
}

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

/// The fields of a row, as [`row_of`] reads them; `None` for a user that is not UTF-8 or a key that is
/// not the schema's.
pub fn fields_of(schema: &Schema, row: &Row) -> Option<RowFields> {
    let mut fields = RowFields::new();
    let mut add = |name: &str, text| fields.insert(name.to_owned(), Field::Text(text));
    add(USER_COLUMN, String::from_utf8(row.user.clone()).ok()?);
    for (column, code) in schema.types.iter().zip(schema.decode_key(&row.key)?) {
        add(&column.name, column.name_of(code));
    }
    for (column, value) in schema.values.iter().zip(&row.values) {
        add(&column.name, value_to_decimal(column, *value));
    }
    Some(fields)
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.keys.zeroize();
    }
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

/// Whose tokens shall hold no more.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct RevokeRequest {
    /// The user.
    pub user: String,
}

/// Tokens that hold no more.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Revoked {
    /// The user. Its tokens that are made from now on hold.
    pub user: String,
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

impl Drop for Token {
    fn drop(&mut self) {
        self.token.zeroize();
    }
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

/// A question that was answered, or that the policy refused.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct QuestionItem {
    /// When, in seconds since 1970, by the operator's clock.
    pub time: u64,
    /// In SQL.
    pub query: String,
    /// Who asked, by the name of its token; nobody for who asked without the server.
    pub asker: Option<String>,
    /// Answers that were given, each with a proof of its own.
    pub answers: u32,
    /// Why it was refused, by the code of the rule.
    pub refused: Option<String>,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    #[test]
    fn rows_are_fields_and_back() {
        let schema: Schema = serde_json::from_value(serde_json::json!({
            "table": "pay", "key_period": 1, "seal_deadline": 1, "policy": { "min_count": 1 },
            "types": [{ "name": "role", "kind": { "enum": ["nurse", "engineer"] } },
                { "name": "senior", "kind": "bool" }, { "name": "site", "kind": "u64" }],
            "values": [{ "name": "wage", "scale": 2, "min": -5, "max": 100, "ordered": true }],
        }))
        .unwrap();
        let fields = RowFields::from([
            ("user".to_owned(), Field::Text("ada".to_owned())),
            ("role".to_owned(), Field::Text("engineer".to_owned())),
            ("senior".to_owned(), Field::Bool(true)),
            ("site".to_owned(), Field::Number(7)),
            ("wage".to_owned(), Field::Text("-0.05".to_owned())),
        ]);
        let row = row_of(&schema, &fields).unwrap();
        let again = fields_of(&schema, &row).unwrap();
        assert_eq!(row_of(&schema, &again).unwrap(), row);
        assert_eq!(again["wage"].to_string(), "-0.05");
        let mut more = fields.clone();
        more.insert("more".to_owned(), Field::Number(1));
        assert!(row_of(&schema, &more).is_err());
        let mut less = fields;
        less.remove("site");
        assert!(row_of(&schema, &less).is_err());
    }
}
