//! A database as the source or target of a copy.

use std::{ops::RangeInclusive, path::PathBuf};

use crate::{
    OpenMatch, StoreError,
    checksum::StoreId,
    db_error::DbError,
    journal_batch::{self, BatchPart},
    named_rows::{DamagedRow, NameRange, NamedRow, NamedTable, RowSelection},
    row_sums::RowSums,
    rows::{
        INSERT_JOURNAL_ROW, Param, SqlConnection, finished::FinishedEntry, named, open_matches,
        replays, row_sums, whole_matches,
    },
};

/// Maximum number of finished matches that are read at once, since replays are large.
const FINISHED_PER_CHUNK: u32 = 8;

/// Maximum number of named rows that are read at once.
const ROWS_PER_CHUNK: u32 = 200;

/// Returns the smallest name that is greater than that of a row.
pub(super) fn name_after(row: &NamedRow) -> String {
    format!("{}\0", row.name)
}

/// A database with an open transaction, in which values are read or added.
pub(crate) struct CopySide<C> {
    pub(crate) connection: C,
    pub(super) store: StoreId,
    /// The path or address of the database.
    pub(crate) location: PathBuf,
    /// The keys of the matches in play, by node.
    keys: Vec<RangeInclusive<i64>>,
    /// The rows that were added.
    pub(super) sums: RowSums,
}

impl<C: SqlConnection> CopySide<C> {
    pub(crate) fn new(
        connection: C,
        store: StoreId,
        location: impl Into<PathBuf>,
        keys: Vec<RangeInclusive<i64>>,
    ) -> Self {
        Self { connection, store, location: location.into(), keys, sums: RowSums::default() }
    }

    pub(super) fn at<T>(&self, result: Result<T, DbError>) -> Result<T, StoreError> {
        result.map_err(|error| error.at(&self.location))
    }

    /// Compares the tables with the stored sums of their rows.
    pub(super) async fn check_rows_present(&mut self) -> Result<(), StoreError> {
        let differences = row_sums::compare(&mut self.connection).await;
        match self.at(differences)?.pop() {
            Some((damage, _)) => self.at(Err(damage.into())),
            None => Ok(()),
        }
    }

    /// Reads every value, except those of matches in play. Fails at the first damaged one.
    pub(super) async fn read_finished_and_named(&mut self) -> Result<(), StoreError> {
        let mut last = i64::MIN;
        while let Some((number, _)) = self.finished_after(last).await?.pop() {
            last = number;
        }
        for table in NamedTable::ALL {
            let mut from = String::new();
            while let Some(last) = self.rows_from(table, &from).await?.pop() {
                from = name_after(&last);
            }
        }
        Ok(())
    }

    /// Reads the matches in play of all nodes.
    pub(super) async fn open_matches(&mut self) -> Result<Vec<OpenMatch>, StoreError> {
        let mut matches = Vec::new();
        for keys in self.keys.clone() {
            let read = whole_matches::read_whole(&mut self.connection, self.store, keys).await;
            for whole in self.at(read)? {
                let whole = whole.map_err(|unreadable| unreadable.damage.into());
                matches.push(self.at(whole)?.into());
            }
        }
        Ok(matches)
    }

    /// Adds a match in play with this key, and its journal as a batch with the same number.
    pub(super) async fn add_open_match(
        &mut self,
        number: i64,
        open: &OpenMatch,
    ) -> Result<(), StoreError> {
        let (connection, store) = (&mut self.connection, self.store);
        let (id, at) = (&open.match_id, open.opened_at_unix_ms);
        let (header, sums) = (&open.header, &mut self.sums);
        let added = open_matches::insert(connection, store, number, id, at, header, sums).await;
        self.at(added)?;
        if open.journal.is_empty() {
            return Ok(());
        }
        let part = BatchPart {
            match_key: number,
            first_entry: 0,
            previous_batch: None,
            entries: open.journal.clone(),
        };
        self.add_batch(number, number, vec![part]).await
    }

    pub(super) async fn add_batch(
        &mut self,
        number: i64,
        last_match_key: i64,
        parts: Vec<BatchPart>,
    ) -> Result<(), StoreError> {
        let body = journal_batch::write(self.store, number, last_match_key, parts);
        let params = [number.into(), Param::Sums(&self.sums), body.as_slice().into()];
        let added = self.connection.execute(INSERT_JOURNAL_ROW, &params).await;
        self.at(added.map(|_| ()))
    }

    /// Adds the batch with this number, which has the sums of the added rows.
    pub(super) async fn add_sums(&mut self, number: i64) -> Result<(), StoreError> {
        self.add_batch(number, number - 1, Vec::new()).await?;
        let added = row_sums::add_to_locked(&mut self.connection, &self.sums).await;
        self.at(added)
    }

    pub(super) async fn set_last_finish_number(
        &mut self,
        number: Option<i64>,
    ) -> Result<(), StoreError> {
        let params = [number.unwrap_or_default().into()];
        let set = self.connection.execute(C::DIALECT.set_last_finish_number, &params).await;
        self.at(set.map(|_| ()))
    }

    /// Reads the next finished matches after this number.
    pub(super) async fn finished_after(
        &mut self,
        last: i64,
    ) -> Result<Vec<(i64, FinishedEntry)>, StoreError> {
        let (connection, store) = (&mut self.connection, self.store);
        let read = replays::entries_after(connection, store, last, FINISHED_PER_CHUNK).await;
        self.at(read)
    }

    pub(super) async fn add_finished(
        &mut self,
        number: i64,
        entry: &FinishedEntry,
    ) -> Result<(), StoreError> {
        let (connection, sums) = (&mut self.connection, &mut self.sums);
        let added =
            replays::insert_with_replay(connection, self.store, Some(number), entry, sums).await;
        self.at(added)
    }

    /// Reads the next rows of a table, from this name.
    pub(super) async fn rows_from(
        &mut self,
        table: NamedTable,
        from: &str,
    ) -> Result<Vec<NamedRow>, StoreError> {
        let range = NameRange { from: from.to_owned(), before: None };
        let query = table.query(RowSelection::First(range, ROWS_PER_CHUNK));
        let rows = named::read_one(&mut self.connection, self.store, &query).await;
        let rows: Result<_, DamagedRow> = self.at(rows)?.into_iter().collect();
        self.at(rows.map_err(|row| row.into_report().into()))
    }

    pub(super) async fn add_row(
        &mut self,
        table: NamedTable,
        row: NamedRow,
    ) -> Result<(), StoreError> {
        let put = table.put(row.name, row.value);
        let (connection, sums) = (&mut self.connection, &mut self.sums);
        let added = named::apply(connection, self.store, &put, sums).await;
        self.at(added)
    }
}
