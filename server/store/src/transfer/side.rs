//! One of the two databases of a copy.

use super::{rows::Row, tables::Table};
use crate::StoreError;

/// A database as rows are read from it and added to it, in one transaction.
pub(crate) trait Side {
    /// The highest numbers that were given, by table.
    async fn given_numbers(&mut self) -> Result<Vec<(String, i64)>, StoreError>;

    /// Keeps a highest number. Before any row is added.
    async fn keep_given_number(&mut self, table: &str, last: i64) -> Result<(), StoreError>;

    /// The next rows of a table, in the order of its key; none after the last.
    async fn rows(
        &mut self,
        table: &'static Table,
        after: Option<&Row>,
    ) -> Result<Vec<Row>, StoreError>;

    /// Adds rows, at least one.
    async fn add(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<(), StoreError>;
}
