//! Copies a store from a data folder into a PostgreSQL database, or back: reads and verifies every
//! value, and writes it to the target. Both have the same store id, so the checksums stay valid. The
//! sums of the written rows are compared with the target, and every value of the target is read.

use std::{ops::RangeInclusive, path::PathBuf};

use tokio::runtime::Handle;

use crate::{
    CompiledFuture, DataDir, OpenMatch, StoreError,
    checksum::StoreId,
    db_error::DbError,
    detached::run_blocking,
    journal_batch::{self, BatchPart},
    named_rows::{DamagedRow, NameRange, NamedRow, NamedTable, RowSelection},
    postgres::opening::{commit_target, open_source, open_target},
    row_sums::{self, CountedTable, RowSums},
    rows::{
        INSERT_JOURNAL_ROW, Param, SqlConnection,
        finished::{self, FinishedEntry},
        named, open_matches, replays, scalar, whole_matches,
    },
    sqlite::copying::{begin_source, copied_side, create_database_with},
};

/// The number of copied values, by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferReport {
    /// The number of matches in play.
    pub open: u64,
    /// The number of finished matches.
    pub finished: u64,
    /// The number of API keys, including revoked keys.
    pub keys: u64,
    /// The number of copied ladders.
    pub ladders: u64,
    /// The number of ladder matches.
    pub ladder_matches: u64,
}

/// Copies a snapshot of the store in a data folder into an empty PostgreSQL database. A server can
/// be using the folder meanwhile. The folder is checked first, and the copy before it is committed.
///
/// # Errors
/// [`StoreError::Damaged`] or [`StoreError::Corrupt`] if anything in the folder is damaged or
/// missing; [`StoreError::NotEmpty`] if the database has rows; or an error from either database.
/// The target database then stays empty.
pub fn copy_to_postgres<'a>(
    dir: &'a DataDir,
    url: &'a str,
) -> CompiledFuture<'a, Result<TransferReport, StoreError>> {
    let (dir, url) = (dir.clone(), url.to_owned());
    in_blocking_thread(move || async move {
        let (database, store) = begin_source(&dir)?;
        let mut source = copied_side(&database, store, dir.database());
        let mut target = open_target(&url, store).await?;
        let report = copy(&mut source, &mut target).await?;
        target.read_everything().await?;
        commit_target(target).await?;
        Ok(report)
    })
}

/// Copies a snapshot of the store in a PostgreSQL database into a data folder, which is created if
/// it is missing. Servers can be using the database meanwhile. The matches in play on all nodes are
/// merged into the folder. The copy is checked before it is moved into place.
///
/// # Errors
/// [`StoreError::NoStore`] if the database has no store; [`StoreError::AlreadyExists`] if the
/// folder already has a store; [`StoreError::Damaged`] or [`StoreError::Corrupt`] if anything in
/// the database is damaged; or an error from either database. The folder then has no store.
pub fn copy_from_postgres<'a>(
    url: &'a str,
    dir: &'a DataDir,
) -> CompiledFuture<'a, Result<TransferReport, StoreError>> {
    let (dir, url) = (dir.clone(), url.to_owned());
    in_blocking_thread(move || async move {
        let mut source = open_source(&url).await?;
        let mut report = TransferReport::default();
        create_database_with(&dir, source.store, async |mut target| {
            report = copy(&mut source, &mut target).await?;
            Ok(())
        })
        .await?;
        Ok(report)
    })
}

/// Runs a future on a thread that is allowed to block, since calls to SQLite block.
fn in_blocking_thread<'a, F: Future<Output = Result<TransferReport, StoreError>>>(
    work: impl FnOnce() -> F + Send + 'static,
) -> CompiledFuture<'a, Result<TransferReport, StoreError>> {
    Box::pin(run_blocking(move || Handle::current().block_on(work())))
}

/// Copies everything. The matches in play get new keys, starting at 1, and each journal becomes one
/// batch. Fails at the first damaged value.
async fn copy<S: SqlConnection, T: SqlConnection>(
    source: &mut CopySide<S>,
    target: &mut CopySide<T>,
) -> Result<TransferReport, StoreError> {
    source.check_rows_present().await?;
    let matches = source.open_matches().await?;
    for (number, open) in (1..).zip(&matches) {
        target.add_open_match(number, open).await?;
    }
    let last = scalar(&mut source.connection, S::DIALECT.last_finish_number, &[]).await;
    target.set_last_finish_number(source.at(last)?).await?;
    let mut last = i64::MIN;
    loop {
        let entries = source.finished_after(last).await?;
        if entries.is_empty() {
            break;
        }
        for (number, entry) in entries {
            last = number;
            target.add_finished(number, &entry).await?;
        }
    }
    for table in NamedTable::ALL {
        let mut from = String::new();
        loop {
            let rows = source.rows_from(table, &from).await?;
            let Some(last) = rows.last() else { break };
            from = name_after(last);
            for row in rows {
                target.add_row(table, row).await?;
            }
        }
    }
    target.add_sums(matches.len() as i64 + 1).await?;
    target.check_rows_present().await?;
    let rows = |table| target.sums.of(table).rows.unsigned_abs();
    Ok(TransferReport {
        open: rows(CountedTable::OpenMatch),
        finished: rows(CountedTable::FinishedMatch),
        keys: rows(CountedTable::Named(NamedTable::Key)),
        ladders: rows(CountedTable::Named(NamedTable::Ladder)),
        ladder_matches: rows(CountedTable::Named(NamedTable::LadderMatch)),
    })
}

/// Maximum number of finished matches that are read at once, since replays are large.
const FINISHED_PER_CHUNK: u32 = 8;

/// Maximum number of named rows that are read at once.
const ROWS_PER_CHUNK: u32 = 200;

/// Returns the smallest name that is greater than that of a row.
fn name_after(row: &NamedRow) -> String {
    format!("{}\0", row.name)
}

/// A database with an open transaction, in which values are read or added.
pub(crate) struct CopySide<C> {
    pub(crate) connection: C,
    store: StoreId,
    /// The path or address of the database.
    pub(crate) location: PathBuf,
    /// The keys of the matches in play, by node.
    keys: Vec<RangeInclusive<i64>>,
    /// The rows that were added.
    sums: RowSums,
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

    fn at<T>(&self, result: Result<T, DbError>) -> Result<T, StoreError> {
        result.map_err(|error| error.at(&self.location))
    }

    /// Compares the tables with the stored sums of their rows.
    async fn check_rows_present(&mut self) -> Result<(), StoreError> {
        let differences = row_sums::compare(&mut self.connection).await;
        match self.at(differences)?.pop() {
            Some((damage, _)) => self.at(Err(damage.into())),
            None => Ok(()),
        }
    }

    /// Reads every value. Fails at the first damaged one.
    async fn read_everything(&mut self) -> Result<(), StoreError> {
        self.open_matches().await?;
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
    async fn open_matches(&mut self) -> Result<Vec<OpenMatch>, StoreError> {
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
    async fn add_open_match(&mut self, number: i64, open: &OpenMatch) -> Result<(), StoreError> {
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

    async fn add_batch(
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
    async fn add_sums(&mut self, number: i64) -> Result<(), StoreError> {
        self.add_batch(number, number - 1, Vec::new()).await?;
        let added = row_sums::add_to_locked(&mut self.connection, &self.sums).await;
        self.at(added)
    }

    async fn set_last_finish_number(&mut self, number: Option<i64>) -> Result<(), StoreError> {
        let params = [number.unwrap_or_default().into()];
        let set = self.connection.execute(C::DIALECT.set_last_finish_number, &params).await;
        self.at(set.map(|_| ()))
    }

    /// Reads the next finished matches after this number.
    async fn finished_after(&mut self, last: i64) -> Result<Vec<(i64, FinishedEntry)>, StoreError> {
        let (connection, store) = (&mut self.connection, self.store);
        let read = replays::entries_after(connection, store, last, FINISHED_PER_CHUNK).await;
        self.at(read)
    }

    async fn add_finished(&mut self, number: i64, entry: &FinishedEntry) -> Result<(), StoreError> {
        let (connection, sums) = (&mut self.connection, &mut self.sums);
        let added = finished::insert(connection, self.store, Some(number), entry, sums).await;
        self.at(added)
    }

    /// Reads the next rows of a table, from this name.
    async fn rows_from(
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

    async fn add_row(&mut self, table: NamedTable, row: NamedRow) -> Result<(), StoreError> {
        let put = table.put(row.name, row.value);
        let (connection, sums) = (&mut self.connection, &mut self.sums);
        let added = named::apply(connection, self.store, &put, sums).await;
        self.at(added)
    }
}
