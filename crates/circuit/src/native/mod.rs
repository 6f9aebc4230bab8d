//! Parameters of other systems that one ceremony can serve, in this project's own files.
//!
//! `SUBROSA\0`, kind and version ([`wire::FileHeader`]), the name of the pairing behind a 32-bit
//! length, a size (64 bits), and lists of points in a fixed order, uncompressed, big-endian, with
//! `0x40` and zeros for infinity. While a ceremony makes the parameters, its file has another kind,
//! and a transcript behind a 32-bit length before the lists.
//!
//! Native Groth16 ceremonies have their points in ordinary `.ptau` and `.zkey` files, and a transcript
//! in a section of its own there ([`TRANSCRIPT_ID`]).

mod head;
mod sonic;
mod tflsz;
mod tflsz_dealer;
mod tflsz_points;
mod transcript;

pub use head::curve_of_file;
pub use sonic::{SonicG1, SonicG2, SonicSrs, SonicWriter};
pub use tflsz::{TflszCrs, TflszG1, TflszG2, TflszWriter};
pub use tflsz_dealer::InsecureTflszDealer;
pub use tflsz_points::{TflszPoints, TflszSingleG1, TflszSingleG2};
pub use transcript::TRANSCRIPT_ID;
pub(crate) use transcript::{PHASE1, PHASE2};
