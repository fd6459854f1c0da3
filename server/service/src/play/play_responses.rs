//! One stream of one bot, from its Hello to its end.

use std::{
    future::pending,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use bridgemaster_edge::{
    VERSION,
    identity::Caller,
    limits::Limits,
    metrics::GaugeGuard,
    refusal::Refusal,
    transport::{ConnectionInfo, SeatProtection},
};
use bridgemaster_live::{Matches, Outbound, RedeemedTicket, SeatHandle};
use bridgemaster_match::StreamStart;
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{Hello, RefusalReason, Welcome, play_response::Message as Outgoing},
};
use prost::bytes::Bytes;
use tokio::{select, time::sleep};
use tokio_stream::Stream;
use tonic::{Status, codegen::BoxFuture};
use tracing::Span;

use super::{
    exchange::{Exchange, RoundTrip, encode_response, whole_ms},
    inbound::{Inbound, join_request},
    seat_authenticator::{AuthenticatedSeat, SeatAuthenticator},
};

/// The time within which a stream must send its Hello after a newer stream of its seat was opened.
/// Usually a client sends the Hello with the request.
const SUPERSEDED_HELLO_TIMEOUT: Duration = Duration::from_millis(200);

/// The encoded responses to a bot. The transport's task polls the stream directly: a decision is
/// read, refereed and acknowledged there, without a switch between tasks.
pub(super) struct PlayResponses {
    step: PlayResponsesState,
    /// The log span of the stream, which names the match and the seat.
    span: Span,
    /// Counts the open stream until it is dropped.
    _counted: GaugeGuard,
}

/// The state of the responses.
enum PlayResponsesState {
    /// Waits for the Hello and joins the seat, which produces the Welcome.
    Opening(BoxFuture<(Bytes, Box<Exchange>), Refusal>),
    Playing(Box<Exchange>),
    Over,
}

impl PlayResponses {
    /// Creates the responses of a stream for an authenticated bot on its connection.
    pub(super) fn new(
        authenticator: &SeatAuthenticator,
        mut authenticated: AuthenticatedSeat,
        connection: Option<&ConnectionInfo>,
        inbound: Inbound,
    ) -> Self {
        authenticated.redeemed.set_connection(connection);
        let protection = authenticator.protect_connection(connection, &authenticated);
        let round_trip = RoundTrip::new(connection.map(|known| known.round_trip.clone()));
        let matches = Arc::clone(authenticator.matches());
        Self {
            span: authenticated.redeemed.span(),
            _counted: matches.metrics().play_stream(),
            step: PlayResponsesState::Opening(Box::pin(start_exchange(
                matches,
                authenticated,
                inbound,
                protection,
                round_trip,
            ))),
        }
    }
}

impl PlayResponsesState {
    fn poll_response(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Refusal>> {
        match self {
            Self::Opening(opening) => {
                let (welcome, exchange) = ready!(opening.as_mut().poll(context))?;
                *self = Self::Playing(exchange);
                Poll::Ready(Ok(Some(welcome)))
            }
            Self::Playing(exchange) => pin!(exchange.next()).poll(context),
            Self::Over => Poll::Ready(Ok(None)),
        }
    }
}

impl Stream for PlayResponses {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let Self { step, span, .. } = &mut *self;
        let _in = span.enter();
        let response = ready!(step.poll_response(context));
        if !matches!(response, Ok(Some(_))) {
            *step = PlayResponsesState::Over;
        }
        Poll::Ready(response.map_err(Status::from).transpose())
    }
}

/// Reads the bot's Hello, joins the seat and returns the Welcome.
async fn start_exchange(
    matches: Arc<Matches>,
    authenticated: AuthenticatedSeat,
    mut inbound: Inbound,
    protection: Option<SeatProtection>,
    round_trip: RoundTrip,
) -> Result<(Bytes, Box<Exchange>), Refusal> {
    let AuthenticatedSeat { caller, redeemed } = authenticated;
    let hello = select! {
        biased;
        hello = inbound.hello(matches.limits()) => hello?,
        () = matches.lifecycle().until_stopping() => return Err(matches.lifecycle().stop_refusal()),
        // At most one stream per ticket waits for its Hello for longer than a grace period, however
        // many are opened with the ticket.
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
        protection,
    );
    Ok((welcome, Box::new(exchange)))
}

/// Joins the seat that the ticket is for.
async fn join_seat(
    redeemed: RedeemedTicket,
    caller: &Caller,
    hello: &Hello,
) -> Result<(Arc<SeatHandle>, Outbound, StreamStart), Refusal> {
    let request = join_request(hello, redeemed.game_id(), caller)?;
    match redeemed.join(request) {
        // A bot may present the history from its Welcome at any later time, so the history must be
        // durable first.
        Ok((seat, outbound, opening)) => Ok((seat, outbound, opening.committed().await?)),
        Err(refusal) => Err(refusal.committed().await?),
    }
}

fn welcome_message(seat: &SeatHandle, opening: &StreamStart, limits: &Limits) -> Bytes {
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

/// Completes some time after a newer stream of the seat is opened. That stream may be the older one
/// by its stream number, which only the Hello of each shows. So a Hello that is on its way decides.
async fn until_superseded(protection: Option<&SeatProtection>) {
    let Some(protection) = protection else {
        return pending().await;
    };
    protection.superseded().await;
    sleep(SUPERSEDED_HELLO_TIMEOUT).await;
}
