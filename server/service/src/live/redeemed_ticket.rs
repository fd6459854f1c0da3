//! The right to join a seat. A caller obtains this right with a valid ticket.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, StreamStart, TicketHash};
use bridgemaster_referee::{BotIdentity, ResumePoint};
use bridgemaster_store::KeyName;
use tracing::{Span, error_span};

use super::{HostedMatch, Matches, SeatSession, Ticket, hosted_match::Joined, outbound::Outbound};
use crate::{
    journal::Gated,
    refusal::Refusal,
    transport::{ConnectionInfo, ForwardingNode},
};

/// The right to join a seat, obtained with a ticket.
#[derive(Clone)]
pub(crate) struct RedeemedTicket {
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
    /// If the ticket belongs to no match on this server.
    pub(crate) fn redeem(matches: &Arc<Matches>, ticket: &Ticket) -> Result<Self, Refusal> {
        let (hosted, seat) = matches.seat_of(ticket)?;
        Ok(Self {
            matches: Arc::clone(matches),
            hosted,
            seat,
            ticket: ticket.hash(),
            node: None,
        })
    }

    /// Sets the connection over which the caller joins the seat.
    pub(crate) fn set_connection(&mut self, connection: Option<&ConnectionInfo>) {
        self.node = connection.and_then(|known| known.forwarding_node.clone());
    }

    pub(crate) fn match_and_seat(&self) -> (&MatchId, Seat) {
        (self.hosted.id(), self.seat)
    }

    pub(crate) fn game_id(&self) -> &'static str {
        self.hosted.game_id()
    }

    /// Returns whether the bot that is named after this key has the seat.
    pub(crate) fn is_held_by(&self, name: &KeyName) -> bool {
        self.hosted.is_held_by(self.seat, name)
    }

    /// Records that the server itself refused the seat's bot, so that the seat's clocks are paused.
    pub(crate) fn record_rejection(&self) {
        self.matches
            .record_end(self.hosted.record_rejection(self.seat, None));
    }

    /// Creates a log span for one of the seat's streams, within the match's span.
    pub(crate) fn span(&self) -> Span {
        // The parent span is borrowed. If it were passed by value, it would close before its child
        // opens.
        error_span!(parent: &self.hosted.span(), "seat", seat = %self.seat)
    }

    /// Joins the seat with a new stream, and closes any older stream of the seat. With a key, the
    /// bot has the key's name. `resume_point` is the point up to which the bot has received
    /// messages.
    pub(crate) fn join(
        self,
        mut bot: BotIdentity,
        key: Option<&KeyName>,
        resume_point: Option<ResumePoint>,
    ) -> Result<(SeatSession, Outbound, Gated<StreamStart>), Gated<Refusal>> {
        if let Some(offered) = self.hosted.offered_seats().get(&self.seat) {
            offered.bot_name.clone_into(&mut bot.name);
        }
        // A bot name that is not a valid key name is not indexed.
        let name = KeyName::new(&bot.name).ok();
        let seat = (self.seat, self.ticket);
        let joined = self
            .hosted
            .join(seat, bot, key, resume_point, self.node.as_ref());
        let Joined {
            number,
            outbound,
            start,
        } = self.matches.record_end(joined)?;
        if let Some(name) = name {
            self.matches.add_party(self.hosted.id(), &name);
        }
        self.matches.notify_joined(self.hosted.id(), self.seat);
        let stream = SeatSession::new(self.matches, self.hosted, self.seat, number, self.node);
        Ok((stream, outbound, start))
    }
}
