//! What `information_schema` says of a table: the names and types of its columns.

use super::{
    Source, SqlError,
    connection::{Connection, Fields},
    statement::{Identifier, Statement},
};

/// Types whose values are taken as they are. The others lose something on the way (`double`), mean
/// different things to different readers (`date`), or are no text (`blob`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Integer { unsigned: bool },
    Decimal,
    Text,
    Boolean,
}

impl Kind {
    /// By its name in either dialect; `detail` is MySQL's full type.
    fn of(name: &str, detail: &str) -> Option<Self> {
        Some(match name {
            "tinyint" | "smallint" | "mediumint" | "int" | "integer" | "bigint" => {
                Self::Integer { unsigned: detail.contains("unsigned") }
            }
            "decimal" | "numeric" => Self::Decimal,
            "varchar" | "text" | "tinytext" | "mediumtext" | "longtext" | "enum"
            | "character varying" => Self::Text,
            // MySQL's is not padded; PostgreSQL, which pads, calls it `character`.
            "char" => Self::Text,
            "boolean" => Self::Boolean,
            _ => return None,
        })
    }
}

/// A column of the database's table.
#[derive(Clone, Debug)]
pub(super) struct Column {
    pub(super) name: Identifier,
    /// Its type, for people.
    pub(super) found: String,
    pub(super) kind: Option<Kind>,
}

/// A table or view, as the database names it.
pub(super) struct Catalog {
    pub(super) schema: Identifier,
    pub(super) table: Identifier,
    columns: Vec<Column>,
}

/// Columns with a detail of their type. Names are compared here, byte for byte: the catalog's own
/// comparison may ignore case.
const MYSQL: &str = "SELECT CAST(table_schema AS CHAR CHARACTER SET utf8mb4), \
    CAST(table_name AS CHAR CHARACTER SET utf8mb4), \
    CAST(column_name AS CHAR CHARACTER SET utf8mb4), \
    CAST(data_type AS CHAR CHARACTER SET utf8mb4), \
    CAST(column_type AS CHAR CHARACTER SET utf8mb4) \
    FROM information_schema.columns WHERE table_name = ";
/// An enum is a type of its own there, which only the catalog below the standard one tells.
const POSTGRES: &str = "SELECT CAST(c.table_schema AS text), CAST(c.table_name AS text), \
    CAST(c.column_name AS text), \
    CASE WHEN t.typtype = 'e' THEN 'enum' ELSE CAST(c.data_type AS text) END, \
    CAST(c.udt_name AS text) \
    FROM information_schema.columns c \
    LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = c.udt_schema \
    LEFT JOIN pg_catalog.pg_type t ON t.typname = c.udt_name AND t.typnamespace = n.oid \
    WHERE c.table_name = ";

impl Catalog {
    /// Looks a source's table up.
    pub(super) async fn read(
        connection: &mut Connection,
        source: &Source,
    ) -> Result<Self, SqlError> {
        let statement = Statement::new(connection.dialect()).either(MYSQL, POSTGRES);
        let statement = statement.bind(&source.table).sql(" AND table_schema = ");
        let statement = match &source.schema {
            Some(schema) => statement.bind(schema),
            None => statement.either("DATABASE()", "CURRENT_SCHEMA()"),
        };
        let found = connection.all(&statement.sql(" ORDER BY ordinal_position")).await?;
        let missing = || SqlError::NoTable { table: source.table.clone() };
        let mut catalog: Option<Self> = None;
        for fields in found {
            let Some([schema, table, name, kind, detail]) = complete(fields) else { continue };
            let differs = source.schema.as_ref().is_some_and(|wanted| *wanted != schema);
            if table != source.table || differs {
                continue;
            }
            let column = Column {
                name: Identifier::of_catalog(name),
                kind: Kind::of(&kind, &detail),
                found: kind,
            };
            let catalog = catalog.get_or_insert_with(|| Self {
                schema: Identifier::of_catalog(schema),
                table: Identifier::of_catalog(table),
                columns: Vec::new(),
            });
            catalog.columns.push(column);
        }
        catalog.ok_or_else(missing)
    }

    /// A column of one of some kinds.
    pub(super) fn column(
        &self,
        name: &str,
        fits: impl Fn(Kind) -> bool,
        wanted: &'static str,
    ) -> Result<Column, SqlError> {
        let table = || self.table.as_str().to_owned();
        let found = self.columns.iter().find(|column| column.name.as_str() == name);
        let found =
            found.ok_or_else(|| SqlError::NoColumn { table: table(), column: name.to_owned() })?;
        match found.kind.is_some_and(fits) {
            true => Ok(found.clone()),
            false => Err(SqlError::Type {
                table: table(),
                column: name.to_owned(),
                found: found.found.clone(),
                wanted,
            }),
        }
    }
}

fn complete(fields: Fields) -> Option<[String; 5]> {
    // What is not five texts describes no column; one that is then missing is an error.
    fields.into_iter().collect::<Option<Vec<_>>>()?.try_into().ok()
}
