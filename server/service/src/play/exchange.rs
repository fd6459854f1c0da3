//! The messages of a stream in both directions, from the Welcome to the end, with the round-trip
//! time and the trace span of the stream.

use std::{
    ops::ControlFlow,
    sync::Arc,
    time::{Duration, Instant, SystemTime},
};

use bridgemaster_edge::{
    identity::Caller,
    refusal::{Refusal, reason_name},
    spans,
    transport::{MinRoundTrip, SeatProtection},
};
use bridgemaster_live::{
    journal::{CommitGate, NotStored},
    {Closing, Matches, Outbound, SeatHandle},
};
use bridgemaster_match::SeatInput;
use bridgemaster_proto::v1::{
    Draining, Ping, PlayRequest, PlayResponse, RefusalReason, play_request::Message as Incoming,
    play_response::Message as Outgoing,
};
use bridgemaster_traces::{SpanKind, SpanRecorder};
use prost::{Message as _, bytes::Bytes};
use tokio::{select, task::consume_budget};
use tonic::{Status, codegen::BoxFuture};
use tracing::debug;

use super::{
    inbound::{Inbound, SeatRegistration, malformed_message},
    interruptions::{Interruption, Interruptions},
};

/// The messages of a stream in both directions, from the Welcome to the end.
pub(super) struct Exchange {
    matches: Arc<Matches>,
    seat: Arc<SeatHandle>,
    inbound: Inbound,
    outbound: Outbound,
    round_trip: RoundTrip,
    interruptions: Interruptions,
    /// The uncommitted result of the bot's last message. Until it is committed, the match gets no
    /// other message, so that a bot cannot queue uncommitted work.
    uncommitted: Option<UncommittedReport>,
    /// The next message, which is processed once the uncommitted result is committed.
    read: Option<Result<Option<PlayRequest>, Status>>,
    span: StreamSpan,
    _registration: Option<SeatRegistration>,
    /// Protects the connection from eviction until it is dropped.
    _protection: Option<SeatProtection>,
}

impl Exchange {
    /// Starts the exchange with the bot of `caller`, whose stream now holds the seat. `resumed` is
    /// true if the stream continues after the messages that the bot already has.
    pub(super) fn begin(
        matches: &Arc<Matches>,
        caller: Caller,
        (seat, resumed): (Arc<SeatHandle>, bool),
        (inbound, outbound): (Inbound, Outbound),
        round_trip: RoundTrip,
        protection: Option<SeatProtection>,
    ) -> Self {
        Self {
            uncommitted: None,
            read: None,
            span: StreamSpan::begin(matches.span_recorder(), &seat, resumed),
            _registration: inbound.register(&seat, &caller),
            _protection: protection,
            interruptions: Interruptions::new(matches, caller, seat.forwarding_node()),
            matches: Arc::clone(matches),
            seat,
            inbound,
            outbound,
            round_trip,
        }
    }

    /// Returns the next response, or `None` when the stream ends without a refusal. Cancel-safe: a
    /// later call continues.
    pub(super) async fn next(&mut self) -> Result<Option<Bytes>, Refusal> {
        let next = self.next_response().await;
        next.inspect_err(|refusal| self.span.record_refusal(refusal))
    }

    async fn next_response(&mut self) -> Result<Option<Bytes>, Refusal> {
        loop {
            select! {
                biased;
                message = self.outbound.next() => {
                    if let Some(message) = message {
                        self.report_handover(message.request_id);
                        return Ok(Some(message.bytes));
                    }
                    return match self.outbound.closing() {
                        Closing::Refused(refusal) => Err(refusal),
                        Closing::MatchOver => Ok(None),
                    };
                }
                message = next_message(&mut self.inbound, &mut self.read, &mut self.uncommitted) => {
                    if self.handle_inbound(message?)?.is_break() {
                        return Ok(None);
                    }
                    // Yields from time to time, since a bot that sends without pause must not
                    // monopolize the thread.
                    consume_budget().await;
                }
                interruption = self.interruptions.next() => {
                    return match interruption {
                        Interruption::Draining => Ok(Some(self.draining_message())),
                        Interruption::PingDue => Ok(Some(self.next_ping())),
                        Interruption::Ended(refusal) => {
                            if refusal.is_server_error() {
                                self.seat.end_by_server();
                            }
                            Err(refusal)
                        }
                    };
                }
            }
        }
    }

    /// Encodes the message that announces that the server drains.
    fn draining_message(&self) -> Bytes {
        encode_response(Outgoing::Draining(Draining {
            time_left_ms: whole_ms(self.matches.lifecycle().drain_time_left()),
            matches_resume: self.matches.journal().is_some(),
            address: String::new(),
        }))
    }

    /// Returns a Ping. If the bot does not support Pong, the round trip that TCP measured is
    /// reported instead.
    fn next_ping(&mut self) -> Bytes {
        if !self.inbound.supports_pong()
            && let Some(elapsed_us) = self.round_trip.tcp_us()
        {
            self.seat.report(SeatInput::RoundTrip { elapsed_us });
        }
        encode_response(Outgoing::Ping(self.round_trip.ping()))
    }

    /// Reports, before the hand-over, that a request is handed to the transport. After the
    /// hand-over, the transport polls only when the bot's flow-control window has space, so a bot
    /// could delay the report.
    fn report_handover(&self, request_id: Option<u32>) {
        if let Some(request_id) = request_id {
            self.seat.record_handover(request_id);
        }
    }

    /// Handles a message of the bot, or the end of its half of the stream.
    fn handle_inbound(
        &mut self,
        message: Result<Option<PlayRequest>, Status>,
    ) -> Result<ControlFlow<()>, Refusal> {
        match message {
            Ok(Some(message)) => {
                let gate = report_message(&self.seat, message, &mut self.round_trip)?;
                self.uncommitted = gate.map(UncommittedReport::new);
                return Ok(ControlFlow::Continue(()));
            }
            Ok(None) => debug!("the bot closed its half of the stream"),
            Err(status) => match malformed_message(&status) {
                Some(refusal) => {
                    let detail = status.message().to_owned();
                    self.seat.report(SeatInput::Garbage { detail });
                    return Err(refusal);
                }
                None => debug!(%status, "lost the stream of a bot"),
            },
        }
        Ok(ControlFlow::Break(()))
    }
}

/// The result of a message that is not committed yet.
struct UncommittedReport {
    gate: CommitGate,
    /// Wakes the stream once the result is committed. Created when the bot sends another message,
    /// and kept if the waiting call is dropped.
    waiting: Option<BoxFuture<(), NotStored>>,
}

impl UncommittedReport {
    fn new(gate: CommitGate) -> Self {
        Self { gate, waiting: None }
    }

    /// Completes when the result is committed. Cancel-safe: a later call continues to wait.
    async fn until_committed(&mut self) -> Result<(), NotStored> {
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

/// Returns the bot's next message once the result of the last one is committed. The commit wakes
/// the stream only if the bot has sent another message. Cancel-safe: no message is lost.
async fn next_message(
    inbound: &mut Inbound,
    read: &mut Option<Result<Option<PlayRequest>, Status>>,
    uncommitted: &mut Option<UncommittedReport>,
) -> Result<Result<Option<PlayRequest>, Status>, NotStored> {
    loop {
        if let Some(last) = uncommitted
            && read.is_some()
        {
            last.until_committed().await?;
            *uncommitted = None;
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

/// Encodes a response that does not come from the referee.
pub(super) fn encode_response(message: Outgoing) -> Bytes {
    let response = PlayResponse { sequence: 0, message: Some(message) };
    response.encode_to_vec().into()
}

/// Reports a message to the match and returns the gate of its commit. A refusal ends the stream.
fn report_message(
    seat: &SeatHandle,
    message: PlayRequest,
    round_trip: &mut RoundTrip,
) -> Result<Option<CommitGate>, Refusal> {
    let input = match message.message {
        Some(Incoming::Decision(decision)) => SeatInput::Decision(decision),
        Some(Incoming::Pong(pong)) => match round_trip.pong(pong.nonce) {
            AnsweredPing::Last { elapsed_us } => match round_trip.network_us(elapsed_us) {
                Some(elapsed_us) => SeatInput::RoundTrip { elapsed_us },
                None => return Ok(None),
            },
            AnsweredPing::Earlier => return Ok(None),
            AnsweredPing::Unknown => SeatInput::Useless,
        },
        Some(Incoming::Resign(_)) => SeatInput::Resign,
        Some(Incoming::Hello(_)) => {
            return Err(Refusal::new(
                RefusalReason::HelloRepeated,
                "only the first message of a stream may be a Hello",
            ));
        }
        None => SeatInput::Useless,
    };
    Ok(seat.report(input))
}

/// The trace span of a seat's stream. Dropping this value ends the span.
struct StreamSpan {
    span_recorder: SpanRecorder,
    seat: Arc<SeatHandle>,
    resumed: bool,
    started: SystemTime,
    refused: Option<&'static str>,
}

impl StreamSpan {
    /// Starts the span of the stream of this handle, which now holds the seat.
    fn begin(span_recorder: &SpanRecorder, seat: &Arc<SeatHandle>, resumed: bool) -> Self {
        Self {
            span_recorder: span_recorder.clone(),
            seat: Arc::clone(seat),
            resumed,
            started: SystemTime::now(),
            refused: None,
        }
    }

    /// Records the refusal that ends the stream.
    fn record_refusal(&mut self, refusal: &Refusal) {
        self.refused = Some(reason_name(refusal.reason()));
    }
}

impl Drop for StreamSpan {
    fn drop(&mut self) {
        self.span_recorder.record(|| {
            let mut span = self.seat.span_since(self.started, "seat stream");
            span.kind = SpanKind::Server;
            let span = span.with("bridgemaster.stream.resumed", self.resumed);
            match self.refused {
                Some(reason) => span.with(spans::ERROR, reason),
                None => span,
            }
        });
    }
}

/// Measures the round trip of the last Ping. Earlier Pings may be answered too: a bot that was busy
/// answers all of them at once.
///
/// A bot can delay its Pongs, so at most the round trip that TCP reports counts.
#[derive(Default)]
pub(super) struct RoundTrip {
    /// The measurement by TCP; `None` for a connection without one.
    tcp: Option<MinRoundTrip>,
    /// Nonce of the last Ping; nonces start at 1.
    last: u64,
    last_sent: Option<Instant>,
    /// Nonce of the last answered Ping; 0 if none was answered.
    answered: u64,
}

/// The Ping that a Pong answers.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AnsweredPing {
    Last {
        /// The round trip in microseconds.
        elapsed_us: u64,
    },
    /// An earlier Ping that was not answered yet.
    Earlier,
    /// The nonce belongs to no Ping, or to a Ping that counts as answered.
    Unknown,
}

impl RoundTrip {
    /// Creates a round trip without a measurement, on a connection with this TCP statistic.
    pub(super) fn new(tcp: Option<MinRoundTrip>) -> Self {
        Self { tcp, ..Self::default() }
    }

    /// Returns the part of a measured round trip that counts as network latency, in µs, or `None`
    /// while it is unknown.
    pub(super) fn network_us(&self, elapsed_us: u64) -> Option<u64> {
        match &self.tcp {
            Some(tcp) => tcp.network_us(elapsed_us),
            None => Some(elapsed_us),
        }
    }

    /// Returns the round trip that TCP measured, in µs, for bots that cannot answer Pings, or
    /// `None` while it is unknown.
    pub(super) fn tcp_us(&self) -> Option<u64> {
        self.tcp.as_ref()?.min_us()
    }

    /// Creates the next Ping, which is sent now.
    pub(super) fn ping(&mut self) -> Ping {
        self.last += 1;
        self.last_sent = Some(Instant::now());
        Ping { nonce: self.last }
    }

    /// Returns which Ping the Pong with this nonce answers.
    pub(super) fn pong(&mut self, nonce: u64) -> AnsweredPing {
        if nonce <= self.answered || nonce > self.last {
            return AnsweredPing::Unknown;
        }
        self.answered = nonce;
        match self.last_sent {
            Some(sent) if nonce == self.last => AnsweredPing::Last {
                elapsed_us: u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX),
            },
            _ => AnsweredPing::Earlier,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        pin::pin,
        sync::atomic::{AtomicUsize, Ordering},
        task::{Context, Poll, Wake, Waker},
    };

    use bridgemaster_match::TicketHash;

    use super::{super::inbound::SeatRegistry, *};

    /// Counts its wake-ups.
    #[derive(Default)]
    struct CountingWaker(AtomicUsize);

    impl Wake for CountingWaker {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    #[test]
    fn a_message_waits_until_the_result_of_the_last_one_is_committed() {
        let mut inbound = Inbound::Calls {
            hello: None,
            registry: SeatRegistry::default(),
            ticket: TicketHash::new([7; 32]),
        };
        for outcome in [Ok(()), Err(NotStored)] {
            let woken = Arc::<CountingWaker>::default();
            let waker = Waker::from(Arc::clone(&woken));
            // Drops each pending future after one poll, as the stream's `select!` does.
            let mut next = |read: &mut _, uncommitted: &mut _| {
                let next = pin!(next_message(&mut inbound, read, uncommitted));
                next.poll(&mut Context::from_waker(&waker))
            };
            let gate = CommitGate::default();
            let mut uncommitted = Some(UncommittedReport::new(gate.clone()));
            let mut read = Some(Ok(None));
            for _ in 0..2 {
                assert!(next(&mut read, &mut uncommitted).is_pending());
                assert!(read.is_some(), "a dropped call does not lose the message");
            }
            assert_eq!(woken.0.load(Ordering::Relaxed), 0);
            gate.resolve(outcome);
            assert_eq!(woken.0.load(Ordering::Relaxed), 1, "its stream resumes");
            let Poll::Ready(next_read) = next(&mut read, &mut uncommitted) else {
                panic!("the gate is resolved");
            };
            assert_eq!(next_read.is_ok(), outcome.is_ok());
            assert_eq!(read.is_some(), outcome.is_err(), "next_read once, or never");
        }
    }

    #[test]
    fn every_ping_may_be_answered_once_and_only_the_last_one_measures() {
        let mut round_trip = RoundTrip::default();
        assert_eq!(round_trip.pong(0), AnsweredPing::Unknown);
        assert_eq!(round_trip.pong(1), AnsweredPing::Unknown);
        for nonce in 1..=3 {
            assert_eq!(round_trip.ping().nonce, nonce);
        }
        assert_eq!(round_trip.pong(1), AnsweredPing::Earlier);
        assert_eq!(round_trip.pong(1), AnsweredPing::Unknown);
        assert_eq!(round_trip.pong(2), AnsweredPing::Earlier);
        assert!(matches!(round_trip.pong(3), AnsweredPing::Last { .. }));
        assert_eq!(round_trip.pong(3), AnsweredPing::Unknown);
        assert_eq!(round_trip.pong(4), AnsweredPing::Unknown);
    }
}
