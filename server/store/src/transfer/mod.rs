//! Copies a store from a data folder into a PostgreSQL database, and back: row by row, and what was
//! written is read again.

mod renumbered;
pub(crate) mod rows;
pub(crate) mod side;
pub(crate) mod tables;

use crate::{
    CompiledFuture, DataDir, StoreError,
    postgres::transfer::{self as postgres, PostgresSide},
    sqlite::copying::fill,
    sqlite::transfer as sqlite,
};
use renumbered::OpenRows;
use rows::{Content, Row, Tally};
use side::Side;
use tables::{JOURNAL, OPEN_MATCH, TABLES, Table};

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
        let open = copied(OPEN_MATCH, &mut source, &mut target).await?.rows;
        copied(JOURNAL, &mut source, &mut target).await?;
        let report = transfer(open, &mut source, &mut target).await?;
        postgres::finish(target).await?;
        Ok(report)
    })
}

/// Copies the store of a PostgreSQL database into a data folder, which is made if it is missing,
/// as it stands at this moment; servers may run. The matches in play of all of them are the folder's.
/// The copy is checked before the folder gets it.
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
            let open = renumber(&mut source, &mut target).await?;
            report = transfer(open, &mut source, &mut target).await?;
            sqlite::finish(target).await
        })
        .await?;
        Ok(report)
    })
}

/// Copies the matches in play of every server, numbered anew, and reads the copy again. How many they
/// are.
async fn renumber(source: &mut PostgresSide, target: &mut impl Side) -> Result<u64, StoreError> {
    let (mut open, mut journal) = (Tally::default(), Tally::default());
    let mut number = 0;
    for node in source.nodes_in_play().await? {
        for whole in source.in_play(node).await? {
            number += 1;
            let rows = OpenRows::of(source.store, number, whole);
            add(OPEN_MATCH, vec![rows.open], &mut open, target).await?;
            if let Some(batch) = rows.batch {
                add(JOURNAL, vec![batch], &mut journal, target).await?;
            }
        }
    }
    demand_same(OPEN_MATCH, open.content(), target).await?;
    demand_same(JOURNAL, journal.content(), target).await?;
    Ok(open.content().rows)
}

/// Copies every row but those of the so many matches in play, and reads the copy again.
async fn transfer(
    open: u64,
    source: &mut impl Side,
    target: &mut impl Side,
) -> Result<TransferReport, StoreError> {
    for (table, last) in source.given_numbers().await? {
        if TABLES.iter().any(|copied| copied.name == table) {
            target.keep_given_number(&table, last).await?;
        }
    }
    let mut report = TransferReport {
        open,
        ..TransferReport::default()
    };
    for table in TABLES {
        let copied = copied(table, source, target).await?;
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

/// Copies the rows of a table, and reads the copy again.
async fn copied(
    table: &'static Table,
    source: &mut impl Side,
    target: &mut impl Side,
) -> Result<Content, StoreError> {
    let copied = copy(table, source, target).await?;
    demand_same(table, copied, target).await?;
    Ok(copied)
}

async fn demand_same(
    table: &'static Table,
    copied: Content,
    target: &mut impl Side,
) -> Result<(), StoreError> {
    match copied == content(table, target).await? {
        true => Ok(()),
        false => Err(StoreError::CopyDiffers { table: table.name }),
    }
}

async fn add(
    table: &'static Table,
    rows: Vec<Row>,
    tally: &mut Tally,
    target: &mut impl Side,
) -> Result<(), StoreError> {
    tally.add(&rows);
    target.add(table, rows).await
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
        add(table, rows, &mut tally, target).await?;
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
