//! One stream of one bot, from Hello to its end.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, ready},
};

use bridgemaster_match::Opening;
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{Hello, RefusalReason, Welcome, play_response::Message as Outgoing},
};
use prost::bytes::Bytes;
use tokio::select;
use tokio_stream::Stream;
use tonic::{Status, codegen::BoxFuture};

use super::{
    exchange::{Exchange, response, whole_ms},
    hello::{check_hello, known},
    inbound::Inbound,
    round_trip::RoundTrip,
};
use crate::{
    VERSION,
    hosting::{Matches, Outbound, SeatKey, SeatStream},
    identity::Caller,
    journal::NotStored,
    limits::Limits,
    metrics::Counted,
    refusal::Refusal,
    transport::CarriesBot,
};

/// The bytes of the responses to a bot. The stream is polled by the one task that the transport has
/// for it: an answer is read, refereed and answered there, without a hop.
pub(super) struct Conversation {
    step: Step,
    /// For as long as this lasts.
    _counted: Counted,
}

/// How far a conversation is.
enum Step {
    /// Until the bot has its seat: its Welcome comes of it.
    Opening(BoxFuture<(Bytes, Box<Talk>), Refusal>),
    Talking(Box<Talk>),
    Over,
}

/// A bot that has its seat.
struct Talk {
    exchange: Exchange,
    /// Whose connection has its place for as long as this lasts.
    _carries: Option<CarriesBot>,
}

impl Conversation {
    /// With the bot of `caller`, whose ticket is `key` and whose connection has its place for as long
    /// as this lasts; `round_trip` measures the way there.
    pub(super) fn new(
        matches: Arc<Matches>,
        key: SeatKey,
        caller: Caller,
        inbound: Inbound,
        carries: Option<CarriesBot>,
        round_trip: RoundTrip,
    ) -> Self {
        Self {
            _counted: matches.metrics().play_stream(),
            step: Step::Opening(Box::pin(open(
                matches, key, caller, inbound, carries, round_trip,
            ))),
        }
    }

    fn poll_response(&mut self, context: &mut Context<'_>) -> Poll<Result<Option<Bytes>, Refusal>> {
        match &mut self.step {
            Step::Opening(opening) => {
                let (welcome, talk) = ready!(opening.as_mut().poll(context))?;
                self.step = Step::Talking(talk);
                Poll::Ready(Ok(Some(welcome)))
            }
            Step::Talking(talk) => pin!(talk.exchange.next()).poll(context),
            Step::Over => Poll::Ready(Ok(None)),
        }
    }
}

impl Stream for Conversation {
    type Item = Result<Bytes, Status>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let response = ready!(self.poll_response(context));
        if !matches!(response, Ok(Some(_))) {
            self.step = Step::Over;
        }
        Poll::Ready(response.map_err(Status::from).transpose())
    }
}

/// Hears the Hello of a bot and gives it its seat, and its Welcome.
async fn open(
    matches: Arc<Matches>,
    key: SeatKey,
    caller: Caller,
    mut inbound: Inbound,
    carries: Option<CarriesBot>,
    round_trip: RoundTrip,
) -> Result<(Bytes, Box<Talk>), Refusal> {
    let hello = select! {
        biased;
        hello = inbound.hello(matches.limits()) => hello?,
        () = matches.lifecycle().until_stopping() => return Err(matches.stop_refusal()),
        // A ticket holds one stream that has not said Hello, however many are opened with it.
        () = superseded(carries.as_ref()) => return Err(Refusal::new(
            RefusalReason::Superseded,
            "a newer stream of this seat was opened before this one said Hello",
        )),
    };
    let (seat, outbound, opening) = join(key, &caller, &hello).await?;
    let welcome = welcome(&seat, &opening, matches.limits());
    // Calls find the stream by it, so it is there before the bot knows that it may answer.
    let exchange = Exchange::begin(
        &matches,
        caller,
        (seat, opening.resumed),
        (inbound, outbound),
        round_trip,
    );
    let talk = Talk {
        exchange,
        _carries: carries,
    };
    Ok((welcome, Box::new(talk)))
}

/// Takes the seat that the ticket is for.
async fn join(
    key: SeatKey,
    caller: &Caller,
    hello: &Hello,
) -> Result<(SeatStream, Outbound, Opening), Refusal> {
    let bot = check_hello(hello, key.game_id())?;
    match key.join(caller.bot(bot), caller.name(), known(hello)) {
        // A bot that was told of a history names it for ever, so the history must be stored.
        Ok((seat, outbound, opening)) => match opening.shown().await {
            Ok(opening) => Ok((seat, outbound, opening)),
            Err(NotStored) => Err(Refusal::storage_failed()),
        },
        Err(refusal) => {
            let shown = refusal.shown().await;
            Err(shown.unwrap_or_else(|NotStored| Refusal::storage_failed()))
        }
    }
}

fn welcome(seat: &SeatStream, opening: &Opening, limits: &Limits) -> Bytes {
    response(Outgoing::Welcome(Welcome {
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

/// Completes when a newer stream of the seat comes.
async fn superseded(carries: Option<&CarriesBot>) {
    match carries {
        Some(carries) => carries.superseded().await,
        None => std::future::pending().await,
    }
}
