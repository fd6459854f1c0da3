//! A client of the match and lobby services, with the calls that a contest makes.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bridgemaster_proto::v1::{
    CancelMatchRequest, CloseGroupRequest, CreateMatchRequest, CreateMatchResponse,
    CreateQueueRequest, DeleteQueueRequest, ExpireSeatRequest, GetMatchRequest, GetReplayRequest,
    ListMatchesRequest, MatchFilter, MatchInfo, MatchState, Queue, ReplayFile,
};
use bridgemaster_sdk::Refusal;
use tokio::{
    sync::RwLock,
    time::{Instant, sleep},
};
use tonic::{Code, Response, Status};

use crate::{
    retry_client::{CallError, RetryClient, ServerAddress, Services},
    seeds::random_hex,
};

/// Time for which calls to an unavailable server are retried. It is longer than a server restart.
const RETRY_TIMEOUT: Duration = Duration::from_secs(60);
/// Time to wait for a bot to attend its queue. It is enough to reboot the bot's machine.
const ATTENDANCE_TIMEOUT: Duration = Duration::from_secs(600);
/// Interval between polls of a match if the server responds too early, and between requests for a
/// list that is incomplete.
const POLL_INTERVAL: Duration = Duration::from_secs(1);
/// The maximum time for which the server may wait for the end of a match before it responds. It is
/// short enough to detect an unreachable server, and long enough to keep the number of calls low.
const WAIT_MS: u32 = 20_000;
/// The number of random bytes in an idempotency key; enough to be unique.
const IDEMPOTENCY_KEY_BYTES: usize = 16;
/// The label of a contest's matches; its value is the contest's id.
const CONTEST_LABEL: &str = "contest";

/// A client of the match and lobby services that retries calls.
#[derive(Clone)]
pub(crate) struct MatchClient {
    rpc: RetryClient,
    /// Read-locked during each call that creates a match. Locking it for writing waits for these
    /// calls.
    creating: Arc<RwLock<()>>,
}

/// Makes a unary call with a request, and retries it for up to [`RETRY_TIMEOUT`].
macro_rules! call {
    ($client:ident, $name:literal, $service:ident.$method:ident, $request:expr) => {
        $client.call($name, $request, |mut services, request| async move {
            services.$service.$method(request).await
        })
    };
}

impl MatchClient {
    pub(crate) async fn connect(server: &ServerAddress) -> Result<Self, CallError> {
        Ok(Self { rpc: RetryClient::connect(server).await?, creating: Arc::default() })
    }

    /// Returns whether the server requires an API key from a bot, in addition to its ticket.
    pub(crate) async fn requires_bot_keys(&self) -> bool {
        self.rpc.requires_bot_keys().await
    }

    /// Opens a queue. Does nothing if it is already open.
    pub(crate) async fn open_queue(&self, queue: Queue) -> Result<(), CallError> {
        let request = CreateQueueRequest { queue: Some(queue) };
        let opened = call!(self, "CreateQueue", lobby.create_queue, request);
        opened.await.map(drop)
    }

    /// Closes a queue, so that attending bots exit. Does nothing if it is already closed.
    pub(crate) async fn close_queue(&self, queue_id: &str) -> Result<(), CallError> {
        let queue_id = queue_id.to_owned();
        let request = DeleteQueueRequest { queue_id };
        let closed = call!(self, "DeleteQueue", lobby.delete_queue, request);
        unless_refused(closed.await, &[Code::NotFound]).map(drop)
    }

    /// Creates a match of the contest, and waits for attending bots (for `startup_ms` if the
    /// contest started them). The call continues if the future is dropped, so that the id of every
    /// created match is recorded.
    pub(crate) async fn create(
        &self,
        contest: &str,
        request: CreateMatchRequest,
        startup_ms: Option<u32>,
    ) -> Result<CreateMatchResponse, CallError> {
        let timeout = match (startup_ms, request.seat_reservations.is_empty()) {
            (Some(startup_ms), _) => Duration::from_millis(startup_ms.into()),
            (None, true) => RETRY_TIMEOUT,
            (None, false) => ATTENDANCE_TIMEOUT,
        };
        let request = CreateMatchRequest {
            labels: labels(contest),
            // The key is empty if the system has no random numbers: a duplicate match does less
            // harm than a key that another match has used.
            idempotency_key: random_hex::<IDEMPOTENCY_KEY_BYTES>().unwrap_or_default(),
            without_config: true,
            ..request
        };
        let creating = Arc::clone(&self.creating).read_owned().await;
        let client = self.clone();
        let made = tokio::spawn(async move {
            let made = client.rpc.call(timeout, "CreateMatch", |mut services| {
                let request = request.clone();
                async move { services.matches.create_match(request).await }
            });
            let made = made.await;
            drop(creating);
            made
        });
        made.await.unwrap_or_else(|error| {
            Err(CallError::Refused {
                call: "CreateMatch",
                status: Box::new(Status::internal(error.to_string())),
            })
        })
    }

    /// Waits for all pending calls that create matches.
    pub(crate) async fn wait_for_creations(&self) {
        drop(self.creating.write().await);
    }

    /// Returns a match without its config.
    pub(crate) async fn get(&self, match_id: &str) -> Result<MatchInfo, CallError> {
        self.get_match(GetMatchRequest {
            match_id: match_id.to_owned(),
            without_config: true,
            ..GetMatchRequest::default()
        })
        .await
    }

    /// Like [`Self::get`], but waits for the match to end, for a limited time.
    pub(crate) async fn get_at_end(&self, match_id: &str) -> Result<MatchInfo, CallError> {
        let start = Instant::now();
        let info = self.get_match(GetMatchRequest {
            match_id: match_id.to_owned(),
            wait_ms: WAIT_MS,
            without_config: true,
        });
        let info = info.await?;
        let is_over = matches!(info.state(), MatchState::Ended | MatchState::Cancelled);
        let has_waited = start.elapsed() >= Duration::from_millis(WAIT_MS.into());
        if !is_over && !has_waited {
            // A server that drains, or of an older version, responds without waiting.
            sleep(POLL_INTERVAL).await;
        }
        Ok(info)
    }

    /// Returns the startup time that a match grants its bots, in ms; 0 if unknown.
    pub(crate) async fn startup_ms(&self, match_id: &str) -> u32 {
        let info = self.get_match(GetMatchRequest {
            match_id: match_id.to_owned(),
            ..GetMatchRequest::default()
        });
        let config = info.await.ok().and_then(|info| info.config);
        let clock = config.and_then(|config| config.clock);
        clock.and_then(|clock| clock.startup_ms).unwrap_or(0)
    }

    async fn get_match(&self, request: GetMatchRequest) -> Result<MatchInfo, CallError> {
        let answer = call!(self, "GetMatch", matches.get_match, request);
        answer.await?.r#match.ok_or_else(|| CallError::Refused {
            call: "GetMatch",
            status: Box::new(Status::internal("the response contains no match")),
        })
    }

    /// Lists the ids of a contest's matches in this state. Repeats the request while matches of a
    /// lost server might be missing.
    pub(crate) async fn list(
        &self,
        contest: &str,
        state: MatchState,
    ) -> Result<BTreeMap<String, MatchInfo>, CallError> {
        let end = Instant::now() + RETRY_TIMEOUT;
        loop {
            let (matches, is_incomplete) = self.list_once(contest, state).await?;
            if !is_incomplete || Instant::now() >= end {
                return Ok(matches);
            }
            sleep(POLL_INTERVAL).await;
        }
    }

    /// Lists matches once. Also returns whether matches might be missing.
    async fn list_once(
        &self,
        contest: &str,
        state: MatchState,
    ) -> Result<(BTreeMap<String, MatchInfo>, bool), CallError> {
        let (mut matches, mut is_incomplete) = (BTreeMap::new(), false);
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
            let page = call!(self, "ListMatches", matches.list_matches, request);
            let page = page.await?;
            is_incomplete |= page.incomplete;
            let listed = page.matches.into_iter();
            matches.extend(listed.map(|info| (info.match_id.clone(), info)));
            if page.next_page_token.is_empty() {
                return Ok((matches, is_incomplete));
            }
            page_token = page.next_page_token;
        }
    }

    /// Cancels a match. Does nothing if it has ended.
    pub(crate) async fn cancel(&self, match_id: &str, reason: &str) -> Result<(), CallError> {
        let request =
            CancelMatchRequest { match_id: match_id.to_owned(), reason: reason.to_owned() };
        let cancelled = call!(self, "CancelMatch", matches.cancel_match, request);
        let has_ended = [Code::FailedPrecondition, Code::NotFound];
        unless_refused(cancelled.await, &has_ended).map(drop)
    }

    /// Expires the seat of a bot that will not reconnect. Returns `false` while the server still
    /// has a stream of the bot. On a server without this RPC, the seat times out by itself.
    pub(crate) async fn expire_seat(
        &self,
        match_id: &str,
        seat: usize,
        reason: &str,
    ) -> Result<bool, CallError> {
        let request = ExpireSeatRequest {
            match_id: match_id.to_owned(),
            seat: u32::try_from(seat).unwrap_or(u32::MAX),
            reason: reason.to_owned(),
        };
        let expired = call!(self, "ExpireSeat", matches.expire_seat, request);
        match expired.await {
            Err(CallError::Refused { status, .. }) if is_seat_taken(&status) => Ok(false),
            expired => {
                let needless = [Code::FailedPrecondition, Code::NotFound, Code::Unimplemented];
                unless_refused(expired, &needless).map(|_| true)
            }
        }
    }

    /// Closes the group of a match, so that no more matches can be created in it. Returns those of
    /// the requested replay files that fit into the response.
    pub(crate) async fn close_group(
        &self,
        match_id: &str,
        replays: &[&str],
    ) -> Result<Vec<ReplayFile>, CallError> {
        let request = CloseGroupRequest {
            match_id: match_id.to_owned(),
            replay_match_ids: replays.iter().map(ToString::to_string).collect(),
        };
        let closed = call!(self, "CloseGroup", matches.close_group, request);
        closed.await.map(|closed| closed.replays)
    }

    /// Returns a match's replay file. The match's group must have ended.
    pub(crate) async fn replay_file(&self, match_id: &str) -> Result<Vec<u8>, CallError> {
        let request = GetReplayRequest { match_id: match_id.to_owned(), as_file: true };
        let answer = call!(self, "GetReplay", matches.get_replay, request);
        answer.await.map(|answer| answer.file)
    }

    /// Repeats a call for up to [`RETRY_TIMEOUT`].
    async fn call<Q: Clone, T, A: Future<Output = Result<Response<T>, Status>>>(
        &self,
        name: &'static str,
        request: Q,
        call: impl Fn(Services, Q) -> A,
    ) -> Result<T, CallError> {
        let call = |services| call(services, request.clone());
        self.rpc.call(RETRY_TIMEOUT, name, call).await
    }
}

/// Returns `None` for a call that was refused with one of these codes, which mean that the call is
/// unnecessary.
fn unless_refused<T>(
    called: Result<T, CallError>,
    needless: &[Code],
) -> Result<Option<T>, CallError> {
    match called {
        Err(CallError::Refused { status, .. }) if needless.contains(&status.code()) => Ok(None),
        called => called.map(Some),
    }
}

fn is_seat_taken(status: &Status) -> bool {
    Refusal::from_status(status).is_some_and(|refusal| refusal.reason == "SEAT_TAKEN")
}

fn labels(contest: &str) -> BTreeMap<String, String> {
    [(CONTEST_LABEL.to_owned(), contest.to_owned())].into()
}
