//! Files of rows in Parquet: columns under the names that a CSV file would have, uncompressed or
//! compressed by Snappy.

use std::{collections::HashMap, path::Path};

use ::table::Schema;
use parquet::{
    file::reader::{FileReader as _, SerializedFileReader},
    record::Field,
};

use super::fields::{Faults, Numbered, number, parse_fields};
use crate::failure::Failure;

/// Reads a file. Rows count from 1.
pub fn read(path: &Path, schema: &Schema, faults: &mut Faults) -> Result<Vec<Numbered>, Failure> {
    let failed = |error: parquet::errors::ParquetError| Failure::file(path, error);
    let reader = SerializedFileReader::try_from(path).map_err(failed)?;
    let mut rows = Vec::new();
    for (line, record) in (1..).zip(reader.get_row_iter(None).map_err(failed)?) {
        let columns = record.map_err(failed)?.into_columns();
        let fields: Result<HashMap<&str, String>, String> =
            columns.iter().map(|(name, field)| Ok((name.as_str(), text(name, field)?))).collect();
        match fields.and_then(|fields| parse_fields(schema, &fields)) {
            Ok(row) => rows.push(Numbered { line, row }),
            Err(fault) => faults.add(line, fault),
        }
    }
    Ok(rows)
}

/// A field as it would stand in a CSV file.
fn text(name: &str, field: &Field) -> Result<String, String> {
    match field {
        Field::Str(text) => Ok(text.clone()),
        Field::Double(double) => number(name, double.to_string(), true),
        Field::Float(float) => number(name, float.to_string(), true),
        Field::Bool(_)
        | Field::Byte(_)
        | Field::Short(_)
        | Field::Int(_)
        | Field::Long(_)
        | Field::UByte(_)
        | Field::UShort(_)
        | Field::UInt(_)
        | Field::ULong(_)
        | Field::Decimal(_) => Ok(field.to_string()),
        _ => Err(format!("`{name}` is neither a text, a number, nor a truth value")),
    }
}
