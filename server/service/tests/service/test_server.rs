//! A server of the test's own, and matches on it.

use std::{net::SocketAddr, sync::Arc, time::Duration};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    self, ClockRules, CreateMatchRequest, GameConfig, GetMatchRequest, GetReplayRequest,
    MatchConfig, MatchInfo, MatchResult, Replay, catalog_service_client::CatalogServiceClient,
    match_service_client::MatchServiceClient, play_service_client::PlayServiceClient,
};
use bridgemaster_sdk::{Options, PlayError};
use bridgemaster_server::{KeepReplays, Limits, ServeError, Server, ServerOptions, Storage};
use bridgemaster_store::{MemoryStore, Store};
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard};
use tonic::{Status, transport::Channel};

/// Longest time that a test waits for anything.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// Games that every test by parameter plays.
pub(crate) const GAMES: &[&str] = bridgemaster_games::GAME_IDS;

/// A running server.
pub(crate) struct TestServer {
    pub(crate) url: String,
    pub(crate) channel: Channel,
    /// Where the metrics are.
    pub(crate) metrics: SocketAddr,
    /// Where the page is.
    pub(crate) page: SocketAddr,
    pub(crate) stop: CancellationToken,
    pub(crate) drain: CancellationToken,
    pub(crate) running: JoinHandle<Result<(), ServeError>>,
    _stop_at_end: DropGuard,
}

/// A match on it.
pub(crate) struct Seated {
    pub(crate) match_id: String,
    pub(crate) tickets: Vec<String>,
}

impl TestServer {
    pub(crate) async fn open() -> Self {
        Self::with_limits(Limits::default()).await
    }

    pub(crate) async fn with_limits(limits: Limits) -> Self {
        let options = ServerOptions {
            limits,
            ..ServerOptions::default()
        };
        Self::with_options(options).await
    }

    /// A server whose matches are kept in `store`.
    pub(crate) async fn over(store: &Arc<dyn Store>, limits: Limits) -> Self {
        let storage = Storage {
            store: Arc::clone(store),
            given_up: Vec::new(),
            keep_replays: KeepReplays::All,
            shared: None,
        };
        Self::with_options(ServerOptions {
            limits,
            storage: Some(storage),
            ..ServerOptions::default()
        })
        .await
    }

    /// A server without a store, and one with: that one has a finished match in its store alone once
    /// another one has ended.
    pub(crate) async fn without_and_with_store() -> [Self; 2] {
        let limits = Limits {
            ended_matches_kept: 1,
            ..Limits::default()
        };
        let store: Arc<dyn Store> = Arc::new(MemoryStore::new());
        [Self::open().await, Self::over(&store, limits).await]
    }

    pub(crate) async fn with_options(mut options: ServerOptions) -> Self {
        let free: SocketAddr = "127.0.0.1:0".parse().unwrap();
        options.metrics = Some(free);
        let mut server = Server::bind(free, options).await.unwrap();
        let names = vec!["bridge.example".to_owned()];
        let page = server.open_page(free, names).await.unwrap();
        let url = format!("http://{}", server.local_addr());
        let metrics = server.metrics_addr().unwrap();
        let stop = CancellationToken::new();
        let drain = CancellationToken::new();
        let running = tokio::spawn(server.run_and_drain(drain.clone(), stop.clone()));
        Self {
            channel: Channel::from_shared(url.clone())
                .unwrap()
                .connect()
                .await
                .unwrap(),
            url,
            metrics,
            page,
            _stop_at_end: stop.clone().drop_guard(),
            stop,
            drain,
            running,
        }
    }

    /// Ends the server as a crash does: nothing is stored any more, and nobody is told.
    pub(crate) async fn crash(&mut self) {
        self.running.abort();
        let ended = (&mut self.running).await;
        assert!(ended.is_err_and(|error| error.is_cancelled()));
    }

    pub(crate) fn matches(&self) -> MatchServiceClient<Channel> {
        MatchServiceClient::new(self.channel.clone())
    }

    pub(crate) fn catalog(&self) -> CatalogServiceClient<Channel> {
        CatalogServiceClient::new(self.channel.clone())
    }

    /// A connection of its own, as each bot process has one.
    pub(crate) async fn player(&self) -> PlayServiceClient<Channel> {
        let channel = Channel::from_shared(self.url.clone()).unwrap();
        PlayServiceClient::new(channel.connect().await.unwrap())
    }

    pub(crate) async fn try_create(&self, config: MatchConfig) -> Result<Seated, Status> {
        let created = self
            .matches()
            .create_match(CreateMatchRequest {
                config: Some(config),
                ..CreateMatchRequest::default()
            })
            .await?
            .into_inner();
        Ok(Seated {
            match_id: created.r#match.unwrap().match_id,
            tickets: created.tickets.into_iter().map(|t| t.ticket).collect(),
        })
    }

    pub(crate) async fn create(&self, config: MatchConfig) -> Seated {
        self.try_create(config).await.unwrap()
    }

    pub(crate) async fn info(&self, match_id: &str) -> MatchInfo {
        let request = GetMatchRequest {
            match_id: match_id.to_owned(),
            ..GetMatchRequest::default()
        };
        let response = self.matches().get_match(request).await.unwrap();
        response.into_inner().r#match.unwrap()
    }

    /// The result, once the match has ended.
    pub(crate) async fn result(&self, match_id: &str) -> MatchResult {
        let mut news = self
            .matches()
            .watch_match(v1::WatchMatchRequest {
                match_id: match_id.to_owned(),
            })
            .await
            .unwrap()
            .into_inner();
        tokio::time::timeout(PATIENCE, async {
            while let Some(message) = news.message().await.unwrap() {
                if let Some(result) = message.r#match.unwrap().result {
                    return result;
                }
            }
            panic!("the spectator's stream ended without a result");
        })
        .await
        .expect("the match ends")
    }

    pub(crate) async fn replay(&self, match_id: &str) -> Result<Replay, Status> {
        let request = GetReplayRequest {
            match_id: match_id.to_owned(),
            ..GetReplayRequest::default()
        };
        let response = self.matches().get_replay(request).await?;
        Ok(response.into_inner().replay.unwrap())
    }

    /// A well-behaved bot that plays a seat to the end.
    pub(crate) fn good_bot(&self, ticket: &str) -> JoinHandle<Result<MatchResult, PlayError>> {
        let options = Options::new(&self.url, ticket.parse().unwrap(), "good");
        tokio::spawn(bridgemaster_sdk::play(Random::new(&Seed::from(1)), options))
    }
}

/// A config of the game's defaults, with a fixed seed and a clock that a test waits for.
pub(crate) fn config(game_id: &str, seats: u32) -> MatchConfig {
    MatchConfig {
        game: Some(default_game(game_id)),
        seats,
        seed: Some("test-seed".to_owned()),
        clock: Some(ClockRules {
            bank_ms: Some(30_000),
            cap_ms: Some(30_000),
            reconnect_ms: Some(30_000),
            startup_ms: Some(30_000),
            ..ClockRules::default()
        }),
        ..MatchConfig::default()
    }
}

/// The same with one time rule changed.
pub(crate) fn with_clock(
    mut config: MatchConfig,
    change: impl FnOnce(&mut ClockRules),
) -> MatchConfig {
    change(config.clock.get_or_insert_default());
    config
}

/// The game's default options.
pub(crate) fn default_game(game_id: &str) -> GameConfig {
    use bridgemaster_proto::games::WireGame as _;
    bridgemaster_games::with_game!(game_id, G => G::config_to_wire(&Default::default())).unwrap()
}
