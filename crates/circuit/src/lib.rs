//! Rank-1 constraint systems, keys and parameters, and the files that other tools keep them in.
//!
//! This is where ceremonies and proof systems meet: one writes what the other reads.
//!
//! | module | files |
//! |---|---|
//! | [`r1cs`], [`wtns`] | circuits and witnesses of circom |
//! | [`ptau`] | Powers of Tau of snarkjs |
//! | [`zkey`], [`json`] | Groth16 keys, proofs and public inputs of snarkjs |
//! | [`bellman`] | challenges, responses and parameters of Zcash's ceremonies and their descendants |
//! | [`kzg`] | the JSON of Ethereum's KZG ceremony |
//! | [`native`] | this project's own files: the Sonic SRS, the tFLSZ CRS; native transcripts |
//!
//! Circuits written in Rust are synthesized in memory: [`synthesis`], from the parts in [`gadgets`].
//!
//! Everything is generic over [`algebra::Engine`]; [`Curve::of_file`] tells which to take.
//!
//! # Long lists
//! A file is opened once, which checks its lengths and headers and reads no list: [`ptau::Ptau`],
//! [`zkey::Zkey`] and the others are tables of contents without a reader. They hand out
//! [`PointList`]s, which read points in chunks through any `Read + Seek` on the same bytes, in as
//! many threads as wanted. Writers go from the first byte of a file to the last and refuse lists
//! that are longer, shorter or elsewhere than announced. Memory is that of a chunk.
//!
//! # What reading checks
//! All bytes are hostile: every length against the file's own before anything is reserved, every
//! coordinate and scalar for reduction, every point for the curve. Single points and those of
//! records are in the prime-order subgroup; those of lists are when
//! [`PointList::check_subgroup`] has said so. Errors name the section and the index. Whether the
//! points are a ceremony's is for the crate `ceremony` to find out.
//!
//! ```
//! use std::io::Cursor;
//! use algebra::{Bn254, CurveGroup, Engine, Group, Pairing, Scalar};
//! use circuit::{CHUNK, Curve, Error, Format, ptau::{G1Section, G2Section, Ptau, PtauHeader, PtauWriter}};
//!
//! // The accumulator before the first contribution: the generators, over and over.
//! fn initial<E: Engine>(power: u32) -> Result<Vec<u8>, Error> {
//!     let mut file = PtauWriter::<_, E>::new(Vec::new(), PtauHeader::new(power), false)?;
//!     for id in 2..=6 {
//!         if let Some(section) = G1Section::ALL.into_iter().find(|section| section.id() == id) {
//!             let mut points = file.g1(section)?;
//!             points.repeat(&E::G1::affine_generator(), section.len(power))?;
//!             points.finish()?.finish()?;
//!         } else if let Some(section) = G2Section::ALL.into_iter().find(|section| section.id() == id) {
//!             let mut points = file.g2(section)?;
//!             points.repeat(&E::G2::affine_generator(), section.len(power))?;
//!             points.finish()?.finish()?;
//!         }
//!     }
//!     file.contributions(&[])?;
//!     file.finish()
//! }
//!
//! let mut file = Cursor::new(initial::<Bn254>(3)?);
//! assert_eq!(Curve::of_file(&mut file, Format::Ptau)?, Curve::Bn254);
//! let ptau = Ptau::<Bn254>::open(&mut file)?;
//!
//! // The sum of the powers of 1, in constant memory.
//! type G1 = <Bn254 as Pairing>::G1;
//! let list = ptau.g1(G1Section::Tau)?;
//! let mut sum = G1::identity();
//! for chunk in list.chunks(&mut file, CHUNK) {
//!     let (start, points) = chunk?;
//!     list.check_subgroup(start, &points)?;
//!     sum = points.iter().fold(sum, |sum, point| sum.add_precomputed(point));
//! }
//! assert_eq!(sum, G1::mul_generator(&Scalar::from_u64(15)));
//! # Ok::<(), Error>(())
//! ```
#![forbid(unsafe_code)]

mod attribution;
pub mod bellman;
#[cfg(test)]
mod chunks;
mod curve;
mod entries;
mod error;
pub mod gadgets;
pub mod json;
pub mod kzg;
mod layout;
pub mod native;
mod points;
pub mod ptau;
pub mod r1cs;
mod record;
mod scalars;
pub mod synthesis;
pub mod wtns;
pub mod zkey;

pub use attribution::{Attribution, Origin};
pub use curve::{Curve, Format};
pub use entries::Entries;
pub use error::Error;
pub use layout::Counting;
pub use points::{CHUNK, PointList, PointWriter};
