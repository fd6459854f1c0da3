//! A caller of a server, with or without an API key, and the calls that tests make.

use std::net::IpAddr;

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    CancelMatchRequest, CloseGroupRequest, CreateMatchRequest, CreateMatchResponse,
    ExpireSeatRequest, GetMatchRequest, GetReplayRequest, ListGamesRequest, ListMatchesRequest,
    ListMatchesResponse, MatchConfig, MatchFilter, MatchInfo, MatchResult, MatchState,
    ReplaceTicketsRequest, Replay, SeatTicket, Viewer, WatchMatchRequest, WatchMatchResponse,
    WatchMatchesRequest, WatchMatchesResponse, WatchPositionsRequest, WatchPositionsResponse,
    catalog_service_client::CatalogServiceClient, ladder_service_client::LadderServiceClient,
    lobby_service_client::LobbyServiceClient, match_service_client::MatchServiceClient,
    play_service_client::PlayServiceClient, rules_service_client::RulesServiceClient,
    watch_positions_request::Source,
};
use bridgemaster_sdk::{ApiKeyInterceptor, AttendOptions, Options, PlayError};
use bridgemaster_server::identity::ApiKey;
use tokio::{task::JoinHandle, time::timeout};
use tonic::{Status, Streaming, service::interceptor::InterceptedService, transport::Channel};

use crate::{
    raw_bot::RawBot,
    streams::{PATIENCE, find},
    test_server::Seated,
};

/// A channel that presents the key of its caller, if it has one.
pub(crate) type Keyed = InterceptedService<Channel, ApiKeyInterceptor>;

#[derive(Clone)]
pub(crate) struct Caller {
    pub(crate) url: String,
    pub(crate) channel: Channel,
    key: Option<ApiKey>,
    address: Option<IpAddr>,
    /// Flow-control window of the caller's streams, in bytes.
    window: Option<u32>,
}

impl Caller {
    pub(crate) fn new(url: String) -> Self {
        Self { channel: connect(&url, None, None), url, key: None, address: None, window: None }
    }

    /// Returns a caller that uses this channel for every call, including those of its bots.
    pub(crate) fn over(channel: Channel) -> Self {
        Self { url: String::new(), channel, key: None, address: None, window: None }
    }

    /// Returns the same caller with a key.
    pub(crate) fn with(&self, key: &ApiKey) -> Self {
        Self { key: Some(key.clone()), ..self.clone() }
    }

    /// Returns the same caller with a separate connection from a loopback address. On Linux, all
    /// of 127.0.0.0/8 is loopback.
    pub(crate) fn at(&self, address: &str) -> Self {
        let address = Some(address.parse().unwrap());
        Self { channel: connect(&self.url, address, self.window), address, ..self.clone() }
    }

    /// Returns the same caller with a separate connection whose streams have this window, so that
    /// the server can send only this number of unread bytes.
    pub(crate) fn with_window(&self, bytes: u32) -> Self {
        Self {
            channel: connect(&self.url, self.address, Some(bytes)),
            window: Some(bytes),
            ..self.clone()
        }
    }

    pub(crate) fn key(&self) -> &ApiKey {
        self.key.as_ref().unwrap()
    }

    fn client_key(&self) -> Option<bridgemaster_sdk::ApiKey> {
        let key = self.key.as_ref();
        key.map(|key| key.reveal().parse().unwrap())
    }

    pub(crate) fn keyed(&self) -> Keyed {
        let key = ApiKeyInterceptor::new(self.client_key().as_ref());
        InterceptedService::new(self.channel.clone(), key)
    }

    /// Returns a client with a separate connection, like that of each bot process.
    pub(crate) fn player(&self) -> PlayServiceClient<Keyed> {
        let own = match self.url.is_empty() {
            true => self.channel.clone(),
            false => connect(&self.url, self.address, self.window),
        };
        let key = ApiKeyInterceptor::new(self.client_key().as_ref());
        PlayServiceClient::new(InterceptedService::new(own, key))
    }

    pub(crate) fn matches(&self) -> MatchServiceClient<Keyed> {
        MatchServiceClient::new(self.keyed())
    }

    pub(crate) fn catalog(&self) -> CatalogServiceClient<Keyed> {
        CatalogServiceClient::new(self.keyed())
    }

    pub(crate) fn lobby(&self) -> LobbyServiceClient<Keyed> {
        LobbyServiceClient::new(self.keyed())
    }

    pub(crate) fn ladders(&self) -> LadderServiceClient<Keyed> {
        LadderServiceClient::new(self.keyed())
    }

    pub(crate) fn rules(&self) -> RulesServiceClient<Keyed> {
        RulesServiceClient::new(self.keyed())
    }

    /// Makes a call that any caller may make.
    pub(crate) async fn list_games(&self) -> Result<(), Status> {
        self.catalog().list_games(ListGamesRequest {}).await.map(drop)
    }

    pub(crate) async fn create_by(
        &self,
        request: CreateMatchRequest,
    ) -> Result<CreateMatchResponse, Status> {
        let made = self.matches().create_match(request).await?;
        Ok(made.into_inner())
    }

    pub(crate) async fn try_create(&self, config: MatchConfig) -> Result<Seated, Status> {
        self.create_by(creating(config)).await.map(Seated::from)
    }

    pub(crate) async fn create(&self, config: MatchConfig) -> Seated {
        self.try_create(config).await.unwrap()
    }

    /// Creates a match and plays it to its end with well-behaved bots.
    pub(crate) async fn played(&self, config: MatchConfig) -> Seated {
        let seated = self.create(config).await;
        self.play(&seated).await;
        seated
    }

    pub(crate) async fn try_info(&self, match_id: &str) -> Result<MatchInfo, Status> {
        let request =
            GetMatchRequest { match_id: match_id.to_owned(), ..GetMatchRequest::default() };
        let response = self.matches().get_match(request).await?;
        Ok(response.into_inner().r#match.unwrap())
    }

    pub(crate) async fn info(&self, match_id: &str) -> MatchInfo {
        self.try_info(match_id).await.unwrap()
    }

    /// Waits for the end of a match and returns its result.
    pub(crate) async fn result(&self, match_id: &str) -> MatchResult {
        let mut updates = self.watch(match_id).await.unwrap();
        find(&mut updates, |update| update.r#match?.result).await
    }

    pub(crate) async fn page(
        &self,
        request: ListMatchesRequest,
    ) -> Result<ListMatchesResponse, Status> {
        let page = self.matches().list_matches(request).await?;
        Ok(page.into_inner())
    }

    pub(crate) async fn list(&self) -> Result<Vec<String>, Status> {
        self.list_by(MatchFilter::default()).await
    }

    /// Returns the identifiers of all matches that a filter selects, from small pages.
    pub(crate) async fn list_by(&self, filter: MatchFilter) -> Result<Vec<String>, Status> {
        let mut ids = Vec::new();
        let mut page_token = String::new();
        loop {
            let request =
                ListMatchesRequest { filter: Some(filter.clone()), page_size: 2, page_token };
            let page = self.page(request).await?;
            ids.extend(page.matches.into_iter().map(|info| info.match_id));
            page_token = page.next_page_token;
            if page_token.is_empty() {
                return Ok(ids);
            }
        }
    }

    pub(crate) async fn cancel(&self, match_id: &str, why: &str) -> Result<MatchInfo, Status> {
        let request = CancelMatchRequest { match_id: match_id.to_owned(), reason: why.to_owned() };
        let cancelled = self.matches().cancel_match(request).await?;
        Ok(cancelled.into_inner().r#match.unwrap())
    }

    pub(crate) async fn close_group(&self, match_id: &str) -> Result<(), Status> {
        let request =
            CloseGroupRequest { match_id: match_id.to_owned(), ..CloseGroupRequest::default() };
        self.matches().close_group(request).await.map(drop)
    }

    pub(crate) async fn replace_tickets(
        &self,
        match_id: &str,
        seats: &[u32],
    ) -> Result<Vec<SeatTicket>, Status> {
        let request =
            ReplaceTicketsRequest { match_id: match_id.to_owned(), seats: seats.to_vec() };
        let replaced = self.matches().replace_tickets(request).await?;
        Ok(replaced.into_inner().tickets)
    }

    pub(crate) async fn expire(&self, match_id: &str, seat: u32, why: &str) -> Result<(), Status> {
        let request =
            ExpireSeatRequest { match_id: match_id.to_owned(), seat, reason: why.to_owned() };
        self.matches().expire_seat(request).await.map(drop)
    }

    pub(crate) async fn watch(
        &self,
        match_id: &str,
    ) -> Result<Streaming<WatchMatchResponse>, Status> {
        let request = WatchMatchRequest { match_id: match_id.to_owned() };
        Ok(self.matches().watch_match(request).await?.into_inner())
    }

    pub(crate) async fn positions(
        &self,
        request: WatchPositionsRequest,
    ) -> Result<Streaming<WatchPositionsResponse>, Status> {
        Ok(self.matches().watch_positions(request).await?.into_inner())
    }

    pub(crate) async fn overview(
        &self,
        request: WatchMatchesRequest,
    ) -> Result<Streaming<WatchMatchesResponse>, Status> {
        Ok(self.matches().watch_matches(request).await?.into_inner())
    }

    pub(crate) async fn replay(&self, match_id: &str) -> Result<Replay, Status> {
        let request = GetReplayRequest { match_id: match_id.to_owned(), as_file: false };
        let response = self.matches().get_replay(request).await?;
        Ok(response.into_inner().replay.unwrap())
    }

    pub(crate) async fn replay_file(&self, match_id: &str) -> Result<Vec<u8>, Status> {
        let request = GetReplayRequest { match_id: match_id.to_owned(), as_file: true };
        let response = self.matches().get_replay(request).await?;
        Ok(response.into_inner().file)
    }

    /// Starts a well-behaved bot that plays a seat to the end.
    pub(crate) fn good_bot(&self, ticket: &str) -> JoinHandle<Result<MatchResult, PlayError>> {
        let options = Options {
            key: self.client_key(),
            ..Options::new(&self.url, ticket.parse().unwrap(), "good")
        };
        tokio::spawn(bridgemaster_sdk::play(Random::new(&Seed::from(1)), options))
    }

    /// Starts a well-behaved bot that attends a queue until the test ends.
    pub(crate) fn attend(
        &self,
        queue_id: &str,
        name: &str,
        version: &str,
        slots: u32,
    ) -> JoinHandle<Result<(), PlayError>> {
        let options = AttendOptions {
            slots,
            bot_version: version.to_owned(),
            key: self.client_key(),
            ..AttendOptions::new(&self.url, queue_id, name)
        };
        let mut number = 0;
        let new_bot = move || {
            number += 1;
            Random::new(&Seed::from(number))
        };
        tokio::spawn(bridgemaster_sdk::attend(new_bot, options))
    }

    /// Plays all seats to the end with well-behaved bots. Returns the result that all of them get.
    pub(crate) async fn play(&self, seated: &Seated) -> MatchResult {
        play_by(&vec![self; seated.tickets.len()], seated).await
    }

    /// Joins with a valid Hello and reads the Welcome.
    pub(crate) async fn join(&self, ticket: &str) -> RawBot {
        RawBot::join(self, ticket).await
    }

    /// Joins all seats of a match.
    pub(crate) async fn join_all(&self, seated: &Seated) -> [RawBot; 2] {
        [self.join(&seated.tickets[0]).await, self.join(&seated.tickets[1]).await]
    }
}

fn connect(url: &str, address: Option<IpAddr>, window: Option<u32>) -> Channel {
    let endpoint = Channel::from_shared(url.to_owned()).unwrap();
    let endpoint = endpoint.initial_stream_window_size(window);
    endpoint.local_address(address).connect_lazy()
}

/// Plays each seat to the end with a well-behaved bot of one of these callers. Returns the result
/// that all bots get.
pub(crate) async fn play_by(callers: &[&Caller], seated: &Seated) -> MatchResult {
    let seats = callers.iter().zip(&seated.tickets);
    let bots: Vec<_> = seats.map(|(caller, one)| caller.good_bot(one)).collect();
    let mut results = Vec::new();
    for bot in bots {
        let result = timeout(PATIENCE, bot).await.expect("the match ends");
        results.push(result.unwrap().unwrap());
    }
    assert!(results.iter().all(|result| *result == results[0]));
    results.swap_remove(0)
}

/// Returns the request that creates a match.
pub(crate) fn creating(config: MatchConfig) -> CreateMatchRequest {
    CreateMatchRequest { config: Some(config), ..CreateMatchRequest::default() }
}

/// Returns the request for the positions of a match, as these viewers see them.
pub(crate) fn positions_of(match_id: &str, viewers: &[Viewer]) -> WatchPositionsRequest {
    WatchPositionsRequest {
        source: Some(Source::MatchId(match_id.to_owned())),
        viewers: viewers.to_vec(),
        from_decision: 0,
    }
}

pub(crate) fn in_state(state: MatchState) -> MatchFilter {
    MatchFilter { state: state.into(), ..MatchFilter::default() }
}
