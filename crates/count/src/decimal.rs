//! Decimal numbers with a fixed number of places, as rules of counting prescribe them.

use std::{fmt, str::FromStr};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// A number that is not negative, in units of 10^-`PLACES`. In JSON it is text such as `"12.50000"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Decimal<const PLACES: u32>(u128);

/// Five places: the Scottish rules.
pub type Decimal5 = Decimal<5>;
/// Nine places: the reference rule for Meek's method.
pub type Decimal9 = Decimal<9>;

impl<const PLACES: u32> Decimal<PLACES> {
    /// The units in one.
    pub const ONE: u128 = 10_u128.pow(PLACES);

    /// So many units of 10^-`PLACES`.
    pub const fn from_units(units: u128) -> Self {
        Self(units)
    }

    /// A whole number.
    pub fn whole(number: u64) -> Self {
        Self(u128::from(number) * Self::ONE)
    }

    /// Units of 10^-`PLACES`.
    pub const fn units(self) -> u128 {
        self.0
    }

    /// The number without what stands behind the point.
    pub fn floor(self) -> u64 {
        // For people: no count of MAX_BALLOTS ballots comes near.
        u64::try_from(self.0 / Self::ONE).unwrap_or(u64::MAX)
    }
}

impl<const PLACES: u32> fmt::Display for Decimal<PLACES> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let places = PLACES as usize;
        write!(f, "{}.{:0places$}", self.0 / Self::ONE, self.0 % Self::ONE)
    }
}

impl<const PLACES: u32> FromStr for Decimal<PLACES> {
    type Err = &'static str;

    /// Reads what [`Display`](fmt::Display) writes, and nothing else.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let units = || {
            let (whole, part) = text.split_once('.')?;
            let whole = whole.parse::<u128>().ok()?.checked_mul(Self::ONE)?;
            whole.checked_add(part.parse().ok()?).map(Self)
        };
        let number = units().filter(|number| number.to_string() == text);
        number.ok_or("not a decimal number of this many places")
    }
}

impl<const PLACES: u32> Serialize for Decimal<PLACES> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de, const PLACES: u32> Deserialize<'de> for Decimal<PLACES> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(D::Error::custom)
    }
}
