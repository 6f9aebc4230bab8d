//! Rank-1 constraint systems, keys and parameters, and the files that other tools keep them in.
#![forbid(unsafe_code)]

mod attribution;
pub mod bellman;
mod curve;
mod entries;
mod error;
pub mod json;
pub mod kzg;
mod layout;
pub mod native;
mod points;
pub mod ptau;
pub mod r1cs;
mod record;
mod scalars;
pub mod wtns;
pub mod zkey;

pub use attribution::{Attribution, Origin};
pub use curve::{Curve, Format};
pub use entries::Entries;
pub use error::Error;
pub use layout::Counting;
pub use points::{CHUNK, PointList, PointWriter};
