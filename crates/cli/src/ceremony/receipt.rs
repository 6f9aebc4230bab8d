//! What a contributor is told: hashes to publish and to keep.

use std::path::Path;

use ::ceremony::{phase1, phase2, tflsz};
use data_encoding::HEXLOWER;
use serde_json::{Map, Value, json};
use wire::Digest;

use super::report::hash_lines;
use crate::output::Output;

/// A contribution that was made.
pub struct Receipt {
    /// Its position in the file, from 0.
    index: usize,
    hashes: Vec<NamedHash>,
    /// The digest of the file that was contributed to, and whether that was verified first: of a
    /// participant's contribution.
    input: Option<(Digest, bool)>,
}

/// A hash of a contribution.
struct NamedHash {
    /// What it is called for machines.
    key: &'static str,
    /// What it is called for people.
    heading: &'static str,
    hash: [u8; 64],
}

impl Receipt {
    /// The receipt of a contribution to a file with this digest.
    pub fn of_input(self, digest: Digest, is_verified: bool) -> Self {
        Self { input: Some((digest, is_verified)), ..self }
    }

    /// Reports the contribution: under whose name and in which file it was made, and `more` for
    /// machines.
    pub fn report(
        &self,
        name: Option<&str>,
        out: &Path,
        more: impl IntoIterator<Item = (&'static str, Value)>,
        output: &Output,
    ) {
        let known =
            [("contribution", json!(self.index)), ("name", json!(name)), ("out", json!(out))];
        let hashes = self.hashes.iter().map(|one| (one.key, HEXLOWER.encode(&one.hash).into()));
        let input = self.input.iter().flat_map(|(digest, is_verified)| {
            [("input", json!(digest.to_string())), ("input_verified", json!(is_verified))]
        });
        let entries = known.into_iter().chain(hashes).chain(input).chain(more);
        let object: Map<_, _> = entries.map(|(key, value)| (key.to_owned(), value)).collect();
        output.result(&object, || {
            let mut lines = vec![format!("contribution {}: {}", self.index + 1, out.display())];
            for NamedHash { heading, hash, .. } in &self.hashes {
                lines.push(format!("{heading}:"));
                lines.extend(hash_lines(hash));
            }
            if let Some((digest, is_verified)) = &self.input {
                lines.extend(input_lines(digest, *is_verified));
            }
            lines
        });
    }
}

/// What is said of the file that was contributed to.
pub fn input_lines(digest: &Digest, is_verified: bool) -> [String; 2] {
    let verified = match is_verified {
        true => "it was verified before the secrets were multiplied into it",
        false => "IT WAS NOT VERIFIED before the secrets were multiplied into it",
    };
    [format!("digest of the input: {digest}"), verified.to_owned()]
}

impl From<phase1::Receipt> for Receipt {
    fn from(receipt: phase1::Receipt) -> Self {
        let phase1::Receipt { response_hash, next_challenge, index } = receipt;
        let heading = "contribution response hash, to be published";
        let hashes = vec![
            NamedHash { key: "response_hash", heading, hash: response_hash },
            NamedHash { key: "next_challenge", heading: "next challenge", hash: next_challenge },
        ];
        Self { index, hashes, input: None }
    }
}

impl From<phase2::Receipt> for Receipt {
    fn from(receipt: phase2::Receipt) -> Self {
        let phase2::Receipt { circuit_hash, contribution_hash, index } = receipt;
        let heading = "contribution hash, to be published";
        let hashes = vec![
            NamedHash { key: "circuit_hash", heading: "circuit hash", hash: circuit_hash },
            NamedHash { key: "hash", heading, hash: contribution_hash },
        ];
        Self { index, hashes, input: None }
    }
}

/// Of ceremonies with transcripts of this project's own.
impl From<tflsz::Receipt> for Receipt {
    fn from(receipt: tflsz::Receipt) -> Self {
        let tflsz::Receipt { hash, index } = receipt;
        let heading = "contribution hash, to be published";
        Self { index, hashes: vec![NamedHash { key: "hash", heading, hash }], input: None }
    }
}
