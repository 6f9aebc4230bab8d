//! Rank-1 constraint systems, keys and parameters, and the files that other tools keep them in.
#![forbid(unsafe_code)]

mod attribution;
mod curve;
mod error;
mod points;
pub mod ptau;
mod record;

pub use attribution::{Attribution, Origin};
pub use curve::{Curve, Format};
pub use error::Error;
pub use points::{CHUNK, PointList, PointWriter};
