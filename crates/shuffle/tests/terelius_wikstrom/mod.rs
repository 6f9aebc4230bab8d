//! The Terelius-Wikström shuffle: honest mixers convince; cheating ones do not, each caught by the
//! equation that is named (`docs/spec/shuffle.md#checks`).

mod chains;
mod commitments;
mod common;
mod completeness;
mod equations;
mod files;
mod hostile;
mod matrix;
mod messages;
mod passage;
mod statements;
mod vectors;
