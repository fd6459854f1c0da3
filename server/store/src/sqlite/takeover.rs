//! The identity of a store, and its takeover by a server: checks that no commits are missing, and
//! repairs the lists of finished matches by party.

use std::path::Path;

use rusqlite::{Connection, params, types::Value as SqlValue};

use super::{
    log_file,
    sql::{self, JournalRow, StatementConnection, execute, first, run, value},
};
use crate::{
    CommitCompleteness, MissingCommits, StoreError,
    checksum::StoreId,
    commit_count_file::CommitsRecord,
    db_error::DbError,
    journal::reader::LoadedJournal,
    journal_batch,
    rows::{
        StoredRow as _,
        finished::{COLUMNS, read},
        journal, open_matches,
    },
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

/// Takes over the store in one transaction. A concurrent commit by an earlier server is either seen
/// by this transaction, or fails. `database` is `None` in memory.
pub(super) fn take_over(
    database: Option<&Path>,
    connection: &Connection,
    recorded: &CommitsRecord,
) -> Result<OpenedStore, DbError> {
    let start = sql::begin(connection)?;
    let work = || {
        let identity = record_opening(connection, true)?;
        if let Some(database) = database {
            // Data that an earlier server has written might not be on the disk yet. No other
            // process can write during this transaction.
            log_file::rewrite(database).map_err(DbError::Io)?;
        }
        let store = identity.store;
        let mut loaded = load_matches(connection, store)?;
        run(journal::sweep_all(&mut StatementConnection(connection), &mut loaded.matches.sweep))?;
        let party_lists_repaired = repair_party_lists(connection, store)?;
        let completeness = check_completeness(recorded, start.commits);
        let expected = match &completeness {
            CommitCompleteness::Missing(lost) => lost.expected.cast_signed(),
            CommitCompleteness::Complete | CommitCompleteness::Unknown { .. } => 0,
        };
        // The new number is larger than those of lost commits, so that the next start does not
        // report the loss again.
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
        let sums = start.sums;
        Ok((opened, JournalRow { number, sums, body }))
    };
    sql::commit_or_roll_back(connection, work())
}

/// Reads and verifies the matches in play with their journals.
pub(super) fn load_matches(
    connection: &Connection,
    store: StoreId,
) -> Result<LoadedJournal, DbError> {
    let sql = &mut StatementConnection(connection);
    let open = run(open_matches::select(sql, store, &(i64::MIN..=i64::MAX)))?;
    run(journal::load(sql, store, open, 1..=i64::MAX))
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
        CommitsRecord::Missing => {
            CommitCompleteness::Unknown { detail: "the file is missing".to_owned() }
        }
        CommitsRecord::Invalid(detail) => {
            CommitCompleteness::Unknown { detail: (*detail).to_owned() }
        }
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

/// The row with the store id, and with the id of the server that last opened the store.
#[derive(Debug)]
pub(super) struct StoreIdentity {
    pub(super) store: StoreId,
    /// Id generated by the server that last opened the store; empty if no server has opened the
    /// store.
    pub(super) server_id: Vec<u8>,
}

/// Reads the identity; `None` if the store has none.
pub(super) fn read_identity(connection: &Connection) -> Result<Option<StoreIdentity>, DbError> {
    let row = first(connection, "SELECT store_id, server_id, checksum FROM store", ())?;
    let Some(row) = row else {
        return Ok(None);
    };
    let damaged = || DbError::Inconsistent("the row with the store id is damaged".to_owned());
    let store_id: Vec<u8> = row.value(0).map_err(|_| damaged())?;
    let server_id: Vec<u8> = row.value(1).map_err(|_| damaged())?;
    let checksum: i64 = row.value(2).map_err(|_| damaged())?;
    let store = StoreId::from_bytes(&store_id).ok_or_else(damaged)?;
    if checksum != checksum_of(store, &server_id) {
        return Err(damaged());
    }
    Ok(Some(StoreIdentity { store, server_id }))
}

/// Records that a server has opened the store, or that a command has created it. Generates an id
/// for a new store. Requires an open transaction.
pub(super) fn record_opening(
    connection: &Connection,
    is_server: bool,
) -> Result<StoreIdentity, DbError> {
    let existing = read_identity(connection)?;
    if existing.is_none() && has_rows(connection)? {
        let missing = "the row with the store id is missing";
        return Err(DbError::Inconsistent(missing.to_owned()));
    }
    let random_id = || value::<Vec<u8>>(connection, "SELECT randomblob(16)", ());
    let store = match existing {
        Some(StoreIdentity { store, .. }) => store,
        None => StoreId::from_bytes(&random_id()?).ok_or_else(|| {
            DbError::Inconsistent("SQLite generated an id of unexpected length".to_owned())
        })?,
    };
    let server_id = if is_server { random_id()? } else { Vec::new() };
    write_identity(connection, store, &server_id)?;
    Ok(StoreIdentity { store, server_id })
}

/// Sets the store id, and the id of the server that opened the store last; empty for none. Requires
/// an open transaction.
pub(super) fn write_identity(
    connection: &Connection,
    store: StoreId,
    server_id: &[u8],
) -> Result<(), DbError> {
    execute(
        connection,
        "REPLACE INTO store (only_row, store_id, server_id, checksum) VALUES (1, ?, ?, ?)",
        params![&store.0[..], server_id, checksum_of(store, server_id)],
    )?;
    Ok(())
}

fn has_rows(connection: &Connection) -> Result<bool, DbError> {
    let has_rows = "SELECT EXISTS (SELECT 1 FROM journal) OR EXISTS (SELECT 1 FROM open_match)
        OR EXISTS (SELECT 1 FROM finished_match) OR EXISTS (SELECT 1 FROM api_key)
        OR EXISTS (SELECT 1 FROM secret) OR EXISTS (SELECT 1 FROM record)";
    Ok(value(connection, has_rows, ())?)
}

fn checksum_of(store: StoreId, server_id: &[u8]) -> i64 {
    store.start_row_checksum("store").add_bytes(server_id).finish()
}

/// Repairs wrong entries in the lists of finished matches by party. Entries of a damaged match are
/// kept, since its parties might not be recorded elsewhere. Returns whether any entry was wrong.
/// Requires an open transaction.
fn repair_party_lists(connection: &Connection, store: StoreId) -> Result<bool, DbError> {
    // The query makes a single pass over each table, because a starting server waits for it.
    let select = format!(
        "SELECT {COLUMNS}, finished_match.finish_number IS NULL
         FROM (SELECT match_id, group_concat(name, char(10)) AS names
               FROM (SELECT match_id, name FROM finished_party ORDER BY match_id, name)
               GROUP BY match_id)
             FULL JOIN finished_match USING (match_id)
         WHERE coalesce(names, '') IS NOT coalesce(parties, '')"
    );
    let mut is_wrong = false;
    for row in sql::all(connection, &select, ())? {
        let id: SqlValue = row.read(1)?;
        let parties = match read(store, &row) {
            Ok((_, parties)) => parties,
            // These entries belong to no match.
            Err(_) if row.value(7)? => String::new(),
            Err(_) => continue,
        };
        is_wrong = true;
        let delete = "DELETE FROM finished_party WHERE match_id IS ?";
        execute(connection, delete, [&id])?;
        for name in parties.lines() {
            let insert = "INSERT INTO finished_party (name, match_id) VALUES (?, ?)";
            execute(connection, insert, params![name, id])?;
        }
    }
    Ok(is_wrong)
}
