//! A database as the source or target of a copy.

use std::{ops::RangeInclusive, path::PathBuf};

use crate::{
    DamageReport, OpenMatch, StoreError,
    checksum::{RowChecksum, StoreId},
    db_error::DbError,
    journal_batch::{self, BatchPart},
    named_rows::{self, NameRange, NamedRow, NamedTable, RowSelection},
    row_sums::RowSums,
    rows::{
        INSERT_JOURNAL_ROW, Param, SqlConnection,
        finished::{self, FinishedEntry},
        named, open_matches, row_sums, whole_matches,
    },
};

/// Maximum number of finished matches that are read at once, since replays are large.
const FINISHED_PER_CHUNK: u32 = 8;

/// Maximum number of named rows that are read at once.
const ROWS_PER_CHUNK: u32 = 200;

/// A database with an open transaction, in which values are read or added.
pub(crate) struct CopySide<C> {
    pub(crate) connection: C,
    pub(crate) store: StoreId,
    /// The path or address of the database.
    pub(crate) location: PathBuf,
    /// The keys of the matches in play, by node.
    pub(crate) keys: Vec<RangeInclusive<i64>>,
    /// The rows that were added.
    pub(crate) sums: RowSums,
}

impl<C: SqlConnection> CopySide<C> {
    pub(super) fn error(&self, error: DbError) -> StoreError {
        error.at(&self.location)
    }

    /// Reads the matches in play of all nodes. Fails at the first damaged match.
    pub(super) async fn open_matches(&mut self) -> Result<Vec<OpenMatch>, StoreError> {
        let mut matches = Vec::new();
        for keys in self.keys.clone() {
            let read = whole_matches::read_whole(&mut self.connection, self.store, keys).await;
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
    ) -> Result<(), DbError> {
        let (connection, store) = (&mut self.connection, self.store);
        let (id, at) = (&open.match_id, open.opened_at_unix_ms);
        let (header, sums) = (&open.header, &mut self.sums);
        open_matches::insert(connection, store, number, id, at, header, sums).await?;
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
        let sums = Param::Sums(&self.sums);
        let params = [number.into(), sums, body.as_slice().into()];
        connection.execute(INSERT_JOURNAL_ROW, &params).await?;
        Ok(())
    }

    /// Adds the batch with this number, which has the sums of the added rows.
    pub(super) async fn add_sums(&mut self, number: i64) -> Result<(), StoreError> {
        let body = journal_batch::write(self.store, number, number - 1, Vec::new());
        let sums = Param::Sums(&self.sums);
        let params = [number.into(), sums, body.as_slice().into()];
        let added = self.connection.execute(INSERT_JOURNAL_ROW, &params).await;
        let added = match added {
            Ok(_) => row_sums::add_to_locked(&mut self.connection, &self.sums).await,
            Err(error) => Err(error),
        };
        added.map_err(|error| self.error(error))
    }

    /// Returns the first table of which rows are missing.
    pub(super) async fn find_missing_rows(&mut self) -> Result<Option<DamageReport>, StoreError> {
        let differences = row_sums::compare(&mut self.connection).await;
        let mut differences = differences.map_err(|error| self.error(error))?;
        Ok(differences.pop().map(|(damage, _)| damage))
    }

    /// Passes all finished matches to `visit`, in chunks. Fails at the first damaged match.
    pub(super) async fn scan_finished(
        &mut self,
        mut visit: impl AsyncFnMut(Vec<FinishedEntry>) -> Result<(), StoreError>,
    ) -> Result<Digest, StoreError> {
        let mut digest = Digest::new(self.store);
        let mut last = i64::MIN;
        loop {
            let (connection, store) = (&mut self.connection, self.store);
            let entries = finished::entries_after(connection, store, last, FINISHED_PER_CHUNK);
            let entries = entries.await.map_err(|error| self.error(error))?;
            let Some(newest) = entries.last() else {
                return Ok(digest);
            };
            last = newest.number;
            entries.iter().for_each(|entry| digest.add_finished(entry));
            visit(entries).await?;
        }
    }

    /// Passes all rows of a table to `visit`, in chunks. Fails at the first damaged row.
    pub(super) async fn scan_rows(
        &mut self,
        table: NamedTable,
        mut visit: impl AsyncFnMut(Vec<NamedRow>) -> Result<(), StoreError>,
    ) -> Result<Digest, StoreError> {
        let mut digest = Digest::new(self.store);
        let mut from = String::new();
        loop {
            let range = NameRange { from, before: None };
            let query = table.query(RowSelection::First(range, ROWS_PER_CHUNK));
            let rows = named::read_one(&mut self.connection, self.store, &query).await;
            let rows = rows.map_err(|error| self.error(error))?.into_iter();
            let rows = rows.collect::<Result<Vec<_>, _>>();
            let rows = rows.map_err(|row| named_rows::damaged(self.location.clone(), row))?;
            let Some(last) = rows.last() else {
                return Ok(digest);
            };
            // The smallest name that is greater than the last one.
            from = format!("{}\0", last.name);
            rows.iter().for_each(|row| digest.add_row(row));
            visit(rows).await?;
        }
    }
}

/// Number and hash of the values of one kind, by which the target is compared with the source.
pub(super) struct Digest {
    pub(super) values: u64,
    hash: RowChecksum,
}

impl Digest {
    pub(super) fn new(store: StoreId) -> Self {
        Self { values: 0, hash: store.row_checksum("copy") }
    }

    pub(super) fn add_row(&mut self, row: &NamedRow) {
        self.values += 1;
        self.hash.add_text(&row.name).add_bytes(&row.value);
    }

    pub(super) fn add_finished(&mut self, entry: &FinishedEntry) {
        let FinishedEntry { number, finished, keys, replay } = entry;
        self.values += 1;
        self.hash
            .add_number(*number)
            .add_text(finished.match_id.as_str())
            .add_number(finished.opened_at_unix_ms)
            .add_number(finished.ended_at_unix_ms)
            .add_bytes(&finished.summary)
            .add_text(keys)
            .add_number(replay.is_some().into())
            .add_bytes(replay.as_deref().unwrap_or_default());
    }

    pub(super) fn finish(&self) -> i64 {
        self.hash.finish()
    }
}
