//! Powers of Tau: `.ptau` files, version 1.
//!
//! | section | content | points |
//! |---|---|---|
//! | 1 | header: curve, power, power of the whole ceremony | |
//! | 2 | `[τ^i]₁` | `2^(power+1) − 1` |
//! | 3 | `[τ^i]₂` | `2^power` |
//! | 4, 5 | `[ατ^i]₁`, `[βτ^i]₁` | `2^power` each |
//! | 6 | `[β]₂` | 1 |
//! | 7 | contributions | |
//! | 12 to 15 | sections 2 to 5 in Lagrange form, for every power of two | see [`Ptau::lagrange_g1`] |
//! | 100 | the transcript, if the ceremony is a native one | |

mod contribution;
mod read;
mod sections;
mod write;

pub use contribution::{Contribution, PowersPublicKey, SecretPoints};
pub use read::Ptau;
pub use sections::{G1Section, G2Section, PtauHeader};
pub use write::{PtauWriter, rewrite_contributions};
