//! What happens in a match, in the order in which it happens. Every event is public: what the
//! seats build in secret is told when both have ended.

use std::fmt;

use arrayvec::ArrayVec;

use super::components::{BridgeCard, CARDS_A_DRAFT, Card, Contract, OPEN_CARDS, Placement};
use super::observation::SeatScore;
use crate::Seat;
use crate::events::{events, listed};

events! {
    /// Something that happened. Games and rounds count from 0; cards are in the order of
    /// [`BridgeCard`] or [`Card`].
    Event {
        /// A game began: six pillars for each seat, the three monuments on the table. It is played
        /// for a contract; `None` without contracts.
        GameStarted { game: u8, contract: Option<Contract> } = "game {game} begins, {}" (
            match contract {
                Some(contract) => format!("for the contract {contract}"),
                None => "without a contract".to_owned(),
            }
        ),
        /// A round began: six bridge cards were opened.
        RoundStarted { round: u8, first_drafter: Seat, opened: ArrayVec<BridgeCard, OPEN_CARDS> }
            = "round {round} begins, seat {first_drafter} takes first from {}" (listed(opened)),
        /// A seat took a card from the table.
        Taken { seat: Seat, card: Card } = "seat {seat} takes {card}",
        /// The draft ended; the bridge cards that were left over are discarded.
        DraftEnded { discarded: ArrayVec<BridgeCard, OPEN_CARDS> }
            = "the draft ends, left over: {}" (listed(discarded)),
        /// Shown when both seats have ended building: a seat had added a piece to its structure.
        Placed { seat: Seat, placement: Placement } = "seat {seat} had placed {placement}",
        /// Shown when both seats have ended building, after the seat's placements.
        BuildingEnded { seat: Seat, discarded: ArrayVec<Card, CARDS_A_DRAFT> }
            = "seat {seat} has ended, discards: {}" (listed(discarded)),
        /// A structure was scored at the end of a game.
        Scored { seat: Seat, score: SeatScore } = "seat {seat} scores {}: {score}" (score.total()),
        /// A game ended. Its winner has its contract; `None` after a tie.
        GameEnded { game: u8, winner: Option<Seat> } = "game {game} ends{}" (match winner {
            Some(winner) => format!(", seat {winner} wins"),
            None => " in a tie".to_owned(),
        }),
        MatchEnded = "the match ends",
    }
}

impl fmt::Display for SeatScore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = self
            .lines()
            .map(|(name, points)| format!("{name} {points}"));
        f.write_str(&lines.join(", "))
    }
}
