//! Commits: each takes a while to be written, and then takes effect at once.

use std::rc::Rc;

use bridgemaster_referee::Time;

use super::{Answer, Database, LONG_AGO, Reply};
use crate::{
    cluster::{
        events::Of,
        journal::Appended,
        tampering::ClusterDefect,
        transaction::{Stage, TakenOver, TransactionStart, TxId, Work, WriteOutcome},
    },
    oracle::{Violation, require},
};

impl Database {
    /// Starts the commit of a transaction. Returns whether it will succeed.
    pub(crate) fn begin_commit(&mut self, id: TxId) -> bool {
        let Some(it) = self.open.get_mut(&id) else {
            return false;
        };
        if let Stage::WriteOutcome(written) = &it.stage {
            it.stage = Stage::Flushing(written.clone());
        }
        matches!(it.stage, Stage::Flushing(_))
    }

    /// Completes a commit.
    pub(crate) fn finish_commit(&mut self, now: Time, id: TxId) -> Result<Vec<Reply>, Violation> {
        let mut replies = Vec::new();
        let Some(it) = self.open.get(&id) else {
            return Ok(replies);
        };
        let Stage::Flushing(written) = it.stage.clone() else {
            return Ok(replies);
        };
        let (start, of) = (it.start.clone(), it.of);
        self.take_effect(&start, written, of)?;
        replies.extend(self.reply(id, Answer::Committed));
        self.forget(id);
        self.resume(now, &mut replies)?;
        Ok(replies)
    }

    pub(super) fn take_effect(
        &mut self,
        start: &TransactionStart,
        written: WriteOutcome,
        of: Option<Of>,
    ) -> Result<(), Violation> {
        let is_wrong = self.does(ClusterDefect::TakesOverWithinTheEpoch);
        let keeps_epoch = self.does(ClusterDefect::KeepsTheEpochOnRelease);
        let row = &mut self.rows[start.row];
        let is_fenced = !matches!(start.work, Work::Open);
        require!(
            !is_fenced || row.epoch == start.epoch,
            "a server of epoch {} commits {:?} in epoch {}",
            start.epoch,
            start.work,
            row.epoch
        );
        match (written, &start.work) {
            (WriteOutcome::Appended, Work::Append(appended)) => {
                row.commits += 1;
                self.append(start.row, appended)?;
            }
            (WriteOutcome::TakenOver(Some(TakenOver { from, .. })), _) => {
                row.commits += 1;
                self.owner = start.row;
                self.moves += 1;
                if !is_wrong {
                    self.rows[from].epoch += 1;
                }
            }
            (WriteOutcome::Opened(opened), _) => {
                row.epoch = opened.epoch;
                row.opened_in = opened.epoch;
                row.commits = opened.commits;
                row.lease_until_us = opened.lease_until_us;
                if let Some(of) = of {
                    row.server = of.server;
                }
            }
            (WriteOutcome::Released, _) => {
                row.epoch += i64::from(!keeps_epoch);
                row.lease_until_us = LONG_AGO;
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks that a commit of a node without the match does not enter its journal.
    fn append(&mut self, row: usize, appended: &Appended) -> Result<(), Violation> {
        if self.owner != row {
            return Ok(());
        }
        require!(
            appended.first == self.journal.len() && self.finish.is_none(),
            "entry {} is stored after {} entries",
            appended.first,
            self.journal.len()
        );
        let entries = appended.entries.iter();
        self.journal.extend(entries.cloned().map(Rc::new));
        self.finish.clone_from(&appended.finish);
        Ok(())
    }
}
