//! The connection that renews the lease: one of its own, so that no slow commit delays it.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use sqlx::{Connection as _, PgConnection};
use tokio::{sync::Mutex, time::timeout};

use super::{
    address::Address,
    failure::Fault,
    node_number::{HeldNode, NodeNumber},
    node_rows,
};
use crate::{NodeStanding, StoreError, limits::LEASE_RENEWAL};

/// Renews the lease of a node.
#[derive(Debug)]
pub(super) struct Pulse {
    address: Address,
    node: HeldNode,
    /// Matches in play, as the writer counts them: the database would count row by row.
    matches: Arc<AtomicU64>,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// To be connected when it is needed.
    Idle,
    Connected(PgConnection),
    /// A lease that was given up is not renewed.
    Stopped,
}

impl Pulse {
    pub(super) fn new(address: Address, node: HeldNode, matches: Arc<AtomicU64>) -> Self {
        Self {
            address,
            node,
            matches,
            state: Mutex::new(State::Idle),
        }
    }

    /// The node whose lease it is.
    pub(super) fn node(&self) -> NodeNumber {
        self.node.number
    }

    /// The same, in the epoch in which this server holds it.
    pub(super) fn held(&self) -> HeldNode {
        self.node
    }

    /// Renews it once. A try takes no longer than the time to the next.
    pub(super) async fn renew(&self, standing: NodeStanding) -> Result<(), Fault> {
        let mut state = self.state.lock().await;
        // One that is dropped half way is not gone on with.
        let connection = match std::mem::replace(&mut *state, State::Idle) {
            State::Stopped => {
                *state = State::Stopped;
                return Err(StoreError::Closed.into());
            }
            State::Connected(connection) => Some(connection),
            State::Idle => None,
        };
        let renewing = timeout(LEASE_RENEWAL, async {
            let mut connection = match connection {
                Some(connection) => connection,
                None => self.address.connect().await?,
            };
            let matches = self.matches.load(Ordering::Relaxed);
            node_rows::renew(&mut connection, self.node, matches, standing).await?;
            Ok(connection)
        });
        let connection = renewing.await.unwrap_or(Err(Fault::NoAnswer))?;
        *state = State::Connected(connection);
        Ok(())
    }

    /// Renews it no more.
    pub(super) async fn stop(&self) {
        let mut state = self.state.lock().await;
        if let State::Connected(connection) = std::mem::replace(&mut *state, State::Stopped) {
            // Where this fails, the connection is gone.
            let _ = connection.close().await;
        }
    }
}
