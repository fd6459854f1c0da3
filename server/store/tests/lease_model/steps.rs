//! The steps that can happen next. Between any two of them any time may pass, and anything else
//! happen: so each server stands still wherever it can.

use crate::{
    locks::Lock,
    protocol::{Clocks, Fence},
    state::{At, Flush, Phase, Renewal, Seen, Server, State, What, Work, World},
};

/// One step. A number is that of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The clock of the database goes on, and with it those of the servers but one.
    Tick { without: Option<usize> },
    /// A server starts under the name of one that was there before.
    Start(usize),
    /// A bot has made the next decision: the server begins a transaction that stores it. The
    /// message that begins it has the database look at the fence and lock the row, too.
    Append(usize),
    /// The server begins one that takes over the match of another node.
    Take(usize),
    /// It begins the transaction again.
    BeginAgain(usize),
    /// The database looks at the fence, where that is another step.
    Fence(usize),
    /// The row of the node that has the match is locked.
    LockHolder(usize),
    /// The server begins a transaction that releases the match.
    ReleaseMatch(usize),
    /// The match is claimed, which its node has released.
    Claim(usize),
    /// No match is to be had.
    FindNothing(usize),
    /// The database commits.
    Commit(usize),
    /// The server learns that.
    Hear(usize),
    /// The connection is lost.
    Lose(usize),
    /// What was on its way when the connection was lost is done after all.
    StrayCommits(usize),
    /// It is undone.
    StrayIsUndone(usize),
    /// Bots are told all that they may know.
    Tell(usize),
    /// A renewal is sent.
    SendRenewal(usize),
    /// The database does it.
    Renew(usize),
    /// The server learns that.
    HearRenewal(usize),
    /// The server waits for it no more.
    GiveUpRenewal(usize),
    /// The database does it after all.
    RenewLate(usize),
    /// The server drains: it gives up its lease after the last commit, and ends.
    Release(usize),
    /// The server is killed.
    Kill(usize),
    /// It sends a flush of what it has committed, on another connection.
    SendFlush(usize),
    /// The database does it.
    Flush(usize),
    /// The server learns what it came to.
    HearFlush(usize),
    /// The database crashes, and so many commits are lost.
    Crash { lost: u8 },
}

impl World {
    pub(crate) fn node_of(&self, server: usize) -> usize {
        self.bounds.nodes[server]
    }

    /// Whether the model has the clock of a server: no more than that of the node which has the
    /// match in the beginning, since which node loses it first makes no difference.
    pub(crate) fn has_clock(&self, server: usize) -> bool {
        let node = self.bounds.nodes.get(server);
        self.bounds.clocks != Clocks::None && node == self.bounds.nodes.first()
    }

    pub(crate) fn possible(&self, state: &State, steps: &mut Vec<Step>) {
        steps.push(Step::Tick { without: None });
        for server in 0..self.bounds.nodes.len() {
            if self.has_clock(server) && self.may_stand_still(&state.servers[server]) {
                steps.push(Step::Tick {
                    without: Some(server),
                });
            }
            self.possible_for(state, server, steps);
        }
        if state.crashes_left > 0 {
            steps.extend((0..=state.unflushed).map(|lost| Step::Crash { lost }));
        }
    }

    fn possible_for(&self, state: &State, server: usize, steps: &mut Vec<Step>) {
        let it = &state.servers[server];
        match it.phase {
            Phase::NotStarted => {
                if state.is_free(self, self.node_of(server), Lock::Update) {
                    steps.push(Step::Start(server));
                }
            }
            Phase::Opening => steps.push(Step::Kill(server)),
            Phase::Up => self.possible_while_up(state, server, steps),
            Phase::Gone => {}
        }
        if let Some(work) = it.work {
            self.possible_of_work(state, server, work, steps);
        }
        if it.stray.is_some() {
            steps.extend([Step::StrayCommits(server), Step::StrayIsUndone(server)]);
        }
        if it.has_late_renewal && state.is_free(self, self.node_of(server), Lock::NoKeyUpdate) {
            steps.push(Step::RenewLate(server));
        }
    }

    fn possible_while_up(&self, state: &State, server: usize, steps: &mut Vec<Step>) {
        let (it, node) = (&state.servers[server], self.node_of(server));
        steps.push(Step::Kill(server));
        if it.work.is_none() && it.stray.is_none() {
            let begins = self.may_begin(state, server, it.looks_for_lost());
            if begins && it.plays && it.journal.len() < self.bounds.entries {
                steps.push(Step::Append(server));
            }
            let may_release = self.bounds.releases_matches && state.released_with.is_none();
            if begins && it.plays && may_release {
                steps.push(Step::ReleaseMatch(server));
            }
            if begins && state.takes_left > 0 && !it.plays && state.holder != node {
                steps.push(Step::Take(server));
            }
            if state.is_free(self, node, Lock::KeyShare) {
                steps.push(Step::Release(server));
            }
        }
        if it.is_untold {
            steps.push(Step::Tell(server));
        }
        match it.flush {
            Flush::Idle if it.unflushed > 0 => steps.push(Step::SendFlush(server)),
            Flush::Idle => {}
            Flush::Sent => steps.push(Step::Flush(server)),
            Flush::Done(Seen::Missing) if it.work.is_some() => {}
            Flush::Done(_) => steps.push(Step::HearFlush(server)),
        }
        if !self.has_clock(server) {
            if state.is_free(self, node, Lock::NoKeyUpdate) {
                steps.push(Step::Renew(server));
            }
            return;
        }
        match it.renewal {
            Renewal::Idle => steps.push(Step::SendRenewal(server)),
            Renewal::Sent(_) => {
                if state.is_free(self, node, Lock::NoKeyUpdate) {
                    steps.push(Step::Renew(server));
                }
            }
            Renewal::Done(_) => steps.push(Step::HearRenewal(server)),
        }
        if it.renewal != Renewal::Idle && !it.has_late_renewal {
            steps.push(Step::GiveUpRenewal(server));
        }
    }

    fn possible_of_work(&self, state: &State, server: usize, work: Work, steps: &mut Vec<Step>) {
        let node = self.node_of(server);
        match work.at {
            At::Waiting => {
                if self.may_begin(state, server, true) {
                    steps.push(Step::BeginAgain(server));
                }
            }
            At::Begun { .. } => {
                if self.passes_locks(state, server, work.again) {
                    steps.push(Step::Fence(server));
                }
            }
            At::Fenced if work.what == What::Take && !self.is_stored(state, server, work) => {
                let holder = state.holder;
                let is_over = holder != node && state.rows[holder].lease_left == 0;
                let is_released = holder != node && state.released_with.is_some();
                let waits = self.protocol.locks_node_of_released;
                // Its lock waits for nobody.
                if is_released && (!waits || state.is_free(self, holder, Lock::KeyShare)) {
                    steps.push(Step::Claim(server));
                } else {
                    steps.push(match is_over && state.is_free(self, holder, Lock::Update) {
                        true => Step::LockHolder(server),
                        false => Step::FindNothing(server),
                    });
                }
            }
            At::Fenced | At::Locked { .. } | At::Claimed { .. } => {
                steps.push(Step::Commit(server));
            }
            At::Committed => steps.push(Step::Hear(server)),
        }
        if work.at != At::Waiting && work.what != What::Open && state.losses_left > 0 {
            steps.push(Step::Lose(server));
        }
    }

    /// Whether a transaction may begin: the fence is looked at by the same message, unless the
    /// time is that of the beginning.
    fn may_begin(&self, state: &State, server: usize, again: bool) -> bool {
        self.protocol.fence == Fence::RowAtBegin || self.passes_locks(state, server, again)
    }

    /// Whether the fence gets its lock.
    fn passes_locks(&self, state: &State, server: usize, again: bool) -> bool {
        let waits = again && self.protocol.retry_waits;
        let lock = if waits { Lock::Update } else { Lock::KeyShare };
        let locks = matches!(self.protocol.fence, Fence::Row | Fence::RowAtBegin);
        !locks || state.is_free(self, self.node_of(server), lock)
    }

    /// Whether the batch of a retry is there already, where it looks for that.
    pub(crate) fn is_stored(&self, state: &State, server: usize, work: Work) -> bool {
        let batches = state.rows[self.node_of(server)].batches;
        work.again && self.protocol.retry_looks && batches > state.servers[server].batches
    }

    /// Whether the clock of a server may lose a tick now.
    fn may_stand_still(&self, it: &Server) -> bool {
        if it.phase != Phase::Up {
            return false;
        }
        let pending = match it.renewal {
            Renewal::Idle => None,
            Renewal::Sent(age) | Renewal::Done(age) => Some(age),
        };
        let runs = |ticks| ticks < self.oldest();
        let running = [Some(it.renewed), pending];
        let mut running = running.into_iter().flatten().filter(|age| runs(age.ticks));
        match self.bounds.clocks {
            Clocks::None => false,
            Clocks::Close => {
                let lost: Option<u8> = running.map(|age| age.lost).max();
                lost == Some(0)
            }
            Clocks::Any => running.next().is_some(),
        }
    }

    /// From this age on nothing depends on how old a renewal is.
    pub(crate) fn oldest(&self) -> u8 {
        self.protocol.trust.max(self.bounds.lease)
    }
}
