//! The servers of a contest, and calls to them, which are tried again while they may be answered
//! later, and made where a server says that something is.

use std::{sync::Arc, time::Duration};

use bridgemaster_proto::v1::{
    lobby_service_client::LobbyServiceClient, match_service_client::MatchServiceClient,
};
use bridgemaster_sdk::{
    Advice, ApiKey, Connection, KEY_METADATA, OptionsError, Refusal, Route, TlsOptions,
};
use parking_lot::Mutex;
use thiserror::Error;
use tokio::time::{Instant, sleep};
use tonic::{
    Code, Request, Response, Status,
    metadata::{Ascii, MetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport::Channel,
};

/// Pause before a call is tried again: a bot whose match has just ended has a free slot at once. It
/// doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(10);
/// Longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Largest answer, in bytes: a replay, and what is around it. The longest of all games has less
/// than a twentieth of it.
const LARGEST_ANSWER_BYTES: usize = 64 * 1024 * 1024;
/// The refusals after which another server is asked. What others are about, such as a bot that is
/// busy, is no better there.
const ASK_ANOTHER: [&str; 4] = [
    "MOVED",
    "NODE_SUPERSEDED",
    "SERVER_STOPPING",
    "STORAGE_FAILED",
];

/// The server on which a contest is played.
#[derive(Clone, Debug)]
pub struct ServerAddress {
    /// Its address, or those of a cluster with commas between them.
    pub url: String,
    /// The API key with which matches are made and bots play, if the server asks for one.
    pub key: Option<ApiKey>,
    /// Files for an https:// address.
    pub tls: TlsOptions,
    /// Whether it is there for this contest alone, and ends with it: nobody can ask it later, and
    /// nothing of it is found by a contest that goes on.
    pub is_own: bool,
}

/// Why a server did not do what it was asked for.
#[derive(Debug, Error)]
pub enum DeskError {
    /// The address makes no sense.
    #[error(transparent)]
    Address(#[from] OptionsError),
    /// Nobody answers there.
    #[error("no server answers at {url}")]
    NoServer {
        /// The address.
        url: String,
        /// What the transport says.
        source: tonic::transport::Error,
    },
    /// The server refused a call for good, or was away for too long.
    #[error("the server answered {call}: {}", .status.message())]
    Refused {
        /// The call.
        call: &'static str,
        /// Its answer.
        status: Box<Status>,
    },
}

impl DeskError {
    /// Whether the server knows no such match.
    pub(crate) fn is_unknown_match(&self) -> bool {
        matches!(self, Self::Refused { status, .. } if status.code() == Code::NotFound)
    }
}

/// Shows the key in every call.
#[derive(Clone)]
pub(crate) struct ShowKey(Option<MetadataValue<Ascii>>);

impl Interceptor for ShowKey {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(key) = &self.0 {
            request.metadata_mut().insert(KEY_METADATA, key.clone());
        }
        Ok(request)
    }
}

type Keyed = InterceptedService<Channel, ShowKey>;

/// The services of one server.
pub(crate) struct Services {
    pub(crate) matches: MatchServiceClient<Keyed>,
    pub(crate) lobby: LobbyServiceClient<Keyed>,
}

/// The servers of a contest. Clones share where they are.
#[derive(Clone)]
pub(crate) struct Calls {
    connection: Connection,
    show_key: ShowKey,
    /// Where the last call was answered.
    route: Arc<Mutex<Route>>,
}

impl Calls {
    /// Checks the addresses, and that one of the servers is there.
    pub(crate) async fn to(server: &ServerAddress) -> Result<Self, DeskError> {
        let connection = Connection::with_tls(&server.url, &server.tls)?;
        connection
            .reach()
            .await
            .map_err(|source| DeskError::NoServer {
                url: server.url.clone(),
                source,
            })?;
        let route = connection.route()?;
        Ok(Self {
            connection,
            show_key: ShowKey(server.key.as_ref().map(ApiKey::metadata)),
            route: Arc::new(Mutex::new(route)),
        })
    }

    /// Ways that begin at each of the servers that were named, and where the last call was answered.
    pub(crate) fn routes(&self) -> Result<Vec<Route>, DeskError> {
        let mut routes = self.connection.routes()?;
        routes.push(self.route.lock().clone());
        Ok(routes)
    }

    /// Calls until a server answers, refuses for good, or none was there for so long. The time of a
    /// call that waits for something does not count.
    pub(crate) async fn persist<T, A: Future<Output = Result<Response<T>, Status>>>(
        &self,
        patience: Duration,
        name: &'static str,
        call: impl Fn(Services) -> A,
    ) -> Result<T, DeskError> {
        let mut route = self.route.lock().clone();
        let answer = self.persist_from(&mut route, patience, name, call).await;
        if answer.is_ok() {
            *self.route.lock() = route;
        }
        answer
    }

    /// The same, from another server on.
    pub(crate) async fn persist_from<T, A: Future<Output = Result<Response<T>, Status>>>(
        &self,
        route: &mut Route,
        patience: Duration,
        name: &'static str,
        call: impl Fn(Services) -> A,
    ) -> Result<T, DeskError> {
        let mut failing_since = None;
        let mut pause = FIRST_PAUSE;
        loop {
            let status = match call(self.services(route)).await {
                Ok(answer) => {
                    route.arrived();
                    return Ok(answer.into_inner());
                }
                Err(status) => status,
            };
            let since = *failing_since.get_or_insert_with(Instant::now);
            if Advice::for_status(&status) != Advice::Retry || since.elapsed() >= patience {
                return Err(DeskError::Refused {
                    call: name,
                    status: Box::new(status),
                });
            }
            if is_for_another(&status) && route.go_on(&status) {
                continue;
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn services(&self, route: &Route) -> Services {
        let keyed = || InterceptedService::new(route.channel(), self.show_key.clone());
        Services {
            matches: MatchServiceClient::new(keyed())
                .max_decoding_message_size(LARGEST_ANSWER_BYTES),
            lobby: LobbyServiceClient::new(keyed()),
        }
    }
}

/// Whether another server may answer what this one did not.
fn is_for_another(status: &Status) -> bool {
    Refusal::from_status(status).is_none_or(|refusal| ASK_ANOTHER.contains(&&*refusal.reason))
}
