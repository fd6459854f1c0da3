//! What servers send to their database and what comes back: transactions step by step, each tried
//! until its outcome is known.

use std::{rc::Rc, time::Duration};

use bridgemaster_lease::{
    Fence, RowLock, Tries,
    limits::{POSTGRES_IDLE_TIMEOUT, POSTGRES_LOCK_TIMEOUT, POSTGRES_TRY_TIMEOUT},
};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use super::{World, ending::Ending, events::Event};
use crate::{
    cluster::{
        Cluster,
        database::{Answer, Replied, Reply},
        events::{ClusterEvent, Of},
        node::{Phase, Trying},
        tampering::WrongCluster,
        transaction::{Begun, Step, TxId, Work, Written},
    },
    oracle::Violation,
};

/// How much longer a message takes on a slow line, in µs.
const SLOW_US: std::ops::Range<u64> = 1_000_000..2_000_000;
/// How many renewals come late, in thousandths, and by how much, in µs.
const LATE_RENEWALS: u32 = 30;
const LATE_RENEWAL_US: std::ops::Range<u64> = 0..10_000_000;
/// How long one takes whose connection is lost, in µs.
const LOST_COMMIT_US: std::ops::Range<u64> = 1_000..3_000_000;
/// How long a commit takes while commits are slow, in µs: up to longer than a lease.
const SLOW_COMMIT_US: std::ops::Range<u64> = 500_000..12_000_000;

impl<G: WireGame> World<G> {
    /// What servers have that share a database.
    pub(super) fn cluster(&mut self) -> &mut Cluster {
        self.cluster.as_mut().expect("servers share a database")
    }

    pub(super) fn later(&mut self, us: u64, event: ClusterEvent) {
        self.after(us, Event::Cluster(event));
    }

    /// Something happens after so much time by the clock of a server.
    pub(super) fn later_by_own_clock(
        &mut self,
        server: usize,
        after: Duration,
        event: ClusterEvent,
    ) {
        let clock = &self.servers[server].clock;
        let at = clock.when(clock.at(self.now) + after.as_micros() as i64);
        self.at(at.max(self.now), Event::Cluster(event));
    }

    /// The clock of a server, by which it decides about its lease.
    pub(super) fn own_now(&self, server: usize) -> Duration {
        Duration::from_micros(self.servers[server].own_time(self.now).0)
    }

    // From a server to the database.

    /// Begins to store what is due, if the server has nothing else to do with the database.
    pub(super) fn commit_what_is_due(&mut self, server: usize) -> Result<(), Violation> {
        let node = &self.cluster().nodes[server];
        let is_free = node.work.is_none() && node.phase != Phase::Down;
        let Some(shell) = self.servers[server].shell.as_mut().filter(|_| is_free) else {
            return Ok(());
        };
        match shell.begin_to_store() {
            Some(count) => {
                let work = Work::Append(Rc::new(shell.to_store(count)));
                self.begin_work(server, work, count)
            }
            None => Ok(()),
        }
    }

    pub(super) fn begin_work(
        &mut self,
        server: usize,
        work: Work,
        count: usize,
    ) -> Result<(), Violation> {
        let now = self.own_now(server);
        let node = &mut self.cluster().nodes[server];
        let Ok(number) = node.commits.next() else {
            return Err(Violation("a server goes on that is not sure".to_owned()));
        };
        node.work = Some(Trying {
            work,
            count,
            number,
            tries: Tries::new(now),
            transaction: None,
            tried: None,
        });
        self.try_work(server);
        Ok(())
    }

    pub(super) fn try_work(&mut self, server: usize) {
        let transaction = self.cluster().next_transaction();
        let waits = !self.cluster().does(WrongCluster::RetriesWithoutWaiting);
        let node = &mut self.cluster().nodes[server];
        let of = node.of(server);
        let Some(trying) = &mut node.work else { return };
        trying.transaction = Some(transaction);
        let is_again = trying.tries.is_again();
        let begun = Begun {
            row: node.row,
            epoch: node.epoch,
            number: trying.number,
            lock: RowLock::of_try(is_again && waits),
            is_again,
            work: trying.work.clone(),
        };
        self.cluster().figures.retries += u64::from(is_again);
        self.ask(of, transaction, Step::Begin(Box::new(begun)));
        let timed_out = ClusterEvent::TryTimedOut { of, transaction };
        self.later_by_own_clock(of.server, POSTGRES_TRY_TIMEOUT, timed_out);
    }

    fn ask(&mut self, of: Of, transaction: TxId, step: Step) {
        match self.arrival_at_database(of.server) {
            Some(at) => {
                let asked = ClusterEvent::Asked {
                    of,
                    transaction,
                    step,
                };
                self.at(at, Event::Cluster(asked));
            }
            None => self.fails_soon(of, transaction),
        }
    }

    /// When a message that a server sends now comes to the database; `None` if there is no way.
    pub(super) fn arrival_at_database(&mut self, server: usize) -> Option<Time> {
        let (now, us) = (self.now, self.on_the_line_us(server));
        let cluster = self.cluster();
        let node = &mut cluster.nodes[server];
        if now < node.cut_until || !cluster.database.is_up {
            return None;
        }
        let at = node.silent_until.max(now).plus_us(us);
        node.to_database_at = at.max(node.to_database_at);
        Some(node.to_database_at)
    }

    /// The same for a renewal, which has a connection of its own, and may be late.
    pub(super) fn arrival_of_renewal(&mut self, server: usize) -> Option<Time> {
        let (now, us) = (self.now, self.on_the_line_us(server));
        let cluster = self.cluster();
        let late_us = match cluster.lines.happens(LATE_RENEWALS) {
            true => cluster.lines.within(LATE_RENEWAL_US),
            false => 0,
        };
        let node = &mut cluster.nodes[server];
        if now < node.cut_until || !cluster.database.is_up {
            return None;
        }
        let at = node.silent_until.max(now).plus_us(us + late_us);
        node.renewal_at = at.max(node.renewal_at);
        Some(node.renewal_at)
    }

    fn on_the_line_us(&mut self, server: usize) -> u64 {
        let now = self.now;
        let cluster = self.cluster();
        let us = cluster.lines.within(cluster.plan.line_us.clone());
        match now < cluster.nodes[server].slow_until {
            true => us + cluster.lines.within(SLOW_US),
            false => us,
        }
    }

    /// A server finds that a try has come to nothing, as far as it knows.
    pub(super) fn fails_soon(&mut self, of: Of, transaction: TxId) {
        let us = self.on_the_line_us(of.server);
        let answer = Answer::Failed;
        let answered = ClusterEvent::Answered {
            of,
            transaction,
            answer,
        };
        self.later(us, answered);
    }

    // At the database.

    pub(super) fn asked(&mut self, of: Of, transaction: TxId, step: Step) -> Result<(), Violation> {
        let now = self.now;
        let cluster = self.cluster();
        let is_dead = cluster.nodes[of.server].life != of.life;
        // Nobody goes on with what it begins.
        if is_dead && !matches!(step, Step::Commit) {
            return Ok(());
        }
        let database = &mut cluster.database;
        if !database.is_up {
            self.fails_soon(of, transaction);
            return Ok(());
        }
        let replies = match step {
            Step::Begin(begun) => database.begin(now, (of, transaction), *begun)?,
            Step::Write => {
                let reply = database.write(now, transaction)?;
                match reply {
                    Some(reply) => vec![reply],
                    // It was taken back.
                    None => {
                        self.fails_soon(of, transaction);
                        return Ok(());
                    }
                }
            }
            Step::Commit => {
                if !database.flushes(transaction) {
                    self.fails_soon(of, transaction);
                    return Ok(());
                }
                let is_lost = cluster.loses_commit == Some(of.server) && !is_dead;
                if is_lost {
                    cluster.loses_commit = None;
                }
                let us = if is_lost {
                    cluster.lines.within(LOST_COMMIT_US)
                } else {
                    self.commit_us()
                };
                self.later(us, ClusterEvent::Flushed(transaction));
                return match is_lost {
                    true => self.connection_is_lost(of.server),
                    false => Ok(()),
                };
            }
        };
        if self.cluster().database.waits(transaction) {
            let us = POSTGRES_LOCK_TIMEOUT.as_micros() as u64;
            self.later(us, ClusterEvent::LockTimedOut(transaction));
        }
        self.reply(replies);
        Ok(())
    }

    fn commit_us(&mut self) -> u64 {
        let now = self.now;
        let cluster = self.cluster();
        match now < cluster.slow_until {
            true => cluster.lines.within(SLOW_COMMIT_US),
            false => cluster.lines.within(cluster.plan.commit_us.clone()),
        }
    }

    pub(super) fn flushed(&mut self, transaction: TxId) -> Result<(), Violation> {
        let now = self.now;
        let cluster = self.cluster();
        let replies = cluster.database.flushed(now, transaction)?;
        if cluster.database.finish.is_some() {
            cluster.over_at.get_or_insert(now);
        }
        self.match_may_have_moved();
        self.reply(replies);
        Ok(())
    }

    /// A transaction that nobody has gone on with is taken back.
    pub(super) fn idle_timed_out(
        &mut self,
        transaction: TxId,
        steps: u32,
    ) -> Result<(), Violation> {
        let now = self.now;
        let database = &mut self.cluster().database;
        if database.idle_steps(transaction) == Some(steps) {
            let replies = database.roll_back(now, transaction)?;
            self.reply(replies);
        }
        Ok(())
    }

    pub(super) fn lock_timed_out(&mut self, transaction: TxId) -> Result<(), Violation> {
        let now = self.now;
        let database = &mut self.cluster().database;
        if database.waits(transaction) {
            let replies = database.roll_back(now, transaction)?;
            self.reply(replies);
        }
        Ok(())
    }

    /// Sends what the database says; some answers are lost.
    pub(super) fn reply(&mut self, replies: Vec<Reply>) {
        for Reply { of, answer } in replies {
            let Replied::Step(transaction, answer) = answer else {
                self.reply_to_renewal(of, answer);
                continue;
            };
            if let Some(steps) = self.cluster().database.idle_steps(transaction) {
                let us = POSTGRES_IDLE_TIMEOUT.as_micros() as u64;
                let idle = ClusterEvent::IdleTimedOut { transaction, steps };
                self.later(us, idle);
            }
            let cluster = self.cluster();
            let is_lost = matches!(answer, Answer::Committed)
                && cluster.lines.happens(cluster.plan.loses_answer);
            let answer = if is_lost { Answer::Failed } else { answer };
            let answered = ClusterEvent::Answered {
                of,
                transaction,
                answer,
            };
            self.back_to_server(of.server, answered);
        }
    }

    fn reply_to_renewal(&mut self, of: Of, answer: Replied) {
        if let Replied::Renewal { number, is_ours } = answer {
            let answered = ClusterEvent::RenewalAnswered {
                of,
                number,
                is_ours,
            };
            self.back_to_server(of.server, answered);
        }
    }

    /// A message is on its way back, unless the line is cut.
    fn back_to_server(&mut self, server: usize, event: ClusterEvent) {
        let (now, us) = (self.now, self.on_the_line_us(server));
        let node = &mut self.cluster().nodes[server];
        if now < node.cut_until {
            return;
        }
        let at = node.silent_until.max(now).plus_us(us);
        node.to_server_at = at.max(node.to_server_at);
        let at = node.to_server_at;
        self.at(at, Event::Cluster(event));
    }

    // Back at the server.

    pub(super) fn answered(
        &mut self,
        of: Of,
        transaction: TxId,
        answer: Answer,
    ) -> Result<(), Violation> {
        let tells_early = self.cluster().does(WrongCluster::TellsBeforeTheCommit);
        let node = &mut self.cluster().nodes[of.server];
        let Some(trying) = &mut node.work else {
            return Ok(());
        };
        if node.life != of.life || trying.transaction != Some(transaction) {
            return Ok(());
        }
        match answer {
            Answer::Fence(Fence::Stands) => self.ask(of, transaction, Step::Write),
            Answer::Fence(Fence::LeaseOver) | Answer::Failed => self.try_failed(of),
            Answer::Fence(Fence::Superseded) => {
                self.cluster().figures.superseded += 1;
                self.process_ends(of.server, Ending::ByItself)?;
            }
            Answer::Written(written) => {
                let count = trying.count;
                let is_append = matches!(written, Written::Appended);
                let is_found = matches!(written, Written::IsThere);
                // What was done before is found again.
                match (written, &trying.tried) {
                    (Written::IsThere, Some(_)) => {}
                    (written, _) => trying.tried = Some(written),
                }
                self.cluster().figures.found += u64::from(is_found);
                self.ask(of, transaction, Step::Commit);
                if tells_early && is_append {
                    self.serve(of.server, |server, now, _| {
                        server.have_stored(count, now);
                        Ok(())
                    })?;
                }
            }
            Answer::Committed => self.work_is_done(of.server)?,
        }
        Ok(())
    }

    /// A try has failed in a way that may pass.
    pub(super) fn try_failed(&mut self, of: Of) {
        let now = self.own_now(of.server);
        let node = &mut self.cluster().nodes[of.server];
        let Some(trying) = &mut node.work else { return };
        trying.transaction = None;
        // Who takes a node tries once.
        let is_opening = matches!(trying.work, Work::Open);
        match trying.tries.failed(now).filter(|_| !is_opening) {
            Some(pause) => self.later_by_own_clock(of.server, pause, ClusterEvent::TryAgain(of)),
            None => {
                node.commits.lost();
                self.later(0, ClusterEvent::GivesUp(of));
            }
        }
    }

    fn work_is_done(&mut self, server: usize) -> Result<(), Violation> {
        let cluster = self.cluster();
        let node = &mut cluster.nodes[server];
        let Some(trying) = node.work.take() else {
            return Ok(());
        };
        match (trying.work, trying.tried) {
            (Work::Append(_), _) => {
                node.commits.committed();
                let count = trying.count;
                self.serve(server, |server, now, _| {
                    server.have_stored(count, now);
                    Ok(())
                })?;
                self.close_if_settled(server)
            }
            (Work::Take, Some(Written::Taken(Some(taken)))) => {
                node.commits.committed();
                self.goes_on_with(server, &taken.handed)
            }
            (Work::Open, Some(Written::Opened(opened))) => {
                self.has_its_node(server, opened);
                Ok(())
            }
            (Work::Release, _) => self.process_ends(server, Ending::InOrder),
            _ => Ok(()),
        }
    }
}
