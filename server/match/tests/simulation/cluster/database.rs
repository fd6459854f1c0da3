//! The database of a cluster: the rows of nodes with their leases, the match, and open
//! transactions. It stands for PostgreSQL and the SQL of `server/store/src/postgres`; the decisions
//! of servers about its answers are their real code.

mod committing;
mod renewing;

use std::{collections::BTreeMap, rc::Rc, sync::Arc};

use bridgemaster_lease::{CommitNumbers, Fence, limits::LEASE_TERM};
use bridgemaster_match::Finish;
use bridgemaster_referee::Time;

use super::{
    clock::Clock,
    events::Of,
    journal::{Handed, Journaled},
    locks::{Locks, RowLock},
    plan::ClusterPlan,
    tampering::ClusterDefect,
    transaction::{
        Opened, Stage, TakenOver, Transaction, TransactionStart, TxId, Work, WriteOutcome,
    },
};
use crate::oracle::{Violation, require};

/// A released lease has expired forever.
const LONG_AGO: i64 = i64::MIN / 2;
/// How much too early a defective cluster takes over a node, in µs.
const TOO_EARLY_US: i64 = 4_000_000;

/// The outcome of a step of a transaction.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Fence(Fence),
    WriteOutcome(WriteOutcome),
    Committed,
    /// The connection is lost, or the database has aborted the transaction.
    Failed,
}

/// An answer in transit.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) of: Of,
    pub(crate) answer: ReplyOutcome,
}

#[derive(Debug)]
pub(crate) enum ReplyOutcome {
    Step(TxId, Answer),
    Renewal { number: u32, is_ours: bool },
}

/// A requested renewal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenewalAsked {
    pub(crate) of: Of,
    pub(crate) number: u32,
    pub(crate) row: usize,
    pub(crate) epoch: i64,
    /// The time by the clock of the node.
    pub(crate) own_us: i64,
}

/// The row of a node.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) epoch: i64,
    /// Expiry by the clock of the database, in µs.
    pub(crate) lease_until_us: i64,
    /// The number of its last commit.
    pub(crate) commits: i64,
    /// The process that took the node last, to which callers are redirected.
    pub(crate) server: usize,
    /// The epoch that this process began.
    pub(crate) opened_in: i64,
}

/// The location of the match for callers at other nodes.
#[derive(Clone, Debug)]
pub(crate) enum MatchLocation {
    At(usize),
    /// The server that had it is gone.
    OnItsWay,
    Over(Arc<Finish>),
}

/// Waiters for the lock of a row, in order of arrival.
#[derive(Debug)]
enum Waiter {
    Transaction(TxId),
    Renewal(RenewalAsked),
}

#[derive(Debug)]
pub(crate) struct Database {
    pub(crate) clock: Clock,
    pub(crate) rows: Vec<Row>,
    header: Rc<[u8]>,
    /// The row of the node that has the match.
    pub(crate) owner: usize,
    /// The number of times that the match has moved.
    pub(crate) moves: u32,
    pub(crate) journal: Vec<Rc<Journaled>>,
    pub(crate) finish: Option<Arc<Finish>>,
    open: BTreeMap<TxId, Transaction>,
    locks: Locks,
    waiters: Vec<Waiter>,
    pub(crate) is_up: bool,
    /// No clock has violated the assumptions about clocks.
    pub(crate) clocks_hold: bool,
    wrong: Option<ClusterDefect>,
}

impl Database {
    /// Creates a database in which the first node has the match, and each node has its lease.
    pub(crate) fn new(plan: &ClusterPlan, header: &[u8], wrong: Option<ClusterDefect>) -> Self {
        let clock = plan.database_clock();
        let row = |server| Row {
            epoch: 1,
            lease_until_us: clock.at(Time(0)) + term_us(),
            commits: 1,
            server,
            opened_in: 1,
        };
        Self {
            clock,
            rows: (0..plan.nodes).map(row).collect(),
            header: header.into(),
            owner: 0,
            moves: 0,
            journal: Vec::new(),
            finish: None,
            open: BTreeMap::new(),
            locks: Locks::default(),
            waiters: Vec::new(),
            is_up: true,
            clocks_hold: plan.clocks_hold,
            wrong,
        }
    }

    fn does(&self, wrong: ClusterDefect) -> bool {
        self.wrong == Some(wrong)
    }

    /// The location of the match, as read by a server.
    pub(crate) fn match_location(&self, now: Time) -> MatchLocation {
        if let Some(finish) = &self.finish {
            return MatchLocation::Over(Arc::clone(finish));
        }
        let row = &self.rows[self.owner];
        match row.lease_until_us > self.clock.at(now) {
            true => MatchLocation::At(row.server),
            false => MatchLocation::OnItsWay,
        }
    }

    // Steps of transactions.

    pub(crate) fn begin(
        &mut self,
        now: Time,
        (of, id): (Of, TxId),
        start: TransactionStart,
    ) -> Result<Vec<Reply>, Violation> {
        let mut replies = Vec::new();
        if start.ends_earlier {
            for earlier in self.attempts_of(&start) {
                replies.extend(self.roll_back(now, earlier)?);
            }
        }
        let transaction = Transaction {
            id,
            of: Some(of),
            begun_at_us: self.clock.at(now),
            start,
            stage: Stage::Waiting,
            steps: 0,
        };
        self.open.insert(id, transaction);
        if !self.try_fence(now, id, &mut replies)? {
            self.waiters.push(Waiter::Transaction(id));
        }
        Ok(replies)
    }

    /// The open transactions of the process that begins one.
    fn attempts_of(&self, start: &TransactionStart) -> Vec<TxId> {
        let open = self.open.values();
        let is_of_process = |it: &&Transaction| {
            let is_open = matches!(it.start.work, Work::Open);
            !is_open && (it.start.row, it.start.epoch) == (start.row, start.epoch)
        };
        open.filter(is_of_process).map(|it| it.id).collect()
    }

    /// Returns whether a transaction waits for a lock, or for the end of earlier attempts.
    pub(crate) fn waits(&self, id: TxId) -> bool {
        let transaction = self.open.get(&id);
        transaction.is_some_and(|it| matches!(it.stage, Stage::Waiting))
    }

    /// The number of answered steps of a transaction that waits for its next one.
    pub(crate) fn idle_steps(&self, id: TxId) -> Option<u32> {
        let it = self.open.get(&id)?;
        let is_idle = matches!(it.stage, Stage::Fenced | Stage::WriteOutcome(_));
        is_idle.then_some(it.steps)
    }

    /// Lets a transaction check the row of its node, if it gets its lock.
    fn try_fence(
        &mut self,
        now: Time,
        id: TxId,
        replies: &mut Vec<Reply>,
    ) -> Result<bool, Violation> {
        let clock_us = self.clock.at(now);
        let Some(it) = self.open.get(&id) else {
            return Ok(true);
        };
        let TransactionStart { row, epoch, .. } = it.start;
        let attempts = self.attempts_of(&it.start);
        if it.start.ends_earlier && attempts.into_iter().any(|other| other < id) {
            return Ok(false);
        }
        let has_fence = !self.does(ClusterDefect::CommitsWithoutAFence);
        let is_opening = matches!(it.start.work, Work::Open);
        if has_fence || is_opening {
            let lock = match is_opening {
                true => RowLock::Update,
                false => RowLock::KeyShare,
            };
            if !self.locks.take(row, id, lock) {
                return Ok(false);
            }
        }
        let lease_until_us = self.rows[row].lease_until_us;
        let is_ours = self.rows[row].epoch == epoch;
        let runs_at = |clock_us: i64| Fence::of(is_ours.then_some(lease_until_us > clock_us));
        let truth = runs_at(clock_us);
        let fence = match self.wrong {
            _ if is_opening => Fence::Held,
            Some(ClusterDefect::CommitsWithoutAFence) => Fence::Held,
            Some(ClusterDefect::LooksAtTheLeaseOfTheBeginning) => runs_at(it.begun_at_us),
            _ => truth,
        };
        require!(
            is_opening || fence != Fence::Held || truth == Fence::Held,
            "a transaction of epoch {epoch} passes the fence, which says {truth:?}"
        );
        replies.extend(self.reply(id, Answer::Fence(fence)));
        match fence {
            Fence::Held => self.advance_to(id, Stage::Fenced),
            _ => self.forget(id),
        }
        Ok(true)
    }

    /// Executes the write of a transaction.
    pub(crate) fn write(&mut self, now: Time, id: TxId) -> Result<Option<Reply>, Violation> {
        let Some(it) = self.open.get(&id) else {
            return Ok(None);
        };
        let start = it.start.clone();
        let begun_at_us = it.begun_at_us;
        let written = match &start.work {
            Work::Open => self.opened(now, &start),
            Work::Release => WriteOutcome::Released,
            _ if start.is_retry && self.is_there(&start) => WriteOutcome::IsThere,
            Work::Append(_) => WriteOutcome::Appended,
            Work::Take => self.taken_over(now, id, &start, begun_at_us)?,
        };
        let adds = matches!(
            written,
            WriteOutcome::Appended | WriteOutcome::TakenOver(Some(_))
        );
        let commits = self.rows[start.row].commits;
        let is_fenced = !self.does(ClusterDefect::CommitsWithoutAFence);
        require!(
            !adds || !is_fenced || start.number == commits + 1,
            "a server makes commit {}, and its node has {commits}",
            start.number
        );
        self.advance_to(id, Stage::WriteOutcome(written.clone()));
        Ok(self.reply(id, Answer::WriteOutcome(written)))
    }

    fn is_there(&self, start: &TransactionStart) -> bool {
        !self.does(ClusterDefect::RetriesWithoutALook)
            && CommitNumbers::is_committed(start.number, self.rows[start.row].commits)
    }

    fn opened(&self, now: Time, start: &TransactionStart) -> WriteOutcome {
        let row = &self.rows[start.row];
        let has_match = self.owner == start.row && self.finish.is_none();
        WriteOutcome::Opened(Opened {
            epoch: row.epoch + 1,
            commits: row.commits + 1,
            lease_until_us: self.clock.at(now) + term_us(),
            handed: has_match.then(|| self.handed()),
        })
    }

    pub(crate) fn handed(&self) -> Handed {
        Handed {
            header: Rc::clone(&self.header),
            journal: self.journal.clone(),
        }
    }

    /// Takes over the match of a node without a lease. Never waits for its lock.
    fn taken_over(
        &mut self,
        now: Time,
        id: TxId,
        start: &TransactionStart,
        begun_at_us: i64,
    ) -> Result<WriteOutcome, Violation> {
        let from = self.owner;
        let lease_until_us = self.rows[from].lease_until_us;
        let early_us = match self.does(ClusterDefect::TakesOverTooEarly) {
            true => TOO_EARLY_US,
            false => 0,
        };
        let is_over = lease_until_us < begun_at_us + early_us;
        let is_orphan = from != start.row && self.finish.is_none() && is_over;
        if !is_orphan || !self.locks.take(from, id, RowLock::Update) {
            return Ok(WriteOutcome::TakenOver(None));
        }
        require!(
            !self.clocks_hold || lease_until_us < self.clock.at(now),
            "a node with a valid lease is taken over"
        );
        let handed = self.handed();
        Ok(WriteOutcome::TakenOver(Some(TakenOver { from, handed })))
    }

    /// Rolls back a transaction, unless it is being committed, and passes its locks on.
    pub(crate) fn roll_back(&mut self, now: Time, id: TxId) -> Result<Vec<Reply>, Violation> {
        let mut replies = Vec::new();
        let is_flushing = |it: &Transaction| matches!(it.stage, Stage::Flushing(_));
        if self.open.get(&id).is_none_or(is_flushing) {
            return Ok(replies);
        }
        replies.extend(self.reply(id, Answer::Failed));
        self.forget(id);
        self.resume(now, &mut replies)?;
        Ok(replies)
    }

    /// Returns whether only the commit of a transaction is left.
    pub(crate) fn is_written(&self, id: TxId) -> bool {
        let transaction = self.open.get(&id);
        transaction.is_some_and(|it| matches!(it.stage, Stage::WriteOutcome(_)))
    }

    /// The transactions of a process or of its connection.
    pub(crate) fn transactions_of(&self, of: Of) -> Vec<TxId> {
        let open = self.open.values();
        open.filter(|it| it.of == Some(of))
            .map(|it| it.id)
            .collect()
    }

    fn advance_to(&mut self, id: TxId, stage: Stage) {
        if let Some(it) = self.open.get_mut(&id) {
            it.stage = stage;
            it.steps += 1;
        }
    }

    fn forget(&mut self, id: TxId) {
        self.open.remove(&id);
        self.locks.release(id);
        let is_it = |waiter: &Waiter| matches!(waiter, Waiter::Transaction(it) if *it == id);
        self.waiters.retain(|waiter| !is_it(waiter));
    }

    fn reply(&self, id: TxId, answer: Answer) -> Option<Reply> {
        Some(Reply {
            of: self.open.get(&id)?.of?,
            answer: ReplyOutcome::Step(id, answer),
        })
    }

    /// Resumes waiters, if the lock is free now.
    fn resume(&mut self, now: Time, replies: &mut Vec<Reply>) -> Result<(), Violation> {
        for waiter in std::mem::take(&mut self.waiters) {
            let has_passed = match &waiter {
                Waiter::Transaction(id) => self.try_fence(now, *id, replies)?,
                Waiter::Renewal(asked) => {
                    let reply = self.renewed(now, *asked)?;
                    let has_passed = reply.is_some();
                    replies.extend(reply);
                    has_passed
                }
            };
            if !has_passed {
                self.waiters.push(waiter);
            }
        }
        Ok(())
    }

    // Other events of the database.

    /// Lets a third party lock the row of a node, if it is free.
    pub(crate) fn lock_row(&mut self, row: usize, id: TxId) -> bool {
        self.locks.take(row, id, RowLock::Update)
    }

    pub(crate) fn release_row(&mut self, now: Time, id: TxId) -> Result<Vec<Reply>, Violation> {
        let mut replies = Vec::new();
        self.locks.release(id);
        self.resume(now, &mut replies)?;
        Ok(replies)
    }

    /// Stops the database immediately. Commits in progress survive if they `are_written`.
    pub(crate) fn crash(
        &mut self,
        mut is_written: impl FnMut() -> bool,
    ) -> Result<Vec<Reply>, Violation> {
        let mut replies = Vec::new();
        for (id, it) in std::mem::take(&mut self.open) {
            if let Stage::Flushing(written) = it.stage
                && is_written()
            {
                self.take_effect(&it.start, written, it.of)?;
            }
            replies.extend(it.of.map(|of| Reply {
                of,
                answer: ReplyOutcome::Step(id, Answer::Failed),
            }));
        }
        self.locks = Locks::default();
        self.waiters.clear();
        self.is_up = false;
        Ok(replies)
    }
}

fn term_us() -> i64 {
    LEASE_TERM.as_micros() as i64
}
