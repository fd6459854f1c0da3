//! Matches of a node whose lease has run out, or that has released them, become those of another.
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
    left_matches::{Last, Left, LeftMatches, Taken},
    link::Work,
    node_number::NodeNumber,
    node_rows,
    open_rows::{self, Moved},
    released_rows,
    whole_matches::WholeMatch,
};
use crate::{
    IsLed,
    checksum::StoreId,
    journal_batch::{self, Part},
    limits::{TAKEN_AT_ONCE, TAKEN_BYTES_AT_ONCE},
};

/// Takes some matches of a node over, which have been read.
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
    pub(super) left: &'a LeftMatches,
    /// What the last try came to: its answer may have been lost, and not what it did.
    pub(super) tried: Mutex<Taking>,
}

/// What came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Taking {
    /// Nobody may take them now: the node has its lease again, or commits, or another one takes from
    /// it. Or some of them were read before they were changed last.
    #[default]
    NotNow,
    /// These were taken.
    Done(Taken),
}

impl Work for TakeOrphans<'_> {
    type Done = Taking;

    async fn carry_out(&self, connection: &mut PgConnection, again: bool) -> Result<Taking, Fault> {
        if again && journal::is_stored(connection, self.node, self.number).await? {
            return Ok(self.tried.lock().clone());
        }
        let may_take = match self.left.how {
            Left::Gone(last) => self.end_the_node(connection, last).await?,
            Left::Released => self.hold_the_node(connection).await?,
        };
        let taking = match may_take {
            true => Taking::Done(self.take(connection).await?),
            false => Taking::NotNow,
        };
        self.tried.lock().clone_from(&taking);
        Ok(taking)
    }
}

impl TakeOrphans<'_> {
    /// Ends the node, if it has no lease: it commits nothing more. Whether that is done, and what was
    /// read of its matches is what it committed last. Its lock waits for nobody: a node that commits
    /// right now is left alone until the next time, and so is one that another node takes from.
    async fn end_the_node(&self, connection: &mut PgConnection, last: Last) -> Result<bool, Fault> {
        let from = self.left.node;
        // The time is that of the transaction's beginning: a lease that counts as over is over.
        let number: Option<i64> = sqlx::query_scalar(
            "SELECT number FROM node WHERE number = $1 AND lease_until < now()
             FOR UPDATE SKIP LOCKED",
        )
        .bind(from.get())
        .fetch_optional(&mut *connection)
        .await?;
        if number.is_none() {
            return Ok(false);
        }
        sqlx::query("UPDATE node SET epoch = epoch + 1 WHERE number = $1")
            .bind(from.get())
            .execute(&mut *connection)
            .await?;
        Ok(Last::of(connection, from).await? == last)
    }

    /// Has nobody take the node over until the end of this transaction, neither a server of its name
    /// nor another node that finds it without its lease: they have its matches then, the released
    /// ones too. Whether nobody does so right now. Its own commits and renewals go on.
    async fn hold_the_node(&self, connection: &mut PgConnection) -> Result<bool, Fault> {
        let held: Option<i64> = sqlx::query_scalar(
            "SELECT number FROM node WHERE number = $1 FOR KEY SHARE SKIP LOCKED",
        )
        .bind(self.left.node.get())
        .fetch_optional(connection)
        .await?;
        Ok(held.is_some())
    }

    /// Takes the next of them that are there, in the order in which they were opened.
    async fn take(&self, connection: &mut PgConnection) -> Result<Taken, Fault> {
        let leads = node_rows::leads(&mut *connection, self.node).await?;
        let mut candidates = self.left.candidates(leads, self.is_led);
        let mut taken = Taken::default();
        while taken.keys.is_empty() {
            let some = next_of(&mut candidates);
            if some.is_empty() {
                break;
            }
            let there = self.still_left(connection, &some).await?;
            let (some, gone): (Vec<_>, Vec<_>) = some
                .into_iter()
                .partition(|left| there.contains(&left.row.match_key));
            taken
                .gone
                .extend(gone.iter().map(|left| left.row.match_key));
            self.move_to_this(connection, &some, &mut taken).await?;
        }
        let is_gone = matches!(self.left.how, Left::Gone(_));
        if is_gone && !open_rows::are_any_of(connection, self.left.node).await? {
            journal::forget_all_but_newest(connection, self.left.node).await?;
        }
        Ok(taken)
    }

    /// Which of these the node still has left, by their keys: released no more, since they are taken.
    async fn still_left(
        &self,
        connection: &mut PgConnection,
        matches: &[&WholeMatch],
    ) -> Result<HashSet<i64>, Fault> {
        let keys: Vec<i64> = matches.iter().map(|left| left.row.match_key).collect();
        let claimed = released_rows::claim(connection, &keys).await?;
        let left = match self.left.how {
            Left::Gone(_) => keys,
            Left::Released => claimed.into_iter().collect(),
        };
        open_rows::still_there(connection, left).await
    }

    /// Makes matches this node's, with a journal of one batch.
    async fn move_to_this(
        &self,
        connection: &mut PgConnection,
        matches: &[&WholeMatch],
        taken: &mut Taken,
    ) -> Result<(), Fault> {
        if matches.is_empty() {
            return Ok(());
        }
        let (mut moved, mut parts) = (Vec::new(), Vec::new());
        for (left, match_key) in matches.iter().zip(self.match_keys_given + 1..) {
            taken.keys.insert(left.row.match_key, match_key);
            moved.push(Moved {
                row: &left.row,
                header: &left.header,
                match_key,
            });
            parts.extend(whole_journal(match_key, &left.journal));
        }
        open_rows::change_keys(connection, self.store, &moved).await?;
        let given = self.match_keys_given + moved.len() as i64;
        let body = journal_batch::write(self.store, self.number, given, parts);
        journal::add(connection, self.node, self.number, &body).await
    }
}

/// The next candidates that are taken in one transaction.
fn next_of<'a>(candidates: &mut impl Iterator<Item = &'a WholeMatch>) -> Vec<&'a WholeMatch> {
    let (mut some, mut bytes) = (Vec::new(), 0);
    while some.len() < TAKEN_AT_ONCE && bytes < TAKEN_BYTES_AT_ONCE {
        let Some(left) = candidates.next() else {
            break;
        };
        bytes += left.journal.iter().map(Vec::len).sum::<usize>();
        some.push(left);
    }
    some
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
