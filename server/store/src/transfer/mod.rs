//! Copies a store from a data folder into a PostgreSQL database, or back: reads every value, writes
//! it to the target, and compares the target with the source. Both have the same store id, so the
//! checksums stay valid.

pub(crate) mod side;

use tokio::runtime::Handle;

use crate::{
    CompiledFuture, DataDir, StoreError,
    detached::run_blocking,
    named_rows::NamedTable,
    postgres::opening::{commit_target, open_source, open_target},
    rows::{SqlConnection, StoredRow as _, finished, first, named},
    sqlite::copying::{begin_source, copied_side, create_database_with},
};
use side::CopySide;

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
        let (database, store) = begin_source(&dir)?;
        let mut source = copied_side(&database, store, dir.database());
        let mut target = open_target(&url, store).await?;
        let report = copy(&mut source, &mut target).await?;
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

/// Copies and compares everything.
async fn copy<S: SqlConnection, T: SqlConnection>(
    source: &mut CopySide<S>,
    target: &mut CopySide<T>,
) -> Result<TransferReport, StoreError> {
    let damaged = source.find_missing_rows().await?;
    if let Some(damage) = damaged {
        return Err(source.error(damage.into()));
    }
    let mut report = TransferReport {
        open: copy_open_matches(source, target).await?,
        finished: copy_finished(source, target).await?,
        ..TransferReport::default()
    };
    for table in NamedTable::ALL {
        let written = source.scan_rows(table, async |rows| {
            for row in rows {
                let put = table.put(row.name, row.value);
                let (store, sums) = (target.store, &mut target.sums);
                let applied = named::apply(&mut target.connection, store, &put, sums).await;
                applied.map_err(|error| target.error(error))?;
            }
            Ok(())
        });
        let written = written.await?;
        let read = target.scan_rows(table, async |_| Ok(())).await?;
        require_same(table.sql_name(), written.finish() == read.finish())?;
        match table {
            NamedTable::Key => report.keys = read.values,
            NamedTable::Ladder => report.ladders = read.values,
            NamedTable::LadderMatch => report.ladder_matches = read.values,
            _ => {}
        }
    }
    target.add_sums(report.open.cast_signed() + 1).await?;
    match target.find_missing_rows().await? {
        Some(damage) => Err(target.error(damage.into())),
        None => Ok(report),
    }
}

/// Copies the matches in play of all nodes. They get new keys, starting at 1, and each journal
/// becomes one batch.
async fn copy_open_matches<S: SqlConnection, T: SqlConnection>(
    source: &mut CopySide<S>,
    target: &mut CopySide<T>,
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
    source: &mut CopySide<S>,
    target: &mut CopySide<T>,
) -> Result<u64, StoreError> {
    let last = first(&mut source.connection, S::DIALECT.last_finish_number, &[]).await;
    let last = last.and_then(|row| Ok(row.map(|row| row.value(0)).transpose()?));
    let last: Option<i64> = last.map_err(|error| source.error(error))?;
    let params = [last.unwrap_or_default().into()];
    let set = T::DIALECT.set_last_finish_number;
    let set = target.connection.execute(set, &params).await;
    set.map_err(|error| target.error(error))?;
    let written = source.scan_finished(async |entries| {
        for entry in entries {
            let new = (&entry).into();
            let added =
                finished::insert(&mut target.connection, target.store, new, &mut target.sums).await;
            added.map_err(|error| target.error(error))?;
        }
        Ok(())
    });
    let written = written.await?;
    let read = target.scan_finished(async |_| Ok(())).await?;
    require_same("finished_match", written.finish() == read.finish())?;
    Ok(read.values)
}

fn require_same(table: &'static str, is_same: bool) -> Result<(), StoreError> {
    if is_same { Ok(()) } else { Err(StoreError::CopyMismatch { table }) }
}
