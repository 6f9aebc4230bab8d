//! Checks that the shares of C make a proof, before anybody sees these shares.
//!
//! A and B are known to all parties. They and the public inputs fix C: with
//! `X(C) = e(A, B) − e(Σ x_i IC_i, γ) − e(C, δ) − e(α, β)` in the target group, written additively, the parties' shares
//! make a proof exactly if `X(Σ C_i) = 0`. If somebody deviated, X itself would leak the others' values. Say that a
//! factor of the product in row q was opened with an error `ε`; `v_q` is the other factor and `H_q` the point of the
//! key by which the product enters C. Then `X = −ε·v_q·e(H_q, δ)`, and whoever sees this, or C, can try the few values
//! that `v_q` may have. So the parties learn whether X is zero, and nothing more: they open `ρ·X` for a `ρ` that nobody
//! knows.
//!
//! The last of Beaver's triples has shares of `a`, `b` and `c = ab`. Let `g = e([1]₁, δ)`. From
//! here on i counts the parties.
//!
//! 1. Every party draws `ρ_i` and sends `E_i = C_i − a_i·[1]₁` and `f_i = ρ_i − b_i`. With `E = Σ E_i`,
//!    `f = Σ f_i` and `Y = X(E)`, which all compute, `X = Y − a·g` and
//!    `ρX = (f + b)(Y − a·g) = f·Y + Σ (b_i·Y − (f·a_i + c_i)·g)`.
//! 2. It sends a commitment to its share `Z_i` of that,
//! 3. opens it when it has all others', and requires `Σ Z_i = 0`.
//! 4. Only then does it send `C_i`.
//!
//! # What one deviation tells
//! Let the adversary be one party or several that collude. It may send anything at any step, different
//! messages to different honest parties, and always last (it is *rushing*). The honest parties' `E_i` and `f_i`
//! are masked by the uniform `a_i` and `b_i`: what it sends after seeing them does not depend on C or ρ. Errors
//! `η·[1]₁` in E and `φ` in f turn the sum of the `Z_i` into `(ρ + φ)(X − η·g)`; errors that differ from one
//! honest party to another add products with single parties' `a_i` and `b_i`, which are uniform. Either
//! `X = η·g`, and the sum is zero whatever ρ is; or the sum is uniform, for the adversary too, because ρ has an
//! honest share. The adversary committed to its own `Z_i` before it saw the others', so that the opened sum is
//! then zero with probability `1/order` only. So **all it learns is whether `X = η·g` for an η of its
//! choice**: whether one guess is right. (It chooses X too, by errors in what is multiplied, and the guess is
//! about that.) If the guess is right, it takes η back from C and everybody has a proof; if not, the honest
//! parties have sent nothing of C, and stop with [`Error::Unsatisfied`].
//!
//! A guess reveals at most one bit about the witness. One session is one guess, so a failed session must not be
//! repeated with the same parties: see [`Error::tells`].
//!
//! # What comes before
//! The shares of A, B and `B₁` (B's counterpart in G1) are masked by r and s. This needs a key under which r and s do
//! mask, and every party checks this before it sends the shares. A party that makes an error in such a share knows the
//! error. The factors masked by triples reveal nothing under any key. So nothing that a party sends before `Z_i`
//! reveals anything. The argument above needs nothing else of the key. Under a key that is not the circuit's, X need
//! not be zero for a right witness, and the maker of the key learns whether it is.

use algebra::{Engine, Group, Pairing, Scalar, ScalarOf};
use rand_core::CryptoRng;
use wire::{DecodeError, Digest, DigestWriter, Encode, Reader};
use zeroize::{Zeroize, ZeroizeOnDrop};

use super::{Error, Finishing, Seat, SecondMessage};
use crate::{
    file::{point, scalar},
    groth16::{PreparedVerifyingKey, to_affine},
};

/// Shares of the last triple, and of `ρ`.
#[derive(Zeroize, ZeroizeOnDrop)]
pub(super) struct Mask<S: Scalar> {
    pub a: S,
    pub b: S,
    pub c: S,
    pub rho: S,
}

/// What all parties know before C, and the party's share of C.
pub(super) struct Unopened<E: Engine> {
    pub seat: Seat,
    pub verifier: PreparedVerifyingKey<E>,
    pub public: Vec<ScalarOf<E>>,
    pub a: E::G1,
    pub b: E::G2,
    pub c: E::G1,
}

/// A party that has masked its share of C.
pub struct Checking<E: Engine> {
    unopened: Unopened<E>,
    mask: Mask<ScalarOf<E>>,
}

/// A party that has committed to its share of `ρX`.
pub struct Committed<E: Engine> {
    unopened: Unopened<E>,
    share: CheckShare<E>,
}

/// A party that has opened its share of `ρX`.
pub struct Revealed<E: Engine> {
    unopened: Unopened<E>,
    commitments: Vec<Digest>,
}

/// A party's message before the check: its shares of C and of `ρ`, masked by the last triple.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MaskedShare<E: Engine> {
    /// `E_i = C_i − a_i·[1]₁`.
    pub c: E::G1,
    /// `f_i = ρ_i − b_i`.
    pub rho: ScalarOf<E>,
}

/// A party's share of `ρX`, and what its commitment is blinded with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckShare<E: Engine> {
    /// `Z_i`.
    pub share: E::Target,
    /// Blinds the commitment.
    pub nonce: [u8; 32],
}

impl<E: Engine> Checking<E> {
    pub(super) fn new(unopened: Unopened<E>, mask: Mask<ScalarOf<E>>) -> (Self, MaskedShare<E>) {
        let c = unopened.c - E::G1::mul_generator(&mask.a);
        let message = MaskedShare { c, rho: mask.rho - mask.b };
        (Self { unopened, mask }, message)
    }

    /// The share of C, which an honest party keeps to itself.
    #[cfg(test)]
    pub(super) fn share_of_c(&self) -> E::G1 {
        self.unopened.c
    }

    /// From all parties' masked shares, in their order, a commitment to the own share of `ρX`.
    ///
    /// # Errors
    /// [`Error::Messages`].
    pub fn commit(
        self,
        messages: &[MaskedShare<E>],
        rng: &mut impl CryptoRng,
    ) -> Result<(Committed<E>, Digest), Error> {
        let Unopened { seat, verifier, public, a, b, .. } = &self.unopened;
        seat.require(messages.len())?;
        let masked: E::G1 = messages.iter().map(|message| message.c).sum();
        let f: ScalarOf<E> = messages.iter().map(|message| message.rho).sum();
        let (y, g) = verifier.excess(public, (*a, *b, masked));
        let Mask { a: a_i, b: b_i, c: c_i, .. } = &self.mask;
        // Z_i = b_i·Y − (f·a_i + c_i)·g; the first party alone adds the public term f·Y.
        let factor = if seat.is_first() { f + *b_i } else { *b_i };
        let mut share = CheckShare { share: y * factor - g * (f * *a_i + *c_i), nonce: [0; 32] };
        rng.fill_bytes(&mut share.nonce);
        let commitment = share.commitment(seat.party());
        Ok((Committed { unopened: self.unopened, share }, commitment))
    }
}

impl<E: Engine> Committed<E> {
    /// From all parties' commitments, in their order, the own share of `ρX`.
    ///
    /// # Errors
    /// [`Error::Messages`].
    pub fn reveal(self, commitments: &[Digest]) -> Result<(Revealed<E>, CheckShare<E>), Error> {
        self.unopened.seat.require(commitments.len())?;
        let revealed = Revealed { unopened: self.unopened, commitments: commitments.to_vec() };
        Ok((revealed, self.share))
    }
}

impl<E: Engine> Revealed<E> {
    /// From all parties' shares of `ρX`, in their order, the own share of C, if X is zero.
    ///
    /// # Errors
    /// [`Error::Commitment`], naming the party; [`Error::Unsatisfied`]; [`Error::Messages`].
    pub fn second(
        self,
        shares: &[CheckShare<E>],
    ) -> Result<(Finishing<E>, SecondMessage<E>), Error> {
        let Unopened { seat, verifier, public, a, b, c } = self.unopened;
        seat.require(shares.len())?;
        for (party, (share, commitment)) in (1..).zip(shares.iter().zip(&self.commitments)) {
            if share.commitment(party) != *commitment {
                return Err(Error::Commitment { party });
            }
        }
        let rho_x: E::Target = shares.iter().map(|share| share.share).sum();
        // The default of the target group is its neutral element.
        if rho_x != E::Target::default() {
            return Err(Error::Unsatisfied);
        }
        let finishing = Finishing { verifier, public, a: to_affine(&a), b: to_affine(&b) };
        Ok((finishing, SecondMessage { c }))
    }
}

impl<E: Engine> CheckShare<E> {
    /// Commits the party to its share. Its number is hashed as well, so that no other party can send a copy of
    /// the commitment as its own.
    pub(super) fn commitment(&self, party: u16) -> Digest {
        let mut digest = DigestWriter::new("snark/collaborative/check/v1");
        digest.update(<E as Pairing>::NAME.as_bytes());
        digest.update(&party.to_le_bytes());
        digest.update(&self.to_bytes());
        digest.finish()
    }

    /// Bytes of a share.
    pub fn encoded_len() -> usize {
        12 * E::BASE_LEN + 32
    }

    /// Reads a share.
    ///
    /// # Errors
    /// [`DecodeError`], naming the field.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let share = E::target_from_coefficients(reader.take(12 * E::BASE_LEN)?);
        let reason = "not an element of the target group's field";
        let share = share.ok_or_else(|| DecodeError::invalid("share of the check", reason))?;
        let share = Self { share, nonce: reader.array()? };
        reader.finish()?;
        Ok(share)
    }
}

/// Twelve coefficients, then the nonce.
impl<E: Engine> Encode for CheckShare<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(E::target_coefficients(&self.share));
        out.extend(self.nonce);
    }
}

impl<E: Engine> Encode for MaskedShare<E> {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.c.encode());
        out.extend(Scalar::encode(&self.rho));
    }
}

impl<E: Engine> MaskedShare<E> {
    /// Reads a message.
    ///
    /// # Errors
    /// [`DecodeError`], naming the field.
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(bytes);
        let message = Self { c: point(&mut reader, "masked C")?, rho: scalar(&mut reader, "rho")? };
        reader.finish()?;
        Ok(message)
    }
}
