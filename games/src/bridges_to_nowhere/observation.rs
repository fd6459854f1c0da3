//! What a viewer may know: everything that a player with a perfect memory would know.
//!
//! Hidden facts have no place in these types: of the deck there is the *set* of what is unseen,
//! never an order; while a phase is built, of the other seat there is what it had last shown. Cards
//! of the edition that are nowhere in an observation are discarded.

use arrayvec::ArrayVec;

use super::components::{
    BRIDGE_CARDS, BridgeCard, CARDS_A_DRAFT, Card, Contract, LEVELS, MAX_NUMBER, MAX_PIECES,
    MAX_PLACED, MAX_STRUCTURE_CARDS, OPEN_CARDS, PLAYERS, Placement,
};
use super::config::MAX_GAMES;
use crate::{Seat, Viewer};

/// Bound of the points of one category of a [`SeatScore`]: twelve cards of the highest number on
/// level 3. Tolls, monuments, symbols and contracts pay less than that.
pub const MAX_CATEGORY_POINTS: u16 = MAX_STRUCTURE_CARDS as u16 * MAX_NUMBER as u16 * LEVELS as u16;

/// A complete observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Whose view this is.
    pub viewer: Viewer,
    /// Most games of the match.
    pub games: u8,
    /// Results of the games that are over, in order. The contracts that are named neither here nor
    /// below have not been seen yet.
    pub results: ArrayVec<GameResult, MAX_GAMES>,
    /// The game in play, from 0; the last one played once the match is over.
    pub game: u8,
    /// The contract of the game in play; `None` without contracts.
    pub contract: Option<Contract>,
    /// Round in play, from 0.
    pub round: u8,
    /// Who takes the first card in this round; in the next round of the game it is the other seat (N1).
    pub first_drafter: Seat,
    /// What is going on.
    pub phase: Phase,
    /// The bridge cards on the table, in the order of [`BridgeCard`]; none while a phase is built.
    pub open: ArrayVec<BridgeCard, OPEN_CARDS>,
    /// Monuments on the table.
    pub monuments: u8,
    /// The bridge cards that this game has not opened yet, in the order of [`BridgeCard`]: six for each round
    /// to come.
    pub unseen: ArrayVec<BridgeCard, BRIDGE_CARDS>,
    /// Seats in seat order.
    pub seats: [SeatView; PLAYERS],
}

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// This seat takes a card from the table.
    Draft {
        /// The seat.
        seat: Seat,
    },
    /// Both seats build in secret, until both have ended.
    Build,
    /// The match is over; structures are those of the last game.
    Over,
}

/// What is known of a seat.
///
/// While a phase is built, this is what the seat itself knows, and what everybody else was last
/// shown: the structure, pillars and cards of before the phase.
#[derive(Clone, Debug, PartialEq)]
pub struct SeatView {
    /// The structure, by cell.
    pub structure: ArrayVec<Placement, MAX_PIECES>,
    /// Pillars that are not placed.
    pub pillars: u8,
    /// Cards taken in this round and not placed, in the order of [`Card`]; none between phases.
    pub cards: ArrayVec<Card, CARDS_A_DRAFT>,
    /// While a phase is built, for the seat itself: what it placed in this phase, in order; these
    /// pieces are in `structure` too, and nobody else knows of them yet. Otherwise empty.
    pub placed: ArrayVec<Placement, MAX_PLACED>,
    /// While a phase is built, for the seat itself: whether it has ended it. Otherwise false.
    pub has_ended: bool,
}

/// The result of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameResult {
    /// Its contract; `None` without contracts.
    pub contract: Option<Contract>,
    /// Who won it; `None` after a tie.
    pub winner: Option<Seat>,
    /// Points in seat order.
    pub scores: [SeatScore; PLAYERS],
}

/// Points of one seat in one game, complete segments only. Each is at most
/// [`MAX_CATEGORY_POINTS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct SeatScore {
    /// Numbers, each times its level.
    pub numbers: u16,
    /// Tolls beside a pillar: the length of their segment times its level (N8).
    pub tolls: u16,
    /// Monuments: the sum of the numbers beside them times the level (N9).
    pub monuments: u16,
    /// Five for each pair of equal symbols side by side (N10).
    pub symbols: u16,
    /// The contract.
    pub contract: u16,
}

/// Each part of a score has a line.
const _: () = assert!(size_of::<SeatScore>() == 5 * size_of::<u16>());

impl SeatScore {
    /// Its parts, with their names.
    pub(super) const fn lines(&self) -> [(&'static str, u16); 5] {
        [
            ("numbers", self.numbers),
            ("tolls", self.tolls),
            ("monuments", self.monuments),
            ("symbols", self.symbols),
            ("contract", self.contract),
        ]
    }

    /// All points.
    pub const fn total(&self) -> u16 {
        self.numbers + self.tolls + self.monuments + self.symbols + self.contract
    }
}
