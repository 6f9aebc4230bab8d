//! Checks by the names that the specification gives them.

use std::fmt;

/// The name of a check in `docs/spec`: the letters of its chapter and a number, such as `TW-7`. A name is never
/// given to another check.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CheckName(&'static str);

impl CheckName {
    /// A check by its name.
    ///
    /// # Panics
    /// At compile time in a constant, if it is not two capitals, a hyphen and a number.
    pub const fn new(name: &'static str) -> Self {
        assert!(is_name(name.as_bytes()), "two capitals of a chapter, a hyphen and a number");
        Self(name)
    }

    /// The name.
    pub const fn as_str(self) -> &'static str {
        self.0
    }
}

const fn is_name(name: &[u8]) -> bool {
    let [first, second, b'-', number @ ..] = name else { return false };
    let (mut is_name, mut rest) = (!number.is_empty(), number);
    while let [digit, others @ ..] = rest {
        is_name = is_name && digit.is_ascii_digit();
        rest = others;
    }
    is_name && first.is_ascii_uppercase() && second.is_ascii_uppercase()
}

impl fmt::Display for CheckName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl fmt::Debug for CheckName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// Constants for the checks of a verifier, `TW_7 = "TW-7"`, visible in the crate.
#[macro_export]
macro_rules! check_names {
    ($($constant:ident = $name:literal),* $(,)?) => {
        $(
            #[doc = concat!("The check `", $name, "`.")]
            pub(crate) const $constant: $crate::CheckName = $crate::CheckName::new($name);
        )*
    };
}
