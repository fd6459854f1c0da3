//! The connections that flush commits which were made by another one.
//!
//! A flush is a transaction that writes next to nothing, and is flushed as this server's commits are
//! to be: to the disk, and to the standby if the database waits for one. The log of PostgreSQL has
//! an order, and a commit is in it before any transaction sees it. So what a flush has seen is flushed
//! with it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_lease::Flushed;
use parking_lot::Mutex;
use sqlx::{Connection as _, PgConnection};
use tokio::{sync::Semaphore, time::timeout};

use super::{
    address::Address, failure::Fault, link::Patience, node_number::HeldNode, unflushed::Unflushed,
};
use crate::{
    StoreError,
    limits::{POSTGRES_CONNECT_TIMEOUT, POSTGRES_FLUSHERS, POSTGRES_TRY_TIMEOUT},
};

/// Flushes the commits of a server.
#[derive(Debug)]
pub(super) struct Flushers {
    address: Address,
    node: HeldNode,
    unflushed: Arc<Unflushed>,
    /// Connections that may flush; closed with the store.
    free: Semaphore,
    /// Those that do nothing now.
    idle: Mutex<Vec<PgConnection>>,
}

impl Flushers {
    pub(super) fn new(address: Address, node: HeldNode, unflushed: Arc<Unflushed>) -> Self {
        Self {
            address,
            node,
            unflushed,
            free: Semaphore::new(POSTGRES_FLUSHERS),
            idle: Mutex::default(),
        }
    }

    /// Flushes the commit of a number, and all before it. While the database is away, it is tried
    /// again. Whether it was there: a crash may have lost it.
    pub(super) async fn flush(&self, number: i64) -> Result<bool, Fault> {
        let mut patience = Patience::default();
        loop {
            let tried = timeout(POSTGRES_TRY_TIMEOUT, self.attempt(number)).await;
            let tried = tried.unwrap_or(Err(Fault::NoAnswer));
            // By another flush meanwhile, or by a later commit.
            if self.unflushed.is_flushed(number) {
                return Ok(true);
            }
            match tried {
                Ok(Flushed::UpTo(_)) => return Ok(true),
                Ok(Flushed::Missing) => return Ok(false),
                Ok(Flushed::Superseded) => return Err(Fault::Superseded),
                Err(fault) => patience.after(fault).await?,
            }
        }
    }

    /// Whether a finished match of this number is known to be flushed.
    pub(super) fn is_finished_flushed(&self, number: i64) -> bool {
        self.unflushed.is_finished_flushed(number)
    }

    /// Flushes what any transaction has seen.
    pub(super) async fn flush_all(&self) -> Result<(), Fault> {
        let flushed = timeout(POSTGRES_CONNECT_TIMEOUT, self.attempt(0)).await;
        flushed.unwrap_or(Err(Fault::NoAnswer))?;
        Ok(())
    }

    async fn attempt(&self, number: i64) -> Result<Flushed, Fault> {
        let free = self.free.acquire().await;
        let _free = free.map_err(|_| Fault::Told(StoreError::Closed))?;
        if self.unflushed.is_flushed(number) && number > 0 {
            return Ok(Flushed::UpTo(number));
        }
        let idle = self.idle.lock().pop();
        let reused = match idle {
            Some(connection) => self.write(connection).await.ok(),
            None => None,
        };
        let (connection, seen, time) = match reused {
            Some(done) => done,
            None => {
                // Where one has failed, the others have too.
                self.idle.lock().clear();
                self.write(self.connect().await?).await?
            }
        };
        self.unflushed.took(time);
        self.unflushed.finished_flushed(seen.finished);
        let flushed = Flushed::of(number, seen.newest);
        if let Flushed::UpTo(newest) = flushed {
            self.unflushed.flushed(newest);
        }
        self.idle.lock().push(connection);
        Ok(flushed)
    }

    async fn connect(&self) -> Result<PgConnection, Fault> {
        let mut connection = self.address.connect().await?;
        // As at the end of a commit: PostgreSQL that is stopped while it waits for its standby answers
        // as if the standby had all.
        sqlx::raw_sql("SET statement_timeout = 0")
            .execute(&mut connection)
            .await?;
        Ok(connection)
    }

    /// Makes the transaction: one statement, which sees all as it is at one moment. A connection
    /// that fails is not gone on with.
    async fn write(
        &self,
        mut connection: PgConnection,
    ) -> Result<(PgConnection, Seen, Duration), Fault> {
        let begun = Instant::now();
        let HeldNode { number, epoch } = self.node;
        // Without something written there would be nothing to be flushed.
        let (newest, is_ours, finished, _): (Option<i64>, bool, Option<i64>, bool) =
            sqlx::query_as(
                "SELECT (SELECT max(batch) FROM journal WHERE batch > $1 AND batch <= $2),
                     EXISTS (SELECT 1 FROM node WHERE number = $3 AND epoch = $4),
                     (SELECT last FROM given_number WHERE of_table = 'finished_match'),
                     pg_logical_emit_message(true, 'bridgemaster', '') IS NOT NULL",
            )
            .bind(number.base())
            .bind(number.last())
            .bind(number.get())
            .bind(epoch)
            .fetch_one(&mut connection)
            .await?;
        let seen = Seen {
            newest: is_ours.then(|| newest.unwrap_or(number.base())),
            finished: finished.unwrap_or_default(),
        };
        Ok((connection, seen, begun.elapsed()))
    }

    /// Flushes nothing any more.
    pub(super) async fn close(&self) {
        self.free.close();
        let idle = std::mem::take(&mut *self.idle.lock());
        for connection in idle {
            // Where this fails, the connection is gone.
            let _ = connection.close().await;
        }
    }
}

/// What a flush has seen, which is flushed with it.
struct Seen {
    /// The newest commit of the node; `None` if the node is in another epoch.
    newest: Option<i64>,
    /// The highest number of a finished match.
    finished: i64,
}
