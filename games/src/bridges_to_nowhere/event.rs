//! What happens in a match, in the order in which it happens. Every event is public: what the
//! seats build in secret is told when both have ended.

use arrayvec::ArrayVec;

use super::components::{BridgeCard, CARDS_A_DRAFT, Card, Contract, OPEN_CARDS, Placement};
use super::observation::SeatScore;
use crate::Seat;

/// Something that happened.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A game began: six pillars for each seat, the three monuments on the table.
    GameStarted {
        /// The game, from 0.
        game: u8,
        /// The contract it is played for; `None` without contracts.
        contract: Option<Contract>,
    },
    /// A round began: six bridge cards were opened.
    RoundStarted {
        /// The round, from 0.
        round: u8,
        /// Who takes the first card.
        first_drafter: Seat,
        /// The cards, in the order of [`BridgeCard`].
        opened: ArrayVec<BridgeCard, OPEN_CARDS>,
    },
    /// A seat took a card from the table.
    Taken {
        /// The seat.
        seat: Seat,
        /// The card.
        card: Card,
    },
    /// The draft ended; the bridge cards that were left over are discarded.
    DraftEnded {
        /// The cards, in the order of [`BridgeCard`].
        discarded: ArrayVec<BridgeCard, OPEN_CARDS>,
    },
    /// Shown when both seats have ended building: a seat had added a piece to its structure.
    Placed {
        /// The seat.
        seat: Seat,
        /// The piece and its place.
        placement: Placement,
    },
    /// Shown when both seats have ended building, after the seat's placements.
    BuildingEnded {
        /// The seat.
        seat: Seat,
        /// The cards that it discarded, in the order of [`Card`].
        discarded: ArrayVec<Card, CARDS_A_DRAFT>,
    },
    /// A structure was scored at the end of a game.
    Scored {
        /// The seat.
        seat: Seat,
        /// Its points.
        score: SeatScore,
    },
    /// A game ended.
    GameEnded {
        /// The game, from 0.
        game: u8,
        /// Who won it, and its contract; `None` after a tie.
        winner: Option<Seat>,
    },
    /// The match ended.
    MatchEnded,
}
