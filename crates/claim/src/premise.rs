//! What a claim that holds rests on, beyond what a bundle can show.

use serde::Serialize;

/// Something that a claim rests on and that no object of its bundle shows: who verifies knows it from
/// elsewhere and takes it upon themselves, or the claim is not established for them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Premise {
    /// Its name, by which it is accepted: a word, and behind a colon whom or what it is about.
    pub name: String,
    /// What it says, for people.
    pub text: String,
}

impl Premise {
    /// A premise by its name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Self { name: name.into(), text: text.into() }
    }
}
