//! One node of a cluster, over a scripted database.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use bridgemaster_server::{Limits, ServerOptions, SharedStore, Storage};
use bridgemaster_store::{
    IsLeaderOnly, MatchId, MatchLocation, NodeAddress, NodeIdentity, NodeName, NodeStatus, Nodes,
    OpenMatch, StoreError, StoredNode,
};
use tokio::sync::watch;

use crate::test_server::{TestServer, memory, storage, with_limits};

/// A scripted database.
pub(crate) struct PlantedNode {
    /// Whether the database is reachable. If not, no lease is renewed.
    is_reached: AtomicBool,
    /// The number of times that orphans were requested.
    polls: watch::Sender<u32>,
    /// A match of a dead node.
    orphan: Mutex<Option<MatchId>>,
    /// Whether there is another live node.
    has_successor: AtomicBool,
    /// The steps of the shutdown.
    steps: Mutex<Vec<ShutdownStep>>,
}

/// A step of a server's shutdown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ShutdownStep {
    /// Released these matches.
    Released(Vec<String>),
    /// The node counted its released matches, of which this number was not taken over yet.
    CountedReleased(u64),
}

impl PlantedNode {
    /// Starts a server that leads, over a scripted database.
    pub(crate) async fn start() -> (TestServer, Arc<Self>) {
        Self::start_with(Limits::default()).await
    }

    /// Starts a server with these limits.
    pub(crate) async fn start_with(limits: Limits) -> (TestServer, Arc<Self>) {
        let planted = Arc::new(Self {
            is_reached: AtomicBool::new(true),
            polls: watch::Sender::new(0),
            orphan: Mutex::new(None),
            has_successor: AtomicBool::new(false),
            steps: Mutex::default(),
        });
        let identity = NodeIdentity {
            name: NodeName::new("planted").unwrap(),
            address: NodeAddress::new("planted.example:1").ok(),
        };
        let storage = Storage {
            shared: Some(SharedStore {
                nodes: Arc::clone(&planted) as _,
                identity,
                connector: Arc::new(|address| Err(format!("cannot reach {address}"))),
            }),
            ..storage(&memory())
        };
        let server = TestServer::with_options(ServerOptions {
            storage: Some(storage),
            ..with_limits(limits)
        });
        (server.await, planted)
    }

    /// Makes the database reachable or unreachable.
    pub(crate) fn set_reachable(&self, is_reached: bool) {
        self.is_reached.store(is_reached, Ordering::Release);
    }

    /// Makes a match an orphan of a dead node.
    pub(crate) fn add_orphan(&self, match_id: &str) {
        *self.orphan.lock().unwrap() = Some(MatchId::new(match_id).unwrap());
    }

    /// Adds another live node, which takes over released matches when they are counted for the next
    /// time.
    pub(crate) fn add_successor(&self) {
        self.has_successor.store(true, Ordering::Release);
    }

    /// Returns the steps of the shutdown.
    pub(crate) fn shutdown_steps(&self) -> Vec<ShutdownStep> {
        self.steps.lock().unwrap().clone()
    }

    fn record(&self, ending: ShutdownStep) {
        self.steps.lock().unwrap().push(ending);
    }

    /// Subscribes to the number of times that orphans were requested.
    pub(crate) fn takeover_polls(&self) -> watch::Receiver<u32> {
        self.polls.subscribe()
    }

    fn reached(&self) -> Result<(), StoreError> {
        match self.is_reached.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err(StoreError::Unreachable {
                database: "planted".to_owned(),
                detail: "the database is unreachable".to_owned(),
            }),
        }
    }
}

#[async_trait]
impl Nodes for PlantedNode {
    async fn renew_lease(&self, _: NodeStatus) -> Result<(), StoreError> {
        self.reached()
    }

    async fn acquire_leadership(&self) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn take_over_orphans(&self, _: IsLeaderOnly) -> Result<Vec<OpenMatch>, StoreError> {
        self.polls.send_modify(|polls| *polls += 1);
        Ok(Vec::new())
    }

    async fn release(&self, ids: &[MatchId]) -> Result<(), StoreError> {
        let ids = ids.iter().map(ToString::to_string).collect();
        self.record(ShutdownStep::Released(ids));
        Ok(())
    }

    async fn released_count(&self) -> Result<u64, StoreError> {
        let left = match self.shutdown_steps().last() {
            Some(ShutdownStep::Released(ids)) => ids.len() as u64,
            _ => 0,
        };
        self.record(ShutdownStep::CountedReleased(left));
        Ok(left)
    }

    async fn node_of(&self, id: &MatchId) -> Result<Option<MatchLocation>, StoreError> {
        let is_left = self.orphan.lock().unwrap().as_ref() == Some(id);
        Ok(is_left.then(|| MatchLocation { node: another("gone", -1), is_released: false }))
    }

    async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
        let has_successor = self.has_successor.load(Ordering::Acquire);
        Ok(has_successor.then(|| another("other", 8_000)).into_iter().collect())
    }
}

fn another(name: &str, lease_left_ms: i64) -> StoredNode {
    StoredNode {
        name: NodeName::new(name).unwrap(),
        address: NodeAddress::new(format!("{name}.example:1")).ok(),
        epoch: 1,
        lease_left_ms,
        is_leader: false,
        matches: 1,
        status: NodeStatus::default(),
    }
}
