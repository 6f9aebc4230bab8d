//! What is measured, and what attackers try, as people and scripts meet it.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests fail by panicking")]

mod attack;
mod benches;
mod conversions;
mod load;
mod program;
mod reproduce;

/// The data is in `tests/cmd`; `TRYCMD=overwrite` writes what the program says now.
#[test]
fn helps_and_refuses_as_written_down() {
    let cases = trycmd::TestCases::new();
    cases.env("COLUMNS", "100").env("NO_COLOR", "1").case("tests/cmd/*.trycmd");
}
