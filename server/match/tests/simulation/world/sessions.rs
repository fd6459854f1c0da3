//! Transactions of servers: step by step, each retried until its outcome is known.

use std::{rc::Rc, time::Duration};

use bridgemaster_lease::{
    Backoff, Fence,
    limits::{POSTGRES_ATTEMPT_TIMEOUT, POSTGRES_IDLE_TIMEOUT, POSTGRES_LOCK_TIMEOUT},
};
use bridgemaster_proto::games::WireGame;
use bridgemaster_referee::Time;

use super::{World, ending::Ending, events::Event};
use crate::{
    cluster::{
        Cluster,
        database::{Answer, Reply, ReplyOutcome},
        events::{ClusterEvent, Of},
        node::{Attempt, Phase},
        tampering::ClusterDefect,
        transaction::{Step, TransactionStart, TxId, Work, WriteOutcome},
    },
    oracle::Violation,
};

/// Additional latency on a slow network, in µs.
const SLOW_US: std::ops::Range<u64> = 1_000_000..2_000_000;
/// The chance of a late renewal, in thousandths, and its delay, in µs.
const LATE_RENEWALS: u32 = 30;
const LATE_RENEWAL_US: std::ops::Range<u64> = 0..10_000_000;
/// Duration of a commit whose connection is lost, in µs.
const LOST_COMMIT_US: std::ops::Range<u64> = 1_000..3_000_000;
/// Duration of slow commits, in µs: up to longer than a lease.
const SLOW_COMMIT_US: std::ops::Range<u64> = 500_000..12_000_000;

impl<G: WireGame> World<G> {
    /// The cluster of servers.
    pub(super) fn cluster(&mut self) -> &mut Cluster {
        self.cluster.as_mut().expect("servers share a database")
    }

    pub(super) fn later(&mut self, us: u64, event: ClusterEvent) {
        self.after(us, Event::Cluster(event));
    }

    /// Schedules an event after a duration by the clock of a server.
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

    /// The clock by which a server decides about its lease.
    pub(super) fn own_now(&self, server: usize) -> Duration {
        Duration::from_micros(self.servers[server].own_time(self.now).0)
    }

    // From a server to the database.

    /// Starts storing pending entries, if the server has no other transaction.
    pub(super) fn commit_pending(&mut self, server: usize) -> Result<(), Violation> {
        let node = &self.cluster().nodes[server];
        let is_free = node.work.is_none() && node.phase != Phase::Down;
        let Some(shell) = self.servers[server].shell.as_mut().filter(|_| is_free) else {
            return Ok(());
        };
        match shell.begin_store() {
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
        node.work = Some(Attempt {
            work,
            count,
            number,
            backoff: Backoff::new(now),
            transaction: None,
            tried: None,
        });
        self.try_work(server);
        Ok(())
    }

    pub(super) fn try_work(&mut self, server: usize) {
        let transaction = self.cluster().next_transaction();
        let waits = !self.cluster().does(ClusterDefect::RetriesWithoutWaiting);
        let node = &mut self.cluster().nodes[server];
        let of = node.of(server);
        let Some(attempt) = &mut node.work else {
            return;
        };
        attempt.transaction = Some(transaction);
        let is_retry = attempt.backoff.is_retry();
        let start = TransactionStart {
            row: node.row,
            epoch: node.epoch,
            number: attempt.number,
            ends_earlier: is_retry && waits,
            is_retry,
            work: attempt.work.clone(),
        };
        self.cluster().figures.retries += u64::from(is_retry);
        self.ask(of, transaction, Step::Begin(Box::new(start)));
        let timed_out = ClusterEvent::TryTimedOut { of, transaction };
        self.later_by_own_clock(of.server, POSTGRES_ATTEMPT_TIMEOUT, timed_out);
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
            None => self.fail_later(of, transaction),
        }
    }

    /// The arrival time at the database of a message that is sent now; `None` if the network is
    /// cut.
    pub(super) fn arrival_at_database(&mut self, server: usize) -> Option<Time> {
        let (now, us) = (self.now, self.line_latency_us(server));
        let cluster = self.cluster();
        let node = &mut cluster.nodes[server];
        if now < node.cut_until || !cluster.database.is_up {
            return None;
        }
        let at = node.silent_until.max(now).plus_us(us);
        node.to_database_at = at.max(node.to_database_at);
        Some(node.to_database_at)
    }

    /// Returns the arrival of a renewal, which has its own connection and may be late.
    pub(super) fn arrival_of_renewal(&mut self, server: usize) -> Option<Time> {
        let (now, us) = (self.now, self.line_latency_us(server));
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

    fn line_latency_us(&mut self, server: usize) -> u64 {
        let now = self.now;
        let cluster = self.cluster();
        let us = cluster.lines.within(cluster.plan.line_us.clone());
        match now < cluster.nodes[server].slow_until {
            true => us + cluster.lines.within(SLOW_US),
            false => us,
        }
    }

    /// Handles an attempt that failed as far as the server knows.
    pub(super) fn fail_later(&mut self, of: Of, transaction: TxId) {
        let us = self.line_latency_us(of.server);
        let answer = Answer::Failed;
        let answered = ClusterEvent::Answered {
            of,
            transaction,
            answer,
        };
        self.later(us, answered);
    }

    // At the database.

    pub(super) fn handle_step(
        &mut self,
        of: Of,
        transaction: TxId,
        step: Step,
    ) -> Result<(), Violation> {
        let now = self.now;
        let cluster = self.cluster();
        let is_dead = cluster.nodes[of.server].life != of.life;
        // The transaction stays idle.
        if is_dead && !matches!(step, Step::Commit) {
            return Ok(());
        }
        let database = &mut cluster.database;
        if !database.is_up {
            self.fail_later(of, transaction);
            return Ok(());
        }
        let replies = match step {
            Step::Begin(start) => database.begin(now, (of, transaction), *start)?,
            Step::Write => {
                let reply = database.write(now, transaction)?;
                match reply {
                    Some(reply) => vec![reply],
                    // The transaction was aborted.
                    None => {
                        self.fail_later(of, transaction);
                        return Ok(());
                    }
                }
            }
            Step::Commit => {
                if !database.begin_commit(transaction) {
                    self.fail_later(of, transaction);
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
                    true => self.lose_connection(of.server),
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

    pub(super) fn finish_commit(&mut self, transaction: TxId) -> Result<(), Violation> {
        let now = self.now;
        let cluster = self.cluster();
        let replies = cluster.database.finish_commit(now, transaction)?;
        if cluster.database.finish.is_some() {
            cluster.over_at.get_or_insert(now);
        }
        self.mark_stale_servers();
        self.reply(replies);
        Ok(())
    }

    /// Aborts an idle transaction.
    pub(super) fn time_out_idle(&mut self, transaction: TxId, steps: u32) -> Result<(), Violation> {
        let now = self.now;
        let database = &mut self.cluster().database;
        if database.idle_steps(transaction) == Some(steps) {
            let replies = database.roll_back(now, transaction)?;
            self.reply(replies);
        }
        Ok(())
    }

    pub(super) fn time_out_lock(&mut self, transaction: TxId) -> Result<(), Violation> {
        let now = self.now;
        let database = &mut self.cluster().database;
        if database.waits(transaction) {
            let replies = database.roll_back(now, transaction)?;
            self.reply(replies);
        }
        Ok(())
    }

    /// Sends the database's answer; some answers are lost.
    pub(super) fn reply(&mut self, replies: Vec<Reply>) {
        for Reply { of, answer } in replies {
            let ReplyOutcome::Step(transaction, answer) = answer else {
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
            self.send_to_server(of.server, answered);
        }
    }

    fn reply_to_renewal(&mut self, of: Of, answer: ReplyOutcome) {
        if let ReplyOutcome::Renewal { number, is_ours } = answer {
            let answered = ClusterEvent::RenewalAnswered {
                of,
                number,
                is_ours,
            };
            self.send_to_server(of.server, answered);
        }
    }

    /// Sends a message back, unless the network is cut.
    fn send_to_server(&mut self, server: usize, event: ClusterEvent) {
        let (now, us) = (self.now, self.line_latency_us(server));
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
        let publishes_early = self.cluster().does(ClusterDefect::AnswersBeforeTheCommit);
        let node = &mut self.cluster().nodes[of.server];
        let Some(attempt) = &mut node.work else {
            return Ok(());
        };
        if node.life != of.life || attempt.transaction != Some(transaction) {
            return Ok(());
        }
        match answer {
            Answer::Fence(Fence::Held) => self.ask(of, transaction, Step::Write),
            Answer::Fence(Fence::LeaseExpired) | Answer::Failed => self.try_failed(of),
            Answer::Fence(Fence::Superseded) => {
                self.cluster().figures.superseded += 1;
                self.end_process(of.server, Ending::ByItself)?;
            }
            Answer::WriteOutcome(written) => {
                let count = attempt.count;
                let is_append = matches!(written, WriteOutcome::Appended);
                let is_found = matches!(written, WriteOutcome::IsThere);
                // The effect of an earlier attempt is found.
                match (written, &attempt.tried) {
                    (WriteOutcome::IsThere, Some(_)) => {}
                    (written, _) => attempt.tried = Some(written),
                }
                self.cluster().figures.found += u64::from(is_found);
                self.ask(of, transaction, Step::Commit);
                if publishes_early && is_append {
                    self.serve(of.server, |server, now, _| {
                        server.finish_store(count, now);
                        Ok(())
                    })?;
                }
            }
            Answer::Committed => self.finish_work(of.server)?,
        }
        Ok(())
    }

    /// Handles a transient failure of an attempt.
    pub(super) fn try_failed(&mut self, of: Of) {
        let now = self.own_now(of.server);
        let node = &mut self.cluster().nodes[of.server];
        let Some(attempt) = &mut node.work else {
            return;
        };
        attempt.transaction = None;
        // Taking a node is not retried.
        let is_opening = matches!(attempt.work, Work::Open);
        match attempt.backoff.record_failure(now).filter(|_| !is_opening) {
            Some(pause) => self.later_by_own_clock(of.server, pause, ClusterEvent::TryAgain(of)),
            None => {
                node.commits.mark_unknown();
                self.later(0, ClusterEvent::GivesUp(of));
            }
        }
    }

    fn finish_work(&mut self, server: usize) -> Result<(), Violation> {
        let cluster = self.cluster();
        let node = &mut cluster.nodes[server];
        let Some(attempt) = node.work.take() else {
            return Ok(());
        };
        match (attempt.work, attempt.tried) {
            (Work::Append(_), _) => {
                node.commits.mark_committed();
                let count = attempt.count;
                self.serve(server, |server, now, _| {
                    server.finish_store(count, now);
                    Ok(())
                })?;
                self.release_if_settled(server)
            }
            (Work::Take, Some(WriteOutcome::TakenOver(Some(taken_over)))) => {
                node.commits.mark_committed();
                self.resumes_match(server, &taken_over.handed)
            }
            (Work::Open, Some(WriteOutcome::Opened(opened))) => {
                self.handle_node_taken(server, opened);
                Ok(())
            }
            (Work::Release, _) => self.end_process(server, Ending::InOrder),
            _ => Ok(()),
        }
    }
}
