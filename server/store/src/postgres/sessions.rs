//! Sessions of a server at PostgreSQL, and the termination of abandoned ones.
//!
//! If a connection fails or a statement times out, PostgreSQL does not necessarily notice. The
//! session then remains, waits for locks, and may still commit. So each new connection terminates
//! the sessions that were abandoned earlier.

use std::sync::{Arc, atomic::AtomicU64};

use parking_lot::Mutex;
use sqlx::{Connection as _, PgConnection};

use super::address::Address;
use crate::db_error::DbError;

/// Time in which PostgreSQL checks whether a terminated session has ended, in ms.
const TERMINATION_WAIT_MS: i64 = 500;

/// The unique `application_name` of a session. A process id would not suffice: a connection pooler
/// may reset a session and then give its process to another client.
type SessionTag = String;

type AbandonedSessions = Arc<Mutex<Vec<SessionTag>>>;

/// Opens the sessions of a server that must not outlive their use.
#[derive(Clone, Debug)]
pub(super) struct Sessions {
    address: Address,
    /// Abandoned sessions that may not have ended yet.
    abandoned: AbandonedSessions,
    /// The number of operations that were repeated after a failure.
    retries: Arc<AtomicU64>,
}

/// An open session. It counts as abandoned if it is dropped without being closed.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) connection: PgConnection,
    guard: AbandonmentGuard,
}

#[derive(Debug)]
struct AbandonmentGuard {
    tag: Option<SessionTag>,
    abandoned: AbandonedSessions,
}

impl Drop for AbandonmentGuard {
    fn drop(&mut self) {
        self.abandoned.lock().extend(self.tag.take());
    }
}

impl Sessions {
    pub(super) fn new(address: Address) -> Self {
        Self { address, abandoned: Arc::default(), retries: Arc::default() }
    }

    /// Returns the counter of operations that were repeated after a failure.
    pub(super) fn retries(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.retries)
    }

    /// Opens a session, and terminates the abandoned ones without waiting for their end.
    pub(super) async fn open(&self) -> Result<Session, DbError> {
        let mut session = self.adopt(self.address.connect().await?).await?;
        self.terminate_abandoned(&mut session, 0).await?;
        Ok(session)
    }

    /// Opens a session after all abandoned ones have ended, so that none of them can commit any
    /// more.
    pub(super) async fn open_after_abandoned(&self) -> Result<Session, DbError> {
        // All sessions are signalled before the first one is awaited.
        let mut session = self.open().await?;
        while self.terminate_abandoned(&mut session, TERMINATION_WAIT_MS).await? {}
        Ok(session)
    }

    /// Turns a connection into a session, by appending a random number to its `application_name`,
    /// which is limited to 63 characters.
    pub(super) async fn adopt(&self, mut connection: PgConnection) -> Result<Session, DbError> {
        let tag: SessionTag = sqlx::query_scalar(
            "SELECT set_config('application_name',
                 left(current_setting('application_name'), 30) || ' '
                     || encode(uuid_send(gen_random_uuid()), 'hex'), false)",
        )
        .fetch_one(&mut connection)
        .await?;
        let guard = AbandonmentGuard { tag: Some(tag), abandoned: Arc::clone(&self.abandoned) };
        Ok(Session { connection, guard })
    }

    /// Terminates the abandoned sessions, and waits up to `wait_ms` for the end of each. Returns
    /// whether any remains.
    async fn terminate_abandoned(
        &self,
        session: &mut Session,
        wait_ms: i64,
    ) -> Result<bool, DbError> {
        let abandoned = self.abandoned.lock().clone();
        if abandoned.is_empty() {
            return Ok(false);
        }
        // The function is called in the SELECT list, since PostgreSQL might skip a call in the
        // WHERE clause. A session that ends before the call is reported as remaining; the next
        // statement finds that it has ended.
        let found: Vec<(SessionTag, bool)> = sqlx::query_as(
            "SELECT application_name, pg_terminate_backend(pid, $2) FROM pg_stat_activity
             WHERE application_name = ANY ($1) AND pid <> pg_backend_pid()",
        )
        .bind(&abandoned)
        .bind(wait_ms)
        .fetch_all(&mut session.connection)
        .await?;
        // Without a wait, the result only means that the session was signalled.
        let remaining = found.into_iter().filter(|(_, has_ended)| !has_ended || wait_ms == 0);
        let remaining: Vec<SessionTag> = remaining.map(|(tag, _)| tag).collect();
        let has_ended = |tag: &SessionTag| abandoned.contains(tag) && !remaining.contains(tag);
        self.abandoned.lock().retain(|tag| !has_ended(tag));
        Ok(!remaining.is_empty())
    }
}

impl Session {
    /// Closes the connection. If this fails, the session counts as abandoned.
    pub(super) async fn close(mut self) -> Result<(), DbError> {
        self.connection.close().await?;
        self.guard.tag = None;
        Ok(())
    }
}
