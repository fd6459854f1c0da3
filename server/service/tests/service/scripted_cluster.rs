//! Nodes of a cluster in one process, over a store in memory and a scripted table of nodes.

use std::{
    collections::HashMap,
    path::Path,
    sync::{Arc, Mutex},
};

use async_trait::async_trait;
use bridgemaster_server::{
    KeepReplays, Limits, NodeConnector, ServerOptions, SharedStore, Storage,
};
use bridgemaster_store::{
    IsLeaderOnly, MatchId, MatchLocation, NodeAddress, NodeIdentity, NodeName, NodeStatus, Nodes,
    OpenMatch, Store, StoreError, StoredNode,
};
use tonic::transport::Endpoint;

use crate::test_server::{TestServer, keeping_one, memory, storage, with_limits};

/// The nodes, in the order in which they lead.
const NAMES: [&str; 3] = ["one", "two", "three"];

/// The shared state of the nodes. Callers find all matches at `one`.
pub(crate) struct Cluster {
    pub(crate) store: Arc<dyn Store>,
    lost: Mutex<Vec<&'static str>>,
    /// The URLs of the servers that have started, by the address of the node.
    urls: Arc<Mutex<HashMap<String, String>>>,
}

impl Cluster {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { store: memory(), lost: Mutex::default(), urls: Arc::default() })
    }

    /// Expires the lease of a node, whose server has ended.
    pub(crate) fn lose(&self, name: &'static str) {
        self.lost.lock().unwrap().push(name);
    }

    fn is_live(&self, name: &&str) -> bool {
        !self.lost.lock().unwrap().contains(name)
    }

    fn leader(&self) -> Option<&'static str> {
        NAMES.into_iter().find(|name| self.is_live(name))
    }

    /// Returns the nodes whose servers have started.
    fn nodes(&self) -> Vec<StoredNode> {
        let urls = self.urls.lock().unwrap();
        let started = NAMES.into_iter();
        let started = started.filter(|name| urls.contains_key(address(name).as_str()));
        let node = |name| StoredNode {
            name: NodeName::new(name).unwrap(),
            address: Some(address(name)),
            epoch: 1,
            lease_left_ms: i64::from(self.is_live(&name)),
            status: NodeStatus::default(),
            is_leader: self.leader() == Some(name),
            matches: 1,
        };
        started.map(node).collect()
    }

    /// Starts the node of this name, with this folder of replays.
    pub(crate) async fn start(
        self: &Arc<Self>,
        name: &'static str,
        replays: Option<&Path>,
    ) -> TestServer {
        self.start_keeping(KeepReplays::All, name, replays).await
    }

    /// Starts a node that keeps this number of replays in the store while it leads.
    pub(crate) async fn start_keeping(
        self: &Arc<Self>,
        keep_replays: KeepReplays,
        name: &'static str,
        replays: Option<&Path>,
    ) -> TestServer {
        // Forces each lookup of a finished match to read the store.
        let limits = keeping_one();
        self.start_with(name, limits, keep_replays, replays).await
    }

    /// Starts a node with these limits.
    pub(crate) async fn start_with(
        self: &Arc<Self>,
        name: &'static str,
        limits: Limits,
        keep_replays: KeepReplays,
        replays: Option<&Path>,
    ) -> TestServer {
        let node = Node { cluster: Arc::clone(self), name };
        let identity =
            NodeIdentity { name: NodeName::new(name).unwrap(), address: Some(address(name)) };
        let storage = Storage {
            keep_replays,
            shared: Some(SharedStore {
                nodes: Arc::new(node),
                identity,
                connector: self.connector(),
            }),
            ..storage(&self.store)
        };
        let server = TestServer::with_options(ServerOptions {
            storage: Some(storage),
            replays: replays.map(Path::to_owned),
            ..with_limits(limits)
        })
        .await;
        let url = server.url.clone();
        self.urls.lock().unwrap().insert(address(name).to_string(), url);
        server
    }

    /// Returns the connector to the servers that run.
    fn connector(&self) -> NodeConnector {
        let urls = Arc::clone(&self.urls);
        Arc::new(move |address| {
            let url = urls.lock().unwrap().get(address).cloned();
            let url = url.ok_or_else(|| format!("{address} does not run"))?;
            Endpoint::from_shared(url).map_err(|error| error.to_string())
        })
    }
}

fn address(name: &str) -> NodeAddress {
    NodeAddress::new(format!("{name}.example:1")).unwrap()
}

/// A node of the cluster.
struct Node {
    cluster: Arc<Cluster>,
    name: &'static str,
}

#[async_trait]
impl Nodes for Node {
    async fn renew_lease(&self, _: NodeStatus) -> Result<(), StoreError> {
        Ok(())
    }

    async fn acquire_leadership(&self) -> Result<bool, StoreError> {
        Ok(self.cluster.leader() == Some(self.name))
    }

    async fn take_over_orphans(&self, _: IsLeaderOnly) -> Result<Vec<OpenMatch>, StoreError> {
        Ok(Vec::new())
    }

    async fn release(&self, _: &[MatchId]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn released_count(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn node_of(&self, id: &MatchId) -> Result<Option<MatchLocation>, StoreError> {
        let open = self.cluster.store.open_match_header(id).await?;
        let mut nodes = self.cluster.nodes().into_iter();
        Ok(open.zip(nodes.next()).map(|(_, node)| MatchLocation { node, is_released: false }))
    }

    async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
        Ok(self.cluster.nodes())
    }
}
