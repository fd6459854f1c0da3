//! Matches of a node whose lease has run out become those of another.
//!
//! A match that moves gets a key of its new node, and its journal begins anew there as one part
//! with all its entries. So the journal of a node holds all that its matches need, whoever had them
//! before, and each node sweeps its own.

use std::collections::HashSet;

use parking_lot::Mutex;
use sqlx::PgConnection;

use super::{
    failure::Fault,
    journal,
    link::Work,
    node_number::NodeNumber,
    open_rows::{self, WithHeader},
};
use crate::{
    IsLed, MatchId,
    checksum::StoreId,
    journal::in_play::{Standing, TakenMatch},
    journal_batch::{self, Part},
    limits::{TAKEN_AT_ONCE, TAKEN_BYTES_AT_ONCE},
};

/// Takes some matches of one node over.
pub(super) struct TakeOrphans<'a> {
    pub(super) store: StoreId,
    /// Who takes them.
    pub(super) node: NodeNumber,
    /// Of the batch with what is taken.
    pub(super) number: i64,
    /// Keys that were given by this node.
    pub(super) match_keys_given: i64,
    /// Whether a match of this header goes to the node that leads alone.
    pub(super) is_led: IsLed,
    /// Keys of matches that cannot be read, and stay where they are.
    pub(super) unreadable: &'a HashSet<i64>,
    /// What the last try came to: its answer may have been lost, and not what it did.
    pub(super) tried: Mutex<Taken>,
}

/// What was taken.
#[derive(Clone, Default)]
pub(super) struct Taken {
    /// In the order in which they were opened.
    pub(super) matches: Vec<(MatchId, TakenMatch)>,
    pub(super) match_keys_given: i64,
    /// Keys of matches that cannot be read.
    pub(super) unreadable: Vec<i64>,
}

impl Work for TakeOrphans<'_> {
    type Done = Taken;

    async fn carry_out(&self, connection: &mut PgConnection, again: bool) -> Result<Taken, Fault> {
        if again && journal::is_stored(connection, self.node, self.number).await? {
            return Ok(self.tried.lock().clone());
        }
        let mut taken = Taken {
            match_keys_given: self.match_keys_given,
            ..Taken::default()
        };
        if let Some(node) = self.end_a_node(connection).await? {
            self.take_from(connection, node, &mut taken).await?;
        }
        self.tried.lock().clone_from(&taken);
        Ok(taken)
    }
}

impl TakeOrphans<'_> {
    /// Ends a node that has matches and no lease: it commits nothing more. Its lock waits for
    /// nobody: a node that commits right now is left alone until the next time, and so is one that
    /// another node takes from.
    async fn end_a_node(&self, connection: &mut PgConnection) -> Result<Option<NodeNumber>, Fault> {
        let unreadable: Vec<i64> = self.unreadable.iter().copied().collect();
        // The time is that of the transaction's beginning: a lease that counts as over is over.
        let number: Option<i64> = sqlx::query_scalar(
            "SELECT number FROM node WHERE lease_until < now() AND number <> $1 AND EXISTS (
                 SELECT 1 FROM open_match
                 WHERE match_key > number << 40 AND match_key < (number + 1) << 40
                     AND match_key <> ALL ($2))
             ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED",
        )
        .bind(self.node.get())
        .bind(&unreadable)
        .fetch_optional(&mut *connection)
        .await?;
        let Some(number) = number else {
            return Ok(None);
        };
        sqlx::query("UPDATE node SET epoch = epoch + 1 WHERE number = $1")
            .bind(number)
            .execute(connection)
            .await?;
        NodeNumber::new(number).map(Some)
    }

    async fn take_from(
        &self,
        connection: &mut PgConnection,
        from: NodeNumber,
        taken: &mut Taken,
    ) -> Result<(), Fault> {
        let leads: bool = sqlx::query_scalar("SELECT leads FROM node WHERE number = $1")
            .bind(self.node.get())
            .fetch_one(&mut *connection)
            .await?;
        let rows = open_rows::with_headers(connection, self.store, from).await?;
        let there = rows.len();
        let of_rows = rows.iter().map(|with_header| with_header.row.clone());
        let mut loaded = journal::load(connection, self.store, from, of_rows.collect()).await?;
        let (mut parts, mut bytes) = (Vec::new(), 0);
        for WithHeader { row, header } in rows {
            let entries = match loaded.matches.by_id.remove(&row.match_id) {
                Some(in_play) if in_play.damage.is_none() => in_play.read_at_open,
                _ => None,
            };
            let Some(entries) = entries else {
                taken.unreadable.push(row.match_key);
                continue;
            };
            if !leads && (self.is_led)(&header) {
                continue;
            }
            if taken.matches.len() >= TAKEN_AT_ONCE || bytes >= TAKEN_BYTES_AT_ONCE {
                break;
            }
            bytes += entries.iter().map(Vec::len).sum::<usize>();
            taken.match_keys_given += 1;
            let match_key = taken.match_keys_given;
            open_rows::change_key(connection, self.store, &row, match_key, &header).await?;
            let standing = Standing {
                match_key,
                opened_at_unix_ms: row.opened_at_unix_ms,
                entries: entries.len() as u64,
                last_batch: (!entries.is_empty()).then_some(self.number),
            };
            parts.extend(whole_journal(match_key, &entries));
            taken
                .matches
                .push((row.match_id, TakenMatch { standing, entries }));
        }
        if taken.matches.len() == there {
            journal::forget_all_but_newest(connection, from).await?;
        }
        if taken.matches.is_empty() {
            return Ok(());
        }
        let given = taken.match_keys_given;
        let body = journal_batch::write(self.store, self.number, given, parts);
        journal::add(connection, self.node, self.number, &body).await
    }
}

/// All entries of a match as one part, if it has any.
fn whole_journal(match_key: i64, entries: &[Vec<u8>]) -> Option<Part> {
    (!entries.is_empty()).then(|| Part {
        match_key,
        first_entry: 0,
        previous_batch: None,
        entries: entries.to_vec(),
    })
}
