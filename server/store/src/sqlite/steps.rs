//! Carries the steps of a plan out, each by the rows that it changes.

use rusqlite::Connection;

use super::{failure::Fault, finished_rows, ladder_rows, note_rows, open_rows, replay_rows};
use crate::{checksum::StoreId, journal::plan::Step};

/// Carries out a step of a plan.
pub(super) fn carry_out(connection: &Connection, store: StoreId, step: Step) -> Result<(), Fault> {
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
            finished_rows::insert(connection, store, &finished, &replay, &parties)
        }
        Step::DropOpen { match_key } => open_rows::delete(connection, match_key),
        Step::DropFinished { match_id } => match finished_rows::number(connection, &match_id)? {
            Some(number) => finished_rows::delete(connection, number),
            None => Ok(()),
        },
        Step::ForgetReplay { match_id } => match finished_rows::number(connection, &match_id)? {
            Some(number) => replay_rows::forget(connection, store, number, &match_id),
            None => Ok(()),
        },
        Step::KeepNote { name, value } => note_rows::keep(connection, store, &name, &value),
        Step::DropNote { name } => note_rows::forget(connection, &name),
        Step::ChangeLadder { ladder_id, change } => {
            ladder_rows::carry_out(connection, store, &ladder_id, change)
        }
    }
}
