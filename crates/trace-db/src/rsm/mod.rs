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
//!
//! # Why blindings are dealt
//! In the paper every server draws its own blindings, and the servers multiply them with Beaver's
//! triples, which a dealer makes in the reference code. One expects additive errors of a cheater in
//! what is opened there only to make the proof fail; whether the paper argues so is unconfirmed to
//! us. They also *leak*: nothing ties the opened factors to the blindings of S5, and an error in one
//! is multiplied by the other. If one server adds ε to its part of the masked δ_0, the shares of δ_2
//! sum to `(δ_0 + ε)·b_c`, and the querier, who computes the right side of the third equation from
//! announcements and responses, finds `ε·b_c·E` where an honest run has 0. But
//! `b_c = c~_j − c_{π(j)}`, c~ is opened, and all c are public hashes: n comparisons give π(j), for
//! every opened row and whatever the answer. Errors in the other factors leak in the same way, and so
//! does a Z_1 over other blindings than those of S5. An earlier version of this module had the gap; a
//! test ran the attack and found the permutation.
//!
//! A dealer of triples already is trusted to conspire with nobody: with the opened factors it
//! computes all blindings. So here it deals, under no other trust, what there is to agree on:
//! `b_S, b_c, b_r, δ_0` with shares of `δ_1, δ_2`, and it publishes encryptions and `Z_1` of the very
//! same numbers. No server sends anything that another one multiplies by a secret.
//!
//! *What a cheating server still can do.* After S6 an honest server's messages depend on those of the
//! others through the challenge c alone: it announces its masks put through the equations, and
//! responds with masks − c·(its dealt share). Both together say no more than its dealt share put
//! through the equations. So cheaters, who know what was dealt to them, learn the right sides of an
//! honest run and nothing else: `U` of the section above, `Z_1`, which hides b_S behind δ_0, and 0.
//! Announcements and responses that they spoil shift the right sides that the querier computes, by
//! multiples of `G, H, E, S~, Y, Z_1` that are public and the same whatever π is.
//!
//! *What the dealer must be.* Honest, forgetful, and in conspiracy with neither the querier nor any
//! server: who knows its randomness and sees c~ links all opened rows to inputs. A dealing names
//! session, pass (thus query and side) and routed lists under the dealer's signature; it is drawn
//! afresh for each, and a server signs one digest for a pass, with one dealing in it, before anything
//! is opened, so that none serves twice. Everybody verifies the signed public part before the servers
//! agree, and every server that its own share is that of its public part. Nobody can verify that the
//! products are products: false ones leak as above, which is why the dealer must be honest and not
//! only silent.
//!
//! *What the dealer proves.* That it knows the openings of every part: `(ρ, b_S, δ_0)` of points and `Z_1`, and
//! the numbers. A server sees its own share only. A dealer that conspires with one could deal it, instead of
//! blindings, the quotient of two routed ciphertexts, of which neither knows anything: a row outside I opens
//! to the tuple of another row, and a proof of that row's signature holds. With one value in I and
//! outside, that is a false "no". An earlier version of this module took such a dealing; a test ran the attack.
//! Now a row outside I opens to a multiple of G that is known to whoever makes the proof, and a signature
//! on it would be a relation of F, G and H.
//!
//! Servers commit to no blindings by a hash: none chooses any, or could choose them knowing another's.
//! Announcements are still committed to.
//!
//! # What is secret against whom
//! With an honest dealer: from which inputs the opened rows come, but for the answer, is secret
//! against the querier and m − 1 servers, all of whom may deviate as they like; the answer is secret
//! against m − 1 servers, if the querier is honest. Against a dealer who looks at what is opened,
//! conspires, or deals false products, nothing of this is secret; the soundness of the proofs
//! remains, even if it conspires with all servers. Deployments that have nobody for this part use the engine `routed`.

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
