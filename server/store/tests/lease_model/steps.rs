//! The possible steps. Any amount of time may pass and any other step may happen between two steps,
//! so each server may be paused anywhere.

use crate::{
    locks::Lock,
    protocol::{Clocks, Fence},
    state::{Flush, FlushResult, Phase, Progress, Renewal, Server, State, Work, WorkKind, World},
};

/// One step, with the index of its server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// The clock of the database advances, and with it the clocks of all servers, or of all except
    /// one.
    Tick { without: Option<usize> },
    /// A server starts under the name of an earlier one.
    Start(usize),
    /// A bot has decided: the server begins the transaction that stores the decision. The same
    /// message also checks the fence and locks the row.
    Append(usize),
    /// The server begins the takeover of a match of another node.
    Take(usize),
    /// The server retries its transaction.
    Retry(usize),
    /// The database checks the fence, where that is a separate step.
    Fence(usize),
    /// The row of the node that has the match is locked.
    LockHolder(usize),
    /// The server begins a transaction that releases the match.
    ReleaseMatch(usize),
    /// The released match is claimed.
    Claim(usize),
    /// There is no match to take over.
    FindNothing(usize),
    /// The database commits.
    Commit(usize),
    /// The server receives the answer.
    ReceiveAnswer(usize),
    /// The connection is lost.
    Lose(usize),
    /// A transaction whose connection was lost is committed after all.
    LateTransactionCommits(usize),
    /// A transaction whose connection was lost is rolled back.
    LateTransactionRollsBack(usize),
    /// The server publishes all entries that it may.
    Publish(usize),
    /// The server sends a renewal.
    SendRenewal(usize),
    /// The database executes the renewal.
    Renew(usize),
    /// The server receives the answer to the renewal.
    ReceiveRenewalAnswer(usize),
    /// The server abandons the renewal or the check, and with it its session.
    AbandonRenewal(usize),
    /// The session ends, as with `pg_terminate_backend` or a reset link.
    LoseSession(usize),
    /// On a new session, the server gets the lock of its node, after the previous session has
    /// ended.
    Lock(usize),
    /// The server checks its session.
    SendCheck(usize),
    /// The session answers.
    Check(usize),
    /// The server receives that answer.
    ReceiveCheckAnswer(usize),
    /// The server observes whether the first node has a session.
    Observe(usize),
    /// The server ends the lease of the first node.
    EndLease(usize),
    /// The database executes an abandoned renewal after all.
    RenewLate(usize),
    /// The server shuts down: it releases its lease after the last commit, and ends.
    Release(usize),
    /// The server is killed.
    Kill(usize),
    /// The server requests a flush of its commits, on another connection.
    SendFlush(usize),
    /// The database executes the flush.
    Flush(usize),
    /// The server receives the result of the flush.
    ReceiveFlushAnswer(usize),
    /// The database crashes, and loses this number of commits.
    Crash { lost: u8 },
}

impl World {
    pub(crate) fn node_of(&self, server: usize) -> usize {
        self.bounds.nodes[server]
    }

    /// Returns whether the clock of a server is modelled. This is done only for the node that
    /// initially has the match, since it does not matter which node loses the match first.
    pub(crate) fn has_clock(&self, server: usize) -> bool {
        let node = self.bounds.nodes.get(server);
        self.bounds.clocks != Clocks::None && node == self.bounds.nodes.first()
    }

    pub(crate) fn possible_steps(&self, state: &State, steps: &mut Vec<Step>) {
        steps.push(Step::Tick { without: None });
        for server in 0..self.bounds.nodes.len() {
            if self.has_clock(server) && self.can_clock_stop(&state.servers[server]) {
                steps.push(Step::Tick { without: Some(server) });
            }
            self.possible_steps_of_server(state, server, steps);
        }
        if state.crashes_left > 0 {
            steps.extend((0..=state.unflushed).map(|lost| Step::Crash { lost }));
        }
    }

    fn possible_steps_of_server(&self, state: &State, server: usize, steps: &mut Vec<Step>) {
        let it = &state.servers[server];
        match it.phase {
            Phase::NotStarted => {
                if state.is_free(self, self.node_of(server), Lock::Update) {
                    steps.push(Step::Start(server));
                }
            }
            Phase::Opening => steps.push(Step::Kill(server)),
            Phase::Up => self.possible_steps_while_up(state, server, steps),
            Phase::Gone => {}
        }
        if let Some(work) = it.work {
            self.possible_steps_of_work(state, server, work, steps);
        }
        if it.late_transaction.is_some() {
            steps.extend([
                Step::LateTransactionCommits(server),
                Step::LateTransactionRollsBack(server),
            ]);
        }
        if it.has_late_renewal && state.is_free(self, self.node_of(server), Lock::NoKeyUpdate) {
            steps.push(Step::RenewLate(server));
        }
    }

    fn possible_steps_while_up(&self, state: &State, server: usize, steps: &mut Vec<Step>) {
        let (it, node) = (&state.servers[server], self.node_of(server));
        steps.push(Step::Kill(server));
        if it.work.is_none() && it.late_transaction.is_none() {
            let begins = self.may_begin(state, server, it.must_restore_lost());
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
        if it.has_unpublished {
            steps.push(Step::Publish(server));
        }
        match it.flush {
            Flush::Idle if it.unflushed > 0 => steps.push(Step::SendFlush(server)),
            Flush::Idle => {}
            Flush::Sent => steps.push(Step::Flush(server)),
            Flush::Done(FlushResult::Missing) if it.work.is_some() => {}
            Flush::Done(_) => steps.push(Step::ReceiveFlushAnswer(server)),
        }
        if !self.has_clock(server) {
            if state.is_free(self, node, Lock::NoKeyUpdate) {
                steps.push(Step::Renew(server));
            }
            if self.bounds.loses_sessions {
                self.possible_steps_of_observer(state, it, server, steps);
            }
            return;
        }
        let has_lock = it.has_lock || !self.bounds.loses_sessions;
        match it.renewal {
            Renewal::Idle => {
                steps.push(Step::SendRenewal(server));
                if it.is_connected {
                    steps.push(Step::SendCheck(server));
                }
            }
            Renewal::Sent(_) if !it.is_connected && self.bounds.loses_sessions => {
                steps.push(Step::Lock(server));
            }
            Renewal::Sent(_) if has_lock && state.is_free(self, node, Lock::NoKeyUpdate) => {
                steps.push(Step::Renew(server));
            }
            Renewal::Checking(_) if has_lock => steps.push(Step::Check(server)),
            Renewal::Sent(_) | Renewal::Checking(_) => {}
            Renewal::Done(_) => steps.push(Step::ReceiveRenewalAnswer(server)),
            Renewal::Checked(_) => steps.push(Step::ReceiveCheckAnswer(server)),
        }
        if it.renewal != Renewal::Idle && !it.has_late_renewal {
            steps.push(Step::AbandonRenewal(server));
        }
        if it.has_lock {
            steps.push(Step::LoseSession(server));
        }
    }

    fn possible_steps_of_observer(
        &self,
        state: &State,
        it: &Server,
        server: usize,
        steps: &mut Vec<Step>,
    ) {
        steps.push(Step::Observe(server));
        let row = self.node_of(0);
        // The end of a lease does not wait for the lock of the row.
        let ends = it.loss.is_some_and(|loss| {
            loss.ticks >= self.protocol.session_loss
                && !(loss.is_renewed && self.protocol.end_checks_renewal)
        });
        let is_lost = !self.has_session(state) || !self.protocol.end_checks_session;
        if ends && is_lost && state.is_free(self, row, Lock::NoKeyUpdate) {
            steps.push(Step::EndLease(server));
        }
    }

    /// Returns whether the lock of the first node in its epoch is held.
    pub(crate) fn has_session(&self, state: &State) -> bool {
        let epoch = state.rows[self.node_of(0)].epoch;
        let mut servers = state.servers.iter().enumerate();
        servers.any(|(server, it)| self.has_clock(server) && it.has_lock && it.epoch == epoch)
    }

    fn possible_steps_of_work(
        &self,
        state: &State,
        server: usize,
        work: Work,
        steps: &mut Vec<Step>,
    ) {
        let node = self.node_of(server);
        match work.progress {
            Progress::Waiting => {
                if self.may_begin(state, server, true) {
                    steps.push(Step::Retry(server));
                }
            }
            Progress::Started { .. } => {
                if self.passes_locks(state, server, work.is_retry) {
                    steps.push(Step::Fence(server));
                }
            }
            Progress::Fenced
                if work.kind == WorkKind::Take && !self.is_stored(state, server, work) =>
            {
                let holder = state.holder;
                let waits_for_lease = self.protocol.takeover_waits_for_lease;
                let has_lease = state.rows[holder].lease_left > 0;
                let is_over = holder != node && !(has_lease && waits_for_lease);
                let is_released = holder != node && state.released_with.is_some();
                let waits = self.protocol.locks_node_of_released;
                // A takeover does not wait for this lock.
                if is_released && (!waits || state.is_free(self, holder, Lock::KeyShare)) {
                    steps.push(Step::Claim(server));
                } else {
                    steps.push(if is_over && state.is_free(self, holder, Lock::Update) {
                        Step::LockHolder(server)
                    } else {
                        Step::FindNothing(server)
                    });
                }
            }
            Progress::Fenced | Progress::Locked { .. } | Progress::Claimed { .. } => {
                steps.push(Step::Commit(server));
            }
            Progress::Committed => steps.push(Step::ReceiveAnswer(server)),
        }
        if work.progress != Progress::Waiting
            && work.kind != WorkKind::Open
            && state.losses_left > 0
        {
            steps.push(Step::Lose(server));
        }
    }

    /// Returns whether a transaction may begin. The same message checks the fence, unless the check
    /// uses the start of the transaction.
    fn may_begin(&self, state: &State, server: usize, is_retry: bool) -> bool {
        self.protocol.fence == Fence::RowAtBegin || self.passes_locks(state, server, is_retry)
    }

    /// Returns whether the fence gets its lock. A retry first waits for the end of the previous
    /// attempt.
    fn passes_locks(&self, state: &State, server: usize, is_retry: bool) -> bool {
        let waits = is_retry && self.protocol.retry_waits;
        if waits && state.servers[server].late_transaction.is_some() {
            return false;
        }
        let locks = matches!(self.protocol.fence, Fence::Row | Fence::RowAtBegin);
        !locks || state.is_free(self, self.node_of(server), Lock::KeyShare)
    }

    /// Returns whether the batch of a retry already exists, and the retry checks for it.
    pub(crate) fn is_stored(&self, state: &State, server: usize, work: Work) -> bool {
        let batches = state.rows[self.node_of(server)].batches;
        work.is_retry
            && self.protocol.retry_checks_outcome
            && batches > state.servers[server].batches
    }

    /// Returns whether the clock of a server may lose a tick now.
    fn can_clock_stop(&self, it: &Server) -> bool {
        if it.phase != Phase::Up {
            return false;
        }
        let pending = match it.renewal {
            Renewal::Idle => None,
            Renewal::Sent(age)
            | Renewal::Done(age)
            | Renewal::Checking(age)
            | Renewal::Checked(age) => Some(age),
        };
        let runs = |ticks| ticks < self.max_relevant_age();
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

    /// The age from which a renewal no longer matters.
    pub(crate) fn max_relevant_age(&self) -> u8 {
        self.protocol.trust.max(self.bounds.lease)
    }
}
