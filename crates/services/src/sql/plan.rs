//! What is read from a database's table, and how its fields become rows of ours.

use table::{Hash, Row, Schema, SchemaError, TypeKind, USER_COLUMN};
use wire::{DigestWriter, put_bytes};

use super::{
    Source, SqlError,
    address::{Address, Dialect},
    catalog::{Catalog, Kind},
    connection::Fields,
    statement::{Identifier, Statement},
};

/// Characters of a refused value that are shown.
const SHOWN: usize = 200;

/// A column that is read.
struct Column {
    /// Our name of it.
    ours: String,
    name: Identifier,
    kind: Kind,
}

/// The columns of a source, found and fit.
pub(super) struct Plan {
    dialect: Dialect,
    schema: Identifier,
    table: Identifier,
    /// The user, the types and the values, in the order of our schema.
    columns: Vec<Column>,
    epoch: Option<(Column, u32)>,
    cursor: Option<Column>,
}

impl Plan {
    /// Finds every column that is needed, and holds its type to what it is needed for.
    pub(super) fn new(
        catalog: &Catalog,
        source: &Source,
        (schema, dialect, epoch): (&Schema, Dialect, u32),
    ) -> Result<Self, SqlError> {
        let known = |column: &&String| {
            *column == USER_COLUMN
                || schema.types.iter().any(|ours| ours.name == **column)
                || schema.values.iter().any(|ours| ours.name == **column)
        };
        if let Some(column) = source.columns.keys().find(|column| !known(column)) {
            return Err(SqlError::Unknown { column: column.clone() });
        }
        let find = |ours: &str, name: &str, fits: &dyn Fn(Kind) -> bool, wanted| {
            let column = catalog.column(name, fits, wanted)?;
            // A column whose kind is not known fits nothing: `column` has refused it.
            let kind = column.kind.unwrap_or(Kind::Text);
            Ok::<_, SqlError>(Column { ours: ours.to_owned(), name: column.name, kind })
        };
        let named = |ours: &str, fits: &dyn Fn(Kind) -> bool, wanted| {
            find(ours, source.named(ours), fits, wanted)
        };
        let mut columns = vec![named(USER_COLUMN, &is_name, "a text or an integer")?];
        for ours in &schema.types {
            let (fits, wanted): (&dyn Fn(Kind) -> bool, _) = match ours.kind {
                TypeKind::Bool => (
                    &|kind| is_name(kind) || kind == Kind::Boolean,
                    "a truth value, 0 or 1, or a text",
                ),
                TypeKind::Enum(_) => (&is_name, "a text or an integer"),
                TypeKind::U32 | TypeKind::U64 => (&is_exact, "an exact number or a text"),
            };
            columns.push(named(&ours.name, fits, wanted)?);
        }
        for ours in &schema.values {
            columns.push(named(&ours.name, &is_exact, "an exact number or a text")?);
        }
        let integer = |name: &String| find(name, name, &is_integer, "an integer");
        let of_epoch = source.epoch.as_ref().map(integer).transpose()?;
        Ok(Self {
            dialect,
            schema: catalog.schema.clone(),
            table: catalog.table.clone(),
            columns,
            epoch: of_epoch.map(|column| (column, epoch)),
            cursor: source.cursor.as_ref().map(integer).transpose()?,
        })
    }

    /// The table's name, for people.
    pub(super) fn table(&self) -> String {
        self.table.as_str().to_owned()
    }

    /// The cursor's name, for people.
    pub(super) fn cursor(&self) -> Option<&str> {
        self.cursor.as_ref().map(|column| column.name.as_str())
    }

    /// What the watermark is of: this table, read in this way. A source that is read otherwise
    /// begins anew, and what is stored is stored.
    pub(super) fn source(&self, address: &Address) -> Hash {
        let mut bytes = Vec::new();
        put_bytes(&mut bytes, address.shown().as_bytes());
        for name in [&self.schema, &self.table] {
            put_bytes(&mut bytes, name.as_str().as_bytes());
        }
        let epoch = self.epoch.as_ref().map(|(column, _)| column);
        for column in [&epoch, &self.cursor.as_ref()] {
            put_bytes(&mut bytes, column.map_or("", |column| column.name.as_str()).as_bytes());
        }
        for column in &self.columns {
            put_bytes(&mut bytes, column.name.as_str().as_bytes());
        }
        let mut digest = DigestWriter::new("table/sql-source");
        digest.update(&bytes);
        digest.finish()
    }

    /// All rows after a position, by ascending positions where there is a cursor.
    pub(super) fn rows(&self, after: Option<i128>) -> Statement {
        let mut statement = Statement::new(self.dialect).sql("SELECT ");
        for (index, column) in self.columns.iter().chain(&self.cursor).enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            statement = statement.sql(comma).text_of(&column.name);
        }
        let statement = self.from(statement, after);
        match &self.cursor {
            // Not the text that is selected, which PostgreSQL gives the same name.
            Some(cursor) => statement.sql(" ORDER BY source.").name(&cursor.name),
            None => statement,
        }
    }

    /// How many rows there are after a position.
    pub(super) fn count(&self, after: Option<i128>) -> Statement {
        let statement = Statement::new(self.dialect);
        let text = statement.either(
            "SELECT CAST(COUNT(*) AS CHAR CHARACTER SET utf8mb4)",
            "SELECT CAST(COUNT(*) AS text)",
        );
        self.from(text, after)
    }

    /// A user with two rows of the epoch, if there is one.
    pub(super) fn twice(&self) -> Option<Statement> {
        let user = &self.columns.first()?.name;
        let statement = Statement::new(self.dialect).sql("SELECT MIN(").text_of(user).sql(")");
        let statement = self.from(statement, None).sql(" GROUP BY ").bytes_of(user);
        // Counted without NULL, which is named with its row.
        Some(statement.sql(" HAVING COUNT(").name(user).sql(") > 1 LIMIT 1"))
    }

    fn from(&self, statement: Statement, after: Option<i128>) -> Statement {
        let from = statement.sql(" FROM ").name(&self.schema).sql(".").name(&self.table);
        let mut statement = from.sql(" AS source WHERE 1 = 1");
        if let Some((column, epoch)) = &self.epoch {
            statement = statement.sql(" AND ").name(&column.name).sql(" = ");
            statement = statement.bind_integer(i128::from(*epoch), false);
        }
        if let (Some(column), Some(after)) = (&self.cursor, after) {
            let unsigned = matches!(column.kind, Kind::Integer { unsigned: true });
            statement = statement.sql(" AND ").name(&column.name).sql(" > ");
            statement = statement.bind_integer(after, unsigned);
        }
        statement
    }

    /// The cursor's position of a row.
    pub(super) fn position(&self, fields: &Fields) -> Result<Option<i128>, String> {
        let Some(cursor) = &self.cursor else { return Ok(None) };
        let name = cursor.name.as_str();
        let text = fields.get(self.columns.len()).cloned().flatten();
        let text = text.ok_or_else(|| format!("column `{name}`: NULL"))?;
        let position = text.parse().map_err(|_| format!("column `{name}`: no integer"))?;
        Ok(Some(position))
    }

    /// Reads a row as a file of rows is read, or says which column is wrong.
    pub(super) fn row(&self, schema: &Schema, fields: &Fields) -> Result<Row, String> {
        let null = self.columns.iter().zip(fields).find(|(_, field)| field.is_none());
        if let Some((column, _)) = null {
            return Err(format!("column `{}`: NULL", column.name.as_str()));
        }
        let text = |name: &str| {
            let mut columns = self.columns.iter().zip(fields);
            let (column, field) = columns.find(|(column, _)| column.ours == name)?;
            let kind = schema.types.iter().find(|ours| ours.name == name).map(|ours| &ours.kind);
            // MySQL's truth values are integers.
            Some(match (field.as_deref()?, column.kind, kind) {
                ("0", Kind::Integer { .. }, Some(TypeKind::Bool)) => "false",
                ("1", Kind::Integer { .. }, Some(TypeKind::Bool)) => "true",
                (text, _, _) => text,
            })
        };
        let shorten = |error: SchemaError| error.to_string().chars().take(SHOWN).collect();
        schema.row_of(text).map_err(shorten)
    }
}

fn is_integer(kind: Kind) -> bool {
    matches!(kind, Kind::Integer { .. })
}

fn is_name(kind: Kind) -> bool {
    is_integer(kind) || kind == Kind::Text
}

fn is_exact(kind: Kind) -> bool {
    is_name(kind) || kind == Kind::Decimal
}
