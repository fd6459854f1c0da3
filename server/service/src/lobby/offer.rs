//! A seat that is offered to a bot, or that it took.

use std::time::Instant;

use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, OfferedSeat};
use bridgemaster_proto::v1;

use super::{OfferId, stream::StreamNumber};
use crate::hosting::Ticket;

/// A seat that is offered to a bot, or that it took.
#[derive(Debug)]
pub(super) struct SeatOffer {
    pub(super) match_id: MatchId,
    pub(super) seat: Seat,
    pub(super) ticket: Ticket,
    pub(super) game_id: &'static str,
    pub(super) rules_version: u32,
    /// To whom, and what for.
    pub(super) offered: OfferedSeat,
    /// When it ends, if it is not taken.
    pub(super) until: Instant,
    pub(super) is_taken: bool,
    /// The stream that was told of it last.
    pub(super) told: Option<StreamNumber>,
}

impl SeatOffer {
    pub(super) fn id(&self) -> OfferId {
        OfferId::of(&self.match_id, self.seat, &self.ticket)
    }

    /// Itself on the wire.
    pub(super) fn to_wire(&self, now: Instant) -> v1::Offer {
        let left_ms = self.until.saturating_duration_since(now).as_millis();
        v1::Offer {
            offer_id: self.id().as_str().to_owned(),
            match_id: self.match_id.to_string(),
            seat: self.seat.number().into(),
            ticket: self.ticket.reveal().to_owned(),
            game_id: self.game_id.to_owned(),
            rules_version: self.rules_version,
            address: String::new(),
            time_left_ms: u32::try_from(left_ms).unwrap_or(u32::MAX),
            purpose: self.offered.purpose.into(),
        }
    }
}
