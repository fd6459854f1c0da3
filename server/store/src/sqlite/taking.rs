//! How a server takes the store, and whether what it finds is all there.

use std::path::Path;

use rusqlite::Connection;

use super::{
    failure::Fault,
    identity, journal, log_file, open_rows, party_lists,
    transaction::{self, JournalRow},
};
use crate::{
    LostTail, StoreError, Tail, checksum::StoreId, commits_file::Told, journal::reading::Loaded,
    journal_batch,
};

/// What a server finds when it takes the store.
pub(super) struct Taken {
    pub(super) store: StoreId,
    pub(super) server_id: Vec<u8>,
    /// Commits so far, the one that took the store included.
    pub(super) commits: i64,
    pub(super) loaded: Loaded,
    pub(super) tail: Tail,
    pub(super) party_lists_mended: bool,
}

/// Takes the store in one transaction, so that an earlier server has committed all before it, or
/// commits nothing any more.
pub(super) fn take_over(
    database: &Path,
    connection: &Connection,
    told: &Told,
) -> Result<Taken, Fault> {
    let begun = transaction::begin(connection)?;
    let work = || {
        let identity = identity::write(connection, true)?;
        // What an earlier server has left may not be on the disk, and within this nobody else writes.
        log_file::write_again(database).map_err(Fault::System)?;
        let store = identity.store;
        let open = open_rows::all(connection, store)?;
        let mut loaded = journal::load(connection, store, open)?;
        journal::sweep_all(connection, &mut loaded.sweep)?;
        let party_lists_mended = party_lists::mend(connection, store)?;
        let tail = tail(told, begun.commits);
        let expected = match &tail {
            Tail::Lost(lost) => lost.expected.cast_signed(),
            Tail::Whole | Tail::Unknown { .. } => 0,
        };
        // Beyond the numbers that are lost: the next start must not miss them again.
        let number = begun.commits.max(expected) + 1;
        let given = loaded.matches.match_keys_given;
        let body = journal_batch::write(store, number, given, Vec::new());
        let taken = Taken {
            store,
            server_id: identity.server_id,
            commits: number,
            loaded,
            tail,
            party_lists_mended,
        };
        Ok((taken, JournalRow { number, body }))
    };
    transaction::end(connection, work())
}

/// Whether the newest commits are there, by what the file beside the database says.
pub(super) fn tail(told: &Told, commits: i64) -> Tail {
    match told {
        Told::Commits(_, expected) if *expected > commits => Tail::Lost(LostTail {
            found: commits.unsigned_abs(),
            expected: expected.unsigned_abs(),
        }),
        Told::Commits(..) => Tail::Whole,
        // A store that has just been made.
        Told::Nothing if commits == 0 => Tail::Whole,
        Told::Nothing => Tail::Unknown {
            detail: "it is missing".to_owned(),
        },
        Told::Nonsense(detail) => Tail::Unknown {
            detail: (*detail).to_owned(),
        },
    }
}

/// Whether the file beside a database is of another store.
pub(super) fn check_together(path: &Path, told: &Told, store: StoreId) -> Result<(), StoreError> {
    match told {
        Told::Commits(other, _) if *other != store => Err(StoreError::NotTogether {
            path: path.to_owned(),
            beside: path.with_file_name(crate::COMMITS_FILE),
            detail: "it was written beside another database".to_owned(),
        }),
        _ => Ok(()),
    }
}
