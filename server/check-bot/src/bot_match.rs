//! A match between the bot and random bots. Connects the bot's streams to its seat on a real
//! server, passes events to the script, and sends the bot messages from the server and from the
//! script.

use std::{process::ExitStatus, time::Duration};

use bridgemaster_bot_process::BotProcess;
use bridgemaster_proto::v1::{
    Hello, MatchStarted, Ping, PlayRequest, PlayResponse, Pong, RefusalReason, Welcome,
    match_service_client::MatchServiceClient, play_request::Message as FromBot,
    play_response::Message as FromServer, play_service_client::PlayServiceClient,
};
use bridgemaster_sdk::ApiKeyInterceptor;
use bridgemaster_server::{Refusal, reason_name};
use tokio::{
    select,
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_stream::wrappers::ReceiverStream;
use tokio_util::task::AbortOnDropHandle;
use tonic::{
    Request, Status, Streaming, service::interceptor::InterceptedService, transport::Channel,
};
use tonic_types::StatusExt as _;

use crate::{
    catalog::section,
    first_message::{check_revision, read_hello},
    match_settings::TimeLimits,
    report::{StopReason, Verdict, broken_check, failed},
    scripted_proxy::{Arrival, BotStream, ScriptedProxy},
    transcript::Transcript,
    wire::{self, Numbering},
};

/// Maximum number of queued messages to the server.
const UPSTREAM_CAPACITY: usize = 256;

/// An event at the bot's seat.
#[derive(Debug)]
pub(super) enum Event {
    /// The bot opened a stream and sent Hello.
    Connected(Hello),
    /// The bot sent a message.
    FromBot(FromBot),
    /// The bot closed its stream, or the stream was lost.
    BotDisconnected(String),
    /// The server sent a message, with the server's sequence number.
    FromServer(u32, FromServer),
    /// The server closed the stream; the status is `None` if it closed the stream with OK.
    ServerEnded(Option<Status>),
    /// The bot's process exited.
    Exited(ExitStatus),
}

/// A channel to the server that adds the checks' API key to each call.
pub(super) type KeyedChannel = InterceptedService<Channel, ApiKeyInterceptor>;

/// The stream to the real server.
pub(super) struct Upstream {
    inbound: Streaming<PlayResponse>,
    outbound: mpsc::Sender<PlayRequest>,
}

/// A match with the bot in the last seat and random bots in the other seats.
pub(super) struct BotMatch {
    pub(super) proxy: ScriptedProxy,
    pub(super) process: BotProcess,
    pub(super) times: TimeLimits,
    pub(super) transcript: Transcript,
    pub(super) match_id: String,
    /// The bot's seat.
    pub(super) seat: u32,
    /// The seat's ticket. Both the bot and the check use this ticket.
    pub(super) ticket: String,
    /// The real server's address.
    pub(super) url: String,
    pub(super) client: MatchServiceClient<KeyedChannel>,
    pub(super) server: PlayServiceClient<Channel>,
    pub(super) numbering: Numbering,
    /// The server's last Welcome.
    pub(super) welcome: Welcome,
    pub(super) started: (u32, MatchStarted),
    pub(super) bot: Option<BotStream>,
    pub(super) upstream: Option<Upstream>,
    pub(super) has_exited: bool,
    pub(super) expected: String,
    pub(super) section: &'static str,
    pub(super) deadline: Instant,
    pub(super) _opponents: Vec<AbortOnDropHandle<()>>,
    /// Reserves the port of the unreachable server.
    pub(super) _absent: Option<ScriptedProxy>,
}

impl BotMatch {
    /// Sets the next expected event, its timeout, and the protocol section that requires the event.
    pub(super) fn expect_within(
        &mut self,
        expected: impl Into<String>,
        time: Duration,
        section: &'static str,
    ) {
        self.expected = expected.into();
        self.section = section;
        self.deadline = Instant::now() + time;
    }

    /// Waits for the next event. Fails if the expected event does not arrive in time.
    pub(super) async fn event(&mut self) -> Verdict<Event> {
        let deadline = self.deadline;
        match self.event_before(deadline).await? {
            Some(event) => Ok(event),
            None => Err(failed(
                &self.expected,
                format!("timed out; {}", self.transcript.describe_progress()),
                self.section,
            )),
        }
    }

    /// Waits for the next event until a deadline.
    pub(super) async fn event_before(&mut self, deadline: Instant) -> Verdict<Option<Event>> {
        loop {
            let bot = async {
                match &mut self.bot {
                    Some(bot) => bot.inbound.message().await,
                    None => std::future::pending().await,
                }
            };
            let upstream = async {
                match &mut self.upstream {
                    Some(upstream) => upstream.inbound.message().await,
                    None => std::future::pending().await,
                }
            };
            let ended = async {
                if self.has_exited {
                    std::future::pending().await
                } else {
                    self.process.ended().await
                }
            };
            // Read the bot's messages first, so that its last messages are processed before its
            // exit.
            select! {
                biased;
                message = bot => {
                    if let Some(event) = self.on_bot_message(message) {
                        return Ok(Some(event));
                    }
                }
                arrival = self.proxy.arrival() => return self.accept(arrival).await.map(Some),
                message = upstream => return Ok(Some(self.on_server_message(message))),
                status = ended => {
                    self.has_exited = true;
                    let status = status
                        .map_err(|error| broken_check("cannot wait for the bot's process", error))?;
                    return Ok(Some(Event::Exited(status)));
                }
                () = sleep_until(deadline) => return Ok(None),
            }
        }
    }

    /// Converts a bot's message to an event; `None` if the message is of an unknown kind.
    fn on_bot_message(&mut self, message: Result<Option<PlayRequest>, Status>) -> Option<Event> {
        match message {
            Ok(Some(PlayRequest { message })) => {
                let message = message?;
                self.transcript.record_from_bot(&message);
                Some(Event::FromBot(message))
            }
            Ok(None) => {
                self.bot = None;
                let how = "the bot closed its half of the stream";
                Some(Event::BotDisconnected(how.to_owned()))
            }
            Err(status) => {
                self.bot = None;
                let (code, message) = (status.code(), status.message());
                let how = format!("the bot's stream was lost: {code}: {message}");
                Some(Event::BotDisconnected(how))
            }
        }
    }

    fn on_server_message(&mut self, message: Result<Option<PlayResponse>, Status>) -> Event {
        match message {
            Ok(Some(PlayResponse { sequence, message: Some(message) })) => {
                match &message {
                    FromServer::Welcome(welcome) => self.welcome = welcome.clone(),
                    FromServer::MatchStarted(started) => self.started = (sequence, started.clone()),
                    _ => {}
                }
                Event::FromServer(sequence, message)
            }
            // The server never sends an empty message.
            Ok(_) => {
                self.upstream = None;
                Event::ServerEnded(None)
            }
            Err(status) => {
                self.upstream = None;
                Event::ServerEnded(Some(status))
            }
        }
    }

    /// Accepts a stream from the bot: checks its ticket and Hello, and lets it supersede the
    /// previous stream.
    async fn accept(&mut self, arrival: Arrival) -> Verdict<Event> {
        self.transcript.streams += 1;
        let (stream, hello) = read_hello(arrival, &self.ticket, self.times).await?;
        check_revision(&hello)?;
        self.transcript.check_hello(&hello)?;
        self.transcript.reset_stream();
        if let Some(older) = self.bot.replace(stream) {
            let text = "a newer stream of the seat took over";
            let superseded = Refusal::new(RefusalReason::Superseded, text);
            older.refuse(superseded.into()).await;
        }
        Ok(Event::Connected(hello))
    }

    /// Handles an event in the default way, by forwarding.
    pub(super) async fn forward(&mut self, event: Event) -> Verdict<()> {
        match event {
            Event::Connected(hello) => self.open_upstream(hello).await?,
            Event::FromBot(message) => self.send_to_server(message).await,
            Event::BotDisconnected(_) => self.upstream = None,
            Event::FromServer(sequence, message) => self.deliver(sequence, message).await,
            Event::ServerEnded(None) => self.bot = None,
            Event::ServerEnded(Some(status)) => return Err(self.refused(&status)),
            Event::Exited(status) => {
                let progress = self.transcript.describe_progress();
                let seen = format!("the process ended with {status}; {progress}");
                return Err(failed(&self.expected, seen, self.section));
            }
        }
        Ok(())
    }

    async fn open_upstream(&mut self, mut hello: Hello) -> Verdict<()> {
        // The history id in Hello has already been checked. The script might have invented it.
        let history_id = &self.welcome.history_id;
        hello.history_id = hello.history_id.map(|_| history_id.clone());
        hello.last_sequence = hello.last_sequence.map(|last| self.numbering.to_server(last));
        let (outbound, messages) = mpsc::channel(UPSTREAM_CAPACITY);
        let first = PlayRequest { message: Some(FromBot::Hello(hello)) };
        // Sending cannot fail: the receiver exists, and the queue is empty.
        let _ = outbound.send(first).await;
        let mut call = Request::new(ReceiverStream::new(messages));
        let bearer = format!("Bearer {}", self.ticket).parse();
        let bearer = bearer.map_err(|error| broken_check("invalid ticket", error))?;
        call.metadata_mut().insert("authorization", bearer);
        let response = self.server.play(call).await;
        let inbound = response.map_err(|status| self.refused(&status))?.into_inner();
        self.upstream = Some(Upstream { inbound, outbound });
        Ok(())
    }

    fn refused(&self, status: &Status) -> StopReason {
        let info = status.get_details_error_info();
        let reason = info.map_or_else(|| status.code().to_string(), |info| info.reason);
        failed(
            "only messages that the server accepts, until MatchEnded",
            format!(
                "the server ended the stream with {reason}: {}; {}",
                status.message(),
                self.transcript.describe_progress()
            ),
            section::REFUSALS,
        )
    }

    /// Forwards all events until an event matches. The matching event is returned and not
    /// forwarded.
    pub(super) async fn forward_until(
        &mut self,
        mut matches: impl FnMut(&Event) -> bool,
    ) -> Verdict<Event> {
        loop {
            let event = self.event().await?;
            if matches(&event) {
                return Ok(event);
            }
            self.forward(event).await?;
        }
    }

    /// Forwards all events for a limited time, or until an event matches.
    pub(super) async fn forward_for(
        &mut self,
        time: Duration,
        mut matches: impl FnMut(&Event) -> bool,
    ) -> Verdict<Option<Event>> {
        let end = Instant::now() + time;
        while let Some(event) = self.event_before(end).await? {
            if matches(&event) {
                return Ok(Some(event));
            }
            self.forward(event).await?;
        }
        Ok(None)
    }

    /// Sends one of the bot's messages to the server. Pongs that answer the script's Pings are
    /// dropped.
    pub(super) async fn send_to_server(&mut self, message: FromBot) {
        if let FromBot::Pong(Pong { nonce }) = &message
            && self.transcript.take_script_ping(*nonce)
        {
            return;
        }
        if let Some(upstream) = &self.upstream {
            let message = Some(message);
            // Sending to a closed stream fails, and the next read returns the reason.
            let _ = upstream.outbound.send(PlayRequest { message }).await;
        }
    }

    /// Closes the bot's stream with `status`, or with OK if `status` is `None`. The stream to the
    /// server is dropped.
    pub(super) async fn end_stream(&mut self, status: Option<Status>) {
        self.upstream = None;
        if let (Some(bot), Some(status)) = (self.bot.take(), status) {
            bot.refuse(status).await;
        }
    }

    /// Resets the bot's TCP connection. The stream to the server stays open.
    pub(super) async fn reset_bot(&mut self) {
        // Reset the connection first, so that the bot does not receive the end of the stream.
        self.proxy.listener.reset_connections().await;
        self.bot = None;
    }

    /// Resets the bot's TCP connection and drops the stream to the server.
    pub(super) async fn reset(&mut self) {
        self.upstream = None;
        self.reset_bot().await;
    }

    /// Sends one of the server's messages to the bot.
    pub(super) async fn deliver(&mut self, sequence: u32, message: FromServer) {
        self.deliver_encoded(sequence, message, wire::encode).await;
    }

    /// Sends one of the server's messages to the bot, in the given encoding.
    pub(super) async fn deliver_encoded(
        &mut self,
        sequence: u32,
        message: FromServer,
        encode: impl FnOnce(u32, FromServer) -> Vec<u8>,
    ) {
        let sequence = self.numbering.number_for_bot(sequence);
        self.transcript.record_from_server(sequence, &message);
        self.send_raw(encode(sequence, message)).await;
    }

    /// Inserts a message between the server's messages. `encode` receives the new message's
    /// sequence number.
    pub(super) async fn insert(&mut self, encode: impl FnOnce(u32) -> Vec<u8>) {
        let sequence = self.numbering.insert();
        self.transcript.record_sequence(sequence);
        self.send_raw(encode(sequence)).await;
    }

    /// Sends the bot a Ping that does not come from the server.
    pub(super) async fn send_ping(&mut self, nonce: u64) {
        self.transcript.record_script_ping(nonce);
        self.send_raw(wire::encode(0, FromServer::Ping(Ping { nonce }))).await;
    }

    /// Sends the bot a Welcome with the script's own history id. The server does not know this
    /// Welcome.
    pub(super) async fn welcome_to(&mut self, history_id: &str, resumed: bool) {
        let welcome =
            Welcome { history_id: history_id.to_owned(), resumed, ..self.welcome.clone() };
        if !resumed {
            self.transcript.start_over();
        }
        self.deliver(0, FromServer::Welcome(welcome)).await;
    }

    /// Sends MatchStarted to the bot again.
    pub(super) async fn resend_started(&mut self) {
        let (sequence, started) = self.started.clone();
        self.deliver(sequence, FromServer::MatchStarted(started)).await;
    }

    /// Sends an encoded message to the bot.
    pub(super) async fn send_raw(&self, message: Vec<u8>) {
        if let Some(bot) = &self.bot {
            bot.send(message).await;
        }
    }
}

/// Creates a status that refuses a stream.
pub(super) fn refusal(reason: RefusalReason) -> Status {
    let text = format!("stream closed by a check with {}", reason_name(reason));
    Refusal::new(reason, text).into()
}
