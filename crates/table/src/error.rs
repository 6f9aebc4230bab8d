//! Why a proof or an input is refused.

use thiserror::Error;
use wire::DecodeError;

/// Bytes of a user's identifier.
pub(crate) const MAX_USER_LEN: usize = 256;

/// Codes of [`Fault::Policy`], and of questions in SQL, by which a table's policy says no: there is nothing
/// wrong with the question, and asking again is no use.
const OF_POLICY: [&str; 10] = [
    "erased",
    "extremes",
    "fraction",
    "hierarchy",
    "kind",
    "min-count",
    "rank-gap",
    "rounding",
    "small-key",
    "withheld",
];

/// Whether a code says that the table's policy does not allow what was asked.
pub fn is_of_policy(code: &str) -> bool {
    OF_POLICY.contains(&code)
}

/// Why a schema or a row is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SchemaError {
    /// A schema that no table can have.
    #[error("schema: {0}")]
    Schema(String),
    /// A type or value that the schema does not allow.
    #[error("column `{column}`: {reason}")]
    Column {
        /// The column.
        column: String,
        /// What is wrong.
        reason: String,
    },
    /// A row without a column.
    #[error("there is no `{0}`")]
    Missing(String),
    /// A row with another number of columns.
    #[error("{got} columns, but the schema has {expected}")]
    Width {
        /// Columns of the row.
        got: usize,
        /// Columns of the schema.
        expected: usize,
    },
    /// An identifier that is empty or too long.
    #[error("a user's identifier has 1 to {MAX_USER_LEN} bytes")]
    User,
}

/// Why something that another party sent is not accepted.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum Fault {
    /// Bytes that are not a canonical encoding.
    #[error(transparent)]
    Decode(#[from] DecodeError),
    /// A genesis that no table can have.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Bytes that are not a point or a scalar.
    #[error("{what}: not the encoding of a group element or scalar")]
    Encoding {
        /// Where.
        what: &'static str,
    },
    /// Values that cannot be committed to.
    #[error("row: {reason}")]
    Row {
        /// What is wrong with them.
        reason: String,
    },
    /// A path of a sum tree that does not have the shape that index and count give it.
    #[error("the path does not have the shape of its index and count")]
    PathShape,
    /// A trie's edge label that is empty, too long, padded wrongly or on the wrong side.
    #[error("trie: {reason}")]
    Trie {
        /// The rule that is broken.
        reason: &'static str,
    },
    /// A hash that differs from the one it must be.
    #[error("{what} does not lead to the published hash")]
    Mismatch {
        /// What was recomputed.
        what: &'static str,
    },
    /// A box of keys that is empty, repeated or out of the schema.
    #[error("query: {reason}")]
    Query {
        /// The rule that is broken.
        reason: &'static str,
    },
    /// A query that schema or policy of the table do not allow.
    #[error("policy ({code}): {reason}")]
    Policy {
        /// The rule, for machines: `kind`, `min-count`, `rank-gap`, `extremes`, `fraction`, `order`,
        /// `cuts`, `rounding`, `small-key`, `hierarchy`, `withheld`, `erased`.
        code: &'static str,
        /// The rule, for people.
        reason: &'static str,
    },
    /// A query about rows that are no box of the policy's hierarchy.
    #[error("the policy answers about the boxes of its hierarchy only: {boxes}")]
    Hierarchy {
        /// Which boxes these are.
        boxes: String,
    },
    /// A signature that is missing or wrong.
    #[error("{what}: the signature is missing or wrong")]
    Signature {
        /// What is signed.
        what: &'static str,
    },
    /// A checkpoint or note that is not of the C2SP form.
    #[error("note: {reason}")]
    Note {
        /// The rule that is broken.
        reason: &'static str,
    },
    /// A claim that the proof does not bear out.
    #[error("{what}: the equation does not hold")]
    Equation {
        /// The proof.
        what: &'static str,
    },
    /// A claimed number out of its bounds.
    #[error("{what} is out of bounds")]
    Bounds {
        /// The number.
        what: &'static str,
    },
    /// Missing or surplus parts.
    #[error("{what}: {got} of them, where there must be {expected}")]
    Number {
        /// Of what.
        what: &'static str,
        /// How many came.
        got: u64,
        /// How many there must be.
        expected: u64,
    },
    /// Something that is there twice.
    #[error("{what} is there twice")]
    Duplicate {
        /// What.
        what: &'static str,
    },
    /// Evidence that shows no offence.
    #[error("this is no evidence: {reason}")]
    NoOffence {
        /// Why.
        reason: &'static str,
    },
}

impl Fault {
    /// A question about a group in which a row was erased: what its commitments open to is gone.
    pub(crate) const ERASED: Self = Self::Policy {
        code: "erased",
        reason: "a row of a group that is asked about was erased, and no new answer can be made from the others",
    };
}

/// Why an epoch cannot be built.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildError {
    /// A row that the schema refuses.
    #[error("row {index}, by user: {error}")]
    Row {
        /// Its position among the rows, ordered by user.
        index: usize,
        /// The reason.
        error: SchemaError,
    },
    /// Two rows of one user.
    #[error("row {index}, by user: its user has another row in this epoch")]
    Duplicate {
        /// The position of the second among the rows, ordered by user.
        index: usize,
    },
    /// More rows than an epoch can have.
    #[error("an epoch has less than 2^32 rows")]
    TooManyRows,
    /// Two users with one pseudonym.
    #[error("two users have the same pseudonym: their keys are not random")]
    Trie,
    /// Stored nodes that are not those of the rows.
    #[error("the stored nodes of a tree are not those of its rows: restore a backup of the store")]
    Nodes,
}
