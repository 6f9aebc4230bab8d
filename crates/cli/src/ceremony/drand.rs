//! Files with a round of drand, as its servers hand it out.

use std::path::Path;

use ::ceremony::drand::{Chain, Round};
use data_encoding::HEXLOWER_PERMISSIVE;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::failure::Failure;

/// Some ten times what a round takes.
const MAX_LEN: u64 = 1 << 13;

/// A round whose signature was checked.
pub struct VerifiedRound {
    pub chain: Chain,
    pub number: u64,
    pub randomness: [u8; 32],
}

#[derive(Deserialize)]
struct RoundText {
    round: u64,
    randomness: String,
    signature: String,
    #[serde(default)]
    previous_signature: String,
}

/// Reads a round and requires that one of the chains signed it: which, its signature's length tells.
pub fn read_round(path: &Path) -> Result<VerifiedRound, Failure> {
    let bytes = wire::read_bounded(path, MAX_LEN).map_err(|error| Failure::file(path, error))?;
    let text: RoundText = serde_json::from_slice(&bytes).map_err(|error| {
        Failure::file(path, format!("not a round of drand: {error}"))
            .hint("use a server's answer to `/CHAIN-HASH/public/ROUND`")
    })?;
    let decode = |name, digits: &str| {
        let bytes = HEXLOWER_PERMISSIVE.decode(digits.as_bytes());
        bytes.map_err(|error| Failure::file(path, format!("{name}: {error}")))
    };
    let round = Round {
        number: text.round,
        signature: decode("signature", &text.signature)?,
        previous_signature: decode("previous_signature", &text.previous_signature)?,
        randomness: decode("randomness", &text.randomness)?,
    };
    let of_len = |chain: &Chain| chain.signature_len() == round.signature.len();
    let chain = Chain::ALL.into_iter().find(of_len).ok_or_else(|| {
        Failure::file(
            path,
            "the length of the signature is not that of the chain default or quicknet",
        )
    })?;
    let randomness = round.verify(chain).map_err(|error| {
        let (number, chain) = (round.number, chain.name());
        Failure::refused(format!("{}: round {number} of {chain}: {error}", path.display()))
    })?;
    Ok(VerifiedRound { chain, number: round.number, randomness })
}

impl VerifiedRound {
    /// For machines.
    pub fn json(&self) -> Value {
        json!({
            "chain": self.chain.name(),
            "chain_hash": self.chain.hash(),
            "round": self.number,
            "unix_time": self.chain.time(self.number),
        })
    }
}
