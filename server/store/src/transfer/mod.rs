//! Copies a store from a data folder into a PostgreSQL database, or back: reads every value, writes
//! it to the target, and compares the target with the source. Both sides have the same store id, so
//! the checksums stay valid.

pub(crate) mod side;

use tokio::runtime::Handle;

use crate::{
    CompiledFuture, DataDir, StoreError,
    checksum::{RowChecksum, StoreId},
    detached::run_blocking,
    named_rows::{NamedRow, NamedTable},
    postgres::transfer::{finish_target, open_source, open_target},
    rows::{SqlConnection, finished::FinishedEntry},
    sqlite::{
        copying::create_database_with,
        transfer::{begin_source, commit_target, create_target},
    },
};
use side::Side;

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
    let (dir, url) = (dir.clone(), url.to_owned());
    in_blocking_thread(move || async move {
        let database = begin_source(&dir)?;
        let mut source = database.side();
        let mut target = open_target(&url, source.store).await?;
        let report = copy(&mut source, &mut target).await?;
        finish_target(target).await?;
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
        create_database_with(&dir, async |file| {
            let database = create_target(file, source.store)?;
            report = copy(&mut source, &mut database.side()).await?;
            commit_target(database)
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

/// Copies and compares everything.
async fn copy<S: SqlConnection, T: SqlConnection>(
    source: &mut Side<S>,
    target: &mut Side<T>,
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
async fn copy_open_matches<S: SqlConnection, T: SqlConnection>(
    source: &mut Side<S>,
    target: &mut Side<T>,
) -> Result<u64, StoreError> {
    let matches = source.open_matches().await?;
    for (number, open) in (1..).zip(&matches) {
        let added = target.add_open_match(number, open).await;
        added.map_err(|error| target.error(error))?;
    }
    require_same("open_match", target.open_matches().await? == matches)?;
    Ok(matches.len() as u64)
}

async fn copy_finished<S: SqlConnection, T: SqlConnection>(
    source: &mut Side<S>,
    target: &mut Side<T>,
) -> Result<u64, StoreError> {
    let last = source.last_finish_number().await;
    let last = last.map_err(|error| source.error(error))?;
    let set = target.set_last_finish_number(last).await;
    set.map_err(|error| target.error(error))?;
    let mut written = Digest::new(target.store);
    let mut last = i64::MIN;
    while let Some(entries) = source.next_finished(&mut last).await? {
        entries.iter().for_each(|entry| written.add_finished(entry));
        let added = target.add_finished(&entries).await;
        added.map_err(|error| target.error(error))?;
    }
    let mut read = Digest::new(target.store);
    let mut last = i64::MIN;
    while let Some(entries) = target.next_finished(&mut last).await? {
        entries.iter().for_each(|entry| read.add_finished(entry));
    }
    require_same("finished_match", read.finish() == written.finish())?;
    Ok(read.values)
}

async fn copy_rows<S: SqlConnection, T: SqlConnection>(
    table: NamedTable,
    source: &mut Side<S>,
    target: &mut Side<T>,
) -> Result<u64, StoreError> {
    let mut written = Digest::new(target.store);
    let mut last = None;
    while let Some(rows) = source.next_rows(table, &mut last).await? {
        rows.iter().for_each(|row| written.add_row(row));
        let puts = rows.into_iter().map(|row| table.put(row.name, row.value));
        let applied = target.apply_to_rows(puts).await;
        applied.map_err(|error| target.error(error))?;
    }
    let mut read = Digest::new(target.store);
    let mut last = None;
    while let Some(rows) = target.next_rows(table, &mut last).await? {
        rows.iter().for_each(|row| read.add_row(row));
    }
    require_same(table.sql_name(), read.finish() == written.finish())?;
    Ok(read.values)
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
