//! Client that creates and lists matches and retries while the server restarts.

use std::{net::SocketAddr, time::Duration};

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{
        ClockRules, CreateMatchRequest, CreateMatchResponse, GetReplayRequest, ListMatchesRequest,
        MatchConfig, MatchInfo, Replay, match_service_client::MatchServiceClient,
    },
};
use tokio::{sync::watch, time::sleep};
use tonic::{
    Code, Status,
    transport::{Channel, Endpoint},
};

use crate::plan::PlannedMatch;

/// Delay after a call that the server did not answer.
const PAUSE: Duration = Duration::from_millis(20);
/// Matches per page of a list: several pages in every run.
const PAGE_SIZE: u32 = 5;
/// Time rules that no honest bot breaks on a loaded machine, whatever happens to the server, and
/// that end a match whose bot hangs.
const CLOCK: ClockRules = ClockRules {
    bank_ms: Some(1_200_000),
    increment_ms: None,
    cap_ms: Some(600_000),
    // A match that was made but whose answer was lost must not start before the run is over.
    startup_ms: Some(3_600_000),
    reconnect_ms: Some(180_000),
    round_trip_credit_ms: None,
    referee_lag_limit_ms: None,
};

/// Client of the match service at the current address of the server.
#[derive(Clone)]
pub(crate) struct MatchClient {
    server: watch::Receiver<Option<SocketAddr>>,
}

impl MatchClient {
    pub(crate) fn at(server: watch::Receiver<Option<SocketAddr>>) -> Self {
        Self { server }
    }

    /// Creates a match. Returns the number of earlier calls without an answer, each of which may have
    /// created another match.
    pub(crate) async fn create(
        &self,
        planned: &PlannedMatch,
    ) -> Result<(CreateMatchResponse, usize), String> {
        let game = planned.game;
        let config = MatchConfig {
            game: with_game!(game, G => G::config_to_wire(&Default::default())),
            seats: planned.players.len() as u32,
            seed: Some(planned.seed.clone()),
            clock: Some(CLOCK),
            ..MatchConfig::default()
        };
        let request = CreateMatchRequest {
            config: Some(config),
            ..CreateMatchRequest::default()
        };
        let mut unanswered = 0;
        loop {
            if let Some(mut client) = self.client().await {
                match client.create_match(request.clone()).await {
                    Ok(made) => return Ok((made.into_inner(), unanswered)),
                    Err(status) => lost(status)?,
                }
                unanswered += 1;
            }
            sleep(PAUSE).await;
        }
    }

    /// All matches that the server lists.
    pub(crate) async fn list(&self) -> Result<Vec<MatchInfo>, String> {
        let mut client = self.client().await.ok_or("the server is not there")?;
        let mut matches = Vec::new();
        let mut page_token = String::new();
        loop {
            let request = ListMatchesRequest {
                page_size: PAGE_SIZE,
                page_token,
                ..ListMatchesRequest::default()
            };
            let page = client.list_matches(request).await.map_err(words)?;
            let page = page.into_inner();
            matches.extend(page.matches);
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(matches);
            }
        }
    }

    /// Returns the replay of a match that has ended for its bots.
    pub(crate) async fn replay(&self, match_id: &str) -> Result<Replay, String> {
        let request = GetReplayRequest {
            match_id: match_id.to_owned(),
            ..GetReplayRequest::default()
        };
        loop {
            if let Some(mut client) = self.client().await {
                match client.get_replay(request.clone()).await {
                    Ok(replay) => {
                        let replay = replay.into_inner().replay;
                        return replay.ok_or_else(|| format!("{match_id}: there is no replay"));
                    }
                    Err(status) => lost(status)?,
                }
            }
            sleep(PAUSE).await;
        }
    }

    /// A connection to the server as soon as there is one; `None` when it was gone again.
    async fn client(&self) -> Option<MatchServiceClient<Channel>> {
        let mut server = self.server.clone();
        let address = *server.wait_for(Option::is_some).await.ok()?;
        let endpoint = Endpoint::from_shared(format!("http://{}", address?)).ok()?;
        endpoint.connect().await.ok().map(MatchServiceClient::new)
    }
}

/// Takes the failure of a call that the server may have carried out or not, for it was lost over it.
///
/// # Errors
/// Any other failure, in words.
fn lost(status: Status) -> Result<(), String> {
    match status.code() {
        Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled => Ok(()),
        _ => Err(words(status)),
    }
}

fn words(status: Status) -> String {
    format!("the server refuses a call: {status}")
}
