//! A commit of writes, as one transaction.

use std::collections::{BTreeSet, HashMap, HashSet};

use sqlx::PgConnection;

use super::{
    failure::Fault, finished_rows, journal, ladder_rows, node_number::NodeNumber, note_rows,
    open_rows, replay_rows, work::Work,
};
use crate::{
    LadderId, MatchId,
    checksum::StoreId,
    journal::{plan::Step, sweep::Swept},
    ladder_batch::LadderStandings,
};

/// Asks what must be known before a batch is checked.
pub(super) struct Ask {
    pub(super) store: StoreId,
    /// Ids that may be those of finished matches.
    pub(super) ids: HashSet<MatchId>,
    /// Ladders, with the matches of which it must be known whether they are over.
    pub(super) ladders: HashMap<LadderId, BTreeSet<u64>>,
}

/// What was asked.
#[derive(Default)]
pub(super) struct Known {
    /// The ids that are those of finished matches.
    pub(super) finished: HashSet<MatchId>,
    pub(super) ladders: LadderStandings,
}

impl Work for Ask {
    type Done = Known;

    // It changes nothing.
    fn waits_for_flush(&self) -> bool {
        false
    }

    async fn carry_out(&self, connection: &mut PgConnection, _: bool) -> Result<Known, Fault> {
        let mut finished = HashSet::new();
        for id in &self.ids {
            if finished_rows::number(connection, id).await?.is_some() {
                finished.insert(id.clone());
            }
        }
        Ok(Known {
            finished,
            ladders: ladder_rows::standings(connection, self.store, &self.ladders).await?,
        })
    }
}

/// Stores a batch that has been checked.
pub(super) struct Commit {
    pub(super) store: StoreId,
    pub(super) node: NodeNumber,
    pub(super) number: i64,
    pub(super) steps: Vec<Step>,
    pub(super) swept: Swept,
    /// Of the row in the journal.
    pub(super) body: Vec<u8>,
    /// It is flushed by another connection, while this one goes on.
    pub(super) is_flushed_apart: bool,
}

impl Work for Commit {
    type Done = ();

    fn waits_for_flush(&self) -> bool {
        !self.is_flushed_apart
    }

    async fn carry_out(&self, connection: &mut PgConnection, again: bool) -> Result<(), Fault> {
        if again && journal::is_stored(connection, self.node, self.number).await? {
            return Ok(());
        }
        for step in &self.steps {
            carry_out(connection, self.store, step).await?;
        }
        journal::add(connection, self.node, self.number, &self.body).await?;
        journal::remove(connection, self.node, self.number, &self.swept).await
    }
}

/// Carries out a step of a plan.
async fn carry_out(
    connection: &mut PgConnection,
    store: StoreId,
    step: &Step,
) -> Result<(), Fault> {
    match step {
        Step::Open {
            match_key,
            match_id,
            opened_at_unix_ms,
            header,
        } => {
            let (key, at) = (*match_key, *opened_at_unix_ms);
            open_rows::insert(connection, store, key, match_id, at, header).await
        }
        Step::Finish {
            match_key,
            finished,
            replay,
            parties,
        } => {
            open_rows::delete(connection, *match_key).await?;
            finished_rows::insert(connection, store, finished, replay, parties).await
        }
        Step::DropOpen { match_key } => open_rows::delete(connection, *match_key).await,
        Step::DropFinished { match_id } => {
            match finished_rows::number(connection, match_id).await? {
                Some(number) => finished_rows::delete(connection, number).await,
                None => Ok(()),
            }
        }
        Step::ForgetReplay { match_id } => {
            match finished_rows::number(connection, match_id).await? {
                Some(number) => replay_rows::forget(connection, store, number, match_id).await,
                None => Ok(()),
            }
        }
        Step::KeepNote { name, value } => note_rows::keep(connection, store, name, value).await,
        Step::DropNote { name } => note_rows::forget(connection, name).await,
        Step::ChangeLadder { ladder_id, change } => {
            ladder_rows::carry_out(connection, store, ladder_id, change).await
        }
    }
}
