//! Whether the shares of C make a proof, before anybody sees them.
//!
//! A and B are open. They and the public inputs fix C: with
//! `X(C) = e(A, B) − e(Σ x_i IC_i, γ) − e(C, δ) − e(α, β)` in the target group, the parties' shares make a
//! proof exactly if `X(Σ C_i) = 0`. If somebody deviated, X tells something of the others' values: a
//! factor that was opened with an error `ε` in row q makes it `ε·v_q·e(H_q, δ)`, and whoever sees that, or
//! C, searches the few values that `v_q` may have. So the parties learn whether X is zero, and nothing
//! more: they open `ρ·X` for a `ρ` that nobody knows.
//!
//! The last triple has shares of `a`, `b` and `c = ab`. Let `g = e([1]₁, δ)`.
//!
//! 1. Every party draws `ρ_i` and sends `E_i = C_i − a_i·[1]₁` and `f_i = ρ_i − b_i`. With `E = Σ E_i`,
//!    `f = Σ f_i` and `Y = X(E)`, which all compute, `X = Y − a·g` and
//!    `ρX = (f + b)(Y − a·g) = f·Y + Σ (b_i·Y − (f·a_i + c_i)·g)`.
//! 2. It sends a commitment to its share `Z_i` of that,
//! 3. opens it when it has all others', and requires `Σ Z_i = 0`.
//! 4. Only then it sends `C_i`.
//!
//! # What one deviation tells
//! Let a party, or several in league, send anything whatever at any step, one thing to one honest party
//! and another to the next, and last. `E_i` and `f_i` of the honest are masked by `a_i` and `b_i`, which are
//! uniform: what is sent after them does not depend on C or ρ. Errors `η` and `φ` in E and f make the sum
//! `(ρ + φ)(X − η·g)`; errors that differ from party to party add products with single `a_i` and `b_i`,
//! which are uniform. Either `X = η·g`, and the sum is zero whatever ρ; or it is uniform, also for those
//! who deviate, because ρ has an honest share; their own `Z_i` were fixed before they saw it, so that it is
//! taken for zero with probability `1/order`. So **all they learn is whether `X = η·g` for an η of their
//! choice**: whether one guess of theirs is right. (They choose X too, by errors in what they multiply, and
//! the guess is about that.) If it is, they take η back from C and all have a proof; if not, the honest
//! have sent nothing of C, and stop with [`Error::Unsatisfied`].
//!
//! A guess is a bit of the witness, at most. One session is one guess, so that it must not be repeated with
//! the same: see [`Error::tells`].
//!
//! # What comes before
//! The shares of A, B and `B₁` are masked by r and s if the key is one that masks them, which every party
//! makes sure of before it sends them; errors in others' shares of these are known to those who made them. The
//! masked factors tell nothing under any key. So nothing that a party sends before `Z_i` tells anything,
//! whatever the key, and the argument above needs no more of the key either: a key that is not the
//! circuit's makes X other than zero for a witness that is right, and its maker learns whether.

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
        let Mask { a, b, c, .. } = &self.mask;
        let factor = if seat.is_first() { f + *b } else { *b };
        let mut share = CheckShare { share: y * factor - g * (f * *a + *c), nonce: [0; 32] };
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
        let product: E::Target = shares.iter().map(|share| share.share).sum();
        if product != E::Target::default() {
            return Err(Error::Unsatisfied);
        }
        let finishing = Finishing { verifier, public, a: to_affine(&a), b: to_affine(&b) };
        Ok((finishing, SecondMessage { c }))
    }
}

impl<E: Engine> CheckShare<E> {
    /// Binds the party to its share; nobody else can take it for its own.
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
