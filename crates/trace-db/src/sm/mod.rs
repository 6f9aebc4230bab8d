//! DB-SM (Figure 8 of the artifact's appendix): for which i in I does γ_i commit to a value of `{v'_j : j ∈ J}`?
//!
//! | step | types |
//! |---|---|
//! | S1 the querier signs the values of J: `σ_j = (x + v'_j)^{-1}·G`; outside J, σ_j is hashed | [`BbOffer`] |
//! | S2 servers verify the signatures, form `(0, σ_j)` themselves | [`SmQuery`] |
//! | S3 the list passes servers m..1 *against* their committed permutations | [`Turn`](trace::routed::Turn), [`SmRouted`] |
//! | S4 every server multiplies by its b_i and proves it; first all hashes, then all lists | [`SmBlinding`], [`SmBlinded`] |
//! | all servers sign one digest of it all | [`SmAgreed`] |
//! | S5 they open `σ~_i = b_i·σ` | [`SmOpened`] |
//! | p_BB: announcements, one challenge, responses to the querier alone | [`SmStatement`], [`Proof`](super::Proof) |
//!
//! The statement that is proven for item i, with `b = Σ b^(k)` and so on, is
//!
//! `γ_i = v·G + r·H` and `x·σ~_i = b·G − v·σ~_i`
//!
//! the second of which is the paper's `e(σ~^{1/b}, y + v·G2) = e(G, G2)`, pulled back to G1 along
//! the injective `e(·, G2)`. `σ~ = 0` satisfies it with `b = 0`: it is refused by everybody.

mod blind;
mod offer;
mod server;
mod statement;

pub use blind::{SmAgreed, SmBlinded, SmBlinding, SmRouted};
pub use offer::{BbOffer, SmQuery};
pub use statement::{SmOpened, SmStatement};
