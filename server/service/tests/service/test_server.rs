//! A test server in this process, its keys, and the matches that tests play on it.

use std::{net::SocketAddr, ops::Deref, sync::Arc, time::Duration};

use bridgemaster_proto::v1::{
    ClockRules, CreateMatchResponse, GameConfig, MatchConfig, MatchInfo, MatchResult,
    SpectatorRules, TimeControl,
};
use bridgemaster_server::{
    KeepReplays, Limits, ServeError, Server, ServerOptions, Storage,
    identity::{ApiKey, KeyScope},
};
use bridgemaster_store::{KeyName, KeyStore, MemoryStore, NewKey, OwnerName, Store};
use tokio::{task::JoinHandle, time::timeout};
use tokio_util::sync::{CancellationToken, DropGuard};

use crate::{caller::Caller, intercepted_store::InterceptedStore, streams::PATIENCE};

/// The games for tests that run once per game.
pub(crate) const GAMES: &[&str] = bridgemaster_games::GAME_IDS;
/// The interval of key reloads, short enough for a test to wait for one.
const KEY_CACHE_TIME: Duration = Duration::from_millis(20);

/// A server, and a caller of it without a key.
pub(crate) struct TestServer {
    guest: Caller,
    options: ServerOptions,
    /// The keys, if the server requires them.
    pub(crate) keys: Arc<MemoryStore>,
    /// The address of the metrics.
    pub(crate) metrics: SocketAddr,
    /// The address of the page.
    pub(crate) page: SocketAddr,
    pub(crate) stop: CancellationToken,
    pub(crate) drain: CancellationToken,
    pub(crate) running: JoinHandle<Result<(), ServeError>>,
    _stop_at_end: DropGuard,
}

impl Deref for TestServer {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.guest
    }
}

/// A match on a [`TestServer`], with one ticket per seat.
pub(crate) struct Seated {
    pub(crate) match_id: String,
    pub(crate) tickets: Vec<String>,
}

impl From<CreateMatchResponse> for Seated {
    fn from(created: CreateMatchResponse) -> Self {
        Self {
            match_id: created.r#match.unwrap().match_id,
            tickets: created.tickets.into_iter().map(|one| one.ticket).collect(),
        }
    }
}

impl TestServer {
    pub(crate) async fn open() -> Self {
        Self::with_options(ServerOptions::default()).await
    }

    pub(crate) async fn with_limits(limits: Limits) -> Self {
        Self::with_options(with_limits(limits)).await
    }

    /// Starts a server whose matches are stored in memory.
    pub(crate) async fn stored() -> Self {
        Self::over(&memory(), Limits::default()).await
    }

    /// Starts a server whose matches are stored in `store`.
    pub(crate) async fn over(store: &Arc<dyn Store>, limits: Limits) -> Self {
        Self::with_options(ServerOptions { storage: Some(storage(store)), ..with_limits(limits) })
            .await
    }

    /// Starts a server without a store and one with a store. In the second one, a finished match is
    /// only in the store once another match has ended.
    pub(crate) async fn without_and_with_store() -> [Self; 2] {
        let store = memory();
        let over = Self::over(&store, keeping_one());
        [Self::open().await, over.await]
    }

    /// Starts a server that requires keys.
    pub(crate) async fn locked(options: ServerOptions) -> Self {
        let keys = Arc::new(MemoryStore::new());
        let options = ServerOptions { keys: Some(Arc::clone(&keys) as _), ..options };
        Self::start(options, keys).await
    }

    /// Starts a server whose matches and keys are in `store`, which wraps `memory`.
    pub(crate) async fn locked_over(
        store: Arc<InterceptedStore>,
        memory: Arc<MemoryStore>,
        limits: Limits,
    ) -> Self {
        let matches: Arc<dyn Store> = Arc::clone(&store) as _;
        let options = ServerOptions {
            keys: Some(store),
            storage: Some(storage(&matches)),
            ..with_limits(limits)
        };
        Self::start(options, memory).await
    }

    /// Starts a server whose matches and keys are in memory.
    pub(crate) async fn locked_in_memory() -> Self {
        let memory = Arc::new(MemoryStore::new());
        let store = InterceptedStore::over(Arc::clone(&memory) as _);
        Self::locked_over(Arc::new(store), memory, Limits::default()).await
    }

    pub(crate) async fn with_options(options: ServerOptions) -> Self {
        Self::start(options, Arc::new(MemoryStore::new())).await
    }

    async fn start(mut options: ServerOptions, keys: Arc<MemoryStore>) -> Self {
        let free: SocketAddr = "127.0.0.1:0".parse().unwrap();
        options.metrics = Some(free);
        if options.limits.key_cache_time == Limits::default().key_cache_time {
            options.limits.key_cache_time = KEY_CACHE_TIME;
        }
        let mut server = Server::bind(free, options.clone()).await.unwrap();
        let names = vec!["bridge.example".to_owned()];
        let page = server.open_page(free, names).await.unwrap();
        let guest = Caller::new(format!("http://{}", server.local_addr()));
        let metrics = server.metrics_addr().unwrap();
        let (stop, drain) = (CancellationToken::new(), CancellationToken::new());
        let running = tokio::spawn(server.run_and_drain(drain.clone(), stop.clone()));
        Self {
            guest,
            options,
            keys,
            metrics,
            page,
            _stop_at_end: stop.clone().drop_guard(),
            stop,
            drain,
            running,
        }
    }

    /// Ends the server like a crash: nothing more is stored, and streams end without a reason.
    pub(crate) async fn crash(&mut self) {
        self.running.abort();
        let ended = (&mut self.running).await;
        assert!(ended.is_err_and(|error| error.is_cancelled()));
    }

    /// Crashes the server, and starts another one with the same options and stores.
    pub(crate) async fn restart(&mut self) {
        self.crash().await;
        *self = Self::start(self.options.clone(), Arc::clone(&self.keys)).await;
    }

    /// Waits until the server has ended on its own.
    pub(crate) async fn ended(&mut self) -> Result<(), ServeError> {
        let ended = timeout(PATIENCE, &mut self.running).await;
        ended.expect("the server ends").unwrap()
    }

    /// Returns the store of matches.
    pub(crate) fn store(&self) -> &Arc<dyn Store> {
        &self.options.storage.as_ref().unwrap().store
    }

    /// Adds a key, and returns a caller with it.
    pub(crate) async fn caller(&self, name: &str, scopes: &[KeyScope]) -> Caller {
        self.caller_with(name, scopes, None, None).await
    }

    /// Adds a key of this owner that expires at this time, in ms since 1970 UTC.
    pub(crate) async fn caller_with(
        &self,
        name: &str,
        scopes: &[KeyScope],
        owner: Option<&str>,
        expires_at_unix_ms: Option<i64>,
    ) -> Caller {
        let key = ApiKey::generate();
        let new = NewKey {
            id: key.id().clone(),
            name: KeyName::new(name).unwrap(),
            owner: owner.map(|owner| OwnerName::new(owner).unwrap()),
            scopes: scopes.iter().map(|scope| scope.to_scope()).collect(),
            secret_hash: key.secret_hash(),
            created_at_unix_ms: 1,
            expires_at_unix_ms,
        };
        self.keys.add_key(new).await.unwrap();
        self.with(&key)
    }

    /// Revokes the key of a caller.
    pub(crate) async fn revoke(&self, caller: &Caller) {
        self.keys.revoke_key(caller.key().id(), 2).await.unwrap();
    }
}

pub(crate) fn memory() -> Arc<dyn Store> {
    Arc::new(MemoryStore::new())
}

pub(crate) fn storage(store: &Arc<dyn Store>) -> Storage {
    Storage {
        store: Arc::clone(store),
        dropped_matches: Vec::new(),
        keep_replays: KeepReplays::All,
        shared: None,
    }
}

pub(crate) fn with_limits(limits: Limits) -> ServerOptions {
    ServerOptions { limits, ..ServerOptions::default() }
}

/// Returns limits that keep one finished match in memory. All others are only in the store, if
/// there is one.
pub(crate) fn keeping_one() -> Limits {
    Limits { ended_matches_kept: 1, ..Limits::default() }
}

/// Returns a config with the game's default options, a fixed seed, and clocks that do not expire
/// during a test.
pub(crate) fn config(game_id: &str, seats: u32) -> MatchConfig {
    MatchConfig {
        game: Some(default_game(game_id)),
        seats,
        seed: Some("test-seed".to_owned()),
        clock: Some(ClockRules {
            time_control: Some(TimeControl::fischer(30_000, 500, 30_000)),
            reconnect_ms: Some(30_000),
            startup_ms: Some(30_000),
            ..ClockRules::default()
        }),
        ..MatchConfig::default()
    }
}

/// Returns the config of most matches.
pub(crate) fn of_two() -> MatchConfig {
    config(GAMES[0], 2)
}

/// Returns the same config with one time rule changed.
pub(crate) fn with_clock(
    mut config: MatchConfig,
    change: impl FnOnce(&mut ClockRules),
) -> MatchConfig {
    change(config.clock.get_or_insert_default());
    config
}

/// Returns the same config with another cap for each decision.
pub(crate) fn with_cap(config: MatchConfig, cap_ms: u32) -> MatchConfig {
    with_clock(config, |clock| {
        clock.time_control = Some(TimeControl::fischer(30_000, 500, cap_ms));
    })
}

/// Returns the config of a match that ends at once, without bots.
pub(crate) fn without_bots() -> MatchConfig {
    with_clock(of_two(), |clock| clock.startup_ms = Some(1))
}

/// Returns the config of a match whose spectators see it with a delay.
pub(crate) fn with_delay(game: &str, delay_ms: u32) -> MatchConfig {
    MatchConfig {
        spectators: Some(SpectatorRules { delay_ms, ..SpectatorRules::default() }),
        ..config(game, 2)
    }
}

/// Returns the default options of a game.
pub(crate) fn default_game(game_id: &str) -> GameConfig {
    use bridgemaster_proto::games::WireGame as _;
    bridgemaster_games::with_game!(game_id, G => G::config_to_wire(&Default::default())).unwrap()
}

/// Asserts that no seat has a fault, and that the house decided for none.
#[track_caller]
pub(crate) fn assert_faultless(result: &MatchResult) {
    for seat in &result.seats {
        assert_eq!((seat.fault_count, seat.house_decisions), (0, 0), "{seat:?}");
    }
}

pub(crate) fn ids<'a>(matches: impl IntoIterator<Item = &'a MatchInfo>) -> Vec<&'a str> {
    let matches = matches.into_iter();
    matches.map(|info| info.match_id.as_str()).collect()
}
