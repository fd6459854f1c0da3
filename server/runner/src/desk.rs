//! The match service of the server on which a contest is played.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bridgemaster_proto::v1::{
    CancelMatchRequest, CloseGroupRequest, CreateMatchRequest, CreateMatchResponse,
    CreateQueueRequest, DeleteQueueRequest, GetMatchRequest, GetReplayRequest, ListMatchesRequest,
    MatchFilter, MatchInfo, MatchState, Queue, ReplayFile,
};
use bridgemaster_sdk::Route;
use rand::{TryRng as _, rngs::SysRng};
use tokio::{
    sync::RwLock,
    time::{Instant, sleep},
};
use tonic::{Code, Status};

use crate::calls::{Calls, DeskError, ServerAddress, Services};

/// Time for which a server that is away is tried again: a restart takes less.
const PATIENCE: Duration = Duration::from_secs(60);
/// Time for which a bot that attends is waited for: enough to start its machine again.
const ATTENDANCE_PATIENCE: Duration = Duration::from_secs(600);
/// Time between two looks at a match.
pub(crate) const LOOK_INTERVAL: Duration = Duration::from_secs(1);
/// Longest time that the server waits for the end of a match before it answers: a server that is gone
/// is noticed, and a long match costs few calls.
const WAIT_MS: u32 = 20_000;
/// Random bytes of an idempotency key: no two calls draw the same.
const IDEMPOTENCY_KEY_BYTES: usize = 16;
/// The label by which the matches of a contest are found. Its value names the contest.
const CONTEST_LABEL: &str = "contest";

/// A client of the match service. A call that the server cannot answer now is tried again.
#[derive(Clone)]
pub(crate) struct Desk {
    calls: Calls,
    /// Read by each call that makes a match.
    making: Arc<RwLock<()>>,
}

impl Desk {
    pub(crate) async fn connect(server: &ServerAddress) -> Result<Self, DeskError> {
        Ok(Self {
            calls: Calls::to(server).await?,
            making: Arc::default(),
        })
    }

    /// Opens the queue of a contest. One that is open already is left as it is.
    pub(crate) async fn open_queue(&self, queue: Queue) -> Result<(), DeskError> {
        let opened = self.calls.persist(PATIENCE, "CreateQueue", |mut services| {
            let request = CreateQueueRequest {
                queue: Some(queue.clone()),
            };
            async move { services.lobby.create_queue(request).await }
        });
        opened.await.map(drop)
    }

    /// Closes a queue, so that the bots that attend it end.
    pub(crate) async fn close_queue(&self, queue_id: &str) -> Result<(), DeskError> {
        let closed = self.calls.persist(PATIENCE, "DeleteQueue", |mut services| {
            let request = DeleteQueueRequest {
                queue_id: queue_id.to_owned(),
            };
            async move { services.lobby.delete_queue(request).await }
        });
        closed.await.map(drop)
    }

    /// Makes a match of a contest. The call goes on when it is dropped: else there might be a match of
    /// which nobody knows.
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
            without_config: true,
            ..request
        };
        let making = Arc::clone(&self.making).read_owned().await;
        let desk = self.clone();
        let made = tokio::spawn(async move {
            let made = desk.calls.persist(patience, "CreateMatch", |mut services| {
                let request = request.clone();
                async move { services.matches.create_match(request).await }
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

    /// What is known of a match, without its config.
    pub(crate) async fn get(&self, match_id: &str) -> Result<MatchInfo, DeskError> {
        self.asked(GetMatchRequest {
            match_id: match_id.to_owned(),
            without_config: true,
            ..GetMatchRequest::default()
        })
        .await
    }

    /// The same once it is over, or after a while.
    pub(crate) async fn get_at_end(&self, match_id: &str) -> Result<MatchInfo, DeskError> {
        let begun = Instant::now();
        let info = self.asked(GetMatchRequest {
            match_id: match_id.to_owned(),
            wait_ms: WAIT_MS,
            without_config: true,
        });
        let info = info.await?;
        let is_over = matches!(info.state(), MatchState::Ended | MatchState::Cancelled);
        let has_waited = begun.elapsed() >= Duration::from_millis(WAIT_MS.into());
        if !is_over && !has_waited {
            // It drains, or is of an earlier version, and is not to be asked without a pause.
            sleep(LOOK_INTERVAL).await;
        }
        Ok(info)
    }

    /// Time that the bots of a match have to come for the first time, in ms; 0 when it is not known.
    pub(crate) async fn startup_ms(&self, match_id: &str) -> u32 {
        let asked = self.asked(GetMatchRequest {
            match_id: match_id.to_owned(),
            ..GetMatchRequest::default()
        });
        let config = asked.await.ok().and_then(|info| info.config);
        let clock = config.and_then(|config| config.clock);
        clock.and_then(|clock| clock.startup_ms).unwrap_or(0)
    }

    async fn asked(&self, request: GetMatchRequest) -> Result<MatchInfo, DeskError> {
        let answer = self
            .calls
            .persist(PATIENCE, "GetMatch", |mut services| {
                let request = request.clone();
                async move { services.matches.get_match(request).await }
            })
            .await?;
        answer.r#match.ok_or_else(|| DeskError::Refused {
            call: "GetMatch",
            status: Box::new(Status::internal("the answer has no match in it")),
        })
    }

    /// The matches of a contest that are in this state, by their identifiers. A server lists those in
    /// play that are its own, so each is asked.
    pub(crate) async fn list(
        &self,
        contest: &str,
        state: MatchState,
    ) -> Result<BTreeMap<String, MatchInfo>, DeskError> {
        let mut matches = BTreeMap::new();
        for mut route in self.calls.routes()? {
            for info in self.list_from(&mut route, contest, state).await? {
                matches.insert(info.match_id.clone(), info);
            }
        }
        Ok(matches)
    }

    /// Those that one server lists, or the next that is there.
    async fn list_from(
        &self,
        route: &mut Route,
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
            let call = |mut services: Services| {
                let request = request.clone();
                async move { services.matches.list_matches(request).await }
            };
            let listed = self
                .calls
                .persist_from(route, PATIENCE, "ListMatches", call);
            let page = listed.await?;
            matches.extend(page.matches);
            if page.next_page_token.is_empty() {
                return Ok(matches);
            }
            page_token = page.next_page_token;
        }
    }

    /// Cancels a match. One that is over stays as it is.
    pub(crate) async fn cancel(&self, match_id: &str, reason: &str) -> Result<(), DeskError> {
        let cancelled = self
            .calls
            .persist(PATIENCE, "CancelMatch", |mut services| {
                let request = CancelMatchRequest {
                    match_id: match_id.to_owned(),
                    reason: reason.to_owned(),
                };
                async move { services.matches.cancel_match(request).await }
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

    /// Says that no more matches of the group of this match will be made. Gives the replay files of
    /// these matches of it, or of some of them.
    pub(crate) async fn close_group(
        &self,
        match_id: &str,
        replays: &[&str],
    ) -> Result<Vec<ReplayFile>, DeskError> {
        let closed = self
            .calls
            .persist(PATIENCE, "CloseGroup", |mut services| {
                let request = CloseGroupRequest {
                    match_id: match_id.to_owned(),
                    replay_match_ids: replays.iter().map(ToString::to_string).collect(),
                };
                async move { services.matches.close_group(request).await }
            })
            .await;
        closed.map(|closed| closed.replays)
    }

    /// The bytes of the replay file of a match whose group is over.
    pub(crate) async fn replay_file(&self, match_id: &str) -> Result<Vec<u8>, DeskError> {
        let answer = self
            .calls
            .persist(PATIENCE, "GetReplay", |mut services| {
                let request = GetReplayRequest {
                    match_id: match_id.to_owned(),
                    as_file: true,
                };
                async move { services.matches.get_replay(request).await }
            })
            .await?;
        Ok(answer.file)
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
