//! DB-RSM (Figure 9 of the artifact's appendix): for which j in J is v'_j committed by some γ_i, i ∈ I?
//!
//! | step | types |
//! |---|---|
//! | S1 the querier makes quasi-signatures on `γ_i` for i in I | [`BbsOffer`] |
//! | S2 servers verify them | [`RsmQuery`] |
//! | outside I the servers encrypt secret random points | [`RsmFakes`], [`RsmStart`] |
//! | S3 `(S, c·2^512 + r̂)` is formed by everybody; ε_r is added to the low slot | [`RsmStart`] |
//! | S4 both lists pass servers 1..m by their committed permutations | [`RsmTurn`], [`RsmRouted`] |
//! | S5 a dealer gives every server its blindings and its shares of their products, publishes their encryptions and `Z_1`, and proves that it knows what is in them | [`deal`], [`RsmDealing`], [`RsmBlinded`] |
//! | all servers sign one digest of it all | [`RsmAgreed`] |
//! | S6 they open `S~ = S + b_S·G`, `c~ = c + b_c`, `r~ = r̂ + r + b_r` | [`RsmPartial`], [`RsmOpened`] |
//! | p_BBS+ | [`RsmStatement`] |
//!
//! # Outside I (B16)
//! For an output outside the answer the first equation fails, and from it the querier can compute `U = (x + c)·S − r·H`
//! of the *unblinded* tuple, because the blinding is additive and cancels. For a fake that the querier knows this is
//! `(x + c_i)·S_i − r̂_i·H − γ_i + v'_j·G` for i = π(j). So it could link every output outside the answer. Therefore
//! the points outside I are sums of secret points of all servers, and U is uniform. Soundness does not change: fakes
//! are not signatures, whoever makes them.
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
//!
//! # Why blindings are dealt
//! In the paper every server draws its own blindings, and the servers multiply them with Beaver's triples, which a
//! dealer makes in the reference code. One would expect that additive errors of a cheater in the opened values only
//! make the proof fail. Whether the paper argues so is unconfirmed to us. But such errors also *leak*: nothing ties the
//! opened factors to the blindings of S5, and an error in one factor is multiplied by the other. If one server adds ε
//! to its part of the masked δ_0, the shares of δ_2 sum to `(δ_0 + ε)·b_c`. The querier computes the right side of the
//! third equation from announcements and responses, and finds `ε·b_c·E` where an honest run has 0. But
//! `b_c = c~_j − c_{π(j)}`, c~ is opened, and all c are public hashes. So n comparisons give π(j), for every opened row
//! and for any answer. Errors in the other factors leak in the same way, and so does a Z_1 over other blindings than
//! those of S5. An earlier version of this module had this gap; a test ran the attack and found the permutation.
//!
//! A dealer of triples must already be trusted to collude with nobody: with the opened factors it can compute all
//! blindings. So here, with the same trust, it deals all these values: `b_S, b_c, b_r, δ_0` with shares of `δ_1, δ_2`.
//! It also publishes encryptions and `Z_1` of the same numbers. No server sends anything that another server multiplies
//! by a secret.
//!
//! *What a cheating server still can do.* After S6 an honest server's messages depend on those of the others only
//! through the challenge c. It announces the equations applied to its masks, and responds with masks − c·(its dealt
//! share). Both together show only the equations applied to its dealt share. So cheaters, who know their own dealt
//! shares, learn the right sides of an honest run and nothing else: `U` of the section above, `Z_1`, which hides b_S
//! behind δ_0, and 0. If they spoil announcements and responses, the right sides that the querier computes shift by
//! multiples of `G, H, E, S~, Y, Z_1`. These multiples are public and do not depend on π.
//!
//! *What the dealer must be.* It must be honest, forget what it dealt, and collude with neither the querier nor any
//! server: whoever knows its randomness and sees c~ can link all opened rows to inputs. A dealing names session, pass
//! (and so query and side) and routed lists under the dealer's signature. It is drawn afresh for each pass, and a
//! server signs one digest for a pass, with one dealing in it, before anything is opened. So no dealing serves twice.
//! Everybody verifies the signed public part before the servers agree, and every server verifies that its own share
//! fits its public part. Nobody can verify that the products are products, and false products leak as above. So the
//! dealer must be honest and not only silent.
//!
//! *What the dealer proves.* It proves that it knows the openings of every part: `(ρ, b_S, δ_0)` of points and `Z_1`,
//! and the numbers. A server sees only its own share. A dealer that colludes with a server could deal to it, instead of
//! blindings, the quotient of two routed ciphertexts, of which neither knows the opening. Then a row outside I opens to
//! the tuple of another row, and a proof of that row's signature holds. If one value is in I and also outside, that is
//! a false "no". An earlier version of this module accepted such a dealing; a test ran the attack. Now a row outside I
//! opens to a multiple of G that the makers of the proof know, and a signature on it would be a relation of F, G and H.
//!
//! Servers need not commit to blindings by a hash, because no server chooses any. They still commit to announcements.
//!
//! # What is secret against whom
//! With an honest dealer, two things are secret. From which inputs the opened rows come, except for the answer, is
//! secret against the querier and m − 1 servers, all of whom may deviate as they like. The answer is secret against m −
//! 1 servers, if the querier is honest. Against a dealer who looks at opened values, colludes, or deals false products,
//! nothing of this is secret. The soundness of the proofs remains, even if the dealer colludes with all servers. If you
//! have nobody for this role, use the engine `routed`.

mod blind;
mod dealing;
mod dealt_proof;
mod image;
mod offer;
mod route;
mod server;
mod statement;

pub use blind::{RsmAgreed, RsmBlinded};
pub use dealing::{RsmDealing, deal};
pub use offer::{BbsOffer, RsmQuery};
pub use route::{RsmFakes, RsmRouted, RsmStart, RsmTurn};
pub use statement::{RsmOpened, RsmPartial, RsmStatement, RsmTuples};

use crate::{
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
    let points = bases().g.mul_all(secrets);
    let mut rows: Vec<_> = points.into_iter().map(shuffle::Ciphertext::trivial).collect();
    shuffle::ReEncryptor::new(key).re_encrypt_all(&mut rows, randomness);
    shuffle::Column::new(&rows)
}
