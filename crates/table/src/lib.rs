//! Transparent tables: a custodian holds private values of many people and answers sums, extremes,
//! quantiles, histograms and look-ups about them, and cannot lie, omit or change the past unnoticed.
//!
//! The construction follows TAP ("Transparent and Privacy-Preserving Data Services", USENIX Security
//! 2023) in its two layers, and replaces what its reference leaves unsound; it is ours, with no
//! published proof. In the order in which an epoch lives:
//!
//! 1. A [`Schema`] and a [`Genesis`] fix what a table holds, who signs and what may be asked. Their
//!    hash is the table's name, which every client pins ([`Table`]).
//! 2. Rows ([`Row`]) come with their users' keys ([`UserKeys`]), from which blindings and pseudonyms are derived. A
//!    leaf commits to the powers of the values. The leaves of each key are in a sorted [`sum_tree`]; keys and
//!    pseudonyms are in a [`trie`] each ([`BuiltEpoch`]).
//! 3. An [`audit`] bundle proves that committed values are integers in their bounds, sorted, with
//!    true powers. Core and bundle make the epoch's digest ([`EpochHeader`]).
//! 4. Digests go into a [`log`] with signed and cosigned checkpoints.
//! 5. A [`query`] is answered from the roots of the keys that it covers, with a proof; users look
//!    their own rows up ([`Lookup`]), or see that they are not there ([`AbsenceProof`]).
//! 6. An epoch may hold [roll-ups](rollup) of earlier ones, from which questions about many keys and
//!    epochs are answered by one tree.
//! 7. Before any of it, the operator tries on its rows what a policy would show ([`exposure`]).
//! 8. All of it goes into bundles as [`claims`]. On the operator's side, a [`store`] keeps it.
//!
//! ```
//! use table::{query::{self, Outcome, Query, Region, Source, Statistic, Summary}, *};
//! # use board::Identity;
//! # use rand_core::SeedableRng;
//! # let rng = &mut rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! let schema: Schema = toml::from_str(r#"
//!     table = "energy"
//!     key_period = 12
//!     seal_deadline = 86400
//!     types = [{ name = "district", kind = "u32" }]
//!     values = [{ name = "power", unit = "kWh", min = 0, max = 1000, ordered = true }]
//!     policy = { min_count = 2 }
//! "#).unwrap();
//! let operator = Identity::generate(rng);
//! let table = Table::new(Genesis {
//!     schema,
//!     first_epoch: 1,
//!     operator: PublicKey::of(&operator),
//!     witnesses: vec![],
//!     quorum: 0,
//!     dishonest: 0,
//!     auditors: vec![],
//!     nonce: Genesis::draw_nonce(rng),
//!     continues: None,
//! }).unwrap();
//! let secrets = TableKeys::generate(rng);
//!
//! // Three meters of district 5.
//! let key = table.schema().encode_key(&[5]).unwrap();
//! let entries = [310, 120, 250].map(|power| Entry {
//!     row: Row { user: format!("meter {power}").into(), key: key.clone(), values: vec![power] },
//!     keys: UserKeys::generate(rng),
//! });
//! let built =
//!     BuiltEpoch::build(&table, &secrets, 1, entries.to_vec(), &[], *table.id()).unwrap();
//! let bundle = audit::prove(&table, &secrets, &built, &()).unwrap();
//! let header = EpochHeader { core: built.core.clone(), audit: audit::hash(&bundle) };
//! audit::verify(&table, &header, &bundle, &()).unwrap();
//!
//! let digest = header.digest(table.id());
//! let signed = log::Checkpoint::of(&table, &[digest]).sign(&operator);
//! let logged = log::LoggedEpoch { header, inclusion: vec![] };
//!
//! // Anybody asks for the sum, and verifies the answer against the checkpoint alone.
//! let region = Region::all(table.schema(), 1, 1);
//! let query = Query { column: 0, region, statistic: Statistic::Moments };
//! let sources = [Source { logged, built: &built }];
//! let answer =
//!     query::answer(&table, &signed.checkpoint, query, &sources, vec![], rng).unwrap();
//! let verified = query::verify(&table, &signed, &answer, &[]).unwrap();
//! let Outcome::Moments(moments) = verified.outcome else { unreachable!() };
//! let summary = Summary::of(&table.schema().values[0], &moments);
//! assert_eq!(summary.sum.to_decimal(0), "680");
//! assert_eq!(summary.mean.unwrap().to_decimal(2), "226.67");
//! ```
//!
//! # What is shown to whom
//! Everybody: keys (combinations of types) with their counts, answers, and for answers by rank how many rows of some
//! keys lie on either side. A user: its rank in its key. Auditors: the order of pseudonyms within a key; pseudonyms
//! change with every epoch and column. The operator sees all values. Repeated queries about overlapping regions allow
//! differencing; `min_count` and the policy's grids limit it and do not exclude it. With a hierarchy, a policy answers
//! only about boxes such that no combination of their sums gives weight to fewer than `min_count` rows of an epoch
//! ([`query::Withheld`]).
//!
//! # What soundness rests on
//! Discrete logarithms in ristretto255, collision resistance of BLAKE3 and SHA-256, the random-oracle
//! model; for queries besides, one honest auditor of every epoch asked about. Against two histories:
//! the quorum of witnesses. Against omitted rows: users that look.
//!
//! # Constant time
//! [`Leaf::recompute`] and what users run is constant time in the value and the blinding, as far as
//! the group is. Building, proving and answering run on the operator's machine, are variable time
//! and must not be timed by others row by row.
#![forbid(unsafe_code)]

// The tests' tables are those of the integration tests, which name the crate.
#[cfg(test)]
extern crate self as table;
#[cfg(test)]
#[path = "../tests/support/mod.rs"]
mod support;

pub mod audit;
mod checks;
pub mod claims;
mod commitment;
mod epoch;
mod error;
pub mod exposure;
mod hash;
mod header;
mod identity;
mod keys;
mod leaf;
pub mod log;
mod lookup;
mod matrix;
mod policy;
#[cfg(feature = "store")]
mod puncture;
pub mod query;
mod questions;
mod range;
mod rank;
mod record;
pub mod rollup;
mod row;
mod schema;
mod signing;
#[cfg(feature = "sql")]
pub mod sql;
#[cfg(feature = "store")]
pub mod store;
mod succession;
pub mod sum_tree;
mod text;
pub mod trie;
#[cfg(test)]
mod vectors;

pub use checks::Refused;
pub use commitment::Encoded;
pub use epoch::{BuiltColumn, BuiltEpoch, Entry, KeyTree, Ranked};
pub use error::{BuildError, Fault, SchemaError, is_of_policy};
pub use hash::Hash;
pub use header::{ColumnRoots, EpochCore, EpochHeader};
pub use identity::Table;
pub use keys::{TableKeys, UserKeys};
pub use leaf::Leaf;
pub use lookup::{AbsenceProof, LightLookup, Lookup};
pub use policy::{Kind, Policy};
pub use questions::{NotedEpoch, Question, QuestionLog, QuestionProof};
pub use rank::Fraction;
pub use record::{AuxRecord, hash_aux};
pub use row::{Place, Row, Slot};
pub use schema::{Continued, Genesis, OrderProof, Schema, TypeColumn, TypeKind, ValueColumn};
pub use signing::PublicKey;
pub use succession::Succession;
pub use text::USER_COLUMN;
