//! One server of a cluster, whose database says what a test wants.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use bridgemaster_server::{KeepReplays, Limits, ServerOptions, SharedStore, Storage};
use bridgemaster_store::{
    IsLed, KeyName, MatchId, MemoryStore, NodeAddress, NodeIdentity, NodeName, NodeStanding, Nodes,
    OpenMatch, StoreError, StoredNode, ToldCursor, ToldMatch, ToldPage,
};
use tokio::sync::watch;

use crate::test_server::TestServer;

/// What the database says to the server.
pub(crate) struct PlantedNode {
    /// Whether it is reached: else no lease is renewed.
    is_reached: AtomicBool,
    /// How often it was asked for what other servers left.
    looks: watch::Sender<u32>,
    is_withdrawn: AtomicBool,
    /// A match of a server that is gone.
    left: Mutex<Option<MatchId>>,
}

impl PlantedNode {
    /// A server that leads, and what its database says to it.
    pub(crate) async fn start() -> (TestServer, Arc<Self>) {
        let planted = Arc::new(Self {
            is_reached: AtomicBool::new(true),
            looks: watch::Sender::new(0),
            is_withdrawn: AtomicBool::new(false),
            left: Mutex::new(None),
        });
        let identity = NodeIdentity {
            name: NodeName::new("planted").unwrap(),
            address: NodeAddress::new("planted.example:1").ok(),
        };
        let storage = Storage {
            store: Arc::new(MemoryStore::new()),
            given_up: Vec::new(),
            keep_replays: KeepReplays::All,
            shared: Some(SharedStore {
                nodes: Arc::clone(&planted) as _,
                identity,
                forward: None,
            }),
        };
        let server = TestServer::with_options(ServerOptions {
            limits: Limits::default(),
            storage: Some(storage),
            ..ServerOptions::default()
        });
        (server.await, planted)
    }

    /// Has the database not be reached, or be reached again.
    pub(crate) fn is_reached(&self, is_reached: bool) {
        self.is_reached.store(is_reached, Ordering::Release);
    }

    /// Has a match be one of a server that is gone.
    pub(crate) fn leaves(&self, match_id: &str) {
        *self.left.lock().unwrap() = Some(MatchId::new(match_id).unwrap());
    }

    /// How often the server has looked for what others left, as that changes.
    pub(crate) fn looks(&self) -> watch::Receiver<u32> {
        self.looks.subscribe()
    }

    /// Whether nobody is sent to the server any more.
    pub(crate) fn is_withdrawn(&self) -> bool {
        self.is_withdrawn.load(Ordering::Acquire)
    }

    fn reached(&self) -> Result<(), StoreError> {
        match self.is_reached.load(Ordering::Acquire) {
            true => Ok(()),
            false => Err(StoreError::Unreachable {
                database: "planted".to_owned(),
                detail: "it is cut off".to_owned(),
            }),
        }
    }
}

#[async_trait]
impl Nodes for PlantedNode {
    async fn renew_lease(&self, _: NodeStanding) -> Result<(), StoreError> {
        self.reached()
    }

    async fn withdraw(&self) -> Result<(), StoreError> {
        self.is_withdrawn.store(true, Ordering::Release);
        Ok(())
    }

    async fn lead(&self) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn take_orphans(&self, _: IsLed) -> Result<Vec<OpenMatch>, StoreError> {
        self.looks.send_modify(|looks| *looks += 1);
        Ok(Vec::new())
    }

    async fn node_of(&self, id: &MatchId) -> Result<Option<StoredNode>, StoreError> {
        let is_left = self.left.lock().unwrap().as_ref() == Some(id);
        Ok(is_left.then(|| StoredNode {
            name: NodeName::new("gone").unwrap(),
            address: NodeAddress::new("gone.example:1").ok(),
            epoch: 1,
            lease_left_ms: -1,
            leads: false,
            matches: 1,
            standing: NodeStanding::default(),
        }))
    }

    async fn tell(&self, _: &[ToldMatch]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn told_elsewhere(
        &self,
        _: &ToldCursor,
        _: u32,
        _: Option<&KeyName>,
    ) -> Result<ToldPage, StoreError> {
        Ok(ToldPage::default())
    }

    async fn sweep_told(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
        Ok(Vec::new())
    }
}
