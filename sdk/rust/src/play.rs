//! Plays a match: connects, exchanges messages, and resumes a lost stream.

use std::time::{Duration, Instant};

use bridgemaster_proto::v1::{self, play_response, play_service_client::PlayServiceClient};
use prost::Message as _;
use tokio::{sync::mpsc, time::timeout};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};
use tracing::{info, trace};

use crate::{
    Bot, Connection, Options, PlayError, Slot,
    bot::{BotThread, Task},
    conversation::{Conversation, Reaction},
    credentials::add_key,
    error::StreamFailure,
    reconnection::Reconnection,
};

/// Capacity of the outgoing message queue. It is enough for one answer and a few Pongs.
const OUTBOUND_CAPACITY: usize = 8;
/// Maximum time to wait for a new stream's Welcome.
const WELCOME_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum time to wait until the server closes the stream after MatchEnded, which contains the
/// result.
const CLOSING_TIMEOUT: Duration = Duration::from_secs(1);

impl Connection {
    /// Plays one match on this connection. Ignores `options.server_url` and `options.tls`.
    ///
    /// Returns after the last call to one of the bot's methods has returned. Dropping the future
    /// closes the stream, and stops the bot's thread after the current call.
    ///
    /// # Errors
    /// Returns a [`PlayError`]. If the stream is lost, an error is returned only once
    /// [`Options::reconnect_for`] has passed.
    pub async fn play(
        &self,
        bot: impl Bot + 'static,
        options: &Options,
    ) -> Result<v1::MatchResult, PlayError> {
        self.play_in_slot(bot, options, None).await
    }

    /// Like [`Connection::play`]. The slot is free once the bot's thread has ended.
    pub(crate) async fn play_in_slot(
        &self,
        bot: impl Bot + 'static,
        options: &Options,
        slot: Option<Slot>,
    ) -> Result<v1::MatchResult, PlayError> {
        options.validate()?;
        let mut seat = SeatSession {
            server: Reconnection::new(self.route(), options.connect_for),
            options,
            conversation: Conversation::default(),
            bot: BotThread::start(bot, slot)?,
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
/// Returns a [`PlayError`].
pub async fn play(bot: impl Bot + 'static, options: Options) -> Result<v1::MatchResult, PlayError> {
    Connection::with_proxy(&options.server_url, &options.tls, options.proxy.as_deref())?
        .play(bot, &options)
        .await
}

/// Like [`play`], for programs without an async runtime.
///
/// # Errors
/// Returns a [`PlayError`].
pub fn play_blocking(
    bot: impl Bot + 'static,
    options: Options,
) -> Result<v1::MatchResult, PlayError> {
    tokio::runtime::Builder::new_current_thread().enable_all().build()?.block_on(play(bot, options))
}

/// A seat's state, across all of its streams.
struct SeatSession<'a> {
    server: Reconnection,
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
        loop {
            let failure = match self.open_stream().await {
                Err(failure) => failure,
                Ok(stream) => {
                    self.server.had_stream = true;
                    let sequence_before = self.conversation.last_sequence();
                    let failure = match self.relay(stream).await {
                        Ok(result) => return Ok(result),
                        Err(failure) => failure,
                    };
                    let progressed = self.conversation.last_sequence() > sequence_before;
                    self.server.restart(self.options.reconnect_for, progressed);
                    failure
                }
            };
            self.server.record_failure(failure).await?;
            self.server.finish_pause().await;
        }
    }

    /// Opens a stream, and waits for its Welcome.
    async fn open_stream(&mut self) -> Result<OpenStream, StreamFailure> {
        let (outbound, requests) = mpsc::channel(OUTBOUND_CAPACITY);
        // The call returns when the response headers arrive. Because a server can delay them until
        // the Hello arrives, the Hello is sent first.
        let hello = self.conversation.hello(self.options, self.server.next_stream());
        self.send(&outbound, hello).await;
        let mut call = tonic::Request::new(ReceiverStream::new(requests));
        let bearer = self.options.ticket.bearer();
        call.metadata_mut().insert("authorization", bearer);
        add_key(&mut call, self.options.key.as_ref());

        let welcome_timeout = self.server.answer_timeout(WELCOME_TIMEOUT);
        let mut client = PlayServiceClient::new(self.server.route.channel());
        let welcomed = timeout(welcome_timeout, async {
            let mut inbound = client.play(call).await?.into_inner();
            Ok::<_, Status>((inbound.message().await?, inbound))
        });
        let (first, inbound) = welcomed
            .await
            .unwrap_or_else(|_| Err(Status::deadline_exceeded("no Welcome arrived in time")))
            .map_err(StreamFailure::from_status)?;
        let Some(first) = first else {
            return Err(StreamFailure::Lost(Box::new(Status::unavailable(
                "the server closed the stream without a Welcome",
            ))));
        };
        self.log_received(&first);
        let Some(play_response::Message::Welcome(welcome)) = first.message else {
            return Err(PlayError::Protocol("the first message is not a Welcome").into());
        };
        info!(
            match_id = welcome.match_id,
            seat = welcome.seat,
            server_version = welcome.server_version,
            "the server accepted the stream"
        );
        if let Some(answer) = self.conversation.welcome(welcome)? {
            self.send(&outbound, answer).await;
        }
        Ok(OpenStream { inbound, outbound })
    }

    /// Relays messages between the server and the bot until the match or the stream ends.
    async fn relay(&mut self, stream: OpenStream) -> Result<v1::MatchResult, StreamFailure> {
        let OpenStream { mut inbound, outbound } = stream;
        loop {
            tokio::select! {
                answer = self.bot.answer() => {
                    if let Some(message) = self.conversation.answer(answer?) {
                        self.send(&outbound, message).await;
                    }
                }
                response = inbound.message() => {
                    let now = Instant::now();
                    let response = response
                        .map_err(StreamFailure::from_status)?
                        .ok_or_else(|| StreamFailure::Lost(Box::new(Status::unavailable(
                            "the server closed the stream before the match was over",
                        ))))?;
                    self.log_received(&response);
                    match self.conversation.receive(response, now)? {
                        Reaction::None => {}
                        Reaction::Send(message) => {
                            self.send(&outbound, message).await;
                        }
                        Reaction::Dispatch(task) => self.bot.dispatch(task),
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

    /// Sends a message. If the stream is closed, the message is dropped, and the next read returns
    /// the reason.
    async fn send(&self, outbound: &mpsc::Sender<v1::PlayRequest>, message: v1::PlayRequest) {
        let server_url = self.server.route.url();
        // Tickets and keys are sent as metadata, so they are not logged.
        trace!(server_url, bytes = %hex::encode(message.encode_to_vec()), "sent");
        let _ = outbound.send(message).await;
    }

    /// Logs a received message for debugging the protocol. It is encoded only if the line is
    /// logged.
    fn log_received(&self, message: &v1::PlayResponse) {
        let server_url = self.server.route.url();
        trace!(server_url, bytes = %hex::encode(message.encode_to_vec()), "received");
    }
}
