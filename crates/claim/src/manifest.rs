//! The manifest: which files a bundle has.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use serde_json::Value;
use wire::Digest;

pub(crate) const FORMAT: &str = "subrosa-bundle";
/// What is written. Version 1 does not say which specification it follows, and is read as before.
pub(crate) const VERSION: u16 = 2;
/// The version of the specification by which a bundle is to be checked: that of `docs/spec`.
pub const SPECIFICATION: u16 = 1;

/// The content of `bundle.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) format: String,
    pub(crate) version: u16,
    /// The version of the specification that the bundle follows; from version 2 on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) specification: Option<u16>,
    /// Paths of the files that are claims.
    pub(crate) claims: Vec<String>,
    /// Every file but the manifest, by its path from the root, with `/`.
    pub(crate) files: BTreeMap<String, HexDigest>,
}

impl Manifest {
    /// Requires a format, a version and a specification that this program reads.
    ///
    /// # Errors
    /// What it is instead.
    pub(crate) fn require_known(&self) -> Result<(), String> {
        let Self { format, version, specification, .. } = self;
        let known = format == FORMAT && (1..=VERSION).contains(version);
        let this = "this program reads";
        match (known, *version, specification) {
            (false, ..) => Err(format!(
                "`{format}` version {version}; {this} `{FORMAT}` versions 1 to {VERSION}"
            )),
            (true, 1, None) | (true, 2.., Some(SPECIFICATION)) => Ok(()),
            (true, _, Some(other)) if *version > 1 => Err(format!(
                "it follows version {other} of the specification; {this} version {SPECIFICATION}"
            )),
            _ => Err(format!("version {version} with another version's members")),
        }
    }

    /// Whether statements are canonical JSON of RFC 8785, but for what stands between values.
    pub(crate) fn is_interoperable(&self) -> bool {
        self.version >= 2
    }
}

/// Requires what the form of bundles shares with RFC 8785: the canonical form by that standard is then this one
/// without white space. Numbers are integers, and sorting names by their bytes is sorting them by the units of
/// UTF-16.
///
/// # Errors
/// Where the two forms differ.
pub(crate) fn require_interoperable(value: &Value) -> Result<(), String> {
    match value {
        Value::Number(number) if !(number.is_i64() || number.is_u64()) => {
            Err(format!("{number} is not an integer"))
        }
        Value::Array(items) => items.iter().try_for_each(require_interoperable),
        Value::Object(members) => {
            let names = members.keys().map(|name| name.encode_utf16().collect::<Vec<_>>());
            if !names.is_sorted() {
                return Err("names of members have another order in UTF-16".to_owned());
            }
            members.values().try_for_each(require_interoperable)
        }
        _ => Ok(()),
    }
}

/// A digest as 64 hexadecimal digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HexDigest(pub(crate) Digest);

impl Serialize for HexDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for HexDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map(Self).map_err(D::Error::custom)
    }
}

/// The one form in which JSON stands in a bundle: indented, with a newline at the end.
pub(crate) fn to_canonical_json(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut json = serde_json::to_vec_pretty(value)?;
    json.push(b'\n');
    Ok(json)
}

/// Reads JSON that must be in canonical form, so that no byte of it can change unnoticed.
pub(crate) fn from_canonical_json<T: Serialize + for<'de> Deserialize<'de>>(
    bytes: &[u8],
) -> Result<T, String> {
    let value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    match to_canonical_json(&value) {
        Ok(canonical) if canonical == bytes => Ok(value),
        _ => Err("not in canonical form".to_owned()),
    }
}
