//! Removal of journal batches in which no match is still in play.
//!
//! A batch is kept as long as any of its matches is in play. So the journal is at most as large as
//! the batches of the matches in play: at worst the entries of these, each in a batch of its own
//! with the most matches that one commit had. Matches that go on side by side leave play side by
//! side, and the journal is then about twice what is needed of it.
//!
//! Batches are removed some at a time: neighbours lie in one page, and a commit that removed all
//! that a long match leaves would take too long.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::SqliteConnection;

use super::failure::Fault;

/// Batches that wait until they are removed: so that a page with many small ones is written once.
const MIN_STEP: usize = 64;

/// Batches that one commit removes at most. A commit adds one, so this catches up.
const MAX_STEP: usize = 256;

/// Which batches are needed, and which are not.
#[derive(Debug, Default)]
pub(super) struct Sweep {
    /// Matches in play of each batch that has any.
    live: BTreeMap<i64, u32>,
    /// Batches that mean nothing any more.
    dead: BTreeSet<i64>,
}

impl Sweep {
    /// A match in play has a part in a batch.
    pub(super) fn enter(&mut self, number: i64) {
        *self.live.entry(number).or_default() += 1;
    }

    /// A match that had a part in a batch is no longer in play.
    pub(super) fn leave(&mut self, number: i64) {
        let Some(matches) = self.live.get_mut(&number) else {
            return;
        };
        *matches -= 1;
        if *matches == 0 {
            self.live.remove(&number);
            self.dead.insert(number);
        }
    }

    /// A batch has no match in play, unless one has entered.
    pub(super) fn has_been(&mut self, number: i64) {
        if !self.live.contains_key(&number) {
            self.dead.insert(number);
        }
    }

    /// Removes everything that means nothing, before a server starts.
    pub(super) async fn all(&mut self, connection: &mut SqliteConnection) -> Result<(), Fault> {
        let dead: Vec<i64> = std::mem::take(&mut self.dead).into_iter().collect();
        for some in dead.chunks(MAX_STEP) {
            delete(connection, some).await?;
        }
        Ok(())
    }

    /// Whether a commit now would remove nothing.
    pub(super) fn is_idle(&self, none_in_play: bool) -> bool {
        let has_batches = !self.live.is_empty() || !self.dead.is_empty();
        !(none_in_play && has_batches) && self.dead.len() < MIN_STEP
    }

    /// Goes on within a commit. Returns what is removed once the commit is done.
    pub(super) async fn step(
        &self,
        connection: &mut SqliteConnection,
        none_in_play: bool,
    ) -> Result<Swept, Fault> {
        if self.is_idle(none_in_play) {
            return Ok(Swept::Nothing);
        }
        if none_in_play {
            // Without a condition SQLite frees whole pages unread. The row of this commit is added
            // afterwards.
            sqlx::query("DELETE FROM journal")
                .execute(connection)
                .await?;
            return Ok(Swept::All);
        }
        let removed: Vec<i64> = self.dead.iter().copied().take(MAX_STEP).collect();
        delete(connection, &removed).await?;
        Ok(Swept::Some(removed))
    }

    /// Takes over what a commit has removed.
    pub(super) fn done(&mut self, swept: Swept) {
        match swept {
            Swept::Nothing => {}
            Swept::Some(removed) => {
                for number in removed {
                    self.dead.remove(&number);
                }
            }
            Swept::All => *self = Self::default(),
        }
    }
}

/// What a commit has removed.
#[derive(Debug)]
pub(super) enum Swept {
    Nothing,
    Some(Vec<i64>),
    /// Every batch before it.
    All,
}

/// Removes batches.
async fn delete(connection: &mut SqliteConnection, numbers: &[i64]) -> Result<(), Fault> {
    let list: Vec<String> = numbers.iter().map(ToString::to_string).collect();
    sqlx::query("DELETE FROM journal WHERE batch IN (SELECT value FROM json_each(?))")
        .bind(format!("[{}]", list.join(",")))
        .execute(connection)
        .await?;
    Ok(())
}
