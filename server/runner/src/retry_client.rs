//! Calls to a contest's servers: failed calls are retried, at another server if necessary.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1::{
    lobby_service_client::LobbyServiceClient, match_service_client::MatchServiceClient,
};
use bridgemaster_sdk::{
    Advice, ApiKey, ApiKeyInterceptor, Connection, OptionsError, Refusal, Route, TlsOptions,
};
use parking_lot::Mutex;
use thiserror::Error;
use tokio::time::{Instant, sleep};
use tonic::{Code, Response, Status, service::interceptor::InterceptedService, transport::Channel};

use crate::{OwnServer, row::RefusedCalls};

/// The pause before the first retry. It doubles with each further retry, up to [`MAX_PAUSE`]. It is
/// short because a bot has a free slot as soon as its match has ended.
const MIN_PAUSE: Duration = Duration::from_millis(10);
/// The longest pause between two attempts.
const MAX_PAUSE: Duration = Duration::from_secs(2);
/// The maximum size of a response, in bytes. Even the longest replay is less than a twentieth as
/// large.
const MAX_ANSWER_BYTES: usize = 64 * 1024 * 1024;
/// Refusal reasons after which another server is tried. After other refusals, for example because a
/// bot is busy, every server would refuse the call.
const FAILOVER_REASONS: [&str; 3] = ["NODE_SUPERSEDED", "SERVER_STOPPING", "STORAGE_FAILED"];

/// The address of a contest's server, with the credentials for it.
#[derive(Clone, Debug)]
pub struct ServerAddress {
    /// The server's address, or a cluster's comma-separated addresses.
    pub url: String,
    /// The API key with which matches are created, if the server requires one. The key is never
    /// passed to a bot.
    pub key: Option<ApiKey>,
    /// The API key that is passed to started bots, if the server requires one.
    pub bot_key: Option<ApiKey>,
    /// TLS files for an `https://` address.
    pub tls: TlsOptions,
    /// The server, if it serves only this contest and stops at the end of this run. A resumed
    /// contest has no access to its data.
    pub own: Option<Arc<dyn OwnServer>>,
}

impl ServerAddress {
    /// Returns whether the server serves only this contest.
    pub(crate) fn is_own(&self) -> bool {
        self.own.is_some()
    }

    /// Returns and clears all calls that the contest's own server refused, each with its ticket's
    /// match. Empty for any other server.
    pub(crate) fn take_all_refused(&self) -> Vec<(Option<String>, RefusedCalls)> {
        let own = self.own.as_ref();
        own.map_or_else(Vec::new, |own| own.take_all_refused())
    }
}

/// An error from a call to a server.
#[derive(Debug, Error)]
pub enum CallError {
    /// The address or a TLS file is not valid.
    #[error(transparent)]
    Address(#[from] OptionsError),
    /// No server answers at the address.
    #[error("no server answers at {url}")]
    Unreachable {
        /// The address of the contest's server.
        url: String,
        /// The connection attempt's error.
        source: tonic::transport::Error,
    },
    /// The server refused a call permanently, or was unavailable for too long.
    #[error("{call} failed: {}", .status.message())]
    Refused {
        /// The RPC's name.
        call: &'static str,
        /// The last attempt's status.
        status: Box<Status>,
    },
}

impl CallError {
    /// Returns whether the server does not know the match.
    pub(crate) fn is_unknown_match(&self) -> bool {
        matches!(self, Self::Refused { status, .. } if status.code() == Code::NotFound)
    }

    /// Returns the bot's name if the error states that an attending bot is not available for a
    /// seat.
    pub(crate) fn bot_not_available(&self) -> Option<String> {
        let Self::Refused { status, .. } = self else {
            return None;
        };
        let refusal = Refusal::from_status(status)?;
        let is_not_available = refusal.reason == "BOT_NOT_AVAILABLE";
        refusal.metadata.get("bot_name").filter(|_| is_not_available).cloned()
    }
}

type Keyed = InterceptedService<Channel, ApiKeyInterceptor>;

/// One server's service clients.
pub(crate) struct Services {
    pub(crate) matches: MatchServiceClient<Keyed>,
    pub(crate) lobby: LobbyServiceClient<Keyed>,
}

/// A client of a contest's servers. It retries failed calls, at another server if necessary. Clones
/// share the current route.
#[derive(Clone)]
pub(crate) struct RetryClient {
    connection: Connection,
    key_interceptor: ApiKeyInterceptor,
    /// The route to the server that responded last.
    route: Arc<Mutex<Route>>,
}

impl RetryClient {
    /// Checks the addresses, and connects to the first server that is reachable.
    pub(crate) async fn connect(server: &ServerAddress) -> Result<Self, CallError> {
        let connection = Connection::with_tls(&server.url, &server.tls)?;
        connection
            .connect()
            .await
            .map_err(|source| CallError::Unreachable { url: server.url.clone(), source })?;
        let route = connection.route();
        Ok(Self {
            connection,
            key_interceptor: ApiKeyInterceptor::new(server.key.as_ref()),
            route: Arc::new(Mutex::new(route)),
        })
    }

    /// Repeats a call until a server accepts it or refuses it permanently, or until `timeout` has
    /// passed since the first attempt failed.
    pub(crate) async fn call<T, A: Future<Output = Result<Response<T>, Status>>>(
        &self,
        timeout: Duration,
        name: &'static str,
        call: impl Fn(Services) -> A,
    ) -> Result<T, CallError> {
        let mut route = self.route.lock().clone();
        let mut failing_since = None;
        let mut pause = MIN_PAUSE;
        loop {
            let status = match call(self.services(&route)).await {
                Ok(answer) => {
                    *self.route.lock() = route;
                    return Ok(answer.into_inner());
                }
                Err(status) => status,
            };
            let since = *failing_since.get_or_insert_with(Instant::now);
            if Advice::for_status(&status) != Advice::Retry || since.elapsed() >= timeout {
                return Err(CallError::Refused { call: name, status: Box::new(status) });
            }
            if allows_failover(&status) {
                route.advance();
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    /// Returns whether the servers require an API key from a bot, in addition to its ticket.
    pub(crate) async fn requires_bot_keys(&self) -> bool {
        self.connection.requires_key().await == Some(true)
    }

    fn services(&self, route: &Route) -> Services {
        let keyed = || InterceptedService::new(route.channel(), self.key_interceptor.clone());
        Services {
            matches: MatchServiceClient::new(keyed()).max_decoding_message_size(MAX_ANSWER_BYTES),
            lobby: LobbyServiceClient::new(keyed()),
        }
    }
}

/// Returns whether another server might accept a refused call.
fn allows_failover(status: &Status) -> bool {
    Refusal::from_status(status).is_none_or(|refusal| FAILOVER_REASONS.contains(&&*refusal.reason))
}
