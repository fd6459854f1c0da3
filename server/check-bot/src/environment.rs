//! The real server that the checks use, and the matches that the bot plays on it.

use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
};

use bridgemaster_bots::Random;
use bridgemaster_games::Seed;
use bridgemaster_proto::v1::{
    self, CreateMatchRequest, GetMatchRequest, MatchInfo, SeatResult,
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
    catalog::section,
    match_settings::{MatchSettings, TimeLimits},
    report::{StopReason, Verdict, failed},
    scripted_proxy::ScriptedProxy,
    session::{Event, Session},
};
use bridgemaster_bot_process::{BotCommand, BotProcess, Isolation, StartError};
use bridgemaster_server::{
    Server, ServerOptions,
    identity::{self, PrivateAccess},
};

/// A channel to the server that adds the checks' API key to each call.
pub(super) type KeyedChannel = InterceptedService<Channel, ApiKeyInterceptor>;

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

/// A match with the bot in the last seat and random bots in the other seats.
pub(super) struct BotMatch {
    pub(super) session: Session,
    match_id: String,
    pub(super) seat: u32,
    url: String,
    ticket: String,
    client: MatchServiceClient<KeyedChannel>,
    _opponents: Vec<AbortOnDropHandle<()>>,
    /// Reserves the port of the unreachable server.
    _absent: Option<ScriptedProxy>,
}

impl CheckEnvironment {
    pub(super) async fn open(command: BotCommand, times: TimeLimits) -> Result<Self, String> {
        let addr = (Ipv4Addr::LOCALHOST, 0).into();
        let access = PrivateAccess::generate();
        let key = sdk_key(access.organiser_key())?;
        let options = ServerOptions::private(access.clone(), MAX_SEATS, false);
        let server = Server::bind(addr, options)
            .await
            .map_err(|error| error.to_string())?;
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
            .create_match(CreateMatchRequest {
                config,
                ..CreateMatchRequest::default()
            })
            .await;
        let created = created.map_err(|status| broken_check("cannot create the match", status))?;
        let created = created.into_inner();
        let mut tickets = created.tickets;
        let own = tickets.pop();
        let own = own.ok_or_else(|| StopReason::Broken("a match has no seats".to_owned()))?;
        let opponents = self.opponents(&tickets)?;
        let proxy = self.open_proxy().await?;
        let absent = if settings.first_server_is_absent {
            Some(self.absent_proxy().await?)
        } else {
            None
        };
        let proxies = absent.iter().chain([&proxy]);
        let urls = proxies.map(|proxy| format!("http://{}", proxy.local_addr()));
        let urls = urls.collect::<Vec<_>>().join(",");
        let process = self.command.start(&urls, &own.ticket).await;
        let process = self.record_started(process)?;
        Ok(BotMatch {
            session: Session::new(
                proxy,
                process,
                self.times,
                own.ticket.clone(),
                PlayServiceClient::new(self.channel.clone()),
            ),
            match_id: created.r#match.unwrap_or_default().match_id,
            seat: own.seat,
            url: self.url.clone(),
            ticket: own.ticket,
            client,
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
        ScriptedProxy::open()
            .await
            .map_err(|error| broken_check("cannot listen on a port", error))
    }

    /// Reserves a port that refuses connections.
    async fn absent_proxy(&self) -> Verdict<ScriptedProxy> {
        let mut proxy = self.open_proxy().await?;
        proxy.stop_listening().await?;
        Ok(proxy)
    }
}

impl BotMatch {
    /// Waits for the bot's first stream, and forwards it to the server.
    pub(super) async fn connect(&mut self) -> Verdict<()> {
        let connected = self.wait_for_first_stream().await?;
        self.session.forward(connected).await
    }

    /// Waits for the bot's first stream, but does not forward the Hello.
    pub(super) async fn wait_for_first_stream(&mut self) -> Verdict<Event> {
        let time = self.session.times.start;
        let expected = "a stream, opened by the bot after its start";
        self.session
            .expect_within(expected, time, section::MESSAGE_FLOW);
        self.session
            .forward_until(|event| matches!(event, Event::Connected(_)))
            .await
    }

    /// Forwards all events until the server sends a request. The request itself is not forwarded.
    pub(super) async fn next_request(&mut self) -> Verdict<(u32, v1::DecisionRequest)> {
        let time = self.session.times.answer;
        let expected = "an answer to every request";
        self.session
            .expect_within(expected, time, section::ANSWERING);
        loop {
            let event = self.session.event().await?;
            match event {
                Event::FromServer(sequence, v1::play_response::Message::DecisionRequest(asked)) => {
                    return Ok((sequence, asked));
                }
                Event::FromServer(_, v1::play_response::Message::MatchEnded(_)) => {
                    return Err(StopReason::Skipped(
                        "the match ended before the bot had enough requests".to_owned(),
                    ));
                }
                Event::Connected(_) | Event::FromBot(_) => {
                    self.session.forward(event).await?;
                    self.session
                        .expect_within(expected, time, section::ANSWERING);
                }
                other => self.session.forward(other).await?,
            }
        }
    }

    /// Forwards all events until the server sends request `request_id`. The request itself is not
    /// forwarded.
    pub(super) async fn wait_for_request(
        &mut self,
        request_id: u32,
    ) -> Verdict<(u32, v1::DecisionRequest)> {
        loop {
            let (sequence, asked) = self.next_request().await?;
            if asked.request_id == request_id {
                return Ok((sequence, asked));
            }
            self.deliver(sequence, asked).await;
        }
    }

    pub(super) async fn deliver(&mut self, sequence: u32, asked: v1::DecisionRequest) {
        let message = v1::play_response::Message::DecisionRequest(asked);
        self.session.deliver(sequence, message).await;
    }

    /// Waits for the bot's answer to a request. The answer is not forwarded.
    pub(super) async fn wait_for_answer(&mut self, request_id: u32) -> Verdict<v1::Decision> {
        let time = self.session.times.answer;
        let expected = format!("an answer to request {request_id}");
        self.session
            .expect_within(expected, time, section::ANSWERING);
        let is_answer = |event: &Event| {
            matches!(
                event,
                Event::FromBot(v1::play_request::Message::Decision(answer))
                    if answer.request_id == request_id
            )
        };
        match self.session.forward_until(is_answer).await? {
            Event::FromBot(v1::play_request::Message::Decision(answer)) => Ok(answer),
            _ => Err(StopReason::Broken("unexpected event".to_owned())),
        }
    }

    /// Forwards an answer to the server.
    pub(super) async fn forward_answer(&mut self, answer: v1::Decision) {
        let message = v1::play_request::Message::Decision(answer);
        self.session.send_to_server(message).await;
    }

    /// Waits for the bot's next stream after a lost stream, and forwards it to the server.
    pub(super) async fn wait_for_resume(&mut self) -> Verdict<()> {
        let event = self.wait_for_next_stream().await?;
        self.session.forward(event).await
    }

    /// Waits for the bot's next stream after a lost stream, but does not forward the Hello.
    pub(super) async fn wait_for_next_stream(&mut self) -> Verdict<Event> {
        let time = self.session.times.reconnect;
        let expected = format!(
            "a new stream with the same ticket within the reconnect time, {} ms",
            time.as_millis()
        );
        self.session
            .expect_within(expected, time, section::RECONNECTING);
        self.session
            .forward_until(|event| matches!(event, Event::Connected(_)))
            .await
    }

    /// Plays to the end of the match, and checks that the bot had no faults other than
    /// `refused_answers` refused answers.
    pub(super) async fn finish(&mut self, refused_answers: u32) -> Verdict<()> {
        self.play_to_end().await?;
        let result = self.result().await?;
        check_faults(&result, refused_answers)
    }

    /// Forwards all events until MatchEnded has been delivered and the server has closed the
    /// stream.
    pub(super) async fn play_to_end(&mut self) -> Verdict<()> {
        let end = Instant::now() + self.session.times.whole_match;
        let mut progress = None;
        loop {
            // The other bots answer at once, so the tested bot has stalled any match that makes no
            // progress.
            let now = Some(self.session.transcript.progress());
            if progress != now {
                progress = now;
                let time = self.session.times.answer;
                let left = end.saturating_duration_since(Instant::now());
                let expected = "a match that ends";
                self.session
                    .expect_within(expected, time.min(left), section::MESSAGE_FLOW);
            }
            let event = self.session.event().await?;
            let is_over = matches!(event, Event::ServerEnded(None));
            if self.session.transcript.ended && (is_over || matches!(event, Event::Exited(_))) {
                return match event {
                    Event::ServerEnded(_) => self.session.forward(event).await,
                    // The `exit-code` check covers how the process exits.
                    _ => Ok(()),
                };
            }
            self.session.forward(event).await?;
        }
    }

    /// Returns the result for the bot's seat.
    pub(super) async fn result(&mut self) -> Verdict<SeatResult> {
        let info = match_info(&mut self.client, &self.match_id).await?;
        seat_result(info, self.seat)
    }

    /// Starts a built-in bot with the tested bot's ticket. The built-in bot's stream supersedes the
    /// tested bot's stream.
    pub(super) fn start_rival(&self) -> Verdict<AbortOnDropHandle<()>> {
        play_random(&self.url, &self.ticket, self.seat)
    }
}

/// Reads a match.
pub(super) async fn match_info(
    client: &mut MatchServiceClient<KeyedChannel>,
    match_id: &str,
) -> Verdict<MatchInfo> {
    let request = GetMatchRequest {
        match_id: match_id.to_owned(),
        ..GetMatchRequest::default()
    };
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
fn play_random(url: &str, ticket: &str, seat: u32) -> Verdict<AbortOnDropHandle<()>> {
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

/// Creates the error for a check that could not be run.
pub(super) fn broken_check(context: &str, error: impl std::fmt::Display) -> StopReason {
    StopReason::Broken(format!("{context}: {error}"))
}

impl From<io::Error> for StopReason {
    fn from(error: io::Error) -> Self {
        broken_check("cannot read the address of the check's server", error)
    }
}
