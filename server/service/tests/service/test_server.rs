//! A test server in this process, and the matches that tests play on it.

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

/// The maximum time for which a test waits for an event.
pub(crate) const PATIENCE: Duration = Duration::from_secs(120);

/// The games for tests that run once per game.
pub(crate) const GAMES: &[&str] = bridgemaster_games::GAME_IDS;

pub(crate) struct TestServer {
    pub(crate) url: String,
    pub(crate) channel: Channel,
    /// The address of the metrics.
    pub(crate) metrics: SocketAddr,
    /// The address of the page.
    pub(crate) page: SocketAddr,
    pub(crate) stop: CancellationToken,
    pub(crate) drain: CancellationToken,
    pub(crate) running: JoinHandle<Result<(), ServeError>>,
    _stop_at_end: DropGuard,
}

/// A match on a [`TestServer`], with one ticket per seat.
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

    /// Starts a server whose matches are stored in `store`.
    pub(crate) async fn over(store: &Arc<dyn Store>, limits: Limits) -> Self {
        let storage = Storage {
            store: Arc::clone(store),
            dropped_matches: Vec::new(),
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

    /// Starts a server without a store and one with a store. The second keeps a finished match only
    /// in its store once another match has ended.
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

    /// Ends the server like a crash: nothing more is stored, and no stream gets a reason.
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

    /// Opens a separate connection, like each bot process.
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

    /// Waits for the end of a match and returns its result.
    pub(crate) async fn result(&self, match_id: &str) -> MatchResult {
        let mut updates = self
            .matches()
            .watch_match(v1::WatchMatchRequest {
                match_id: match_id.to_owned(),
            })
            .await
            .unwrap()
            .into_inner();
        tokio::time::timeout(PATIENCE, async {
            while let Some(message) = updates.message().await.unwrap() {
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

    /// Starts a well-behaved bot that plays a seat to the end.
    pub(crate) fn good_bot(&self, ticket: &str) -> JoinHandle<Result<MatchResult, PlayError>> {
        let options = Options::new(&self.url, ticket.parse().unwrap(), "good");
        tokio::spawn(bridgemaster_sdk::play(Random::new(&Seed::from(1)), options))
    }
}

/// Returns a config with the game's default options, a fixed seed, and clocks that outlast a test.
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

/// Returns the same config with one time rule changed.
pub(crate) fn with_clock(
    mut config: MatchConfig,
    change: impl FnOnce(&mut ClockRules),
) -> MatchConfig {
    change(config.clock.get_or_insert_default());
    config
}

/// Returns the default options of a game.
pub(crate) fn default_game(game_id: &str) -> GameConfig {
    use bridgemaster_proto::games::WireGame as _;
    bridgemaster_games::with_game!(game_id, G => G::config_to_wire(&Default::default())).unwrap()
}
