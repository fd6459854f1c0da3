//! Events of a match, in the order in which they happen. Every event is public: hidden placements
//! are published once both seats have ended.

use std::fmt;

use arrayvec::ArrayVec;

use super::components::{BridgeCard, CARDS_PER_DRAFT, Card, Contract, OPEN_CARDS, Placement};
use super::observation::SeatScore;
use crate::Seat;
use crate::events::{events, listed};

events! {
    /// An event of a match. Games and rounds count from 0; cards are in the order of [`BridgeCard`]
    /// or [`Card`].
    Event {
        /// A game started. Each seat has six pillars, and the three monuments are on the table.
        /// `contract` is `None` in a match without contracts.
        GameStarted { game: u8, contract: Option<Contract> } = "game {game} begins, {}" (
            match contract {
                Some(contract) => format!("for the contract {contract}"),
                None => "without a contract".to_owned(),
            }
        ),
        /// A round started, and these six bridge cards are on the table.
        RoundStarted { round: u8, first_drafter: Seat, opened: ArrayVec<BridgeCard, OPEN_CARDS> }
            = "round {round} begins, seat {first_drafter} takes first from {}" (listed(opened)),
        /// A seat took a card from the table.
        Taken { seat: Seat, card: Card } = "seat {seat} takes {card}",
        /// The draft ended. The remaining bridge cards are discarded, and the cards of the next
        /// round are laid on the table (N16). There are none in the last round or [after
        /// building](super::NextCards::AfterBuilding).
        DraftEnded {
            discarded: ArrayVec<BridgeCard, OPEN_CARDS>,
            next_cards: ArrayVec<BridgeCard, OPEN_CARDS>,
        } = "the draft ends, left over: {}; next cards: {}" (listed(discarded), listed(next_cards)),
        /// A seat added a piece to its structure. The event is published once both seats have ended
        /// building.
        Placed { seat: Seat, placement: Placement } = "seat {seat} had placed {placement}",
        /// A seat ended building. The event is published once both seats have ended, after the
        /// placements of the seat.
        BuildingEnded { seat: Seat, discarded: ArrayVec<Card, CARDS_PER_DRAFT> }
            = "seat {seat} has ended, discards: {}" (listed(discarded)),
        /// A structure was scored at the end of a game.
        Scored { seat: Seat, score: SeatScore } = "seat {seat} scores {}: {score}" (score.total()),
        /// A game ended. The winner gets the contract; `winner` is `None` after a tie.
        GameEnded { game: u8, winner: Option<Seat> } = "game {game} ends{}" (match winner {
            Some(winner) => format!(", seat {winner} wins"),
            None => " in a tie".to_owned(),
        }),
        MatchEnded = "the match ends",
    }
}

impl fmt::Display for SeatScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self.lines().map(|(name, points)| format!("{name} {points}"));
        f.write_str(&lines.join(", "))
    }
}
