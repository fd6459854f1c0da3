//! Commits: each is written down for a while, and takes effect at once then.

use std::rc::Rc;

use bridgemaster_referee::Time;

use super::{Answer, Database, LONG_AGO, Reply};
use crate::{
    cluster::{
        events::Of,
        journal::Appended,
        tampering::WrongCluster,
        transaction::{Begun, Stage, Taken, TxId, Work, Written},
    },
    oracle::{Violation, demand},
};

impl Database {
    /// A transaction is to be committed. Whether it will be.
    pub(crate) fn flushes(&mut self, id: TxId) -> bool {
        let Some(it) = self.open.get_mut(&id) else {
            return false;
        };
        if let Stage::Written(written) = &it.stage {
            it.stage = Stage::Flushing(written.clone());
        }
        matches!(it.stage, Stage::Flushing(_))
    }

    /// A commit is written down.
    pub(crate) fn flushed(&mut self, now: Time, id: TxId) -> Result<Vec<Reply>, Violation> {
        let mut replies = Vec::new();
        let Some(it) = self.open.get(&id) else {
            return Ok(replies);
        };
        let Stage::Flushing(written) = it.stage.clone() else {
            return Ok(replies);
        };
        let (begun, of) = (it.begun.clone(), it.of);
        self.take_effect(&begun, written, of)?;
        replies.extend(self.reply(id, Answer::Committed));
        self.forget(id);
        self.go_on(now, &mut replies)?;
        Ok(replies)
    }

    pub(super) fn take_effect(
        &mut self,
        begun: &Begun,
        written: Written,
        of: Option<Of>,
    ) -> Result<(), Violation> {
        let is_wrong = self.does(WrongCluster::TakesOverWithinTheEpoch);
        let keeps_epoch = self.does(WrongCluster::KeepsTheEpochOnRelease);
        let row = &mut self.rows[begun.row];
        let is_fenced = !matches!(begun.work, Work::Open);
        demand!(
            !is_fenced || row.epoch == begun.epoch,
            "a server of epoch {} commits {:?} in epoch {}",
            begun.epoch,
            begun.work,
            row.epoch
        );
        match (written, &begun.work) {
            (Written::Appended, Work::Append(appended)) => {
                row.commits += 1;
                self.append(begun.row, appended)?;
            }
            (Written::Taken(Some(Taken { from, .. })), _) => {
                row.commits += 1;
                self.owner = begun.row;
                self.moves += 1;
                if !is_wrong {
                    self.rows[from].epoch += 1;
                }
            }
            (Written::Opened(opened), _) => {
                row.epoch = opened.epoch;
                row.opened_in = opened.epoch;
                row.commits = opened.commits;
                row.lease_until_us = opened.lease_until_us;
                if let Some(of) = of {
                    row.server = of.server;
                }
            }
            (Written::Released, _) => {
                row.epoch += i64::from(!keeps_epoch);
                row.lease_until_us = LONG_AGO;
            }
            _ => {}
        }
        Ok(())
    }

    /// What is committed under the number of a node that has the match no more is in no journal of
    /// it.
    fn append(&mut self, row: usize, appended: &Appended) -> Result<(), Violation> {
        if self.owner != row {
            return Ok(());
        }
        demand!(
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
