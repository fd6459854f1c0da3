//! Carries the steps of a plan out, each by the rows that it changes.

use sqlx::SqliteConnection;

use super::{failure::Fault, finished_rows, ladder_rows, note_rows, open_rows, replay_rows};
use crate::{checksum::StoreId, journal::plan::Step};

/// Carries out a step of a plan.
pub(super) async fn carry_out(
    connection: &mut SqliteConnection,
    store: StoreId,
    step: Step,
) -> Result<(), Fault> {
    match step {
        Step::Open {
            match_key,
            match_id,
            opened_at_unix_ms,
            header,
        } => {
            open_rows::insert(
                connection,
                store,
                match_key,
                &match_id,
                opened_at_unix_ms,
                header,
            )
            .await?;
        }
        Step::Finish {
            match_key,
            finished,
            replay,
            parties,
        } => {
            open_rows::delete(connection, match_key).await?;
            finished_rows::insert(connection, store, finished, replay, &parties).await?;
        }
        Step::DropOpen { match_key } => open_rows::delete(connection, match_key).await?,
        Step::DropFinished { match_id } => {
            if let Some(number) = finished_rows::number(&mut *connection, &match_id).await? {
                finished_rows::delete(connection, number).await?;
            }
        }
        Step::ForgetReplay { match_id } => {
            if let Some(number) = finished_rows::number(&mut *connection, &match_id).await? {
                replay_rows::forget(connection, store, number, &match_id).await?;
            }
        }
        Step::KeepNote { name, value } => note_rows::keep(connection, store, &name, value).await?,
        Step::DropNote { name } => note_rows::forget(connection, &name).await?,
        Step::ChangeLadder { ladder_id, change } => {
            ladder_rows::carry_out(connection, store, &ladder_id, change).await?;
        }
    }
    Ok(())
}
