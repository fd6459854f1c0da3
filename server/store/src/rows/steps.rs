//! Applies the changes of a commit to the tables, and looks up the state that it depends on.

use super::{SqlConnection, finished, named, open_matches, replays};
use crate::{
    checksum::StoreId,
    db_error::DbError,
    journal::plan::{Lookup, LookupResult, MatchStep, Plan},
    row_sums::RowSums,
};

/// Looks up the state that is needed to plan a batch.
pub(crate) async fn look_up<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    lookup: &Lookup,
) -> Result<LookupResult, DbError> {
    let mut found = LookupResult::default();
    for id in &lookup.ids {
        if finished::finish_number(connection, id).await?.is_some() {
            found.finished.insert(id.clone());
        }
    }
    found.rows = named::read(connection, store, &lookup.queries).await?;
    Ok(found)
}

/// Applies the changes of a plan to whole matches and to named rows. Returns the change of the
/// rows. Requires an open transaction.
pub(crate) async fn apply_plan<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    plan: &Plan,
) -> Result<RowSums, DbError> {
    let mut sums = RowSums::default();
    for step in &plan.steps {
        apply(connection, store, step, &mut sums).await?;
    }
    for change in &plan.rows {
        named::apply(connection, store, change, &mut sums).await?;
    }
    Ok(sums)
}

async fn apply<C: SqlConnection>(
    connection: &mut C,
    store: StoreId,
    step: &MatchStep,
    sums: &mut RowSums,
) -> Result<(), DbError> {
    match step {
        MatchStep::Open { match_key, match_id, opened_at_unix_ms, header } => {
            let (key, at) = (*match_key, *opened_at_unix_ms);
            open_matches::insert(connection, store, key, match_id, at, header, sums).await
        }
        MatchStep::Finish { match_key, entry } => {
            open_matches::delete(connection, *match_key, sums).await?;
            replays::insert_with_replay(connection, store, None, entry, sums).await
        }
        MatchStep::DropOpen { match_key } => {
            open_matches::delete(connection, *match_key, sums).await
        }
        MatchStep::DropFinished { match_id } | MatchStep::ForgetReplay { match_id } => {
            let Some(number) = finished::finish_number(connection, match_id).await? else {
                return Ok(());
            };
            if let MatchStep::DropFinished { .. } = step {
                return finished::delete(connection, number, sums).await;
            }
            replays::delete_replay_bytes(connection, store, number, match_id).await
        }
    }
}
