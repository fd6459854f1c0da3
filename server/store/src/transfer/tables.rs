//! The tables of a store as they are copied, and the statements that read and write their rows.

use std::fmt::Write as _;

/// What a column holds, and so how it passes from one database to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Number,
    Bytes,
    /// Text in both.
    Text,
    /// Text in SQLite, bytes in PostgreSQL, whose text has no character 0.
    Name,
    /// A number in SQLite, a truth value in PostgreSQL.
    Truth,
}

/// A table as it is copied.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    /// Those of the primary key come first, in its order.
    pub(crate) columns: &'static [(&'static str, Kind)],
    /// How many columns the primary key has.
    pub(crate) key: usize,
    /// How many rows are read and written at once, so that they fit into memory.
    pub(crate) rows_at_once: usize,
}

/// Rows of a few hundred bytes at once.
const SMALL: usize = 200;

/// Rows of up to a megabyte or so at once.
const LARGE: usize = 8;

use Kind::{Bytes, Name, Number, Text, Truth};

/// The matches in play.
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
    rows_at_once: SMALL,
};

/// The journal of the matches in play.
pub(crate) const JOURNAL: &Table = &Table {
    name: "journal",
    columns: &[("batch", Number), ("body", Bytes)],
    key: 1,
    rows_at_once: LARGE,
};

/// Every other table whose rows both databases have alike, checksums included. How each marks who
/// holds it, and which numbers it has given, is its own.
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
        rows_at_once: SMALL,
    },
    Table {
        name: "finished_party",
        columns: &[("name", Text), ("finish_number", Number)],
        key: 2,
        rows_at_once: SMALL,
    },
    Table {
        name: "replay",
        columns: &[
            ("finish_number", Number),
            ("replay", Bytes),
            ("checksum", Number),
        ],
        key: 1,
        rows_at_once: LARGE,
    },
    Table {
        name: "secret",
        columns: &[("name", Name), ("value", Bytes), ("checksum", Number)],
        key: 1,
        rows_at_once: LARGE,
    },
    Table {
        name: "note",
        columns: &[("name", Name), ("value", Bytes), ("checksum", Number)],
        key: 1,
        rows_at_once: SMALL,
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
        rows_at_once: SMALL,
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
        rows_at_once: SMALL,
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
        rows_at_once: SMALL,
    },
    Table {
        name: "ladder_match",
        columns: &[
            ("ladder_id", Text),
            ("number", Number),
            ("is_over", Truth),
            ("value", Bytes),
            ("checksum", Number),
        ],
        key: 2,
        rows_at_once: SMALL,
    },
];

/// How a database says in SQL what is read, and where a value is put.
pub(crate) trait Dialect {
    /// An expression that gives the value of a column.
    fn read(kind: Kind, column: &str) -> String;

    /// The place of parameter `number`, from 1.
    fn place(kind: Kind, number: usize) -> String;
}

impl Table {
    /// The statement that reads the next rows, in the order of the key: after a row whose key is
    /// bound, or the first ones.
    pub(crate) fn select<D: Dialect>(&self, is_after: bool) -> String {
        let read = |(name, kind): &(&str, Kind)| D::read(*kind, name);
        let columns: Vec<_> = self.columns.iter().map(read).collect();
        let keys = &self.columns[..self.key];
        let names: Vec<_> = keys.iter().map(|(name, _)| *name).collect();
        let names = names.join(", ");
        let mut sql = format!("SELECT {} FROM {}", columns.join(", "), self.name);
        if is_after {
            let places = places::<D>(keys, 1);
            // Writing to a string cannot fail.
            let _ = write!(sql, " WHERE ({names}) > ({places})");
        }
        let _ = write!(sql, " ORDER BY {names} LIMIT {}", self.rows_at_once);
        sql
    }

    /// The statement that adds so many rows.
    pub(crate) fn insert<D: Dialect>(&self, rows: usize) -> String {
        let names: Vec<_> = self.columns.iter().map(|(name, _)| *name).collect();
        let row = |row| {
            let first = row * self.columns.len() + 1;
            format!("({})", places::<D>(self.columns, first))
        };
        let rows: Vec<_> = (0..rows).map(row).collect();
        let (table, names, rows) = (self.name, names.join(", "), rows.join(", "));
        format!("INSERT INTO {table} ({names}) VALUES {rows}")
    }
}

/// Places of parameters, the first of this number.
fn places<D: Dialect>(columns: &[(&str, Kind)], first: usize) -> String {
    let numbered = (first..).zip(columns);
    let places: Vec<_> = numbered
        .map(|(number, (_, kind))| D::place(*kind, number))
        .collect();
    places.join(", ")
}
