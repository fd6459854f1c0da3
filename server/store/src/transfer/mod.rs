//! Copies a store from a data folder into a PostgreSQL database, or back: reads and verifies every
//! value, and writes it to the target. Both have the same store id, so the checksums stay valid.
//! The sums of the written rows and the matches in play are compared with the target, and every
//! value of the target is read.

pub(crate) mod side;

use tokio::runtime::Handle;

use crate::{
    CompiledFuture, DataDir, StoreError,
    db_error::DbError,
    detached::run_blocking,
    named_rows::NamedTable,
    postgres::opening::{commit_target, open_source, open_target},
    row_sums::CountedTable,
    rows::{SqlConnection, scalar},
    sqlite::copying::{begin_source, copied_side, create_database_with},
};
use side::{CopySide, name_after};

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
/// Returns [`StoreError::Damaged`] or [`StoreError::Corrupt`] if anything in the folder is damaged
/// or missing; [`StoreError::NotEmpty`] if the database has rows; or an error from either database.
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
        target.read_finished_and_named().await?;
        commit_target(target).await?;
        Ok(report)
    })
}

/// Copies a snapshot of the store in a PostgreSQL database into a data folder, which is created if
/// it is missing. Servers can be using the database meanwhile. The matches in play on all nodes are
/// merged into the folder. The copy is checked before it is moved into place.
///
/// # Errors
/// Returns [`StoreError::NoStore`] if the database has no store; [`StoreError::AlreadyExists`] if
/// the folder already has a store; [`StoreError::Damaged`] or [`StoreError::Corrupt`] if anything
/// in the database is damaged; or an error from either database. The folder then has no store.
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
    // A batch that is missing at the end of a journal leaves no gap, and has no sum.
    if target.open_matches().await? != matches {
        let problem = "the matches in play were not copied completely";
        return target.at(Err(DbError::Inconsistent(problem.to_owned())));
    }
    let rows = |table| target.sums.of(table).rows.unsigned_abs();
    Ok(TransferReport {
        open: rows(CountedTable::OpenMatch),
        finished: rows(CountedTable::FinishedMatch),
        keys: rows(CountedTable::Named(NamedTable::Key)),
        ladders: rows(CountedTable::Named(NamedTable::Ladder)),
        ladder_matches: rows(CountedTable::Named(NamedTable::LadderMatch)),
    })
}
