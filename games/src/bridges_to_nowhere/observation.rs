//! Observations: everything that a player with a perfect memory would know.
//!
//! The types of this module cannot represent hidden facts. The deck is the *set* of unseen cards,
//! without an order. During building, the other seat is shown as it was before the phase. Cards of
//! the edition that an observation does not contain are discarded.

use arrayvec::ArrayVec;

use super::components::{
    BRIDGE_CARDS, BridgeCard, CARDS_PER_DRAFT, Card, Contract, LEVELS, MAX_NUMBER, MAX_PIECES,
    MAX_PLACED, MAX_STRUCTURE_CARDS, OPEN_CARDS, PLAYERS, Placement,
};
use super::config::MAX_GAMES;
use crate::{Seat, Viewer};

/// The maximum number of points in one category of a [`SeatScore`]: the points for twelve cards
/// with the highest number on level 3. Tolls, monuments, symbols and contracts score less.
pub const MAX_CATEGORY_POINTS: u16 = MAX_STRUCTURE_CARDS as u16 * MAX_NUMBER as u16 * LEVELS as u16;

/// Everything that a viewer may know of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The viewer that this observation is for.
    pub viewer: Viewer,
    /// The maximum number of games in the match.
    pub games: u8,
    /// Results of the finished games, in order. All contracts that are in neither `results` nor
    /// `contract` are still hidden.
    pub results: ArrayVec<GameResult, MAX_GAMES>,
    /// The current game, from 0; once the match has ended, the last game that was played.
    pub game: u8,
    /// The contract of the current game; `None` without contracts.
    pub contract: Option<Contract>,
    /// The current round, counted from 0.
    pub round: u8,
    /// The seat that takes the first card in this round. In the game's next round, the other seat
    /// does (N1).
    pub first_drafter: Seat,
    /// The match phase, and in a draft the seat to decide.
    pub phase: Phase,
    /// The bridge cards on the table, in the order of [`BridgeCard`]. During building, the table
    /// has the cards of the next round. There are none in the last round or [after
    /// building](super::NextCards::AfterBuilding) (N16).
    pub open: ArrayVec<BridgeCard, OPEN_CARDS>,
    /// The number of monuments on the table.
    pub monuments: u8,
    /// The bridge cards that are not yet laid out in this game, in the order of [`BridgeCard`].
    /// There are six for each of the remaining rounds.
    pub unseen: ArrayVec<BridgeCard, BRIDGE_CARDS>,
    /// Seats in seat order.
    pub seats: [SeatView; PLAYERS],
}

/// The phase of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// This seat takes a card from the table.
    Draft {
        /// The seat to decide.
        seat: Seat,
    },
    /// Both seats build in secret, until both have ended.
    Build,
    /// The match has ended. The structures are those of the last game.
    Over,
}

/// The information about a seat.
///
/// During building, a seat sees its own current state; everybody else sees the structure, pillars
/// and cards as they were before the phase.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatView {
    /// The structure, ordered by cell.
    pub structure: ArrayVec<Placement, MAX_PIECES>,
    /// The number of pillars that have not been placed.
    pub pillars: u8,
    /// The cards that were taken in this round but not placed, in the order of [`Card`]. Empty
    /// between phases.
    pub cards: ArrayVec<Card, CARDS_PER_DRAFT>,
    /// In the seat's own view, the pieces that it has placed in this building phase, in order.
    /// These pieces are in `structure` too. For all other viewers, the list is empty.
    pub placed: ArrayVec<Placement, MAX_PLACED>,
    /// In the seat's own view, `true` if it has ended this building phase. For all other viewers,
    /// the field is `false`.
    pub has_ended: bool,
}

/// The result of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// The contract; `None` without contracts.
    pub contract: Option<Contract>,
    /// The winner; `None` after a tie.
    pub winner: Option<Seat>,
    /// The points in seat order.
    pub scores: [SeatScore; PLAYERS],
}

/// One seat's points in one game, for complete segments only. Each field is at most
/// [`MAX_CATEGORY_POINTS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeatScore {
    /// Points for numbers. Each number is multiplied by its level.
    pub numbers: u16,
    /// Points for tolls beside a pillar. Each toll scores the length of its segment times the level
    /// (N8).
    pub tolls: u16,
    /// Points for monuments. Each monument scores the sum of the numbers beside it times the level
    /// (N9).
    pub monuments: u16,
    /// Points for symbols: five for each pair of equal adjacent symbols (N10).
    pub symbols: u16,
    /// Points for the contract.
    pub contract: u16,
}

/// Each field has an entry in `lines`.
const _: () = assert!(size_of::<SeatScore>() == 5 * size_of::<u16>());

impl SeatScore {
    /// Returns the fields with their names.
    pub(super) const fn lines(&self) -> [(&'static str, u16); 5] {
        [
            ("numbers", self.numbers),
            ("tolls", self.tolls),
            ("monuments", self.monuments),
            ("symbols", self.symbols),
            ("contract", self.contract),
        ]
    }

    /// Returns the sum of all categories.
    pub const fn total(&self) -> u16 {
        self.numbers + self.tolls + self.monuments + self.symbols + self.contract
    }
}
