//! Rank-1 constraint systems: `.r1cs` files, version 1.
//!
//! A constraint says `⟨a, z⟩ · ⟨b, z⟩ = ⟨c, z⟩` of the wires `z`: the constant one, the public
//! outputs, the public inputs, the private inputs, and everything between.
//!
//! | section | content |
//! |---|---|
//! | 1 | the scalar field and the counts of [`R1csHeader`] |
//! | 2 | the constraints |
//! | 3 | for each wire its label, 64 bits |
//! | 4, 5 | custom gates of PLONK, which are not read here |

mod constraint;
mod header;
mod read;
mod write;

pub use constraint::{Constraint, LinearCombination};
pub use header::R1csHeader;
pub use read::{Constraints, Labels, R1cs};
pub use write::R1csWriter;
