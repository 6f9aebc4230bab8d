//! DB-RSM (1.7, Figure 9): for which j in J is v'_j committed by some γ_i, i ∈ I?
//!
//! | step | types |
//! |---|---|
//! | S1 the querier makes quasi-signatures on `γ_i` for i in I | [`BbsOffer`] |
//! | S2 servers verify them | [`RsmQuery`] |
//! | outside I the servers encrypt secret random points | [`RsmFakes`], [`RsmStart`] |
//! | S3 `(S, c·2^512 + r̂)` is formed by everybody; ε_r is added to the low slot | [`RsmStart`] |
//! | S4 both lists pass servers 1..m by their committed permutations | [`RsmTurn`], [`RsmRouted`] |
//! | S5 every server adds blindings and proves that it knows them; first all hashes | [`RsmBlinding`], [`RsmBlinded`] |
//! | all servers sign one digest of it all | [`RsmAgreed`] |
//! | S6 they open `S~ = S + b_S·G`, `c~ = c + b_c`, `r~ = r̂ + r + b_r` | [`RsmPartial`], [`RsmOpened`] |
//! | products of the blindings; p_BBS+ | [`TripleShares`], [`RsmFactors`], [`RsmStatement`] |
//!
//! # Outside I (B16)
//! From the equation that fails for an output outside the answer the querier computes
//! `U = (x + c)·S − r·H` of the *unblinded* tuple, since the blinding is additive and cancels. For
//! a fake that it knows this is `(x + c_i)·S_i − r̂_i·H − γ_i + v'_j·G` for i = π(j): it would link
//! every output outside the answer. So the points outside I are sums of secret points of all
//! servers; U is then uniform. Soundness does not change: fakes are no signatures, whoever makes
//! them.
//!
//! # The statement
//! With `W = x·S~` and `Y = x·G`, for item j:
//!
//! ```text
//! W + c~·S~ − F − v'·G − r~·H = b_S·(Y + c~·G) + b_c·S~ − δ_1·G − b_r·H
//! Z_1 = b_S·G + δ_0·E
//! 0   = −b_c·Z_1 + δ_1·G + δ_2·E         δ_1 = b_S·b_c, δ_2 = δ_0·b_c
//! ```
//!
//! The paper has the same in GT; `e(·, G2)` is injective, and the querier's `Y` with
//! `e(Y, G2) = e(G, y)` brings all bases to G1.

mod blind;
mod factors;
mod offer;
mod route;
mod server;
mod statement;
mod triples;

pub use blind::{RsmAgreed, RsmBlinded, RsmBlinding};
pub use factors::{RsmFactors, RsmMultiplied};
pub use offer::{BbsOffer, RsmQuery};
pub use route::{RsmFakes, RsmRouted, RsmStart, RsmTurn};
pub use statement::{RsmOpened, RsmPartial, RsmStatement, RsmTuples};
pub use triples::{TripleShares, deal};

use crate::db::{
    bases::{F, G1, bases},
    knowledge::Representations,
};
use algebra::Group as _;

/// `c1 = ρ·G`, `c2 = s·G + ρ·pk` for the secrets `(ρ, s)`: ElGamal encryptions of `s·G`.
fn encryptions<'a>(pk: G1, points: [&'a [G1]; 2]) -> Representations<'a, 2, 2> {
    let (g, zero) = (G1::generator(), G1::identity());
    Representations { bases: [[g, zero], [pk, g]], points }
}

/// `(ρ_i·G, s_i·G + ρ_i·pk)` for many i.
fn encrypt_multiples(
    key: &shuffle::PublicKey<G1>,
    randomness: &[F],
    secrets: &[F],
) -> shuffle::Column<G1> {
    use rayon::prelude::*;
    let encryptor = shuffle::ReEncryptor::new(key);
    let points = bases().g.mul_all(secrets);
    let rows = points.par_iter().zip(randomness).map(|(&point, randomness)| {
        encryptor.re_encrypt(&shuffle::Ciphertext::trivial(point), randomness)
    });
    shuffle::Column::new(&rows.collect::<Vec<_>>())
}
