//! What a claim states, and in words.

use circuit::Origin;
use claim::{Premise, Refusal};
use data_encoding::HEXLOWER;
use serde_json::{Value, json};
use wire::Digest;

use super::checks::CE_27;
use crate::phase2::Contribution;

const LOCATION: &str = "location";
/// Characters of a location.
const LOCATION_LIMIT: usize = 200;

/// What was found of a ceremony.
pub(super) struct Statement {
    pub is_native: bool,
    pub parameters: Digest,
    pub contributions: Vec<Contribution>,
    /// Whether the hashes in the file were all computed again.
    pub is_hash_checked: bool,
    /// Of a phase 1.
    pub power: Option<u32>,
    /// Of a key, and what follows.
    pub key: Option<Digest>,
    pub size: Option<Size>,
    pub circuit: Option<Digest>,
    pub circuit_hash: Option<[u8; 64]>,
    pub phase1: Option<Phase1>,
}

/// How large a key is.
pub(super) struct Size {
    pub wires: u32,
    pub rows: u32,
}

/// The phase 1 under a key.
pub(super) struct Phase1 {
    pub parameters: Digest,
    pub contributions: Vec<Contribution>,
}

impl Statement {
    /// Neither of a phase 1 nor of a key yet.
    pub fn new(is_native: bool, parameters: Digest, contributions: Vec<Contribution>) -> Self {
        Self {
            is_native,
            parameters,
            contributions,
            is_hash_checked: true,
            power: None,
            key: None,
            size: None,
            circuit: None,
            circuit_hash: None,
            phase1: None,
        }
    }

    /// As claims state it.
    pub fn to_json(&self, curve: &str, location: Option<&str>) -> Value {
        let text = |digest: &Digest| digest.to_string();
        let phase1 = self.phase1.as_ref().map(|phase1| {
            json!({
                "parameters": text(&phase1.parameters),
                "contributions": contributions_json(&phase1.contributions),
            })
        });
        json!({
            "phase": if self.key.is_some() { 2 } else { 1 },
            "form": if self.is_native { "native" } else { "snarkjs" },
            "curve": curve,
            "parameters": text(&self.parameters),
            LOCATION: location,
            "contributions": contributions_json(&self.contributions),
            "hashes_checked": self.is_hash_checked,
            "power": self.power,
            "key": self.key.as_ref().map(text),
            "wires": self.size.as_ref().map(|size| size.wires),
            "rows": self.size.as_ref().map(|size| size.rows),
            "circuit": self.circuit.as_ref().map(text),
            "circuit_hash": self.circuit_hash.map(|hash| HEXLOWER.encode(&hash)),
            "phase1": phase1,
        })
    }
}

fn contributions_json(contributions: &[Contribution]) -> Vec<Value> {
    let one = |contribution: &Contribution| {
        let beacon = match &contribution.attribution.origin {
            Origin::Participant => Value::Null,
            Origin::Beacon { iterations_exp, hash } => {
                json!({ "hash": HEXLOWER.encode(hash), "iterations_exp": iterations_exp })
            }
        };
        json!({
            "name": contribution.attribution.name,
            "hash": HEXLOWER.encode(&contribution.hash),
            "beacon": beacon,
        })
    };
    contributions.iter().map(one).collect()
}

/// The digest of the file that a record is of, which only the claim says.
pub(super) fn stated_parameters(statement: &Value) -> Result<Digest, Refusal> {
    let digest =
        statement.get("parameters").and_then(Value::as_str).and_then(|text| text.parse().ok());
    let reason = "the statement has no digest of them";
    digest.ok_or_else(|| Refusal::new("parameters", reason).under(CE_27))
}

/// Where the file of parameters lies, which only the claim says.
pub(super) fn stated_location(statement: &Value) -> Result<Option<String>, Refusal> {
    match statement.get(LOCATION) {
        Some(Value::Null) => Ok(None),
        Some(Value::String(location)) => Ok(Some(location.clone())),
        _ => Err(Refusal::new(LOCATION, "neither a text nor null").under(CE_27)),
    }
}

/// Requires a location that does not steer a terminal.
pub(super) fn require_location(location: Option<&str>) -> Result<(), Refusal> {
    let is_plain = |text: &str| {
        (1..=LOCATION_LIMIT).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic())
    };
    match location.is_none_or(is_plain) {
        true => Ok(()),
        false => {
            let reason = format!("not 1 to {LOCATION_LIMIT} visible ASCII characters");
            Err(Refusal::new(LOCATION, reason).under(CE_27))
        }
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    // A statement that holds has every field that is asked for.
    value.get(name).and_then(Value::as_str).unwrap_or("?")
}

/// A statement that holds, in lines for people.
pub(super) fn describe(statement: &Value) -> Vec<String> {
    let [form, curve, parameters] =
        ["form", "curve", "parameters"].map(|name| text(statement, name));
    let mut lines = Vec::new();
    match statement.get("key").and_then(Value::as_str) {
        Some(key) => {
            lines.push(format!("a key of Groth16 on {curve}, {key}"));
            lines.push(format!("circuit hash {}", text(statement, "circuit_hash")));
        }
        None => {
            // As above: without a key it is about a phase 1, which has a power.
            let power = statement.get("power").and_then(Value::as_u64).unwrap_or_default();
            lines.push(format!("a phase 1 on {curve} of power {power}"));
        }
    }
    lines.push(format!("file {parameters}, form {form}"));
    if let Some(location) = statement.get(LOCATION).and_then(Value::as_str) {
        lines.push(format!("which lies, says the publisher, at {location}"));
    }
    lines.extend(contribution_lines(statement));
    lines.push("whose secret nobody knows if one of these participants forgot theirs".to_owned());
    if let Some(phase1) = statement.get("phase1").filter(|phase1| phase1.is_object()) {
        lines.push(format!("over the circuit {}", text(statement, "circuit")));
        lines.push(format!("and the phase 1 {}", text(phase1, "parameters")));
        lines.extend(contribution_lines(phase1));
    }
    lines
}

fn contribution_lines(value: &Value) -> Vec<String> {
    let contributions = value.get("contributions").and_then(Value::as_array);
    let line = |(contribution, number): (&Value, usize)| {
        // A name is what its bearer wrote: it must not steer the terminal.
        let name = contribution.get("name").and_then(Value::as_str).unwrap_or("without a name");
        let beacon = contribution.get("beacon").filter(|beacon| beacon.is_object());
        let beacon = beacon.map(|beacon| {
            // A beacon that is an object has this field.
            let exponent = beacon.get("iterations_exp").and_then(Value::as_u64).unwrap_or_default();
            format!(", beacon {} hashed 2^{exponent} times", text(beacon, "hash"))
        });
        let beacon = beacon.unwrap_or_default();
        format!(
            "contribution {number}: {}{beacon}: {}",
            name.escape_debug(),
            text(contribution, "hash")
        )
    };
    contributions.into_iter().flatten().zip(1..).map(line).collect()
}

/// What no bundle shows: names are the word of whoever made the file, who can invent contributors.
pub(super) fn premise(statement: &Value, is_record: bool) -> Premise {
    let is_whole = statement.get("hashes_checked") == Some(&Value::Bool(true));
    let besides = match (is_record, is_whole) {
        (true, _) => {
            ", and that the file with this digest was verified with its circuit and phase 1: the \
             record shows who contributed, and not what to"
        }
        (false, false) => ", and that the hashes which this file cannot show are right",
        (false, true) => "",
    };
    let about = format!(
        "that a contributor to these parameters, and to those below them, forgot their secrets: compare \
         the hashes with those that contributors published{besides}"
    );
    Premise::new(format!("parameters:{}", text(statement, "parameters")), about)
}
