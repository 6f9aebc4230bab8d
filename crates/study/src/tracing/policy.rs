//! What a server allows, as its file has it.

use board::AuthorId;
use serde::Deserialize;
use trace::{Cut, Floors, Policy, policy::Side};

/// Fields of policies that judged every question by itself.
const FORMER: [&str; 3] = ["min_inputs", "min_outputs", "min_anonymity"];

/// Who asks what. Nothing that protects somebody has a default.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PolicyFile {
    queriers: Vec<String>,
    max_questions: usize,
    cut: Option<CutName>,
    min_rows: Option<usize>,
    min_values: Option<usize>,
    coalition: Option<usize>,
    #[serde(default)]
    by_position: bool,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum CutName {
    Nothing,
    Inputs,
    Outputs,
}

/// Reads a policy from TOML: `queriers` (public keys), `max_questions`, `cut` (`"nothing"`, `"inputs"` or
/// `"outputs"`); where a side is cut, `min_rows`, `min_values` and `coalition`; `by_position` if it is to be
/// true. An election's parties read theirs with [`crate::inquiry::policy_from_toml`].
///
/// # Errors
/// What is wrong, and what to write, for people.
pub fn policy_from_toml(text: &str) -> Result<Policy, String> {
    refuse_former_fields(
        text,
        "write `cut`, and where it names a side `min_rows`, `min_values` and `coalition`",
    )?;
    let file: PolicyFile = toml::from_str(text).map_err(|error| error.to_string())?;
    Ok(Policy {
        queriers: queriers(&file.queriers)?,
        max_questions: file.max_questions,
        cut: cut(&file)?,
        by_position: file.by_position,
    })
}

fn cut(file: &PolicyFile) -> Result<Cut, String> {
    let side = match file.cut {
        None => {
            return Err("`cut` is missing: write `cut = \"nothing\"`, and only questions are answered \
                        that tell nothing; or `\"inputs\"` (for TraceOut) or `\"outputs\"` (for TraceIn)"
                .to_owned());
        }
        Some(CutName::Nothing) => {
            let floors = [file.min_rows, file.min_values, file.coalition];
            return match floors.iter().all(Option::is_none) {
                true => Ok(Cut::Nothing),
                false => {
                    Err("nothing is cut: leave `min_rows`, `min_values` and `coalition` out, or \
                              write which side `cut` is"
                        .to_owned())
                }
            };
        }
        Some(CutName::Inputs) => Side::Inputs,
        Some(CutName::Outputs) => Side::Outputs,
    };
    let required = |value: Option<usize>, field: &str, what: &str| {
        value.ok_or_else(|| format!("`{field}` is missing: write `{field} = N`, {what}"))
    };
    let floors = Floors {
        side,
        rows: required(file.min_rows, "min_rows", "among how many rows of others every row stays")?,
        values: required(file.min_values, "min_values", "among how many values every row stays")?,
        coalition: required(file.coalition, "coalition", "how many rows an asker may know")?,
    };
    floors.check()?;
    Ok(Cut::One(floors))
}

/// Refuses a policy of a former kind, which did not protect what it said.
pub(crate) fn refuse_former_fields(text: &str, instead: &str) -> Result<(), String> {
    let table: toml::Table = toml::from_str(text).map_err(|error| error.to_string())?;
    // Former fields stand in `policy`, or at the top. What else `policy` may be, its reader refuses.
    let policy = table.get("policy").and_then(toml::Value::as_table).unwrap_or(&table);
    match FORMER.into_iter().find(|field| policy.contains_key(*field)) {
        Some(field) => {
            Err(format!("`{field}` protects nobody from two questions together: {instead}"))
        }
        None => Ok(()),
    }
}

/// Public keys of queriers.
pub(crate) fn queriers(keys: &[String]) -> Result<Vec<AuthorId>, String> {
    let parse = |key: &String| key.parse().map_err(|error| format!("querier `{key}`: {error}"));
    keys.iter().map(parse).collect()
}
