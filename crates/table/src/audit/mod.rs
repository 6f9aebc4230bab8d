//! The audit of an epoch (`docs/spec/table-audit.md`): a bundle from which anybody rebuilds every hash, and proofs
//! that committed values are integers in their bounds, sorted, with true powers, of distinct users.
//!
//! Queries rely on the audit. The operator makes the bundle once, before the epoch's digest, which binds it. Its masks
//! come from [`crate::TableKeys`], so making it again gives the same bytes.
//!
//! ```text
//! leaves    per ordered column, per key in order: pseudonym and commitments of every row
//! rollups   of an epoch that holds any: the rows of earlier epochs in one order
//! order     d_0 = v_1, d_i = v_{i+1} − v_i, d_n = MAX − v_n, all in [0, 2^b): they telescope to MAX
//! extras    v and MAX − v of every row, for columns that are not sorted
//! moments   per row and column: the j-th commitment holds the j-th power of the first's value
//! ```

mod leaves;
mod moments;
mod order;
mod parts;
mod prove;
mod rollups;
mod run;
mod subset;
mod verify;

pub(crate) use parts::check_part;
pub use parts::{split, verify_part};
pub use prove::prove;
pub use subset::{Subset, verify_subset};
pub(crate) use verify::check;
pub use verify::{Report, hash, verify};

#[cfg(test)]
mod part_tests;
#[cfg(test)]
mod tests;
