//! What a claim states, and in words.

use std::collections::BTreeSet;

use claim::{Premise, Refusal};
use serde_json::{Value as Json, json};
use wire::Digest;

use super::{
    checks::{SN_9, SN_12},
    files::{Files, MAX_PROOFS, PROOF},
    system::System,
};

/// The part of a check that concerns public inputs.
pub(super) const PUBLIC: &str = "public";
const NAMES: &str = "names";
/// Characters of the name of a public input.
const NAME_LIMIT: usize = 64;
/// Proofs whose public inputs are shown to people.
const SHOWN: usize = 8;

/// What the claim says and no object: the public inputs, which the proofs bear out, and their names, for which
/// their publisher answers.
pub(super) struct Stated {
    pub public: Vec<Vec<String>>,
    pub names: Option<Vec<String>>,
}

impl Stated {
    /// Reads a statement.
    ///
    /// # Errors
    /// [`Refusal`] if one of the two is not there, or not a list.
    pub fn of(statement: &Json) -> Result<Self, Refusal> {
        let member = |name: &str| {
            let missing = || Refusal::new(name, "the statement does not have it").under(SN_12);
            statement.get(name).cloned().ok_or_else(missing)
        };
        let bad = |name: &'static str| {
            move |error: serde_json::Error| Refusal::new(name, error.to_string()).under(SN_9)
        };
        let public = serde_json::from_value(member(PUBLIC)?).map_err(bad(PUBLIC))?;
        let names = serde_json::from_value(member(NAMES)?).map_err(bad(NAMES))?;
        Ok(Self { public, names })
    }
}

/// Requires that every proof has its public inputs, and that there are not too many.
pub(super) fn require_counts(proofs: usize, public: usize) -> Result<(), Refusal> {
    let refused = match proofs {
        0 => Refusal::new(PROOF, "there is none"),
        _ if proofs > MAX_PROOFS => {
            Refusal::new(PROOF, format!("{proofs} are over the limit of {MAX_PROOFS}"))
        }
        _ if proofs != public => {
            Refusal::new(PUBLIC, format!("{public} lists for {proofs} proofs"))
        }
        _ => return Ok(()),
    };
    Err(refused.under(SN_9))
}

/// Requires a name for every public input, no two alike, that do not steer a terminal.
pub(super) fn require_names(files: &Files) -> Result<(), Refusal> {
    let Some(names) = &files.names else { return Ok(()) };
    let is_name = |name: &String| {
        (1..=NAME_LIMIT).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_graphic())
    };
    if let Some(name) = names.iter().find(|name| !is_name(name)) {
        let reason = format!("{name:?} is not 1 to {NAME_LIMIT} visible ASCII characters");
        return Err(Refusal::new(NAMES, reason).under(SN_9));
    }
    if names.iter().collect::<BTreeSet<_>>().len() < names.len() {
        return Err(Refusal::new(NAMES, "two public inputs have one name").under(SN_9));
    }
    match files.public.iter().all(|values| values.len() == names.len()) {
        true => Ok(()),
        false => Err(Refusal::new(NAMES, "not as many as public inputs").under(SN_9)),
    }
}

/// What was found, as claims state it.
pub(super) fn statement(
    system: System,
    curve: &str,
    key: Digest,
    circuit: Option<Digest>,
    Files { public, names, .. }: &Files,
) -> Json {
    json!({
        "system": system.name(),
        "curve": curve,
        "key": key.to_string(),
        "circuit": circuit.map(|circuit| circuit.to_string()),
        PUBLIC: public,
        NAMES: names,
    })
}

fn text<'a>(statement: &'a Json, name: &str) -> &'a str {
    // A statement that holds has every field that is asked for.
    statement.get(name).and_then(Json::as_str).unwrap_or("?")
}

/// A statement that holds, in lines for people.
pub(super) fn describe(statement: &Json) -> Vec<String> {
    let [system, curve, key] = ["system", "curve", "key"].map(|name| text(statement, name));
    let list = |value: &Json| {
        let texts = value.as_array().into_iter().flatten().filter_map(Json::as_str);
        texts.map(str::to_owned).collect::<Vec<_>>()
    };
    let public = statement.get(PUBLIC).and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
    // A claim without names has null there.
    let names = statement.get(NAMES).map(list).unwrap_or_default();
    let mut lines = vec![format!("{system} on {curve}, under key {key}")];
    if let Some(circuit) = statement.get("circuit").and_then(Json::as_str) {
        lines.push(format!("circuit {circuit}"));
    }
    lines.push(match public.len() {
        1 => "whoever made the proof knew a witness for these public inputs:".to_owned(),
        count => {
            format!("whoever made each of {count} proofs knew a witness for its public inputs:")
        }
    });
    lines.extend(public.iter().take(SHOWN).map(|values| {
        let values = list(values);
        let named = values.iter().enumerate().map(|(index, value)| match names.get(index) {
            Some(name) => format!("{name} = {value}"),
            None => value.clone(),
        });
        match values.is_empty() {
            true => "none".to_owned(),
            false => named.collect::<Vec<_>>().join(", "),
        }
    }));
    if let Some(more @ 1..) = public.len().checked_sub(SHOWN) {
        lines.push(format!("and those of {more} more"));
    }
    lines
}

/// What no proof shows: where its key comes from.
pub(super) fn premise(statement: &Json) -> Premise {
    let text = |name| text(statement, name);
    let is_sonic =
        [System::Sonic, System::SonicUnhelped].map(System::name).contains(&text("system"));
    let rests = match is_sonic {
        true => {
            "that this key is made from the circuit that you mean and a reference string whose \
             ceremony was verified"
        }
        false => "that this key is of the circuit that you mean and nobody knows its secrets",
    };
    Premise::new(format!("key:{}", text("key")), rests)
}
