//! A server that requires API keys, and callers with and without one.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1::{
    self, CancelMatchRequest, CloseGroupRequest, CreateMatchRequest, CreateMatchResponse,
    GetMatchRequest, GetReplayRequest, ListMatchesRequest, MatchConfig, MatchFilter, MatchInfo,
    MatchResult, ReplaceTicketsRequest, Replay, SeatTicket, WatchMatchRequest, WatchMatchResponse,
    WatchMatchesRequest, WatchMatchesResponse, WatchPositionsRequest, WatchPositionsResponse,
    play_request,
};
use bridgemaster_sdk::{Options, PlayError};
use bridgemaster_server::{
    KeepReplays, Limits, ServerOptions, Storage,
    identity::{ApiKey, KEY_METADATA, KeyScope, PublicRead},
};
use bridgemaster_store::{KeyName, KeyStore, MemoryStore, NewKey, OwnerName};
use tokio::task::JoinHandle;
use tonic::{Request, Status, Streaming};

use crate::{
    intercepted_store::InterceptedStore,
    raw_bot::{RawBot, hello, request},
    test_server::{Seated, TestServer},
};

/// A server that requires keys, and the store of its keys.
pub(crate) struct LockedServer {
    pub(crate) server: TestServer,
    pub(crate) keys: Arc<MemoryStore>,
}

/// The interval of key reloads, short enough for a test to wait for one.
const KEY_CACHE_TIME: Duration = Duration::from_millis(20);

impl LockedServer {
    pub(crate) async fn open() -> Self {
        Self::with_limits(Limits::default()).await
    }

    pub(crate) async fn with_limits(limits: Limits) -> Self {
        let keys = Arc::new(MemoryStore::new());
        Self::with_keys(Arc::clone(&keys) as _, keys, limits).await
    }

    /// Starts a server with the rules service.
    pub(crate) async fn with_rules(limits: Limits) -> Self {
        let keys = Arc::new(MemoryStore::new());
        let options = ServerOptions {
            limits: Limits {
                key_cache_time: KEY_CACHE_TIME,
                ..limits
            },
            keys: Some(Arc::clone(&keys) as _),
            rules: true,
            ..ServerOptions::default()
        };
        Self {
            server: TestServer::with_options(options).await,
            keys,
        }
    }

    /// Starts a server that requires `keys`, which are stored in `memory`.
    pub(crate) async fn with_keys(
        keys: Arc<dyn KeyStore>,
        memory: Arc<MemoryStore>,
        limits: Limits,
    ) -> Self {
        let options = ServerOptions {
            limits: Limits {
                key_cache_time: KEY_CACHE_TIME,
                ..limits
            },
            keys: Some(keys),
            ..ServerOptions::default()
        };
        Self {
            server: TestServer::with_options(options).await,
            keys: memory,
        }
    }

    /// Starts a server whose matches are stored in `store` and whose keys are in `memory`, which
    /// `store` wraps.
    pub(crate) async fn over(
        store: Arc<InterceptedStore>,
        memory: Arc<MemoryStore>,
        limits: Limits,
    ) -> Self {
        let options = ServerOptions {
            limits: Limits {
                key_cache_time: KEY_CACHE_TIME,
                ..limits
            },
            keys: Some(Arc::clone(&store) as _),
            storage: Some(Storage {
                store,
                dropped_matches: Vec::new(),
                keep_replays: KeepReplays::All,
                shared: None,
            }),
            ..ServerOptions::default()
        };
        Self {
            server: TestServer::with_options(options).await,
            keys: memory,
        }
    }

    /// Starts a server with this public read access.
    pub(crate) async fn with_public_read(public_read: PublicRead) -> Self {
        let memory = Arc::new(MemoryStore::new());
        let options = ServerOptions {
            limits: Limits {
                key_cache_time: KEY_CACHE_TIME,
                ..Limits::default()
            },
            keys: Some(Arc::clone(&memory) as _),
            public_read,
            ..ServerOptions::default()
        };
        Self {
            server: TestServer::with_options(options).await,
            keys: memory,
        }
    }

    pub(crate) async fn key(&self, name: &str, scopes: &[KeyScope]) -> ApiKey {
        self.expiring_key(name, scopes, None).await
    }

    /// Adds a key of this owner.
    pub(crate) async fn key_of(&self, owner: &str, name: &str, scopes: &[KeyScope]) -> ApiKey {
        let (key, new) = drawn(name, scopes);
        let owner = Some(OwnerName::new(owner).unwrap());
        self.keys.add_key(NewKey { owner, ..new }).await.unwrap();
        key
    }

    /// Adds a key that expires at this time, in ms since 1970 UTC.
    pub(crate) async fn expiring_key(
        &self,
        name: &str,
        scopes: &[KeyScope],
        expires_at_unix_ms: Option<i64>,
    ) -> ApiKey {
        let (key, new) = drawn(name, scopes);
        let new = NewKey {
            expires_at_unix_ms,
            ..new
        };
        self.keys.add_key(new).await.unwrap();
        key
    }

    /// Returns a caller with this key.
    pub(crate) fn with<'a>(&'a self, key: &'a ApiKey) -> KeyedCaller<'a> {
        KeyedCaller {
            server: &self.server,
            key,
        }
    }
}

fn drawn(name: &str, scopes: &[KeyScope]) -> (ApiKey, NewKey) {
    let key = ApiKey::generate();
    let new = NewKey {
        id: key.id().clone(),
        name: KeyName::new(name).unwrap(),
        owner: None,
        scopes: scopes.iter().map(|scope| scope.to_scope()).collect(),
        secret_hash: key.secret_hash(),
        created_at_unix_ms: 1,
        expires_at_unix_ms: None,
    };
    (key, new)
}

/// A caller that presents a key.
#[derive(Clone, Copy)]
pub(crate) struct KeyedCaller<'a> {
    server: &'a TestServer,
    key: &'a ApiKey,
}

impl KeyedCaller<'_> {
    fn authenticated<T>(self, message: T) -> Request<T> {
        let mut request = Request::new(message);
        let key = self.key.reveal().parse().unwrap();
        request.metadata_mut().insert(KEY_METADATA, key);
        request
    }

    pub(crate) async fn create(self, config: MatchConfig) -> Result<Seated, Status> {
        let config = Some(config);
        let request = self.authenticated(CreateMatchRequest {
            config,
            ..CreateMatchRequest::default()
        });
        let created = self.server.matches().create_match(request).await?;
        let created = created.into_inner();
        Ok(Seated {
            match_id: created.r#match.unwrap().match_id,
            tickets: created.tickets.into_iter().map(|t| t.ticket).collect(),
        })
    }

    pub(crate) async fn create_by(
        self,
        request: CreateMatchRequest,
    ) -> Result<CreateMatchResponse, Status> {
        let request = self.authenticated(request);
        let created = self.server.matches().create_match(request).await?;
        Ok(created.into_inner())
    }

    pub(crate) async fn close_group(self, match_id: &str) -> Result<(), Status> {
        let match_id = match_id.to_owned();
        let request = self.authenticated(CloseGroupRequest {
            match_id,
            ..CloseGroupRequest::default()
        });
        self.server.matches().close_group(request).await.map(|_| ())
    }

    pub(crate) async fn replace_tickets(self, match_id: &str) -> Result<Vec<SeatTicket>, Status> {
        let request = self.authenticated(ReplaceTicketsRequest {
            match_id: match_id.to_owned(),
            seats: Vec::new(),
        });
        let replaced = self.server.matches().replace_tickets(request).await?;
        Ok(replaced.into_inner().tickets)
    }

    pub(crate) async fn info(self, match_id: &str) -> Result<MatchInfo, Status> {
        let match_id = match_id.to_owned();
        let request = self.authenticated(GetMatchRequest {
            match_id,
            ..GetMatchRequest::default()
        });
        let response = self.server.matches().get_match(request).await?;
        Ok(response.into_inner().r#match.unwrap())
    }

    pub(crate) async fn list(self) -> Result<Vec<String>, Status> {
        self.list_by(MatchFilter::default()).await
    }

    pub(crate) async fn list_by(self, filter: MatchFilter) -> Result<Vec<String>, Status> {
        let request = self.authenticated(ListMatchesRequest {
            filter: Some(filter),
            ..ListMatchesRequest::default()
        });
        let response = self.server.matches().list_matches(request).await?;
        let matches = response.into_inner().matches.into_iter();
        Ok(matches.map(|info| info.match_id).collect())
    }

    pub(crate) async fn cancel(self, match_id: &str, why: &str) -> Result<MatchInfo, Status> {
        let request = self.authenticated(CancelMatchRequest {
            match_id: match_id.to_owned(),
            reason: why.to_owned(),
        });
        let response = self.server.matches().cancel_match(request).await?;
        Ok(response.into_inner().r#match.unwrap())
    }

    /// Lists the matches that are reported as damaged.
    pub(crate) async fn list_damaged(self) -> Vec<String> {
        let request = self.authenticated(ListMatchesRequest::default());
        let response = self.server.matches().list_matches(request).await;
        response.unwrap().into_inner().damaged_match_ids
    }

    pub(crate) async fn watch(
        self,
        match_id: &str,
    ) -> Result<Streaming<WatchMatchResponse>, Status> {
        let match_id = match_id.to_owned();
        let request = self.authenticated(WatchMatchRequest { match_id });
        Ok(self
            .server
            .matches()
            .watch_match(request)
            .await?
            .into_inner())
    }

    pub(crate) async fn positions(
        self,
        request: WatchPositionsRequest,
    ) -> Result<Streaming<WatchPositionsResponse>, Status> {
        let request = self.authenticated(request);
        let watching = self.server.matches().watch_positions(request).await?;
        Ok(watching.into_inner())
    }

    pub(crate) async fn overview(
        self,
        request: WatchMatchesRequest,
    ) -> Result<Streaming<WatchMatchesResponse>, Status> {
        let request = self.authenticated(request);
        let watching = self.server.matches().watch_matches(request).await?;
        Ok(watching.into_inner())
    }

    pub(crate) async fn replay(self, match_id: &str) -> Result<Replay, Status> {
        let match_id = match_id.to_owned();
        let request = self.authenticated(GetReplayRequest {
            match_id,
            ..GetReplayRequest::default()
        });
        let response = self.server.matches().get_replay(request).await?;
        Ok(response.into_inner().replay.unwrap())
    }

    /// Opens a stream and sends a Hello, without reading the reply.
    pub(crate) async fn open(self, ticket: &str) -> Result<RawBot, Status> {
        let metadata = [
            ("authorization", format!("Bearer {ticket}")),
            (KEY_METADATA, self.key.reveal()),
        ];
        let first = request(play_request::Message::Hello(hello()));
        RawBot::open_with_metadata(self.server.player().await, metadata, first).await
    }

    /// Opens a stream and reads the Welcome.
    pub(crate) async fn join(self, ticket: &str) -> RawBot {
        let mut bot = self.open(ticket).await.unwrap();
        let first = bot.next().await.unwrap();
        assert!(
            matches!(first, Some(v1::play_response::Message::Welcome(_))),
            "{first:?}"
        );
        bot
    }

    /// Starts a well-behaved bot that plays a seat to the end.
    pub(crate) fn good_bot(self, ticket: &str) -> JoinHandle<Result<MatchResult, PlayError>> {
        let options = Options {
            key: Some(self.key.reveal().parse().unwrap()),
            ..Options::new(&self.server.url, ticket.parse().unwrap(), "good")
        };
        let bot = bridgemaster_bots::Random::new(&bridgemaster_games::Seed::from(1));
        tokio::spawn(bridgemaster_sdk::play(bot, options))
    }
}
