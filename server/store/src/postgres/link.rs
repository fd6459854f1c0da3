//! The one connection that writes: one transaction after the other, each behind the fence, and
//! again when the connection was lost.

use std::time::Instant;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tokio::time::{sleep, timeout};

use super::{address::Address, failure::Fault};
use crate::limits::{
    POSTGRES_FIRST_PAUSE, POSTGRES_LONGEST_PAUSE, POSTGRES_PATIENCE, POSTGRES_TRY_TIMEOUT,
};

/// The node of every server, until several servers share a database: then each has its own.
const NODE: &str = "only";

/// What one transaction does. It may be tried several times, and each try may be the one that is
/// committed.
pub(super) trait Work: Sync {
    /// What it comes to.
    type Done: Send;

    /// Does it within a transaction. With `again`, an earlier try may have been committed; the
    /// fence makes sure that none still can be.
    fn carry_out(
        &self,
        connection: &mut PgConnection,
        again: bool,
    ) -> impl Future<Output = Result<Self::Done, Fault>> + Send;
}

/// Only looks whether the fence stands.
pub(super) struct Nothing;

impl Work for Nothing {
    type Done = ();

    async fn carry_out(&self, _: &mut PgConnection, _: bool) -> Result<(), Fault> {
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
    /// The epoch in which a server holds the store; `None` for a command beside a server.
    epoch: Option<i64>,
}

impl Link {
    pub(super) fn new(address: Address, connection: PgConnection, epoch: Option<i64>) -> Self {
        Self {
            address,
            connection: Some(connection),
            epoch,
        }
    }

    /// Does a piece of work in one transaction. While the database is away, it is tried again: what
    /// became of a commit whose answer was lost is found out before.
    pub(super) async fn write<W: Work>(&mut self, work: &W) -> Result<W::Done, Fault> {
        let begun = Instant::now();
        let (mut again, mut pause) = (false, POSTGRES_FIRST_PAUSE);
        loop {
            let tried = timeout(POSTGRES_TRY_TIMEOUT, self.attempt(work, again)).await;
            let fault = match tried.unwrap_or(Err(Fault::NoAnswer)) {
                Err(fault) if fault.may_pass() => fault,
                ended => return ended,
            };
            if begun.elapsed() >= POSTGRES_PATIENCE {
                return Err(fault);
            }
            again = true;
            sleep(pause).await;
            pause = POSTGRES_LONGEST_PAUSE.min(pause * 2);
        }
    }

    async fn attempt<W: Work>(&mut self, work: &W, again: bool) -> Result<W::Done, Fault> {
        let mut connection = match self.connection.take() {
            Some(connection) => connection,
            None => self.address.connect().await?,
        };
        let done = match begin(&mut connection, self.epoch, again).await {
            Ok(()) => work.carry_out(&mut connection, again).await,
            Err(fault) => Err(fault),
        };
        let ended = end(&mut connection, done).await;
        if !matches!(&ended, Err(fault) if fault.may_pass()) {
            self.connection = Some(connection);
        }
        ended
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
    epoch: Option<i64>,
    again: bool,
) -> Result<(), Fault> {
    let Some(epoch) = epoch else {
        sqlx::raw_sql("BEGIN").execute(connection).await?;
        return Ok(());
    };
    // A server that takes the store over locks the row for its update, so it waits for this
    // transaction, and this one for it. After a failure the stronger lock waits for a commit of our
    // own that may still be on its way.
    let lock = match again {
        true => "FOR UPDATE",
        false => "FOR KEY SHARE",
    };
    let begin =
        format!("BEGIN; SELECT 1 FROM node WHERE node_id = '{NODE}' AND epoch = {epoch} {lock}");
    let holders = sqlx::raw_sql(AssertSqlSafe(begin))
        .fetch_all(connection)
        .await?;
    match holders.is_empty() {
        true => Err(Fault::Superseded),
        false => Ok(()),
    }
}

/// Commits what has succeeded; rolls back what has failed.
pub(super) async fn end<T>(
    connection: &mut PgConnection,
    done: Result<T, Fault>,
) -> Result<T, Fault> {
    match done {
        Ok(value) => {
            // PostgreSQL that is stopped by a timeout while it waits for its standby answers as if
            // the standby had the commit: so this waits without one, and only we lose patience.
            sqlx::raw_sql("SET LOCAL statement_timeout = 0; COMMIT")
                .execute(connection)
                .await?;
            Ok(value)
        }
        Err(fault) => {
            // Where this fails, the connection is gone, and the transaction with it.
            let _ = sqlx::raw_sql("ROLLBACK").execute(connection).await;
            Err(fault)
        }
    }
}

/// Within a transaction: takes the store over from the server before, whose transactions have all
/// ended then. The epoch of this server.
pub(super) async fn take_over(connection: &mut PgConnection) -> Result<i64, Fault> {
    sqlx::query("INSERT INTO node (node_id, epoch) VALUES ($1, 0) ON CONFLICT DO NOTHING")
        .bind(NODE)
        .execute(&mut *connection)
        .await?;
    // An update alone would not wait: the epoch is no key.
    sqlx::query("SELECT epoch FROM node WHERE node_id = $1 FOR UPDATE")
        .bind(NODE)
        .execute(&mut *connection)
        .await?;
    let epoch =
        sqlx::query_scalar("UPDATE node SET epoch = epoch + 1 WHERE node_id = $1 RETURNING epoch");
    Ok(epoch.bind(NODE).fetch_one(connection).await?)
}
