//! Delayed matches in a cluster: no node reveals more than the one that serves the delayed view.

use std::{
    collections::HashMap,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use async_trait::async_trait;
use bridgemaster_proto::v1::MatchState;
use bridgemaster_server::{KeepReplays, NodeConnector, ServerOptions, SharedStore, Storage};
use bridgemaster_store::{
    IsLeaderOnly, MatchId, MatchLocation, NodeAddress, NodeIdentity, NodeName, NodeStatus, Nodes,
    OpenMatch, Store, StoreError, StoredNode,
};
use tonic::{Status, transport::Endpoint};

use crate::{
    delayed_law::AN_HOUR_MS,
    streams::{outcome, reason, until},
    test_server::{GAMES, TestServer, keeping_one, memory, storage, with_delay, with_limits},
};

/// The shared state of the nodes. `one` plays all matches and leads until it is gone.
pub(crate) struct Cluster {
    pub(crate) store: Arc<dyn Store>,
    one_is_gone: AtomicBool,
    /// The URLs of the servers that have started, by the address of the node.
    urls: Arc<Mutex<HashMap<String, String>>>,
}

impl Cluster {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self {
            store: memory(),
            one_is_gone: AtomicBool::new(false),
            urls: Arc::default(),
        })
    }

    fn nodes(&self) -> [StoredNode; 2] {
        let one_is_gone = self.one_is_gone.load(Ordering::Relaxed);
        [("one", !one_is_gone), ("two", true)].map(|(name, is_live)| StoredNode {
            name: NodeName::new(name).unwrap(),
            address: Some(address(name)),
            epoch: 1,
            lease_left_ms: i64::from(is_live),
            status: NodeStatus::default(),
            is_leader: (name == "one") != one_is_gone,
            matches: 0,
        })
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
        let node = Node {
            cluster: Arc::clone(self),
            name,
        };
        let identity = NodeIdentity {
            name: NodeName::new(name).unwrap(),
            address: Some(address(name)),
        };
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
            // Forces each lookup of a finished match to read the store.
            ..with_limits(keeping_one())
        })
        .await;
        let url = server.url.clone();
        self.urls
            .lock()
            .unwrap()
            .insert(address(name).to_string(), url);
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
        let mut nodes = self.cluster.nodes().into_iter();
        Ok(nodes.any(|node| node.is_leader && node.name.as_str() == self.name))
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
        let [node, _] = self.cluster.nodes();
        Ok(open.map(|_| MatchLocation {
            node,
            is_released: false,
        }))
    }

    async fn nodes(&self) -> Result<Vec<StoredNode>, StoreError> {
        Ok(self.cluster.nodes().to_vec())
    }
}

/// Returns the results of calls for a match.
async fn answers(server: &TestServer, id: &str) -> Vec<(&'static str, String)> {
    let text = |status: Status| format!("{} {}", reason(&status), status.message());
    let listed = server.list().await.unwrap();
    let is_listed = listed.iter().any(|listed| listed == id);
    let get = server.try_info(id).await.map(drop).map_err(text);
    let watch = server.watch(id).await.map(drop).map_err(text);
    let replay = server.replay(id).await.map(drop).map_err(text);
    vec![
        ("ListMatches", is_listed.to_string()),
        ("GetMatch", format!("{get:?}")),
        ("WatchMatch", format!("{watch:?}")),
        ("GetReplay", format!("{replay:?}")),
    ]
}

/// Plays a delayed match to its end, and returns the results of `two` while it was in play.
async fn play_delayed(
    cluster: &Arc<Cluster>,
    [one, two]: [&TestServer; 2],
) -> (String, Vec<(&'static str, String)>) {
    let seated = one.create(with_delay(GAMES[0], AN_HOUR_MS)).await;
    let in_play = answers(two, &seated.match_id).await;
    one.play(&seated).await;
    until("it has ended", async || {
        cluster.store.open_match_ids().await.unwrap().is_empty()
    })
    .await;
    (seated.match_id, in_play)
}

#[tokio::test]
async fn another_node_hides_the_end_of_a_match_until_it_is_visible() {
    let cluster = Cluster::new();
    let mut one = cluster.start("one", None).await;
    let mut two = cluster.start("two", None).await;
    let (id, in_play) = play_delayed(&cluster, [&one, &two]).await;
    assert_eq!(in_play[0].1, "true", "every node lists it");
    assert_eq!(in_play[1].1, "Ok(())", "the call is forwarded");
    for is_restarted in [false, true] {
        if is_restarted {
            for server in [&mut one, &mut two] {
                server.crash().await;
            }
            one = cluster.start("one", None).await;
            two = cluster.start("two", None).await;
        }
        for server in [&one, &two] {
            assert_eq!(answers(server, &id).await, in_play, "{is_restarted}");
        }
        assert_eq!(one.info(&id).await.state(), MatchState::Waiting);
    }
}

#[tokio::test]
async fn the_leader_takes_over_delayed_views_of_a_lost_node() {
    let cluster = Cluster::new();
    let mut one = cluster.start("one", None).await;
    let two = cluster.start("two", None).await;
    let (id, _) = play_delayed(&cluster, [&one, &two]).await;
    one.crash().await;
    cluster.one_is_gone.store(true, Ordering::Relaxed);
    until("it is taken in", async || {
        let got = outcome(two.try_info(&id).await);
        assert!(got == "OK" || got == "NODE_SUPERSEDED", "{got}");
        got == "OK"
    })
    .await;
    assert_eq!(two.info(&id).await.state(), MatchState::Waiting);
    assert_eq!(answers(&two, &id).await[0].1, "true", "it is listed");
}
