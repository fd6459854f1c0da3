//! The match service of the server on which a contest is played.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bridgemaster_proto::v1::{
    CancelMatchRequest, CloseGroupRequest, CreateMatchRequest, CreateMatchResponse,
    CreateQueueRequest, DeleteQueueRequest, GetMatchRequest, GetReplayRequest, ListMatchesRequest,
    MatchFilter, MatchInfo, MatchState, Queue, lobby_service_client::LobbyServiceClient,
    match_service_client::MatchServiceClient,
};
use bridgemaster_sdk::{Advice, ApiKey, KEY_METADATA, OptionsError, TlsOptions, endpoint};
use rand::{TryRng as _, rngs::SysRng};
use thiserror::Error;
use tokio::{
    sync::RwLock,
    time::{Instant, sleep},
};
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
/// Time for which a bot that attends is waited for: enough to start its machine again.
const ATTENDANCE_PATIENCE: Duration = Duration::from_secs(600);
/// Largest answer, in bytes: a replay, and what is around it. The longest of all games has less
/// than a twentieth of it.
const LARGEST_ANSWER_BYTES: usize = 64 * 1024 * 1024;
/// Random bytes of an idempotency key: no two calls draw the same.
const IDEMPOTENCY_KEY_BYTES: usize = 16;
/// The label by which the matches of a contest are found. Its value names the contest.
const CONTEST_LABEL: &str = "contest";

/// The server on which a contest is played.
#[derive(Clone, Debug)]
pub struct ServerAddress {
    /// Its address.
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
pub(crate) struct Desk {
    client: Client,
    lobby: Lobby,
    /// Read by each call that makes a match.
    making: Arc<RwLock<()>>,
}

type Client = MatchServiceClient<InterceptedService<Channel, ShowKey>>;
type Lobby = LobbyServiceClient<InterceptedService<Channel, ShowKey>>;

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
        let client = MatchServiceClient::with_interceptor(channel.clone(), show_key.clone())
            .max_decoding_message_size(LARGEST_ANSWER_BYTES);
        Ok(Self {
            client,
            lobby: LobbyServiceClient::with_interceptor(channel, show_key),
            making: Arc::default(),
        })
    }

    /// Opens the queue of a contest. One that is open already is left as it is.
    pub(crate) async fn open_queue(&self, queue: Queue) -> Result<(), DeskError> {
        let opened = self.persist("CreateQueue", || {
            let request = CreateQueueRequest {
                queue: Some(queue.clone()),
            };
            let mut lobby = self.lobby.clone();
            async move { lobby.create_queue(request).await }
        });
        opened.await.map(drop)
    }

    /// Closes a queue, so that the bots that attend it end.
    pub(crate) async fn close_queue(&self, queue_id: &str) -> Result<(), DeskError> {
        let closed = self.persist("DeleteQueue", || {
            let request = DeleteQueueRequest {
                queue_id: queue_id.to_owned(),
            };
            let mut lobby = self.lobby.clone();
            async move { lobby.delete_queue(request).await }
        });
        closed.await.map(drop)
    }

    /// Makes a match of a contest, and offers the seats that `offered` says. The call goes on when it is dropped: else there might be a match
    /// of which nobody knows.
    pub(crate) async fn create(
        &self,
        contest: &str,
        request: CreateMatchRequest,
    ) -> Result<CreateMatchResponse, DeskError> {
        let patience = match request.seat_reservations.is_empty() {
            true => PATIENCE,
            false => ATTENDANCE_PATIENCE,
        };
        let request = CreateMatchRequest {
            labels: labels(contest),
            idempotency_key: idempotency_key(),
            ..request
        };
        let making = Arc::clone(&self.making).read_owned().await;
        let desk = self.clone();
        let made = tokio::spawn(async move {
            let made = desk.persist_for(patience, "CreateMatch", || {
                let (mut client, request) = (desk.client.clone(), request.clone());
                async move { client.create_match(request).await }
            });
            let made = made.await;
            drop(making);
            made
        });
        made.await.unwrap_or_else(|error| {
            Err(DeskError::Refused {
                call: "CreateMatch",
                status: Box::new(Status::internal(error.to_string())),
            })
        })
    }

    /// Waits until no match is being made.
    pub(crate) async fn all_made(&self) {
        drop(self.making.write().await);
    }

    /// What is known of a match.
    pub(crate) async fn get(&self, match_id: &str) -> Result<MatchInfo, DeskError> {
        let answer = self
            .persist("GetMatch", || {
                let mut client = self.client.clone();
                let match_id = match_id.to_owned();
                async move { client.get_match(GetMatchRequest { match_id }).await }
            })
            .await?;
        answer.r#match.ok_or_else(|| DeskError::Refused {
            call: "GetMatch",
            status: Box::new(Status::internal("the answer has no match in it")),
        })
    }

    /// The matches of a contest that are in this state.
    pub(crate) async fn list(
        &self,
        contest: &str,
        state: MatchState,
    ) -> Result<Vec<MatchInfo>, DeskError> {
        let mut matches = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListMatchesRequest {
                filter: Some(MatchFilter {
                    state: state.into(),
                    labels: labels(contest),
                    ..MatchFilter::default()
                }),
                page_token,
                ..ListMatchesRequest::default()
            };
            let page = self
                .persist("ListMatches", || {
                    let mut client = self.client.clone();
                    let request = request.clone();
                    async move { client.list_matches(request).await }
                })
                .await?;
            matches.extend(page.matches);
            if page.next_page_token.is_empty() {
                return Ok(matches);
            }
            page_token = page.next_page_token;
        }
    }

    /// Calls a match off. One that is over stays as it is.
    pub(crate) async fn cancel(&self, match_id: &str, reason: &str) -> Result<(), DeskError> {
        let cancelled = self
            .persist("CancelMatch", || {
                let mut client = self.client.clone();
                let request = CancelMatchRequest {
                    match_id: match_id.to_owned(),
                    reason: reason.to_owned(),
                };
                async move { client.cancel_match(request).await }
            })
            .await;
        match cancelled {
            Err(DeskError::Refused { status, .. })
                if matches!(status.code(), Code::FailedPrecondition | Code::NotFound) =>
            {
                Ok(())
            }
            other => other.map(drop),
        }
    }

    /// Says that no more matches of the group of this match will be made.
    pub(crate) async fn close_group(&self, match_id: &str) -> Result<(), DeskError> {
        let closed = self
            .persist("CloseGroup", || {
                let mut client = self.client.clone();
                let match_id = match_id.to_owned();
                async move { client.close_group(CloseGroupRequest { match_id }).await }
            })
            .await;
        closed.map(drop)
    }

    /// The bytes of the replay file of a match whose group is over.
    pub(crate) async fn replay_file(&self, match_id: &str) -> Result<Vec<u8>, DeskError> {
        let answer = self
            .persist("GetReplay", || {
                let mut client = self.client.clone();
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
        call: impl Fn() -> A,
    ) -> Result<T, DeskError> {
        self.persist_for(PATIENCE, name, call).await
    }

    /// The same, for so long.
    async fn persist_for<T, A: Future<Output = Result<Response<T>, Status>>>(
        &self,
        patience: Duration,
        name: &'static str,
        call: impl Fn() -> A,
    ) -> Result<T, DeskError> {
        let begun = Instant::now();
        let mut pause = FIRST_PAUSE;
        loop {
            let status = match call().await {
                Ok(answer) => return Ok(answer.into_inner()),
                Err(status) => status,
            };
            if Advice::for_status(&status) != Advice::Retry || begun.elapsed() >= patience {
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

/// Lets a call be repeated whose answer was lost, and make one match. None where the system gives no
/// random numbers: two matches are better than one that is taken for another.
fn idempotency_key() -> String {
    let mut bytes = [0; IDEMPOTENCY_KEY_BYTES];
    match SysRng.try_fill_bytes(&mut bytes) {
        Ok(()) => hex::encode(bytes),
        Err(_) => String::new(),
    }
}

fn labels(contest: &str) -> BTreeMap<String, String> {
    [(CONTEST_LABEL.to_owned(), contest.to_owned())].into()
}
