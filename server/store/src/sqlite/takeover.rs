//! Opens the store as its only server, and checks that its commits are complete.

use std::path::Path;

use rusqlite::Connection;

use super::{
    db_error::DbError,
    identity, log_file, party_lists, row,
    sql::{Sql, run},
    transaction::{self, JournalRow},
};
use crate::{
    CommitCompleteness, MissingCommits, StoreError,
    checksum::StoreId,
    commits_file::CommitsRecord,
    journal::reader::LoadedJournal,
    journal_batch,
    rows::{journal, open_matches::OpenRow},
};

/// State of the store after a server has opened it.
pub(super) struct OpenedStore {
    pub(super) store: StoreId,
    pub(super) server_id: Vec<u8>,
    /// The number of commits, including the commit that opened the store.
    pub(super) commits: i64,
    pub(super) loaded: LoadedJournal,
    pub(super) completeness: CommitCompleteness,
    pub(super) party_lists_repaired: bool,
}

/// Takes over the store in one transaction. An earlier server's commit is either visible to this
/// transaction, or fails.
pub(super) fn take_over(
    database: &Path,
    connection: &Connection,
    recorded: &CommitsRecord,
) -> Result<OpenedStore, DbError> {
    let start = transaction::begin(connection)?;
    let work = || {
        let identity = identity::record_opening(connection, true)?;
        // Data written by an earlier server might not be on the disk yet. No other process can
        // write during this transaction.
        log_file::rewrite(database).map_err(DbError::Io)?;
        let store = identity.store;
        let mut loaded = load_matches(connection, store)?;
        run(journal::sweep_all(&mut Sql(connection), &mut loaded.sweep))?;
        let party_lists_repaired = party_lists::repair(connection, store)?;
        let completeness = check_completeness(recorded, start.commits);
        let expected = match &completeness {
            CommitCompleteness::Missing(lost) => lost.expected.cast_signed(),
            CommitCompleteness::Complete | CommitCompleteness::Unknown { .. } => 0,
        };
        // The new commit number is larger than the numbers of lost commits, so that the next start
        // does not report the loss again.
        let number = start.commits.max(expected) + 1;
        let last_match_key = loaded.matches.last_match_key;
        let body = journal_batch::write(store, number, last_match_key, Vec::new());
        let opened = OpenedStore {
            store,
            server_id: identity.server_id,
            commits: number,
            loaded,
            completeness,
            party_lists_repaired,
        };
        Ok((opened, JournalRow { number, body }))
    };
    transaction::commit_or_roll_back(connection, work())
}

/// Reads and verifies the matches in play with their journals.
pub(super) fn load_matches(
    connection: &Connection,
    store: StoreId,
) -> Result<LoadedJournal, DbError> {
    let rows = row::all(
        connection,
        "SELECT match_key, match_id, opened_at_unix_ms, header, checksum FROM open_match",
        (),
    )?;
    let open = rows.iter().map(|row| OpenRow::read(store, row)).collect();
    run(journal::load(
        &mut Sql(connection),
        store,
        open,
        1..=i64::MAX,
    ))
}

/// Compares the number of commits with the file beside the database, to detect missing commits.
pub(super) fn check_completeness(recorded: &CommitsRecord, commits: i64) -> CommitCompleteness {
    match recorded {
        CommitsRecord::Commits(_, expected) if *expected > commits => {
            CommitCompleteness::Missing(MissingCommits {
                found: commits.unsigned_abs(),
                expected: expected.unsigned_abs(),
            })
        }
        CommitsRecord::Commits(..) => CommitCompleteness::Complete,
        // A new store has no commits that could be missing.
        CommitsRecord::Missing if commits == 0 => CommitCompleteness::Complete,
        CommitsRecord::Missing => CommitCompleteness::Unknown {
            detail: "the file is missing".to_owned(),
        },
        CommitsRecord::Invalid(detail) => CommitCompleteness::Unknown {
            detail: (*detail).to_owned(),
        },
    }
}

/// Checks that the file beside a database does not belong to another store.
pub(super) fn check_same_store(
    path: &Path,
    recorded: &CommitsRecord,
    store: StoreId,
) -> Result<(), StoreError> {
    match recorded {
        CommitsRecord::Commits(other, _) if *other != store => Err(StoreError::FileMismatch {
            path: path.to_owned(),
            beside: path.with_file_name(crate::COMMITS_FILE),
            detail: "the file was written for another database".to_owned(),
        }),
        _ => Ok(()),
    }
}
