//! Applies the steps of a plan to the tables.

use rusqlite::Connection;

use super::{db_error::DbError, finished_rows, open_rows, replay_rows};
use crate::{checksum::StoreId, journal::plan::Step};

pub(super) fn apply(connection: &Connection, store: StoreId, step: Step) -> Result<(), DbError> {
    match step {
        Step::Open {
            match_key,
            match_id,
            opened_at_unix_ms: at,
            header,
        } => open_rows::insert(connection, store, match_key, &match_id, at, &header),
        Step::Finish {
            match_key,
            finished,
            replay,
            parties,
        } => {
            open_rows::delete(connection, match_key)?;
            let parties = finished_rows::join_parties(&parties);
            finished_rows::insert(connection, store, None, &finished, Some(&replay), &parties)
        }
        Step::DropOpen { match_key } => open_rows::delete(connection, match_key),
        Step::DropFinished { match_id } => {
            match finished_rows::finish_number(connection, &match_id)? {
                Some(number) => finished_rows::delete(connection, number),
                None => Ok(()),
            }
        }
        Step::ForgetReplay { match_id } => {
            match finished_rows::finish_number(connection, &match_id)? {
                Some(number) => replay_rows::delete_bytes(connection, store, number, &match_id),
                None => Ok(()),
            }
        }
    }
}
