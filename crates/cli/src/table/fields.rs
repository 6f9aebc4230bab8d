//! Rows from the fields of a file, whatever its format, and what is wrong with them.

use std::{collections::HashMap, fmt, path::Path};

use ::table::{Row, Schema};

use crate::{failure::Failure, output};

/// Faults that are shown; a file with more is another file.
const SHOWN: usize = 10;

/// A row and the line that it stands on.
pub struct Numbered {
    /// The line, from 1.
    pub line: u64,
    /// The row.
    pub row: Row,
}

/// What is wrong with a file.
#[derive(Default)]
pub struct Faults {
    shown: Vec<String>,
    count: usize,
}

impl Faults {
    /// Something on a line, from 1.
    pub fn add(&mut self, line: u64, what: impl fmt::Display) {
        self.count += 1;
        if self.shown.len() < SHOWN {
            self.shown.push(format!("line {line}: {what}"));
        }
    }

    /// Refuses a file that has any.
    pub fn finish(self, path: &Path) -> Result<(), Failure> {
        if self.count == 0 {
            return Ok(());
        }
        let more = match self.count - self.shown.len() {
            0 => String::new(),
            more => format!("\n  and {more} more"),
        };
        let faults = self.shown.join("\n  ");
        let count = output::counted(self.count as u64, "fault", "faults");
        Err(Failure::file(path, format!("{count}\n  {faults}{more}"))
            .hint("no row was stored: correct the file and run the command again"))
    }
}

/// The digits of a number that may be a double, if a double keeps all of them.
pub fn number(name: &str, digits: String, is_double: bool) -> Result<String, String> {
    match is_double && digits.len() > 16 {
        true => Err(format!("the number in `{name}` has too many digits: write it in quotes")),
        false => Ok(digits),
    }
}

/// Reads a row from its fields, which are all of the schema's and no more.
pub fn parse_fields(schema: &Schema, fields: &HashMap<&str, String>) -> Result<Row, String> {
    let row = schema.row_of(|name| fields.get(name).map(String::as_str));
    let row = row.map_err(|error| error.to_string())?;
    match fields.len() == schema.fields() {
        true => Ok(row),
        false => Err("a field is not in the schema".to_owned()),
    }
}
