//! How often benches repeat.

use clap::builder::RangedI64ValueParser;

/// How often a bench may be asked to repeat what it measures.
pub fn repetitions() -> RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=1000)
}
