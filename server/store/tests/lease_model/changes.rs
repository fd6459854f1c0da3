//! The effects of the steps.

use crate::{
    protocol::{Clocks, EpochIncrement, Fence, PublishAfter, TrustStart},
    state::{
        Age, Entry, Flush, Loss, Phase, Progress, Renewal, Server, State, Transaction, Work,
        WorkKind, World,
    },
    steps::Step,
};

impl World {
    pub(crate) fn after(&self, state: &State, step: Step) -> State {
        let mut next = state.clone();
        match step {
            Step::Tick { without } => self.tick(&mut next, without),
            Step::Start(server) => {
                let it = &mut next.servers[server];
                it.phase = Phase::Opening;
                it.work = Some(Work {
                    kind: WorkKind::Open,
                    is_retry: false,
                    progress: Progress::Fenced,
                });
            }
            Step::Append(server) => self.begin(&mut next, server, WorkKind::Append, false),
            Step::Take(server) => self.begin(&mut next, server, WorkKind::Take, false),
            Step::SendFlush(server) => next.servers[server].flush = Flush::Sent,
            Step::Flush(server) => self.flush(&mut next, server),
            Step::ReceiveFlushAnswer(server) => self.receive_flush_answer(&mut next, server),
            Step::Crash { lost } => next.crash(lost),
            Step::Retry(server) => {
                if let Some(work) = next.servers[server].work {
                    self.begin(&mut next, server, work.kind, true);
                }
            }
            Step::Fence(server) => self.check_fence(&mut next, server),
            Step::LockHolder(server) => {
                let node = next.holder;
                next.servers[server].set_progress(Progress::Locked { node });
            }
            Step::ReleaseMatch(server) => {
                self.begin(&mut next, server, WorkKind::ReleaseMatch, false);
            }
            Step::Claim(server) => {
                let node = next.holder;
                next.servers[server].set_progress(Progress::Claimed { node });
            }
            Step::FindNothing(server) => next.servers[server].work = None,
            Step::Commit(server) => {
                let work = next.servers[server].work;
                if let Some(open) = work.and_then(|work| work.transaction()) {
                    next.servers[server].set_progress(Progress::Committed);
                    self.commit(&mut next, server, open);
                }
            }
            Step::ReceiveAnswer(server) => self.receive_answer(&mut next, server),
            Step::Lose(server) => {
                next.losses_left -= 1;
                let it = &mut next.servers[server];
                if let Some(work) = it.work {
                    // If a late transaction is already recorded, this attempt did not wait for it.
                    it.late_transaction = it.late_transaction.or(work.transaction());
                    it.work = Some(Work { is_retry: true, progress: Progress::Waiting, ..work });
                }
            }
            Step::LateTransactionCommits(server) => {
                if let Some(open) = next.servers[server].late_transaction.take() {
                    self.commit(&mut next, server, open);
                }
                next.servers[server].normalize_if_gone();
            }
            Step::LateTransactionRollsBack(server) => {
                next.servers[server].late_transaction = None;
                next.servers[server].normalize_if_gone();
            }
            Step::Publish(server) => self.publish(&mut next, server),
            Step::Release(server) => self.release(&mut next, server),
            Step::Kill(server) => next.servers[server].end(),
            Step::SendRenewal(_)
            | Step::Renew(_)
            | Step::ReceiveRenewalAnswer(_)
            | Step::AbandonRenewal(_)
            | Step::RenewLate(_) => self.renewal_step(&mut next, step),
            Step::LoseSession(_)
            | Step::Lock(_)
            | Step::SendCheck(_)
            | Step::Check(_)
            | Step::ReceiveCheckAnswer(_)
            | Step::Observe(_)
            | Step::EndLease(_) => self.session_step(&mut next, step),
        }
        next
    }

    fn tick(&self, state: &mut State, without: Option<usize>) {
        for row in &mut state.rows {
            row.lease_left = row.lease_left.saturating_sub(1);
        }
        for (server, it) in state.servers.iter_mut().enumerate() {
            if let Some(loss) = &mut it.loss {
                loss.ticks = self.protocol.session_loss.min(loss.ticks + 1);
            }
            if it.phase != Phase::Up || !self.has_clock(server) {
                continue;
            }
            let is_stopped = without == Some(server);
            self.advance_age(&mut it.renewed, is_stopped);
            if self.bounds.loses_sessions {
                self.advance_age(&mut it.checked, is_stopped);
                it.checked = self.limited(it.checked);
            }
            match &mut it.renewal {
                Renewal::Idle => {}
                Renewal::Sent(age) | Renewal::Done(age) => self.advance_age(age, is_stopped),
                Renewal::Checking(age) | Renewal::Checked(age) => {
                    self.advance_age(age, is_stopped);
                    *age = self.limited(*age);
                }
            }
        }
    }

    fn advance_age(&self, age: &mut Age, is_stopped: bool) {
        if !is_stopped {
            age.ticks += 1;
        } else if self.bounds.clocks == Clocks::Close {
            age.lost += 1;
        }
        if age.ticks >= self.max_relevant_age() {
            *age = self.max_age();
        }
    }

    /// Returns the age from which a renewal no longer matters.
    pub(crate) fn max_age(&self) -> Age {
        Age { ticks: self.max_relevant_age(), lost: 0 }
    }

    fn begin(&self, state: &mut State, server: usize, kind: WorkKind, is_retry: bool) {
        let had_lease = state.rows[self.node_of(server)].lease_left > 0;
        let it = &mut state.servers[server];
        let is_retry = is_retry || it.must_restore_lost();
        it.work = Some(Work { kind, is_retry, progress: Progress::Started { had_lease } });
        if self.protocol.fence != Fence::RowAtBegin {
            self.check_fence(state, server);
        }
    }

    fn check_fence(&self, state: &mut State, server: usize) {
        let row = state.rows[self.node_of(server)];
        let it = &mut state.servers[server];
        let Some(work) = it.work else {
            return;
        };
        let Progress::Started { had_lease } = work.progress else {
            return;
        };
        let is_ours = row.epoch == it.epoch;
        let (stands, has_lease) = match self.protocol.fence {
            Fence::Row => (is_ours, row.lease_left > 0),
            Fence::RowAtBegin => (is_ours, had_lease),
            Fence::OwnClock => (true, it.renewed.ticks < self.bounds.lease),
            Fence::Missing => (true, true),
        };
        match (stands, has_lease) {
            (true, true) => {
                it.set_progress(Progress::Fenced);
                state.violations.passed_the_fence_without_lease |= row.lease_left == 0;
            }
            // The transaction is retried until the lease is renewed.
            (true, false) => {
                it.work = Some(Work { is_retry: true, progress: Progress::Waiting, ..work });
            }
            (false, _) => it.end(),
        }
    }

    /// The database commits the transaction of a server.
    fn commit(&self, state: &mut State, server: usize, open: Transaction) {
        let node = self.node_of(server);
        let number = state.servers[server].batches + 1;
        if open.kind != WorkKind::Open && open.is_retry && self.protocol.restores_lost_commits {
            self.restore_lost(state, server);
        }
        let row = state.rows[node];
        if open.kind == WorkKind::RestoreLost {
            state.unflushed = 0;
            return;
        }
        if open.kind != WorkKind::Open {
            let is_stored =
                open.is_retry && self.protocol.retry_checks_outcome && row.batches >= number;
            if is_stored {
                return;
            }
            // Only the lock of a transaction prevents this.
            state.violations.committed_after_its_epoch |= row.epoch != state.servers[server].epoch;
            if open.kind == WorkKind::ReleaseMatch {
                // The match may already be taken over, after an earlier attempt whose answer was
                // lost.
                if state.holder == node {
                    let entries = u8::try_from(state.journal.len()).unwrap();
                    state.released_with.get_or_insert(entries);
                }
                state.unflushed = 0;
                return;
            }
            if self.protocol.retry_checks_outcome && row.batches + 1 != number {
                state.violations.contradicted = true;
                return state.servers[server].end();
            }
        }
        // A takeover without a match adds no batch.
        if (open.kind, open.takes_from) != (WorkKind::Take, None) {
            state.rows[node].batches += 1;
        }
        match (open.kind, open.takes_from) {
            (WorkKind::Append, _) => {
                let it = &state.servers[server];
                let entry = it.next_entry(server);
                // A batch of a node that no longer has the match is not part of its journal.
                if state.holder == node {
                    state.journal.push(entry);
                    state.unflushed += u8::from(self.has_deferred_flushes());
                }
                return;
            }
            (WorkKind::Take, Some(from)) => {
                match state.released_with.take().filter(|_| open.is_released) {
                    // The entries that were read at the time of the release.
                    Some(entries) => {
                        while state.journal.len() > usize::from(entries) {
                            state.journal.pop();
                        }
                        state.released_takes += 1;
                    }
                    None if open.is_released => state.released_takes += 1,
                    None => {
                        state.violations.taken_with_a_lease |= state.rows[from].lease_left > 0;
                        if self.protocol.increment_epoch == EpochIncrement::First {
                            increment_epoch(state, from);
                        }
                        self.forget_losses(state, from);
                    }
                }
                state.takes_left -= 1;
                state.holder = node;
                let (journal, fence) = (state.journal, state.epochs());
                let it = &mut state.servers[server];
                (it.journal, it.fence) = (journal, fence);
            }
            (WorkKind::Take, None) | (WorkKind::RestoreLost | WorkKind::ReleaseMatch, _) => {}
            (WorkKind::Open, _) => {
                let row = &mut state.rows[node];
                row.epoch += 1;
                row.lease_left = self.bounds.lease;
                row.started_in = row.epoch;
                (row.is_released, row.is_ended) = (false, false);
                self.forget_losses(state, node);
                let row = &state.rows[node];
                let (row, journal, fence) = (*row, state.journal, state.epochs());
                let plays = state.holder == node;
                if plays && self.protocol.start_reclaims_released {
                    state.released_with = None;
                }
                let renewed = if self.has_clock(server) { self.max_age() } else { Age::default() };
                let it = &mut state.servers[server];
                (it.epoch, it.batches) = (row.epoch, row.batches);
                (it.plays, it.renewed) = (plays, renewed);
                if self.bounds.loses_sessions {
                    it.checked = renewed;
                }
                if plays {
                    (it.journal, it.fence) = (journal, fence);
                }
            }
        }
        state.unflushed = 0;
    }

    /// A server receives the answer to its commit.
    fn receive_answer(&self, state: &mut State, server: usize) {
        let it = &mut state.servers[server];
        let Some(work) = it.work.take() else {
            return;
        };
        match work.kind {
            WorkKind::Append => {
                let entry = it.next_entry(server);
                it.journal.push(entry);
                it.batches += 1;
                it.has_lost_connection = false;
                if self.has_deferred_flushes() {
                    it.unflushed += 1
                } else {
                    it.has_unpublished = true
                }
                it.has_unpublished |= self.protocol.publishes_after == PublishAfter::Committed;
            }
            WorkKind::ReleaseMatch => {
                it.has_lost_connection = false;
                it.plays = !self.protocol.stops_writing_released;
                it.mark_flushed(it.batches);
            }
            WorkKind::RestoreLost => {
                it.has_lost_connection = false;
                it.mark_flushed(it.batches);
            }
            WorkKind::Take => {
                it.has_lost_connection = false;
                it.batches += 1;
                it.plays = true;
                it.has_unpublished = true;
                it.unflushed = 0;
                if self.protocol.increment_epoch == EpochIncrement::Afterwards {
                    // Initially, the first node has the matches.
                    increment_epoch(state, self.node_of(0));
                }
            }
            WorkKind::Open => {
                it.phase = Phase::Up;
                it.has_unpublished = it.plays;
                if self.protocol.trust_start == TrustStart::Opened {
                    it.renewed = Age::default();
                }
            }
        }
    }

    fn renewal_step(&self, state: &mut State, step: Step) {
        match step {
            Step::SendRenewal(server) => {
                state.servers[server].renewal = Renewal::Sent(Age::default());
            }
            Step::Renew(server) => {
                let is_renewed = self.renew(state, server);
                let it = &mut state.servers[server];
                match (it.renewal, is_renewed) {
                    (Renewal::Sent(age), true) => it.renewal = Renewal::Done(age),
                    (_, true) => {}
                    (_, false) => it.end(),
                }
            }
            Step::ReceiveRenewalAnswer(server) => {
                let it = &mut state.servers[server];
                if let Renewal::Done(begun) = it.renewal {
                    it.renewed = begun;
                    if self.bounds.loses_sessions {
                        it.checked = self.limited(begun);
                    }
                }
                it.renewal = Renewal::Idle;
            }
            Step::AbandonRenewal(server) => {
                let it = &mut state.servers[server];
                // A lost session no longer executes anything.
                let has_session = it.has_lock || !self.bounds.loses_sessions;
                it.has_late_renewal |= has_session && matches!(it.renewal, Renewal::Sent(_));
                it.renewal = Renewal::Idle;
                if self.bounds.loses_sessions {
                    (it.is_connected, it.checked) = (false, self.max_age());
                }
            }
            Step::RenewLate(server) => {
                self.renew(state, server);
                state.servers[server].has_late_renewal = false;
                state.servers[server].normalize_if_gone();
            }
            _ => {}
        }
    }

    /// Applies a step of the session that renews the lease, or of the nodes that observe it.
    fn session_step(&self, state: &mut State, step: Step) {
        let node = self.node_of(0);
        let has_session = self.has_session(state);
        match step {
            Step::LoseSession(server) => {
                let it = &mut state.servers[server];
                (it.has_lock, it.has_late_renewal) = (false, false);
            }
            Step::Lock(server) => {
                let it = &mut state.servers[server];
                (it.is_connected, it.has_lock, it.has_late_renewal) = (true, true, false);
                if !self.protocol.new_session_renews {
                    it.checked = Age::default();
                }
            }
            Step::SendCheck(server) => {
                state.servers[server].renewal = Renewal::Checking(Age::default());
            }
            Step::Check(server) => {
                let it = &mut state.servers[server];
                if let Renewal::Checking(age) = it.renewal {
                    it.renewal = Renewal::Checked(age);
                }
            }
            Step::ReceiveCheckAnswer(server) => {
                let it = &mut state.servers[server];
                if let Renewal::Checked(begun) = it.renewal {
                    it.checked = begun;
                }
                it.renewal = Renewal::Idle;
            }
            Step::Observe(server) => {
                let has_lease = state.rows[node].lease_left > 0;
                let it = &mut state.servers[server];
                it.loss = match it.loss {
                    _ if has_session || !has_lease => None,
                    Some(loss) if !loss.is_renewed => Some(loss),
                    _ => Some(Loss::default()),
                };
            }
            Step::EndLease(server) => {
                state.violations.ended_lease_with_session |= has_session;
                state.rows[node].lease_left = 0;
                state.rows[node].is_ended = true;
                state.servers[server].loss = None;
            }
            _ => {}
        }
    }

    /// Returns the age, or the maximum once the session is no longer trusted.
    fn limited(&self, age: Age) -> Age {
        if age.ticks < self.protocol.session_trust { age } else { self.max_age() }
    }

    /// Discards the observations, because another epoch of the first node has begun.
    fn forget_losses(&self, state: &mut State, node: usize) {
        if node == self.node_of(0) {
            state.servers.iter_mut().for_each(|it| it.loss = None);
        }
    }

    /// Renews the lease, if the node is in the epoch of this server. Returns whether it did.
    fn renew(&self, state: &mut State, server: usize) -> bool {
        let row = &mut state.rows[self.node_of(server)];
        let is_ours = row.epoch == state.servers[server].epoch;
        let is_renewed = is_ours || !self.protocol.renewal_checks_epoch;
        if is_renewed {
            row.lease_left = self.bounds.lease;
            row.is_ended = false;
            state.unflushed = 0;
            if self.node_of(server) == self.node_of(0) {
                let losses = state.servers.iter_mut().filter_map(|it| it.loss.as_mut());
                losses.for_each(|loss| loss.is_renewed = true);
            }
        }
        is_renewed
    }

    fn publish(&self, state: &mut State, server: usize) {
        let it = &mut state.servers[server];
        it.has_unpublished = false;
        let published = match self.protocol.publishes_after {
            PublishAfter::Flushed => it.journal.len() - usize::from(it.unflushed),
            PublishAfter::Committed => it.journal.len(),
        };
        for (index, entry) in it.journal.entries().enumerate().take(published) {
            match state.published.get(index) {
                None => state.published.push(entry),
                Some(published) => {
                    state.violations.published_conflicting_entries |= published != entry
                }
            }
        }
    }

    /// Returns whether another connection flushes the decisions.
    pub(crate) fn has_deferred_flushes(&self) -> bool {
        self.bounds.crashes > 0
    }

    fn release(&self, state: &mut State, server: usize) {
        let it = &mut state.servers[server];
        let row = &mut state.rows[self.node_of(server)];
        if row.epoch == it.epoch && row.lease_left > 0 {
            row.lease_left = 0;
            row.is_released = true;
            state.unflushed = 0;
            if self.protocol.release_ends_epoch {
                row.epoch += 1;
            }
        }
        it.end();
    }
}

/// Another node ends the epoch of a node.
fn increment_epoch(state: &mut State, node: usize) {
    let row = &mut state.rows[node];
    row.epoch += 1;
    row.taken_over_in = row.epoch;
}

impl State {
    /// Returns the sum of the epochs of all nodes and the takeovers since the release of the match.
    /// It increases with each move of the match.
    fn epochs(&self) -> u8 {
        let of_nodes: u8 = self.rows.iter().map(|row| row.epoch).sum();
        of_nodes + self.released_takes
    }
}

impl Server {
    fn set_progress(&mut self, progress: Progress) {
        if let Some(work) = &mut self.work {
            work.progress = progress;
        }
    }

    /// Returns the next decision, as this server stores it.
    fn next_entry(&self, server: usize) -> Entry {
        let number = |number| u8::try_from(number).unwrap();
        Entry { decision: number(self.journal.len()), server: number(server), fence: self.fence }
    }

    /// Stops the server. Its pending transaction and renewal may still take effect.
    pub(crate) fn end(&mut self) {
        let open = self.work.take().and_then(|work| work.transaction());
        self.late_transaction =
            self.late_transaction.or(open.filter(|open| open.kind != WorkKind::Open));
        self.has_late_renewal |= matches!(self.renewal, Renewal::Sent(_));
        self.phase = Phase::Gone;
        (self.plays, self.has_unpublished) = (false, false);
        (self.renewal, self.renewed) = (Renewal::Idle, Age::default());
        (self.flush, self.has_lost_connection) = (Flush::Idle, false);
        (self.is_connected, self.has_lock) = (false, false);
        (self.checked, self.loss) = (Age::default(), None);
        self.normalize_if_gone();
    }

    /// Resets the state of a server without further effects, to merge equivalent states.
    pub(crate) fn normalize_if_gone(&mut self) {
        if self.phase != Phase::Gone || self.late_transaction.is_some() {
            return;
        }
        *self = Self {
            phase: Phase::Gone,
            has_late_renewal: self.has_late_renewal,
            epoch: if self.has_late_renewal { self.epoch } else { 0 },
            ..Self::default()
        };
    }
}
