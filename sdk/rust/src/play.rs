//! Plays a match: connects, exchanges messages, and resumes a lost stream.

use std::time::{Duration, Instant};

use bridgemaster_proto::v1::{
    self, play_response, play_service_client::PlayServiceClient,
    seat_service_client::SeatServiceClient,
};
use tokio::{sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};
use tracing::{debug, info, warn};

use crate::{
    Bot, KEY_METADATA, Options, OptionsError, PlayError, Refusal, TlsOptions,
    backoff::Backoff,
    bot::{BotThread, Task},
    conversation::{Conversation, Reaction},
    error::{StreamFailure, TransportFailure},
    servers::{Route, Servers},
    wire_log,
};

/// Capacity of the outgoing message queue. It is enough for one answer and a few Pongs.
const OUTBOUND_CAPACITY: usize = 8;
/// Maximum time to wait for a new stream's Welcome.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time to wait until the server closes the stream after MatchEnded, which contains the
/// result.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(1);

/// A connection to a server, or to a cluster's servers, for any number of seats. Clones use the
/// same channels.
#[derive(Clone, Debug)]
pub struct Connection {
    servers: Servers,
}

impl Connection {
    /// Creates a connection to an address, or to a cluster's comma-separated addresses. The
    /// connection is established on first use, and again after each loss. Must be called within a
    /// Tokio runtime.
    ///
    /// # Errors
    /// [`OptionsError::InvalidServerUrl`], if an address is not valid.
    pub fn new(server_url: &str) -> Result<Self, OptionsError> {
        Self::with_tls(server_url, &TlsOptions::default())
    }

    /// Like [`Connection::new`], with TLS files for `https://` addresses.
    ///
    /// # Errors
    /// An address is not valid, or the TLS files cannot be used.
    pub fn with_tls(server_url: &str, tls: &TlsOptions) -> Result<Self, OptionsError> {
        let servers = Servers::parse(server_url, tls)?;
        Ok(Self { servers })
    }

    /// Returns a route that starts at the first configured server. Intended for programs that make
    /// their own gRPC calls.
    #[must_use]
    pub fn route(&self) -> Route {
        Route::new(&self.servers)
    }

    /// Checks that at least one of the configured servers accepts a connection.
    ///
    /// # Errors
    /// The first server's error, if no server accepts a connection.
    pub async fn probe(&self) -> Result<(), tonic::transport::Error> {
        self.servers.probe().await
    }

    /// Returns whether the server requires an API key from a bot, in addition to its ticket.
    /// Returns `None` if this cannot be determined. Programs that start bots can thus pass a key
    /// only if it is needed.
    pub async fn requires_key(&self) -> Option<bool> {
        let channel = self.route().channel();
        // The call contains neither a key nor a ticket, so the refusal names the credential that
        // the server checks first.
        let mut client = SeatServiceClient::new(channel);
        let response = client.resign_seat(v1::ResignSeatRequest {}).await;
        let refusal = Refusal::from_status(&response.err()?)?;
        match &*refusal.reason {
            "KEY_MISSING" => Some(true),
            "TICKET_MISSING" => Some(false),
            _ => None,
        }
    }

    /// Plays one match on this connection. Ignores `options.server_url` and `options.tls`.
    ///
    /// Returns after the last call to one of the bot's methods has returned. Dropping the future
    /// closes the stream, and stops the bot's thread after the current call.
    ///
    /// # Errors
    /// See [`PlayError`]. If the stream is lost, an error is returned only once
    /// [`Options::reconnect_for`] has passed.
    pub async fn play(
        &self,
        bot: impl Bot + 'static,
        options: &Options,
    ) -> Result<v1::MatchResult, PlayError> {
        options.validate()?;
        let mut seat = SeatSession {
            route: self.route(),
            options,
            conversation: Conversation::default(),
            bot: BotThread::start(bot)?,
        };
        let result = seat.play().await?;
        seat.bot.finish().await?;
        Ok(result)
    }
}

/// Connects to [`Options::server_url`], and plays the seat that [`Options::ticket`] is for, to the
/// end of the match.
///
/// # Errors
/// See [`PlayError`].
pub async fn play(bot: impl Bot + 'static, options: Options) -> Result<v1::MatchResult, PlayError> {
    Connection::with_tls(&options.server_url, &options.tls)?
        .play(bot, &options)
        .await
}

/// Like [`play`], for programs without an async runtime.
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

/// A seat's state, across all of its streams.
struct SeatSession<'a> {
    route: Route,
    options: &'a Options,
    conversation: Conversation,
    bot: BotThread,
}

/// A stream on which the Welcome has arrived.
struct OpenStream {
    inbound: Streaming<v1::PlayResponse>,
    outbound: mpsc::Sender<v1::PlayRequest>,
}

impl SeatSession<'_> {
    async fn play(&mut self) -> Result<v1::MatchResult, PlayError> {
        let mut backoff = Backoff::new(self.options.connect_for);
        loop {
            let welcome_timeout = self.route.answer_timeout(WELCOME_TIMEOUT, backoff.total());
            let lost = match self.open_stream(welcome_timeout).await {
                Err(failure) => failure,
                Ok(stream) => {
                    let sequence_before = self.conversation.last_sequence();
                    let failure = match self.relay(stream).await {
                        Ok(result) => return Ok(result),
                        Err(failure) => failure,
                    };
                    let progressed = self.conversation.last_sequence() > sequence_before;
                    backoff.restart(self.options.reconnect_for, progressed);
                    failure
                }
            };
            let status = match lost {
                StreamFailure::Lost(status) => status,
                StreamFailure::Fatal(error) => return Err(error),
            };
            self.route.advance();
            let Some(pause) = backoff.next_pause() else {
                return Err(self.timed_out(status, backoff.total()));
            };
            if self.conversation.has_been_welcomed() {
                let (code, message) = (status.code(), status.message());
                warn!(?code, message, ?pause, "stream lost; reconnecting");
            } else {
                debug!(
                    message = status.message(),
                    ?pause,
                    "no response from the server yet; retrying"
                );
            }
            tokio::time::sleep(pause).await;
        }
    }

    fn timed_out(&self, status: Box<Status>, waited: Duration) -> PlayError {
        let server_url = self.route.url().to_owned();
        match Refusal::from_status(&status) {
            Some(refusal) => PlayError::Refused(Box::new(refusal)),
            None if self.conversation.has_been_welcomed() => PlayError::Lost {
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

    /// Opens a stream, and waits for its Welcome for at most `welcome_timeout`.
    async fn open_stream(
        &mut self,
        welcome_timeout: Duration,
    ) -> Result<OpenStream, StreamFailure> {
        let (outbound, requests) = mpsc::channel(OUTBOUND_CAPACITY);
        // The call returns when the response headers arrive. Because a server can delay them until
        // the Hello arrives, the Hello is sent first.
        let hello = self.conversation.hello(self.options);
        send(&outbound, self.route.url(), hello).await;
        let mut call = tonic::Request::new(ReceiverStream::new(requests));
        let bearer = self.options.ticket.bearer().map_err(PlayError::from)?;
        call.metadata_mut().insert("authorization", bearer);
        if let Some(key) = &self.options.key {
            call.metadata_mut().insert(KEY_METADATA, key.metadata());
        }

        let mut client = PlayServiceClient::new(self.route.channel());
        let welcomed = timeout(welcome_timeout, async {
            let mut inbound = client.play(call).await?.into_inner();
            Ok::<_, Status>((inbound.message().await?, inbound))
        });
        let (first, inbound) = welcomed
            .await
            .unwrap_or_else(|_| Err(Status::deadline_exceeded("no Welcome arrived in time")))
            .map_err(|status| StreamFailure::from_status(status, self.route.url()))?;
        let Some(first) = first else {
            return Err(StreamFailure::Lost(Box::new(Status::unavailable(
                "the server closed the stream without a Welcome",
            ))));
        };
        wire_log::received(self.route.url(), &first);
        let Some(play_response::Message::Welcome(welcome)) = first.message else {
            return Err(PlayError::Protocol("the first message is not a Welcome").into());
        };
        info!(
            match_id = welcome.match_id,
            seat = welcome.seat,
            server_version = welcome.server_version,
            "welcomed"
        );
        if let Some(answer) = self.conversation.welcome(welcome)? {
            send(&outbound, self.route.url(), answer).await;
        }
        Ok(OpenStream { inbound, outbound })
    }

    /// Relays messages between the server and the bot until the match or the stream ends.
    async fn relay(&mut self, stream: OpenStream) -> Result<v1::MatchResult, StreamFailure> {
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
                            "the server closed the stream before the match was over",
                        ))))?;
                    wire_log::received(self.route.url(), &response);
                    match self.conversation.receive(response, now)? {
                        Reaction::None => {}
                        Reaction::Send(message) => {
                            send(&outbound, self.route.url(), message).await;
                        }
                        Reaction::Dispatch(task) => self.bot.dispatch(task),
                        Reaction::Retry(rejected, request) => {
                            self.bot.dispatch(Task::Rejected(rejected));
                            self.bot.dispatch(Task::Decide(request));
                        }
                        Reaction::End(result) => {
                            self.bot.dispatch(Task::Ended(result.clone()));
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

/// Sends a message. If the stream is closed, the message is dropped, and the next read returns the
/// reason.
async fn send(
    outbound: &mpsc::Sender<v1::PlayRequest>,
    server_url: &str,
    message: v1::PlayRequest,
) {
    wire_log::sent(server_url, &message);
    let _ = outbound.send(message).await;
}
