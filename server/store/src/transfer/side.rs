//! The interface to a database that is the source or the target of a copy.

use super::{rows::Row, tables::Table};
use crate::StoreError;

/// A database with one open transaction, in which rows are read or added.
pub(crate) trait TransferSide {
    /// Returns the highest assigned number of each table.
    async fn sequences(&mut self) -> Result<Vec<(String, i64)>, StoreError>;

    /// Sets the highest assigned number of a table. Call this before any row is added.
    async fn set_sequence(&mut self, table: &str, last: i64) -> Result<(), StoreError>;

    /// Returns the next rows of a table, in key order; empty after the last row.
    async fn next_rows(
        &mut self,
        table: &'static Table,
        after: Option<&Row>,
    ) -> Result<Vec<Row>, StoreError>;

    /// Adds rows. `rows` must not be empty.
    async fn add(&mut self, table: &'static Table, rows: Vec<Row>) -> Result<(), StoreError>;
}
