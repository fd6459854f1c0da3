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
use bridgemaster_proto::v1::{
    GetMatchRequest, GetReplayRequest, ListMatchesRequest, MatchState, WatchMatchRequest,
};
use bridgemaster_server::{
    KeepReplays, Limits, NodeConnector, ServerOptions, SharedStore, Storage,
};
use bridgemaster_store::{
    IsLeaderOnly, MatchId, MatchLocation, MemoryStore, NodeAddress, NodeIdentity, NodeName,
    NodeStatus, Nodes, OpenMatch, Store, StoreError, StoredNode,
};
use tokio::time::timeout;
use tonic::{Status, transport::Endpoint};

use crate::{
    delayed_spectators::{AN_HOUR_MS, with_delay},
    raw_bot::reason,
    test_server::{GAMES, PATIENCE, TestServer},
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
            store: Arc::new(MemoryStore::new()),
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
            store: Arc::clone(&self.store),
            dropped_matches: Vec::new(),
            keep_replays,
            shared: Some(SharedStore {
                nodes: Arc::new(node),
                identity,
                connector: self.connector(),
            }),
        };
        let server = TestServer::with_options(ServerOptions {
            // Forces each lookup of a finished match to read the store.
            limits: Limits {
                ended_matches_kept: 1,
                ..Limits::default()
            },
            storage: Some(storage),
            replays: replays.map(Path::to_owned),
            ..ServerOptions::default()
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
    let match_id = || id.to_owned();
    let mut matches = server.matches();
    let list = matches.list_matches(ListMatchesRequest::default()).await;
    let listed = list.unwrap().into_inner().matches;
    let is_listed = listed.iter().any(|info| info.match_id == id);
    let get = matches.get_match(GetMatchRequest {
        match_id: match_id(),
        ..GetMatchRequest::default()
    });
    let get = get.await.map(drop).map_err(text);
    let watch = matches.watch_match(WatchMatchRequest {
        match_id: match_id(),
    });
    let watch = watch.await.map(drop).map_err(text);
    let replay = matches.get_replay(GetReplayRequest {
        match_id: match_id(),
        ..GetReplayRequest::default()
    });
    let replay = replay.await.map(drop).map_err(text);
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
    for bot in [0, 1].map(|seat| one.good_bot(&seated.tickets[seat])) {
        bot.await.unwrap().unwrap();
    }
    let ended = async { while !cluster.store.open_match_ids().await.unwrap().is_empty() {} };
    timeout(PATIENCE, ended).await.expect("it has ended");
    (seated.match_id, in_play)
}

#[tokio::test]
async fn another_node_hides_the_end_of_a_match_until_it_is_visible() {
    let cluster = Cluster::new();
    let (mut one, mut two) = (
        cluster.start("one", None).await,
        cluster.start("two", None).await,
    );
    let (id, in_play) = play_delayed(&cluster, [&one, &two]).await;
    assert_eq!(in_play[0].1, "true", "every node lists it");
    assert_eq!(in_play[1].1, "Ok(())", "the call is forwarded");
    for server in [&one, &two] {
        assert_eq!(answers(server, &id).await, in_play);
    }
    assert_eq!(one.info(&id).await.state(), MatchState::Waiting);

    for server in [&mut one, &mut two] {
        server.crash().await;
    }
    let (one, two) = (
        cluster.start("one", None).await,
        cluster.start("two", None).await,
    );
    for server in [&one, &two] {
        assert_eq!(answers(server, &id).await, in_play, "after a restart");
    }
    assert_eq!(one.info(&id).await.state(), MatchState::Waiting);
}

#[tokio::test]
async fn the_leader_takes_over_delayed_views_of_a_lost_node() {
    let cluster = Cluster::new();
    let (mut one, two) = (
        cluster.start("one", None).await,
        cluster.start("two", None).await,
    );
    let (id, _) = play_delayed(&cluster, [&one, &two]).await;
    one.crash().await;
    cluster.one_is_gone.store(true, Ordering::Relaxed);
    let shown = async {
        loop {
            let get = GetMatchRequest {
                match_id: id.clone(),
                ..GetMatchRequest::default()
            };
            match two.matches().get_match(get).await {
                Ok(info) => return info.into_inner().r#match.unwrap(),
                Err(refused) => assert_eq!(reason(&refused), "NODE_SUPERSEDED"),
            }
        }
    };
    let shown = timeout(PATIENCE, shown).await.expect("it is taken in");
    assert_eq!(shown.state(), MatchState::Waiting);
    assert_eq!(answers(&two, &id).await[0].1, "true", "it is listed");
}
