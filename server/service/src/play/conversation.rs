//! One stream of one bot, from its Hello to its end.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
};

use bridgemaster_match::StreamStart;
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{Hello, RefusalReason, Welcome, play_response::Message as Outgoing},
};
use prost::bytes::Bytes;
use tokio::select;
use tokio_stream::Stream;
use tonic::{Status, codegen::BoxFuture};

use super::{
    exchange::{Exchange, encode_response, whole_ms},
    hello::{check_hello, resume_point},
    inbound::Inbound,
    round_trip::RoundTrip,
};
use crate::{
    VERSION,
    identity::Caller,
    journal::NotStored,
    limits::Limits,
    live::{Matches, Outbound, RedeemedTicket, SeatSession},
    metrics::GaugeGuard,
    refusal::Refusal,
    transport::SeatProtection,
};

/// The encoded responses to a bot. The transport's task polls the stream directly: a decision is
/// read, refereed and acknowledged there, without a switch between tasks.
pub(super) struct Conversation {
    step: ConversationState,
    /// Counts the open stream until it is dropped.
    _counted: GaugeGuard,
}

/// The state of a conversation.
enum ConversationState {
    /// Waits for the Hello and joins the seat, which produces the Welcome.
    Opening(BoxFuture<(Bytes, Box<Session>), Refusal>),
    Playing(Box<Session>),
    Over,
}

/// The exchange of a bot that has joined its seat.
struct Session {
    exchange: Exchange,
    /// Protects the connection from eviction until it is dropped.
    _protection: Option<SeatProtection>,
}

impl Conversation {
    /// Starts a conversation with the bot of `caller`, which presented the ticket. `protection`
    /// protects the connection, and `round_trip` measures its latency.
    pub(super) fn new(
        matches: Arc<Matches>,
        redeemed: RedeemedTicket,
        caller: Caller,
        inbound: Inbound,
        protection: Option<SeatProtection>,
        round_trip: RoundTrip,
    ) -> Self {
        Self {
            _counted: matches.metrics().play_stream(),
            step: ConversationState::Opening(Box::pin(start_session(
                matches, redeemed, caller, inbound, protection, round_trip,
            ))),
        }
    }

    fn poll_response(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Refusal>> {
        match &mut self.step {
            ConversationState::Opening(opening) => {
                let (welcome, session) = ready!(opening.as_mut().poll(context))?;
                self.step = ConversationState::Playing(session);
                Poll::Ready(Ok(Some(welcome)))
            }
            ConversationState::Playing(session) => pin!(session.exchange.next()).poll(context),
            ConversationState::Over => Poll::Ready(Ok(None)),
        }
    }
}

impl Stream for Conversation {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let response = ready!(self.poll_response(context));
        if !matches!(response, Ok(Some(_))) {
            self.step = ConversationState::Over;
        }
        Poll::Ready(response.map_err(Status::from).transpose())
    }
}

/// Reads the bot's Hello, joins the seat and returns the Welcome.
async fn start_session(
    matches: Arc<Matches>,
    redeemed: RedeemedTicket,
    caller: Caller,
    mut inbound: Inbound,
    protection: Option<SeatProtection>,
    round_trip: RoundTrip,
) -> Result<(Bytes, Box<Session>), Refusal> {
    let hello = select! {
        biased;
        hello = inbound.hello(matches.limits()) => hello?,
        () = matches.lifecycle().until_stopping() => return Err(matches.stop_refusal()),
        // At most one stream per ticket waits for its Hello, however many are opened with the
        // ticket.
        () = until_superseded(protection.as_ref()) => return Err(Refusal::new(
            RefusalReason::Superseded,
            "a newer stream of this seat was opened before this one sent Hello",
        )),
    };
    let (seat, outbound, opening) = join_seat(redeemed, &caller, &hello).await?;
    let welcome = welcome_message(&seat, &opening, matches.limits());
    // The stream is registered before the Welcome is sent, so that the bot's first call finds it.
    let exchange = Exchange::begin(
        &matches,
        caller,
        (seat, opening.resumed),
        (inbound, outbound),
        round_trip,
    );
    let session = Session {
        exchange,
        _protection: protection,
    };
    Ok((welcome, Box::new(session)))
}

/// Joins the seat that the ticket is for.
async fn join_seat(
    redeemed: RedeemedTicket,
    caller: &Caller,
    hello: &Hello,
) -> Result<(SeatSession, Outbound, StreamStart), Refusal> {
    let bot = check_hello(hello, redeemed.game_id())?;
    match redeemed.join(caller.bot(bot), caller.name(), resume_point(hello)) {
        // A bot may present the history from its Welcome at any later time, so the history must be
        // durable first.
        Ok((seat, outbound, opening)) => match opening.committed().await {
            Ok(opening) => Ok((seat, outbound, opening)),
            Err(NotStored) => Err(Refusal::storage_failed()),
        },
        Err(refusal) => {
            let result = refusal.committed().await;
            Err(result.unwrap_or_else(|NotStored| Refusal::storage_failed()))
        }
    }
}

fn welcome_message(seat: &SeatSession, opening: &StreamStart, limits: &Limits) -> Bytes {
    encode_response(Outgoing::Welcome(Welcome {
        protocol_revision: PROTOCOL_REVISION,
        server_version: VERSION.to_owned(),
        match_id: seat.match_id().to_string(),
        seat: seat.seat().number().into(),
        ping_interval_ms: whole_ms(limits.ping_interval),
        history_id: opening.history_id.to_string(),
        resumed: opening.resumed,
        note_bytes_left: opening.note_bytes_left,
    }))
}

/// Completes when a newer stream of the seat is opened.
async fn until_superseded(protection: Option<&SeatProtection>) {
    match protection {
        Some(protection) => protection.superseded().await,
        None => std::future::pending().await,
    }
}
