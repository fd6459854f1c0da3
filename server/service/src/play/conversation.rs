//! One stream of one bot, from Hello to its end.

use std::{error::Error as _, sync::Arc, time::Duration};

use async_stream::stream;
use bridgemaster_match::SeatInput;
use bridgemaster_proto::{
    PROTOCOL_REVISION,
    v1::{
        Draining, Hello, PlayRequest, PlayResponse, RefusalReason, Welcome,
        play_request::Message as Incoming, play_response::Message as Outgoing,
    },
};
use tokio::{
    select,
    task::consume_budget,
    time::{MissedTickBehavior, interval, timeout},
};
use tokio_stream::Stream;
use tonic::{Code, Status, Streaming};
use tracing::debug;

use super::{
    hello::{check_hello, known},
    round_trip::{Answered, RoundTrip},
};
use crate::{
    VERSION,
    hosting::{Closing, Matches, SeatKey, SeatStream},
    identity::Caller,
    journal::{Gate, NotStored},
    limits::Limits,
    refusal::Refusal,
    transport::CarriesBot,
};

/// The responses to the bot of `caller`, whose ticket is `key` and whose connection has its place
/// for as long as this lasts; `round_trip` measures the way there. The stream is polled by the one
/// task that the transport has for it: an answer is read, refereed and answered there, without a
/// hop.
pub(crate) fn conversation(
    matches: Arc<Matches>,
    key: SeatKey,
    caller: Caller,
    mut inbound: Streaming<PlayRequest>,
    carries: Option<CarriesBot>,
    mut round_trip: RoundTrip,
) -> impl Stream<Item = Result<PlayResponse, Status>> {
    stream! {
        let limits = matches.limits();
        let _counted = matches.metrics().play_stream();
        let stopping = matches.lifecycle().stopping();
        let hello = select! {
            biased;
            hello = first_message(&mut inbound, limits) => hello,
            () = stopping.cancelled() => Err(matches.stop_refusal()),
            // A ticket holds one stream that has not said Hello, however many are opened with it.
            () = superseded(carries.as_ref()) => Err(Refusal::new(
                RefusalReason::Superseded,
                "a newer stream of this seat was opened before this one said Hello",
            )),
        };
        let hello = match hello {
            Ok(hello) => hello,
            Err(refusal) => {
                yield Err(refusal.into());
                return;
            }
        };
        let bot = match check_hello(&hello, key.game_id()) {
            Ok(bot) => bot,
            Err(refusal) => {
                yield Err(refusal.into());
                return;
            }
        };
        let joined = key.join(caller.bot(bot), caller.name(), known(&hello));
        let (seat, mut outbound, opening) = match joined {
            Ok(joined) => joined,
            Err(refusal) => {
                let shown = refusal.shown().await;
                let refusal = shown.unwrap_or_else(|NotStored| Refusal::storage_failed());
                yield Err(refusal.into());
                return;
            }
        };
        // A bot that was told of a history names it for ever, so the history must be stored.
        let opening = match opening.shown().await {
            Ok(opening) => opening,
            Err(NotStored) => {
                yield Err(Refusal::storage_failed().into());
                return;
            }
        };
        yield Ok(response(Outgoing::Welcome(Welcome {
            protocol_revision: PROTOCOL_REVISION,
            server_version: VERSION.to_owned(),
            match_id: seat.match_id().to_string(),
            seat: seat.seat().number().into(),
            ping_interval_ms: whole_ms(limits.ping_interval),
            history_id: opening.history_id.to_string(),
            resumed: opening.resumed,
            note_bytes_left: 0,
        })));

        let mut pings = interval(limits.ping_interval);
        // A bot that reads again after a pause needs one Ping, not all that were due.
        pings.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let ended = async {
            select! {
                () = stopping.cancelled() => matches.stop_refusal(),
                refusal = caller.refused() => refusal,
            }
        };
        tokio::pin!(ended);
        let draining = matches.lifecycle().draining();
        let mut is_told_of_drain = false;
        // What the last message of the bot waits for. Nothing more is read until then, so that
        // what waits to be stored does not grow with what a bot sends.
        let mut unsettled: Option<Gate> = None;
        loop {
            select! {
                biased;
                message = outbound.next() => match message {
                    Some(message) => {
                        // Reported before and not after: the transport asks for more only when
                        // the bot's window has room, so afterwards the bot could put it off.
                        if let Some(Outgoing::DecisionRequest(request)) = &message.message {
                            seat.report(SeatInput::HandedOver { request_id: request.request_id });
                        }
                        yield Ok(message);
                    }
                    None => {
                        if let Closing::Refused(refusal) = outbound.closing() {
                            yield Err(refusal.into());
                        }
                        return;
                    }
                },
                settled = settled(&unsettled), if unsettled.is_some() => {
                    unsettled = None;
                    if let Err(NotStored) = settled {
                        yield Err(Refusal::storage_failed().into());
                        return;
                    }
                }
                message = inbound.message(), if unsettled.is_none() => match message {
                    Ok(Some(message)) => {
                        match receive(&seat, message, &mut round_trip) {
                            Ok(gate) => unsettled = gate,
                            Err(refusal) => {
                                yield Err(refusal.into());
                                return;
                            }
                        }
                        // A bot that sends without a pause must not keep the thread to itself.
                        consume_budget().await;
                    }
                    Ok(None) => {
                        debug!("the bot closed its half of the stream");
                        return;
                    }
                    Err(status) => match garbage(&status) {
                        Some(refusal) => {
                            seat.report(SeatInput::Garbage { detail: status.message().to_owned() });
                            yield Err(refusal.into());
                            return;
                        }
                        None => {
                            debug!(%status, "the stream was lost");
                            return;
                        }
                    },
                },
                () = draining.cancelled(), if !is_told_of_drain => {
                    is_told_of_drain = true;
                    yield Ok(response(Outgoing::Draining(Draining {
                        time_left_ms: whole_ms(matches.lifecycle().drain_left()),
                        matches_resume: matches.journal().is_some(),
                        address: String::new(),
                    })));
                }
                _ = pings.tick() => yield Ok(response(Outgoing::Ping(round_trip.ping()))),
                refusal = &mut ended => {
                    yield Err(refusal.into());
                    return;
                }
            }
        }
    }
}

/// Completes when what a message of the bot waits for is stored.
async fn settled(unsettled: &Option<Gate>) -> Result<(), NotStored> {
    match unsettled {
        Some(gate) => gate.wait().await,
        None => Ok(()),
    }
}

fn whole_ms(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

fn response(message: Outgoing) -> PlayResponse {
    PlayResponse {
        sequence: 0,
        message: Some(message),
    }
}

/// Completes when a newer stream of the seat comes.
async fn superseded(carries: Option<&CarriesBot>) {
    match carries {
        Some(carries) => carries.superseded().await,
        None => std::future::pending().await,
    }
}

async fn first_message(
    inbound: &mut Streaming<PlayRequest>,
    limits: &Limits,
) -> Result<Hello, Refusal> {
    let Ok(message) = timeout(limits.hello_time, inbound.message()).await else {
        return Err(Refusal::new(
            RefusalReason::HelloLate,
            format!("no Hello came within {} ms", limits.hello_time.as_millis()),
        ));
    };
    match message {
        Ok(Some(PlayRequest {
            message: Some(Incoming::Hello(hello)),
        })) => Ok(hello),
        Ok(Some(_)) => Err(Refusal::new(
            RefusalReason::HelloExpected,
            "the first message of a stream is Hello",
        )),
        Ok(None) => Err(Refusal::new(
            RefusalReason::HelloExpected,
            "the stream was closed before its first message, Hello",
        )),
        Err(status) => Err(Refusal::new(
            RefusalReason::MalformedMessage,
            format!("the first message cannot be read: {}", status.message()),
        )),
    }
}

/// Reports a message to the match, and gives what it waits for; a refusal ends the stream.
fn receive(
    seat: &SeatStream,
    message: PlayRequest,
    round_trip: &mut RoundTrip,
) -> Result<Option<Gate>, Refusal> {
    let input = match message.message {
        Some(Incoming::Decision(decision)) => SeatInput::Decision(decision),
        Some(Incoming::Pong(pong)) => match round_trip.pong(pong.nonce) {
            Answered::Last { elapsed_us } => match round_trip.of_the_way_us(elapsed_us) {
                Some(elapsed_us) => SeatInput::RoundTrip { elapsed_us },
                None => return Ok(None),
            },
            Answered::Earlier => return Ok(None),
            Answered::Nothing => SeatInput::Useless,
        },
        Some(Incoming::Resign(_)) => SeatInput::Resign,
        Some(Incoming::Hello(_)) => {
            return Err(Refusal::new(
                RefusalReason::HelloRepeated,
                "Hello is the first message of a stream and no other",
            ));
        }
        None => SeatInput::Useless,
    };
    Ok(seat.report(input))
}

/// The refusal for bytes that are no message; `None` when the transport failed instead.
fn garbage(status: &Status) -> Option<Refusal> {
    // The decoder reports undecodable and oversized messages with these codes and no source. A
    // reset or lost stream may have the same code, but its source is the transport's error.
    let is_decoders = matches!(
        status.code(),
        Code::Internal | Code::OutOfRange | Code::Unimplemented | Code::InvalidArgument
    ) && status.source().is_none();
    is_decoders.then(|| {
        Refusal::new(
            RefusalReason::MalformedMessage,
            format!("a message cannot be read: {}", status.message()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_the_transport_is_no_garbage_whatever_its_code() {
        for reason in [h2::Reason::PROTOCOL_ERROR, h2::Reason::INTERNAL_ERROR] {
            let status = Status::from_error(Box::new(h2::Error::from(reason)));
            assert_eq!(status.code(), Code::Internal);
            assert!(garbage(&status).is_none(), "{status:?}");
        }
        let undecodable = Status::internal("failed to decode Protobuf message");
        assert!(garbage(&undecodable).is_some());
    }
}
