//! The bit-matrix order proof (`docs/spec/table-audit.md`): all order and bound statements of an epoch in one proof,
//! about a hundred times cheaper to make than Bulletproofs.
//!
//! Statement: public `D_0..D_{n−1}`, `D_i = d_i·G + (..)·H`, every `d_i` in `[0, 2^b)`.
//!
//! 1. The prover commits to the matrix of bits, row by row: scalars are 0 and 1, so this takes
//!    additions only ([`commit`](self)).
//! 2. One sumcheck, inside commitments, shows that every entry is a bit and that the bits of row
//!    `i` sum to `d_i`: it starts from a random combination of the `D_i` themselves.
//! 3. A sigma protocol checks the sumcheck's last claim against `β = B̃(z*)`.
//! 4. An inner-product argument opens `B̃(z*)` from the commitments to the rows.
//!
//! Zero knowledge (honest verifier, perfect for ideal masks): everything sent is uniformly blinded.
//! Soundness (`docs/spec/table-audit.md`): error `(4·lg N + lg n + 1)/l` and discrete logarithms; no published
//! proof yet.

mod bits;
mod equality;
mod layout;
mod masks;
mod opening;
mod prove;
mod sumcheck;
mod verify;

use layout::bit_weight;
pub(crate) use layout::{Layout, MAX_STATEMENTS_BITS};
pub(crate) use prove::prove;
pub(crate) use verify::verify;

use algebra::Scalar as _;
use transcript::{Transcript, TranscriptExt as _};

use crate::{
    Fault, Hash,
    commitment::{Encoded, Scalar},
};

#[cfg(test)]
mod dense;
#[cfg(test)]
mod tests;

/// What a proof is about, besides the commitments.
#[derive(Clone, Copy)]
pub(crate) struct Context<'a> {
    /// `E_t`.
    pub(crate) core: &'a Hash,
    /// The shard's number.
    pub(crate) shard: u64,
    /// Which keys' statements the shard holds: binds every `D_i`.
    pub(crate) list: &'a Hash,
}

/// The transcript of a proof, and its challenges.
struct Dialogue(Transcript);

impl Dialogue {
    fn new(context: &Context<'_>, layout: &Layout) -> Self {
        let mut transcript = Transcript::new(b"subrosa/table/v1/bitmatrix");
        transcript.absorb(b"ctx", context.core.as_bytes());
        transcript.absorb_u64(b"shard", context.shard);
        transcript.absorb_u64(b"n", layout.count as u64);
        transcript.absorb_u64(b"b", layout.bits() as u64);
        transcript.absorb(b"list", context.list.as_bytes());
        Self(transcript)
    }

    fn points(&mut self, label: &'static [u8], points: &[Encoded]) {
        self.0.absorb(label, points.as_flattened());
    }

    fn scalars(&mut self, label: &'static [u8], scalars: &[Scalar]) {
        self.0.absorb(label, &Scalar::encode_all(scalars));
    }

    fn challenge(&mut self, label: &'static [u8]) -> Scalar {
        Scalar::from_wide(&self.0.challenge_wide(label))
    }

    fn challenges(&mut self, label: &'static [u8], count: u32) -> Vec<Scalar> {
        let wides = self.0.challenge_wides(label, count as usize);
        wides.iter().map(Scalar::from_wide).collect()
    }

    /// A challenge that has an inverse, with it.
    fn invertible(&mut self, label: &'static [u8]) -> Result<(Scalar, Scalar), Fault> {
        let challenge = self.challenge(label);
        match challenge == Scalar::ZERO {
            false => Ok((challenge, challenge.invert())),
            true => Err(Fault::Equation { what: "bit matrix" }),
        }
    }
}
