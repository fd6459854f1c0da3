//! The bot's seat between the bot and a real server: what a script hears, passes on and changes.

mod telling;

use std::{process::ExitStatus, time::Duration};

use bridgemaster_proto::v1::{
    Hello, MatchStarted, PlayRequest, PlayResponse, Pong, RefusalReason, Welcome,
    play_request::Message as FromBot, play_response::Message as FromServer,
    play_service_client::PlayServiceClient,
};
use tokio::{
    select,
    sync::mpsc,
    time::{Instant, sleep_until},
};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Request, Status, Streaming, transport::Channel};
use tonic_types::StatusExt as _;

use super::{
    catalog::section,
    failure::{Stop, Verdict, failed},
    front::{Arrival, BotStream, Front},
    hello::{check_revision, first_hello},
    limits::Times,
    numbering::Numbering,
    told::Told,
};
use bridgemaster_bot_process::BotProcess;
use bridgemaster_server::{Refusal, reason_name};

/// Messages of the bot that the server has not taken yet.
const UPSTREAM_MESSAGES: usize = 256;

/// Something that happened at the seat.
#[derive(Debug)]
pub(super) enum Event {
    /// The bot opened a stream and said Hello.
    Came(Hello),
    /// The bot sent a message.
    FromBot(FromBot),
    /// The bot's stream ended from its side.
    BotLeft(String),
    /// The server sent a message, with the server's sequence.
    FromServer(u32, FromServer),
    /// The server ended the stream, with a status unless it ended well.
    ServerEnded(Option<Status>),
    /// The process of the bot ended.
    Exited(ExitStatus),
}

/// The stream to the real server.
struct Upstream {
    inbound: Streaming<PlayResponse>,
    outbound: mpsc::Sender<PlayRequest>,
}

/// The bot's seat in one match.
pub(super) struct Session {
    pub(super) front: Front,
    pub(super) process: BotProcess,
    pub(super) times: Times,
    pub(super) told: Told,
    /// The ticket of the seat, for bot and server alike.
    ticket: String,
    server: PlayServiceClient<Channel>,
    numbering: Numbering,
    /// The newest Welcome of the server, and its MatchStarted with the server's sequence.
    welcome: Welcome,
    started: (u32, MatchStarted),
    bot: Option<BotStream>,
    upstream: Option<Upstream>,
    has_exited: bool,
    waiting_for: String,
    section: &'static str,
    deadline: Instant,
}

impl Session {
    pub(super) fn new(
        front: Front,
        process: BotProcess,
        times: Times,
        ticket: String,
        server: PlayServiceClient<Channel>,
    ) -> Self {
        Self {
            front,
            process,
            times,
            told: Told::default(),
            ticket,
            server,
            numbering: Numbering::default(),
            welcome: Welcome::default(),
            started: Default::default(),
            bot: None,
            upstream: None,
            has_exited: false,
            waiting_for: String::new(),
            section: "",
            deadline: Instant::now(),
        }
    }

    /// Sets what is waited for from now on, and for how long; `section` of the protocol asks for it.
    pub(super) fn wait_for(
        &mut self,
        what: impl Into<String>,
        time: Duration,
        section: &'static str,
    ) {
        self.waiting_for = what.into();
        self.section = section;
        self.deadline = Instant::now() + time;
    }

    /// The next event; a failure when what is waited for does not come in time.
    pub(super) async fn event(&mut self) -> Verdict<Event> {
        let deadline = self.deadline;
        match self.event_before(deadline).await? {
            Some(event) => Ok(event),
            None => Err(failed(
                &self.waiting_for,
                format!("timed out waiting for it; {}", self.told.so_far()),
                self.section,
            )),
        }
    }

    /// The next event before a moment.
    pub(super) async fn event_before(&mut self, moment: Instant) -> Verdict<Option<Event>> {
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
                match self.has_exited {
                    false => self.process.ended().await,
                    true => std::future::pending().await,
                }
            };
            // What the bot says comes first, so that its last words are heard before its end.
            select! {
                biased;
                message = bot => {
                    if let Some(event) = self.heard_bot(message) {
                        return Ok(Some(event));
                    }
                }
                arrival = self.front.arrival() => return self.came(arrival).await.map(Some),
                message = upstream => return Ok(Some(self.heard_server(message))),
                status = ended => {
                    self.has_exited = true;
                    let status = status.map_err(|error| Stop::Broken(format!(
                        "the end of the bot's process cannot be waited for: {error}"
                    )))?;
                    return Ok(Some(Event::Exited(status)));
                }
                () = sleep_until(moment) => return Ok(None),
            }
        }
    }

    /// What a message of the bot means; nothing when it is of a kind that this server does not
    /// know.
    fn heard_bot(&mut self, message: Result<Option<PlayRequest>, Status>) -> Option<Event> {
        match message {
            Ok(Some(PlayRequest { message })) => {
                let message = message?;
                self.told.heard(&message);
                Some(Event::FromBot(message))
            }
            Ok(None) => {
                self.bot = None;
                Some(Event::BotLeft(
                    "the bot closed its half of the stream".to_owned(),
                ))
            }
            Err(status) => {
                self.bot = None;
                Some(Event::BotLeft(format!(
                    "the bot's stream was lost: {}: {}",
                    status.code(),
                    status.message()
                )))
            }
        }
    }

    fn heard_server(&mut self, message: Result<Option<PlayResponse>, Status>) -> Event {
        match message {
            Ok(Some(PlayResponse {
                sequence,
                message: Some(message),
            })) => {
                match &message {
                    FromServer::Welcome(welcome) => self.welcome = welcome.clone(),
                    FromServer::MatchStarted(started) => self.started = (sequence, started.clone()),
                    _ => {}
                }
                Event::FromServer(sequence, message)
            }
            // This server sends no empty message.
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

    /// Reads what a stream begins with.
    async fn came(&mut self, arrival: Arrival) -> Verdict<Event> {
        self.told.streams += 1;
        let (stream, hello) = first_hello(arrival, &self.ticket, self.times).await?;
        check_revision(&hello)?;
        self.told.check_known(&hello)?;
        self.told.forget_stream();
        let older = self.bot.replace(stream);
        if let Some(older) = older {
            let text = "a newer stream of the seat took over";
            older
                .refuse(Refusal::new(RefusalReason::Superseded, text).into())
                .await;
        }
        Ok(Event::Came(hello))
    }

    /// Does with an event what a server without a script does.
    pub(super) async fn pass(&mut self, event: Event) -> Verdict<()> {
        match event {
            Event::Came(hello) => self.open_upstream(hello).await,
            Event::FromBot(message) => {
                self.say_to_server(message).await;
                Ok(())
            }
            Event::BotLeft(_) => {
                self.upstream = None;
                Ok(())
            }
            Event::FromServer(sequence, message) => {
                self.deliver(sequence, message).await;
                Ok(())
            }
            Event::ServerEnded(None) => {
                self.bot = None;
                Ok(())
            }
            Event::ServerEnded(Some(status)) => Err(self.refused(&status)),
            Event::Exited(status) => Err(failed(
                &self.waiting_for,
                format!("the process ended with {status}; {}", self.told.so_far()),
                self.section,
            )),
        }
    }

    async fn open_upstream(&mut self, mut hello: Hello) -> Verdict<()> {
        // Its own was checked, and may be one that only the script knows.
        let history_id = &self.welcome.history_id;
        hello.history_id = hello.history_id.map(|_| history_id.clone());
        hello.last_sequence = hello
            .last_sequence
            .map(|last| self.numbering.to_server(last));
        let (outbound, messages) = mpsc::channel(UPSTREAM_MESSAGES);
        let first = PlayRequest {
            message: Some(FromBot::Hello(hello)),
        };
        // The receiver is held here, and there is room.
        let _ = outbound.send(first).await;
        let mut call = Request::new(ReceiverStream::new(messages));
        let bearer = format!("Bearer {}", self.ticket).parse();
        let bearer = bearer.map_err(|error| Stop::Broken(format!("a ticket is odd: {error}")))?;
        call.metadata_mut().insert("authorization", bearer);
        match self.server.play(call).await {
            Ok(response) => {
                self.upstream = Some(Upstream {
                    inbound: response.into_inner(),
                    outbound,
                });
                Ok(())
            }
            Err(status) => Err(self.refused(&status)),
        }
    }

    fn refused(&self, status: &Status) -> Stop {
        let info = status.get_details_error_info();
        let reason = info.map_or_else(|| status.code().to_string(), |info| info.reason);
        failed(
            "messages that the server accepts, until MatchEnded",
            format!(
                "the server ended the stream with {reason}: {}; {}",
                status.message(),
                self.told.so_far()
            ),
            section::REFUSALS,
        )
    }

    /// Passes everything on until an event that is wanted, which is left to the script.
    pub(super) async fn pass_until(
        &mut self,
        mut wanted: impl FnMut(&Event) -> bool,
    ) -> Verdict<Event> {
        loop {
            let event = self.event().await?;
            if wanted(&event) {
                return Ok(event);
            }
            self.pass(event).await?;
        }
    }

    /// Passes everything on for a time, or until an event that is wanted.
    pub(super) async fn pass_for(
        &mut self,
        time: Duration,
        mut wanted: impl FnMut(&Event) -> bool,
    ) -> Verdict<Option<Event>> {
        let end = Instant::now() + time;
        while let Some(event) = self.event_before(end).await? {
            if wanted(&event) {
                return Ok(Some(event));
            }
            self.pass(event).await?;
        }
        Ok(None)
    }

    /// Sends the server a message of the bot. Pongs to Pings of the script end here.
    pub(super) async fn say_to_server(&mut self, message: FromBot) {
        if let FromBot::Pong(Pong { nonce }) = &message
            && self.told.answers_own_ping(*nonce)
        {
            return;
        }
        if let Some(upstream) = &self.upstream {
            let message = Some(message);
            // A server that is gone is told of by its own half.
            let _ = upstream.outbound.send(PlayRequest { message }).await;
        }
    }

    /// Ends the bot's stream, with OK when there is no status. The server sees it as lost.
    pub(super) async fn end_stream(&mut self, status: Option<Status>) {
        self.upstream = None;
        if let (Some(bot), Some(status)) = (self.bot.take(), status) {
            bot.refuse(status).await;
        }
    }

    /// Resets the bot's TCP connection, and the server does not hear of it.
    pub(super) async fn reset_bot(&mut self) {
        // In this order: the end of the stream must not reach the bot before the reset.
        self.front.reset_connections().await;
        self.bot = None;
    }

    /// Resets the bot's TCP connection. The server sees the stream as lost.
    pub(super) async fn reset(&mut self) {
        self.upstream = None;
        self.reset_bot().await;
    }
}

/// A refusal of the server as the status of a stream.
pub(super) fn refusal(reason: RefusalReason) -> Status {
    let text = format!("a check ends the stream with {}", reason_name(reason));
    Refusal::new(reason, text).into()
}
