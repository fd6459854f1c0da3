//! The match service of the server on which a contest is played.

use std::time::Duration;

use bridgemaster_proto::v1::{
    CreateMatchRequest, CreateMatchResponse, GetMatchRequest, GetReplayRequest, MatchConfig,
    MatchInfo, match_service_client::MatchServiceClient,
};
use bridgemaster_sdk::{Advice, ApiKey, KEY_METADATA, OptionsError, TlsOptions, endpoint};
use thiserror::Error;
use tokio::time::{Instant, sleep};
use tonic::{
    Code, Request, Response, Status,
    metadata::{Ascii, MetadataValue},
    service::{Interceptor, interceptor::InterceptedService},
    transport::Channel,
};

/// Time for a connection: a server that answers at all does so at once.
const CONNECT_TIME: Duration = Duration::from_secs(5);
/// Interval of the HTTP/2 PINGs by which a server is noticed that is gone without a word.
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(20);
/// Time for the answer to one.
const KEEPALIVE_TIME: Duration = Duration::from_secs(10);
/// Pause before a call is tried again. It doubles up to [`LONGEST_PAUSE`].
const FIRST_PAUSE: Duration = Duration::from_millis(100);
/// Longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(2);
/// Time for which a server that is away is tried again: a restart takes less.
const PATIENCE: Duration = Duration::from_secs(60);
/// Largest answer, in bytes: a replay, and what is around it. The longest of all games has less
/// than a twentieth of it.
const LARGEST_ANSWER_BYTES: usize = 64 * 1024 * 1024;

/// The server on which a contest is played.
#[derive(Clone, Debug)]
pub struct ServerAddress {
    /// Its address.
    pub url: String,
    /// The API key with which matches are made and bots play, if the server asks for one.
    pub key: Option<ApiKey>,
    /// Files for an https:// address.
    pub tls: TlsOptions,
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
struct ShowKey(Option<MetadataValue<Ascii>>);

impl Interceptor for ShowKey {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(key) = &self.0 {
            request.metadata_mut().insert(KEY_METADATA, key.clone());
        }
        Ok(request)
    }
}

/// A client of the match service. A call that the server cannot answer now is tried again.
#[derive(Clone)]
pub(crate) struct Desk(Client);

type Client = MatchServiceClient<InterceptedService<Channel, ShowKey>>;

impl Desk {
    pub(crate) async fn connect(server: &ServerAddress) -> Result<Self, DeskError> {
        let channel = endpoint(&server.url, &server.tls)?
            .connect_timeout(CONNECT_TIME)
            .http2_keep_alive_interval(KEEPALIVE_INTERVAL)
            .keep_alive_timeout(KEEPALIVE_TIME)
            .connect()
            .await
            .map_err(|source| DeskError::NoServer {
                url: server.url.clone(),
                source,
            })?;
        let show_key = ShowKey(server.key.as_ref().map(ApiKey::metadata));
        let client = MatchServiceClient::with_interceptor(channel, show_key)
            .max_decoding_message_size(LARGEST_ANSWER_BYTES);
        Ok(Self(client))
    }

    /// Makes a match.
    pub(crate) async fn create(
        &self,
        config: &MatchConfig,
        rules_version: Option<u32>,
    ) -> Result<CreateMatchResponse, DeskError> {
        let request = CreateMatchRequest {
            config: Some(config.clone()),
            rules_version,
            ..CreateMatchRequest::default()
        };
        self.persist("CreateMatch", |mut client| {
            let request = request.clone();
            async move { client.create_match(request).await }
        })
        .await
    }

    /// What is known of a match.
    pub(crate) async fn get(&self, match_id: &str) -> Result<MatchInfo, DeskError> {
        let answer = self
            .persist("GetMatch", |mut client| {
                let match_id = match_id.to_owned();
                async move { client.get_match(GetMatchRequest { match_id }).await }
            })
            .await?;
        answer.r#match.ok_or_else(|| DeskError::Refused {
            call: "GetMatch",
            status: Box::new(Status::internal("the answer has no match in it")),
        })
    }

    /// The bytes of the replay file of a match that has ended.
    pub(crate) async fn replay_file(&self, match_id: &str) -> Result<Vec<u8>, DeskError> {
        let answer = self
            .persist("GetReplay", |mut client| {
                let request = GetReplayRequest {
                    match_id: match_id.to_owned(),
                    as_file: true,
                };
                async move { client.get_replay(request).await }
            })
            .await?;
        Ok(answer.file)
    }

    /// Calls until the server answers, refuses for good, or was away for too long.
    async fn persist<T, A: Future<Output = Result<Response<T>, Status>>>(
        &self,
        name: &'static str,
        call: impl Fn(Client) -> A,
    ) -> Result<T, DeskError> {
        let begun = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let status = match call(self.0.clone()).await {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(status) => status,
            };
            if Advice::for_status(&status) != Advice::Retry || begun.elapsed() >= PATIENCE {
                return Err(DeskError::Refused {
                    call: name,
                    status: Box::new(status),
                });
            }
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }
}
