//! The database that servers share: the rows of nodes with their leases, the match, and the
//! transactions that are open. It stands for PostgreSQL and the SQL of `server/store/src/postgres`;
//! what servers decide about its answers is their own code.

mod committing;
mod renewing;

use std::{collections::BTreeMap, rc::Rc, sync::Arc};

use bridgemaster_lease::{Commits, Fence, RowLock, limits::LEASE_TERM};
use bridgemaster_match::Finish;
use bridgemaster_referee::Time;

use super::{
    clock::Clock,
    events::Of,
    journal::{Handed, Journaled},
    locks::Locks,
    plan::ClusterPlan,
    tampering::WrongCluster,
    transaction::{Begun, Opened, Stage, Taken, Transaction, TxId, Work, Written},
};
use crate::oracle::{Violation, demand};

/// A lease that was given up has run out for ever.
const LONG_AGO: i64 = i64::MIN / 2;
/// How much too early a node is taken over by a cluster that does wrong, in µs.
const TOO_EARLY_US: i64 = 4_000_000;

/// What a step of a transaction comes to.
#[derive(Clone, Debug)]
pub(crate) enum Answer {
    Fence(Fence),
    Written(Written),
    Committed,
    /// The connection is lost, or the database takes the transaction back.
    Failed,
}

/// An answer on its way.
#[derive(Debug)]
pub(crate) struct Reply {
    pub(crate) of: Of,
    pub(crate) answer: Replied,
}

#[derive(Debug)]
pub(crate) enum Replied {
    Step(TxId, Answer),
    Renewal { number: u32, is_ours: bool },
}

/// A renewal that was asked for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RenewalAsked {
    pub(crate) of: Of,
    pub(crate) number: u32,
    pub(crate) row: usize,
    pub(crate) epoch: i64,
    /// What the clock of the node said.
    pub(crate) own_us: i64,
}

/// The row of a node.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) epoch: i64,
    /// By the clock of the database, in µs.
    pub(crate) lease_until_us: i64,
    /// The number of its last commit.
    pub(crate) commits: i64,
    /// Where callers are sent: to the process that took the node last.
    pub(crate) server: usize,
    /// The epoch that a process began which took the node.
    pub(crate) opened_in: i64,
}

/// Where the match is, for whoever asks for it elsewhere.
#[derive(Clone, Debug)]
pub(crate) enum Whereabouts {
    At(usize),
    /// The server that had it is gone.
    OnItsWay,
    Over(Arc<Finish>),
}

/// Whoever waits for the lock of a row, in the order in which they came.
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
    /// How often the match has moved.
    pub(crate) moves: u32,
    pub(crate) journal: Vec<Rc<Journaled>>,
    pub(crate) finish: Option<Arc<Finish>>,
    open: BTreeMap<TxId, Transaction>,
    locks: Locks,
    waiters: Vec<Waiter>,
    pub(crate) is_up: bool,
    /// No clock does anything that no clock may.
    pub(crate) clocks_hold: bool,
    wrong: Option<WrongCluster>,
}

impl Database {
    /// One in which the first of the nodes has the match, and each has its lease.
    pub(crate) fn new(plan: &ClusterPlan, header: &[u8], wrong: Option<WrongCluster>) -> Self {
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

    fn does(&self, wrong: WrongCluster) -> bool {
        self.wrong == Some(wrong)
    }

    /// Where the match is, as a server reads it.
    pub(crate) fn whereabouts(&self, now: Time) -> Whereabouts {
        if let Some(finish) = &self.finish {
            return Whereabouts::Over(Arc::clone(finish));
        }
        let row = &self.rows[self.owner];
        match row.lease_until_us > self.clock.at(now) {
            true => Whereabouts::At(row.server),
            false => Whereabouts::OnItsWay,
        }
    }

    // Steps of transactions.

    pub(crate) fn begin(
        &mut self,
        now: Time,
        (of, id): (Of, TxId),
        begun: Begun,
    ) -> Result<Vec<Reply>, Violation> {
        let mut replies = Vec::new();
        let transaction = Transaction {
            id,
            of: Some(of),
            begun_at_us: self.clock.at(now),
            begun,
            stage: Stage::Waiting,
            steps: 0,
        };
        self.open.insert(id, transaction);
        if !self.passes(now, id, &mut replies)? {
            self.waiters.push(Waiter::Transaction(id));
        }
        Ok(replies)
    }

    /// Whether a transaction waits for a lock.
    pub(crate) fn waits(&self, id: TxId) -> bool {
        let transaction = self.open.get(&id);
        transaction.is_some_and(|it| matches!(it.stage, Stage::Waiting))
    }

    /// How many steps of a transaction were answered that waits for its next one.
    pub(crate) fn idle_steps(&self, id: TxId) -> Option<u32> {
        let it = self.open.get(&id)?;
        let is_idle = matches!(it.stage, Stage::Fenced | Stage::Written(_));
        is_idle.then_some(it.steps)
    }

    /// Has a transaction look at the row of its node, if it gets its lock.
    fn passes(&mut self, now: Time, id: TxId, replies: &mut Vec<Reply>) -> Result<bool, Violation> {
        let clock_us = self.clock.at(now);
        let Some(it) = self.open.get(&id) else {
            return Ok(true);
        };
        let Begun { row, epoch, .. } = it.begun;
        let has_fence = !self.does(WrongCluster::CommitsWithoutAFence);
        let is_opening = matches!(it.begun.work, Work::Open);
        if has_fence || is_opening {
            let lock = match is_opening {
                true => RowLock::Update,
                false => it.begun.lock,
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
            _ if is_opening => Fence::Stands,
            Some(WrongCluster::CommitsWithoutAFence) => Fence::Stands,
            Some(WrongCluster::LooksAtTheLeaseOfTheBeginning) => runs_at(it.begun_at_us),
            _ => truth,
        };
        demand!(
            is_opening || fence != Fence::Stands || truth == Fence::Stands,
            "a transaction of epoch {epoch} passes the fence, which says {truth:?}"
        );
        replies.extend(self.reply(id, Answer::Fence(fence)));
        match fence {
            Fence::Stands => self.is_at(id, Stage::Fenced),
            _ => self.forget(id),
        }
        Ok(true)
    }

    /// A transaction writes.
    pub(crate) fn write(&mut self, now: Time, id: TxId) -> Result<Option<Reply>, Violation> {
        let Some(it) = self.open.get(&id) else {
            return Ok(None);
        };
        let begun = it.begun.clone();
        let begun_at_us = it.begun_at_us;
        let written = match &begun.work {
            Work::Open => self.opened(now, &begun),
            Work::Release => Written::Released,
            _ if begun.is_again && self.is_there(&begun) => Written::IsThere,
            Work::Append(_) => Written::Appended,
            Work::Take => self.taken(now, id, &begun, begun_at_us)?,
        };
        let adds = matches!(written, Written::Appended | Written::Taken(Some(_)));
        let commits = self.rows[begun.row].commits;
        let is_fenced = !self.does(WrongCluster::CommitsWithoutAFence);
        demand!(
            !adds || !is_fenced || begun.number == commits + 1,
            "a server makes commit {}, and its node has {commits}",
            begun.number
        );
        self.is_at(id, Stage::Written(written.clone()));
        Ok(self.reply(id, Answer::Written(written)))
    }

    fn is_there(&self, begun: &Begun) -> bool {
        !self.does(WrongCluster::RetriesWithoutALook)
            && Commits::is_there(begun.number, self.rows[begun.row].commits)
    }

    fn opened(&self, now: Time, begun: &Begun) -> Written {
        let row = &self.rows[begun.row];
        let has_match = self.owner == begun.row && self.finish.is_none();
        Written::Opened(Opened {
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

    /// Takes the match of a node without a lease. Its lock waits for nobody.
    fn taken(
        &mut self,
        now: Time,
        id: TxId,
        begun: &Begun,
        begun_at_us: i64,
    ) -> Result<Written, Violation> {
        let from = self.owner;
        let lease_until_us = self.rows[from].lease_until_us;
        let early_us = match self.does(WrongCluster::TakesOverTooEarly) {
            true => TOO_EARLY_US,
            false => 0,
        };
        let is_over = lease_until_us < begun_at_us + early_us;
        let is_orphan = from != begun.row && self.finish.is_none() && is_over;
        if !is_orphan || !self.locks.take(from, id, RowLock::Update) {
            return Ok(Written::Taken(None));
        }
        demand!(
            !self.clocks_hold || lease_until_us < self.clock.at(now),
            "a node is taken over that has its lease"
        );
        let handed = self.handed();
        Ok(Written::Taken(Some(Taken { from, handed })))
    }

    /// A transaction is undone, unless it is being written down. What it held goes to others.
    pub(crate) fn roll_back(&mut self, now: Time, id: TxId) -> Result<Vec<Reply>, Violation> {
        let mut replies = Vec::new();
        let is_flushing = |it: &Transaction| matches!(it.stage, Stage::Flushing(_));
        if self.open.get(&id).is_none_or(is_flushing) {
            return Ok(replies);
        }
        replies.extend(self.reply(id, Answer::Failed));
        self.forget(id);
        self.go_on(now, &mut replies)?;
        Ok(replies)
    }

    /// Whether all that is left of a transaction is its commit.
    pub(crate) fn is_written(&self, id: TxId) -> bool {
        let transaction = self.open.get(&id);
        transaction.is_some_and(|it| matches!(it.stage, Stage::Written(_)))
    }

    /// The transactions of a process, or of its connection.
    pub(crate) fn transactions_of(&self, of: Of) -> Vec<TxId> {
        let open = self.open.values();
        open.filter(|it| it.of == Some(of))
            .map(|it| it.id)
            .collect()
    }

    fn is_at(&mut self, id: TxId, stage: Stage) {
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
            answer: Replied::Step(id, answer),
        })
    }

    /// Whoever waited goes on, if the lock is free now.
    fn go_on(&mut self, now: Time, replies: &mut Vec<Reply>) -> Result<(), Violation> {
        for waiter in std::mem::take(&mut self.waiters) {
            let has_passed = match &waiter {
                Waiter::Transaction(id) => self.passes(now, *id, replies)?,
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

    // What else happens to the database.

    /// Somebody locks the row of a node, if it is free.
    pub(crate) fn hold(&mut self, row: usize, id: TxId) -> bool {
        self.locks.take(row, id, RowLock::Update)
    }

    pub(crate) fn let_go(&mut self, now: Time, id: TxId) -> Result<Vec<Reply>, Violation> {
        let mut replies = Vec::new();
        self.locks.release(id);
        self.go_on(now, &mut replies)?;
        Ok(replies)
    }

    /// The database ends at once. Of the commits that are being written down those are there that
    /// `are_written`.
    pub(crate) fn crash(
        &mut self,
        mut is_written: impl FnMut() -> bool,
    ) -> Result<Vec<Reply>, Violation> {
        let mut replies = Vec::new();
        for (id, it) in std::mem::take(&mut self.open) {
            if let Stage::Flushing(written) = it.stage
                && is_written()
            {
                self.take_effect(&it.begun, written, it.of)?;
            }
            replies.extend(it.of.map(|of| Reply {
                of,
                answer: Replied::Step(id, Answer::Failed),
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
