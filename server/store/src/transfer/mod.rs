//! Copies a store row by row from a data folder into a PostgreSQL database, or back. Each copy is
//! then read and compared with the source.

mod renumbered;
pub(crate) mod rows;
pub(crate) mod side;
pub(crate) mod tables;

use crate::{
    CompiledFuture, DataDir, StoreError,
    postgres::transfer::{self as postgres, PostgresSide},
    sqlite::copying::create_database_with,
    sqlite::transfer as sqlite,
};
use renumbered::OpenRows;
use rows::{Row, RowsDigest, RowsHasher};
use side::TransferSide;
use tables::{JOURNAL, OPEN_MATCH, TABLES, Table};

/// The number of copied rows, by kind.
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
    Box::pin(async move {
        let mut source = sqlite::open_source(dir).await?;
        let mut target = postgres::open_target(url, source.store).await?;
        let open = copy_verified(OPEN_MATCH, &mut source, &mut target)
            .await?
            .rows;
        copy_verified(JOURNAL, &mut source, &mut target).await?;
        let report = copy_other_tables(open, &mut source, &mut target).await?;
        postgres::finish(target).await?;
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
        let mut source = postgres::open_source(url).await?;
        let mut report = TransferReport::default();
        create_database_with(dir, async |file| {
            let mut target = sqlite::create_target(file, source.store).await?;
            let open = copy_open_matches_renumbered(&mut source, &mut target).await?;
            report = copy_other_tables(open, &mut source, &mut target).await?;
            sqlite::finish(target).await
        })
        .await?;
        Ok(report)
    })
}

/// Copies the matches in play of every node with new match keys, and verifies the copy. Returns the
/// number of matches.
async fn copy_open_matches_renumbered(
    source: &mut PostgresSide,
    target: &mut impl TransferSide,
) -> Result<u64, StoreError> {
    let (mut open, mut journal) = (RowsHasher::default(), RowsHasher::default());
    let mut number = 0;
    for node in source.nodes_with_open_matches().await? {
        for whole in source.open_matches(node).await? {
            number += 1;
            let rows = OpenRows::new(source.store, number, whole);
            add_rows(OPEN_MATCH, vec![rows.open], &mut open, target).await?;
            if let Some(batch) = rows.batch {
                add_rows(JOURNAL, vec![batch], &mut journal, target).await?;
            }
        }
    }
    verify_copy(OPEN_MATCH, open.digest(), target).await?;
    verify_copy(JOURNAL, journal.digest(), target).await?;
    Ok(open.digest().rows)
}

/// Copies and verifies all tables except the tables of matches in play. `open` is the number of
/// matches in play, for the report.
async fn copy_other_tables(
    open: u64,
    source: &mut impl TransferSide,
    target: &mut impl TransferSide,
) -> Result<TransferReport, StoreError> {
    for (table, last) in source.sequences().await? {
        if TABLES.iter().any(|copied| copied.name == table) {
            target.set_sequence(&table, last).await?;
        }
    }
    let mut report = TransferReport {
        open,
        ..TransferReport::default()
    };
    for table in TABLES {
        let copied = copy_verified(table, source, target).await?;
        match table.name {
            "finished_match" => report.finished = copied.rows,
            "api_key" => report.keys = copied.rows,
            "ladder" => report.ladders = copied.rows,
            "ladder_match" => report.ladder_matches = copied.rows,
            _ => {}
        }
    }
    Ok(report)
}

/// Copies the rows of a table, and verifies the copy.
async fn copy_verified(
    table: &'static Table,
    source: &mut impl TransferSide,
    target: &mut impl TransferSide,
) -> Result<RowsDigest, StoreError> {
    let written = copy(table, source, target).await?;
    verify_copy(table, written, target).await?;
    Ok(written)
}

async fn verify_copy(
    table: &'static Table,
    written: RowsDigest,
    target: &mut impl TransferSide,
) -> Result<(), StoreError> {
    if written == table_digest(table, target).await? {
        Ok(())
    } else {
        Err(StoreError::CopyMismatch { table: table.name })
    }
}

async fn add_rows(
    table: &'static Table,
    rows: Vec<Row>,
    hasher: &mut RowsHasher,
    target: &mut impl TransferSide,
) -> Result<(), StoreError> {
    hasher.add(&rows);
    target.add(table, rows).await
}

async fn copy(
    table: &'static Table,
    source: &mut impl TransferSide,
    target: &mut impl TransferSide,
) -> Result<RowsDigest, StoreError> {
    let mut hasher = RowsHasher::default();
    let mut last: Option<Row> = None;
    loop {
        let rows = source.next_rows(table, last.as_ref()).await?;
        let Some(newest) = rows.last() else {
            return Ok(hasher.digest());
        };
        last = Some(newest.clone());
        add_rows(table, rows, &mut hasher, target).await?;
    }
}

async fn table_digest(
    table: &'static Table,
    source: &mut impl TransferSide,
) -> Result<RowsDigest, StoreError> {
    let mut hasher = RowsHasher::default();
    let mut last: Option<Row> = None;
    loop {
        let mut rows = source.next_rows(table, last.as_ref()).await?;
        hasher.add(&rows);
        match rows.pop() {
            Some(newest) => last = Some(newest),
            None => return Ok(hasher.digest()),
        }
    }
}
