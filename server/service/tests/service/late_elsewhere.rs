//! Matches that spectators see late, on servers that share a store: each tells no more than the one
//! that shows the match.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use async_trait::async_trait;
use bridgemaster_proto::v1::{
    CancelMatchRequest, GetMatchRequest, GetReplayRequest, ListMatchesRequest, MatchState,
    WatchMatchRequest,
};
use bridgemaster_server::{KeepReplays, Limits, ServerOptions, SharedStore, Storage};
use bridgemaster_store::{
    IsLed, KeyName, MatchId, MemoryStore, NodeAddress, NodeIdentity, NodeName, NodeOfMatch,
    NodeStanding, Nodes, OpenMatch, Store, StoreError, StoredNode, ToldCursor, ToldMatch, ToldPage,
};
use tokio::time::timeout;
use tonic::Status;

use crate::{
    late_spectators::{AN_HOUR_MS, seen_late},
    raw_bot::reason,
    test_server::{GAMES, PATIENCE, TestServer},
};

/// What all servers know of each other: `one` plays all matches, and leads until it is gone.
struct Cluster {
    store: Arc<dyn Store>,
    one_is_gone: AtomicBool,
}

impl Cluster {
    fn new() -> Arc<Self> {
        Arc::new(Self {
            store: Arc::new(MemoryStore::new()),
            one_is_gone: AtomicBool::new(false),
        })
    }

    fn nodes(&self) -> [StoredNode; 2] {
        let one_is_gone = self.one_is_gone.load(Ordering::Relaxed);
        [("one", !one_is_gone), ("two", true)].map(|(name, is_live)| StoredNode {
            name: NodeName::new(name).unwrap(),
            address: Some(address(name)),
            epoch: 1,
            lease_left_ms: i64::from(is_live),
            standing: NodeStanding::default(),
            leads: (name == "one") != one_is_gone,
            matches: 0,
        })
    }

    /// A server of this name.
    async fn start(self: &Arc<Self>, name: &'static str) -> TestServer {
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
            given_up: Vec::new(),
            keep_replays: KeepReplays::All,
            shared: Some(SharedStore {
                nodes: Arc::new(node),
                identity,
                forward: None,
            }),
        };
        TestServer::with_options(ServerOptions {
            // A finished match is read from the store each time.
            limits: Limits {
                ended_matches_kept: 1,
                ..Limits::default()
            },
            storage: Some(storage),
            ..ServerOptions::default()
        })
        .await
    }
}

fn address(name: &str) -> NodeAddress {
    NodeAddress::new(format!("{name}.example:1")).unwrap()
}

/// A server among them.
struct Node {
    cluster: Arc<Cluster>,
    name: &'static str,
}

#[async_trait]
impl Nodes for Node {
    async fn renew_lease(&self, _: NodeStanding) -> Result<(), StoreError> {
        Ok(())
    }

    async fn withdraw(&self) -> Result<(), StoreError> {
        Ok(())
    }

    async fn lead(&self) -> Result<bool, StoreError> {
        let mut nodes = self.cluster.nodes().into_iter();
        Ok(nodes.any(|node| node.leads && node.name.as_str() == self.name))
    }

    async fn take_orphans(&self, _: IsLed) -> Result<Vec<OpenMatch>, StoreError> {
        Ok(Vec::new())
    }

    async fn release(&self, _: &[MatchId]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn released(&self) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn node_of(&self, id: &MatchId) -> Result<Option<NodeOfMatch>, StoreError> {
        let open = self.cluster.store.open_match_header(id).await?;
        let [node, _] = self.cluster.nodes();
        Ok(open.map(|_| NodeOfMatch {
            node,
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
        Ok(self.cluster.nodes().to_vec())
    }
}

/// What a server answers to those who ask after a match.
async fn answers(server: &TestServer, id: &str) -> Vec<(&'static str, String)> {
    let told = |status: Status| format!("{} {}", reason(&status), status.message());
    let match_id = || id.to_owned();
    let mut matches = server.matches();
    let list = matches.list_matches(ListMatchesRequest::default()).await;
    let listed = list.unwrap().into_inner().matches;
    let is_listed = listed.iter().any(|info| info.match_id == id);
    let get = matches.get_match(GetMatchRequest {
        match_id: match_id(),
        ..GetMatchRequest::default()
    });
    let get = get.await.map(drop).map_err(told);
    let watch = matches.watch_match(WatchMatchRequest {
        match_id: match_id(),
    });
    let watch = watch.await.map(drop).map_err(told);
    let replay = matches.get_replay(GetReplayRequest {
        match_id: match_id(),
        ..GetReplayRequest::default()
    });
    let replay = replay.await.map(drop).map_err(told);
    let cancel = matches.cancel_match(CancelMatchRequest {
        match_id: match_id(),
        ..CancelMatchRequest::default()
    });
    let cancel = cancel.await.map(drop).map_err(told);
    vec![
        ("ListMatches", is_listed.to_string()),
        ("GetMatch", format!("{get:?}")),
        ("WatchMatch", format!("{watch:?}")),
        ("GetReplay", format!("{replay:?}")),
        ("CancelMatch", format!("{cancel:?}")),
    ]
}

/// A match that is seen late, and what `two` answers while it is in play; it has ended now.
async fn played(
    cluster: &Arc<Cluster>,
    [one, two]: [&TestServer; 2],
) -> (String, Vec<(&'static str, String)>) {
    let seated = one.create(seen_late(GAMES[0], AN_HOUR_MS)).await;
    let in_play = answers(two, &seated.match_id).await;
    for bot in [0, 1].map(|seat| one.good_bot(&seated.tickets[seat])) {
        bot.await.unwrap().unwrap();
    }
    let ended = async { while !cluster.store.open_match_ids().await.unwrap().is_empty() {} };
    timeout(PATIENCE, ended).await.expect("it has ended");
    (seated.match_id, in_play)
}

#[tokio::test]
async fn another_server_answers_as_if_a_match_was_in_play_while_its_end_is_not_shown() {
    let cluster = Cluster::new();
    let (mut one, mut two) = (cluster.start("one").await, cluster.start("two").await);
    let (id, in_play) = played(&cluster, [&one, &two]).await;
    assert!(in_play[1].1.contains("MOVED"), "{in_play:?}");
    assert_eq!(answers(&two, &id).await, in_play);
    assert_eq!(one.info(&id).await.state(), MatchState::Waiting);

    for server in [&mut one, &mut two] {
        server.crash().await;
    }
    let (one, two) = (cluster.start("one").await, cluster.start("two").await);
    assert_eq!(answers(&two, &id).await, in_play, "after a restart");
    assert_eq!(one.info(&id).await.state(), MatchState::Waiting);
}

#[tokio::test]
async fn the_server_that_leads_shows_late_what_one_did_that_is_gone() {
    let cluster = Cluster::new();
    let (mut one, two) = (cluster.start("one").await, cluster.start("two").await);
    let (id, _) = played(&cluster, [&one, &two]).await;
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
