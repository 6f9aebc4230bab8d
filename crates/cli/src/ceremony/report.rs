//! Ceremonies in words and in JSON.

use ::ceremony::{phase1::Contribution, phase2, tflsz};
use circuit::{Attribution, Origin};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use wire::Digest;

/// A hash as people publish it: four lines of four words of eight digits.
pub fn hash_lines(hash: &[u8; 64]) -> Vec<String> {
    let (rows, _) = hash.as_chunks::<16>();
    let line = |row: &[u8; 16]| {
        let (words, _) = row.as_chunks::<4>();
        let words: Vec<_> = words.iter().map(|word| HEXLOWER.encode(word)).collect();
        format!("    {}", words.join(" "))
    };
    rows.iter().map(line).collect()
}

/// The digest of a whole file, as contributors publish that of the file they contributed to.
pub fn digest_line(digest: &Digest) -> String {
    format!("digest of the file: {digest}")
}

/// The same for machines.
pub fn with_digest(mut object: Value, digest: &Digest) -> Value {
    if let Some(object) = object.as_object_mut() {
        object.insert("digest".to_owned(), digest.to_string().into());
    }
    object
}

/// Contributions for machines.
pub fn contributions_json(contributions: &[Contribution]) -> Vec<Value> {
    let one = |(contribution, index): (&Contribution, u64)| {
        json!({
            "index": index,
            "name": contribution.attribution.name,
            "beacon": beacon_json(&contribution.attribution),
            "response_hash": HEXLOWER.encode(&contribution.response_hash),
            "next_challenge": HEXLOWER.encode(&contribution.next_challenge),
        })
    };
    contributions.iter().zip(0..).map(one).collect()
}

/// Contributions to phase 2 for machines.
pub fn key_contributions_json(contributions: &[phase2::Contribution]) -> Vec<Value> {
    let one = |(contribution, index): (&phase2::Contribution, u64)| {
        json!({
            "index": index,
            "name": contribution.attribution.name,
            "beacon": beacon_json(&contribution.attribution),
            "hash": HEXLOWER.encode(&contribution.hash),
            "input": contribution.input.map(|input| input.to_string()),
        })
    };
    contributions.iter().zip(0..).map(one).collect()
}

fn beacon_json(attribution: &Attribution) -> Value {
    match &attribution.origin {
        Origin::Participant => Value::Null,
        Origin::Beacon { iterations_exp, hash } => json!({
            "hash": HEXLOWER.encode(hash), "iterations_exp": iterations_exp,
        }),
    }
}

/// Contributions for people.
pub fn contribution_lines(contributions: &[Contribution]) -> Vec<String> {
    let pairs = contributions.iter().map(|one| (&one.attribution, &one.response_hash));
    pairs.zip(1..).flat_map(|((who, hash), number)| lines(number, who, hash, None)).collect()
}

/// Contributions to phase 2 for people.
pub fn key_contribution_lines(contributions: &[phase2::Contribution]) -> Vec<String> {
    let one = |(one, number): (&phase2::Contribution, usize)| {
        lines(number, &one.attribution, &one.hash, one.input.as_ref())
    };
    contributions.iter().zip(1..).flat_map(one).collect()
}

/// Contributions in files of our own, the first of which is contribution `from`, for machines.
pub fn series_json(contributions: &[tflsz::Contribution], from: usize) -> Vec<Value> {
    let one = |(contribution, index): (&tflsz::Contribution, usize)| {
        json!({
            "index": index,
            "name": contribution.name,
            "hash": HEXLOWER.encode(&contribution.hash),
            "input": contribution.input.to_string(),
        })
    };
    contributions.iter().zip(from..).map(one).collect()
}

/// Contributions in files of our own, the first of which is contribution `from`, for people.
pub fn series_lines(contributions: &[tflsz::Contribution], from: usize) -> Vec<String> {
    let one = |(contribution, number): (&tflsz::Contribution, usize)| {
        let attribution = Attribution::participant(contribution.name.clone());
        lines(number, &attribution, &contribution.hash, Some(&contribution.input))
    };
    contributions.iter().zip(from + 1..).flat_map(one).collect()
}

fn lines(
    number: usize,
    attribution: &Attribution,
    hash: &[u8; 64],
    input: Option<&Digest>,
) -> Vec<String> {
    // A name is what its bearer wrote: it must not steer the terminal.
    let name = attribution.name.as_deref().unwrap_or("without a name").escape_debug();
    let beacon = match &attribution.origin {
        Origin::Participant => String::new(),
        Origin::Beacon { iterations_exp, hash } => {
            format!(", beacon {} hashed 2^{iterations_exp} times", HEXLOWER.encode(hash))
        }
    };
    let mut lines = vec![format!("contribution {number}: {name}{beacon}")];
    lines.extend(hash_lines(hash));
    lines.extend(input.map(|input| format!("    made from {input}")));
    lines
}
