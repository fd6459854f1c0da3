//! The copied tables, and the statements that read and write their rows.

use std::fmt::Write as _;

/// Type of a column, which determines how values are converted between the databases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ColumnKind {
    Number,
    Bytes,
    /// Text in both databases.
    Text,
    /// Text in SQLite, bytes in PostgreSQL, since text in PostgreSQL cannot contain NUL.
    Name,
    /// A number in SQLite, a Boolean in PostgreSQL.
    Bool,
}

/// Schema of a copied table.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// The columns of the primary key come first, in key order.
    pub(crate) columns: &'static [(&'static str, ColumnKind)],
    /// The number of columns in the primary key.
    pub(crate) key: usize,
    /// Maximum number of rows that are read or written at once, to limit memory use.
    pub(crate) rows_per_chunk: usize,
}

/// Rows per chunk for tables with rows of a few hundred bytes.
const SMALL_ROWS_PER_CHUNK: usize = 200;

/// Rows per chunk for tables with rows of up to 1 MiB.
const LARGE_ROWS_PER_CHUNK: usize = 8;

use ColumnKind::{Bool, Bytes, Name, Number, Text};

pub(crate) const OPEN_MATCH: &Table = &Table {
    name: "open_match",
    columns: &[
        ("match_key", Number),
        ("match_id", Text),
        ("opened_at_unix_ms", Number),
        ("header", Bytes),
        ("checksum", Number),
    ],
    key: 1,
    rows_per_chunk: SMALL_ROWS_PER_CHUNK,
};

pub(crate) const JOURNAL: &Table = &Table {
    name: "journal",
    columns: &[("batch", Number), ("body", Bytes)],
    key: 1,
    rows_per_chunk: LARGE_ROWS_PER_CHUNK,
};

/// All other tables whose rows, including checksums, are the same in SQLite and PostgreSQL. The
/// tables with the store's owner and with the assigned numbers are not included, since they differ.
pub(crate) const TABLES: &[Table] = &[
    Table {
        name: "finished_match",
        columns: &[
            ("finish_number", Number),
            ("match_id", Text),
            ("opened_at_unix_ms", Number),
            ("ended_at_unix_ms", Number),
            ("summary", Bytes),
            ("parties", Text),
            ("checksum", Number),
        ],
        key: 1,
        rows_per_chunk: SMALL_ROWS_PER_CHUNK,
    },
    Table {
        name: "finished_party",
        columns: &[("name", Text), ("finish_number", Number)],
        key: 2,
        rows_per_chunk: SMALL_ROWS_PER_CHUNK,
    },
    Table {
        name: "replay",
        columns: &[
            ("finish_number", Number),
            ("replay", Bytes),
            ("checksum", Number),
        ],
        key: 1,
        rows_per_chunk: LARGE_ROWS_PER_CHUNK,
    },
    Table {
        name: "secret",
        columns: &[("name", Name), ("value", Bytes), ("checksum", Number)],
        key: 1,
        rows_per_chunk: LARGE_ROWS_PER_CHUNK,
    },
    Table {
        name: "note",
        columns: &[("name", Name), ("value", Bytes), ("checksum", Number)],
        key: 1,
        rows_per_chunk: SMALL_ROWS_PER_CHUNK,
    },
    Table {
        name: "api_key",
        columns: &[
            ("key_number", Number),
            ("key_id", Text),
            ("name", Text),
            ("owner", Text),
            ("scopes", Text),
            ("secret_hash", Bytes),
            ("created_at_unix_ms", Number),
            ("expires_at_unix_ms", Number),
            ("last_used_at_unix_ms", Number),
            ("revoked_at_unix_ms", Number),
            ("checksum", Number),
        ],
        key: 1,
        rows_per_chunk: SMALL_ROWS_PER_CHUNK,
    },
    Table {
        name: "ladder",
        columns: &[
            ("ladder_id", Text),
            ("term", Number),
            ("value", Bytes),
            ("checksum", Number),
        ],
        key: 1,
        rows_per_chunk: SMALL_ROWS_PER_CHUNK,
    },
    Table {
        name: "ladder_version",
        columns: &[
            ("ladder_id", Text),
            ("bot_name", Name),
            ("bot_version", Name),
            ("value", Bytes),
            ("checksum", Number),
        ],
        key: 3,
        rows_per_chunk: SMALL_ROWS_PER_CHUNK,
    },
    Table {
        name: "ladder_match",
        columns: &[
            ("ladder_id", Text),
            ("number", Number),
            ("is_over", Bool),
            ("value", Bytes),
            ("checksum", Number),
        ],
        key: 2,
        rows_per_chunk: SMALL_ROWS_PER_CHUNK,
    },
];

/// A database's SQL syntax for reading and binding values.
pub(crate) trait SqlDialect {
    /// Returns an expression for the value of a column.
    fn read(kind: ColumnKind, column: &str) -> String;

    /// Returns the placeholder of parameter `number`, from 1.
    fn placeholder(kind: ColumnKind, number: usize) -> String;

    /// Returns the valid rows of a table, as an item of `FROM`.
    fn rows(table: &'static str) -> &'static str {
        table
    }
}

impl Table {
    /// Returns the statement that selects the next rows in key order, either after a bound key or
    /// from the start.
    pub(crate) fn select<D: SqlDialect>(&self, has_start: bool) -> String {
        let read = |(name, kind): &(&str, ColumnKind)| D::read(*kind, name);
        let columns: Vec<_> = self.columns.iter().map(read).collect();
        let keys = &self.columns[..self.key];
        let names: Vec<_> = keys.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        let mut sql = format!("SELECT {} FROM {}", columns.join(", "), D::rows(self.name));
        if has_start {
            let placeholders = placeholders::<D>(keys, 1);
            // Writing to a string cannot fail.
            let _ = write!(sql, " WHERE ({names}) > ({placeholders})");
        }
        let _ = write!(sql, " ORDER BY {names} LIMIT {}", self.rows_per_chunk);
        sql
    }

    /// Returns the statement that inserts a given number of rows.
    pub(crate) fn insert<D: SqlDialect>(&self, rows: usize) -> String {
        let names: Vec<_> = self.columns.iter().map(|(name, _)| *name).collect();
        let row = |row| {
            let first = row * self.columns.len() + 1;
            format!("({})", placeholders::<D>(self.columns, first))
        };
        let rows: Vec<_> = (0..rows).map(row).collect();
        let (table, names, rows) = (self.name, names.join(", "), rows.join(", "));
        format!("INSERT INTO {table} ({names}) VALUES {rows}")
    }
}

/// Returns the placeholders of these columns, numbered from `first`.
fn placeholders<D: SqlDialect>(columns: &[(&str, ColumnKind)], first: usize) -> String {
    let numbered = (first..).zip(columns);
    let placeholders: Vec<_> = numbered
        .map(|(number, (_, kind))| D::placeholder(*kind, number))
        .collect();
    placeholders.join(", ")
}
