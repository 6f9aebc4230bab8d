//! The manifest: which files a bundle has.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};
use wire::Digest;

pub(crate) const FORMAT: &str = "subrosa-bundle";
pub(crate) const VERSION: u16 = 1;

/// The content of `bundle.json`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Manifest {
    pub(crate) format: String,
    pub(crate) version: u16,
    /// Paths of the files that are claims.
    pub(crate) claims: Vec<String>,
    /// Every file but the manifest, by its path from the root, with `/`.
    pub(crate) files: BTreeMap<String, HexDigest>,
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
