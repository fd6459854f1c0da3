//! What is said on a stream between Welcome and its end, in both directions.

use std::{ops::ControlFlow, sync::Arc, time::Duration};

use bridgemaster_match::SeatInput;
use bridgemaster_proto::v1::{
    Draining, PlayRequest, PlayResponse, RefusalReason, play_request::Message as Incoming,
    play_response::Message as Outgoing,
};
use prost::{Message as _, bytes::Bytes};
use tokio::{select, task::consume_budget};
use tonic::{Status, codegen::BoxFuture};
use tracing::debug;

use super::{
    inbound::{Inbound, garbage},
    interruptions::{Interruption, Interruptions},
    round_trip::{Answered, RoundTrip},
    seat_links::SeatLink,
    stream_span::StreamSpan,
};
use crate::{
    hosting::{Closing, Matches, Outbound, SeatStream},
    identity::Caller,
    journal::{Gate, NotStored},
    refusal::Refusal,
};

/// What is said in both directions between Welcome and the end of the stream.
pub(super) struct Exchange {
    matches: Arc<Matches>,
    seat: SeatStream,
    inbound: Inbound,
    outbound: Outbound,
    round_trip: RoundTrip,
    interruptions: Interruptions,
    /// What the last message of the bot waits for. No other is given to the match until then, so that
    /// what waits to be stored does not grow with what a bot sends.
    unsettled: Option<Unsettled>,
    /// The next message, which waits for that.
    read: Option<Result<Option<PlayRequest>, Status>>,
    span: StreamSpan,
    _link: Option<SeatLink>,
}

impl Exchange {
    /// Of the bot of `caller`, whose stream has the seat from now on; `resumed` tells whether it
    /// follows what the bot has.
    pub(super) fn begin(
        matches: &Arc<Matches>,
        caller: Caller,
        (seat, resumed): (SeatStream, bool),
        (inbound, outbound): (Inbound, Outbound),
        round_trip: RoundTrip,
    ) -> Self {
        Self {
            unsettled: None,
            read: None,
            span: StreamSpan::begin(matches.traces(), seat.voice(), resumed),
            _link: inbound.link(&seat, &caller),
            interruptions: Interruptions::new(matches, caller),
            matches: Arc::clone(matches),
            seat,
            inbound,
            outbound,
            round_trip,
        }
    }

    /// The next response, while the bot is heard; `None` when the stream ends without a refusal. A
    /// call that is dropped loses nothing, and its task is woken.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        let next = self.response().await;
        next.inspect_err(|refusal| self.span.is_refused(refusal))
    }

    async fn response(&mut self) -> Result<Option<Bytes>, Refusal> {
        loop {
            select! {
                biased;
                message = self.outbound.next() => {
                    if let Some(message) = message {
                        self.report_hand_over(message.request_id);
                        return Ok(Some(message.bytes));
                    }
                    return match self.outbound.closing() {
                        Closing::Refused(refusal) => Err(refusal),
                        Closing::MatchOver => Ok(None),
                    };
                }
                message = next_message(&mut self.inbound, &mut self.read, &mut self.unsettled) => {
                    let message = message.map_err(|NotStored| Refusal::storage_failed())?;
                    if self.hear(message)?.is_break() {
                        return Ok(None);
                    }
                    // A bot that sends without a pause must not keep the thread to itself.
                    consume_budget().await;
                }
                interruption = self.interruptions.next() => {
                    return match interruption {
                        Interruption::Draining => Ok(Some(self.draining())),
                        Interruption::PingDue => Ok(Some(self.ping())),
                        Interruption::Ended(refusal) => {
                            if refusal.is_servers_own() {
                                self.seat.is_taken_away();
                            }
                            Err(refusal)
                        }
                    };
                }
            }
        }
    }

    /// What tells that the server drains.
    fn draining(&self) -> Bytes {
        response(Outgoing::Draining(Draining {
            time_left_ms: whole_ms(self.matches.lifecycle().drain_left()),
            matches_resume: self.matches.journal().is_some(),
            address: String::new(),
        }))
    }

    /// A Ping. Where nobody answers it, what TCP has measured is reported with it.
    fn ping(&mut self) -> Bytes {
        if !self.inbound.has_pongs()
            && let Some(elapsed_us) = self.round_trip.of_tcp_us()
        {
            self.seat.report(SeatInput::RoundTrip { elapsed_us });
        }
        response(Outgoing::Ping(self.round_trip.ping()))
    }

    /// Reports that a request, if it is one, goes to the transport: before it does and not after,
    /// since the transport asks for more only when the bot's window has room, so that the bot could
    /// put a later report off.
    fn report_hand_over(&self, request_id: Option<u32>) {
        if let Some(request_id) = request_id {
            self.seat.handed_over(request_id);
        }
    }

    /// What the bot sent, or that it sends no more: then the stream ends.
    fn hear(
        &mut self,
        message: Result<Option<PlayRequest>, Status>,
    ) -> Result<ControlFlow<()>, Refusal> {
        match message {
            Ok(Some(message)) => {
                let gate = receive(&self.seat, message, &mut self.round_trip)?;
                self.unsettled = gate.map(Unsettled::behind);
                return Ok(ControlFlow::Continue(()));
            }
            Ok(None) => debug!("the bot closed its half of the stream"),
            Err(status) => match garbage(&status) {
                Some(refusal) => {
                    let detail = status.message().to_owned();
                    self.seat.report(SeatInput::Garbage { detail });
                    return Err(refusal);
                }
                None => debug!(%status, "the stream was lost"),
            },
        }
        Ok(ControlFlow::Break(()))
    }
}

/// What came of a message, and is not stored yet.
struct Unsettled {
    gate: Gate,
    /// Begun when the bot says more. It outlasts calls that are dropped: it is what wakes the stream.
    waiting: Option<BoxFuture<(), NotStored>>,
}

impl Unsettled {
    fn behind(gate: Gate) -> Self {
        Self {
            gate,
            waiting: None,
        }
    }

    /// Completes when it is stored. A call that is dropped loses nothing, and its task is woken.
    async fn stored(&mut self) -> Result<(), NotStored> {
        if self.gate.is_open() {
            return Ok(());
        }
        let gate = &self.gate;
        let waiting = self.waiting.get_or_insert_with(|| {
            let gate = gate.clone();
            Box::pin(async move { gate.wait().await })
        });
        waiting.await
    }
}

/// The next message of a bot, once what came of the last one is stored. Only a bot that says more
/// before that has its stream woken by it. A call that is dropped loses nothing.
async fn next_message(
    inbound: &mut Inbound,
    read: &mut Option<Result<Option<PlayRequest>, Status>>,
    unsettled: &mut Option<Unsettled>,
) -> Result<Result<Option<PlayRequest>, Status>, NotStored> {
    loop {
        if let Some(last) = unsettled
            && read.is_some()
        {
            last.stored().await?;
            *unsettled = None;
        }
        if let Some(message) = read.take() {
            return Ok(message);
        }
        *read = Some(inbound.message().await);
    }
}

pub(super) fn whole_ms(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}

/// The bytes of a response that the referee does not make.
pub(super) fn response(message: Outgoing) -> Bytes {
    let response = PlayResponse {
        sequence: 0,
        message: Some(message),
    };
    response.encode_to_vec().into()
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

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        task::{Context, Poll, Waker},
    };

    use bridgemaster_match::TicketHash;

    use super::*;
    use crate::{play::seat_links::SeatLinks, woken::Woken};

    #[test]
    fn a_message_that_was_read_waits_until_what_came_of_the_last_one_is_stored() {
        let mut inbound = Inbound::Calls {
            hello: None,
            links: SeatLinks::default(),
            ticket: TicketHash::new([7; 32]),
        };
        for outcome in [Ok(()), Err(NotStored)] {
            let woken = Arc::<Woken>::default();
            let waker = Waker::from(Arc::clone(&woken));
            // Each call is dropped when it is pending, as it is by a stream.
            let mut next = |read: &mut _, unsettled: &mut _| {
                let next = pin!(next_message(&mut inbound, read, unsettled));
                next.poll(&mut Context::from_waker(&waker))
            };
            let gate = Gate::default();
            let mut unsettled = Some(Unsettled::behind(gate.clone()));
            let mut read = Some(Ok(None));
            for _ in 0..2 {
                assert!(next(&mut read, &mut unsettled).is_pending());
                assert!(read.is_some(), "a call that is dropped loses nothing");
            }
            assert_eq!(woken.times(), 0);
            gate.settle(outcome);
            assert_eq!(woken.times(), 1, "its stream goes on");
            let Poll::Ready(given) = next(&mut read, &mut unsettled) else {
                panic!("the gate is settled");
            };
            assert_eq!(given.is_ok(), outcome.is_ok());
            assert_eq!(read.is_some(), outcome.is_err(), "given once, or never");
        }
    }
}
