//! The one connection that writes: one transaction after the other, each behind the fence, and
//! again when the connection was lost.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_lease::{Fence, RowLock, Tries};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, Row as _};
use tokio::time::{sleep, timeout};

pub(super) use super::work::Work;
use super::{address::Address, failure::Fault, node_number::HeldNode, unflushed::Unflushed};
use crate::limits::POSTGRES_TRY_TIMEOUT;

/// Only looks whether the fence stands.
pub(super) struct Nothing;

impl Work for Nothing {
    type Done = ();

    async fn carry_out(&self, _: &mut PgConnection, _: bool) -> Result<(), Fault> {
        Ok(())
    }
}

/// How long something is tried while the database is away.
pub(super) struct Patience {
    begun: Instant,
    tries: Tries,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            tries: Tries::new(Duration::ZERO),
        }
    }
}

impl Patience {
    /// Whether an earlier try may have been committed.
    fn is_again(&self) -> bool {
        self.tries.is_again()
    }

    /// Waits until it is tried again after this fault.
    ///
    /// # Errors
    /// The fault, if it cannot pass, or has not passed for too long.
    pub(super) async fn after(&mut self, fault: Fault) -> Result<(), Fault> {
        if !fault.may_pass() {
            return Err(fault);
        }
        match self.tries.failed(self.begun.elapsed()) {
            Some(pause) => sleep(pause).await,
            None => return Err(fault),
        }
        Ok(())
    }
}

/// A connection that writes.
#[derive(Debug)]
pub(super) struct Link {
    address: Address,
    /// `None` after a failure, and while a transaction runs: one that was left half done is never
    /// gone on with.
    connection: Option<PgConnection>,
    /// As which a server writes; `None` for a command beside a server.
    server: Option<AsServer>,
}

/// What a server that writes has to look at.
#[derive(Debug)]
pub(super) struct AsServer {
    pub(super) node: HeldNode,
    pub(super) unflushed: Arc<Unflushed>,
}

impl Link {
    pub(super) fn new(
        address: Address,
        connection: PgConnection,
        server: Option<AsServer>,
    ) -> Self {
        Self {
            address,
            connection: Some(connection),
            server,
        }
    }

    /// Does a piece of work in one transaction. While the database is away, it is tried again: what
    /// became of a commit whose answer was lost is found out before.
    pub(super) async fn write<W: Work>(&mut self, work: &W) -> Result<W::Done, Fault> {
        let mut patience = Patience::default();
        loop {
            let tried = self.attempt(work, patience.is_again());
            let tried = timeout(POSTGRES_TRY_TIMEOUT, tried).await;
            match tried.unwrap_or(Err(Fault::NoAnswer)) {
                Err(fault) => patience.after(fault).await?,
                done => return done,
            }
        }
    }

    async fn attempt<W: Work>(&mut self, work: &W, again: bool) -> Result<W::Done, Fault> {
        // A crash ends every connection: so what it has lost is missing only on a new one.
        let (mut connection, lost) = match self.connection.take() {
            Some(connection) => (connection, None),
            None => {
                let unflushed = self.server.as_ref().map(|server| &server.unflushed);
                let lost = unflushed.filter(|unflushed| unflushed.has_any());
                (self.address.connect().await?, lost)
            }
        };
        let node = self.server.as_ref().map(|server| server.node);
        let lock = RowLock::of_try(again || lost.is_some());
        let done = async {
            begin(&mut connection, node, lock).await?;
            if let Some(lost) = lost {
                lost.put_back(&mut connection).await?;
            }
            work.carry_out(&mut connection, again).await
        };
        let done = done.await;
        let (begun, waits) = (Instant::now(), work.waits_for_flush());
        let ended = match waits {
            true => end(&mut connection, done).await,
            false => end_unflushed(&mut connection, done).await,
        };
        if let (Ok(_), true, Some(server)) = (&ended, waits, &self.server) {
            // It is no transaction that only reads: a lock of a row is written down.
            server.unflushed.all_flushed();
            server.unflushed.took(begun.elapsed());
        }
        if !matches!(&ended, Err(fault) if fault.may_pass()) {
            self.connection = Some(connection);
        }
        ended
    }

    /// Makes what a crash has lost again, which another connection has found missing.
    pub(super) async fn put_back(&mut self) -> Result<(), Fault> {
        self.connection = None;
        self.write(&Nothing).await
    }

    /// Lets go of the database.
    pub(super) async fn close(self) -> Result<(), Fault> {
        match self.connection {
            Some(connection) => Ok(connection.close().await?),
            None => Ok(()),
        }
    }
}

/// Begins a transaction with a look at the fence.
async fn begin(
    connection: &mut PgConnection,
    node: Option<HeldNode>,
    lock: RowLock,
) -> Result<(), Fault> {
    let Some(HeldNode { number, epoch }) = node else {
        sqlx::raw_sql("BEGIN").execute(connection).await?;
        return Ok(());
    };
    let number = number.get();
    // Who takes the node over locks the row for its update, so it waits for this transaction, and
    // this one for it. The lease is looked at once the lock is had, which may take long: hence the
    // inner query, and no `now()`, which would be the beginning of the transaction.
    let lock = match lock {
        RowLock::Update => "FOR UPDATE",
        RowLock::KeyShare => "FOR KEY SHARE",
    };
    let begin = format!(
        "BEGIN; SELECT lease_until > clock_timestamp() FROM (
             SELECT lease_until FROM node
             WHERE number = {number} AND epoch = {epoch} {lock}) AS locked"
    );
    let held = sqlx::raw_sql(AssertSqlSafe(begin))
        .fetch_optional(connection)
        .await?;
    match Fence::of(held.map(|row| row.try_get(0)).transpose()?) {
        Fence::Stands => Ok(()),
        Fence::LeaseOver => Err(Fault::LeaseOver),
        Fence::Superseded => Err(Fault::Superseded),
    }
}

/// Commits what has succeeded, which is flushed then; rolls back what has failed.
pub(super) async fn end<T>(
    connection: &mut PgConnection,
    done: Result<T, Fault>,
) -> Result<T, Fault> {
    // PostgreSQL that is stopped by a timeout while it waits for its standby answers as if the
    // standby had the commit: so this waits without one, and only we lose patience.
    end_by("SET LOCAL statement_timeout = 0; COMMIT", connection, done).await
}

/// The same, and what is committed may be lost by a crash until something later is flushed.
async fn end_unflushed<T>(
    connection: &mut PgConnection,
    done: Result<T, Fault>,
) -> Result<T, Fault> {
    let commit = "SET LOCAL synchronous_commit = off; COMMIT";
    end_by(commit, connection, done).await
}

async fn end_by<T>(
    commit: &'static str,
    connection: &mut PgConnection,
    done: Result<T, Fault>,
) -> Result<T, Fault> {
    match done {
        Ok(value) => {
            sqlx::raw_sql(commit).execute(connection).await?;
            Ok(value)
        }
        Err(fault) => {
            // Where this fails, the connection is gone, and the transaction with it.
            let _ = sqlx::raw_sql("ROLLBACK").execute(connection).await;
            Err(fault)
        }
    }
}
