//! What a ticket opens.

use std::sync::Arc;

use bridgemaster_games::Seat;
use bridgemaster_match::{Opening, TicketHash};
use bridgemaster_referee::{BotIdentity, Known};
use bridgemaster_store::KeyName;
use tracing::{Span, error_span};

use super::{HostedMatch, Matches, SeatStream, Ticket, hosted_match::Joined, outbound::Outbound};
use crate::{journal::Gated, refusal::Refusal};

/// The right to join a seat, as a ticket gives it.
#[derive(Clone)]
pub(crate) struct SeatKey {
    matches: Arc<Matches>,
    hosted: Arc<dyn HostedMatch>,
    seat: Seat,
    ticket: TicketHash,
}

impl SeatKey {
    /// What this ticket opens.
    ///
    /// # Errors
    /// When it is of no match that can be played here.
    pub(crate) fn redeem(matches: &Arc<Matches>, ticket: &Ticket) -> Result<Self, Refusal> {
        let (hosted, seat) = matches.seat_of(ticket)?;
        Ok(Self {
            matches: Arc::clone(matches),
            hosted,
            seat,
            ticket: ticket.hash(),
        })
    }

    /// The game of the match.
    pub(crate) fn game_id(&self) -> &'static str {
        self.hosted.game_id()
    }

    /// Whether the bot that is named after this key has the seat.
    pub(crate) fn is_held_by(&self, name: &KeyName) -> bool {
        self.hosted.is_held_by(self.seat, name)
    }

    /// The bot of the seat came, and the server turned it away for a reason of its own.
    pub(crate) fn turned_away(&self) {
        self.matches.note_end(self.hosted.turned_away(self.seat));
    }

    /// A span of what happens on a stream of the seat, within one of the match.
    pub(crate) fn span(&self) -> Span {
        // Borrowed: a parent that is given away is closed before it has this child.
        error_span!(parent: &self.hosted.span(), "seat", seat = %self.seat)
    }

    /// Takes the seat with a new stream; an older stream of the seat ends. With a key, the bot is
    /// the one of the key's name. `known` is what the bot says that it has.
    pub(crate) fn join(
        self,
        mut bot: BotIdentity,
        key: Option<&KeyName>,
        known: Option<Known>,
    ) -> Result<(SeatStream, Outbound, Gated<Opening>), Gated<Refusal>> {
        if let Some(offered) = self.hosted.offered().get(&self.seat) {
            offered.bot_name.clone_into(&mut bot.name);
        }
        // A name that no key can have is in no index.
        let name = KeyName::new(&bot.name).ok();
        let joined = self.hosted.join((self.seat, self.ticket), bot, key, known);
        let Joined {
            number,
            outbound,
            opening,
        } = self.matches.note_end(joined)?;
        if let Some(name) = name {
            self.matches.is_of(self.hosted.id(), &name);
        }
        self.matches.joined(self.hosted.id(), self.seat);
        let stream = SeatStream::new(self.matches, self.hosted, self.seat, number);
        Ok((stream, outbound, opening))
    }
}
