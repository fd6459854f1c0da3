//! What a viewer may know: everything that a player with a perfect memory would know.
//!
//! Hands are open (A10), so all viewers see the same. Hidden facts have no place in these types:
//! of a pile there is the *multiset* of what it has, never its order, and of a scoring card the
//! places where it can still lie.

use arrayvec::ArrayVec;

use super::building::{Building, Buildings};
use super::components::{CATEGORIES, CURRENCIES, MAX_PLAYERS, SCORING_CARDS, SCORINGS};
use super::decision::Purchase;
use super::money::Money;
use super::row_cards::RowCards;
use crate::{Seat, Viewer};

/// Most exact purchases of one turn: one from each slot of the yard.
pub const MAX_TURN_PURCHASES: usize = CURRENCIES;

/// Points of an owner: by scoring, then by category; zeros for scorings to come.
pub type Points = [[u8; CATEGORIES]; SCORINGS];

/// A complete observation.
#[derive(Clone, Debug, PartialEq)]
pub struct Observation {
    /// Whose view this is.
    pub viewer: Viewer,
    /// What is going on.
    pub phase: Phase,
    /// The purchases of this turn, all paid exactly, in the order in which they were made; empty
    /// outside a turn.
    pub turn_purchases: ArrayVec<TurnPurchase, MAX_TURN_PURCHASES>,
    /// Seats in seat order.
    pub seats: ArrayVec<SeatView, MAX_PLAYERS>,
    /// The dummy: there at a table of two, and only there.
    pub dummy: Option<DummyView>,
    /// The yard by slot, in the order of the currencies. Slots bought from in this turn are
    /// empty. Once the match is over, buildings that went to no seat still lie there.
    pub yard: [Option<Building>; CURRENCIES],
    /// The open row.
    pub row: RowCards,
    /// The money cards paid since the last shuffle.
    pub discard: Money,
    /// The money cards of the pile.
    pub unseen_money: Money,
    /// The buildings of the pile.
    pub unseen_buildings: Buildings,
    /// Scoring cards A and B: where they can lie; `None` once drawn.
    pub scoring_cards: [Option<PlaceRange>; SCORING_CARDS],
    /// Shuffles so far.
    pub shuffles: u8,
}

/// What is going on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// A seat decides.
    Turn {
        /// The seat.
        seat: Seat,
    },
    /// The pile of money cards ran out in the refill after a turn: the discard is to be shuffled.
    Shuffle {
        /// The seat whose turn was the last.
        seat: Seat,
    },
    /// The match is over.
    Over,
}

/// A purchase of the turn in play.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnPurchase {
    /// The building.
    pub building: Building,
    /// Slot, payment, and whether the dummy got it.
    pub purchase: Purchase,
}

/// What is known of a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeatView {
    /// Its money cards.
    pub hand: Money,
    /// Its buildings.
    pub buildings: Buildings,
    /// Its points.
    pub points: Points,
}

/// What is known of the dummy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DummyView {
    /// Its buildings.
    pub buildings: Buildings,
    /// Its points, which do not count for the result.
    pub points: Points,
}

/// Where a scoring card can lie in the pile: under how many of its money cards. Each number from
/// first to last is equally likely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlaceRange {
    /// Fewest money cards above it.
    pub first: u8,
    /// Most money cards above it.
    pub last: u8,
}
