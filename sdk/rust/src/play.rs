//! Plays a match: connects, converses, comes back after a lost stream.

use std::time::{Duration, Instant};

use bridgemaster_proto::v1::{self, play_response, play_service_client::PlayServiceClient};
use tokio::{sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};
use tracing::{debug, info, warn};

use crate::{
    Bot, KEY_METADATA, Options, OptionsError, PlayError, Refusal, TlsOptions,
    backoff::Backoff,
    bot_thread::{BotThread, Task},
    conversation::{Conversation, Reaction},
    error::{StreamFailure, TransportFailure},
    servers::{Route, Servers},
    wire_log,
};

/// Messages that wait to be sent: one answer and a few Pongs.
const OUTBOUND_MESSAGES: usize = 8;
/// Time for the Welcome, once a stream is asked for.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(10);
/// Time that the server has to end the stream after MatchEnded; the result is known by then.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection to a server, or to the servers of a cluster, for any number of seats at a time:
/// clones share it.
#[derive(Clone, Debug)]
pub struct Connection {
    servers: Servers,
}

impl Connection {
    /// A connection to this address, or to those of a cluster with commas between them. It is opened
    /// on first use, and reopened when it is lost. Must be called within a tokio runtime.
    pub fn to(server_url: &str) -> Result<Self, OptionsError> {
        Self::with_tls(server_url, &TlsOptions::default())
    }

    /// The same, with TLS files for an `https://` address.
    pub fn with_tls(server_url: &str, tls: &TlsOptions) -> Result<Self, OptionsError> {
        let servers = Servers::named(server_url, tls)?;
        Ok(Self { servers })
    }

    /// The way to what has not been looked for yet, for programs that make calls themselves.
    ///
    /// # Errors
    /// None: the addresses were good when they were named.
    pub fn route(&self) -> Result<Route, OptionsError> {
        Route::new(&self.servers)
    }

    /// One way for each server that was named, which begins there.
    ///
    /// # Errors
    /// None: the addresses were good when they were named.
    pub fn routes(&self) -> Result<Vec<Route>, OptionsError> {
        Route::each(&self.servers)
    }

    /// Connects to one of the servers that were named, the first that is there.
    ///
    /// # Errors
    /// When none is there: why the first was not.
    pub async fn reach(&self) -> Result<(), tonic::transport::Error> {
        self.servers.reach().await
    }

    /// Plays one match on this connection; `options.server_url` and
    /// `options.tls` are not used.
    ///
    /// Waits for the bot at the end: if the bot never returns, neither does this. Dropping the
    /// future ends the stream, and stops the bot's thread after its current call.
    ///
    /// # Errors
    /// See [`PlayError`]. A lost stream is an error only after [`Options::reconnect_for`].
    pub async fn play(
        &self,
        bot: impl Bot + 'static,
        options: &Options,
    ) -> Result<v1::MatchResult, PlayError> {
        options.check()?;
        let mut seat = SeatSession {
            route: self.route()?,
            options,
            conversation: Conversation::default(),
            bot: BotThread::start(bot)?,
        };
        let result = seat.play().await?;
        seat.bot.finish().await?;
        Ok(result)
    }
}

/// Plays one match: connects to [`Options::server_url`] and plays the seat of
/// [`Options::ticket`] to the end of the match.
///
/// # Errors
/// See [`PlayError`].
pub async fn play(bot: impl Bot + 'static, options: Options) -> Result<v1::MatchResult, PlayError> {
    Connection::with_tls(&options.server_url, &options.tls)?
        .play(bot, &options)
        .await
}

/// [`play`] for programs without an async runtime of their own.
///
/// # Errors
/// See [`PlayError`].
pub fn play_blocking(
    bot: impl Bot + 'static,
    options: Options,
) -> Result<v1::MatchResult, PlayError> {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?
        .block_on(play(bot, options))
}

/// One seat, over all its streams.
struct SeatSession<'a> {
    route: Route,
    options: &'a Options,
    conversation: Conversation,
    bot: BotThread,
}

/// A stream that the server has welcomed.
struct OpenStream {
    inbound: Streaming<v1::PlayResponse>,
    outbound: mpsc::Sender<v1::PlayRequest>,
}

impl SeatSession<'_> {
    async fn play(&mut self) -> Result<v1::MatchResult, PlayError> {
        let mut backoff = Backoff::new(self.options.connect_for);
        loop {
            let patience = self.route.patience(WELCOME_TIMEOUT, backoff.span());
            let lost = match self.open_stream(patience).await {
                Err(failure) => failure,
                Ok(stream) => {
                    let known = self.conversation.last_sequence();
                    let failure = match self.converse(stream).await {
                        Ok(result) => return Ok(result),
                        Err(failure) => failure,
                    };
                    let progressed = self.conversation.last_sequence() > known;
                    backoff.restart(self.options.reconnect_for, progressed);
                    failure
                }
            };
            let status = match lost {
                StreamFailure::Lost(status) => status,
                StreamFailure::Fatal(error) => return Err(error),
            };
            let is_sent_on = self.route.go_on(&status);
            let Some(pause) = backoff.next_pause() else {
                return Err(self.give_up(status, backoff.span()));
            };
            if is_sent_on {
                debug!(
                    server_url = self.route.url(),
                    "the match is on another server"
                );
                continue;
            }
            if self.conversation.was_welcomed() {
                let (code, message) = (status.code(), status.message());
                warn!(
                    ?code,
                    message,
                    ?pause,
                    "the stream is lost; trying to resume"
                );
            } else {
                debug!(
                    message = status.message(),
                    ?pause,
                    "the server does not answer yet"
                );
            }
            tokio::time::sleep(pause).await;
        }
    }

    fn give_up(&self, status: Box<Status>, waited: Duration) -> PlayError {
        let server_url = self.route.url().to_owned();
        match Refusal::from_status(&status) {
            Some(refusal) => PlayError::Refused(Box::new(refusal)),
            None if self.conversation.was_welcomed() => PlayError::Lost {
                server_url,
                waited,
                source: TransportFailure(status),
            },
            None => PlayError::Unreachable {
                server_url,
                waited,
                source: TransportFailure(status),
            },
        }
    }

    /// Starts a stream and waits for its Welcome, for as long as the `patience` lasts.
    async fn open_stream(&mut self, patience: Duration) -> Result<OpenStream, StreamFailure> {
        let (outbound, requests) = mpsc::channel(OUTBOUND_MESSAGES);
        // The call returns with the response headers, which may wait for the Hello: send it first.
        let hello = self.conversation.hello(self.options);
        send(&outbound, self.route.url(), hello).await;
        let mut call = tonic::Request::new(ReceiverStream::new(requests));
        let bearer = self.options.ticket.bearer().map_err(PlayError::from)?;
        call.metadata_mut().insert("authorization", bearer);
        if let Some(key) = &self.options.key {
            call.metadata_mut().insert(KEY_METADATA, key.metadata());
        }

        let mut client = PlayServiceClient::new(self.route.channel());
        let welcomed = timeout(patience, async {
            let mut inbound = client.play(call).await?.into_inner();
            Ok::<_, Status>((inbound.message().await?, inbound))
        });
        let (first, inbound) = welcomed
            .await
            .unwrap_or_else(|_| Err(Status::deadline_exceeded("no Welcome came")))
            .map_err(|status| StreamFailure::from_status(status, self.route.url()))?;
        let Some(first) = first else {
            return Err(StreamFailure::Lost(Box::new(Status::unavailable(
                "the server ended the stream without a Welcome",
            ))));
        };
        wire_log::received(self.route.url(), &first);
        let Some(play_response::Message::Welcome(welcome)) = first.message else {
            return Err(PlayError::Protocol("the first message is no Welcome").into());
        };
        info!(
            match_id = welcome.match_id,
            seat = welcome.seat,
            server_version = welcome.server_version,
            "welcomed"
        );
        self.route.arrived();
        if let Some(answer) = self.conversation.welcome(welcome)? {
            send(&outbound, self.route.url(), answer).await;
        }
        Ok(OpenStream { inbound, outbound })
    }

    /// Carries messages between server and bot until the match ends or the stream does.
    async fn converse(&mut self, stream: OpenStream) -> Result<v1::MatchResult, StreamFailure> {
        let OpenStream {
            mut inbound,
            outbound,
        } = stream;
        loop {
            tokio::select! {
                answer = self.bot.answer() => {
                    if let Some(message) = self.conversation.answer(answer?) {
                        send(&outbound, self.route.url(), message).await;
                    }
                }
                response = inbound.message() => {
                    let now = Instant::now();
                    let response = response
                        .map_err(|status| StreamFailure::from_status(status, self.route.url()))?
                        .ok_or_else(|| StreamFailure::Lost(Box::new(Status::unavailable(
                            "the server ended the stream before the match was over",
                        ))))?;
                    wire_log::received(self.route.url(), &response);
                    match self.conversation.receive(response, now)? {
                        Reaction::None => {}
                        Reaction::Send(message) => {
                            send(&outbound, self.route.url(), message).await;
                        }
                        Reaction::Give(task) => self.bot.give(task),
                        Reaction::AskAgain(rejected, request) => {
                            self.bot.give(Task::Rejected(rejected));
                            self.bot.give(Task::Decide(request));
                        }
                        Reaction::End(result) => {
                            self.bot.give(Task::Ended(result.clone()));
                            drop(outbound);
                            let _ = timeout(CLOSING_TIMEOUT, inbound.message()).await;
                            return Ok(result);
                        }
                    }
                }
            }
        }
    }
}

/// Sends a message. Where that fails the stream is gone, and the next read tells how.
async fn send(
    outbound: &mpsc::Sender<v1::PlayRequest>,
    server_url: &str,
    message: v1::PlayRequest,
) {
    wire_log::sent(server_url, &message);
    let _ = outbound.send(message).await;
}
