//! What each step changes.

use crate::{
    protocol::{Clocks, Fence, Raise, Tells, TrustBegins},
    state::{Age, At, Entry, Flush, Phase, Renewal, Server, State, Transaction, What, Work, World},
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
                    what: What::Open,
                    again: false,
                    at: At::Fenced,
                });
            }
            Step::Append(server) => self.begin(&mut next, server, What::Append, false),
            Step::Take(server) => self.begin(&mut next, server, What::Take, false),
            Step::SendFlush(server) => next.servers[server].flush = Flush::Sent,
            Step::Flush(server) => self.flush(&mut next, server),
            Step::HearFlush(server) => self.hear_flush(&mut next, server),
            Step::Crash { lost } => next.crash(lost),
            Step::BeginAgain(server) => {
                if let Some(work) = next.servers[server].work {
                    self.begin(&mut next, server, work.what, true);
                }
            }
            Step::Fence(server) => self.look_at_fence(&mut next, server),
            Step::LockHolder(server) => {
                let node = next.holder;
                next.servers[server].is_at(At::Locked { node });
            }
            Step::ReleaseMatch(server) => {
                self.begin(&mut next, server, What::ReleaseMatch, false);
            }
            Step::Claim(server) => {
                let node = next.holder;
                next.servers[server].is_at(At::Claimed { node });
            }
            Step::FindNothing(server) => next.servers[server].work = None,
            Step::Commit(server) => {
                let work = next.servers[server].work;
                if let Some(open) = work.and_then(|work| work.transaction()) {
                    next.servers[server].is_at(At::Committed);
                    self.commit(&mut next, server, open);
                }
            }
            Step::Hear(server) => self.hear(&mut next, server),
            Step::Lose(server) => {
                next.losses_left -= 1;
                let it = &mut next.servers[server];
                if let Some(work) = it.work {
                    // A stray that is there already is one that this try did not wait for.
                    it.stray = it.stray.or(work.transaction());
                    it.work = Some(Work {
                        again: true,
                        at: At::Waiting,
                        ..work
                    });
                }
            }
            Step::StrayCommits(server) => {
                if let Some(open) = next.servers[server].stray.take() {
                    self.commit(&mut next, server, open);
                }
                next.servers[server].forget_if_gone();
            }
            Step::StrayIsUndone(server) => {
                next.servers[server].stray = None;
                next.servers[server].forget_if_gone();
            }
            Step::Tell(server) => self.tell(&mut next, server),
            Step::Release(server) => self.release(&mut next, server),
            Step::Kill(server) => next.servers[server].end(),
            Step::SendRenewal(_)
            | Step::Renew(_)
            | Step::HearRenewal(_)
            | Step::GiveUpRenewal(_)
            | Step::RenewLate(_) => self.of_renewal(&mut next, step),
        }
        next
    }

    fn tick(&self, state: &mut State, without: Option<usize>) {
        for row in &mut state.rows {
            row.lease_left = row.lease_left.saturating_sub(1);
        }
        for (server, it) in state.servers.iter_mut().enumerate() {
            if it.phase != Phase::Up || !self.has_clock(server) {
                continue;
            }
            let stands_still = without == Some(server);
            self.grow(&mut it.renewed, stands_still);
            if let Renewal::Sent(age) | Renewal::Done(age) = &mut it.renewal {
                self.grow(age, stands_still);
            }
        }
    }

    fn grow(&self, age: &mut Age, stands_still: bool) {
        match stands_still {
            true if self.bounds.clocks == Clocks::Close => age.lost += 1,
            true => {}
            false => age.ticks += 1,
        }
        if age.ticks >= self.oldest() {
            *age = self.long_ago();
        }
    }

    /// The age of what is so old that nothing depends on it any more.
    pub(crate) fn long_ago(&self) -> Age {
        Age {
            ticks: self.oldest(),
            lost: 0,
        }
    }

    fn begin(&self, state: &mut State, server: usize, what: What, again: bool) {
        let had_lease = state.rows[self.node_of(server)].lease_left > 0;
        let it = &mut state.servers[server];
        let again = again || it.looks_for_lost();
        it.work = Some(Work {
            what,
            again,
            at: At::Begun { had_lease },
        });
        if self.protocol.fence != Fence::RowAtBegin {
            self.look_at_fence(state, server);
        }
    }

    fn look_at_fence(&self, state: &mut State, server: usize) {
        let row = state.rows[self.node_of(server)];
        let it = &mut state.servers[server];
        let Some(work) = it.work else {
            return;
        };
        let At::Begun { had_lease } = work.at else {
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
                it.is_at(At::Fenced);
                state.wrongs.passed_the_fence_without_lease |= row.lease_left == 0;
            }
            // It is tried again until the lease is renewed.
            (true, false) => {
                it.work = Some(Work {
                    again: true,
                    at: At::Waiting,
                    ..work
                });
            }
            (false, _) => it.end(),
        }
    }

    /// The database commits what a server has had it do.
    fn commit(&self, state: &mut State, server: usize, open: Transaction) {
        let node = self.node_of(server);
        let number = state.servers[server].batches + 1;
        if open.what != What::Open && open.again && self.protocol.puts_back {
            self.put_back(state, server);
        }
        let row = state.rows[node];
        if open.what == What::PutBack {
            state.unflushed = 0;
            return;
        }
        if open.what != What::Open {
            let is_stored = open.again && self.protocol.retry_looks && row.batches >= number;
            if is_stored {
                return;
            }
            // What no transaction of ours can be sure of but by its lock.
            state.wrongs.committed_after_its_epoch |= row.epoch != state.servers[server].epoch;
            if open.what == What::ReleaseMatch {
                // By an earlier try whose answer was lost it may be taken already.
                if state.holder == node {
                    let entries = u8::try_from(state.journal.len()).unwrap();
                    state.released_with.get_or_insert(entries);
                }
                state.unflushed = 0;
                return;
            }
            if self.protocol.retry_looks && row.batches + 1 != number {
                state.wrongs.contradicted = true;
                return state.servers[server].end();
            }
        }
        // One that has found nothing adds none.
        if (open.what, open.takes_from) != (What::Take, None) {
            state.rows[node].batches += 1;
        }
        match (open.what, open.takes_from) {
            (What::Append, _) => {
                let it = &state.servers[server];
                let entry = it.next_entry(server);
                // A batch of a node that has the match no more is in no journal of it.
                if state.holder == node {
                    state.journal.push(entry);
                    state.unflushed += u8::from(self.flushes_apart());
                }
                return;
            }
            (What::Take, Some(from)) => {
                match state.released_with.take().filter(|_| open.is_released) {
                    // What was read of it has these entries.
                    Some(entries) => {
                        while state.journal.len() > usize::from(entries) {
                            state.journal.pop();
                        }
                        state.released_takes += 1;
                    }
                    None if open.is_released => state.released_takes += 1,
                    None => {
                        state.wrongs.taken_with_a_lease |= state.rows[from].lease_left > 0;
                        if self.protocol.raise == Raise::First {
                            raise(state, from);
                        }
                    }
                }
                state.takes_left -= 1;
                state.holder = node;
                let (journal, fence) = (state.journal, state.epochs());
                let it = &mut state.servers[server];
                (it.journal, it.fence) = (journal, fence);
            }
            (What::Take, None) | (What::PutBack | What::ReleaseMatch, _) => {}
            (What::Open, _) => {
                let row = &mut state.rows[node];
                row.epoch += 1;
                row.lease_left = self.bounds.lease;
                row.started_in = row.epoch;
                row.is_released = false;
                let (row, journal, fence) = (*row, state.journal, state.epochs());
                let plays = state.holder == node;
                if plays && self.protocol.start_takes_back {
                    state.released_with = None;
                }
                let renewed = match self.has_clock(server) {
                    true => self.long_ago(),
                    false => Age::default(),
                };
                let it = &mut state.servers[server];
                (it.epoch, it.batches) = (row.epoch, row.batches);
                (it.plays, it.renewed) = (plays, renewed);
                if plays {
                    (it.journal, it.fence) = (journal, fence);
                }
            }
        }
        state.unflushed = 0;
    }

    /// A server learns that its transaction was committed.
    fn hear(&self, state: &mut State, server: usize) {
        let it = &mut state.servers[server];
        let Some(work) = it.work.take() else {
            return;
        };
        match work.what {
            What::Append => {
                let entry = it.next_entry(server);
                it.journal.push(entry);
                it.batches += 1;
                it.was_cut_off = false;
                match self.flushes_apart() {
                    true => it.unflushed += 1,
                    false => it.is_untold = true,
                }
                it.is_untold |= self.protocol.tells == Tells::Committed;
            }
            What::ReleaseMatch => {
                it.was_cut_off = false;
                it.plays = !self.protocol.lets_go_of_what_it_releases;
                it.are_flushed(it.batches);
            }
            What::PutBack => {
                it.was_cut_off = false;
                it.are_flushed(it.batches);
            }
            What::Take => {
                it.was_cut_off = false;
                it.batches += 1;
                it.plays = true;
                it.is_untold = true;
                it.unflushed = 0;
                if self.protocol.raise == Raise::Afterwards {
                    // The matches are those of the first node in the beginning.
                    raise(state, self.node_of(0));
                }
            }
            What::Open => {
                it.phase = Phase::Up;
                it.is_untold = it.plays;
                if self.protocol.trust_begins == TrustBegins::Opened {
                    it.renewed = Age::default();
                }
            }
        }
    }

    fn of_renewal(&self, state: &mut State, step: Step) {
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
            Step::HearRenewal(server) => {
                let it = &mut state.servers[server];
                if let Renewal::Done(begun) = it.renewal {
                    it.renewed = begun;
                }
                it.renewal = Renewal::Idle;
            }
            Step::GiveUpRenewal(server) => {
                let it = &mut state.servers[server];
                it.has_late_renewal = matches!(it.renewal, Renewal::Sent(_));
                it.renewal = Renewal::Idle;
            }
            Step::RenewLate(server) => {
                self.renew(state, server);
                state.servers[server].has_late_renewal = false;
                state.servers[server].forget_if_gone();
            }
            _ => {}
        }
    }

    /// The lease runs anew, if the node is in the epoch of this server. Whether it is.
    fn renew(&self, state: &mut State, server: usize) -> bool {
        let row = &mut state.rows[self.node_of(server)];
        let is_ours = row.epoch == state.servers[server].epoch;
        if is_ours {
            row.lease_left = self.bounds.lease;
            state.unflushed = 0;
        }
        is_ours
    }

    fn tell(&self, state: &mut State, server: usize) {
        let it = &mut state.servers[server];
        it.is_untold = false;
        let told = match self.protocol.tells {
            Tells::Flushed => it.journal.len() - usize::from(it.unflushed),
            Tells::Committed => it.journal.len(),
        };
        for (index, entry) in it.journal.entries().enumerate().take(told) {
            match state.told.get(index) {
                None => state.told.push(entry),
                Some(told) => state.wrongs.told_two_things |= told != entry,
            }
        }
    }

    /// Whether decisions are flushed by another connection than commits them.
    pub(crate) fn flushes_apart(&self) -> bool {
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

/// A node gets its next epoch from another one.
fn raise(state: &mut State, node: usize) {
    let row = &mut state.rows[node];
    row.epoch += 1;
    row.taken_in = row.epoch;
}

impl State {
    /// Epochs that there have been of all nodes, and times that the match was taken since it was
    /// released: with each it may go on elsewhere.
    fn epochs(&self) -> u8 {
        let of_nodes: u8 = self.rows.iter().map(|row| row.epoch).sum();
        of_nodes + self.released_takes
    }
}

impl Server {
    fn is_at(&mut self, at: At) {
        if let Some(work) = &mut self.work {
            work.at = at;
        }
    }

    /// The next decision, as it stores it.
    fn next_entry(&self, server: usize) -> Entry {
        let number = |number| u8::try_from(number).unwrap();
        Entry {
            decision: number(self.journal.len()),
            server: number(server),
            fence: self.fence,
        }
    }

    /// It does nothing more; what it has sent may still be done.
    pub(crate) fn end(&mut self) {
        let open = self.work.take().and_then(|work| work.transaction());
        self.stray = self.stray.or(open.filter(|open| open.what != What::Open));
        self.has_late_renewal |= matches!(self.renewal, Renewal::Sent(_));
        self.phase = Phase::Gone;
        (self.plays, self.is_untold) = (false, false);
        (self.renewal, self.renewed) = (Renewal::Idle, Age::default());
        (self.flush, self.was_cut_off) = (Flush::Idle, false);
        self.forget_if_gone();
    }

    /// So that there is one state of a server that nothing more comes of.
    pub(crate) fn forget_if_gone(&mut self) {
        if self.phase != Phase::Gone || self.stray.is_some() {
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
