//! Observations: everything that a player with a perfect memory would know.
//!
//! Hands are open (A10), so all viewers see the same. The types of this module cannot represent
//! hidden facts. A pile is represented by the *multiset* of its content, without an order. A
//! scoring card is represented by the range of its possible places.

use arrayvec::ArrayVec;

use super::building::{Building, Buildings};
use super::components::{CATEGORIES, CURRENCIES, MAX_PLAYERS, SCORING_CARDS, SCORINGS};
use super::decision::Purchase;
use super::money::Money;
use super::row_cards::RowCards;
use crate::{Seat, Viewer};

/// The maximum number of exact purchases in one turn: one from each slot in the yard.
pub const MAX_TURN_PURCHASES: usize = CURRENCIES;

/// Each owner's points, by scoring and then by category. Later scorings have zeros.
pub type Points = [[u8; CATEGORIES]; SCORINGS];

/// Everything that a viewer may know of a state.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// The viewer that this observation is for.
    pub viewer: Viewer,
    /// The phase of the match, with the seat to decide.
    pub phase: Phase,
    /// The purchases of this turn, in order; all of them were paid exactly. Empty outside a turn.
    pub turn_purchases: ArrayVec<TurnPurchase, MAX_TURN_PURCHASES>,
    /// Seats in seat order.
    pub seats: ArrayVec<SeatView, MAX_PLAYERS>,
    /// The dummy, present only at a table of two.
    pub dummy: Option<DummyView>,
    /// The yard by slot, in the order of the currencies. The slots of buildings bought in this turn
    /// are empty. Once the match has ended, buildings that were allotted to no seat remain.
    pub yard: [Option<Building>; CURRENCIES],
    /// The open row, from which seats take money.
    pub row: RowCards,
    /// The money cards paid since the last shuffle.
    pub discard: Money,
    /// The money cards in the pile, without their order.
    pub unseen_money: Money,
    /// The buildings in the pile, without their order.
    pub unseen_buildings: Buildings,
    /// The possible places of scoring cards A and B; `None` once the card is drawn.
    pub scoring_cards: [Option<PlaceRange>; SCORING_CARDS],
    /// The number of shuffles so far.
    pub shuffles: u8,
}

/// The phase of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A seat is to decide.
    Turn {
        /// The seat to decide.
        seat: Seat,
    },
    /// The money pile ran out in the refill after a turn, so the discard must be shuffled.
    Shuffle {
        /// The seat whose turn was last.
        seat: Seat,
    },
    /// The match has ended; no seat decides.
    Over,
}

/// A purchase made in the current turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnPurchase {
    /// The building that was bought.
    pub building: Building,
    /// The slot, the payment, and whether the dummy got the building.
    pub purchase: Purchase,
}

/// The public information about a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatView {
    /// The money cards in the hand of the seat.
    pub hand: Money,
    /// The buildings that the seat owns.
    pub buildings: Buildings,
    /// The points that the seat has scored so far.
    pub points: Points,
}

/// The public information about the dummy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DummyView {
    /// The buildings that the dummy owns.
    pub buildings: Buildings,
    /// The dummy's points, which do not count for the result.
    pub points: Points,
}

/// The possible numbers of money cards above a scoring card in the pile, as a range. Each number
/// from `first` to `last` is equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceRange {
    /// The minimum number of money cards above the scoring card.
    pub first: u8,
    /// The maximum number of money cards above the scoring card.
    pub last: u8,
}
