//! What whoever verifies takes upon themselves.

use std::{fmt, str::FromStr};

use claim::Premise;

/// The premises that there are, each with what stands behind its colon.
const FORMS: [(&str, Option<&str>); 4] = [
    ("unaudited", None),
    ("word", Some("KEY")),
    ("key", Some("DIGEST")),
    ("parameters", Some("DIGEST")),
];

/// The name of a premise that a reader takes upon themselves: `unaudited`, `word:KEY`, `key:DIGEST` or
/// `parameters:DIGEST`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted(String);

impl Accepted {
    /// Whether it is this premise.
    pub fn is(&self, premise: &Premise) -> bool {
        self.0 == premise.name
    }
}

impl FromStr for Accepted {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, about) = match text.split_once(':') {
            Some((word, about)) => (word, Some(about)),
            None => (text, None),
        };
        let is_known = |(name, form): &(&str, Option<&str>)| {
            *name == word && form.is_some() == about.is_some_and(|about| !about.is_empty())
        };
        match FORMS.iter().any(is_known) {
            true => Ok(Self(text.to_owned())),
            false => {
                Err("not `unaudited`, `word:KEY`, `key:DIGEST` or `parameters:DIGEST`".to_owned())
            }
        }
    }
}

impl fmt::Display for Accepted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
