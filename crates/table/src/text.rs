//! Types and values as people write them: in files of rows, in queries, in results.

use crate::{Row, Schema, SchemaError, TypeColumn, TypeKind, ValueColumn, query::value_to_decimal};

/// The column that says whose row it is.
pub const USER_COLUMN: &str = "user";

impl Schema {
    /// Reads a row from its fields as text: [`USER_COLUMN`] and every column, by name.
    ///
    /// # Errors
    /// [`SchemaError`] for a field that is missing or not one of the column's values.
    pub fn row_of<'a>(&self, field: impl Fn(&str) -> Option<&'a str>) -> Result<Row, SchemaError> {
        let named = |name: &str| field(name).ok_or_else(|| SchemaError::Missing(name.to_owned()));
        let user = named(USER_COLUMN)?.as_bytes().to_vec();
        let code = |column: &TypeColumn| column.code_of(named(&column.name)?);
        let codes: Vec<u64> = self.types.iter().map(code).collect::<Result<_, _>>()?;
        let value = |column: &ValueColumn| column.offset_of(named(&column.name)?);
        let values = self.values.iter().map(value).collect::<Result<_, _>>()?;
        let row = Row { user, key: self.encode_key(&codes)?, values };
        self.check_row(&row)?;
        Ok(row)
    }

    /// How many fields a row has: [`USER_COLUMN`] and the columns.
    pub fn fields(&self) -> usize {
        1 + self.types.len() + self.values.len()
    }
}

impl TypeColumn {
    /// The code of a value: `true` or `false`, a decimal number, or a string of the column's list.
    ///
    /// # Errors
    /// [`SchemaError::Column`].
    pub fn code_of(&self, text: &str) -> Result<u64, SchemaError> {
        let (code, expected) = match &self.kind {
            TypeKind::Bool => {
                (text.parse::<bool>().map(u64::from).ok(), "true or false".to_owned())
            }
            TypeKind::U32 | TypeKind::U64 => {
                (parse_whole(text), format!("a whole number up to {}", self.max()))
            }
            TypeKind::Enum(strings) => {
                let position = strings.iter().position(|string| string == text);
                (position.map(|code| code as u64), format!("one of {}", strings.join(", ")))
            }
        };
        code.filter(|code| *code <= self.max()).ok_or_else(|| SchemaError::Column {
            column: self.name.clone(),
            reason: format!("`{text}` is not {expected}"),
        })
    }

    /// The value of a code, as [`TypeColumn::code_of`] reads it.
    pub fn name_of(&self, code: u64) -> String {
        match &self.kind {
            TypeKind::Bool => (code == 1).to_string(),
            TypeKind::U32 | TypeKind::U64 => code.to_string(),
            // Codes are those of keys that the schema has decoded, or of its own ranges.
            TypeKind::Enum(strings) => strings.get(code as usize).cloned().unwrap_or_default(),
        }
    }
}

/// One spelling for every number: no sign and no leading zeros.
fn parse_whole(text: &str) -> Option<u64> {
    text.parse().ok().filter(|number: &u64| number.to_string() == text)
}

impl ValueColumn {
    /// The committed value of a decimal number: its offset from the column's minimum.
    ///
    /// # Errors
    /// [`SchemaError::Column`] for anything but a decimal number with at most the column's
    /// decimals, within its bounds.
    pub fn offset_of(&self, text: &str) -> Result<u64, SchemaError> {
        let refused = |reason| SchemaError::Column { column: self.name.clone(), reason };
        let scale = usize::from(self.scale);
        let steps = parse_steps(text, scale).ok_or_else(|| {
            refused(format!("`{text}` is not a number with at most {scale} decimals"))
        })?;
        match (i128::from(self.min)..=i128::from(self.max)).contains(&steps) {
            true => Ok((steps - i128::from(self.min)) as u64),
            false => Err(refused(format!(
                "`{text}` is outside {} to {}",
                value_to_decimal(self, 0),
                value_to_decimal(self, self.span())
            ))),
        }
    }
}

/// `-12.5` in steps of `10^-scale`; `None` for what is no such number.
fn parse_steps(text: &str, scale: usize) -> Option<i128> {
    let (negative, digits) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit());
    let part = part.trim_end_matches('0');
    // 38 digits fit an i128; an i64 has 19, and no column more than 18 decimals.
    if !is_number(whole) || whole.len() > 19 || part.len() > scale || scale > 18 {
        return None;
    }
    if !digits.split('.').all(is_number) {
        return None;
    }
    let steps: i128 = format!("{whole}{part:0<scale$}").parse().ok()?;
    Some(if negative { -steps } else { steps })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a fault here is a failed test")]
    use super::*;

    #[test]
    fn values_are_read_exactly() {
        let column = ValueColumn {
            name: "wage".to_owned(),
            unit: String::new(),
            scale: 2,
            min: -500,
            max: 100_000,
            moments: 1,
            ordered: true,
            cuts: Vec::new(),
        };
        for (text, offset) in
            [("-5", 0), ("0", 500), ("-0.01", 499), ("12.3", 1730), ("1000.00", 100_500)]
        {
            assert_eq!(column.offset_of(text), Ok(offset), "{text}");
            let steps = column.offset_of(&value_to_decimal(&column, offset));
            assert_eq!(steps, Ok(offset), "{text}");
        }
        let long = "9".repeat(30);
        for text in [
            "", "-", ".", "1.", ".5", "1.234", "1e3", " 1", "+1", "--1", "1.2.3", "1000.01",
            "-5.01", &long,
        ] {
            assert!(column.offset_of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn types_are_read_in_one_spelling() {
        let column = |kind| TypeColumn { name: "type".to_owned(), kind };
        let sexes = column(TypeKind::Enum(vec!["female".to_owned(), "male".to_owned()]));
        let cases = [
            (&sexes, "male", Some(1)),
            (&sexes, "Male", None),
            (&column(TypeKind::Bool), "true", Some(1)),
            (&column(TypeKind::Bool), "1", None),
            (&column(TypeKind::U32), "4294967295", Some(u32::MAX.into())),
            (&column(TypeKind::U32), "4294967296", None),
            (&column(TypeKind::U64), "18446744073709551615", Some(u64::MAX)),
            (&column(TypeKind::U64), "007", None),
            (&column(TypeKind::U64), "+7", None),
        ];
        for (column, text, code) in cases {
            assert_eq!(column.code_of(text).ok(), code, "{text}");
            assert!(code.is_none_or(|code| column.name_of(code) == text));
        }
    }
}
