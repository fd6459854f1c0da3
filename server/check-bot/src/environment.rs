//! The real server that the checks use, and the matches that the bot plays on it.

use std::net::{Ipv4Addr, SocketAddr};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    self, CreateMatchRequest, GetMatchRequest, MatchInfo, SeatResult, Welcome,
    match_service_client::MatchServiceClient, play_service_client::PlayServiceClient,
};
use bridgemaster_sdk::{ApiKey, ApiKeyInterceptor, Connection, Options};
use parking_lot::Mutex;
use tokio::time::Instant;
use tokio_util::{
    sync::{CancellationToken, DropGuard},
    task::AbortOnDropHandle,
};
use tonic::{
    service::interceptor::InterceptedService,
    transport::{Channel, Endpoint},
};

use super::{
    bot_match::{BotMatch, KeyedChannel},
    catalog::section,
    match_settings::{MatchSettings, TimeLimits},
    report::{StopReason, Verdict, broken_check, failed},
    scripted_proxy::ScriptedProxy,
    transcript::Transcript,
    wire::Numbering,
};
use bridgemaster_bot_process::{BotCommand, BotProcess, Isolation, StartError};
use bridgemaster_server::{
    Server, ServerOptions,
    identity::{self, PrivateAccess},
};

/// The maximum number of seats on the server. It is enough for all concurrent checks.
const MAX_SEATS: usize = 32;

/// The environment for a run: the server and the command that starts the bot.
pub(super) struct CheckEnvironment {
    pub(super) command: BotCommand,
    pub(super) times: TimeLimits,
    pub(super) server: SocketAddr,
    url: String,
    access: PrivateAccess,
    channel: Channel,
    key_interceptor: ApiKeyInterceptor,
    /// The weakest isolation among the bot's processes.
    isolation: Mutex<Option<Isolation>>,
    _stop: DropGuard,
}

impl CheckEnvironment {
    pub(super) async fn open(command: BotCommand, times: TimeLimits) -> Result<Self, String> {
        let addr = (Ipv4Addr::LOCALHOST, 0).into();
        let access = PrivateAccess::generate();
        let key = sdk_key(access.organiser_key())?;
        let options = ServerOptions::private(access.clone(), MAX_SEATS, false);
        let server = Server::bind(addr, options).await.map_err(|error| error.to_string())?;
        let local_addr = server.local_addr();
        let url = format!("http://{local_addr}");
        let stop = CancellationToken::new();
        tokio::spawn(server.run(stop.clone()));
        let channel = Endpoint::from_shared(url.clone())
            .map_err(|error| error.to_string())?
            .tcp_nodelay(true)
            .connect_lazy();
        Ok(Self {
            command,
            times,
            server: local_addr,
            url,
            access,
            channel,
            key_interceptor: ApiKeyInterceptor::new(Some(&key)),
            isolation: Mutex::new(None),
            _stop: stop.drop_guard(),
        })
    }

    /// Records the isolation of a bot process that was started.
    pub(super) fn record_started(
        &self,
        process: Result<BotProcess, StartError>,
    ) -> Verdict<BotProcess> {
        let process = process.map_err(|error| broken_check("cannot start the bot", error))?;
        let mut isolation = self.isolation.lock();
        *isolation = isolation.into_iter().chain([process.isolation()]).min();
        Ok(process)
    }

    /// Returns the weakest isolation of the bot's processes so far.
    pub(super) fn isolation(&self) -> Option<Isolation> {
        *self.isolation.lock()
    }

    /// Creates a match and starts its bots.
    pub(super) async fn create_match(&self, settings: MatchSettings) -> Verdict<BotMatch> {
        let mut client = MatchServiceClient::new(self.channel());
        let config = Some(settings.config(self.times)?);
        let created = client
            .create_match(CreateMatchRequest { config, ..CreateMatchRequest::default() })
            .await;
        let created = created.map_err(|status| broken_check("cannot create the match", status))?;
        let created = created.into_inner();
        let mut tickets = created.tickets;
        let own = tickets.pop();
        let own = own.ok_or_else(|| StopReason::Broken("a match has no seats".to_owned()))?;
        let opponents = self.opponents(&tickets)?;
        let proxy = self.open_proxy().await?;
        let absent =
            if settings.first_server_is_absent { Some(self.absent_proxy().await?) } else { None };
        let proxies = absent.iter().chain([&proxy]);
        let urls = proxies.map(|proxy| format!("http://{}", proxy.listener.local_addr()));
        let urls = urls.collect::<Vec<_>>().join(",");
        let process = self.command.start(&urls, &own.ticket).await;
        let process = self.record_started(process)?;
        Ok(BotMatch {
            proxy,
            process,
            times: self.times,
            transcript: Transcript::default(),
            match_id: created.r#match.unwrap_or_default().match_id,
            seat: own.seat,
            ticket: own.ticket,
            url: self.url.clone(),
            client,
            server: PlayServiceClient::new(self.channel.clone()),
            numbering: Numbering::default(),
            welcome: Welcome::default(),
            started: Default::default(),
            bot: None,
            upstream: None,
            has_exited: false,
            expected: String::new(),
            section: "",
            deadline: Instant::now(),
            _opponents: opponents,
            _absent: absent,
        })
    }

    /// Returns a channel that adds the checks' API key to each call.
    pub(super) fn channel(&self) -> KeyedChannel {
        InterceptedService::new(self.channel.clone(), self.key_interceptor.clone())
    }

    /// Issues an API key for the bot. The key permits only attending this queue under this name.
    pub(super) fn bot_key(&self, queue_id: &str, name: &str) -> Verdict<String> {
        let key = self.access.issue_bot_key(queue_id, name);
        let key = key.map_err(|error| broken_check("cannot issue a key for the bot", error))?;
        Ok(key.reveal())
    }

    /// Starts random bots for these seats.
    pub(super) fn opponents(
        &self,
        tickets: &[v1::SeatTicket],
    ) -> Verdict<Vec<AbortOnDropHandle<()>>> {
        let play = |seat: &v1::SeatTicket| play_random(&self.url, &seat.ticket, seat.seat);
        tickets.iter().map(play).collect()
    }

    /// Opens a `PlayService` for the bot of one check.
    pub(super) async fn open_proxy(&self) -> Verdict<ScriptedProxy> {
        ScriptedProxy::open().await.map_err(|error| broken_check("cannot listen on a port", error))
    }

    /// Reserves a port that refuses connections.
    async fn absent_proxy(&self) -> Verdict<ScriptedProxy> {
        let mut proxy = self.open_proxy().await?;
        proxy.stop_listening().await?;
        Ok(proxy)
    }
}

/// Requests the information about a match from the server.
pub(super) async fn match_info(
    client: &mut MatchServiceClient<KeyedChannel>,
    match_id: &str,
) -> Verdict<MatchInfo> {
    let request = GetMatchRequest { match_id: match_id.to_owned(), ..GetMatchRequest::default() };
    let got = client.get_match(request).await;
    let got = got.map_err(|status| broken_check("cannot read the match", status))?;
    let info = got.into_inner().r#match;
    info.ok_or_else(|| StopReason::Broken("the response contains no match".to_owned()))
}

/// Returns the result of a seat.
pub(super) fn seat_result(info: MatchInfo, seat: u32) -> Verdict<SeatResult> {
    let seats = info.result.map(|result| result.seats).unwrap_or_default();
    let found = seats.into_iter().find(|result| result.seat == seat);
    found.ok_or_else(|| StopReason::Broken("the match has no result".to_owned()))
}

/// Checks that the bot had no faults in its match other than `refused_answers` refused answers.
pub(super) fn check_faults(result: &SeatResult, refused_answers: u32) -> Verdict<()> {
    let is_faultless = result.fault_count == refused_answers
        && result.forfeit() == v1::FaultReason::Unspecified
        && result.house_decisions == 0;
    if is_faultless {
        return Ok(());
    }
    let faults = result.faults.iter().map(|fault| {
        format!(
            "{} at request {}: {}",
            fault.reason().as_str_name(),
            fault.request_id,
            fault.detail
        )
    });
    let faults = faults.collect::<Vec<_>>().join("; ");
    Err(failed(
        "no faults of the bot and no house decisions",
        format!(
            "faults: {} ({faults}); house decisions: {}",
            result.fault_count, result.house_decisions
        ),
        section::FAULTS,
    ))
}

/// Converts an API key from the server's type to the SDK's type.
fn sdk_key(key: &identity::ApiKey) -> Result<ApiKey, String> {
    key.reveal().parse().map_err(|error| format!("{error}"))
}

/// Starts a random bot for a seat in this process.
pub(super) fn play_random(url: &str, ticket: &str, seat: u32) -> Verdict<AbortOnDropHandle<()>> {
    let ticket = ticket.parse();
    let ticket = ticket.map_err(|error| broken_check("invalid ticket", error))?;
    let connection = Connection::new(url);
    let connection =
        connection.map_err(|error| broken_check("cannot create a connection", error))?;
    let options = Options::new(url, ticket, "random");
    let bot = Random::new(&Seed::from(u64::from(seat)));
    Ok(AbortOnDropHandle::new(tokio::spawn(async move {
        // Errors of the random bot are visible in the match result.
        let _ = connection.play(bot, &options).await;
    })))
}
