//! Conditions: from `WHERE` to boxes of keys.

use sqlparser::ast::{BinaryOperator, Expr, Value};

use super::error::{SqlError, refuse};
use crate::{Schema, TypeKind, query::KeyBox};

/// Groups of a query, and boxes of a region.
const MAX_GROUPS: usize = 1 << 12;
/// The name by which conditions speak of epochs.
const EPOCH: &str = "epoch";

/// The name in an expression that is a column and nothing else.
pub(super) fn identifier(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Identifier(ident) => Some(&ident.value),
        _ => None,
    }
}

pub(super) fn type_column(schema: &Schema, name: &str) -> Result<usize, SqlError> {
    let position = schema.types.iter().position(|column| column.name == name);
    position.map_or_else(
        || {
            let names: Vec<&str> = schema.types.iter().map(|t| t.name.as_str()).collect();
            let known = names.join(", ");
            refuse("column", format!("`{name}` is no type column; there are: {known}"))
        },
        Ok,
    )
}

/// What rows must satisfy.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    /// The first and the last epoch.
    pub(super) epochs: (u32, u32),
    /// Of every type column the codes allowed: intervals, ascending and disjoint.
    types: Vec<Vec<(u64, u64)>>,
}

/// One group of a query.
pub(super) struct Group {
    /// The grouped columns' values.
    pub(super) names: Vec<(String, String)>,
    /// What its rows satisfy.
    pub(super) filter: Filter,
}

impl Filter {
    /// Reads conditions that are joined by AND, at most one about every column.
    pub(super) fn read(schema: &Schema, selection: Option<&Expr>) -> Result<Self, SqlError> {
        let mut conditions = Vec::new();
        selection.into_iter().for_each(|expr| conjuncts(expr, &mut conditions));
        let (mut epochs, mut types) = (None, vec![None; schema.types.len()]);
        for condition in conditions {
            let Some((name, literals)) = literals(condition) else {
                let forms = "column = value, column IN (..) or column BETWEEN a AND b";
                return refuse("subset", format!("`{condition}` is not of the form {forms}"));
            };
            let twice = || refuse("column", format!("there are two conditions about `{name}`"));
            // A type column of that name would be hidden: the schema's name wins.
            let is_type = schema.types.iter().any(|column| column.name == name);
            if name == EPOCH && !is_type {
                if epochs.replace(epoch_range(&literals)?).is_some() {
                    return twice();
                }
                continue;
            }
            let column = type_column(schema, name)?;
            let codes = codes(schema, column, &literals)?;
            match types.get_mut(column) {
                Some(slot @ None) => *slot = Some(codes),
                _ => return twice(),
            }
        }
        let Some(epochs) = epochs else {
            return refuse("epochs", "say which epochs: WHERE epoch BETWEEN a AND b");
        };
        let all = schema.types.iter().map(|column| vec![(0, column.max())]);
        // A column of which nothing is said may have any value.
        let types = types.into_iter().zip(all).map(|(some, all)| some.unwrap_or(all)).collect();
        Ok(Self { epochs, types })
    }

    /// How many groups there are, and how many boxes each of them has, before any is made.
    pub(super) fn size(&self, schema: &Schema, grouped: &[usize]) -> Result<(u64, u64), SqlError> {
        let (mut groups, mut boxes) = (1_u64, 1_u64);
        for (index, ranges) in self.types.iter().enumerate() {
            if !grouped.contains(&index) {
                boxes = boxes.saturating_mul(ranges.len() as u64);
                continue;
            }
            let values = ranges.iter().map(|(low, high)| u128::from(high - low) + 1).sum::<u128>();
            if values > MAX_GROUPS as u128 {
                // For people: it is one of the schema's.
                let name = schema.types.get(index).map(|t| t.name.as_str()).unwrap_or_default();
                let reason = format!("`{name}` has too many values to group by: name them with IN");
                return refuse("groups", reason);
            }
            // At most MAX_GROUPS, as was just seen.
            groups = groups.saturating_mul(u64::try_from(values).unwrap_or(u64::MAX));
        }
        match groups.max(boxes) > MAX_GROUPS as u64 {
            true => refuse("groups", format!("more than {MAX_GROUPS} combinations of values")),
            false => Ok((groups, boxes)),
        }
    }

    /// The boxes of the region.
    pub(super) fn boxes(&self) -> Result<Vec<KeyBox>, SqlError> {
        let choices: Vec<Vec<(u64, u64)>> = self.types.clone();
        let boxes = product(&choices)?;
        Ok(boxes.into_iter().map(|ranges| KeyBox { ranges }).collect())
    }

    /// A group for every combination of values of the grouped columns, of a size that was checked.
    pub(super) fn groups(
        &self,
        schema: &Schema,
        grouped: &[usize],
    ) -> Result<Vec<Group>, SqlError> {
        let mut choices = Vec::new();
        for &index in grouped {
            // Grouped columns are types of the schema, each of which has ranges.
            let ranges = self.types.get(index).map(Vec::as_slice).unwrap_or_default();
            choices.push(ranges.iter().flat_map(|&(low, high)| low..=high).collect::<Vec<u64>>());
        }
        let group = |codes: Vec<u64>| {
            let mut filter = self.clone();
            let mut names = Vec::new();
            for (&index, code) in grouped.iter().zip(codes) {
                if let (Some(slot), Some(column)) =
                    (filter.types.get_mut(index), schema.types.get(index))
                {
                    *slot = vec![(code, code)];
                    names.push((column.name.clone(), column.name_of(code)));
                }
            }
            Group { names, filter }
        };
        Ok(product(&choices)?.into_iter().map(group).collect())
    }
}

/// All combinations, ascending where the choices are.
fn product<T: Clone>(choices: &[Vec<T>]) -> Result<Vec<Vec<T>>, SqlError> {
    let mut rows: Vec<Vec<T>> = vec![Vec::new()];
    for choice in choices {
        if rows.len().saturating_mul(choice.len()) > MAX_GROUPS {
            return refuse("groups", format!("more than {MAX_GROUPS} combinations of values"));
        }
        let with = |row: &Vec<T>, item: &T| row.iter().chain([item]).cloned().collect();
        rows = rows.iter().flat_map(|row| choice.iter().map(move |item| with(row, item))).collect();
    }
    Ok(rows)
}

fn conjuncts<'a>(expr: &'a Expr, out: &mut Vec<&'a Expr>) {
    match expr {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            conjuncts(left, out);
            conjuncts(right, out);
        }
        Expr::Nested(inner) => conjuncts(inner, out),
        other => out.push(other),
    }
}

/// What a column is compared with.
enum Literals<'a> {
    /// `=` and `IN`.
    OneOf(Vec<&'a Expr>),
    /// `BETWEEN`.
    Between(&'a Expr, &'a Expr),
}

fn literals(condition: &Expr) -> Option<(&str, Literals<'_>)> {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::Eq, right } => {
            Some((identifier(left)?, Literals::OneOf(vec![right])))
        }
        Expr::InList { expr, list, negated: false } => {
            Some((identifier(expr)?, Literals::OneOf(list.iter().collect())))
        }
        Expr::Between { expr, negated: false, low, high } => {
            Some((identifier(expr)?, Literals::Between(low, high)))
        }
        _ => None,
    }
}

/// A literal without its quotes.
fn literal(expr: &Expr) -> Result<String, SqlError> {
    if let Expr::Value(value) = expr {
        match &value.value {
            Value::Number(number, false) => return Ok(number.clone()),
            Value::SingleQuotedString(text) => return Ok(text.clone()),
            Value::Boolean(flag) => return Ok(flag.to_string()),
            _ => {}
        }
    }
    refuse("value", format!("`{expr}` is not a number, a 'string', true or false"))
}

fn epoch_range(literals: &Literals<'_>) -> Result<(u32, u32), SqlError> {
    let epoch = |expr: &Expr| {
        let text = literal(expr)?;
        let epoch = text.parse().ok();
        epoch.map_or_else(|| refuse("epochs", format!("`{text}` is not an epoch")), Ok)
    };
    match literals {
        Literals::OneOf(list) if list.len() == 1 => {
            let [one] = list.as_slice() else { return refuse("epochs", "one epoch") };
            epoch(one).map(|epoch: u32| (epoch, epoch))
        }
        Literals::OneOf(_) => refuse("epochs", "epochs are an interval: epoch BETWEEN a AND b"),
        Literals::Between(low, high) => Ok((epoch(low)?, epoch(high)?)),
    }
}

/// The codes allowed, as intervals.
fn codes(
    schema: &Schema,
    column: usize,
    literals: &Literals<'_>,
) -> Result<Vec<(u64, u64)>, SqlError> {
    let Some(column) = schema.types.get(column) else { return refuse("column", "no such column") };
    let code = |expr: &Expr| {
        let code = column.code_of(&literal(expr)?);
        code.map_err(|error| SqlError { code: "value", reason: error.to_string() })
    };
    let mut codes = match literals {
        Literals::Between(..) if !matches!(column.kind, TypeKind::U32 | TypeKind::U64) => {
            let reason = format!("`{}` has no order: name its values with IN", column.name);
            return refuse("value", reason);
        }
        Literals::Between(low, high) => {
            let (low, high) = (code(low)?, code(high)?);
            return match low <= high {
                true => Ok(vec![(low, high)]),
                false => refuse("value", format!("`{}`: BETWEEN nothing", column.name)),
            };
        }
        Literals::OneOf(list) => {
            list.iter().map(|expr| code(expr)).collect::<Result<Vec<_>, _>>()?
        }
    };
    codes.sort_unstable();
    if !codes.is_sorted_by(|a, b| a < b) {
        return refuse("value", format!("`{}`: a value is there twice in IN", column.name));
    }
    // Neighbours become one interval: fewer boxes, and one way to say it.
    let mut ranges: Vec<(u64, u64)> = Vec::new();
    for code in codes {
        match ranges.last_mut() {
            Some((_, high)) if code - *high == 1 => *high = code,
            _ => ranges.push((code, code)),
        }
    }
    Ok(ranges)
}
