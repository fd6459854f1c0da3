//! The connection that renews the lease. It is separate from the write connection, so that slow
//! commits do not delay a renewal.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use tokio::{sync::Mutex, time::timeout};

use super::{
    db_error::DbError,
    node_number::{NodeEpoch, NodeNumber},
    node_rows,
    sessions::{Session, Sessions},
};
use crate::{NodeStatus, StoreError, limits::LEASE_RENEWAL_INTERVAL};

/// Renews the lease of a node.
#[derive(Debug)]
pub(super) struct LeaseRenewer {
    sessions: Sessions,
    node: NodeEpoch,
    /// The number of matches in play, which the writer maintains because counting rows would be
    /// slow.
    matches: Arc<AtomicU64>,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// Not connected; the next renewal connects.
    Idle,
    Connected(Session),
    /// The lease was released, and must not be renewed.
    Stopped,
}

impl LeaseRenewer {
    pub(super) fn new(sessions: Sessions, node: NodeEpoch, matches: Arc<AtomicU64>) -> Self {
        Self {
            sessions,
            node,
            matches,
            state: Mutex::new(State::Idle),
        }
    }

    pub(super) fn node(&self) -> NodeNumber {
        self.node.number
    }

    /// Renews the lease once. The timeout is the interval to the next renewal.
    pub(super) async fn renew(&self, status: NodeStatus) -> Result<(), DbError> {
        let mut state = self.state.lock().await;
        // The session is removed from the state, so that it is not reused if the future is dropped
        // during the renewal.
        let session = match std::mem::replace(&mut *state, State::Idle) {
            State::Stopped => {
                *state = State::Stopped;
                return Err(StoreError::Closed.into());
            }
            State::Connected(session) => Some(session),
            State::Idle => None,
        };
        let renewing = timeout(LEASE_RENEWAL_INTERVAL, async {
            let mut session = match session {
                Some(session) => session,
                None => self.sessions.open().await?,
            };
            let matches = self.matches.load(Ordering::Relaxed);
            node_rows::renew(&mut session.connection, self.node, matches, status).await?;
            Ok(session)
        });
        let session = renewing.await.unwrap_or(Err(DbError::Timeout))?;
        *state = State::Connected(session);
        Ok(())
    }

    /// Stops all further renewals.
    pub(super) async fn stop(&self) {
        let mut state = self.state.lock().await;
        if let State::Connected(session) = std::mem::replace(&mut *state, State::Stopped) {
            // If this fails, the connection is already closed.
            let _ = session.close().await;
        }
    }
}
