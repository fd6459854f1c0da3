//! Seats that are offered to bots.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use bridgemaster_games::Seat;
use bridgemaster_match::{MatchId, OfferedSeat};
use bridgemaster_proto::v1;

use super::{OfferId, stream::StreamNumber};
use crate::{
    live::Ticket,
    transport::{ForwardingNode, LagReader},
};

/// A seat that is offered to a bot, or that the bot has already taken.
#[derive(Debug)]
pub(super) struct SeatOffer {
    pub(super) match_id: MatchId,
    pub(super) seat: Seat,
    pub(super) ticket: Ticket,
    pub(super) game_id: &'static str,
    pub(super) rules_version: u32,
    /// The bot, and the purpose of the match.
    pub(super) offered: OfferedSeat,
    /// The time at which the offer expires unless the bot accepts it.
    pub(super) until: Instant,
    /// The lag of the node that forwards the offer, which extends `until`.
    pub(super) lag: Option<LagReader>,
    pub(super) is_taken: bool,
    /// The stream on which the offer was last sent.
    pub(super) sent_on: Option<StreamNumber>,
}

impl SeatOffer {
    pub(super) fn id(&self) -> OfferId {
        OfferId::of(&self.match_id, self.seat, &self.ticket)
    }

    /// Extends the offer by the lag of its forwarding node since the last call.
    pub(super) fn extend(&mut self) {
        let lag_us = self.lag.as_mut().map_or(0, LagReader::take_us);
        self.until += Duration::from_micros(lag_us);
    }

    /// Sets the node that forwards the offer from now on, if any.
    pub(super) fn forward_through(&mut self, node: Option<&Arc<ForwardingNode>>) {
        self.extend();
        self.lag = node.cloned().map(LagReader::new);
    }

    /// Converts the offer to its message.
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
