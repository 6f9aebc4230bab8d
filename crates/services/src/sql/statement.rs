//! The text of statements: constants and identifiers that the database itself named. Everything else
//! is bound.

use super::address::Dialect;

/// A name that `information_schema` returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identifier(String);

impl Identifier {
    /// To be called with what the catalog returned, and nothing else.
    pub(super) fn of_catalog(name: String) -> Self {
        Self(name)
    }

    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Standard quoting: the mark around, and every mark inside twice.
    fn quoted(&self, dialect: Dialect) -> String {
        let (mark, twice) = match dialect {
            Dialect::MySql => ("`", "``"),
            Dialect::Postgres => ("\"", "\"\""),
        };
        format!("{mark}{}{mark}", self.0.replace(mark, twice))
    }
}

/// A piece of a statement.
pub(super) enum Part {
    Text(String),
    Bound(String),
}

/// A statement with its parameters.
pub(super) struct Statement {
    dialect: Dialect,
    pub(super) parts: Vec<Part>,
}

impl Statement {
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, parts: Vec::new() }
    }

    /// Adds text that is a constant of this program.
    pub(super) fn sql(mut self, text: &'static str) -> Self {
        self.parts.push(Part::Text(text.to_owned()));
        self
    }

    /// Adds text that each dialect writes in its own way.
    pub(super) fn either(self, mysql: &'static str, postgres: &'static str) -> Self {
        match self.dialect {
            Dialect::MySql => self.sql(mysql),
            Dialect::Postgres => self.sql(postgres),
        }
    }

    /// Adds a quoted name.
    pub(super) fn name(mut self, name: &Identifier) -> Self {
        self.parts.push(Part::Text(name.quoted(self.dialect)));
        self
    }

    /// Adds a text parameter.
    pub(super) fn bind(mut self, value: impl ToString) -> Self {
        self.parts.push(Part::Bound(value.to_string()));
        self
    }

    /// Adds an integer parameter; only MySQL has unsigned ones.
    pub(super) fn bind_integer(self, value: i128, unsigned: bool) -> Self {
        let bound = self.sql("CAST(").bind(value);
        match unsigned {
            true => bound.sql(" AS UNSIGNED)"),
            false => bound.either(" AS SIGNED)", " AS bigint)"),
        }
    }

    /// Adds a column as text: exact for integers, decimals, texts and truth values.
    pub(super) fn text_of(self, column: &Identifier) -> Self {
        let cast = self.sql("CAST(").name(column);
        cast.either(" AS CHAR CHARACTER SET utf8mb4)", " AS text)")
    }

    /// Adds a column so that equal means equal byte for byte.
    pub(super) fn bytes_of(self, column: &Identifier) -> Self {
        let cast = self.either("CAST(", "(").text_of(column);
        cast.either(" AS BINARY)", " COLLATE \"C\")")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_cannot_end_their_quotes() {
        let name = Identifier::of_catalog("a`b\"c; DROP TABLE x -- ".to_owned());
        assert_eq!(name.quoted(Dialect::MySql), "`a``b\"c; DROP TABLE x -- `");
        assert_eq!(name.quoted(Dialect::Postgres), "\"a`b\"\"c; DROP TABLE x -- \"");
    }
}
