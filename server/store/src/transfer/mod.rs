//! Copies a store from a data folder into a PostgreSQL database, and back: row by row, and what was
//! written is read again.

pub(crate) mod rows;
pub(crate) mod side;
pub(crate) mod tables;

use crate::{
    CompiledFuture, DataDir, StoreError, postgres::transfer as postgres, sqlite::copying::fill,
    sqlite::transfer as sqlite,
};
use rows::{Content, Row, Tally};
use side::Side;
use tables::{TABLES, Table};

/// How much was copied.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TransferReport {
    /// Matches in play.
    pub open: u64,
    /// Finished matches.
    pub finished: u64,
    /// API keys, revoked ones included.
    pub keys: u64,
    /// Ladders.
    pub ladders: u64,
    /// Matches of ladders.
    pub ladder_matches: u64,
}

/// Copies the store of a data folder into an empty PostgreSQL database, as it stands at this
/// moment; a server may run in the folder. The folder is checked first, and what was written is
/// read again before it is committed.
///
/// # Errors
/// [`StoreError::Damaged`] or [`StoreError::Corrupt`] if anything in the folder is damaged or
/// missing; [`StoreError::NotEmpty`] if the database has rows; or what keeps either from being
/// used. The database then stays empty.
pub fn copy_to_postgres<'a>(
    dir: &'a DataDir,
    url: &'a str,
) -> CompiledFuture<'a, Result<TransferReport, StoreError>> {
    Box::pin(async move {
        let mut source = sqlite::sound(dir).await?;
        let mut target = postgres::empty(url, source.store).await?;
        let report = transfer(&mut source, &mut target).await?;
        postgres::finish(target).await?;
        Ok(report)
    })
}

/// Copies the store of a PostgreSQL database into a data folder, which is made if it is missing,
/// as it stands at this moment; servers may run. The copy is checked before the folder gets it.
///
/// # Errors
/// [`StoreError::NoStore`] if there is none in the database; [`StoreError::AlreadyThere`] if there
/// is one in the folder; [`StoreError::Damaged`] or [`StoreError::Corrupt`] if anything in the
/// database is damaged; or what keeps either from being used. The folder then has no store.
pub fn copy_from_postgres<'a>(
    url: &'a str,
    dir: &'a DataDir,
) -> CompiledFuture<'a, Result<TransferReport, StoreError>> {
    Box::pin(async move {
        let mut source = postgres::snapshot(url).await?;
        let mut report = TransferReport::default();
        fill(dir, async |file| {
            let mut target = sqlite::new(file, source.store).await?;
            report = transfer(&mut source, &mut target).await?;
            sqlite::finish(target).await
        })
        .await?;
        Ok(report)
    })
}

/// Copies every row, and reads the copy again.
async fn transfer(
    source: &mut impl Side,
    target: &mut impl Side,
) -> Result<TransferReport, StoreError> {
    for (table, last) in source.given_numbers().await? {
        if TABLES.iter().any(|copied| copied.name == table) {
            target.keep_given_number(&table, last).await?;
        }
    }
    let mut report = TransferReport::default();
    for table in TABLES {
        let copied = copy(table, source, target).await?;
        if copied != content(table, target).await? {
            return Err(StoreError::CopyDiffers { table: table.name });
        }
        match table.name {
            "open_match" => report.open = copied.rows,
            "finished_match" => report.finished = copied.rows,
            "api_key" => report.keys = copied.rows,
            "ladder" => report.ladders = copied.rows,
            "ladder_match" => report.ladder_matches = copied.rows,
            _ => {}
        }
    }
    Ok(report)
}

async fn copy(
    table: &'static Table,
    source: &mut impl Side,
    target: &mut impl Side,
) -> Result<Content, StoreError> {
    let mut tally = Tally::default();
    let mut last: Option<Row> = None;
    loop {
        let rows = source.rows(table, last.as_ref()).await?;
        let Some(newest) = rows.last() else {
            return Ok(tally.content());
        };
        last = Some(newest.clone());
        tally.add(&rows);
        target.add(table, rows).await?;
    }
}

async fn content(table: &'static Table, source: &mut impl Side) -> Result<Content, StoreError> {
    let mut tally = Tally::default();
    let mut last: Option<Row> = None;
    loop {
        let mut rows = source.rows(table, last.as_ref()).await?;
        tally.add(&rows);
        match rows.pop() {
            Some(newest) => last = Some(newest),
            None => return Ok(tally.content()),
        }
    }
}
