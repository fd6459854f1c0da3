//! Applies the changes of a commit to the tables.

use super::{
    SqlConnection,
    finished::{self, NewFinished},
    named, open_matches, replays,
};
use crate::{checksum::StoreId, journal::plan::Step, named_rows::RowChange};

/// Applies changes to whole matches and to named rows. Requires an open transaction.
pub(crate) async fn apply_all<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    steps: &[Step],
    rows: &[RowChange],
) -> Result<(), C::Error> {
    for step in steps {
        apply(connection, store, step).await?;
    }
    for change in rows {
        named::apply(connection, store, change).await?;
    }
    Ok(())
}

async fn apply<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    step: &Step,
) -> Result<(), C::Error> {
    match step {
        Step::Open {
            match_key,
            match_id,
            opened_at_unix_ms,
            header,
        } => {
            let (key, at) = (*match_key, *opened_at_unix_ms);
            open_matches::insert(connection, store, key, match_id, at, header).await
        }
        Step::Finish {
            match_key,
            finished,
            replay,
            parties,
        } => {
            open_matches::delete(connection, *match_key).await?;
            let new = NewFinished {
                number: None,
                finished,
                replay: Some(replay),
                parties: &finished::join_parties(parties),
            };
            finished::insert(connection, store, new).await
        }
        Step::DropOpen { match_key } => open_matches::delete(connection, *match_key).await,
        Step::DropFinished { match_id } => {
            match finished::finish_number(connection, match_id).await? {
                Some(number) => finished::delete(connection, number).await,
                None => Ok(()),
            }
        }
        Step::ForgetReplay { match_id } => {
            match finished::finish_number(connection, match_id).await? {
                Some(number) => replays::delete_bytes(connection, store, number, match_id).await,
                None => Ok(()),
            }
        }
    }
}
