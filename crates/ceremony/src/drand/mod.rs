//! Rounds of drand, the randomness that beacons are made of.
//!
//! drand's nodes share a key, and sign every round's number with it. The randomness is the signature's SHA-256.
//! Signatures are BLS signatures over BLS12-381, so there is only one for each message. Whoever has a chain's public
//! key can check a round without asking anybody (<https://docs.drand.love/docs/specification>).
//!
//! ```
//! use ceremony::drand::{Chain, Round};
//! let randomness = "fe290beca10872ef2fb164d2aa4442de4566183ec51c56ff3cd603d930e54fdd";
//! let signature = "b44679b9a59af2ec876b1a6b1ad52ea9b1615fc3982b19576350f93447cb1125\
//!                  e342b73a8dd2bacbe47e4b6b63ed5e39";
//! # fn bytes(hex: &str) -> Vec<u8> {
//! #     let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
//! #     (0..hex.len()).step_by(2).map(digit).collect()
//! # }
//! let round = Round {
//!     number: 1000,
//!     signature: bytes(signature),
//!     previous_signature: Vec::new(),
//!     randomness: bytes(randomness),
//! };
//! assert_eq!(round.verify(Chain::Quicknet).unwrap().to_vec(), bytes(randomness));
//! assert!(Round { number: 1001, ..round }.verify(Chain::Quicknet).is_err());
//! ```

use algebra::{Bls12381, CurveGroup, Group, Pairing};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::hex::bytes;

type G1 = <Bls12381 as Pairing>::G1;
type G2 = <Bls12381 as Pairing>::G2;

/// A chain of the League of Entropy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Chain {
    /// Every thirty seconds; a round's message holds the signature of the one before. The scheme
    /// `pedersen-bls-chained`, keys in G1.
    Default,
    /// Every three seconds. The scheme `bls-unchained-g1-rfc9380`, signatures in G1.
    Quicknet,
}

const DEFAULT_KEY: [u8; 48] = bytes(
    "868f005eb8e6e4ca0a47c8a77ceaa5309a47978a7c71bc5cce96366b5d7a569937c529eeda66c7293784a9402801af31",
);
const QUICKNET_KEY: [u8; 96] = bytes(
    "83cf0f2896adee7eb8b5f01fcad3912212c437e0073e911fb90022d3e760183c8c4b450b6a0a6c3ac6a5776a2d1064510d1fec758c921cc22b0e17e63aaf4bcb5ed66304de9cf809bd274ca73bab4af5a6e9c76a4bc09e76eae8991ef5ece45a",
);
const IN_G1: &str = "BLS_SIG_BLS12381G1_XMD:SHA-256_SSWU_RO_NUL_";
const IN_G2: &str = "BLS_SIG_BLS12381G2_XMD:SHA-256_SSWU_RO_NUL_";

/// Bytes of what stands for a signature before the first round of the chain `default`.
const GENESIS_SEED_LEN: usize = 32;

impl Chain {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Default, Self::Quicknet];

    /// The name, drand's beacon identifier.
    pub fn name(self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Quicknet => "quicknet",
        }
    }

    /// The chain hash, by which drand's servers know it.
    pub fn hash(self) -> &'static str {
        match self {
            Self::Default => "8990e7a9aaed2ffed73dbd7092123d6f289930540d7651336225dc172e51b2ce",
            Self::Quicknet => "52db9ba70e0cc0f6eaf7803dd07447a1f5477735fd3f661792ba94600c84e971",
        }
    }

    /// Bytes of a signature.
    pub fn signature_len(self) -> usize {
        match self {
            Self::Default => G2::ENCODED_LEN,
            Self::Quicknet => G1::ENCODED_LEN,
        }
    }

    /// When a round is signed, in seconds since 1970: nobody knew its randomness before. `None` for
    /// round 0 and for rounds after the end of time.
    pub fn time(self, round: u64) -> Option<u64> {
        let (genesis, period) = match self {
            Self::Default => (1_595_431_050, 30),
            Self::Quicknet => (1_692_803_367, 3),
        };
        round.checked_sub(1)?.checked_mul(period)?.checked_add(genesis)
    }
}

/// A round as drand's servers hand it out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Round {
    /// Its number, from 1.
    pub number: u64,
    /// The signature.
    pub signature: Vec<u8>,
    /// The signature of the round before, on the chain [`Chain::Default`]; on others nothing.
    pub previous_signature: Vec<u8>,
    /// What the server says the randomness is.
    pub randomness: Vec<u8>,
}

/// Why a round was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum DrandError {
    /// There is no round 0.
    #[error("rounds are counted from 1")]
    Zero,
    /// The signature has another length than the chain's.
    #[error("the signature has {got} bytes, and those of this chain {expected}")]
    SignatureLen {
        /// Bytes of the chain's signatures.
        expected: usize,
        /// Bytes of this one.
        got: usize,
    },
    /// The previous signature is one where the chain has none, or none where it has one.
    #[error("the previous signature is not one of this chain")]
    PreviousSignature,
    /// The chain's key did not sign this round.
    #[error("the signature is not that of the chain for this round")]
    Signature,
    /// The randomness is not the hash of the signature.
    #[error("the randomness is not the hash of the signature")]
    Randomness,
}

impl Round {
    /// Requires that the chain signed this round, and returns its randomness.
    ///
    /// # Errors
    /// [`DrandError`].
    pub fn verify(&self, chain: Chain) -> Result<[u8; 32], DrandError> {
        let (expected, got) = (chain.signature_len(), self.signature.len());
        if got != expected {
            return Err(DrandError::SignatureLen { expected, got });
        }
        // Of one length for a round: where one ends and the number begins can be read one way only.
        let previous_len = match (chain, self.number) {
            (_, 0) => return Err(DrandError::Zero),
            (Chain::Default, 1) => GENESIS_SEED_LEN,
            (Chain::Default, _) => expected,
            (Chain::Quicknet, _) => 0,
        };
        if self.previous_signature.len() != previous_len {
            return Err(DrandError::PreviousSignature);
        }
        let message = Sha256::new()
            .chain_update(&self.previous_signature)
            .chain_update(self.number.to_be_bytes())
            .finalize();
        if !is_signed(chain, &self.signature, &message) {
            return Err(DrandError::Signature);
        }
        let randomness: [u8; 32] = Sha256::digest(&self.signature).into();
        match self.randomness == randomness {
            true => Ok(randomness),
            false => Err(DrandError::Randomness),
        }
    }
}

/// `e(G, σ) = e(K, H(m))`, or with the groups exchanged. Decoding checks that points are in them.
fn is_signed(chain: Chain, signature: &[u8], message: &[u8]) -> bool {
    // What is no point of the group signs nothing.
    let pairs = match chain {
        Chain::Default => {
            G1::decode(&DEFAULT_KEY).ok().zip(G2::decode(signature).ok()).map(|(key, signature)| {
                [(key, G2::hash_to_curve(IN_G2, message)), (-G1::generator(), signature)]
            })
        }
        Chain::Quicknet => G2::decode(&QUICKNET_KEY).ok().zip(G1::decode(signature).ok()).map(
            |(key, signature)| {
                [(G1::hash_to_curve(IN_G1, message), key), (-signature, G2::generator())]
            },
        ),
    };
    pairs.is_some_and(|pairs| Bls12381::is_neutral(&pairs))
}

#[cfg(test)]
mod tests;
