//! Aggregates: from `AVG(power)` to what is proven, and from the proof to the number.

use serde_json::{Value, json};
use sqlparser::ast::{Expr, Function, FunctionArguments};

use super::error::{SqlError, refuse};
use crate::{
    Fraction, Schema, ValueColumn,
    claims::outcome_json,
    query::{Exact, Outcome, ROOT_DECIMALS, Rank, Root, Statistic, Summary},
};

/// Decimals of means and variances beyond those of the column.
const EXTRA_DECIMALS: u32 = 4;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    Count,
    Sum,
    Average,
    Variance,
    Deviation,
    Skewness,
    /// All of the outcome: ranks, top shares, histograms.
    Whole,
}

/// What an answer is shown as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aggregate {
    /// The alias, or the aggregate as it was asked for.
    pub label: String,
    shown: Shown,
}

/// An aggregate and what must be proven for it.
pub(super) struct Wanted {
    pub(super) column: u16,
    pub(super) statistic: Statistic,
    pub(super) aggregate: Aggregate,
}

impl Wanted {
    /// Reads an aggregate.
    pub(super) fn read(
        schema: &Schema,
        expr: &Expr,
        alias: Option<String>,
    ) -> Result<Self, SqlError> {
        let Some((name, arguments)) = call(expr) else {
            return refuse("aggregate", format!("`{expr}` is not AGGREGATE(column)"));
        };
        let (name, label) = (name.to_uppercase(), alias.unwrap_or_else(|| expr.to_string()));
        let wanted = |column, statistic, shown| {
            Ok(Self { column, statistic, aggregate: Aggregate { label, shown } })
        };
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match (name.as_str(), arguments.as_slice()) {
            ("COUNT", ["*"]) => {
                // A schema has an ordered column; the rows are the same in each.
                let first = schema.ordered().next().unwrap_or_default();
                wanted(first, Statistic::Moments, Shown::Count)
            }
            ("QUANTILE", [column, p]) => {
                let rank = Rank::Quantile(fraction(schema, p)?);
                wanted(value_column(schema, column)?, Statistic::Order(rank), Shown::Whole)
            }
            ("TOP", [column, p]) => {
                let share = Statistic::Top(fraction(schema, p)?);
                wanted(value_column(schema, column)?, share, Shown::Whole)
            }
            (_, [column]) => {
                let (statistic, shown) = one_column(schema, &name)?;
                let column = value_column(schema, column)?;
                let needed = match shown {
                    Shown::Variance | Shown::Deviation => 2,
                    Shown::Skewness => 3,
                    _ => 1,
                };
                if needed > 1 && schema.policy.rounding.is_some() {
                    return refuse("rounding", format!("the policy rounds sums: no {name}"));
                }
                if schema.moments(column) < needed {
                    let reason = format!("{name} needs a column with `moments = {needed}`");
                    return refuse("moments", reason);
                }
                wanted(column, statistic, shown)
            }
            _ => refuse("aggregate", format!("`{expr}` has another number of arguments")),
        }
    }
}

fn one_column(schema: &Schema, name: &str) -> Result<(Statistic, Shown), SqlError> {
    let moments = |shown| Ok((Statistic::Moments, shown));
    match name {
        "COUNT" => moments(Shown::Count),
        "SUM" => moments(Shown::Sum),
        "AVG" => moments(Shown::Average),
        "VAR_SAMP" => moments(Shown::Variance),
        "STDDEV_SAMP" => moments(Shown::Deviation),
        "SKEW" => moments(Shown::Skewness),
        "MIN" => Ok((Statistic::Order(Rank::Min), Shown::Whole)),
        "MAX" => Ok((Statistic::Order(Rank::Max), Shown::Whole)),
        "MEDIAN" => {
            let half = fraction(schema, "1 / 2")?;
            Ok((Statistic::Order(Rank::Quantile(half)), Shown::Whole))
        }
        "HISTOGRAM" => Ok((Statistic::Histogram, Shown::Whole)),
        _ => refuse("aggregate", format!("there is no aggregate {name} of one column")),
    }
}

/// Name and arguments of a plain call.
fn call(expr: &Expr) -> Option<(String, Vec<String>)> {
    let Expr::Function(function) = expr else { return None };
    let Function { name, args: FunctionArguments::List(list), .. } = function else { return None };
    let arguments: Vec<String> = list.args.iter().map(ToString::to_string).collect();
    // DISTINCT, FILTER, OVER and the like would not be spelt by name and arguments.
    let plain = function.to_string() == format!("{name}({})", arguments.join(", "));
    let unquote = |text: &String| text.trim_matches('"').to_owned();
    plain.then(|| (name.to_string(), arguments.iter().map(unquote).collect()))
}

fn value_column(schema: &Schema, name: &str) -> Result<u16, SqlError> {
    let position = schema.values.iter().position(|column| column.name == name);
    position.map_or_else(
        || {
            let names: Vec<&str> = schema.values.iter().map(|v| v.name.as_str()).collect();
            let known = names.join(", ");
            refuse("column", format!("`{name}` is no value column; there are: {known}"))
        },
        |position| Ok(position as u16),
    )
}

/// The policy's fraction of that value: `0.05` and `1/20` are the same.
fn fraction(schema: &Schema, text: &str) -> Result<Fraction, SqlError> {
    // What is no fraction is none of the policy's, and refused below.
    let read = || {
        if let Some((part, whole)) = text.split_once('/') {
            return Some((part.trim().parse().ok()?, whole.trim().parse().ok()?));
        }
        let decimals = text.strip_prefix("0.").or_else(|| text.strip_prefix('.'))?;
        let whole = 10_u64.checked_pow(u32::try_from(decimals.len()).ok()?)?;
        Some((decimals.parse::<u64>().ok()?, whole))
    };
    let grid = &schema.policy.quantiles;
    let same = |(part, whole): (u64, u64)| {
        let equal = |p: &&Fraction| {
            u128::from(p.part) * u128::from(whole) == u128::from(part) * u128::from(p.whole)
        };
        grid.iter().find(equal).copied()
    };
    let Some(asked) = read() else {
        return refuse("value", format!("`{text}` is not a fraction such as 0.05 or 1/20"));
    };
    same(asked).map_or_else(
        || {
            let granted: Vec<_> = grid.iter().map(|p| format!("{}/{}", p.part, p.whole)).collect();
            let granted = granted.join(", ");
            refuse("fraction", format!("`{text}` is not one of the policy's: {granted}"))
        },
        Ok,
    )
}

impl Aggregate {
    /// The number in an answer's outcome, as the claim about it states it; `null` where there are
    /// too few rows for one, and `{"withheld": why}` where the policy's hierarchy withholds it.
    pub fn show(&self, schema: &Schema, column: &ValueColumn, outcome: &Outcome) -> Value {
        let scale = u32::from(column.scale);
        let rounded = |exact: Exact| exact.to_decimal(scale + EXTRA_DECIMALS);
        match (outcome, self.shown) {
            (Outcome::Empty, Shown::Count) => json!(0),
            (Outcome::Empty, _) => Value::Null,
            (Outcome::Order { .. }, _) => {
                // Here and below: outcomes of this kind have the field.
                outcome_json(schema, column, outcome).get("value").cloned().unwrap_or_default()
            }
            (Outcome::Rounded { .. }, shown) => {
                let field = match shown {
                    Shown::Count => "count",
                    Shown::Average => "mean",
                    _ => "sum",
                };
                outcome_json(schema, column, outcome).get(field).cloned().unwrap_or_default()
            }
            (Outcome::Moments(moments), shown) => {
                let summary = Summary::of(column, moments);
                let root = |root: Option<Root>| root.map(|root| root.to_decimal(ROOT_DECIMALS));
                match shown {
                    Shown::Count => json!(summary.count),
                    Shown::Sum => json!(summary.sum.to_decimal(scale)),
                    Shown::Average => json!(summary.mean.map(rounded)),
                    Shown::Variance => json!(summary.variance.map(rounded)),
                    Shown::Deviation => json!(root(summary.deviation)),
                    Shown::Skewness => json!(root(summary.skewness)),
                    Shown::Whole => Value::Null,
                }
            }
            (Outcome::Top { .. } | Outcome::Histogram(_) | Outcome::Withheld(_), _) => {
                outcome_json(schema, column, outcome)
            }
        }
    }
}
