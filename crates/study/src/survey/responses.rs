//! A file of responses.

use std::{
    collections::{BTreeMap, BTreeSet},
    io,
};

use csv::StringRecord;
use table::{Row, TypeColumn, TypeKind, ValueColumn};

use super::{SurveyDescription, SurveyError};

/// Years from the first to the last response: each is an epoch, with or without rows.
pub const MAX_YEARS: u32 = 200;
const MAX_ROWS: usize = 1 << 22;

/// Rows by year.
pub type Responses = BTreeMap<u32, Vec<Row>>;

/// Reads a CSV file of responses, at most `limit` of them. Columns that the description does not
/// name are left out.
///
/// # Errors
/// [`SurveyError`] with line and column.
pub fn read_responses(
    description: &SurveyDescription,
    file: impl io::Read,
    limit: Option<usize>,
) -> Result<Responses, SurveyError> {
    let mut reader = csv::Reader::from_reader(file);
    let columns = Columns::find(description, reader.headers()?)?;
    let (mut years, mut seen) = (Responses::new(), BTreeSet::new());
    for (count, record) in reader.records().take(limit.unwrap_or(usize::MAX)).enumerate() {
        if count == MAX_ROWS {
            return Err(SurveyError::File(format!("more than {MAX_ROWS} responses")));
        }
        let (year, row) = columns.read(&record?)?;
        if !seen.insert((year, row.user.clone())) {
            let reason = format!("a second response of this person in {year}");
            let line = count as u64 + 2;
            return Err(SurveyError::Response { line, column: description.person.clone(), reason });
        }
        years.entry(year).or_default().push(row);
    }
    match (years.keys().next(), years.keys().next_back()) {
        (Some(first), Some(last)) if last - first < MAX_YEARS => Ok(years),
        (None, _) => Err(SurveyError::File("there are no responses".to_owned())),
        _ => Err(SurveyError::File(format!("more than {MAX_YEARS} years"))),
    }
}

/// Where in a record everything is.
struct Columns<'a> {
    description: &'a SurveyDescription,
    person: usize,
    year: usize,
    types: Vec<usize>,
    values: Vec<usize>,
}

impl<'a> Columns<'a> {
    fn find(
        description: &'a SurveyDescription,
        header: &StringRecord,
    ) -> Result<Self, SurveyError> {
        let position = |name: &String| {
            let mut found = header.iter().enumerate().filter(|(_, column)| column == name);
            match (found.next(), found.next()) {
                (Some((position, _)), None) => Ok(position),
                _ => Err(SurveyError::Header(name.clone())),
            }
        };
        let schema = &description.table;
        Ok(Self {
            description,
            person: position(&description.person)?,
            year: position(&description.year)?,
            types: schema.types.iter().map(|c| position(&c.name)).collect::<Result<_, _>>()?,
            values: schema.values.iter().map(|c| position(&c.name)).collect::<Result<_, _>>()?,
        })
    }

    fn read(&self, record: &StringRecord) -> Result<(u32, Row), SurveyError> {
        let line = record.position().map_or(0, csv::Position::line);
        let refused = |column: &str, reason: String| {
            Err(SurveyError::Response { line, column: column.to_owned(), reason })
        };
        // A record has as many fields as the header: `csv` refuses others.
        let field = |position: usize| record.get(position).unwrap_or_default();
        let Ok(year) = field(self.year).parse::<u32>() else {
            let reason = format!("`{}` is not a year", field(self.year));
            return refused(&self.description.year, reason);
        };
        let schema = &self.description.table;
        let mut codes = Vec::with_capacity(self.types.len());
        for (column, position) in schema.types.iter().zip(&self.types) {
            match code(column, field(*position)) {
                Some(code) => codes.push(code),
                None => {
                    let reason = format!("`{}` is not among its values", field(*position));
                    return refused(&column.name, reason);
                }
            }
        }
        let mut values = Vec::with_capacity(self.values.len());
        for (column, position) in schema.values.iter().zip(&self.values) {
            match offset(column, field(*position)) {
                Some(offset) => values.push(offset),
                None => {
                    let (text, scale) = (field(*position), column.scale);
                    let reason = format!(
                        "`{text}` is not a number with at most {scale} decimals in the column's bounds"
                    );
                    return refused(&column.name, reason);
                }
            }
        }
        let user = field(self.person).as_bytes().to_vec();
        let row = Row { user, key: schema.encode_key(&codes)?, values };
        match schema.check_row(&row) {
            Ok(()) => Ok((year, row)),
            Err(error) => refused(&self.description.person, error.to_string()),
        }
    }
}

fn code(column: &TypeColumn, text: &str) -> Option<u64> {
    // What is no value of its column is refused by `read`.
    match &column.kind {
        TypeKind::Bool => text.parse::<bool>().ok().map(u64::from),
        TypeKind::U32 => text.parse::<u32>().ok().map(u64::from),
        TypeKind::U64 => text.parse().ok(),
        TypeKind::Enum(labels) => {
            labels.iter().position(|label| label == text).map(|position| position as u64)
        }
    }
}

/// A decimal as the offset from a column's least value; never rounded.
fn offset(column: &ValueColumn, text: &str) -> Option<u64> {
    let (sign, digits) = text.strip_prefix('-').map_or(("", text), |digits| ("-", digits));
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let scale = usize::from(column.scale);
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || !is_number(whole) || !is_number(part) || part.len() > scale {
        return None;
    }
    let steps: i64 = format!("{sign}{whole}{part:0<scale$}").parse().ok()?;
    (column.min..=column.max).contains(&steps).then(|| steps.abs_diff(column.min))
}
