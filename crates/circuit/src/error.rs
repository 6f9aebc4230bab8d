//! Why a file was refused, or could not be written.

use std::io;

use algebra::PointError;
use thiserror::Error;
use wire::{DecodeError, SectionError};

/// Why a file was refused, or could not be written.
///
/// `place` names a section, list or field as the documentation of the format does.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// Reading or writing failed.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The container of sections is broken, or a section is missing or doubled.
    #[error(transparent)]
    Section(#[from] SectionError),
    /// A header or record does not decode.
    #[error("{place}: {reason}")]
    Record {
        /// Where.
        place: &'static str,
        /// What is wrong.
        reason: DecodeError,
    },
    /// A record in a list does not decode.
    #[error("{place}, entry {index}: {reason}")]
    Entry {
        /// The list.
        place: &'static str,
        /// Position in the list, from 0.
        index: u64,
        /// What is wrong.
        reason: DecodeError,
    },
    /// The file is over other curves than those asked for.
    #[error("{place}: the modulus is not that of {expected}")]
    Curve {
        /// Where.
        place: &'static str,
        /// The pairing that the caller wants.
        expected: &'static str,
    },
    /// The modulus is of no pairing that this program knows.
    #[error("{place}: the modulus is of no known curve")]
    UnknownCurve {
        /// Where.
        place: &'static str,
    },
    /// A list has another length than the header says.
    #[error("{place}: {got} bytes, where the header makes it {expected}")]
    Len {
        /// The list.
        place: &'static str,
        /// Bytes that the header amounts to.
        expected: u64,
        /// Bytes that there are.
        got: u64,
    },
    /// A point is not canonical, not on the curve, or outside the subgroup.
    #[error("{place}, point {index}: {}", reason_text(.reason))]
    Point {
        /// The list.
        place: &'static str,
        /// Position in the list, from 0.
        index: u64,
        /// What is wrong.
        reason: PointError,
    },
    /// A point is the neutral element where it must not be.
    #[error("{place}, point {index}: the point at infinity is not allowed here")]
    Infinity {
        /// The list.
        place: &'static str,
        /// Position in the list, from 0.
        index: u64,
    },
    /// A scalar is not reduced.
    #[error("{place}, scalar {index}: not reduced modulo the group order")]
    Scalar {
        /// The list.
        place: &'static str,
        /// Position in the list, from 0.
        index: u64,
    },
    /// A list was asked for entries that it does not have.
    #[error("{place}: entries {start} to {end} of {len} were asked for")]
    Range {
        /// The list.
        place: &'static str,
        /// First entry asked for.
        start: u64,
        /// Entry after the last.
        end: u64,
        /// Entries that there are.
        len: u64,
    },
    /// A list was written with another number of entries than announced.
    #[error("{place}: {written} entries were written and {announced} announced")]
    Written {
        /// The list.
        place: &'static str,
        /// Entries announced.
        announced: u64,
        /// Entries written, the refused ones included.
        written: u64,
    },
    /// Values that no file of this format can hold.
    #[error("{place}: {reason}")]
    Unwritable {
        /// Where.
        place: &'static str,
        /// Why.
        reason: &'static str,
    },
    /// One of the ceremonies in a file of the KZG ceremony was refused.
    #[error("transcript {index}: {reason}")]
    Transcript {
        /// Which of them, from 0.
        index: usize,
        /// What is wrong with it.
        reason: Box<Self>,
    },
    /// A JSON text does not parse or lacks a field.
    #[error("{place}: {reason}")]
    Json {
        /// Which text.
        place: &'static str,
        /// What is wrong.
        reason: serde_json::Error,
    },
}

impl Error {
    /// For `map_err` on a record.
    pub(crate) fn record(place: &'static str) -> impl FnOnce(DecodeError) -> Self {
        move |reason| Self::Record { place, reason }
    }

    /// For `map_err` on an entry of a list.
    pub(crate) fn entry(place: &'static str, index: u64) -> impl FnOnce(DecodeError) -> Self {
        move |reason| Self::Entry { place, index, reason }
    }

    /// A refused field of a record.
    pub(crate) fn field(place: &'static str, what: &'static str, reason: impl ToString) -> Self {
        Self::Record { place, reason: DecodeError::invalid(what, reason) }
    }
}

/// Without the position, which counts within a chunk of the list.
fn reason_text(reason: &PointError) -> &'static str {
    match reason {
        PointError::Length { .. } => "cut short",
        PointError::Subgroup { .. } => "outside the prime-order subgroup",
        _ => "not a canonical encoding of a curve point",
    }
}
