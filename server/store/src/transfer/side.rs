//! A database as the source or target of a copy.

use std::{ops::RangeInclusive, path::PathBuf};

use crate::{
    OpenMatch, StoreError,
    checksum::StoreId,
    journal_batch::{self, BatchPart},
    named_rows::{self, NameRange, NamedRow, NamedTable, RowChange, Selection},
    rows::{
        SqlConnection, StoredRow as _,
        finished::{self, FinishedEntry},
        first, named, open_matches,
        whole_matches::read_whole,
    },
};

/// Maximum number of finished matches that are read at once, since replays are large.
const FINISHED_PER_CHUNK: u32 = 8;

/// Maximum number of named rows that are read at once.
const ROWS_PER_CHUNK: u32 = 200;

/// A database with an open transaction, in which values are read or added.
pub(crate) struct Side<C> {
    pub(crate) connection: C,
    pub(crate) store: StoreId,
    /// The path or address of the database.
    pub(crate) location: PathBuf,
    /// The keys of the matches in play, by node.
    pub(crate) keys: Vec<RangeInclusive<i64>>,
}

impl<C: SqlConnection> Side<C> {
    pub(super) fn error(&self, error: C::Error) -> StoreError {
        C::store_error(error, &self.location)
    }

    /// Reads the matches in play of all nodes. Fails at the first damaged match.
    pub(super) async fn open_matches(&mut self) -> Result<Vec<OpenMatch>, StoreError> {
        let mut matches = Vec::new();
        for keys in self.keys.clone() {
            let read = read_whole(&mut self.connection, self.store, keys).await;
            for whole in read.map_err(|error| self.error(error))? {
                let whole = whole.map_err(|unreadable| self.error(unreadable.damage.into()))?;
                matches.push(whole.into());
            }
        }
        Ok(matches)
    }

    /// Adds a match in play with this key, and its journal as a batch with the same number.
    pub(super) async fn add_open_match(
        &mut self,
        number: i64,
        open: &OpenMatch,
    ) -> Result<(), C::Error> {
        let (connection, store) = (&mut self.connection, self.store);
        let (id, at) = (&open.match_id, open.opened_at_unix_ms);
        open_matches::insert(connection, store, number, id, at, &open.header).await?;
        if open.journal.is_empty() {
            return Ok(());
        }
        let part = BatchPart {
            match_key: number,
            first_entry: 0,
            previous_batch: None,
            entries: open.journal.clone(),
        };
        let body = journal_batch::write(store, number, number, vec![part]);
        let insert = "INSERT INTO journal (batch, body) VALUES ($1, $2)";
        let params = [number.into(), body.as_slice().into()];
        connection.execute(insert, &params).await?;
        Ok(())
    }

    pub(super) async fn last_finish_number(&mut self) -> Result<i64, C::Error> {
        let row = first(&mut self.connection, C::DIALECT.last_finish_number, &[]).await?;
        Ok(row.map(|row| row.value(0)).transpose()?.unwrap_or_default())
    }

    pub(super) async fn set_last_finish_number(&mut self, number: i64) -> Result<(), C::Error> {
        let set = C::DIALECT.set_last_finish_number;
        self.connection.execute(set, &[number.into()]).await?;
        Ok(())
    }

    /// Reads the next finished matches after the last number that was read; `None` after the last
    /// match. Fails at the first damaged match.
    pub(super) async fn next_finished(
        &mut self,
        last: &mut i64,
    ) -> Result<Option<Vec<FinishedEntry>>, StoreError> {
        let (connection, store) = (&mut self.connection, self.store);
        let entries = finished::entries_after(connection, store, *last, FINISHED_PER_CHUNK).await;
        let entries = entries.map_err(|error| self.error(error))?;
        Ok(entries.last().map(|entry| entry.number).map(|number| {
            *last = number;
            entries
        }))
    }

    pub(super) async fn add_finished(&mut self, entries: &[FinishedEntry]) -> Result<(), C::Error> {
        for entry in entries {
            finished::insert(&mut self.connection, self.store, entry.into()).await?;
        }
        Ok(())
    }

    /// Reads the next rows after the last name that was read; `None` after the last row. Fails at
    /// the first damaged row.
    pub(super) async fn next_rows(
        &mut self,
        table: NamedTable,
        last: &mut Option<String>,
    ) -> Result<Option<Vec<NamedRow>>, StoreError> {
        let range = NameRange {
            // The first name after the last one.
            from: last
                .as_ref()
                .map_or_else(String::new, |last| format!("{last}\0")),
            before: None,
        };
        let query = table.query(Selection::First(range, ROWS_PER_CHUNK));
        let rows = named::read_one(&mut self.connection, self.store, &query).await;
        let rows: Result<Vec<_>, _> = rows
            .map_err(|error| self.error(error))?
            .into_iter()
            .collect();
        let rows = rows.map_err(|damaged| named_rows::damaged(self.location.clone(), damaged))?;
        Ok(rows.last().map(|row| row.name.clone()).map(|name| {
            *last = Some(name);
            rows
        }))
    }

    pub(super) async fn apply_to_rows(
        &mut self,
        changes: impl Iterator<Item = RowChange>,
    ) -> Result<(), C::Error> {
        for change in changes {
            named::apply(&mut self.connection, self.store, &change).await?;
        }
        Ok(())
    }
}
