//! Copies a store from a data folder into a PostgreSQL database, or back: reads every value, writes
//! it to the target, and compares the target with the source. Both sides have the same store id, so
//! the checksums stay valid.

use std::path::PathBuf;

use crate::{
    CompiledFuture, DataDir, OpenMatch, StoreError,
    checksum::{RowChecksum, StoreId},
    journal_batch::{self, BatchPart},
    named_rows::{
        self, NameRange, NamedRow, NamedTable, RowChange, RowQuery, RowResult, Selection,
    },
    postgres::transfer::PostgresSide,
    rows::finished::FinishedEntry,
    sqlite::{copying::create_database_with, transfer::SqliteSide},
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

/// Maximum number of finished matches that are read at once, since replays are large.
pub(crate) const FINISHED_PER_CHUNK: u32 = 8;

/// Maximum number of named rows that are read at once.
const ROWS_PER_CHUNK: u32 = 200;

/// A database with one open transaction, in which values are read or added. Reads fail at the first
/// damaged value.
pub(crate) trait TransferSide {
    fn store(&self) -> StoreId;

    fn location(&self) -> PathBuf;

    /// Returns the matches in play of all nodes.
    async fn open_matches(&mut self) -> Result<Vec<OpenMatch>, StoreError>;

    /// Adds a match in play with this key, and a journal batch with the same number.
    async fn add_open_match(
        &mut self,
        match_key: i64,
        open: &OpenMatch,
        batch: Option<Vec<u8>>,
    ) -> Result<(), StoreError>;

    /// Returns the highest assigned number of a finished match.
    async fn last_finish_number(&mut self) -> Result<i64, StoreError>;

    /// Sets the highest assigned number of a finished match, before any finished match is added.
    async fn set_last_finish_number(&mut self, number: i64) -> Result<(), StoreError>;

    /// Returns the next finished matches with higher numbers, at most [`FINISHED_PER_CHUNK`].
    async fn finished_after(&mut self, number: i64) -> Result<Vec<FinishedEntry>, StoreError>;

    async fn add_finished(&mut self, entries: Vec<FinishedEntry>) -> Result<(), StoreError>;

    async fn read_rows(&mut self, query: RowQuery) -> Result<Vec<RowResult>, StoreError>;

    async fn apply_to_rows(&mut self, changes: Vec<RowChange>) -> Result<(), StoreError>;
}

/// Copies a snapshot of the store in a data folder into an empty PostgreSQL database. A server can
/// be using the folder meanwhile. The folder is checked first. Before the copy is committed, it is
/// read and compared with the source.
///
/// # Errors
/// [`StoreError::Damaged`] or [`StoreError::Corrupt`] if anything in the folder is damaged or
/// missing; [`StoreError::NotEmpty`] if the database has rows; or an error from either database.
/// The target database then stays empty.
pub fn copy_to_postgres<'a>(
    dir: &'a DataDir,
    url: &'a str,
) -> CompiledFuture<'a, Result<TransferReport, StoreError>> {
    Box::pin(async move {
        let mut source = SqliteSide::open_source(dir).await?;
        let mut target = PostgresSide::open_target(url, source.store()).await?;
        let report = copy(&mut source, &mut target).await?;
        target.finish().await?;
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
    Box::pin(async move {
        let mut source = PostgresSide::open_source(url).await?;
        let mut report = TransferReport::default();
        create_database_with(dir, async |file| {
            let mut target = SqliteSide::create_target(file, source.store()).await?;
            report = copy(&mut source, &mut target).await?;
            target.finish().await
        })
        .await?;
        Ok(report)
    })
}

/// Copies and compares everything.
async fn copy(
    source: &mut impl TransferSide,
    target: &mut impl TransferSide,
) -> Result<TransferReport, StoreError> {
    let mut report = TransferReport {
        open: copy_open_matches(source, target).await?,
        finished: copy_finished(source, target).await?,
        ..TransferReport::default()
    };
    for table in NamedTable::ALL {
        let copied = copy_rows(table, source, target).await?;
        match table {
            NamedTable::Key => report.keys = copied,
            NamedTable::Ladder => report.ladders = copied,
            NamedTable::LadderMatch => report.ladder_matches = copied,
            _ => {}
        }
    }
    Ok(report)
}

/// Copies the matches in play of every node. They get new keys from 1, and each journal becomes one
/// batch.
async fn copy_open_matches(
    source: &mut impl TransferSide,
    target: &mut impl TransferSide,
) -> Result<u64, StoreError> {
    let matches = source.open_matches().await?;
    for (number, open) in (1..).zip(&matches) {
        let part = BatchPart {
            match_key: number,
            first_entry: 0,
            previous_batch: None,
            entries: open.journal.clone(),
        };
        let batch = (!part.entries.is_empty())
            .then(|| journal_batch::write(target.store(), number, number, vec![part]));
        target.add_open_match(number, open, batch).await?;
    }
    require_same("open_match", target.open_matches().await? == matches)?;
    Ok(matches.len() as u64)
}

async fn copy_finished(
    source: &mut impl TransferSide,
    target: &mut impl TransferSide,
) -> Result<u64, StoreError> {
    let last = source.last_finish_number().await?;
    target.set_last_finish_number(last).await?;
    let mut written = Digest::new(target.store());
    let mut last = i64::MIN;
    loop {
        let entries = source.finished_after(last).await?;
        let Some(newest) = entries.last() else { break };
        last = newest.number;
        entries.iter().for_each(|entry| written.add_finished(entry));
        target.add_finished(entries).await?;
    }
    let mut read = Digest::new(target.store());
    let mut last = i64::MIN;
    loop {
        let entries = target.finished_after(last).await?;
        let Some(newest) = entries.last() else { break };
        last = newest.number;
        entries.iter().for_each(|entry| read.add_finished(entry));
    }
    require_same("finished_match", read.finish() == written.finish())?;
    Ok(read.values)
}

async fn copy_rows(
    table: NamedTable,
    source: &mut impl TransferSide,
    target: &mut impl TransferSide,
) -> Result<u64, StoreError> {
    let mut written = Digest::new(target.store());
    let mut last = None;
    while let Some(rows) = next_rows(table, &mut last, source).await? {
        rows.iter().for_each(|row| written.add_row(row));
        let changes = rows.into_iter().map(|row| table.put(row.name, row.value));
        target.apply_to_rows(changes.collect()).await?;
    }
    let mut read = Digest::new(target.store());
    let mut last = None;
    while let Some(rows) = next_rows(table, &mut last, target).await? {
        rows.iter().for_each(|row| read.add_row(row));
    }
    require_same(table.sql_name(), read.finish() == written.finish())?;
    Ok(read.values)
}

/// Reads the next rows after the last name that was read; `None` after the last row.
async fn next_rows(
    table: NamedTable,
    last: &mut Option<String>,
    side: &mut impl TransferSide,
) -> Result<Option<Vec<NamedRow>>, StoreError> {
    let range = NameRange {
        // The first name after the last one.
        from: last
            .as_ref()
            .map_or_else(String::new, |last| format!("{last}\0")),
        before: None,
    };
    let query = table.query(Selection::First(range, ROWS_PER_CHUNK));
    let rows: Result<Vec<_>, _> = side.read_rows(query).await?.into_iter().collect();
    let rows = rows.map_err(|damaged| named_rows::damaged(side.location(), damaged))?;
    Ok(rows.last().map(|row| row.name.clone()).map(|name| {
        *last = Some(name);
        rows
    }))
}

fn require_same(table: &'static str, is_same: bool) -> Result<(), StoreError> {
    if is_same {
        Ok(())
    } else {
        Err(StoreError::CopyMismatch { table })
    }
}

/// Number and hash of the values of one kind, to compare the target with the source.
struct Digest {
    values: u64,
    hash: RowChecksum,
}

impl Digest {
    fn new(store: StoreId) -> Self {
        Self {
            values: 0,
            hash: store.row_checksum("copy"),
        }
    }

    fn add_row(&mut self, row: &NamedRow) {
        self.values += 1;
        self.hash.add_text(&row.name).add_bytes(&row.value);
    }

    fn add_finished(&mut self, entry: &FinishedEntry) {
        let FinishedEntry {
            number,
            finished,
            parties,
            replay,
        } = entry;
        self.values += 1;
        self.hash
            .add_number(*number)
            .add_text(finished.match_id.as_str())
            .add_number(finished.opened_at_unix_ms)
            .add_number(finished.ended_at_unix_ms)
            .add_bytes(&finished.summary)
            .add_text(parties)
            .add_number(replay.is_some().into())
            .add_bytes(replay.as_deref().unwrap_or_default());
    }

    fn finish(&self) -> i64 {
        self.hash.finish()
    }
}
