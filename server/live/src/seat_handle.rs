//! Access of a bot's stream to its seat: the right to join, and the seat once it is joined.

use std::{sync::Arc, time::SystemTime};

use bridgemaster_edge::{
    refusal::Refusal,
    spans::SEAT,
    transport::{ConnectionInfo, ForwardingNode},
};
use bridgemaster_games::Seat;
use bridgemaster_match::{
    JoinRequest, MatchId, SeatInput, StreamNumber, StreamStart, TicketHash, Verdict,
};
use bridgemaster_store::KeyName;
use bridgemaster_traces as traces;
use tokio::runtime::Handle;
use tracing::{Span, error_span};

use super::{HostedMatch, Matches, Ticket, hosted_match::Joined, outbound::Outbound};
use crate::journal::{CommitGate, Gated};

/// A seat that a stream has joined. Only a seat's newest stream holds the seat, and calls from
/// older streams have no effect. When the last reference is dropped, the stream leaves the seat.
pub struct SeatHandle {
    hosted: Arc<dyn HostedMatch>,
    seat: Seat,
    number: StreamNumber,
    /// The node that forwards the stream, if any.
    node: Option<Arc<ForwardingNode>>,
}

impl SeatHandle {
    /// Returns the identifier of the match.
    pub fn match_id(&self) -> &MatchId {
        self.hosted.id()
    }

    /// Returns the seat that the ticket is for.
    pub fn seat(&self) -> Seat {
        self.seat
    }

    /// Returns the node that forwards the stream, if any.
    pub fn forwarding_node(&self) -> Option<&Arc<ForwardingNode>> {
        self.node.as_ref()
    }

    /// Returns whether the other stream of the same seat is newer.
    pub fn is_older_than(&self, other: &Self) -> bool {
        self.number < other.number
    }

    /// Reports an input to the match. If this returns a gate, the stream must not be read again
    /// until the gate is open.
    pub fn report(&self, input: SeatInput) -> Option<CommitGate> {
        self.hosted.report(self.seat, self.number, input)
    }

    /// Passes an answer to the match and returns the verdict, or `None` if the stream no longer
    /// holds the seat or the match is parked. Pass a stream's answers one at a time.
    pub fn answer(&self, input: SeatInput) -> Option<Gated<Verdict>> {
        self.hosted.answer(self.seat, self.number, input)
    }

    /// Records that a request is passed to the transport now.
    pub fn record_handover(&self, request_id: u32) {
        if self.node.is_some() {
            // Lag before this moment does not count against the decision, so the match must read
            // the lag now.
            self.report(SeatInput::HandedOver { request_id });
            return;
        }
        self.hosted.record_handover(self.seat, self.number, request_id);
    }

    /// Ends the stream because of a fault of the server. The time until the bot reconnects is not
    /// charged to any bot.
    pub fn end_by_server(&self) {
        self.report(SeatInput::Left);
        self.hosted.record_rejection(self.seat, Some(self.number));
    }

    /// Creates a trace span for the seat. The span ends now.
    pub fn span_since(&self, started: SystemTime, name: &'static str) -> traces::Span {
        let span = self.hosted.facts().match_spans().span(started, name);
        span.with(SEAT, u32::from(self.seat.number()))
    }
}

impl Drop for SeatHandle {
    fn drop(&mut self) {
        self.report(SeatInput::Left);
        if let Some((node, runtime)) = self.node.take().zip(Handle::try_current().ok()) {
            let hosted = Arc::clone(&self.hosted);
            let (seat, number, ended_us) = (self.seat, self.number, node.now_us());
            runtime.spawn(async move {
                if node.was_lost_at(ended_us).await {
                    hosted.record_rejection(seat, Some(number));
                }
            });
        }
    }
}

/// The right to join a seat, obtained with a ticket.
#[derive(Clone)]
pub struct RedeemedTicket {
    matches: Arc<Matches>,
    hosted: Arc<dyn HostedMatch>,
    seat: Seat,
    ticket: TicketHash,
    /// The node that forwards the call of the caller, if any.
    node: Option<Arc<ForwardingNode>>,
}

impl RedeemedTicket {
    /// Looks up the match and the seat of a ticket.
    ///
    /// # Errors
    /// Returns an error if the ticket belongs to no match on this server.
    pub fn redeem(matches: &Arc<Matches>, ticket: &Ticket) -> Result<Self, Refusal> {
        let (hosted, seat) = matches.seat_of(ticket)?;
        Ok(Self { matches: Arc::clone(matches), hosted, seat, ticket: ticket.hash(), node: None })
    }

    /// Returns the hash of the ticket.
    pub fn ticket(&self) -> TicketHash {
        self.ticket
    }

    /// Sets the connection over which the caller joins the seat.
    pub fn set_connection(&mut self, connection: Option<&ConnectionInfo>) {
        self.node = connection.and_then(|known| known.forwarding_node.clone());
    }

    /// Returns the match and the seat of the stream.
    pub fn match_and_seat(&self) -> (&MatchId, Seat) {
        (self.hosted.id(), self.seat)
    }

    /// Returns the game's identifier in the catalogue.
    pub fn game_id(&self) -> &'static str {
        self.hosted.facts().game_id
    }

    /// Returns whether the bot that is named after this key has the seat.
    pub fn is_held_by(&self, name: &KeyName) -> bool {
        self.hosted.is_held_by(self.seat, name)
    }

    /// Records that the server itself refused the seat's bot, so that the seat's clocks are paused.
    pub fn record_rejection(&self) {
        self.hosted.record_rejection(self.seat, None);
    }

    /// Creates a log span for one of the seat's streams, within the match's span.
    pub fn span(&self) -> Span {
        // The parent span is borrowed. If it were passed by value, it would close before its child
        // opens.
        error_span!(parent: &self.hosted.span(), "seat", seat = self.seat.number())
    }

    /// Joins the seat with a new stream, and closes any older stream of the seat. With a key, the
    /// bot has the key's name.
    pub fn join(
        self,
        mut request: JoinRequest<'_>,
    ) -> Result<(Arc<SeatHandle>, Outbound, Gated<StreamStart>), Gated<Refusal>> {
        if let Some(offered) = self.hosted.facts().offered.get(&self.seat) {
            offered.bot_name.clone_into(&mut request.bot.name);
        }
        // A bot name that is not a valid key name is not indexed.
        let name = KeyName::new(&request.bot.name).ok();
        let seat = (self.seat, self.ticket);
        let Joined { number, outbound, start } =
            self.hosted.join(seat, request, self.node.as_ref())?;
        if let Some(name) = name {
            self.matches.match_index().add_party(self.hosted.id(), &name);
        }
        self.matches.notify_joined(self.hosted.id(), self.seat);
        let Self { hosted, seat, node, .. } = self;
        Ok((Arc::new(SeatHandle { hosted, seat, number, node }), outbound, start))
    }
}
