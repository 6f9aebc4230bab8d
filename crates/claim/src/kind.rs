//! What is fixed about all claims of a kind, and where a claim departs from it.

use serde_json::Value;

use crate::{
    Claim, Refusal,
    checks::{CB_9, CB_11, CB_12},
};

/// The part of a check that concerns the claim itself, not its objects.
const PHASE: &str = "claim";
/// Characters of a value that a refusal quotes.
const QUOTED: usize = 120;

/// A kind of claim: its name, the versions of its statement, and the roles of its objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    /// What a claim says in `kind`.
    pub name: &'static str,
    /// What a claim may say in `version`; the last is what is written today.
    pub versions: &'static [u16],
    /// Every role that it may name; there are no others.
    pub roles: &'static [Role],
}

/// A role, and how many objects are in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Role {
    name: &'static str,
    least: usize,
    most: usize,
}

impl Role {
    /// One object.
    pub const fn one(name: &'static str) -> Self {
        Self { name, least: 1, most: 1 }
    }

    /// One object or none.
    pub const fn optional(name: &'static str) -> Self {
        Self { name, least: 0, most: 1 }
    }

    /// One object or more.
    pub const fn some(name: &'static str) -> Self {
        Self { name, least: 1, most: usize::MAX }
    }

    /// Any number of objects.
    pub const fn any(name: &'static str) -> Self {
        Self { name, least: 0, most: usize::MAX }
    }

    fn require(&self, kind: &str, claim: &Claim) -> Result<(), Refusal> {
        let Self { name, least, most } = *self;
        let count = claim.objects(name).count();
        if (least..=most).contains(&count) {
            return Ok(());
        }
        let needed = match (least, most) {
            (1, 1) => "one object",
            (0, _) => "at most one object",
            _ => "at least one object",
        };
        let reason = format!("a claim of kind `{kind}` names {needed} as `{name}`, not {count}");
        Err(Refusal::new(PHASE, reason).under(CB_9))
    }
}

impl Kind {
    /// Refuses roles that the kind does not have, and too few or too many objects.
    pub(crate) fn require(&self, claim: &Claim) -> Result<(), Refusal> {
        let Self { name, roles, .. } = *self;
        let known = |named: &str| roles.iter().any(|role| role.name == named);
        if let Some(role) = claim.roles().find(|role| !known(role)) {
            let reason = format!("`{role}` is no role of the kind `{name}`");
            return Err(Refusal::new(PHASE, reason).under(CB_9));
        }
        roles.iter().try_for_each(|role| role.require(name, claim))
    }
}

/// Refuses an object that is larger than its role allows, as whoever verifies the bundle would (`CB-11`).
///
/// # Errors
/// [`Refusal`] with the role and the limit.
pub fn require_within(role: &str, bytes: &[u8], limit: u64) -> Result<(), Refusal> {
    match bytes.len() as u64 <= limit {
        true => Ok(()),
        false => Err(Refusal::new(role, format!("over the limit of {limit} bytes")).under(CB_11)),
    }
}

/// Refuses a statement that is not the one that the objects bear out, and names where it differs.
pub(crate) fn require_stated(stated: &Value, found: &Value) -> Result<(), Refusal> {
    match stated == found {
        true => Ok(()),
        false => Err(Refusal::new(PHASE, difference("statement", stated, found)).under(CB_12)),
    }
}

/// The first difference, by its place in the statement.
fn difference(place: &str, stated: &Value, found: &Value) -> String {
    let below = |name: &str| match place {
        "statement" => name.to_owned(),
        _ => format!("{place}.{name}"),
    };
    match (stated, found) {
        (Value::Object(stated), Value::Object(found)) => {
            let other = |(name, value): &(&String, &Value)| stated.get(*name) != Some(*value);
            if let Some((name, value)) = found.iter().find(other) {
                // What is not stated is told as null.
                return difference(&below(name), stated.get(name).unwrap_or(&Value::Null), value);
            }
            let extra = stated.keys().find(|name| !found.contains_key(*name));
            let extra = extra.map_or(place.to_owned(), |name| below(name));
            format!("`{extra}` is stated, and no object bears it out")
        }
        (Value::Array(stated), Value::Array(found)) if stated.len() == found.len() => {
            let mut pairs = (0_u64..).zip(stated.iter().zip(found));
            match pairs.find(|(_, (stated, found))| stated != found) {
                Some((index, (stated, found))) => {
                    difference(&format!("{place}[{index}]"), stated, found)
                }
                None => format!("`{place}` is not as stated"),
            }
        }
        _ => format!("`{place}` is {} by the objects, not as stated", quoted(found)),
    }
}

/// A value as JSON, cut to what a person reads.
fn quoted(value: &Value) -> String {
    let text = value.to_string();
    match text.char_indices().nth(QUOTED) {
        // `end` is the start of a character.
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text,
    }
}
