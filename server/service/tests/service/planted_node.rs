//! One server of a cluster, whose database says what a test wants.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use bridgemaster_server::{KeepReplays, Limits, ServerOptions, SharedStore, Storage};
use bridgemaster_store::{
    IsLed, KeyName, MatchId, MemoryStore, NodeAddress, NodeIdentity, NodeName, NodeOfMatch,
    NodeStanding, Nodes, OpenMatch, StoreError, StoredNode, ToldCursor, ToldMatch, ToldPage,
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
    /// Whether there is another server.
    has_other: AtomicBool,
    /// What the server did as it ended.
    ending: Mutex<Vec<Ending>>,
}

/// What a server does as it ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// It releases these matches.
    Releases(Vec<String>),
    /// It asks whether what it has released is taken, and this much is not.
    Asks(u64),
    /// Nobody is sent to it any more.
    Withdraws,
}

impl PlantedNode {
    /// A server that leads, and what its database says to it.
    pub(crate) async fn start() -> (TestServer, Arc<Self>) {
        Self::start_with(Limits::default()).await
    }

    /// The same with these limits.
    pub(crate) async fn start_with(limits: Limits) -> (TestServer, Arc<Self>) {
        let planted = Arc::new(Self {
            is_reached: AtomicBool::new(true),
            looks: watch::Sender::new(0),
            is_withdrawn: AtomicBool::new(false),
            left: Mutex::new(None),
            has_other: AtomicBool::new(false),
            ending: Mutex::default(),
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
            limits,
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

    /// Has there be another server, which takes over what this one releases when it is asked after it
    /// once more.
    pub(crate) fn has_other(&self) {
        self.has_other.store(true, Ordering::Release);
    }

    /// What the server did as it ended.
    pub(crate) fn ending(&self) -> Vec<Ending> {
        self.ending.lock().unwrap().clone()
    }

    fn does(&self, ending: Ending) {
        self.ending.lock().unwrap().push(ending);
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
        self.does(Ending::Withdraws);
        Ok(())
    }

    async fn lead(&self) -> Result<bool, StoreError> {
        Ok(true)
    }

    async fn take_orphans(&self, _: IsLed) -> Result<Vec<OpenMatch>, StoreError> {
        self.looks.send_modify(|looks| *looks += 1);
        Ok(Vec::new())
    }

    async fn release(&self, ids: &[MatchId]) -> Result<(), StoreError> {
        let ids = ids.iter().map(ToString::to_string).collect();
        self.does(Ending::Releases(ids));
        Ok(())
    }

    async fn released(&self) -> Result<u64, StoreError> {
        let left = match self.ending().last() {
            Some(Ending::Releases(ids)) => ids.len() as u64,
            _ => 0,
        };
        self.does(Ending::Asks(left));
        Ok(left)
    }

    async fn node_of(&self, id: &MatchId) -> Result<Option<NodeOfMatch>, StoreError> {
        let is_left = self.left.lock().unwrap().as_ref() == Some(id);
        Ok(is_left.then(|| NodeOfMatch {
            node: another("gone", -1),
            is_released: false,
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
        let has_other = self.has_other.load(Ordering::Acquire);
        Ok(has_other
            .then(|| another("other", 8_000))
            .into_iter()
            .collect())
    }
}

fn another(name: &str, lease_left_ms: i64) -> StoredNode {
    StoredNode {
        name: NodeName::new(name).unwrap(),
        address: NodeAddress::new(format!("{name}.example:1")).ok(),
        epoch: 1,
        lease_left_ms,
        leads: false,
        matches: 1,
        standing: NodeStanding::default(),
    }
}
