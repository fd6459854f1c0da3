//! Commits that are flushed by another connection than made them, and what a crash does to them. What a
//! server decides is the code of `bridgemaster-lease`.

use bridgemaster_lease::{Commits, Flushed};

use crate::state::{At, Flush, Phase, Seen, Server, State, What, Work, World};

impl World {
    /// What a crash has lost is made again, in its order, before the commit of a transaction.
    pub(crate) fn put_back(&self, state: &mut State, server: usize) {
        let it = &state.servers[server];
        let row = &mut state.rows[self.node_of(server)];
        let Ok(missing) = it.commits().missing(i64::from(row.batches)) else {
            state.wrongs.contradicted = true;
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

    /// The database flushes all that is committed.
    pub(crate) fn flush(&self, state: &mut State, server: usize) {
        let row = state.rows[self.node_of(server)];
        let it = &mut state.servers[server];
        let is_ours = row.epoch == it.epoch || !self.protocol.flush_looks_at_epoch;
        let newest = match self.protocol.flush_looks_at_number {
            true => row.batches,
            false => it.batches,
        };
        let seen = Flushed::of(i64::from(it.batches), is_ours.then(|| i64::from(newest)));
        it.flush = Flush::Done(match seen {
            Flushed::UpTo(number) => Seen::UpTo(u8::try_from(number).unwrap()),
            Flushed::Missing => Seen::Missing,
            Flushed::Superseded => Seen::Superseded,
        });
        state.unflushed = 0;
    }

    pub(crate) fn hear_flush(&self, state: &mut State, server: usize) {
        let it = &mut state.servers[server];
        match std::mem::take(&mut it.flush) {
            Flush::Done(Seen::UpTo(number)) => it.are_flushed(number),
            Flush::Done(Seen::Missing) => {
                it.was_cut_off = true;
                if it.unflushed > 0 {
                    it.work = Some(Work {
                        what: What::PutBack,
                        again: true,
                        at: At::Waiting,
                    });
                }
            }
            Flush::Done(Seen::Superseded) => it.end(),
            Flush::Idle | Flush::Sent => {}
        }
    }
}

impl State {
    /// The database crashes and is back at once: every connection is lost, with what was under way.
    pub(crate) fn crash(&mut self, lost: u8) {
        self.crashes_left -= 1;
        for _ in 0..lost {
            self.journal.pop();
        }
        self.rows[self.holder].batches -= lost;
        self.unflushed = 0;
        for it in &mut self.servers {
            it.stray = None;
            match it.phase {
                Phase::Up => {
                    it.was_cut_off = true;
                    if it.flush == Flush::Sent {
                        it.flush = Flush::Idle;
                    }
                    if let Some(work) = &mut it.work {
                        (work.again, work.at) = (true, At::Waiting);
                    }
                }
                Phase::Opening => it.end(),
                Phase::Gone => it.forget_if_gone(),
                Phase::NotStarted => {}
            }
        }
    }
}

impl Server {
    /// Whether its next transaction looks for what a crash has lost.
    pub(crate) fn looks_for_lost(&self) -> bool {
        self.was_cut_off && self.unflushed > 0
    }

    /// What it knows of its commits.
    fn commits(&self) -> Commits {
        let mut commits = Commits::new(i64::from(self.batches - self.unflushed));
        for _ in 0..self.unflushed {
            commits.committed_unflushed();
        }
        commits
    }

    /// All its commits up to this one are flushed.
    pub(crate) fn are_flushed(&mut self, number: u8) {
        let left = self.batches.saturating_sub(number).min(self.unflushed);
        self.is_untold |= left < self.unflushed;
        self.unflushed = left;
    }
}
