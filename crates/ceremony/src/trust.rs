//! Whether a contributor's input is verified before a secret is multiplied into it.
//!
//! # Why it must be
//! A contribution is an oracle: it multiplies a secret into points of the file, whatever they are, and its proof of
//! knowledge is about the secret, not about these points. Whoever hands out the file chooses the points, and can
//! replace the answer by right points before anybody verifies. The proofs that one honest contributor is enough
//! (Kohlweiss, Maller, Siim, Volkhov: "Snarky Ceremonies", ASIACRYPT 2021) let the adversary ask only for updates *of
//! strings that verify*. They do not cover a program that multiplies first and leaves the check to people, as snarkjs
//! does. Here every function that multiplies by a secret takes a [`Trust`], reads a [`Snapshot`](crate::Snapshot), and
//! verifies it first.
//!
//! # Why no place is left
//! For each kind of ceremony: if the input verifies, the secrets so far determine every point that is multiplied. So
//! the answer is a part of the next string and nothing else.
//!
//! * **Phase 1**, and challenges: `τ` is what `[τ]₂` says, the lists begin with the generators and with
//!   `[α]₁`, `[β]₁`, and each other point is `τ` times the one before it. There is one point in `[β]₂`; in
//!   a `.ptau` the chain of contributions ties it to `[β]₁`, in a challenge a pairing does.
//! * **Phase 2**, in the form of snarkjs, native, and in bellman's parameters: what is multiplied is `K` and
//!   `H`, and each point of them is that of the first key, divided by `δ`: places of wires that no
//!   constraint names, and the highest power of `H`, included. The first key follows from circuit and
//!   phase 1. It may be taken from a file, but only from one that the contributor made or compared by its
//!   digest: the circuit hash has no room for the highest power of `H`.
//! * **tFLSZ**: each point is tied to `χ`, which is that of phase 1, and to the secrets in G2. Round 1
//!   divides the sums `βP_i + β̂P̂_i` into their summands and multiplies these; round 2 multiplies `γ` into
//!   the sums (`mixed`). That they are these sums, for the `P_i` that follow from `χ` and the `P̂_i` that
//!   follow from `θ`, is a row of its own for each: no `[β]₁` or `[βP_i]₁` stands there alone.
//! * **Sonic**: the four lists are powers of `x`, and these times `α`, for the `x` of `[x]₂` and the `α` of
//!   `[α]₂`.
//! * **KZG**: the lists are powers of one `τ` and begin with the generators, and are as long as they
//!   are to be: a longer list would give away higher powers.
//!
//! A beacon's secrets are public, so it is not an oracle. [`phase1::contribute_beacon`] and similar functions verify
//! nothing, and whoever verifies the outcome finds what was wrong before.
//!
//! [`phase1::contribute_beacon`]: crate::phase1::contribute_beacon

use std::io::{Read, Seek};

use rand_core::CryptoRng;

/// Whether the input is verified first, and against what.
pub enum Trust<'a, A = ()> {
    /// It is.
    Verify {
        /// What the input is compared with, and what the verifier is ready to do.
        against: A,
        /// Unpredictable for whoever made the input.
        rng: &'a mut dyn CryptoRng,
    },
    /// It is not: that its points are in their groups is all that is checked. Right for points that
    /// this very program made or verified, and for nobody else's.
    Skip,
}

impl<'a, A> Trust<'a, A> {
    /// Verify the input against something.
    pub fn verify(against: A, rng: &'a mut dyn CryptoRng) -> Self {
        Self::Verify { against, rng }
    }
}

/// A reader of whatever kind.
pub trait ReadSeek: Read + Seek {}

impl<R: Read + Seek + ?Sized> ReadSeek for R {}
