//! Groth16 proving keys with their ceremony: `.zkey` files, version 1.
//!
//! | section | content | entries |
//! |---|---|---|
//! | 1 | protocol, 1 for Groth16; no other is read | |
//! | 2 | both fields, the counts and points of [`ZkeyHeader`] | |
//! | 3 | `IC` of G1: public wires under `γ` | `public + 1` |
//! | 4 | the matrices `A` and `B`, [`Coefficient`] | |
//! | 5, 6 | `A`, `B` of G1 | `variables` each |
//! | 7 | `B` of G2 | `variables` |
//! | 8 | `K` of G1: private wires under `δ` (snarkjs: `C`) | `variables − public − 1` |
//! | 9 | `H` of G1 in odd Lagrange points | `domain_size` |
//! | 10 | circuit hash and [`Contribution`]s | |
//! | 100 | the transcript, if the ceremony is a native one | |

mod coefficient;
mod contribution;
mod header;
mod read;
mod sections;
mod write;

pub use coefficient::{Coefficient, CoefficientWriter, Coefficients, Matrix};
pub use contribution::Contribution;
pub use header::{G1Query, KeyPoints, ZkeyHeader};
pub use read::Zkey;
pub use write::ZkeyWriter;
