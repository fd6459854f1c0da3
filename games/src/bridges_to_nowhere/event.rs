//! What happens in a match, in the order in which it happens. Every event is public: what the
//! seats build in secret is told when both have ended.

use std::fmt;

use arrayvec::ArrayVec;

use super::components::{BridgeCard, CARDS_A_DRAFT, Card, Contract, OPEN_CARDS, Placement};
use super::observation::SeatScore;
use crate::Seat;
use crate::events::{events, listed};

events! {
    /// Something that happened.
    Event {
        /// A game began: six pillars for each seat, the three monuments on the table.
        GameStarted {
            /// The game, from 0.
            game: u8,
            /// The contract it is played for; `None` without contracts.
            contract: Option<Contract>,
        } = "game {game} begins, {}" (match contract {
            Some(contract) => format!("for the contract {contract}"),
            None => "without a contract".to_owned(),
        }),
        /// A round began: six bridge cards were opened.
        RoundStarted {
            /// The round, from 0.
            round: u8,
            /// Who takes the first card.
            first_drafter: Seat,
            /// The cards, in the order of [`BridgeCard`].
            opened: ArrayVec<BridgeCard, OPEN_CARDS>,
        } = "round {round} begins, seat {first_drafter} takes first from {}" (listed(opened)),
        /// A seat took a card from the table.
        Taken {
            /// The seat.
            seat: Seat,
            /// The card.
            card: Card,
        } = "seat {seat} takes {card}",
        /// The draft ended; the bridge cards that were left over are discarded.
        DraftEnded {
            /// The cards, in the order of [`BridgeCard`].
            discarded: ArrayVec<BridgeCard, OPEN_CARDS>,
        } = "the draft ends, left over: {}" (listed(discarded)),
        /// Shown when both seats have ended building: a seat had added a piece to its structure.
        Placed {
            /// The seat.
            seat: Seat,
            /// The piece and its place.
            placement: Placement,
        } = "seat {seat} had placed {placement}",
        /// Shown when both seats have ended building, after the seat's placements.
        BuildingEnded {
            /// The seat.
            seat: Seat,
            /// The cards that it discarded, in the order of [`Card`].
            discarded: ArrayVec<Card, CARDS_A_DRAFT>,
        } = "seat {seat} has ended, discards: {}" (listed(discarded)),
        /// A structure was scored at the end of a game.
        Scored {
            /// The seat.
            seat: Seat,
            /// Its points.
            score: SeatScore,
        } = "seat {seat} scores {}: {score}" (score.total()),
        /// A game ended.
        GameEnded {
            /// The game, from 0.
            game: u8,
            /// Who won it, and its contract; `None` after a tie.
            winner: Option<Seat>,
        } = "game {game} ends{}" (match winner {
            Some(winner) => format!(", seat {winner} wins"),
            None => " in a tie".to_owned(),
        }),
        /// The match ended.
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
