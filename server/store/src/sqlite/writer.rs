//! The one connection that changes matches.

use std::{collections::HashSet, path::Path};

use sqlx::{Connection as _, SqliteConnection};

use super::{
    failure::Fault,
    in_play::MatchesInPlay,
    journal, key_rows, match_rows,
    plan::{Plan, Step},
    secret_rows,
    sweep::Sweep,
    transaction,
};
use crate::{
    Key, KeyId, MatchId, NewKey, OpenMatch, StoreError, Write,
    batch::{self, Standing},
    data_dir::DirLock,
};

/// Writes for a server, and knows what it has written.
#[derive(Debug)]
pub(super) struct Writer {
    connection: SqliteConnection,
    matches: MatchesInPlay,
    sweep: Sweep,
    /// Last, so that the folder is held until the connection is gone.
    _lock: DirLock,
}

impl Writer {
    /// Begins on a database that has been checked and migrated.
    pub(super) async fn start(
        mut connection: SqliteConnection,
        lock: DirLock,
        path: &Path,
    ) -> Result<Self, StoreError> {
        let work = async {
            let sweep = Sweep::all(&mut connection).await?;
            let matches = MatchesInPlay::load(&mut connection).await?;
            Ok((matches, sweep))
        };
        let (matches, sweep) = work.await.map_err(|fault: Fault| fault.at(path))?;
        Ok(Self {
            connection,
            matches,
            sweep,
            _lock: lock,
        })
    }

    /// Stores a batch or nothing of it.
    pub(super) async fn commit(&mut self, batch: Vec<Write>) -> Result<(), Fault> {
        if batch.is_empty() {
            return Ok(());
        }
        let finished = self.finished_among(&batch).await?;
        batch::check(&batch, |id| match self.matches.get(id) {
            Some(in_play) => Standing::InPlay {
                entries: in_play.entries,
            },
            None if finished.contains(id) => Standing::Finished,
            None => Standing::Unknown,
        })?;
        let plan = Plan::of(batch, &self.matches);
        let none_in_play = self.matches.count_after(&plan.changes) == 0;
        transaction::begin(&mut self.connection).await?;
        let work = store(
            &mut self.connection,
            plan.steps,
            plan.rows,
            self.sweep,
            plan.left_rows,
            none_in_play,
        )
        .await;
        self.sweep = transaction::end(&mut self.connection, work).await?;
        self.matches
            .apply(plan.changes, plan.next_key, plan.next_row);
        Ok(())
    }

    /// The matches of the batch that have finished before it.
    async fn finished_among(&mut self, batch: &[Write]) -> Result<HashSet<MatchId>, Fault> {
        let mut finished = HashSet::new();
        for id in batch.iter().map(Write::match_id) {
            if self.matches.get(id).is_none()
                && !finished.contains(id)
                && match_rows::is_finished(&mut self.connection, id).await?
            {
                finished.insert(id.clone());
            }
        }
        Ok(finished)
    }

    pub(super) fn open_match_ids(&self) -> Vec<MatchId> {
        self.matches.ids()
    }

    pub(super) async fn open_match(&mut self, id: &MatchId) -> Result<Option<OpenMatch>, Fault> {
        let Some(in_play) = self.matches.get(id) else {
            return Ok(None);
        };
        Ok(Some(OpenMatch {
            match_id: id.clone(),
            opened_at_unix_ms: in_play.opened_at_unix_ms,
            header: match_rows::header(&mut self.connection, in_play.match_key).await?,
            journal: journal::read(&mut self.connection, in_play).await?,
        }))
    }

    pub(super) async fn open_match_header(
        &mut self,
        id: &MatchId,
    ) -> Result<Option<Vec<u8>>, Fault> {
        let Some(in_play) = self.matches.get(id) else {
            return Ok(None);
        };
        let header = match_rows::header(&mut self.connection, in_play.match_key).await?;
        Ok(Some(header))
    }

    pub(super) async fn add_key(&mut self, key: NewKey) -> Result<(), Fault> {
        key_rows::add(&mut self.connection, key).await
    }

    pub(super) async fn revoke_key(
        &mut self,
        id: &KeyId,
        revoked_at_unix_ms: i64,
    ) -> Result<Key, Fault> {
        key_rows::revoke(&mut self.connection, id, revoked_at_unix_ms).await
    }

    pub(super) async fn keep_secret(
        &mut self,
        name: &str,
        value: Vec<u8>,
    ) -> Result<Vec<u8>, Fault> {
        secret_rows::keep(&mut self.connection, name, value).await
    }

    /// Lets go of the database, then of the folder.
    pub(super) async fn close(self) -> Result<(), Fault> {
        Ok(self.connection.close().await?)
    }
}

/// What a transaction does. Returns where the sweep stands after it.
async fn store(
    connection: &mut SqliteConnection,
    steps: Vec<Step>,
    rows: Vec<journal::Row>,
    sweep: Sweep,
    left_rows: u64,
    none_in_play: bool,
) -> Result<Sweep, Fault> {
    for step in steps {
        match_rows::carry_out(connection, step).await?;
    }
    let added_rows = rows.len() as u64;
    journal::insert(connection, rows).await?;
    sweep
        .step(connection, added_rows, left_rows, none_in_play)
        .await
}
