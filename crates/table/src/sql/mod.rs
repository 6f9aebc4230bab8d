//! The query language (`docs/table.md`): a subset of SQL, mapped to queries with proofs.
//!
//! ```text
//! SELECT agg [, agg].. FROM table WHERE epoch BETWEEN 1 AND 3 AND district IN (4, 5)
//!     AND industrial = false [GROUP BY district, industrial]
//! agg = COUNT(*) | SUM AVG VAR_SAMP STDDEV_SAMP SKEW MIN MAX MEDIAN HISTOGRAM (column)
//!     | QUANTILE(column, p) | TOP(column, p)        p = 0.05 or 1/20, one of the policy's
//! ```
//!
//! Every group is a query of its own, also groups without rows: groups come from schema and
//! conditions and not from the data, so that none can be left out. Aggregates that follow from the
//! same proof share it.

mod aggregate;
mod error;
mod filter;

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use sqlparser::{
    ast::{GroupByExpr, Select, SelectItem, SetExpr, Statement, TableFactor},
    dialect::AnsiDialect,
    keywords::Keyword,
    parser::Parser,
    tokenizer::{Token, Tokenizer},
};

pub use self::{aggregate::Aggregate, error::SqlError};
use self::{
    aggregate::Wanted,
    error::refuse,
    filter::{Filter, identifier, type_column},
};
use crate::{
    Fault, Schema, Table,
    query::{Answer, Query, Region, Statistic},
};

/// Bytes of a query.
const MAX_LEN: usize = 1 << 13;
/// Boxes of all queries of a plan.
const MAX_BOXES: u64 = 1 << 14;
/// Pairs of boxes that are compared when the queries of a plan are checked.
const MAX_PAIRS: u64 = 1 << 24;

/// A query of a plan, and what its answer is shown as.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The values of the `GROUP BY` columns, by name.
    pub group: Vec<(String, String)>,
    /// What is asked.
    pub query: Query,
    /// What follows from the answer, in the order of the `SELECT`.
    pub aggregates: Vec<Aggregate>,
}

/// Reads a query about a table whose log has `log_size` epochs, and holds it to the policy.
///
/// # Errors
/// [`SqlError`] with the reason.
pub fn plan(table: &Table, log_size: u64, text: &str) -> Result<Vec<Planned>, SqlError> {
    let select = parse(text)?;
    let schema = table.schema();
    let named = table_name(&select)?;
    if named != schema.table {
        return refuse("table", format!("there is no table `{named}`; it is `{}`", schema.table));
    }
    let filter = Filter::read(schema, select.selection.as_ref())?;
    let grouped = grouped(schema, &select)?;
    let wanted = wanted(schema, &select, &grouped)?;
    distinct(schema, &grouped, &wanted)?;
    let shared = share(wanted);
    bound(&filter, schema, &grouped, shared.len())?;
    let mut plan = Vec::new();
    for group in filter.groups(schema, &grouped)? {
        let region =
            Region { from: filter.epochs.0, to: filter.epochs.1, boxes: group.filter.boxes()? };
        for ((column, statistic), aggregates) in &shared {
            let query = Query { column: *column, region: region.clone(), statistic: *statistic };
            query.check(table, log_size).map_err(from_fault)?;
            let aggregates = aggregates.clone();
            plan.push(Planned { group: group.names.clone(), query, aggregates });
        }
    }
    Ok(plan)
}

/// Two things under one label would be shown as one: a sum in place of a mean, or of the group's name.
fn distinct(schema: &Schema, grouped: &[usize], wanted: &[Wanted]) -> Result<(), SqlError> {
    let groups = grouped.iter().filter_map(|index| schema.types.get(*index));
    let mut labels: BTreeSet<&str> = groups.map(|column| column.name.as_str()).collect();
    match wanted.iter().find(|one| !labels.insert(one.aggregate.label.as_str())) {
        None => Ok(()),
        Some(Wanted { aggregate, .. }) => {
            refuse("label", format!("`{}` stands for two things: use AS", aggregate.label))
        }
    }
}

/// What is asked about every group: aggregates that follow from the same proof share it.
fn share(wanted: Vec<Wanted>) -> Vec<((u16, Statistic), Vec<Aggregate>)> {
    let mut shared: Vec<((u16, Statistic), Vec<Aggregate>)> = Vec::new();
    for Wanted { column, statistic, aggregate } in wanted {
        match shared.iter_mut().find(|(proof, _)| *proof == (column, statistic)) {
            Some((_, aggregates)) => aggregates.push(aggregate),
            None => shared.push(((column, statistic), vec![aggregate])),
        }
    }
    shared
}

/// Refuses a plan that would be too large, by its numbers alone: a few kilobytes of SQL can name
/// thousands of groups, each of thousands of boxes, for dozens of aggregates.
fn bound(
    filter: &Filter,
    schema: &Schema,
    grouped: &[usize],
    proofs: usize,
) -> Result<(), SqlError> {
    let (groups, boxes) = filter.size(schema, grouped)?;
    let regions = groups.saturating_mul(proofs as u64);
    if regions.saturating_mul(boxes) > MAX_BOXES {
        let reason = format!(
            "{groups} groups, each of {boxes} combinations of values, for {proofs} proofs: more than \
             {MAX_BOXES} together"
        );
        return refuse("groups", reason);
    }
    match regions.saturating_mul(boxes).saturating_mul(boxes) > MAX_PAIRS {
        true => refuse("groups", format!("{boxes} combinations of values are too many to compare")),
        false => Ok(()),
    }
}

/// The values of the `GROUP BY` columns, by name.
type Group<'a> = &'a [(String, String)];

/// What answers to a plan show: an object for every group, with all that was asked about it. The
/// answers are those of the plan, in its order.
pub fn shown(schema: &Schema, plan: &[Planned], answers: &[Answer]) -> Vec<Map<String, Value>> {
    let mut rows: Vec<(Group<'_>, Map<String, Value>)> = Vec::new();
    for (planned, answer) in plan.iter().zip(answers) {
        let Some(column) = schema.value(planned.query.column) else { continue };
        if rows.last().is_none_or(|(group, _)| *group != planned.group) {
            let named = planned.group.iter().map(|(name, value)| (name.clone(), json!(value)));
            rows.push((&planned.group, named.collect()));
        }
        if let Some((_, row)) = rows.last_mut() {
            for aggregate in &planned.aggregates {
                let value = aggregate.show(schema, column, &answer.outcome);
                row.insert(aggregate.label.clone(), value);
            }
        }
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

fn from_fault(fault: Fault) -> SqlError {
    match fault {
        Fault::Policy { code, reason } => SqlError { code, reason: reason.to_owned() },
        outside @ Fault::Hierarchy { .. } => {
            SqlError { code: "hierarchy", reason: outside.to_string() }
        }
        other => SqlError { code: "epochs", reason: other.to_string() },
    }
}

/// Parses one SELECT without anything that the subset does not have.
fn parse(text: &str) -> Result<Select, SqlError> {
    let failed = |error: String| SqlError { code: "syntax", reason: error };
    if text.len() > MAX_LEN {
        return refuse("syntax", format!("a query has at most {MAX_LEN} bytes"));
    }
    let mut tokens = Tokenizer::new(&AnsiDialect {}, text)
        .tokenize()
        .map_err(|error| failed(error.to_string()))?;
    // `SELECT TOP (..)` of another dialect would hide the aggregate.
    for token in &mut tokens {
        if let Token::Word(word) = token
            && word.keyword == Keyword::TOP
        {
            word.keyword = Keyword::NoKeyword;
        }
    }
    let mut parser = Parser::new(&AnsiDialect {}).with_tokens(tokens);
    let statements = parser.parse_statements().map_err(|error| failed(error.to_string()))?;
    let mut statements = statements.into_iter();
    let (Some(Statement::Query(query)), None) = (statements.next(), statements.next()) else {
        return refuse("subset", "a query is one SELECT");
    };
    let whole = query.to_string();
    let SetExpr::Select(select) = *query.body else {
        return refuse("subset", "a query is one SELECT");
    };
    // What the understood parts do not spell was not understood: joins, HAVING, DISTINCT, LIMIT, ..
    match whole == spell(&select) {
        true => Ok(*select),
        false => refuse("subset", "only SELECT .. FROM .. WHERE .. GROUP BY .. is understood"),
    }
}

/// The parts of a SELECT that are read.
fn spell(select: &Select) -> String {
    let list = |items: Vec<String>| items.join(", ");
    let items = list(select.projection.iter().map(ToString::to_string).collect());
    let tables = list(select.from.iter().map(|from| from.relation.to_string()).collect());
    let mut text = format!("SELECT {items} FROM {tables}");
    if let Some(selection) = &select.selection {
        text += &format!(" WHERE {selection}");
    }
    if let GroupByExpr::Expressions(columns, _) = &select.group_by
        && !columns.is_empty()
    {
        let columns = list(columns.iter().map(ToString::to_string).collect());
        text += &format!(" GROUP BY {columns}");
    }
    text
}

fn table_name(select: &Select) -> Result<String, SqlError> {
    let [from] = select.from.as_slice() else {
        return refuse("subset", "a query is about one table");
    };
    if let TableFactor::Table { name, .. } = &from.relation
        && let [part] = name.0.as_slice()
        && let Some(ident) = part.as_ident()
        && ident.to_string() == from.relation.to_string()
    {
        return Ok(ident.value.clone());
    }
    refuse("subset", format!("`{}` is not the name of a table", from.relation))
}

/// The positions of the `GROUP BY` columns.
fn grouped(schema: &Schema, select: &Select) -> Result<Vec<usize>, SqlError> {
    let GroupByExpr::Expressions(columns, _) = &select.group_by else {
        return refuse("subset", "GROUP BY names its columns");
    };
    let mut grouped = Vec::new();
    for expr in columns {
        let Some(name) = identifier(expr) else {
            return refuse("subset", format!("`{expr}`: GROUP BY takes columns"));
        };
        let column = type_column(schema, name)?;
        if grouped.contains(&column) {
            return refuse("column", format!("`{name}` is there twice in GROUP BY"));
        }
        grouped.push(column);
    }
    Ok(grouped)
}

/// The aggregates; columns of the `GROUP BY`, which are shown anyway, may stand among them.
fn wanted(schema: &Schema, select: &Select, grouped: &[usize]) -> Result<Vec<Wanted>, SqlError> {
    let mut wanted = Vec::new();
    for item in &select.projection {
        let (expr, alias) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.value.clone())),
            other => return refuse("subset", format!("`{other}` is no aggregate")),
        };
        if let Some(name) = identifier(expr) {
            if !grouped.contains(&type_column(schema, name)?) {
                return refuse("column", format!("`{name}` must stand in GROUP BY"));
            }
            continue;
        }
        wanted.push(Wanted::read(schema, expr, alias)?);
    }
    match wanted.is_empty() {
        true => refuse("aggregate", "a query asks for at least one aggregate"),
        false => Ok(wanted),
    }
}

#[cfg(test)]
mod tests;
