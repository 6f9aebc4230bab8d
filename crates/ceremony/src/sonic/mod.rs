//! The structured reference string of Sonic (ePrint 2019/099), which everybody can update.
//!
//! For a degree `d`: `[x^i]₁`, `[x^i]₂` and `[αx^i]₂` for `i` from `−d` to `d`, and `[αx^i]₁` for the same
//! without 0 ([`circuit::native::SonicSrs`]). An update multiplies `x'^i` and `α'x'^i` into them. One
//! contributor who forgets `x'` and `α'` is enough.
//!
//! It starts from the generators and not from a [phase 1](crate::phase1): a `.ptau` has no negative
//! powers of its `τ`, and nobody can make `[τ^{−i}]` from `[τ^i]`.
//!
//! # No `[α]₁`, of nobody
//! Polynomials with a constant term must not be committable, so `[α]₁` is not in the string. The
//! proofs must not give it away either. If a contributor proved knowledge of `α'` by publishing
//! `[α']₁`, as other ceremonies do, then the first contributor's `[α']₁` times the second's own `α''` would
//! be `[α]₁`, for the second contributor to keep, although the first was honest. Here `α'` is proved in
//! G2, to the base `[α]₂` of the contribution before, and `x'` in G1, to the base `[x]₁`.
//!
//! ```
//! use std::io::Cursor;
//!
//! use algebra::Bls12381;
//! use ceremony::{Snapshot, Trust, sonic};
//! # use rand_core::SeedableRng;
//! # let mut rng = rand_chacha::ChaCha20Rng::from_seed([7; 32]);
//!
//! let degree = sonic::degree(10, 12);
//! let (mut first, mut second) = (Vec::new(), Vec::new());
//! sonic::new::<Bls12381>(degree, &mut first, &())?;
//! # let mut verifier_rng = rand_chacha::ChaCha20Rng::from_seed([8; 32]);
//! let mut old = Snapshot::take(Cursor::new(first), &())?;
//! let (name, trust) = (Some("Ana".to_owned()), Trust::verify((), &mut verifier_rng));
//! let receipt = sonic::contribute::<Bls12381>(&mut old, &mut second, name, trust, &mut rng, &())?;
//!
//! let mut file = Cursor::new(second);
//! let info = sonic::verify::<Bls12381>(&mut file, &mut rng, &())?;
//! assert_eq!(info.contributions[0].hash, receipt.hash);
//! let mut srs = Vec::new();
//! sonic::finish::<Bls12381>(&mut file, &mut srs)?;
//! sonic::verify_srs::<Bls12381>(&mut Cursor::new(srs), &mut rng, &())?;
//! # Ok::<(), ceremony::Error>(())
//! ```

mod contribute;
mod file;
mod verify;

pub use contribute::{contribute, new};
pub use file::{Info, finish, info, records};
pub use verify::{verify, verify_srs};

pub use crate::series::{Contribution, Receipt};

/// The least degree for circuits of `gates` multiplications and `constraints` linear constraints:
/// `max(4n + 8, n + Q)`, with the four blinders of the paper.
pub fn degree(gates: u64, constraints: u64) -> u64 {
    let blinded = gates.saturating_mul(4).saturating_add(8);
    blinded.max(gates.saturating_add(constraints))
}
