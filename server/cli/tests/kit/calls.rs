//! Calls to a server, and the messages for them.

use bridgemaster_games::with_game;
use bridgemaster_proto::{
    games::WireGame as _,
    v1::{
        ClockRules, CreateMatchRequest, GetMatchRequest, GetReplayRequest, ListMatchesRequest,
        MatchConfig, MatchInfo, Replay, TimeControl, match_service_client::MatchServiceClient,
    },
};
use bridgemaster_sdk::KEY_METADATA;
use tonic::{
    Request, Status,
    transport::{Channel, Endpoint},
};
use tonic_types::StatusExt as _;

use super::served::Served;

/// A time control that no bot exceeds on a loaded machine. Bots may be absent while a match starts.
pub(crate) const PATIENT_CLOCK: ClockRules = ClockRules {
    time_control: Some(TimeControl::fischer(3_600_000, 500, 600_000)),
    startup_ms: Some(600_000),
    reconnect_ms: None,
    round_trip_credit_ms: None,
    referee_lag_limit_ms: None,
};

/// Returns the config of a match with the default options of its game.
pub(crate) fn config(game: &str, seats: u32, clock: ClockRules) -> MatchConfig {
    MatchConfig {
        game: with_game!(game, G => G::config_to_wire(&Default::default())),
        seats,
        clock: Some(clock),
        ..MatchConfig::default()
    }
}

pub(crate) fn create_request(config: MatchConfig) -> CreateMatchRequest {
    CreateMatchRequest { config: Some(config), ..CreateMatchRequest::default() }
}

pub(crate) fn get_request(match_id: &str) -> GetMatchRequest {
    GetMatchRequest { match_id: match_id.to_owned(), ..GetMatchRequest::default() }
}

/// Returns a call with a ticket and a key. An empty one is omitted.
pub(crate) fn showing<T>(message: T, ticket: &str, key: &str) -> Request<T> {
    let mut call = Request::new(message);
    let metadata = call.metadata_mut();
    if !ticket.is_empty() {
        metadata.insert("authorization", format!("Bearer {ticket}").parse().unwrap());
    }
    if !key.is_empty() {
        metadata.insert(KEY_METADATA, key.parse().unwrap());
    }
    call
}

/// Returns the reason of a refusal, or its code if it has none.
pub(crate) fn reason(status: &Status) -> String {
    let info = status.get_details_error_info();
    info.map_or_else(|| format!("{:?}", status.code()), |info| info.reason)
}

pub(crate) async fn connected(url: &str) -> Channel {
    let endpoint = Endpoint::from_shared(url.to_owned()).unwrap();
    endpoint.connect().await.unwrap()
}

impl Served {
    pub(crate) async fn channel(&self) -> Channel {
        connected(&self.url).await
    }

    pub(crate) async fn matches(&self) -> MatchServiceClient<Channel> {
        MatchServiceClient::new(self.channel().await)
    }

    /// Creates a match of two seats, and returns its identifier and its tickets.
    pub(crate) async fn create(&self, game: &str, seed: &str) -> (String, Vec<String>) {
        self.create_with(game, seed, PATIENT_CLOCK).await.unwrap()
    }

    /// Creates a match of two seats with this time control.
    pub(crate) async fn create_with(
        &self,
        game: &str,
        seed: &str,
        clock: ClockRules,
    ) -> Result<(String, Vec<String>), Status> {
        let config = MatchConfig { seed: Some(seed.to_owned()), ..config(game, 2, clock) };
        let made = self.matches().await.create_match(create_request(config)).await?;
        let made = made.into_inner();
        let tickets = made.tickets.into_iter().map(|ticket| ticket.ticket);
        Ok((made.r#match.unwrap().match_id, tickets.collect()))
    }

    pub(crate) async fn all_matches(&self) -> Vec<MatchInfo> {
        let request = ListMatchesRequest { page_size: 500, ..ListMatchesRequest::default() };
        let listed = self.matches().await.list_matches(request).await.unwrap();
        listed.into_inner().matches
    }

    pub(crate) async fn info(&self, match_id: &str) -> Result<MatchInfo, Status> {
        let got = self.matches().await.get_match(get_request(match_id)).await?;
        Ok(got.into_inner().r#match.unwrap())
    }

    pub(crate) async fn replay(&self, match_id: &str) -> Replay {
        let request =
            GetReplayRequest { match_id: match_id.to_owned(), ..GetReplayRequest::default() };
        let replay = self.matches().await.get_replay(request).await.unwrap();
        replay.into_inner().replay.unwrap()
    }
}
