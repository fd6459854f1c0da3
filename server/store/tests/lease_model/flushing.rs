//! Commits that another connection flushes, and the effect of a crash on them. The decisions of a
//! server are the code of `bridgemaster-lease`.

use bridgemaster_lease::{CommitNumbers, FlushOutcome};

use crate::state::{Flush, FlushResult, Phase, Progress, Server, State, Work, WorkKind, World};

impl World {
    /// Restores lost commits, in order, before the commit of a transaction.
    pub(crate) fn restore_lost(&self, state: &mut State, server: usize) {
        let it = &state.servers[server];
        let row = &mut state.rows[self.node_of(server)];
        let Ok(missing) = it.commits().missing(i64::from(row.batches)) else {
            state.violations.contradicted = true;
            return;
        };
        let count = missing.count();
        for index in it.journal.len() - count..it.journal.len() {
            row.batches += 1;
            if let Some(entry) = it.journal.get(index) {
                state.journal.push(entry);
                state.unflushed += 1;
            }
        }
    }

    /// The database flushes all commits.
    pub(crate) fn flush(&self, state: &mut State, server: usize) {
        let row = state.rows[self.node_of(server)];
        let it = &mut state.servers[server];
        let is_ours = row.epoch == it.epoch || !self.protocol.flush_checks_epoch;
        let newest = if self.protocol.flush_checks_number { row.batches } else { it.batches };
        let seen =
            FlushOutcome::from_newest(i64::from(it.batches), is_ours.then(|| i64::from(newest)));
        it.flush = Flush::Done(match seen {
            FlushOutcome::UpTo(number) => FlushResult::UpTo(u8::try_from(number).unwrap()),
            FlushOutcome::Missing => FlushResult::Missing,
            FlushOutcome::Superseded => FlushResult::Superseded,
        });
        state.unflushed = 0;
    }

    pub(crate) fn receive_flush_answer(&self, state: &mut State, server: usize) {
        let it = &mut state.servers[server];
        match std::mem::take(&mut it.flush) {
            Flush::Done(FlushResult::UpTo(number)) => it.mark_flushed(number),
            Flush::Done(FlushResult::Missing) => {
                it.has_lost_connection = true;
                if it.unflushed > 0 {
                    it.work = Some(Work {
                        kind: WorkKind::RestoreLost,
                        is_retry: true,
                        progress: Progress::Waiting,
                    });
                }
            }
            Flush::Done(FlushResult::Superseded) => it.end(),
            Flush::Idle | Flush::Sent => {}
        }
    }
}

impl State {
    /// The database crashes and restarts at once: all connections and open transactions are lost.
    pub(crate) fn crash(&mut self, lost: u8) {
        self.crashes_left -= 1;
        for _ in 0..lost {
            self.journal.pop();
        }
        self.rows[self.holder].batches -= lost;
        self.unflushed = 0;
        for it in &mut self.servers {
            it.late_transaction = None;
            match it.phase {
                Phase::Up => {
                    it.has_lost_connection = true;
                    if it.flush == Flush::Sent {
                        it.flush = Flush::Idle;
                    }
                    if let Some(work) = &mut it.work {
                        (work.is_retry, work.progress) = (true, Progress::Waiting);
                    }
                }
                Phase::Opening => it.end(),
                Phase::Gone => it.normalize_if_gone(),
                Phase::NotStarted => {}
            }
        }
    }
}

impl Server {
    /// Returns whether the next transaction must restore lost commits.
    pub(crate) fn must_restore_lost(&self) -> bool {
        self.has_lost_connection && self.unflushed > 0
    }

    /// Returns the numbers of the server's commits.
    fn commits(&self) -> CommitNumbers {
        let mut commits = CommitNumbers::new(i64::from(self.batches - self.unflushed));
        for _ in 0..self.unflushed {
            commits.mark_committed_unflushed();
        }
        commits
    }

    /// Marks all commits of the server up to this one as flushed.
    pub(crate) fn mark_flushed(&mut self, number: u8) {
        let left = self.batches.saturating_sub(number).min(self.unflushed);
        self.has_unpublished |= left < self.unflushed;
        self.unflushed = left;
    }
}
