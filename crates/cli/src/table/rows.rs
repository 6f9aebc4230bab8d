//! Files of rows: CSV with a header, NDJSON, or Parquet. Every column of the schema is there under its name,
//! and `user`, in any order.

use std::{collections::HashMap, path::Path};

use ::table::{Row, Schema, USER_COLUMN};
use serde_json::Value;

use super::fields::{Faults, Numbered, number, parse_fields};
use crate::failure::Failure;

const FILE_LIMIT: u64 = 1 << 32;

/// A format of rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// Values separated by commas, with a header.
    Csv,
    /// A JSON object on every line.
    Ndjson,
    /// Columns of Apache Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
}

/// Reads a file of rows and checks all of them; without a format, its name tells.
pub fn read(
    path: &Path,
    format: Option<Format>,
    schema: &Schema,
) -> Result<Vec<Numbered>, Failure> {
    let bytes = || wire::read_bounded(path, FILE_LIMIT).map_err(|error| Failure::file(path, error));
    let format = match (format, path.extension().and_then(|extension| extension.to_str())) {
        (Some(format), _) => format,
        (None, Some("csv")) => Format::Csv,
        (None, Some("ndjson" | "jsonl")) => Format::Ndjson,
        #[cfg(feature = "parquet")]
        (None, Some("parquet")) => Format::Parquet,
        _ => {
            return Err(Failure::file(path, "the file's name does not show its format")
                .hint("give `--format csv` or `--format ndjson`"));
        }
    };
    let mut faults = Faults::default();
    let rows = match format {
        Format::Csv => read_csv(path, &bytes()?, schema, &mut faults)?,
        Format::Ndjson => read_ndjson(&bytes()?, schema, &mut faults),
        #[cfg(feature = "parquet")]
        Format::Parquet => super::parquet::read(path, schema, &mut faults)?,
    };
    let mut lines: HashMap<&[u8], u64> = HashMap::new();
    for Numbered { line, row } in &rows {
        if let Some(first) = lines.insert(&row.user, *line) {
            faults.add(*line, format!("the user of line {first} has a second row"));
        }
    }
    faults.finish(path)?;
    Ok(rows)
}

fn read_csv(
    path: &Path,
    bytes: &[u8],
    schema: &Schema,
    faults: &mut Faults,
) -> Result<Vec<Numbered>, Failure> {
    let mut reader = csv::Reader::from_reader(bytes);
    let headers = reader.headers().map_err(|error| Failure::file(path, error))?.clone();
    let mut places = HashMap::new();
    for (place, name) in headers.iter().enumerate() {
        let known = name == USER_COLUMN
            || schema.types.iter().any(|column| column.name == name)
            || schema.values.iter().any(|column| column.name == name);
        if !known || places.insert(name, place).is_some() {
            return Err(Failure::file(
                path,
                format!("`{name}` in the header is not a column of the schema, or is there twice"),
            )
            .hint("the header must name `user` and every column of the schema, each once"));
        }
    }
    let mut rows = Vec::new();
    for (index, record) in reader.records().enumerate() {
        let record = match record {
            Ok(record) => record,
            Err(error) => {
                let line = error.position().map_or(index as u64 + 2, csv::Position::line);
                faults.add(line, error);
                continue;
            }
        };
        let line = record.position().map_or(0, csv::Position::line);
        match schema.row_of(|name| record.get(*places.get(name)?)) {
            Ok(row) => rows.push(Numbered { line, row }),
            Err(fault) => faults.add(line, fault),
        }
    }
    Ok(rows)
}

fn read_ndjson(bytes: &[u8], schema: &Schema, faults: &mut Faults) -> Vec<Numbered> {
    let mut rows = Vec::new();
    for (line, text) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        if text.trim_ascii().is_empty() {
            continue;
        }
        match parse_object(schema, text) {
            Ok(row) => rows.push(Numbered { line, row }),
            Err(fault) => faults.add(line, fault),
        }
    }
    rows
}

/// Numbers may stand with or without quotes. Without, a number with a fraction passes through a
/// double, which keeps 15 digits.
fn parse_object(schema: &Schema, text: &[u8]) -> Result<Row, String> {
    let object: HashMap<String, Value> =
        serde_json::from_slice(text).map_err(|error| error.to_string())?;
    let mut fields: HashMap<&str, String> = HashMap::new();
    for (name, value) in &object {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Number(double) => number(name, double.to_string(), double.is_f64())?,
            other => other.to_string(),
        };
        fields.insert(name, text);
    }
    parse_fields(schema, &fields)
}
