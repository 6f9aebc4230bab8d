//! Ceremonies in words and in JSON.

use ::ceremony::phase1::Contribution;
use circuit::Origin;
use data_encoding::HEXLOWER;
use serde_json::{Value, json};

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

/// Contributions for machines.
pub fn contributions_json(contributions: &[Contribution]) -> Vec<Value> {
    let one = |(contribution, index): (&Contribution, u64)| {
        let beacon = match &contribution.attribution.origin {
            Origin::Participant => Value::Null,
            Origin::Beacon { iterations_exp, hash } => json!({
                "hash": HEXLOWER.encode(hash), "iterations_exp": iterations_exp,
            }),
        };
        json!({
            "index": index,
            "name": contribution.attribution.name,
            "beacon": beacon,
            "response_hash": HEXLOWER.encode(&contribution.response_hash),
            "next_challenge": HEXLOWER.encode(&contribution.next_challenge),
        })
    };
    contributions.iter().zip(0..).map(one).collect()
}

/// Contributions for people.
pub fn contribution_lines(contributions: &[Contribution]) -> Vec<String> {
    let mut lines = Vec::new();
    for (contribution, number) in contributions.iter().zip(1..) {
        // A name is what its bearer wrote: it must not steer the terminal.
        let name = contribution.attribution.name.as_deref().unwrap_or("without a name");
        let name = name.escape_debug();
        let beacon = match &contribution.attribution.origin {
            Origin::Participant => String::new(),
            Origin::Beacon { iterations_exp, hash } => {
                format!(", beacon {} hashed 2^{iterations_exp} times", HEXLOWER.encode(hash))
            }
        };
        lines.push(format!("contribution {number}: {name}{beacon}"));
        lines.extend(hash_lines(&contribution.response_hash));
    }
    lines
}
