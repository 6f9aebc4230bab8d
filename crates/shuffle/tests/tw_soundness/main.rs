//! Cheating mixers do not convince: the attacks of the specification (T.10), each with the
//! equation that catches it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "helpers of tests")]

#[path = "../common/mod.rs"]
mod common;
#[path = "../common/equations.rs"]
mod equations;
#[path = "../common/matrix.rs"]
mod matrix;
#[path = "../common/passage.rs"]
mod passage;

mod chains;
mod commitments;
mod messages;
mod statements;

/// What the types forbid: checking lists without a verified permutation, using masks twice.
#[test]
fn misuse_does_not_compile() {
    trybuild::TestCases::new().compile_fail("tests/ui/*.rs");
}
